#include "base/utf8.h"

#include <algorithm>
#include <cstdint>

#include "base/bytes.h"
#include "base/sqlstate.h"

namespace indigo {

namespace {

constexpr uint64_t kHighBits = 0x8080808080808080u;

bool is_continuation(unsigned char c) { return (c & 0xc0) == 0x80; }

// Bytes of the valid sequence at s[0..left), 0 when it is not one.
size_t sequence_length(const unsigned char* s, size_t left) {
  unsigned char a = s[0];
  if (a < 0x80) return 1;
  if (a < 0xc2) return 0;
  if (a < 0xe0) return left >= 2 && is_continuation(s[1]) ? 2 : 0;
  if (a < 0xf0) {
    if (left < 3 || !is_continuation(s[1]) || !is_continuation(s[2])) return 0;
    if (a == 0xe0 && s[1] < 0xa0) return 0;  // overlong
    if (a == 0xed && s[1] > 0x9f) return 0;  // surrogate
    return 3;
  }
  if (a > 0xf4 || left < 4 || !is_continuation(s[1]) || !is_continuation(s[2]) || !is_continuation(s[3])) return 0;
  if (a == 0xf0 && s[1] < 0x90) return 0;
  if (a == 0xf4 && s[1] > 0x8f) return 0;
  return 4;
}

}  // namespace

size_t find_invalid_utf8(std::string_view text) {
  const auto* s = reinterpret_cast<const unsigned char*>(text.data());
  size_t at = 0;
  while (at < text.size()) {
    while (at + 8 <= text.size() && (load_unaligned<uint64_t>(s + at) & kHighBits) == 0) at += 8;
    if (at == text.size()) break;
    size_t length = sequence_length(s + at, text.size() - at);
    if (length == 0) return at;
    at += length;
  }
  return kAllValid;
}

Error invalid_utf8_error(std::string_view text, size_t at) {
  static constexpr char kHex[] = "0123456789abcdef";
  std::string message = "invalid byte sequence for encoding \"UTF8\":";
  size_t count = std::min(utf8_length(static_cast<unsigned char>(text[at])), text.size() - at);
  for (size_t i = at; i < at + count; i++) {
    auto c = static_cast<unsigned char>(text[i]);
    message += " 0x";
    message += kHex[c >> 4];
    message += kHex[c & 15];
  }
  return Error(sqlstate::kCharacterNotInRepertoire, std::move(message));
}

Status check_client_text(std::string_view text) {
  size_t at = std::min(find_invalid_utf8(text), text.find('\0'));
  if (at == kAllValid) return {};
  return invalid_utf8_error(text, at);
}

}  // namespace indigo
