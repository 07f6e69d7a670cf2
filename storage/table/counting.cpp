// The statistics of one table.
#include <algorithm>
#include <initializer_list>

#include "storage/table/table_impl.h"

namespace indigo::storage {

namespace {
// Counters that several threads move may be seen below zero.
uint64_t sum_of(std::initializer_list<const std::atomic<int64_t>*> counters) {
  int64_t sum = 0;
  for (const auto* counter : counters) sum += counter->load(std::memory_order_relaxed);
  return static_cast<uint64_t>(std::max<int64_t>(0, sum));
}
}  // namespace

uint64_t TableImpl::rows() const { return sum_of({&row_count_, &open_rows_}); }

Table::Statistics TableImpl::statistics() const {
  Statistics s;
  s.rows = sum_of({&row_count_});
  s.leaf_count = tree_.leaf_count();
  s.bytes = s.leaf_count * tree_.node_bytes() + tree_.inner_bytes() + sum_of({&version_bytes_}) +
            sum_of({&large_rows_.pending, &large_rows_.newest, &large_rows_.older});
  std::lock_guard lock(indexes_mutex_);
  for (const auto& index : *indexes_) s.bytes += index->index->memory_bytes();
  return s;
}

TableMemory TableImpl::memory() const {
  TableMemory m;
  m.leaf_bytes = tree_.leaf_count() * tree_.node_bytes();
  m.inner_node_bytes = tree_.inner_bytes();
  m.version_bytes = sum_of({&version_bytes_});
  m.large_row_bytes = sum_of({&large_rows_.pending, &large_rows_.newest, &large_rows_.older});
  std::lock_guard lock(indexes_mutex_);
  for (const auto& index : *indexes_) m.indexes.push_back({index->id, index->index->memory_bytes()});
  return m;
}

// visit() under the leaf's latch, unless it is foreign: that one has nothing of this table, and keeps its fences. Answers whether
// there is a leaf behind it, which begins at `high`.
template <class Visit>
bool TableImpl::with_own_leaf(Leaf* leaf, std::string& high, Visit visit) {
  const bool own = !tree_.foreign(leaf);
  if (own) {
    leaf->latch.lock();
    visit();
  }
  const bool more = leaf->has_high_fence();
  leaf->high_fence(high);
  if (own) leaf->latch.unlock_unchanged();
  return more;
}

TableStatistics TableImpl::counters() {
  TableStatistics s;
  s.leaves = tree_.leaf_count();
  s.leaf_bytes = tree_.node_bytes();
  s.splits = tree_.split_count();
  s.merges = tree_.merge_count();
  s.versions = sum_of({&version_count_});
  s.version_bytes = sum_of({&version_bytes_, &large_rows_.older});
  std::string from;
  for (bool more = s.versions > 0; more;) {
    {
      EpochManager::Guard guard(store_.epochs());
      uint64_t version;
      Leaf* leaf = tree_.find_leaf(KeyView(from), version);
      more = with_own_leaf(leaf, from, [&] {
        if (leaf->queued) measure_chains(leaf, s);  // a leaf with chains is queued for cleaning
      });
    }
    Waiter::current().yield_if_due();
  }
  return s;
}

std::vector<RowWriter> TableImpl::row_writers() {
  std::vector<RowWriter> out;
  std::string from;
  for (bool more = true; more;) {
    {
      EpochManager::Guard guard(store_.epochs());
      uint64_t version;
      Leaf* leaf = tree_.find_leaf(KeyView(from), version);
      more = with_own_leaf(leaf, from, [&] {
        for (size_t i = 0; i < leaf->status().count; i++) {
          const RecordMeta m = leaf->meta(i);
          if (m.state() != RecordState::kUpdating) continue;
          const PendingVersion& pending = *pending_of(m);
          if (pending.released || pending.owner->committed()) continue;
          out.push_back({std::string(pending.key), pending.owner->transaction(), pending.mode});
        }
      });
    }
    Waiter::current().yield_if_due();
  }
  return out;
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
