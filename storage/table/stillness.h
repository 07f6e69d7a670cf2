// Whether a table stands still: no transaction that may have changed its records is open, and what the last one changed is old
// enough for a view. Then the newest version of every record is what the view sees, and an index that has as many entries as
// the table has rows has the visible rows' entries and no others: each newest row has one, and they are distinct.
//
// Thread safety: all functions from any thread.
// Invariants:
// 1. A transaction begins here before it takes its first record, and so before it touches an index; it ends after its changes
//    are installed or undone, entries that it gave up erased, and its rows counted.
// 2. `holds` after a look that began behind `moment`: no transaction has begun before the look was over. begin() is ordered
//    before a writer's unlocking of what it has changed, which who sees the change acquires; so the second load sees it, too.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>

namespace indigo::storage {

class Stillness {
 public:
  void begin() {
    word_.fetch_add(kBegun + 1, std::memory_order_seq_cst);
    std::atomic_thread_fence(std::memory_order_release);  // before counts that holds() may meet: pairs with its fence
  }
  // `stamp`: of its commit, zero when it was rolled back.
  void end(uint64_t stamp) {
    raise(stamp);
    word_.fetch_sub(1, std::memory_order_release);  // pairs with moment()
  }
  // No commit has a later one.
  void raise(uint64_t stamp) {
    uint64_t known = newest_.load(std::memory_order_relaxed);
    while (known < stamp && !newest_.compare_exchange_weak(known, stamp, std::memory_order_relaxed)) {
    }
  }
  uint64_t newest() const { return newest_.load(std::memory_order_relaxed); }
  // What to ask holds() with; nothing: it does not stand still.
  std::optional<uint64_t> moment(uint64_t view_stamp) const {
    const uint64_t word = word_.load(std::memory_order_acquire);
    if (word % kBegun != 0 || newest() > view_stamp) return std::nullopt;
    return word;
  }
  bool holds(uint64_t moment) const {
    std::atomic_thread_fence(std::memory_order_acquire);
    return word_.load(std::memory_order_acquire) == moment;
  }

 private:
  static constexpr uint64_t kBegun = uint64_t{1} << 24;  // below: open ones; from here on: how many have begun
  std::atomic<uint64_t> word_{0}, newest_{0};
};

}  // namespace indigo::storage
