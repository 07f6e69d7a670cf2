// Byte strings. Keys and rows are uninterpreted bytes below the catalog; string_view orders them by memcmp.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace indigo {

using Bytes = std::string_view;

template <class T>
T load_unaligned(const void* p) {
  T v;
  std::memcpy(&v, p, sizeof v);
  return v;
}
template <class T>
void store_unaligned(void* p, T v) {
  std::memcpy(p, &v, sizeof v);
}
// Network byte order on a little-endian machine and back.
inline uint16_t big_endian(uint16_t v) { return std::endian::native == std::endian::little ? __builtin_bswap16(v) : v; }
inline uint32_t big_endian(uint32_t v) { return std::endian::native == std::endian::little ? __builtin_bswap32(v) : v; }
inline uint64_t big_endian(uint64_t v) { return std::endian::native == std::endian::little ? __builtin_bswap64(v) : v; }

}  // namespace indigo
