// Which of the RangePartitions a place in a space belongs to. A space has up to kBuckets of them, one for each key range between
// its fences, which are drawn from samples of what is written: so those who work in different parts of one table do
// not meet. A space without fences has one.
//
// Thread safety: all functions; install() by who holds the locks of all RangePartitions, set_scanned() by who holds those of the
// points, too. So who holds one of them knows that the map stays as version() says. Who holds none finds, behind what the map says
// (acquire), what was stored in those partitions before it changed (release).
// Invariant: in one version, a key is in one of the partitions of every interval that contains it.
// Source: ours; Griffin keeps one list for all.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "storage/spin_lock.h"
#include "storage/ssn/key_interval.h"
#include "storage/ssn/short_key.h"

namespace indigo::storage {

class RangeMap {
 public:
  static constexpr uint32_t kPartitions = 64, kBuckets = 16;

  // Fences are compared by the 8 bytes that follow what most samples begin with: any order-preserving word will do.
  struct alignas(64) Fences {
    std::array<uint64_t, kBuckets - 1> heads{};  // ascending; bucket i lies below heads[i]
    uint32_t prefix_size = 0;
    uint64_t space = 0;
    std::array<char, ShortKey::kBytes> prefix{};

    uint32_t bucket(Bytes key) const;
  };

  RangeMap();
  uint64_t version() const { return version_.load(std::memory_order_acquire); }
  uint32_t partition_of(const SpaceKey& key) const {
    const Fences* f = fences(key.space);
    return partition(key.space, f == nullptr ? 0 : f->bucket(key.key));
  }
  // One bit for each.
  uint64_t partitions_of(uint64_t space, const KeyInterval& interval) const;
  uint64_t partitions_of(uint64_t space) const { return partitions_of(space, {{}, {}, true}); }
  // All of those that the space has with any fences.
  static uint64_t partitions_with_fences(uint64_t space);

  // Is it one of the spaces of which ranges are read? Writers leave nothing in the partitions of others.
  bool scanned(uint64_t space) const { return entry(space).scanned.load(std::memory_order_acquire); }
  // From now on. By who holds all locks of the certifier; whoever holds any of them sees it by the version.
  void set_scanned(uint64_t space) {
    entries_[space % kEntries].scanned.store(true, std::memory_order_release);
    next_version();
  }
  // A range of the space was read, by someone of this place in the order.
  void read(uint64_t space, uint64_t stamp) {
    // Not for each of many readers: by more than there is at the moment.
    constexpr uint64_t kAhead = 4096;
    std::atomic<uint64_t>& least = entries_[space % kEntries].least_unread;
    if (least.load(std::memory_order_relaxed) <= stamp) least.store(stamp + kAhead, std::memory_order_relaxed);
  }
  // May a range of it have been read by someone above `stamp`? It may be told too late.
  bool may_be_read_above(uint64_t space, uint64_t stamp) const {
    return entry(space).least_unread.load(std::memory_order_relaxed) > stamp;
  }

  // One of the keys that are written. What fences the space should have now, when it should have others.
  std::optional<Fences> sample(const SpaceKey& key);
  // What install() takes: allocated before the locks are.
  const Fences* keep(const Fences& fences);
  void install(const Fences* kept);

 private:
  static constexpr uint32_t kEntries = 256, kSamples = 64;
  struct alignas(64) Entry {
    std::atomic<const Fences*> fences{nullptr};
    std::atomic<uint64_t> least_unread{0};  // see read()
    std::atomic<bool> scanned{false};
    SpinLock lock;  // guards what follows
    uint64_t space = 0;
    uint64_t taken = 0, strangers = 0;
    uint64_t look_at = kSamples;
  };

  const Entry& entry(uint64_t space) const { return entries_[space % kEntries]; }
  const Fences* fences(uint64_t space) const {
    const Fences* f = entry(space).fences.load(std::memory_order_acquire);
    return f != nullptr && f->space == space ? f : nullptr;
  }
  void next_version() { version_.store(version_.load(std::memory_order_relaxed) + 1, std::memory_order_release); }
  static uint32_t partition(uint64_t space, uint32_t bucket) {
    constexpr uint64_t kSpread = 0x9e3779b97f4a7c15u;
    return static_cast<uint32_t>((space * kSpread >> 58) + bucket) % kPartitions;
  }

  std::atomic<uint64_t> version_{0};
  std::array<Entry, kEntries> entries_;
  std::unique_ptr<std::array<ShortKey, kSamples>[]> samples_;  // of each entry
  std::mutex mutex_;                                           // guards what follows
  std::vector<std::unique_ptr<const Fences>> made_;            // all of them: someone may still look at an old one
};

}  // namespace indigo::storage
