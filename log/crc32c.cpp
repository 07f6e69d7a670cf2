#include "log/crc32c.h"

#include <array>

#include "base/bytes.h"

#if defined(__aarch64__)
#include <arm_acle.h>
#include <sys/auxv.h>
#endif

namespace indigo::log {

namespace {

constexpr std::array<std::array<uint32_t, 256>, 8> make_tables() {
  constexpr uint32_t kPolynomial = 0x82f63b78;
  std::array<std::array<uint32_t, 256>, 8> t{};
  for (uint32_t i = 0; i < 256; i++) {
    uint32_t c = i;
    for (int k = 0; k < 8; k++) c = (c & 1) != 0 ? c >> 1 ^ kPolynomial : c >> 1;
    t[0][i] = c;
  }
  for (uint32_t i = 0; i < 256; i++) {
    for (size_t s = 1; s < 8; s++) t[s][i] = t[s - 1][i] >> 8 ^ t[0][t[s - 1][i] & 0xff];
  }
  return t;
}
constexpr auto kTables = make_tables();

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) uint32_t by_instruction(const unsigned char* p, size_t n, uint32_t crc) {
  uint64_t c = crc;
  for (; n >= 8; p += 8, n -= 8) c = __builtin_ia32_crc32di(c, load_unaligned<uint64_t>(p));
  auto c32 = static_cast<uint32_t>(c);
  for (; n > 0; p++, n--) c32 = __builtin_ia32_crc32qi(c32, *p);
  return c32;
}
bool has_instruction() {
  static const bool has = __builtin_cpu_supports("sse4.2") != 0;
  return has;
}
#elif defined(__aarch64__)
__attribute__((target("+crc"))) uint32_t by_instruction(const unsigned char* p, size_t n, uint32_t crc) {
  for (; n >= 8; p += 8, n -= 8) crc = __crc32cd(crc, load_unaligned<uint64_t>(p));
  for (; n > 0; p++, n--) crc = __crc32cb(crc, *p);
  return crc;
}
bool has_instruction() {
  static const bool has = (getauxval(AT_HWCAP) & HWCAP_CRC32) != 0;
  return has;
}
#else
uint32_t by_instruction(const unsigned char*, size_t, uint32_t crc) { return crc; }
constexpr bool has_instruction() { return false; }
#endif

}  // namespace

uint32_t crc32c_portable(const void* data, size_t size, uint32_t crc) {
  const auto* p = static_cast<const unsigned char*>(data);
  crc = ~crc;
  for (; size >= 8; p += 8, size -= 8) {
    uint32_t low = crc;
    for (int i = 0; i < 4; i++) low ^= static_cast<uint32_t>(p[i]) << (8 * i);
    crc = kTables[7][low & 0xff] ^ kTables[6][low >> 8 & 0xff] ^ kTables[5][low >> 16 & 0xff] ^ kTables[4][low >> 24] ^
          kTables[3][p[4]] ^ kTables[2][p[5]] ^ kTables[1][p[6]] ^ kTables[0][p[7]];
  }
  for (; size > 0; p++, size--) crc = crc >> 8 ^ kTables[0][(crc ^ *p) & 0xff];
  return ~crc;
}

uint32_t crc32c(const void* data, size_t size, uint32_t crc) {
  if (!has_instruction()) return crc32c_portable(data, size, crc);
  return ~by_instruction(static_cast<const unsigned char*>(data), size, ~crc);
}

}  // namespace indigo::log
