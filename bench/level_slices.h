// Two isolation levels beside each other: both in turn, in slices of a few milliseconds, in one process and on the same
// tables. The medians of the slices hardly mind what else the machine does, other than runs one after the other.
//
// Thread safety: each thread runs its own part; the results are for when all have ended. All threads are at the same level
// at the same time.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <string>
#include <vector>

#include "bench/measurement.h"

namespace indigo::bench {

class LevelSlices {
 public:
  explicit LevelSlices(int threads) : threads_(static_cast<size_t>(threads)) {}

  // Calls operation(second) until `stop`, where `second` says which level it is to have.
  template <class F>
  void run(int thread, const std::atomic<bool>& stop, F operation) {
    constexpr int kBatch = 16;  // operations between two looks at the clock
    Thread& mine = threads_[static_cast<size_t>(thread)];
    Slice slice = begin();
    while (!stop.load(std::memory_order_relaxed)) {
      const bool second = slice.number % 2 != 0;
      for (int i = 0; i < kBatch && !stop.load(std::memory_order_relaxed); i++) operation(second);
      slice.operations += kBatch;
      if (number_now() != slice.number) {
        end(mine, slice);
        slice = begin();
      }
    }
  }
  // Nanoseconds of processor time for an operation, the median of the slices.
  double median_ns(bool second) const;
  // Part of the first level's throughput that the second one costs.
  double cost() const { return 1 - median_ns(false) / median_ns(true); }
  void print(const std::string& name, const Parameters& parameters, const std::string& first,
             const std::string& second) const;

 private:
  struct Slice {
    int64_t number;
    double cpu_seconds;
    int operations = 0;
  };
  struct alignas(64) Thread {
    std::array<std::vector<double>, 2> ns;  // of its slices, by level
  };

  int64_t number_now() const {
    return (std::chrono::steady_clock::now() - start_) / std::chrono::milliseconds(kSliceMs);
  }
  Slice begin() const;
  static void end(Thread& thread, const Slice& slice);

  static constexpr int kSliceMs = 5;
  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  std::vector<Thread> threads_;
};

}  // namespace indigo::bench
