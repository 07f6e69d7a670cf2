#include "bench/measurement.h"

#include <cstdio>
#include <thread>

namespace indigo::bench {

namespace {
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }
}  // namespace

Outcome run_threads(int threads, double seconds, const std::function<uint64_t(int, const std::atomic<bool>&)>& body) {
  std::atomic<bool> stop{false};
  std::vector<uint64_t> counts(static_cast<size_t>(threads));
  std::vector<std::thread> running;
  auto start = Clock::now();
  for (int i = 0; i < threads; i++) {
    running.emplace_back([&, i] { counts[static_cast<size_t>(i)] = body(i, stop); });
  }
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  stop = true;
  for (auto& t : running) t.join();
  Outcome outcome;
  outcome.seconds = seconds_since(start);
  for (uint64_t n : counts) outcome.operations += n;
  return outcome;
}

Outcome run_once(const std::function<uint64_t()>& body) {
  auto start = Clock::now();
  Outcome outcome;
  outcome.operations = body();
  outcome.seconds = seconds_since(start);
  return outcome;
}

void print(const std::string& name, const Parameters& parameters, const Outcome& outcome) {
  std::string line = "name=" + name;
  for (const auto& [key, value] : parameters) line += " " + key + "=" + value;
  std::printf("%s operations=%llu seconds=%.3f throughput=%.0f\n", line.c_str(),
              static_cast<unsigned long long>(outcome.operations), outcome.seconds, outcome.throughput());
  std::fflush(stdout);
}

}  // namespace indigo::bench
