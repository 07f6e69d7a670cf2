#include "storage/txn/tsc_clock.h"

#include <algorithm>

#if defined(__x86_64__)
#include <cpuid.h>
#include <x86intrin.h>
#endif
#include <fstream>
#include <string>

#include "storage/txn/clock_source.h"

namespace indigo::storage {

#if defined(__x86_64__)

bool clock_source_usable(ClockSource source) {
  if (source == ClockSource::kCounter) return true;
  unsigned a = 0, b = 0, c = 0, d = 0;
  constexpr unsigned kPowerManagement = 0x80000007, kInvariantTsc = 1U << 8;
  if (__get_cpuid(kPowerManagement, &a, &b, &c, &d) == 0 || (d & kInvariantTsc) == 0) return false;
  // Linux takes it off the list when it finds the counters of two processors apart.
  std::ifstream clocks("/sys/devices/system/clocksource/clocksource0/available_clocksource");
  bool told = false;
  for (std::string name; clocks >> name; told = true) {
    if (name == "tsc") return true;
  }
  return !told;
}

uint64_t TscClock::now() const {
  _mm_lfence();
  const uint64_t count = __rdtsc();
  _mm_lfence();
  return count + offset_;
}

#else

bool clock_source_usable(ClockSource source) { return source == ClockSource::kCounter; }
uint64_t TscClock::now() const { return 0; }  // not usable

#endif

CommitStamp TscClock::take(CommitStamp above) {
  auto& slot = slots_.take([] { return kTaking; });
  uint64_t c = 0;
  Backoff backoff;
  while ((c = tick() | slots_.index_of(slot)) <= above.value) backoff.pause();
  slot.value.store(c, std::memory_order_release);
  return CommitStamp(c);
}

CommitStamp TscClock::taken() const {
  const uint64_t last = tick() | (kTick - 1);
  Backoff backoff;
  while (tick() <= last) backoff.pause();
  return CommitStamp(last);
}

CommitStamp TscClock::stable() const {
  uint64_t stable = tick() - 1;
  const uint32_t used = slots_.used();
  for (uint32_t i = 0; i < used; i++) {
    uint64_t stamp = slots_[i].value.load();  // seq_cst, after the counter: pairs with take()
    Backoff backoff;
    while (stamp == kTaking) {
      backoff.pause();
      stamp = slots_[i].value.load();
    }
    if (stamp != 0) stable = std::min(stable, stamp - 1);
  }
  return CommitStamp(stable);
}

void TscClock::start_at(CommitStamp c) {
  offset_ = 0;
  const uint64_t least = c.value + 2 * kTick;
  if (now() < least) offset_ = least - now();
}

}  // namespace indigo::storage
