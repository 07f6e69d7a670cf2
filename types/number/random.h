// The session's random numbers: xoroshiro128**, seeded as PostgreSQL does, so that setseed gives the same sequence.
// Source: Blackman, Vigna, "Scrambled linear pseudorandom number generators" (2018); Steele, Lea, Flood, SplitMix64.
// Thread safety: none; the state belongs to one session.
#pragma once

#include "types/function/context.h"

namespace indigo::types {

double next_random_double(RandomState& state);      // in [0, 1)
void seed_random(RandomState& state, double seed);  // seed in [-1, 1]

}  // namespace indigo::types
