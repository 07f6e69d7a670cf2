// PostgreSQL's hash of bytes and words, with its results: 32 bits, or 64 bits with a seed.
// Source: Jenkins, "lookup3.c, by Bob Jenkins, May 2006, Public Domain".
// Thread safety: pure functions.
#pragma once

#include <bit>
#include <cstdint>

#include "base/bytes.h"
#include "types/value/datum.h"

namespace indigo::types {

struct JenkinsHash {
  uint32_t a, b, c;
  void mix() {
    a -= c, a ^= std::rotl(c, 4), c += b;
    b -= a, b ^= std::rotl(a, 6), a += c;
    c -= b, c ^= std::rotl(b, 8), b += a;
    a -= c, a ^= std::rotl(c, 16), c += b;
    b -= a, b ^= std::rotl(a, 19), a += c;
    c -= b, c ^= std::rotl(b, 4), b += a;
  }
  void finish() {
    c ^= b, c -= std::rotl(b, 14);
    a ^= c, a -= std::rotl(c, 11);
    b ^= a, b -= std::rotl(a, 25);
    c ^= b, c -= std::rotl(b, 16);
    a ^= c, a -= std::rotl(c, 4);
    b ^= a, b -= std::rotl(a, 14);
    c ^= b, c -= std::rotl(b, 24);
  }
};

inline JenkinsHash start_hash(size_t bytes, uint64_t seed) {
  const uint32_t value = 0x9e3779b9u + static_cast<uint32_t>(bytes) + 3923095u;
  JenkinsHash s{value, value, value};
  if (seed != 0) {
    s.a += static_cast<uint32_t>(seed >> 32);
    s.b += static_cast<uint32_t>(seed);
    s.mix();
  }
  return s;
}
inline JenkinsHash hash_bytes(Str bytes, uint64_t seed) {
  JenkinsHash s = start_hash(bytes.size(), seed);
  for (; bytes.size() >= 12; bytes.remove_prefix(12)) {
    s.a += load_unaligned<uint32_t>(bytes.data());
    s.b += load_unaligned<uint32_t>(bytes.data() + 4);
    s.c += load_unaligned<uint32_t>(bytes.data() + 8);
    s.mix();
  }
  // The lowest byte of c belongs to the length.
  for (size_t i = 0; i < bytes.size(); i++) {
    const uint32_t v = static_cast<uint8_t>(bytes[i]);
    if (i < 4) {
      s.a += v << (8 * i);
    } else if (i < 8) {
      s.b += v << (8 * (i - 4));
    } else {
      s.c += v << (8 * (i - 7));
    }
  }
  s.finish();
  return s;
}
inline JenkinsHash hash_word(uint32_t v, uint64_t seed) {
  JenkinsHash s = start_hash(sizeof v, seed);
  s.a += v;
  s.finish();
  return s;
}
inline int32_t short_form(JenkinsHash s) { return static_cast<int32_t>(s.c); }
inline int64_t long_form(JenkinsHash s) { return static_cast<int64_t>(static_cast<uint64_t>(s.b) << 32 | s.c); }

}  // namespace indigo::types
