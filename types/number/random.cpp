#include "types/number/random.h"

#include <bit>
#include <chrono>
#include <cmath>

#include "base/entropy.h"

namespace indigo::types {

namespace {

uint64_t split_mix(uint64_t& state) {
  uint64_t v = state += 0x9E3779B97f4A7C15ull;
  v = (v ^ (v >> 30)) * 0xBF58476D1CE4E5B9ull;
  v = (v ^ (v >> 27)) * 0x94D049BB133111EBull;
  return v ^ (v >> 31);
}

uint64_t next(RandomState& state) {
  const uint64_t s0 = state.words[0], sx = state.words[1] ^ s0;
  const uint64_t result = std::rotl(s0 * 5, 7) * 9;
  state.words[0] = std::rotl(s0, 24) ^ sx ^ (sx << 16);
  state.words[1] = std::rotl(sx, 37);
  return result;
}

}  // namespace

double next_random_double(RandomState& state) {
  while (!state.seeded || (state.words[0] == 0 && state.words[1] == 0)) {
    // Without random bytes from the kernel the clock is good enough: random() need not be secret.
    if (!fill_random(state.words, sizeof state.words)) {
      auto start = static_cast<uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
      for (uint64_t& word : state.words) word = split_mix(start);
    }
    state.seeded = true;
  }
  return std::ldexp(static_cast<double>(next(state) >> 12), -52);
}

void seed_random(RandomState& state, double seed) {
  auto start = static_cast<uint64_t>(static_cast<int64_t>(static_cast<double>((uint64_t{1} << 52) - 1) * seed));
  state.words[0] = split_mix(start);
  state.words[1] = split_mix(start);
  state.seeded = true;
}

}  // namespace indigo::types
