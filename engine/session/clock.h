// The wall clock as SQL timestamps.
#pragma once

#include <chrono>
#include <cstdint>

namespace indigo::engine {

// Microseconds since 2000-01-01 00:00 UTC.
inline int64_t timestamp_now() {
  using namespace std::chrono;
  constexpr int64_t kEpochOffsetSeconds = 946684800;
  return duration_cast<microseconds>(system_clock::now().time_since_epoch()).count() - kEpochOffsetSeconds * 1000000;
}

}  // namespace indigo::engine
