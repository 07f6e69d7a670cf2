// The templates of to_char and to_number over numbers: '9,990.99MI' as tokens, and what they sum up to.
// Thread safety: pure functions.
#pragma once

#include <string_view>
#include <vector>

#include "types/function/context.h"

namespace indigo::types {

enum class NumberToken : uint8_t {
  kText,
  kNine,
  kZero,
  kPoint,
  kComma,
  kSign,
  kSignAnywhere,
  kMinus,
  kPlus,
  kBrackets,
  kRoman,
  kOrdinal,
  kShift,
  kExponent,
  kCurrency,
  kNothing,
};
struct NumberNode {
  NumberToken token = NumberToken::kText;
  bool lower = false;     // of Roman numerals and ordinals
  std::string_view text;  // of kText: in the template that was parsed, which must outlive the node
};

struct NumberTemplate {
  std::vector<NumberNode> nodes;
  int32_t before = 0, after = 0;  // digit positions before and after the point
  int32_t shift = 0;              // digits after V
  int32_t first_zero = -1;        // position of the first 0 before the point, -1: none
  int32_t last_zero = -1;         // position of the last 0, counted over all digits
  bool fill = false;              // FM
  bool point = false, brackets = false, minus = false, plus = false, roman = false, exponent = false;
  enum class SignPlace : uint8_t { kNone, kBefore, kAfter } sign = SignPlace::kNone;  // of S
};

// False: the context has the error (42601).
bool parse_number_template(FuncContext& context, Str format, NumberTemplate& out);

}  // namespace indigo::types
