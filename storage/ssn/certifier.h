// Index-SSN: decides which serializable transactions may commit, by the exclusion window of the Serial Safety Net.
//
// Who is serializable enters with its snapshot, collects what it reads (ReadSet) and writes, and commits through certify(),
// the one short section in which its window is tested, its stamp taken, and everything it leaves behind for others is
// written down. Transactions at weaker levels do not come here and pay nothing.
//
// Thread safety: all functions; a SerializableTransaction is used by its own session but for what the lock guards, and
// lives as long as the Certifier. Nothing here waits but wait_safe(), which sleeps without the lock.
//
// Invariants:
// 1. Of two serializable commits the one whose section comes first has the smaller stamp, and the second one's section
//    sees all that the first has left: its reads in the stamps, its writes in the log.
// 2. A record stays in the log, and a stamp above a snapshot in its place, while a serializable transaction that is open
//    has an older snapshot.
// 3. (R7) eta starts at the snapshot. So what a transaction finds committed when it begins needs no stamp.
// Source: Wang, Johnson, Fekete, Pandis, Efficiently making (almost) any concurrency control mechanism serializable
// (VLDB Journal 26, 2017); Index-Organized 5.2. README.md has the proof and what differs.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "base/fiber/wait_point.h"
#include "base/ids.h"
#include "storage/pause_points.h"
#include "storage/spin_lock.h"
#include "storage/ssn/key_slots.h"
#include "storage/ssn/range_stamps.h"
#include "storage/ssn/read_set.h"
#include "storage/ssn/write_log.h"
#include "storage/status.h"
#include "storage/txn/commit_clock.h"
#include "storage/txn/snapshot_registry.h"

namespace indigo::storage {

// What a serializable transaction carries along.
struct SerializableTransaction {
  struct Write {
    uint64_t hash;
    uint64_t space;
    Bytes key;         // lives to the end of the transaction
    bool key_changes;  // the record begins or ceases to exist under this key
  };

  uint64_t snapshot = 0;
  uint64_t eta = 0;                  // of what was read newer than the snapshot
  uint64_t pi = kInfinity;           // of those who are known to have overwritten what was read
  bool read_only = false;            // declared
  std::atomic<uint64_t> session{0};  // whose; others read it
  bool entered = false;
  ReadSet reads;
  std::vector<Write> index_writes;   // entries added to secondary indexes
  std::vector<Write> writes;         // scratch of the commit
  std::vector<uint64_t> hashes;      // scratch of reads of many keys
  std::vector<ReadSet::Mark> marks;  // of savepoints, for a mutation of R6 only

  // For the next transaction.
  void clear() {
    eta = 0;
    pi = kInfinity;
    reads.clear();
    index_writes.clear();
    writes.clear();
  }

 private:
  friend class Certifier;
  // A lower bound of its snapshot while it is open and may write, else 0. Under the Certifier's lock.
  uint64_t bound() const {
    const uint64_t bound = SnapshotRegistry::lower_bound(*slot_);  // before open_ is loaded: see Certifier::enter
    return bound != 0 && open_.load(std::memory_order_relaxed) ? bound : 0;
  }
  std::atomic<bool> open_{false};                 // set by its session, others load it
  const SnapshotRegistry::Slot* slot_ = nullptr;  // always the same; set when it becomes known to the Certifier
  bool waiting_ = false;                          // in wait_safe()
  bool unsafe_ = false;                           // read only: someone has committed who could be in a cycle with it
};

class Certifier {
 public:
  Certifier(CommitClock& clock, const PauseHook& pauses);

  // Takes the snapshot. False when the transaction is declared read only and already safe: no cycle can go through it,
  // it needs no tracking, and has not entered.
  bool enter(SerializableTransaction& t, const SnapshotRegistry& snapshots, SnapshotRegistry::Slot& slot,
             CommitStamp& snapshot);
  // Aborted: its reads and writes leave no trace.
  void leave(SerializableTransaction& t);
  // Of a read-only transaction that has entered: waits until its snapshot is known to be safe (kOk; it has left) or not
  // (kSerialization; it has left: take another snapshot). For DEFERRABLE.
  StorageStatus wait_safe(SerializableTransaction& t);

