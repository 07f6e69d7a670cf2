// indigo-crash: crashes and damage on simulated disks, by seed (trial.h). Exits with 1 at the first seed that loses something;
// prints counts.
//
//   indigo-crash [--seeds N] [--first SEED] [--what crash|damage] [--verbose 1]
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "base/server_log.h"
#include "tests/crash/trial.h"

namespace indigo::crash {

namespace {

int run(int argc, char** argv) {
  uint64_t seeds = 10, first = 1;
  bool damage = false;
  set_log_level(LogLevel::kSilent);
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string name = argv[i], value = argv[i + 1];
    if (name == "--seeds") {
      seeds = std::strtoull(value.c_str(), nullptr, 10);
    } else if (name == "--first") {
      first = std::strtoull(value.c_str(), nullptr, 10);
    } else if (name == "--what") {
      damage = value == "damage";
    } else if (name == "--verbose") {
      set_log_level(LogLevel::kInfo);
    } else {
      std::fprintf(stderr, "unknown option %s\n", name.c_str());
      return 2;
    }
  }
  Counts counts;
  const auto begin = std::chrono::steady_clock::now();
  uint64_t done = 0;
  std::string error;
  for (uint64_t seed = first; seed < first + seeds && error.empty(); seed++) {
    error = damage ? run_damage(seed, counts) : run_trial(seed, counts);
    if (!error.empty()) std::printf("seed %" PRIu64 " FAILED: %s\n", seed, error.c_str());
    done++;
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  std::printf("%s, seeds %" PRIu64 " to %" PRIu64 ": %" PRIu64 " transactions, %" PRIu64 " crashes, %" PRIu64
              " damages (%" PRIu64 " refused), %" PRIu64 " recoveries, %.1f s\n",
              damage ? "damage" : "crash", first, first + done - 1, counts.transactions, counts.crashes, counts.damages,
              counts.refusals, counts.recoveries, seconds.count());
  return error.empty() ? 0 : 1;
}

}  // namespace

}  // namespace indigo::crash

int main(int argc, char** argv) { return indigo::crash::run(argc, argv); }
