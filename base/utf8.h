// UTF-8 as PostgreSQL accepts it: no overlong forms, no surrogates, nothing above U+10FFFF. The functions that step through
// text take it for valid.
// Thread safety: pure functions.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/error.h"

namespace indigo {

// ---- stepping

// Bytes of the sequence that a lead byte announces; 1 for bytes that lead nothing.
inline size_t utf8_length(char lead) {
  const auto c = static_cast<uint8_t>(lead);
  return c < 0xc0 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : c < 0xf8 ? 4 : 1;
}
inline bool utf8_continuation(char c) { return (static_cast<uint8_t>(c) & 0xc0) == 0x80; }

// How many characters.
inline int64_t utf8_count(std::string_view s) {
  // Eight bytes at a time: a continuation byte has its highest bit set and the next one clear.
  size_t i = 0, continuations = 0;
  for (; i + 8 <= s.size(); i += 8) {
    const auto word = load_unaligned<uint64_t>(s.data() + i);
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
// At most so many bytes of whole characters.
inline std::string_view utf8_clip(std::string_view s, size_t most_bytes) {
  if (s.size() <= most_bytes) return s;
  while (most_bytes > 0 && utf8_continuation(s[most_bytes])) most_bytes--;
  return s.substr(0, most_bytes);
}

// ---- code points

uint32_t utf8_decode(std::string_view s, size_t at);  // at a character's first byte
void utf8_append(uint32_t code_point, std::string& out);

// ---- validity

inline constexpr size_t kAllValid = std::string_view::npos;

// Byte offset of the first invalid or incomplete sequence; kAllValid when there is none. NUL bytes are valid here.
size_t find_invalid_utf8(std::string_view text);
inline bool is_valid_utf8(std::string_view text) { return find_invalid_utf8(text) == kAllValid; }
// The same, where NUL is invalid: values of type text, and all that clients send.
size_t find_invalid_text(std::string_view text);

// PostgreSQL's 22021 with the offending bytes.
Status check_client_text(std::string_view text);
Error invalid_utf8_error(std::string_view text, size_t at);
// 0xe2 0x82
std::string byte_list(std::string_view bytes);

}  // namespace indigo