  // The sessions of the writers that a wait_safe() of this session waits for.
  std::vector<uint64_t> safe_snapshot_blockers(uint64_t session) const;

  // Someone is about to read or write this: its slot may come into the cache.
  void prefetch(uint64_t hash) const { __builtin_prefetch(&(*slots_)[hash], 1); }

  // Early tests of the window. False: the transaction cannot commit any more.
  bool read_point(SerializableTransaction& t, uint64_t hash) {
    t.reads.add_point(hash);
    return (*slots_)[hash].written.load(std::memory_order_relaxed) <= t.snapshot || still_open(t, hash);
  }
  // A record is about to be written, or a new one was: someone who has read it, or around it, may have committed since.
  bool write_point(SerializableTransaction& t, uint64_t space, Bytes key, uint64_t hash) {
    const uint64_t stamp = (*slots_)[hash].read.load(std::memory_order_relaxed);
    if (stamp <= t.snapshot && newest_range_.load(std::memory_order_relaxed) <= t.snapshot) return true;
    return write_open(t, space, key, stamp);
  }

  // Can it still commit, as far as is known? For the choice between two failures.
  bool open(const SerializableTransaction& t) const;

  // The commit section. kOk: the transaction commits; at `c`, when it has writes. Else it must roll back.
  // It has left in either case.
  bool certify(SerializableTransaction& t, CommitStamp& c);

  struct Statistics {
    uint64_t commits = 0, failures = 0, safe_readers = 0;
    uint64_t log_records = 0, range_segments = 0, open = 0;
  };
  Statistics statistics() const;

 private:
  bool still_open(SerializableTransaction& t, uint64_t hash);
  bool write_open(SerializableTransaction& t, uint64_t space, Bytes key, uint64_t reader) const;
  uint64_t low_watermark(const SerializableTransaction& t) const;
  uint64_t high_watermark(const SerializableTransaction& t) const;
  void leave_stamps(const SerializableTransaction& t, uint64_t stamp);
  void leave_writes(const SerializableTransaction& t, uint64_t c, uint64_t pi);
  void remove(SerializableTransaction& t);
  // Recomputes oldest_ and forgets what is older.
  void trim();
  // Is a transaction open that may still write and whose snapshot is (or may become) below `stamp`?
  bool writer_below(uint64_t stamp) const;

  // What everyone reads lies apart from what each commit writes.
  CommitClock& clock_;
  const PauseHook& pauses_;
  const std::unique_ptr<KeySlots> slots_ = std::make_unique<KeySlots>();
  std::atomic<uint64_t> newest_range_{0};  // the greatest in range_stamps_; changed under the lock
  std::atomic<uint32_t> waiting_{0};       // in wait_safe()
  alignas(64) mutable SpinLock lock_;      // the commit section; guards all below
  WriteLog log_{*slots_};
  absl::flat_hash_map<uint64_t, RangeStamps> range_stamps_;  // by space
  CommitStamp newest_;                                       // stamp taken here: the section's order is the stamps'
  uint64_t everything_stamp_ = 0;                            // latest committed reader of everything
  std::vector<SerializableTransaction*> known_;              // all there are: they are used again and again
  std::vector<SerializableTransaction*> readers_;            // declared read only, and tracked
  uint64_t oldest_ = 0;                                      // no serializable snapshot, now or later, is below it
  static constexpr size_t kTrimAt = 64;
  size_t trim_log_at_ = kTrimAt, trim_spaces_at_ = kTrimAt;
  Statistics counts_;
  WaitPoint ended_;
};

}  // namespace indigo::storage
