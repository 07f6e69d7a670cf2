#include "base/utf8.h"

#include <absl/strings/escaping.h>

#include "base/sqlstate.h"

namespace indigo {

namespace {

constexpr uint64_t kHighBits = 0x8080808080808080u;
constexpr uint64_t kOnes = 0x0101010101010101u;

// Bytes of the valid sequence at s[at], 0 when it is not one.
size_t valid_length(std::string_view s, size_t at) {
  const auto lead = static_cast<uint8_t>(s[at]);
  if (lead < 0x80) return 1;
  const size_t n = utf8_length(s[at]);
  if (lead < 0xc2 || lead > 0xf4 || at + n > s.size()) return 0;
  for (size_t i = 1; i < n; i++) {
    if (!utf8_continuation(s[at + i])) return 0;
  }
  const auto second = static_cast<uint8_t>(s[at + 1]);
  if (lead == 0xe0 && second < 0xa0) return 0;  // overlong
  if (lead == 0xed && second > 0x9f) return 0;  // surrogate
  if (lead == 0xf0 && second < 0x90) return 0;  // overlong
  if (lead == 0xf4 && second > 0x8f) return 0;  // above U+10FFFF
  return n;
}

// Eight bytes of ASCII: no high bit; and without NUL none that borrowing a one would set.
template <bool kRefuseNul>
bool is_ascii(uint64_t word) {
  return ((kRefuseNul ? word | (word - kOnes) : word) & kHighBits) == 0;
}

template <bool kRefuseNul>
size_t find_invalid(std::string_view text) {
  if (text.size() >= 4 && text.size() <= 8) {  // as names and numbers are
    const uint64_t first = load_unaligned<uint32_t>(text.data());
    const uint64_t last = load_unaligned<uint32_t>(text.data() + text.size() - 4);
    if (is_ascii<kRefuseNul>(first << 32 | last)) return kAllValid;
  }
  for (size_t at = 0; at < text.size();) {
    if (at + 8 <= text.size() && is_ascii<kRefuseNul>(load_unaligned<uint64_t>(text.data() + at))) {
      at += 8;
      continue;
    }
    if (const auto byte = static_cast<uint8_t>(text[at]); byte < 0x80 && (!kRefuseNul || byte != 0)) {
      at++;
      continue;
    }
    if (kRefuseNul && text[at] == '\0') return at;
    const size_t length = valid_length(text, at);
    if (length == 0) return at;
    at += length;
  }
  return kAllValid;
}

}  // namespace

uint32_t utf8_decode(std::string_view s, size_t at) {
  const auto byte = [&](size_t i) { return at + i < s.size() ? static_cast<uint8_t>(s[at + i]) & 0x3Fu : 0u; };
  const auto lead = static_cast<uint8_t>(s[at]);
  if (lead < 0x80) return lead;
  if (lead < 0xE0) return ((lead & 0x1Fu) << 6) | byte(1);
  if (lead < 0xF0) return ((lead & 0x0Fu) << 12) | (byte(1) << 6) | byte(2);
  return ((lead & 0x07u) << 18) | (byte(1) << 12) | (byte(2) << 6) | byte(3);
}

void utf8_append(uint32_t c, std::string& out) {
  const auto push = [&out](uint32_t v) { out.push_back(static_cast<char>(v)); };
  if (c < 0x80) {
    push(c);
  } else if (c < 0x800) {
    push(0xC0 | (c >> 6));
    push(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    push(0xE0 | (c >> 12));
    push(0x80 | ((c >> 6) & 0x3F));
    push(0x80 | (c & 0x3F));
  } else {
    push(0xF0 | (c >> 18));
    push(0x80 | ((c >> 12) & 0x3F));
    push(0x80 | ((c >> 6) & 0x3F));
    push(0x80 | (c & 0x3F));
  }
}

size_t find_invalid_utf8(std::string_view text) { return find_invalid<false>(text); }
size_t find_invalid_text(std::string_view text) { return find_invalid<true>(text); }

std::string byte_list(std::string_view bytes) {
  std::string out;
  for (const char c : bytes) {
    out += out.empty() ? "0x" : " 0x";
    out += absl::BytesToHexString(absl::string_view(&c, 1));
  }
  return out;
}

Error invalid_utf8_error(std::string_view text, size_t at) {
  return Error(sqlstate::kCharacterNotInRepertoire,
               "invalid byte sequence for encoding \"UTF8\": " + byte_list(text.substr(at, utf8_length(text[at]))));
}

Status check_client_text(std::string_view text) {
  const size_t at = find_invalid_text(text);
  if (at == kAllValid) return {};
  return invalid_utf8_error(text, at);
}

}  // namespace indigo
