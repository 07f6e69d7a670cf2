// One measurement: runs a body on some threads for some time, and prints a row.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace indigo::bench {

using Parameters = std::vector<std::pair<std::string, std::string>>;

struct Outcome {
  uint64_t operations = 0;
  double seconds = 0;
  double throughput() const { return seconds > 0 ? static_cast<double>(operations) / seconds : 0; }
};

// Calls body(thread, stop) on each thread; it answers how many operations it did until `stop`.
Outcome run_threads(int threads, double seconds, const std::function<uint64_t(int, const std::atomic<bool>&)>& body);
// Calls body() once; it answers its operations.
Outcome run_once(const std::function<uint64_t()>& body);

void print(const std::string& name, const Parameters& parameters, const Outcome& outcome);

}  // namespace indigo::bench
