// Insert, update, erase: pending versions come to be here.

#include "base/check.h"
#include "base/memory/memory_reserve.h"
#include "storage/moved_rows.h"
#include "storage/okvl/key_locks.h"
#include "storage/table/table_impl.h"

namespace indigo::storage {

namespace {
constexpr size_t kMaxRowBytes = size_t{1} << 30;
}

StorageStatus TableImpl::check_size(TransactionImpl& txn, Bytes key, Bytes row) const {
  if (key.size() > max_key_bytes_ || row.size() > kMaxRowBytes) return StorageStatus::kTooLarge;
  return txn.memory_left() ? StorageStatus::kOk : txn.failed(StorageStatus::kOutOfMemory);
}

PendingEntry* TableImpl::make_entry(TransactionImpl& txn, PendingVersion& pending, Bytes row, bool is_large) {
  PendingEntry* e = &pending.first;
  if (e->command != 0) e = new (txn.arena().allocate(sizeof(PendingEntry))) PendingEntry();
  e->command = txn.command();
  if (is_large) {
    e->overflow = store_.memory().full(row.size()) ? nullptr : store_.make_overflow(row);
    if (e->overflow == nullptr) return nullptr;
    LargeRows::add(large_rows_.pending, e->overflow);
  }
  return e;
}

void TableImpl::push(TransactionImpl& txn, PendingVersion& pending, PendingEntry* entry, LogRecord::Kind kind) {
  entry->set_below(pending.top.load(std::memory_order_relaxed));
  pending.top.store(entry, std::memory_order_release);  // pairs with visible_to
  txn.state().log.emplace_back(&pending, kind);
  if (kind == LogRecord::Kind::kInsert) txn.note_inserted(*this, 1);
}

bool TableImpl::push_image(TransactionImpl& txn, PendingVersion& pending, Bytes row, LogRecord::Kind kind) {
  PendingEntry* e = make_entry(txn, pending, row, large(row));
  if (e == nullptr) return false;
  if (e->overflow == nullptr) e->image = txn.keep(row);
  push(txn, pending, e, kind);
  return true;
}

void TableImpl::undo_last(TransactionImpl& txn) {
  const MustNotFail scope;
  auto& log = txn.state().log;
  LogRecord last = log.back();
  log.pop_back();
  if (last.kind() == LogRecord::Kind::kInsert) txn.note_inserted(*this, -1);
  undo(txn, *last.pending(), last.pushes(), last.claims());
  txn.last_claim = nullptr;
  if (last.claims()) txn.writes().descriptor.announce_release();
}

bool TableImpl::newest_own_image(TransactionImpl& txn, PendingVersion& pending, std::string& image) {
  Owner owner;
  uint64_t stamp;
  return read_newest(txn, pending.key, image, owner, stamp) == Newest::kImage;
}

bool TableImpl::insert_into_leaf(TransactionImpl& txn, Leaf* leaf, size_t i, Bytes key, Bytes row, bool is_large,
                                 PendingVersion& pending) {
  PendingEntry* e = make_entry(txn, pending, row, is_large);
  if (e == nullptr) return false;
  RecordMeta m;
  m.prefix = key_prefix(key);
  m.set_state(RecordState::kInserting);
  m.predecessor = reinterpret_cast<uint64_t>(&pending);
  Bytes payload = row;
  if (e->overflow != nullptr) {
    payload = {reinterpret_cast<const char*>(&e->overflow), sizeof e->overflow};
    m.set_flag(RecordMeta::kOverflowBit, true);
  } else {
    e->in_leaf = true;
  }
  Bytes body_key = key.size() > kPrefixBytes ? key : Bytes();
  size_t offset = leaf->allocate_body(body_key.size() + payload.size());
  leaf->write_body(offset, body_key, payload);
  m.set_body(offset, key.size(), payload.size());
  pending.leaf.store(leaf, std::memory_order_release);
  pending.position = static_cast<uint32_t>(i);
  push(txn, pending, e, LogRecord::Kind::kInsert);
  leaf->insert_meta(i, m);
  pending.owner->add_records(1);
  return true;
}

TableImpl::Attempt TableImpl::try_insert(TransactionImpl& txn, const KeyView& key, Bytes row, PendingVersion*& out) {
  Attempt attempt;
  EpochManager::WriteGuard guard(store_.epochs());
  Leaf* leaf = tree_.lock_leaf(key, Need::kMayFail);
  if (leaf == nullptr) {
    attempt.status = StorageStatus::kOutOfMemory;
    return attempt;
  }
  size_t count = leaf->status().count;
  bool equal;
  size_t i = leaf->lower_bound(key, count, equal);
  if (!equal) {
    const bool is_large = large(row);
    size_t payload = is_large ? sizeof(OverflowBody*) : row.size();
    size_t body = payload + (key.bytes.size() > kPrefixBytes ? key.bytes.size() : 0);
    if (leaf->free_bytes() < sizeof(RecordMeta) + body + tree_.kept_free(*leaf, i, count) || count == UINT16_MAX) {
      if (tree_.make_room(leaf, i, key, sizeof(RecordMeta) + body, Need::kMayFail)) {
        attempt.next = Next::kAgain;
      } else {
        attempt.status = StorageStatus::kOutOfMemory;
      }
      return attempt;
    }
    if (out == nullptr) out = new_pending(txn, key.bytes, RowLockMode::kUpdate);
    if (!insert_into_leaf(txn, leaf, i, key.bytes, row, is_large, *out)) attempt.status = StorageStatus::kOutOfMemory;
    leaf->latch.unlock();
    return attempt;
  }
  RecordMeta m = leaf->meta(i);
  if (m.state() == RecordState::kClear && !m.visible()) {
    // Over a tombstone: an update of it.
    PendingVersion* p = take_record(txn, leaf, i, m, key.bytes, RowLockMode::kUpdate);
    leaf->latch.unlock();
    if (!push_image(txn, *p, row, LogRecord::Kind::kInsert)) {
      release_guarded(*p);
      attempt.status = StorageStatus::kOutOfMemory;
    }
    out = p;
    return attempt;
  }
  if (m.state() == RecordState::kClear) {
    attempt.status = StorageStatus::kDuplicateKey;
    txn.saw(m.stamp);
    txn.note_newest_read(id_.value, key.bytes, m.stamp);
  } else if (PendingVersion* p = pending_of(m); p->owner != txn.descriptor()) {
    attempt.next = Next::kWaitOwner;
    attempt.owner = owner_of(*p);
  } else if (PendingEntry* top = p->top.load(std::memory_order_relaxed);
             top != nullptr ? top->tombstone : !m.visible()) {
    if (!push_image(txn, *p, row, LogRecord::Kind::kPush)) attempt.status = StorageStatus::kOutOfMemory;
    out = p;
  } else {
    attempt.status = StorageStatus::kDuplicateKey;
  }
  leaf->latch.unlock();
  return attempt;
}

StorageStatus TableImpl::insert_record(TransactionImpl& txn, Bytes key, Bytes row, Duplicate* duplicate,
                                       PendingVersion*& out) {
  StorageStatus size = check_size(txn, key, row);
  if (size != StorageStatus::kOk) return size;
  KeyView k(key);
  out = nullptr;
  NewValue place(txn);
  if (txn.locks_writes()) {
    const KeySpace space(*this);
    StorageStatus s = KeyLocks(txn, space).write_value(key);
    if (s == StorageStatus::kOk) s = place.open(space, key);
    if (s != StorageStatus::kOk) return s;
  }
  for (;;) {
    Attempt a = try_insert(txn, k, row, out);
    if (a.next == Next::kAgain) continue;
    if (a.next == Next::kWaitOwner) {
      StorageStatus s = txn.wait_for(*a.owner.descriptor, a.owner.transaction, a.owner.generation);
      if (s != StorageStatus::kOk) return s;
      continue;
    }
    if (a.status == StorageStatus::kDuplicateKey && duplicate != nullptr) *duplicate = {IndexId{}, std::string(key)};
    return a.status;
  }
}

StorageStatus TableImpl::insert(Transaction& transaction, Bytes key, Bytes row, Duplicate* duplicate) {
  auto& txn = static_cast<TransactionImpl&>(transaction);
  txn.shown_newest();
  PendingVersion* p;
  StorageStatus s = insert_record(txn, key, row, duplicate, p);
  if (s == StorageStatus::kOk && txn.serializable() != nullptr) {
    p->read_hash = hash_read(id_.value, key);
    s = txn.note_write(id_.value, key, p->read_hash);
    if (s != StorageStatus::kOk) undo_last(txn);
  }
  if (s == StorageStatus::kOk && indexes() != nullptr) {
    s = add_index_entries(txn, key, row, nullptr, *p->top.load(std::memory_order_relaxed), duplicate);
    if (s != StorageStatus::kOk) undo_last(txn);
  }
  return txn.failed_change(s);
}

StorageStatus TableImpl::update(Transaction& transaction, Bytes key, Bytes row, Duplicate* duplicate) {
  auto& txn = static_cast<TransactionImpl&>(transaction);
  StorageStatus s = check_size(txn, key, row);
  if (s != StorageStatus::kOk) return s;
  PendingVersion* p = my_pending(txn, key);
  INDIGO_CHECK(p != nullptr && "update needs a claim");
  if (p == nullptr) return StorageStatus::kNotFound;
  std::string old_image;
  bool indexed = indexes() != nullptr;
  if (indexed && !newest_own_image(txn, *p, old_image)) return StorageStatus::kNotFound;
  if (!push_image(txn, *p, row, LogRecord::Kind::kPush)) return StorageStatus::kOutOfMemory;
  if (!indexed) return StorageStatus::kOk;
  Bytes old = old_image;
  s = add_index_entries(txn, key, row, &old, *p->top.load(std::memory_order_relaxed), duplicate);
  if (s != StorageStatus::kOk) undo_last(txn);
  return txn.failed_change(s);
}

StorageStatus TableImpl::erase(Transaction& transaction, Bytes key) {
  auto& txn = static_cast<TransactionImpl&>(transaction);
  PendingVersion* p = my_pending(txn, key);
  INDIGO_CHECK(p != nullptr && "erase needs a claim");
  if (p == nullptr) return StorageStatus::kNotFound;
  if (!txn.memory_left() && (store_.memory().overfull() || memory_reserve_out()))
    return txn.failed(StorageStatus::kOutOfMemory);
  std::string old_image;
  bool indexed = indexes() != nullptr;
  if (indexed && !newest_own_image(txn, *p, old_image)) return StorageStatus::kNotFound;
  PendingEntry* e = make_entry(txn, *p, {}, false);
  e->tombstone = true;
  if (indexed) {
    const StorageStatus s = note_old_keys(txn, key, old_image, *e);
    if (s != StorageStatus::kOk) return s;
  }
  push(txn, *p, e, LogRecord::Kind::kPush);
  return StorageStatus::kOk;
}

StorageStatus TableImpl::erase_moved(Transaction& transaction, Bytes key) {
  const StorageStatus s = erase(transaction, key);
  if (s != StorageStatus::kOk) return s;
  PendingVersion* p = my_pending(static_cast<TransactionImpl&>(transaction), key);
  p->top.load(std::memory_order_relaxed)->moved_away = true;  // read by the owner's commit only
  return s;
}

StorageStatus erase_moved(Table& table, Transaction& transaction, Bytes key) {
  return static_cast<TableImpl&>(table).erase_moved(transaction, key);
}

StorageStatus TableImpl::update_key(Transaction& transaction, Bytes key, Bytes new_key, Bytes row,
                                    Duplicate* duplicate) {
  if (key == new_key) return update(transaction, key, row, duplicate);
  auto& txn = static_cast<TransactionImpl&>(transaction);
  PendingVersion* old = my_pending(txn, key);
  INDIGO_CHECK(old != nullptr && "update_key needs a claim");
  if (old == nullptr) return StorageStatus::kNotFound;
  PendingVersion* p;
  StorageStatus s = insert_record(txn, new_key, row, duplicate, p);
  if (s != StorageStatus::kOk) return txn.failed_change(s);
  s = erase(txn, key);
  if (s != StorageStatus::kOk) {
    undo_last(txn);
    return s;
  }
  old->top.load(std::memory_order_relaxed)->new_key = p->key;
  if (indexes() == nullptr) return s;
  s = add_index_entries(txn, new_key, row, nullptr, *p->top.load(std::memory_order_relaxed), duplicate);
  if (s != StorageStatus::kOk) {
    undo_last(txn);  // the tombstone
    undo_last(txn);  // the insert
  }
  return txn.failed_change(s);
}

}  // namespace indigo::storage
