// Where commit stamps come from.
#pragma once

#include <cstdint>

namespace indigo::storage {

enum class ClockSource : uint8_t {
  kCounter,  // an atomic counter: dense stamps, one cacheline that every commit writes
  kTsc,      // the processors' own counter of time: nothing that commits or snapshots write in common
};

// Does this machine have it? kTsc: an x86-64 with an invariant counter that the kernel, where it tells, found synchronised, and
// every 64-bit Arm.
bool clock_source_usable(ClockSource source);

}  // namespace indigo::storage
