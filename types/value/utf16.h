// Between UTF-8 and the UTF-16 that most of ICU's interface wants.
// Thread safety: pure functions.
#pragma once

#include <new>
#include <string>
#include <vector>

#include <unicode/ustring.h>

#include "types/value/physical.h"

namespace indigo::types {

// Bytes that are not UTF-8 become U+FFFD.
inline std::vector<UChar> to_utf16(Str text) {
  std::vector<UChar> out(text.size() + 1);
  int32_t length = 0;
  UErrorCode status = U_ZERO_ERROR;
  u_strFromUTF8WithSub(out.data(), static_cast<int32_t>(out.size()), &length, text.data(),
                       static_cast<int32_t>(text.size()), 0xFFFD, nullptr, &status);
  out.resize(static_cast<size_t>(length));
  return out;
}

inline std::string to_utf8(const std::vector<UChar>& text) {
  std::string out(text.size() * 3, '\0');
  int32_t length = 0;
  UErrorCode status = U_ZERO_ERROR;
  u_strToUTF8WithSub(out.data(), static_cast<int32_t>(out.size()), &length, text.data(),
                     static_cast<int32_t>(text.size()), 0xFFFD, nullptr, &status);
  out.resize(static_cast<size_t>(length));
  return out;
}

// A comparison, a key or a text that could not be made would be in the wrong place of an index.
inline void check_icu_memory(UErrorCode status) {
  if (status == U_MEMORY_ALLOCATION_ERROR) throw std::bad_alloc();
}

}  // namespace indigo::types
