// Where the random tests take their seeds from: INDIGO_SEED, or else the machine (or the test itself, where it wants the same
// every time). Each round of scripts/soak sets a new one; a failure shows it in its trace. A seed fixes what the threads of a test
// do, not how they meet.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>

#include <gtest/gtest.h>

namespace indigo {

inline bool seed_is_given() { return std::getenv("INDIGO_SEED") != nullptr; }

inline uint32_t random_seed() {
  const char* given = std::getenv("INDIGO_SEED");
  return given != nullptr ? static_cast<uint32_t>(std::strtoul(given, nullptr, 10)) : std::random_device{}();
}

// The test's own, unless a seed is given: then one that follows from both.
inline uint32_t seed_or(uint32_t own) { return seed_is_given() ? random_seed() + own * 1000003 : own; }

// For SCOPED_TRACE.
inline std::string seed_trace(uint32_t seed) {
  const char* given = std::getenv("INDIGO_SEED");
  return "INDIGO_SEED=" + (given != nullptr ? std::string(given) : std::to_string(seed));
}

// What a random test has done, in the report of the run (scripts/soak adds it up). Once in a test, by its own thread.
inline void report_operations(uint64_t n) { ::testing::Test::RecordProperty("operations", std::to_string(n)); }

}  // namespace indigo
