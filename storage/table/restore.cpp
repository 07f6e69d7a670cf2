#include "storage/restore.h"

#include "base/mutation.h"
#include "storage/table/table_impl.h"

namespace indigo::storage {

StorageStatus TableImpl::restore_row(Bytes key, Bytes row) {
  if (key.size() > max_key_bytes_) return StorageStatus::kTooLarge;
  const KeyView k(key);
  OverflowBody* overflow = nullptr;
  Bytes payload = row;
  if (large(row)) {
    overflow = store_.make_overflow(row);
    if (overflow == nullptr) return StorageStatus::kOutOfMemory;
    payload = {reinterpret_cast<const char*>(&overflow), sizeof overflow};
  }
  const Bytes body_key = key.size() > kPrefixBytes ? key : Bytes();
  const size_t body = body_key.size() + payload.size();
  EpochManager::WriteGuard guard(store_.epochs());
  for (;;) {
    Leaf* leaf = tree_.lock_leaf(k, Need::kMust);
    const size_t count = leaf->status().count;
    bool equal = false;
    const size_t i = leaf->lower_bound(k, count, equal);
    RecordMeta m;
    if (equal) m = leaf->meta(i);
    if (equal && mutated(Mutation::kReplayKeepsOld)) {
      leaf->latch.unlock_unchanged();
      return StorageStatus::kOk;
    }
    const size_t needed = equal ? (payload.size() > m.payload_length() ? body : 0) : sizeof(RecordMeta) + body;
    if (leaf->free_bytes() < needed || (!equal && count == UINT16_MAX)) {
      tree_.make_room(leaf, i, k, needed, Need::kMust);
      continue;
    }
    if (equal) {
      if (m.overflow()) free_newest(load_unaligned<OverflowBody*>(leaf->payload(m)));
      leaf->replace_payload(m, payload);
    } else {
      m.prefix = key_prefix(key);
      const size_t offset = leaf->allocate_body(body);
      leaf->write_body(offset, body_key, payload);
      m.set_body(offset, key.size(), payload.size());
      add_rows(1);
    }
    LargeRows::add(large_rows_.newest, overflow);
    m.set_flag(RecordMeta::kOverflowBit, overflow != nullptr);
    m.set_flag(RecordMeta::kVisibleBit, true);
    m.stamp = CommitClock::kFirst;
    if (equal) {
      leaf->set_meta(i, m);
    } else {
      leaf->insert_meta(i, m);
    }
    leaf->latch.unlock();
    return StorageStatus::kOk;
  }
}

void TableImpl::restore_erase(Bytes key) {
  const KeyView k(key);
  EpochManager::WriteGuard guard(store_.epochs());
  Leaf* leaf = tree_.lock_leaf(k, Need::kMust);
  bool equal = false;
  const size_t i = leaf->lower_bound(k, leaf->status().count, equal);
  if (equal) {
    const RecordMeta m = leaf->meta(i);
    if (m.overflow()) free_newest(load_unaligned<OverflowBody*>(leaf->payload(m)));
    leaf->remove_meta(i);
    add_rows(-1);
  }
  leaf->latch.unlock();
}

void TableImpl::restore_end() {
  std::string last;
  EpochManager::WriteGuard guard(store_.epochs());
  tree_.for_each_leaf([&](Leaf* leaf) {
    if (const size_t count = leaf->status().count; count > 0) last = leaf->key(count - 1);
  });
  if (last.size() == sizeof(uint64_t)) next_row_id_.store(big_endian(load_unaligned<uint64_t>(last.data())) + 1);
}

StorageStatus restore_row(Table& table, Bytes key, Bytes row) {
  return static_cast<TableImpl&>(table).restore_row(key, row);
}
void restore_erase(Table& table, Bytes key) { static_cast<TableImpl&>(table).restore_erase(key); }
void restore_end(Table& table) { static_cast<TableImpl&>(table).restore_end(); }

}  // namespace indigo::storage
