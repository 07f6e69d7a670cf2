#include "storage/txn/snapshot_registry.h"

#include <algorithm>

namespace indigo::storage {

uint64_t ActiveSnapshots::oldest() const {
  uint64_t oldest = std::min(stable_, tentative_);
  for (uint64_t v : values_) oldest = std::min(oldest, v);
  return oldest;
}

SnapshotRegistry::Slot* SnapshotRegistry::allocate_slot(uint32_t shard) {
  std::lock_guard lock(mutex_);
  auto& free = free_[shard % kShards];
  if (free.empty()) {
    uint32_t n = line_count_.load(std::memory_order_relaxed);
    if (n == kMaxLines) return nullptr;
    memory_.push_back(std::make_unique<Line>());
    Line* line = memory_.back().get();
    for (uint32_t i = kSlotsPerLine; i > 0; i--) free.push_back(&line->slots[i - 1]);
    lines_[n].store(line, std::memory_order_release);
    line_count_.store(n + 1);  // seq_cst: before any use of its slots
  }
  Slot* slot = free.back();
  free.pop_back();
  return slot;
}

void SnapshotRegistry::free_slot(Slot* slot, uint32_t shard) {
  release(*slot);
  std::lock_guard lock(mutex_);
  free_[shard % kShards].push_back(slot);
}

void SnapshotRegistry::collect(ActiveSnapshots& out) const {
  for (;;) {
    uint64_t pins = pins_.load();
    out.values_.clear();
    out.tentative_ = UINT64_MAX;
    out.stable_ = clock_.stable().value;
    uint32_t n = line_count_.load();
    for (uint32_t i = 0; i < n; i++) {
      const Line* line = lines_[i].load(std::memory_order_acquire);
      for (const Slot& slot : line->slots) {
        uint64_t v = slot.value_.load();  // seq_cst, after the load of stable: pairs with take()
        if (v == 0) continue;
        if ((v & 1) != 0) {
          out.tentative_ = std::min(out.tentative_, v >> 1);
        } else {
          out.values_.push_back(v >> 1);
        }
      }
    }
    if (pins_.load() != pins) continue;
    if (out.values_.size() > ActiveSnapshots::kFew) std::sort(out.values_.begin(), out.values_.end());
    return;
  }
}

}  // namespace indigo::storage
