// The bytes of bit and varbit values: int32 number of bits, then the bits from the highest of the first byte, zero-padded.
// Thread safety: pure functions.
#pragma once

#include <cstdint>
#include <string>

#include "base/bytes.h"
#include "types/value/physical.h"

namespace indigo::types {

inline int32_t bit_count(Str image) { return load_unaligned<int32_t>(image.data()); }
inline bool bit_at(Str image, int32_t i) {
  return (static_cast<uint8_t>(image[4 + static_cast<size_t>(i / 8)]) >> (7 - i % 8)) & 1;
}
inline std::string make_bits(int32_t count) {
  std::string image(4 + (static_cast<size_t>(count) + 7) / 8, '\0');
  store_unaligned(image.data(), count);
  return image;
}
inline void set_bit_at(std::string& image, int32_t i, bool value) {
  char& byte = image[4 + static_cast<size_t>(i / 8)];
  const int mask = 1 << (7 - i % 8);
  byte = static_cast<char>(value ? byte | mask : byte & ~mask);
}
inline std::string bits_from_digits(std::string_view digits) {
  std::string image = make_bits(static_cast<int32_t>(digits.size()));
  for (size_t i = 0; i < digits.size(); i++) set_bit_at(image, static_cast<int32_t>(i), digits[i] == '1');
  return image;
}

}  // namespace indigo::types
