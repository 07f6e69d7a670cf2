// Claims and explicit row locks: who may change a record next, and waiting for the one that does now.
#include <algorithm>

#include "base/check.h"
#include "base/memory/memory_reserve.h"
#include "base/mutation.h"
#include "storage/okvl/key_locks.h"
#include "storage/table/table_impl.h"

namespace indigo::storage {

TableImpl::Owner TableImpl::owner_of(const PendingVersion& pending) {
  return {pending.owner, pending.owner->transaction(), pending.owner->generation()};
}

Bytes TableImpl::committed_image(const Leaf* leaf, const RecordMeta& m) {
  if (m.overflow()) return load_unaligned<OverflowBody*>(leaf->payload(m))->bytes();
  return {leaf->payload(m), m.payload_length()};
}

Bytes TableImpl::entry_image(const Leaf* leaf, const RecordMeta& m, const PendingEntry& e) {
  if (e.overflow != nullptr) return e.overflow->bytes();
  return e.in_leaf ? Bytes(leaf->payload(m), m.payload_length()) : e.image;
}

StorageStatus TableImpl::check_committed(TransactionImpl& txn, const ReadView& view, const Leaf* leaf,
                                         const RecordMeta& m, bool key_share, Claimed& out, Attempt& attempt) {
  bool newer = m.stamp > view.stamp.value;
  bool fixed_snapshot = txn.isolation() != Isolation::kReadCommitted;
  if (newer && fixed_snapshot) txn.met_newer(m.stamp);
  if (!m.visible()) {
    txn.saw(m.stamp);
    const bool left_table = m.moved() && m.payload_length() == 0;  // storage/moved_rows.h
    if (!newer && key_share && left_table && !fixed_snapshot) return StorageStatus::kConflict;
    if (!newer) return StorageStatus::kNotFound;
    if (fixed_snapshot) return m.moved() ? StorageStatus::kConflict : StorageStatus::kConflictDelete;
    if (!m.moved()) return StorageStatus::kNotFound;
    if (left_table) return StorageStatus::kConflict;
    attempt.new_key.assign(leaf->payload(m), m.payload_length());
    attempt.next = Next::kFollow;
    return StorageStatus::kOk;
  }
  // A key-share lock does not mind updates that left the key alone, and every version of a record has the same key.
  if (newer && fixed_snapshot && !key_share) return StorageStatus::kConflict;
  out.changed = out.changed || newer;
  return StorageStatus::kOk;
}

PendingVersion* TableImpl::new_pending(TransactionImpl& txn, Bytes key, RowLockMode mode) {
  txn.touch(*this);
  auto* p = new (txn.arena().allocate(sizeof(PendingVersion))) PendingVersion();
  p->owner = &txn.writes().descriptor;
  p->table = this;
  p->key = txn.keep(key);
  p->mode = mode;
  return p;
}

PendingVersion* TableImpl::take_record(TransactionImpl& txn, Leaf* leaf, size_t i, RecordMeta m, Bytes key,
                                       RowLockMode mode) {
  PendingVersion* p = new_pending(txn, key, mode);
  p->leaf.store(leaf, std::memory_order_release);
  p->base_predecessor.store(m.predecessor, std::memory_order_relaxed);
  p->position = static_cast<uint32_t>(i);
  m.set_state(RecordState::kUpdating);
  m.predecessor = reinterpret_cast<uint64_t>(p);
  leaf->set_meta(i, m);
  p->owner->add_records(1);
  return p;
}

TableImpl::Attempt TableImpl::try_claim(TransactionImpl& txn, const ReadView& view, Bytes key, RowLockMode mode,
                                        Claimed& out) {
  Attempt attempt;
  KeyView k(key);
  EpochManager::WriteGuard guard(store_.epochs());
  Leaf* leaf = tree_.lock_leaf(k, Need::kMayFail);
  if (leaf == nullptr) {
    attempt.status = StorageStatus::kOutOfMemory;
    return attempt;
  }
  bool equal;
  size_t i = leaf->lower_bound(k, leaf->status().count, equal);
  if (!equal) {
    leaf->latch.unlock_unchanged();
    attempt.status = StorageStatus::kNotFound;
    return attempt;
  }
  leaf->prefetch_body(i);
  RecordMeta m = leaf->meta(i);
  PendingVersion* mine = nullptr;
  const PendingEntry* top = nullptr;
  if (m.state() != RecordState::kClear) {
    PendingVersion* p = pending_of(m);
    if (p->owner != txn.descriptor()) {
      attempt.next = Next::kWaitOwner;
      attempt.owner = owner_of(*p);
      leaf->latch.unlock_unchanged();
      return attempt;
    }
    mine = p;
    top = p->top.load(std::memory_order_relaxed);
  }
  out.own = top != nullptr;
  if (top != nullptr) {
    if (top->command >= view.command || top->tombstone) {
      out.self_modified = top->command >= view.command;
      attempt.status = StorageStatus::kNotFound;
    }
  } else {
    attempt.status = check_committed(txn, view, leaf, m, false, out, attempt);
  }
  if (attempt.status != StorageStatus::kOk || attempt.next != Next::kDone) {
    leaf->latch.unlock_unchanged();
    return attempt;
  }
  bool took_lock = false;
  if (m.locked() && (mine == nullptr || mode > mine->mode)) {
    const uint32_t before = store_.locks().mark(txn.lock_owner());
    attempt.status = store_.locks().lock_row(txn.lock_owner(), id_, key, mode, false, {});
    if (attempt.status != StorageStatus::kOk) {
      leaf->latch.unlock_unchanged();
      if (attempt.status == StorageStatus::kWouldBlock) attempt.next = Next::kWaitLock;
      return attempt;
    }
    took_lock = store_.locks().mark(txn.lock_owner()) != before;
    if (mode == RowLockMode::kUpdate)
      m.set_flag(RecordMeta::kLockedBit, false);  // no other transaction holds a lock now
  }
  Bytes image = top != nullptr ? entry_image(leaf, m, *top) : committed_image(leaf, m);
  if (top == nullptr && m.stamp > view.stamp.value) txn.saw(m.stamp);
  if (mine != nullptr) {
    mine->mode = std::max(mine->mode, mode);
    leaf->set_meta(i, m);
  } else {
    mine = take_record(txn, leaf, i, m, key, mode);
    mine->took_lock = took_lock;
    txn.state().log.emplace_back(mine, LogRecord::Kind::kClaim);
  }
  out.key.assign(key);
  out.row.assign(image);  // last: the body has had time to come
  leaf->latch.unlock();
  txn.last_claim = mine;
  return attempt;
}

namespace {

// Who waits for a record queues at a lock on its key first, and only the first in the queue waits for the record's
// owner: an end wakes one session instead of all, and they come in order. Released once the record is claimed.
class Queue {
 public:
  Queue(TransactionImpl& txn, LockManager& locks, TableId table) : txn_(txn), locks_(locks), table_(table) {}
  ~Queue() { leave(); }
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;

