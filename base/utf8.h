// UTF-8 as PostgreSQL accepts it: no overlong forms, no surrogates, nothing above U+10FFFF.
// Thread safety: pure functions.
#pragma once

#include <cstddef>
#include <string_view>

#include "base/error.h"

namespace indigo {

inline constexpr size_t kAllValid = static_cast<size_t>(-1);

// Byte offset of the first invalid or incomplete sequence; kAllValid when there is none. NUL bytes are valid here.
size_t find_invalid_utf8(std::string_view text);
inline bool is_valid_utf8(std::string_view text) { return find_invalid_utf8(text) == kAllValid; }

// For text from a client: also refuses NUL. The error is PostgreSQL's 22021 with the offending bytes.
Status check_client_text(std::string_view text);
Error invalid_utf8_error(std::string_view text, size_t at);

// Length of the sequence that a lead byte announces (1 for bytes that lead nothing).
inline size_t utf8_length(unsigned char lead) {
  return lead < 0x80 ? 1 : (lead & 0xe0) == 0xc0 ? 2 : (lead & 0xf0) == 0xe0 ? 3 : (lead & 0xf8) == 0xf0 ? 4 : 1;
}

}  // namespace indigo
