#include "sql/parse/fingerprint.h"

#include <functional>

#include <pg_query.h>

#include "base/fiber/stack.h"
#include "sql/parse/grammar_call.h"

namespace indigo::sql {

namespace {

// Without differences of blanks, and of letters' case outside of quoted names.
std::string plain(const std::string& text) {
  std::string out;
  bool quoted = false;
  for (const char c : text) {
    if (c == '"') quoted = !quoted;
    const bool blank = !quoted && (c == ' ' || c == '\n' || c == '\t' || c == '\r');
    if (blank && (out.empty() || out.back() == ' ')) continue;
    out += blank ? ' ' : !quoted && c >= 'A' && c <= 'Z' ? static_cast<char>(c + 'a' - 'A') : c;
  }
  return out;
}

}  // namespace

Fingerprint fingerprint(std::string_view statement) {
  Fingerprint out{0, std::string(statement)};
  run_on_large_stack([&] {
    const PgQueryNormalizeResult normalized = call_grammar([&] { return pg_query_normalize(out.text.c_str()); });
    std::string text;
    if (normalized.error == nullptr && normalized.normalized_query != nullptr) text = normalized.normalized_query;
    pg_query_free_normalize_result(normalized);
    if (!text.empty()) out.text = std::move(text);
    return 0;
  });
  out.number = std::hash<std::string>()(plain(out.text));
  return out;
}

}  // namespace indigo::sql
