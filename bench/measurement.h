// One measurement: runs a body on some threads for some time, and prints a row of key=value pairs.
// Thread safety: one thread measures; a Sample belongs to one of its threads.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace indigo::bench {

using Parameters = std::vector<std::pair<std::string, std::string>>;

// Times of some of the operations, in buckets of about 6%.
class Latencies {
 public:
  void add(uint64_t ns);
  void add(const Latencies& other);
  // Microseconds that `part` of the operations (0 to 1) do not exceed; 0 when none was timed.
  double quantile_us(double part) const;
  uint64_t count() const { return count_; }

 private:
  static constexpr size_t kBuckets = 64 * 16;
  std::array<uint32_t, kBuckets> buckets_{};
  uint64_t count_ = 0;
};

// What one thread did.
struct alignas(64) Sample {
  uint64_t operations = 0;
  uint64_t aborts = 0;
  uint64_t rows = 0;       // of scans
  double cpu_seconds = 0;  // of this thread
  Latencies latencies;

  // Runs an operation and times one in sixteen. It answers whether it succeeded.
  template <class F>
  void run(F operation) {
    if ((operations + aborts) % 16 == 0) return run_timed(operation);
    (operation() ? operations : aborts)++;
  }
  // The same, timed in any case.
  template <class F>
  void run_timed(F operation) {
    auto start = std::chrono::steady_clock::now();
    (operation() ? operations : aborts)++;
    latencies.add(static_cast<uint64_t>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - start).count()));
  }
};

struct Outcome {
  uint64_t operations = 0;
  double seconds = 0;
  double cpu_seconds = 0;  // of the threads that did them: what others take of a core does not count
  uint64_t aborts = 0;
  uint64_t rows = 0;
  Latencies latencies;
  void add(const Sample& sample);
  double throughput() const { return seconds > 0 ? static_cast<double>(operations) / seconds : 0; }
  double throughput_per_core() const { return cpu_seconds > 0 ? static_cast<double>(operations) / cpu_seconds : 0; }
};

// Calls body(thread, stop) on each thread; it answers how many operations it did until `stop`.
Outcome run_threads(int threads, double seconds, const std::function<uint64_t(int, const std::atomic<bool>&)>& body);
// The same; the body fills a sample. What the threads below `first` did goes to *company: they are measured apart.
Outcome run_sampled(int threads, double seconds,
                    const std::function<void(int, const std::atomic<bool>&, Sample&)>& body, int first = 0,
                    Outcome* company = nullptr);
// Calls body() once; it answers its operations.
Outcome run_once(const std::function<uint64_t()>& body);

double thread_cpu_seconds();  // of the calling thread

void print(const std::string& name, const Parameters& parameters, const Outcome& outcome);

}  // namespace indigo::bench
