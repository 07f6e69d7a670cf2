// One seed: a workload of several clients on a simulated disk, crashes at persist points all along it, and for each crash two
// more lives: recover, check, continue, crash (perhaps while recovering), recover, check.
//
// What is checked after each recovery:
//   - every client's schema is what its script has after n transactions, for one n: nothing half, nothing out of order
//   - n is at least the number of transactions that had been acknowledged when the crash's copy was made
//   - the shared counter's history has no gap, and each client's part of it is that of its n: one prefix for all
//   - what was prepared is committed, or still prepared, and holds what it has changed; then it is committed or rolled back
//   - sequences give no value that is in use
//   - databases that were cloned meanwhile are whole, and of one moment (clones.h)
// Thread safety: one trial at a time.
#pragma once

#include <cstdint>
#include <string>

#include "tests/crash/server.h"

namespace indigo::crash {

struct Counts {
  uint64_t crashes = 0, recoveries = 0, transactions = 0, refusals = 0, damages = 0;
};

// Empty, or what went wrong.
std::string run_trial(uint64_t seed, Counts& counts);

// One bit flipped, or the end missing, at many places of the log and of the checkpoint: every start must refuse, or have
// everything that was acknowledged.
std::string run_damage(uint64_t seed, Counts& counts);

Machine choose_machine(uint64_t seed);

}  // namespace indigo::crash
