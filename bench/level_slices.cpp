#include "bench/level_slices.h"

#include <algorithm>
#include <cstdio>

namespace indigo::bench {

LevelSlices::Slice LevelSlices::begin() const { return {number_now(), thread_cpu_seconds()}; }

void LevelSlices::end(Thread& thread, const Slice& slice) {
  constexpr int kFewest = 64;  // fewer: it had the processor for a small part of the slice
  if (slice.operations < kFewest) return;
  const double ns = (thread_cpu_seconds() - slice.cpu_seconds) * 1e9;
  thread.ns[slice.number % 2 != 0 ? 1 : 0].push_back(ns / slice.operations);
}

double LevelSlices::median_ns(bool second) const {
  std::vector<double> all;
  for (const Thread& t : threads_) all.insert(all.end(), t.ns[second ? 1 : 0].begin(), t.ns[second ? 1 : 0].end());
  if (all.empty()) return 0;
  auto middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
  std::nth_element(all.begin(), middle, all.end());
  return *middle;
}

void LevelSlices::print(const std::string& name, const Parameters& parameters, const std::string& first,
                        const std::string& second) const {
  std::string line = "name=" + name;
  for (const auto& [key, value] : parameters) line += " " + key + "=" + value;
  std::printf("%s first=%s second=%s first_ns=%.0f second_ns=%.0f cost_percent=%.1f\n", line.c_str(), first.c_str(),
              second.c_str(), median_ns(false), median_ns(true), cost() * 100);
  std::fflush(stdout);
}

}  // namespace indigo::bench
