// Records of commits in the order of their stamps, in memory of a fixed size: the newest ones, and a summary of those
// that had to go too early.
//
// Thread safety: a partition's lock guards it, but for prefetch(). Record is a plain struct with `c` and `pi`.
// Invariants:
// 1. Records are numbered upward from 1 and in the order of their stamps; those from first() to end() - 1 are there.
// 2. Memory is reserved at once and touched as it is needed: a ring that has become empty begins at its first place again. The
//    first kNear places lie within the ring itself: so those of neighbouring partitions share pages, and spread over
//    the sets of the caches.
// 3. Who asks with a stamp below forgotten_c() is to assume forgotten_pi().
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>

namespace indigo::storage {

inline constexpr uint64_t kInfinity = std::numeric_limits<uint64_t>::max();

template <class Record, uint64_t kCapacity>
class StampRing {
  static_assert((kCapacity & (kCapacity - 1)) == 0);

 public:
  // A place for the next record, whose stamp is not below the last one's. `oldest`: nobody asks with a stamp below it.
  Record& append(uint64_t oldest) {
    if (size() >= trim_at_) trim(oldest);
    if (size() == kCapacity) {
      const Record& r = (*this)[first_++];
      summarise(r.c, r.pi);
    }
    const uint32_t place = next_place_.load(std::memory_order_relaxed);
    next_place_.store((place + 1) % kCapacity, std::memory_order_relaxed);
    next_++;
    return place < kNear ? near_[place] : far_[place - kNear];
  }
  // As if a record with these had been there, and had been forgotten.
  void summarise(uint64_t c, uint64_t pi) {
    forgotten_c_ = std::max(forgotten_c_, c);
    forgotten_pi_ = std::min(forgotten_pi_, pi);
  }
  // The next record's place may come into the cache. By anyone.
  void prefetch() const { __builtin_prefetch(&near_[next_place_.load(std::memory_order_relaxed) % kNear], 1); }
  // Forgets what nobody asks for.
  void trim(uint64_t oldest) {
    first_ = since(oldest);
    if (first_ == next_) next_place_.store(0, std::memory_order_relaxed);
    if (forgotten_c_ <= oldest) {
      forgotten_c_ = 0;
      forgotten_pi_ = kInfinity;
    }
    trim_at_ = static_cast<uint32_t>(std::min(kCapacity, std::max(kTrimAt, size() * 2)));
  }
  // Has it grown since the last trim(), so that one that is newer than `oldest` is worth its while?
  bool due(uint64_t oldest) const { return size() >= trim_at_ && (*this)[first_ + size() / 2].c > oldest; }

  // The number of the first record with a stamp above this one.
  uint64_t since(uint64_t stamp) const {
    uint64_t low = first_, high = next_;
    if (low == high || (*this)[high - 1].c <= stamp) return high;
    while (low < high) {
      const uint64_t middle = low + (high - low) / 2;
      if ((*this)[middle].c > stamp) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }
  const Record& operator[](uint64_t number) const {
    const uint64_t place = (next_place_.load(std::memory_order_relaxed) - (next_ - number)) % kCapacity;
    return place < kNear ? near_[place] : far_[place - kNear];
  }
  bool has(uint64_t number) const { return number >= first_; }
  uint64_t first() const { return first_; }
  uint64_t end() const { return next_; }
  uint64_t size() const { return next_ - first_; }
  uint64_t forgotten_c() const { return forgotten_c_; }
  uint64_t forgotten_pi(uint64_t stamp) const { return stamp < forgotten_c_ ? forgotten_pi_ : kInfinity; }
  // Summaries alone.
  uint64_t any_forgotten_pi() const { return forgotten_pi_; }

 private:
  static constexpr uint64_t kTrimAt = 4;
  static constexpr uint64_t kNear = 4 * kTrimAt;

  // What a commit needs comes first.
  uint64_t first_ = 1, next_ = 1;
  std::atomic<uint32_t> next_place_{0};  // changed under the lock
  uint32_t trim_at_ = kTrimAt;
  uint64_t forgotten_c_ = 0, forgotten_pi_ = kInfinity;  // greatest stamp and least pi of what is forgotten
  std::unique_ptr<Record[]> far_ = std::make_unique_for_overwrite<Record[]>(kCapacity - kNear);
  std::array<Record, kNear> near_;
};

}  // namespace indigo::storage
