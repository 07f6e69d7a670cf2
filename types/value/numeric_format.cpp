#include "types/value/numeric_format.h"

#include <algorithm>

namespace indigo {

namespace {

void append_limb(std::string& out, uint64_t limb, int width) {
  char buffer[20];
  for (int i = width - 1; i >= 0; i--, limb /= 10) buffer[i] = static_cast<char>('0' + limb % 10);
  out.append(buffer, static_cast<size_t>(width));
}

}  // namespace

DecimalDigits numeric_digits(Str image) {
  DecimalDigits result;
  int32_t scale = 0;
  if (numeric_is_small(image)) {
    scale = static_cast<uint8_t>(image[0]);
    const Int128 mantissa = numeric_small_mantissa(image);
    result.negative = mantissa < 0;
    UInt128 magnitude = result.negative ? -static_cast<UInt128>(mantissa) : static_cast<UInt128>(mantissa);
    char buffer[40];
    char* begin = buffer + sizeof buffer;
    while (magnitude > UINT64_MAX) {
      *--begin = static_cast<char>('0' + static_cast<int>(magnitude % 10));
      magnitude /= 10;
    }
    for (auto rest = static_cast<uint64_t>(magnitude); rest != 0; rest /= 10)
      *--begin = static_cast<char>('0' + rest % 10);
    result.digits.assign(begin, buffer + sizeof buffer);
  } else {
    result.negative = static_cast<uint8_t>(image[0]) == kNumericBigNegative;
    scale = load_unaligned<uint16_t>(image.data() + 1);
    const char* limbs = image.data() + 3;
    const size_t count = (image.size() - 3) / sizeof(uint32_t);
    result.digits.reserve(count * 9);
    for (size_t i = count; i-- > 0;)
      append_limb(result.digits, load_unaligned<uint32_t>(limbs + i * sizeof(uint32_t)), 9);
    result.digits.erase(0, std::min(result.digits.find_first_not_of('0'), result.digits.size()));
  }
  result.exponent = static_cast<int32_t>(result.digits.size()) - 1 - scale;
  while (!result.digits.empty() && result.digits.back() == '0') result.digits.pop_back();
  if (result.digits.empty()) result.exponent = 0;
  return result;
}

}  // namespace indigo