  StorageStatus enter(Bytes key) {
    if (inside_) return StorageStatus::kOk;
    before_ = locks_.mark(txn_.lock_owner());
    StorageStatus s = locks_.lock_record_queue(txn_.lock_owner(), table_, key, true, txn_.lock_timeout());
    after_ = locks_.mark(txn_.lock_owner());
    inside_ = s == StorageStatus::kOk;
    return s;
  }
  void leave() {
    // A lock that came after it is there to stay; then this one stays too.
    if (inside_ && locks_.mark(txn_.lock_owner()) == after_) locks_.release_since(txn_.lock_owner(), before_);
    inside_ = false;
  }

 private:
  TransactionImpl& txn_;
  LockManager& locks_;
  TableId table_;
  bool inside_ = false;
  uint32_t before_ = 0, after_ = 0;
};

}  // namespace

template <class Try>
StorageStatus TableImpl::attempt_until_done(TransactionImpl& txn, Bytes key, RowLockMode mode, LockWait wait,
                                            Claimed& out, Try try_once) {
  std::string followed;
  bool lock_held = false;
  Queue queue(txn, store_.locks(), id_);
  out.changed = out.own = out.self_modified = false;
  if (memory_reserve_out()) return StorageStatus::kOutOfMemory;
  for (;;) {
    Attempt a = try_once(key, lock_held);
    switch (a.next) {
      case Next::kDone: return a.status;
      case Next::kAgain: break;
      case Next::kWaitOwner: {
        if (wait != LockWait::kWait) return StorageStatus::kWouldBlock;
        StorageStatus s = queue.enter(key);
        if (s == StorageStatus::kOk) s = txn.wait_for(*a.owner.descriptor, a.owner.transaction, a.owner.generation);
        if (s != StorageStatus::kOk) return s;
        break;
      }
      case Next::kWaitLock: {
        if (wait != LockWait::kWait) return StorageStatus::kWouldBlock;
        StorageStatus s = store_.locks().lock_row(txn.lock_owner(), id_, key, mode, true, txn.lock_timeout());
        if (s != StorageStatus::kOk) return s;
        lock_held = true;
        break;
      }
      case Next::kFollow:
        if (mutated(Mutation::kStayAtOldKey)) return StorageStatus::kNotFound;
        queue.leave();
        followed = std::move(a.new_key);
        key = followed;
        out.changed = true;
        lock_held = false;
        break;
    }
  }
}

StorageStatus TableImpl::lock_to_write(TransactionImpl& txn, Bytes key, LockWait wait) const {
  const KeySpace space(*this);
  return KeyLocks(txn, space).write_value(key, wait == LockWait::kWait);
}

StorageStatus TableImpl::lock_to_lock(TransactionImpl& txn, Bytes key, RowLockMode mode, LockWait wait) const {
  const KeySpace space(*this);
  return KeyLocks(txn, space).lock_value(key, mode, wait == LockWait::kWait);
}

StorageStatus TableImpl::claim(Transaction& transaction, const ReadView& view, Bytes key, RowLockMode mode,
                               LockWait wait, Claimed& out) {
  auto& txn = static_cast<TransactionImpl&>(transaction);
  txn.shown_newest();
  const uint64_t hash = txn.expect_read(id_.value, key);
  StorageStatus s = txn.failed(attempt_until_done(txn, key, mode, wait, out, [&](Bytes k, bool) {
    Attempt locked;
    if (txn.locks_writes()) locked.status = lock_to_write(txn, k, wait);
    return locked.status != StorageStatus::kOk ? locked : try_claim(txn, view, k, mode, out);
  }));
  if (txn.serializable() == nullptr || (s != StorageStatus::kOk && s != StorageStatus::kNotFound)) return s;
  StorageStatus noted = txn.note_claim(id_.value, key, hash, view, s == StorageStatus::kOk);
  return noted != StorageStatus::kOk ? noted : s;
}

TableImpl::Attempt TableImpl::try_lock_row(TransactionImpl& txn, const ReadView& view, Bytes key, RowLockMode mode,
                                           bool lock_held, Claimed& out) {
  Attempt attempt;
  KeyView k(key);
  EpochManager::WriteGuard guard(store_.epochs());
  Leaf* leaf = tree_.lock_leaf(k, Need::kMayFail);
  if (leaf == nullptr) {
    attempt.status = StorageStatus::kOutOfMemory;
    return attempt;
  }
  bool equal;
  size_t i = leaf->lower_bound(k, leaf->status().count, equal);
  if (!equal) {
    leaf->latch.unlock_unchanged();
    attempt.status = StorageStatus::kNotFound;
    return attempt;
  }
  RecordMeta m = leaf->meta(i);
  const PendingEntry* top = nullptr;
  if (m.state() != RecordState::kClear) {
    PendingVersion* p = pending_of(m);
    if (p->owner == txn.descriptor()) {
      top = p->top.load(std::memory_order_relaxed);
    } else if (m.state() == RecordState::kInserting || mode != RowLockMode::kKeyShare ||
               p->mode != RowLockMode::kNoKeyUpdate || p->owner->committed()) {
      attempt.next = Next::kWaitOwner;
      attempt.owner = owner_of(*p);
      leaf->latch.unlock_unchanged();
      return attempt;
    }
  }
  out.self_modified = top != nullptr && top->command >= view.command;
  if (top != nullptr) {
    if (top->tombstone) {
      attempt.status = StorageStatus::kNotFound;
      out.key.assign(top->new_key);
    }
  } else {
    attempt.status = check_committed(txn, view, leaf, m, mode == RowLockMode::kKeyShare, out, attempt);
  }
  if (attempt.status != StorageStatus::kOk || attempt.next != Next::kDone) {
    leaf->latch.unlock_unchanged();
    return attempt;
  }
  if (!lock_held) {
    // First the bit, so that writers from now on ask the lock manager; then the lock.
    attempt.status = store_.locks().lock_row(txn.lock_owner(), id_, key, mode, false, {});
    if (attempt.status == StorageStatus::kWouldBlock) attempt.next = Next::kWaitLock;
  }
  if (attempt.status == StorageStatus::kOk) {
    out.key.assign(key);
    out.row.assign(top != nullptr ? entry_image(leaf, m, *top) : committed_image(leaf, m));
    if (top == nullptr && m.stamp > view.stamp.value) txn.saw(m.stamp);
  }
  if (!m.locked()) {
    m.set_flag(RecordMeta::kLockedBit, true);
    leaf->set_meta(i, m);
    leaf->latch.unlock();
  } else {
    leaf->latch.unlock_unchanged();
  }
  return attempt;
}

StorageStatus TableImpl::lock_row(Transaction& transaction, const ReadView& view, Bytes key, RowLockMode mode,
                                  LockWait wait, Claimed& out) {
  auto& txn = static_cast<TransactionImpl&>(transaction);
  txn.shown_newest();
  out.key.clear();
  auto attempt = [&](Bytes k, bool lock_held) {
    Attempt locked;
    if (txn.locks_reads(view)) locked.status = lock_to_lock(txn, k, mode, wait);
    return locked.status != StorageStatus::kOk ? locked : try_lock_row(txn, view, k, mode, lock_held, out);
  };
  StorageStatus s = txn.failed(attempt_until_done(txn, key, mode, wait, out, attempt));
  if (txn.serializable() == nullptr || (s != StorageStatus::kOk && s != StorageStatus::kNotFound)) return s;
  if (s == StorageStatus::kOk && mode == RowLockMode::kKeyShare) {
    // The lock keeps the record under its key until the end; all else of it may change.
    txn.serializable()->reads.add_key_part(hash_read(id_.value, key));
    return s;
  }
  StorageStatus noted = txn.note_read(id_.value, key, view, s == StorageStatus::kOk);
  return noted != StorageStatus::kOk ? noted : s;
}

PendingVersion* TableImpl::my_pending(TransactionImpl& txn, Bytes key) {
  PendingVersion* last = txn.last_claim;
  if (last != nullptr && last->table == this && last->key == key) return last;
  if (!txn.has_writes()) return nullptr;
  KeyView k(key);
  EpochManager::Guard guard(store_.epochs());
  for (;;) {
    uint64_t version;
    Leaf* leaf = tree_.find_leaf(k, version);
    bool equal;
    size_t i = leaf->lower_bound(k, leaf->status().count, equal);
    RecordMeta m;
    if (equal) m = own_meta(leaf, i);
    if (!leaf->latch.validate(version)) continue;
    if (!equal || m.state() == RecordState::kClear || pending_of(m)->owner != txn.descriptor()) return nullptr;
    return pending_of(m);
  }
}

Leaf* TableImpl::lock_leaf_of(PendingVersion& pending, size_t& i, bool to_write) {
  for (;;) {
    Leaf* leaf = pending.leaf.load(std::memory_order_acquire);
    if (to_write && !tree_.writable(leaf)) {
      tree_.make_private(KeyView(pending.key), Need::kMust);
      continue;
    }
    leaf->latch.lock();
    if (pending.leaf.load(std::memory_order_acquire) != leaf) {
      leaf->latch.unlock_unchanged();
      continue;
    }
    i = pending.position;
    if (i < leaf->status().count && pending_of(leaf->meta(i)) == &pending) return leaf;
    bool equal;
    i = leaf->lower_bound(KeyView(pending.key), leaf->status().count, equal);
    INDIGO_CHECK(equal && pending_of(leaf->meta(i)) == &pending);
    return leaf;
  }
}

void TableImpl::release_record(PendingVersion& pending) {
  EpochManager::WriteGuard guard(store_.epochs());
  release_guarded(pending);
}

void TableImpl::release_guarded(PendingVersion& pending) {
  size_t i;
  Leaf* leaf = lock_leaf_of(pending, i, true);
  RecordMeta m = leaf->meta(i);
  if (m.state() == RecordState::kInserting && is_locked(IndexId(id_.value), pending.key)) {
    const bool fits = leaf->replace_payload(m, {});
    INDIGO_CHECK(fits);
    m.set_flag(RecordMeta::kOverflowBit, false);
    m.set_state(RecordState::kClear);
    m.predecessor = 0;
    leaf->set_meta(i, m);
    queue(leaf);
  } else if (m.state() == RecordState::kInserting) {
    leaf->remove_meta(i);
    if (tree_.emptied(*leaf)) queue(leaf);
  } else {
    m.set_state(RecordState::kClear);
    m.predecessor = pending.base_predecessor.load(std::memory_order_relaxed);
    leaf->set_meta(i, m);
  }
  pending.released = true;
  pending.owner->add_records(-1);
  leaf->latch.unlock();
}

void TableImpl::unclaim(Transaction& transaction, Bytes key) {
  auto& txn = static_cast<TransactionImpl&>(transaction);
  PendingVersion* p = my_pending(txn, key);
  if (p == nullptr || p->top.load(std::memory_order_relaxed) != nullptr) return;
  release_record(*p);
  if (p->took_lock) store_.locks().unlock_row(txn.lock_owner(), id_, p->key, p->mode);
  txn.last_claim = nullptr;
  // Savepoints are positions in the log: what lies before the last one stays, and is skipped later.
  auto& log = txn.state().log;
  size_t fixed = txn.state().savepoints.empty() ? 0 : txn.state().savepoints.back().log_position;
  bool last = log.size() > fixed && log.back().pending() == p && log.back().kind() == LogRecord::Kind::kClaim;
  if (last) log.pop_back();
  txn.writes().descriptor.announce_release();
}

}  // namespace indigo::storage
