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

uint32_t TscClock::counter_shift() { return 0; }

uint64_t TscClock::now() const {
  _mm_lfence();
  const uint64_t count = __rdtsc();
  _mm_lfence();
  return count + offset_;
}

#elif defined(__aarch64__)

// Every such processor has it, of one rate; Linux answers itself where a processor's own is in error.
bool clock_source_usable(ClockSource) { return true; }

uint32_t TscClock::counter_shift() {
  constexpr uint64_t kUnitsPerSecond = 1'000'000'000;
  uint64_t frequency = 0;
  asm("mrs %0, cntfrq_el0" : "=r"(frequency));
  uint32_t shift = 0;
  while (uint64_t{1} << shift < kTick && frequency << shift < kUnitsPerSecond) shift++;
  return shift;
}

uint64_t TscClock::now() const {
  uint64_t count = 0, none = 0;
  // What comes before is visible to all, and then the counter is read, which a processor may do ahead of its time; and what
  // comes after waits for a load whose address depends on the count.
  asm volatile(
      "dsb ish\n"
      "isb\n"
      "mrs %0, cntvct_el0\n"
      "eor %1, %0, %0\n"
      "ldr xzr, [%2, %1]\n"
      "dmb ish"
      : "=&r"(count), "=&r"(none)
      : "r"(&offset_)
      : "memory");
  return (count << shift_) + offset_;
}

#else

bool clock_source_usable(ClockSource source) { return source == ClockSource::kCounter; }
uint32_t TscClock::counter_shift() { return 0; }
uint64_t TscClock::now() const { return 0; }  // not usable

#endif

CommitStamp TscClock::take(CommitStamp above) {
  auto& slot = slots_.take([] { return kTaking; });
  uint64_t c = 0;
  Backoff backoff;
  const uint64_t least = std::max(above.value, slot.last);
  while ((c = tick() | slots_.index_of(slot)) <= least) backoff.pause();
  slot.last = c;
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
