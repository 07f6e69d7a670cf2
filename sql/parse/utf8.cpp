#include "sql/parse/utf8.h"

#include <cstdint>

#include "base/sqlstate.h"

namespace indigo::sql {
namespace {

bool is_continuation(char c) { return (static_cast<uint8_t>(c) & 0xC0) == 0x80; }

// Length that the first byte announces, whether or not the rest follows.
size_t announced_length(uint8_t first) {
  if (first < 0xC0) return 1;
  if (first < 0xE0) return 2;
  if (first < 0xF0) return 3;
  if (first < 0xF8) return 4;
  return 1;
}

// Bytes of the valid character at `i`, 0 when there is none.
size_t valid_length(std::string_view s, size_t i) {
  const auto at = [&](size_t k) { return static_cast<uint8_t>(s[i + k]); };
  const uint8_t first = at(0);
  if (first < 0x80) return first == 0 ? 0 : 1;
  if (first < 0xC2 || first > 0xF4) return 0;
  const size_t n = announced_length(first);
  if (i + n > s.size()) return 0;
  for (size_t k = 1; k < n; k++) {
    if (!is_continuation(s[i + k])) return 0;
  }
  if (first == 0xE0 && at(1) < 0xA0) return 0;
  if (first == 0xED && at(1) > 0x9F) return 0;
  if (first == 0xF0 && at(1) < 0x90) return 0;
  if (first == 0xF4 && at(1) > 0x8F) return 0;
  return n;
}

Error invalid_bytes(std::string_view s, size_t i) {
  static constexpr char kHex[] = "0123456789abcdef";
  std::string bytes;
  const size_t n = std::min(announced_length(static_cast<uint8_t>(s[i])), s.size() - i);
  for (size_t k = 0; k < n; k++) {
    const auto b = static_cast<uint8_t>(s[i + k]);
    if (k) bytes += ' ';
    bytes += {'0', 'x', kHex[b >> 4], kHex[b & 15]};
  }
  return Error(sqlstate::kCharacterNotInRepertoire, "invalid byte sequence for encoding \"UTF8\": " + bytes);
}

}  // namespace

Status check_utf8(std::string_view text) {
  size_t i = 0;
  while (i < text.size()) {
    const auto c = static_cast<uint8_t>(text[i]);
    if (c != 0 && c < 0x80) {
      i++;
      continue;
    }
    const size_t n = valid_length(text, i);
    if (n == 0) return invalid_bytes(text, i);
    i += n;
  }
  return {};
}

int character_position(std::string_view text, int offset) {
  if (offset < 0 || static_cast<size_t>(offset) > text.size()) return 0;
  int position = 1;
  for (int i = 0; i < offset; i++) position += !is_continuation(text[i]);
  return position;
}

int byte_offset(std::string_view text, int position) {
  if (position <= 0) return -1;
  size_t i = 0;
  for (int seen = 1; i < text.size(); i++) {
    if (is_continuation(text[i])) continue;
    if (seen++ == position) return static_cast<int>(i);
  }
  return static_cast<int>(text.size());
}

}  // namespace indigo::sql
