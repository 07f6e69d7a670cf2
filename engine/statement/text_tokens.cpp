#include "engine/statement/text_tokens.h"

#include <algorithm>

#include <absl/strings/ascii.h>

namespace indigo::engine {

namespace {

bool is_word(char c) { return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_' || (c & 0x80) != 0; }

// The end of the dollar-quoted string at `at`; `at` when there is none.
size_t end_of_dollars(std::string_view text, size_t at) {
  size_t tag = at + 1;
  while (tag < text.size() && is_word(text[tag])) tag++;
  if (tag >= text.size() || text[tag] != '$') return at;
  const std::string_view mark = text.substr(at, tag - at + 1);
  const size_t end = text.find(mark, tag + 1);
  return end == std::string_view::npos ? text.size() : end + mark.size();
}

// The end of the comment that begins at `at`; `at` when none does. Comments within comments belong to them.
size_t end_of_comment(std::string_view text, size_t at) {
  const std::string_view begin = text.substr(at, 2);
  if (begin == "--") return std::min(text.find('\n', at), text.size());
  if (begin != "/*") return at;
  size_t depth = 0;
  for (size_t i = at; i + 1 < text.size();) {
    const std::string_view two = text.substr(i, 2);
    if (two != "/*" && two != "*/") {
      i++;
      continue;
    }
    depth += two == "/*" ? 1 : -1;
    i += 2;
    if (depth == 0) return i;
  }
  return text.size();
}

}  // namespace

size_t end_of_quoted(std::string_view text, size_t at, bool escapes) {
  const char quote = text[at];
  for (size_t i = at + 1; i < text.size(); i++) {
    if (escapes && text[i] == '\\') {
      i++;
    } else if (text[i] == quote) {
      if (i + 1 == text.size() || text[i + 1] != quote) return i + 1;
      i++;
    }
  }
  return text.size();
}

Token next_token(std::string_view text, size_t at) {
  const char c = text[at];
  if (c == '\'') {
    const bool escapes = at > 0 && (text[at - 1] == 'e' || text[at - 1] == 'E') && (at == 1 || !is_word(text[at - 2]));
    return {Token::Kind::kString, end_of_quoted(text, at, escapes), escapes};
  }
  if (c == '"') return {Token::Kind::kName, end_of_quoted(text, at, false)};
  if (const size_t end = c == '$' ? end_of_dollars(text, at) : at; end != at) return {Token::Kind::kDollars, end};
  if (const size_t end = end_of_comment(text, at); end != at) return {Token::Kind::kComment, end};
  size_t end = at;
  while (end < text.size() && is_word(text[end])) end++;
  if (end != at) return {Token::Kind::kWord, end};
  return {Token::Kind::kOther, at + 1};
}

}  // namespace indigo::engine
