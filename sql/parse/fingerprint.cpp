#include "sql/parse/fingerprint.h"

#include <algorithm>
#include <charconv>

#include <pg_query.h>

#include "base/fiber/stack.h"
#include "sql/parse/grammar_call.h"

namespace indigo::sql {

namespace {

bool in_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$' || c < 0;
}

// Calls f(begin, end, n) for each $n of a text that has no strings.
template <class F>
void for_each_parameter(std::string_view text, F&& f) {
  bool quoted = false;
  for (size_t at = 0; at < text.size(); at++) {
    if (text[at] == '"') quoted = !quoted;
    if (quoted || text[at] != '$' || (at > 0 && in_name(text[at - 1]))) continue;
    int number = 0;
    const auto [end, error] = std::from_chars(text.data() + at + 1, text.data() + text.size(), number);
    if (error == std::errc()) f(at, static_cast<size_t>(end - text.data()), number);
  }
}

int highest_parameter(std::string_view text) {
  int highest = 0;
  for_each_parameter(text, [&](size_t, size_t, int number) { highest = std::max(highest, number); });
  return highest;
}

// The constants, those behind the first `kept`, have numbers behind `last`, in the order of the text.
std::string renumbered(std::string_view text, int kept, int last) {
  std::string out;
  size_t done = 0;
  for_each_parameter(text, [&](size_t begin, size_t end, int number) {
    if (number <= kept) return;
    out.append(text.substr(done, begin - done)).append("$").append(std::to_string(++last));
    done = end;
  });
  return out.append(text.substr(done));
}

}  // namespace

uint64_t number_of_text(std::string_view statement) {
  uint64_t number = 14695981039346656037u;
  for (const char c : statement) number = (number ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return number == 0 ? 1 : number;
}

std::string normalized_text(std::string_view statement, int parameters) {
  const std::string text(statement);
  std::string out = text;
  run_on_large_stack([&] {
    const PgQueryNormalizeResult normalized = call_grammar([&] { return pg_query_normalize(text.c_str()); });
    if (normalized.error == nullptr && normalized.normalized_query != nullptr) out = normalized.normalized_query;
    pg_query_free_normalize_result(normalized);
    return 0;
  });
  const int own = std::min(highest_parameter(text), highest_parameter(out));
  return renumbered(out, own, std::max(own, parameters));
}

}  // namespace indigo::sql
