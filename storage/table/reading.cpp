// Point reads.
#include <algorithm>

#include "storage/okvl/key_locks.h"
#include "storage/table/table_impl.h"

namespace indigo::storage {

namespace {

enum class PointRead : uint8_t { kFound, kNone, kRetry };

// `likely`: where the record may be, if the caller has looked already.
PointRead read_point(const Tree& tree, const Leaf* leaf, uint64_t version, const KeyView& key, TransactionImpl& txn,
                     const ReadView& view, std::string& row, size_t likely = SIZE_MAX) {
  const Descriptor* self = txn.descriptor();
  const size_t count = leaf->status().count;
  size_t i = likely;
  bool equal = likely < count && leaf->compare(likely, key) == 0;
  if (!equal) i = leaf->lower_bound(key, count, equal);
  if (!equal) return leaf->latch.validate(version) ? PointRead::kNone : PointRead::kRetry;
  const RecordMeta m = leaf->meta(i);
  const RecordMeta own = tree.foreign(leaf) ? m.committed_only() : m;
  if (view.stamp == kMaxStamp) {
    if (!leaf->latch.validate(version)) return PointRead::kRetry;
    txn.saw(newest_stamp(own, self));
  }
  Bytes image;
  switch (read_record({leaf, tree, version}, m, self, view, image)) {
    case ReadOutcome::kRetry: return PointRead::kRetry;
    case ReadOutcome::kOutside:
      row.assign(image);
      txn.shown(shown_stamp(own, self, view));
      return PointRead::kFound;
    case ReadOutcome::kInLeaf:
      if (!copy_payload(leaf, m, row) || !leaf->latch.validate(version)) return PointRead::kRetry;
      txn.shown(shown_stamp(own, self, view));
      return PointRead::kFound;
    case ReadOutcome::kNone: break;
  }
  if (!leaf->latch.validate(version)) return PointRead::kRetry;
  txn.shown(shown_stamp(own, self, view));
  return PointRead::kNone;
}

}  // namespace

StorageStatus TableImpl::lock_to_read(TransactionImpl& txn, Bytes key) const {
  const KeySpace space(*this);
  return KeyLocks(txn, space).read_value(key);
}

StorageStatus TableImpl::get(Transaction& txn, const ReadView& view, Bytes key, std::string& row) {
  auto& transaction = static_cast<TransactionImpl&>(txn);
  KeyView k(key);
  if (transaction.locks_reads(view)) {
    const StorageStatus locked = lock_to_read(transaction, key);
    if (locked != StorageStatus::kOk) return locked;
  }
  const uint64_t hash = transaction.expect_read(id_.value, key);
  EpochManager::Guard guard(store_.epochs());
  for (;;) {
    uint64_t version;
    Leaf* leaf = tree_.find_leaf(k, version);
    PointRead r = read_point(tree_, leaf, version, k, transaction, view, row);
    if (r == PointRead::kRetry) continue;
    bool found = r == PointRead::kFound;
    if (!found) transaction.shown(gone());
    StorageStatus noted = transaction.note_read(hash, view, found);
    if (noted != StorageStatus::kOk) return noted;
    return found ? StorageStatus::kOk : StorageStatus::kNotFound;
  }
}

StorageStatus TableImpl::get_many(Transaction& txn, const ReadView& view, std::span<const Bytes> keys,
                                  std::span<std::string> rows, std::span<bool> found) {
  auto& transaction = static_cast<TransactionImpl&>(txn);
  if (transaction.locks_reads(view)) {
    for (const Bytes key : keys) {
      const StorageStatus locked = lock_to_read(transaction, key);
      if (locked != StorageStatus::kOk) return locked;
    }
  }
  if (transaction.serializable() == nullptr) {
    read_many(transaction, view, keys, rows, found);
    return StorageStatus::kOk;
  }
  std::vector<uint64_t>& hashes = transaction.serializable()->hashes;
  hashes.clear();
  for (Bytes key : keys) hashes.push_back(transaction.expect_read(id_.value, key));
  read_many(transaction, view, keys, rows, found);
  for (size_t i = 0; i < keys.size(); i++) {
    StorageStatus noted = transaction.note_read(hashes[i], view, found[i]);
    if (noted != StorageStatus::kOk) return noted;
  }
  return StorageStatus::kOk;
}

void TableImpl::read_many(TransactionImpl& transaction, const ReadView& view, std::span<const Bytes> keys,
                          std::span<std::string> rows, std::span<bool> found) {
  // Several dependent chains at once hide the latency of memory: leaves first, then their metas, then the bodies.
  constexpr size_t kBatch = 16;
  Leaf* leaves[kBatch];
  size_t likely[kBatch];
  for (size_t begin = 0; begin < keys.size(); begin += kBatch) {
    size_t n = std::min(kBatch, keys.size() - begin);
    EpochManager::Guard guard(store_.epochs());
    for (size_t i = 0; i < n; i++) {
      leaves[i] = tree_.locate(KeyView(keys[begin + i]));
      leaves[i]->prefetch();
    }
    for (size_t i = 0; i < n; i++) leaves[i]->prefetch_record(KeyView(keys[begin + i]));
    for (size_t i = 0; i < n; i++) {
      // A look only: what it finds is found again below, or not.
      bool equal = false;
      likely[i] = leaves[i]->lower_bound(KeyView(keys[begin + i]), leaves[i]->status().count, equal);
      if (equal) leaves[i]->prefetch_body(likely[i]);
    }
    for (size_t i = 0; i < n; i++) {
      KeyView k(keys[begin + i]);
      PointRead r;
      do {
        uint64_t version;
        Leaf* leaf = tree_.continue_from(leaves[i], k, version);
        r = read_point(tree_, leaf, version, k, transaction, view, rows[begin + i], likely[i]);
      } while (r == PointRead::kRetry);
      found[begin + i] = r == PointRead::kFound;
      if (found[begin + i]) continue;
      rows[begin + i].clear();
      transaction.shown(gone());
    }
  }
}

}  // namespace indigo::storage
