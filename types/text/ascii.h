// Character tests of the C locale, as PostgreSQL's input functions use them, and UTF-8 stepping.
// Thread safety: pure functions.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace indigo::types {

inline bool is_digit(char c) { return c >= '0' && c <= '9'; }
inline bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
inline bool is_alpha(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
inline bool is_alnum(char c) { return is_alpha(c) || is_digit(c); }
inline char ascii_lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }
inline char ascii_upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c; }
inline int hex_value(char c) {
  if (is_digit(c)) return c - '0';
  const char l = ascii_lower(c);
  return l >= 'a' && l <= 'f' ? l - 'a' + 10 : -1;
}

inline std::string to_lower(std::string_view s) {
  std::string out(s);
  for (char& c : out) c = ascii_lower(c);
  return out;
}
inline std::string to_upper(std::string_view s) {
  std::string out(s);
  for (char& c : out) c = ascii_upper(c);
  return out;
}
inline bool equals_ignoring_case(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); i++)
    if (ascii_lower(a[i]) != ascii_lower(b[i])) return false;
  return true;
}

inline std::string_view trim_blanks(std::string_view s) {
  while (!s.empty() && is_blank(s.front())) s.remove_prefix(1);
  while (!s.empty() && is_blank(s.back())) s.remove_suffix(1);
  return s;
}

// Bytes of the UTF-8 character that starts with `lead` (valid text).
inline size_t utf8_length(char lead) {
  const auto c = static_cast<uint8_t>(lead);
  return c < 0x80 ? 1 : c < 0xE0 ? 2 : c < 0xF0 ? 3 : 4;
}
inline bool utf8_continuation(char c) { return (static_cast<uint8_t>(c) & 0xC0) == 0x80; }
inline int64_t utf8_count(std::string_view s) {
  // Eight bytes at a time: a continuation byte has its highest bit set and the next one clear.
  size_t i = 0, continuations = 0;
  for (; i + 8 <= s.size(); i += 8) {
    uint64_t word = 0;
    std::memcpy(&word, s.data() + i, sizeof word);
    continuations += static_cast<size_t>(std::popcount((word >> 7) & (~word >> 6) & 0x0101010101010101u));
  }
  for (; i < s.size(); i++) continuations += utf8_continuation(s[i]);
  return static_cast<int64_t>(s.size() - continuations);
}
// Byte offset of character `index`, s.size() when there are fewer.
inline size_t utf8_offset(std::string_view s, int64_t index) {
  size_t at = 0;
  for (; index > 0 && at < s.size(); index--) at += utf8_length(s[at]);
  return at < s.size() ? at : s.size();
}
inline bool is_ascii(std::string_view s) {
  uint8_t any = 0;
  for (char c : s) any |= static_cast<uint8_t>(c);
  return any < 0x80;
}
uint32_t utf8_decode(std::string_view s, size_t at);  // the code point at a character's first byte
void utf8_append(uint32_t code_point, std::string& out);
// Offset of the first byte that is not valid UTF-8 (or is NUL), or npos.
size_t utf8_invalid_at(std::string_view s);

}  // namespace indigo::types
