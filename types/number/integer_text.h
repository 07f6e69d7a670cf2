// Integers' text form.
// Thread safety: pure functions.
#pragma once

#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>

#include "types/text/ascii.h"

namespace indigo::types {

enum class IntegerParse : uint8_t { kOk, kSyntax, kRange };

// Blanks around, an optional sign, decimal digits.
template <class T>
IntegerParse parse_integer(std::string_view text, T& out) {
  text = trim_blanks(text);
  if (!text.empty() && text[0] == '+') {
    text.remove_prefix(1);
    if (!text.empty() && text[0] == '-') return IntegerParse::kSyntax;
  }
  const auto result = std::from_chars(text.data(), text.data() + text.size(), out);
  // Too many digits are seen before what follows them.
  if (result.ec == std::errc::result_out_of_range) return IntegerParse::kRange;
  const bool whole = result.ec == std::errc() && result.ptr == text.data() + text.size();
  return whole ? IntegerParse::kOk : IntegerParse::kSyntax;
}

template <class T>
void append_integer(T value, std::string& out) {
  char buffer[24];
  out.append(buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr);
}

}  // namespace indigo::types
