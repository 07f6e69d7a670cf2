#include "bench/measurement.h"

#include <time.h>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <memory>
#include <thread>

namespace indigo::bench {

namespace {
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

double cpu_seconds(clockid_t clock) {
  timespec t{};
  clock_gettime(clock, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) / 1e9;
}
double process_cpu_seconds() { return cpu_seconds(CLOCK_PROCESS_CPUTIME_ID); }

}  // namespace

double thread_cpu_seconds() { return cpu_seconds(CLOCK_THREAD_CPUTIME_ID); }

void Outcome::add(const Sample& sample) {
  operations += sample.operations;
  aborts += sample.aborts;
  rows += sample.rows;
  cpu_seconds += sample.cpu_seconds;
  latencies.add(sample.latencies);
}

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

void Latencies::add(uint64_t ns) {
  // The exponent and the four bits below the highest.
  auto exponent = static_cast<size_t>(std::bit_width(std::max<uint64_t>(ns, 16)) - 1);
  buckets_[exponent * 16 + ((std::max<uint64_t>(ns, 16) >> (exponent - 4)) & 15)]++;
  count_++;
}

void Latencies::add(const Latencies& other) {
  for (size_t i = 0; i < kBuckets; i++) buckets_[i] += other.buckets_[i];
  count_ += other.count_;
}

double Latencies::quantile_us(double part) const {
  if (count_ == 0) return 0;
  auto wanted = static_cast<uint64_t>(part * static_cast<double>(count_));
  uint64_t seen = 0;
  for (size_t i = 0; i < kBuckets; i++) {
    seen += buckets_[i];
    if (seen > wanted) return static_cast<double>((uint64_t{1} << (i / 16)) * (17 + i % 16)) / 16 / 1000;
  }
  return 0;
}

Outcome run_sampled(int threads, double seconds,
                    const std::function<void(int, const std::atomic<bool>&, Sample&)>& body, int first,
                    Outcome* company) {
  auto samples = std::make_unique<Sample[]>(static_cast<size_t>(threads));
  Outcome outcome = run_threads(threads, seconds, [&](int thread, const std::atomic<bool>& stop) {
    Sample& sample = samples[static_cast<size_t>(thread)];
    double begin = thread_cpu_seconds();
    body(thread, stop, sample);
    sample.cpu_seconds = thread_cpu_seconds() - begin;
    return 0;
  });
  if (company != nullptr) company->seconds = outcome.seconds;
  for (int i = 0; i < threads; i++) {
    Outcome* to = i < first ? company : &outcome;
    if (to != nullptr) to->add(samples[static_cast<size_t>(i)]);
  }
  return outcome;
}

Outcome run_once(const std::function<uint64_t()>& body) {
  auto start = Clock::now();
  Outcome outcome;
  double begin = process_cpu_seconds();  // with the threads that the body starts
  outcome.operations = body();
  outcome.cpu_seconds = process_cpu_seconds() - begin;
  outcome.seconds = seconds_since(start);
  return outcome;
}

void print(const std::string& name, const Parameters& parameters, const Outcome& outcome) {
  std::string line = "name=" + name;
  for (const auto& [key, value] : parameters) line += " " + key + "=" + value;
  std::printf("%s operations=%llu seconds=%.3f throughput=%.0f", line.c_str(),
              static_cast<unsigned long long>(outcome.operations), outcome.seconds, outcome.throughput());
  if (outcome.cpu_seconds > 0) {
    std::printf(" cpu_seconds=%.3f throughput_per_core=%.0f", outcome.cpu_seconds, outcome.throughput_per_core());
  }
  if (outcome.latencies.count() > 0) {
    const Latencies& l = outcome.latencies;
    std::printf(" aborts=%llu p50_us=%.2f p99_us=%.2f p999_us=%.2f", static_cast<unsigned long long>(outcome.aborts),
                l.quantile_us(0.5), l.quantile_us(0.99), l.quantile_us(0.999));
  }
  if (outcome.rows > 0) {
    auto rows = static_cast<double>(outcome.rows);
    std::printf(" rows_per_second=%.0f rows_per_core=%.0f", rows / outcome.seconds, rows / outcome.cpu_seconds);
  }
  std::printf("\n");
  std::fflush(stdout);
}

}  // namespace indigo::bench
