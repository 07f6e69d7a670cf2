// The statistics of one table.
#include <algorithm>

#include "storage/table/table_impl.h"

namespace indigo::storage {

TableStatistics TableImpl::counters() {
  TableStatistics s;
  s.leaves = tree_.leaf_count();
  s.leaf_bytes = tree_.node_bytes();
  s.splits = tree_.split_count();
  s.merges = tree_.merge_count();
  s.versions = static_cast<uint64_t>(std::max<int64_t>(0, version_count_.load(std::memory_order_relaxed)));
  s.version_bytes = static_cast<uint64_t>(std::max<int64_t>(0, version_bytes_.load(std::memory_order_relaxed)));
  std::string from;
  for (bool more = s.versions > 0; more;) {
    {
      EpochManager::Guard guard(store_.epochs());
      uint64_t version;
      Leaf* leaf = tree_.find_leaf(KeyView(from), version);
      leaf->latch.lock();
      // A leaf with chains is queued for cleaning.
      if (!tree_.foreign(leaf) && leaf->queued) measure_chains(leaf, s);
      more = leaf->has_high_fence();
      leaf->high_fence(from);
      leaf->latch.unlock_unchanged();
    }
    Waiter::current().yield_if_due();
  }
  return s;
}

void TableImpl::measure_chains(const Leaf* leaf, TableStatistics& s) const {
  for (size_t i = 0; i < leaf->status().count; i++) {
    RecordMeta m = leaf->meta(i);
    if (m.state() == RecordState::kInserting) continue;
    uint64_t chain = m.state() == RecordState::kClear ? m.predecessor
                                                      : pending_of(m)->base_predecessor.load(std::memory_order_relaxed);
    uint64_t length = 0;
    for (const auto* v = reinterpret_cast<const SnapshotVersion*>(chain); v != nullptr;
         v = v->next.load(std::memory_order_acquire)) {
      length++;
    }
    if (length == 0) continue;
    s.chains++;
    s.chained_versions += length;
    s.chain_length_max = std::max(s.chain_length_max, length);
  }
}

}  // namespace indigo::storage
