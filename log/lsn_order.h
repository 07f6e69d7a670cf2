// The one order of records: hands out LSNs and knows the prefix whose records all are in their places.
// Thread safety: all functions. Invariant: every LSN taken is filled, soon and without a suspension between.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <thread>

#include "base/ids.h"

namespace indigo::log {

class LsnOrder {
 public:
  explicit LsnOrder(uint64_t first) : next_(first), filled_end_(first) {}

  Lsn take() { return Lsn(next_.fetch_add(1)); }
  uint64_t next() const { return next_.load(); }
  // All records below are in their places. seq_cst: the flusher looks at it after it has said that it sleeps.
  uint64_t filled_end() const { return filled_end_.load(); }

  void fill(Lsn lsn) {
    uint64_t end = filled_end_.load();
    if (end == lsn.value && filled_end_.compare_exchange_strong(end, lsn.value + 1)) {
      end = lsn.value + 1;
    } else {
      while (filled_end_.load() + kWindow <= lsn.value) std::this_thread::yield();  // its place is still another's
      (*filled_)[lsn.value % kWindow].store(lsn.value);
      end = filled_end_.load();
    }
    // Of two that fill neighbouring LSNs, one sees the other's entry (seq_cst).
    while ((*filled_)[end % kWindow].load() == end) {
      if (filled_end_.compare_exchange_strong(end, end + 1)) end++;
    }
  }
  void wait_filled(Lsn lsn) const {
    while (filled_end() <= lsn.value) std::this_thread::yield();
  }

 private:
  static constexpr uint64_t kWindow = 8192;
  alignas(64) std::atomic<uint64_t> next_;
  alignas(64) std::atomic<uint64_t> filled_end_;
  // filled_[lsn % kWindow] == lsn: its record is in its place.
  std::unique_ptr<std::array<std::atomic<uint64_t>, kWindow>> filled_ =
      std::make_unique<std::array<std::atomic<uint64_t>, kWindow>>();
};

}  // namespace indigo::log
