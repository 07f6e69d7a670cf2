// Splits date and time text into fields, before they are given a meaning.
// Thread safety: pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace indigo::types {

enum class FieldKind : uint8_t {
  kNumber,   // digits, perhaps with a fraction
  kWord,     // letters, lower case
  kDate,     // digits or letters joined by - / . : also zone names (America/New_York)
  kTime,     // has a colon
  kZone,     // sign and digits
  kSpecial,  // sign and letters
};
struct Field {
  FieldKind kind;
  std::string text;  // lower case
};
// False: a character that cannot be there, or too many fields.
bool split_datetime(std::string_view text, std::vector<Field>& out);

}  // namespace indigo::types
