// Rules of the design that a build for tests can switch off, to prove that the tests see it (tests/history).
//
// Ordinary builds have none of it: mutated() is false at compile time. A build with INDIGO_MUTATIONS reads the name of one
// rule from the environment variable INDIGO_MUTATION when it is first asked.
#pragma once

#include <cstdint>

namespace indigo::storage {

enum class Mutation : uint8_t {
  kNone,
  kNoExclusionTest,    // exclusion: a transaction commits whatever its window says
  kNoGapCheck,         // gaps: ranges are not read
  kNoCommitSection,    // section: others come between a commit's test and its stamps
  kOverwriteInPlace,   // R1: old images are not kept
  kForgetNothingRead,  // R3: a read that met a tombstone or nothing is forgotten
  kEarlyAcknowledge,   // R5: a commit is acknowledged before it is stable
  kForgetRolledBack,   // R6: rolling back to a savepoint takes reads back
  kNoHighStart,        // R7: eta starts at 0
};

#ifdef INDIGO_MUTATIONS
inline constexpr bool kMutations = true;
bool mutated(Mutation m);
#else
inline constexpr bool kMutations = false;
constexpr bool mutated(Mutation) { return false; }
#endif

}  // namespace indigo::storage
