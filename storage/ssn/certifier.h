// Index-SSN: decides which serializable transactions may commit, by the exclusion window of the Serial Safety Net.
//
// Who is serializable enters with its snapshot, collects what it reads (ReadSet) and writes, and commits through certify(): a
// short section in which its window is tested, its stamp taken, and everything it leaves behind for others is
// written down, while it holds the partitions of what it has read and written. Transactions at weaker levels do not come here
// and pay nothing.
//
// Thread safety: all functions; a SerializableTransaction is used by its own session but for what others are said to see, and
// lives as long as the Certifier. Nothing here waits but for a partition's lock, and wait_safe(), which sleeps without any.
//
// Invariants:
// 1. Of two serializable writers that have a key or a place in common, the one whose section comes first has the smaller stamp,
//    and the second one's section sees all that the first has left: its reads in the stamps, its writes in the records. Of a
//    writer and a reader one sees the other.
// 2. A record stays in its partition, and a stamp above a snapshot in its place, while a serializable transaction that is open
//    has an older snapshot; or a summary that is not milder.
// 3. (R7) eta starts at the snapshot. So what a transaction finds committed when it begins needs no stamp.
// Source: Wang, Johnson, Fekete, Pandis, Efficiently making (almost) any concurrency control mechanism serializable
// (VLDB Journal 26, 2017); Index-Organized 5.2; Nakazono et al., Griffin (2024), for the partitions' two sides. README.md has the
// proof, the structure, and what differs.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/fiber/wait_point.h"
#include "base/ids.h"
#include "storage/pause_points.h"
#include "storage/ssn/footprint.h"
#include "storage/ssn/key_slots.h"
#include "storage/ssn/range_map.h"
#include "storage/ssn/read_set.h"
#include "storage/ssn/safe_snapshots.h"
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
    uint32_t range_partition =
        0;  // the Certifier's, in a commit section; kNoPartition: nobody reads ranges of the space
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
  enum class Open : uint8_t { kNo, kMayWrite, kReads, kRestored };
  // A lower bound of its snapshot while it is open as one of those, else 0.
  uint64_t bound(bool readers_too) const {
    const uint64_t bound = SnapshotRegistry::lower_bound(*slot_);  // before open_ is loaded: see Certifier::enter
    const Open open = open_.load();
    if (open == Open::kRestored) return 1;  // it has read before the restart
    return open == Open::kMayWrite || (readers_too && open == Open::kReads) ? bound : 0;
  }
  std::atomic<Open> open_{Open::kNo};             // set by its session, others load it
  const SnapshotRegistry::Slot* slot_ = nullptr;  // always the same; set before it becomes known to the Certifier
  SerializableTransaction* next_known_ = nullptr;
  SafeSnapshots::Reader reader_;  // declared read only, and tracked
  // Ends; written by its session.
  std::atomic<uint64_t> commits_{0}, failures_{0}, safe_{0};
  bool prepared_ = false;
  uint64_t prepared_pi_ = 0, prepared_eta_ = 0;       // while it is prepared: the window as it stands
  uint32_t looks_ = 0;                                // wishes to look at many sessions
  uint32_t until_sample_ = 0;                         // writes until the next one that is a sample for the RangeMap
  std::vector<uint64_t> read_slots_, written_slots_;  // scratch of the commit: of many keys, in no order
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
  void prefetch(uint64_t hash) const {
    __builtin_prefetch(&(*slots_)[hash], 1);
    __builtin_prefetch(&point(hash), 1);
  }

  // Early tests of the window. False: the transaction cannot commit any more.
  bool read_point(SerializableTransaction& t, uint64_t hash) {
    t.reads.add_point(hash);
    return (*slots_)[hash].written.load(std::memory_order_relaxed) <= t.snapshot || still_open(t, hash);
  }
  // A record is about to be written, or a new one was: someone who has read it, or around it, may have committed since.
  bool write_point(SerializableTransaction& t, uint64_t space, Bytes key, uint64_t hash) {
    const uint64_t stamp = (*slots_)[hash].read.load(std::memory_order_relaxed);
    point(hash).writes.prefetch();
    if (stamp <= t.snapshot && !map_.may_be_read_above(space, t.snapshot)) return true;
    return write_open(t, {space, key}, stamp);
  }

  // (R8) Between two statements: nothing that it has read was changed above its snapshot, so that it may have a newer one that the
  // clock had as stable before this is asked.
  bool is_unchanged(const SerializableTransaction& t);

  // Can it still commit, as far as is known? For the choice between two failures.
  bool open(const SerializableTransaction& t);
  // The same with what it has written so far (t.writes), between two of its statements. Spaces of which it has read ranges are
  // expected to be read from now on, so that those who write there until it commits are known.
  bool open_between_statements(const SerializableTransaction& t);

  // kOk: the transaction commits; at `c`, when it has writes. Else it must roll back. It has left in either case.
  bool certify(SerializableTransaction& t, CommitStamp& c);

  // ---- two-phase commit (prepared.cpp). As certify, but it stays open, and takes neither a stamp nor its leave. True: from now
  // on it can commit whatever others do, who fail instead, until commit_prepared or leave.
  // `again`: after a restart, when that has been decided.
  bool prepare(SerializableTransaction& t, bool again);
  CommitStamp commit_prepared(SerializableTransaction& t);

  struct Statistics {
    uint64_t commits = 0, failures = 0, safe_readers = 0;
    uint64_t log_records = 0, range_segments = 0, open = 0;
    uint64_t map_version = 0;
  };
  Statistics statistics() const;

  // More keys than this are looked at by the slots that they fall into.
  static constexpr size_t kManyPoints = 4096;
  static constexpr uint32_t kNoPartition = UINT32_MAX;
  // More writes than this are written down as one for each partition.
  static constexpr size_t kManyWrites = 8192;

 private:
  // A section: what it holds, and what follows from it.
  struct Section {
    Footprint footprint;
    Footprint written;
    bool due = false;  // a newer oldest_ is worth its while
  };

  PointPartition& point(uint64_t hash) const { return partitions_->points[KeySlots::partition_of(hash)]; }
  uint64_t oldest() const { return oldest_.load(std::memory_order_relaxed); }
  static uint64_t start(const SerializableTransaction& t);

  bool still_open(SerializableTransaction& t, uint64_t hash);
  bool write_open(SerializableTransaction& t, const SpaceKey& key, uint64_t reader);
  // What is known of pi without holding more than one partition at a time.
  uint64_t low_estimate(const SerializableTransaction& t);
  uint64_t least_pi(const ReadSet::Range& range, uint64_t snapshot);
  // And of eta.
  uint64_t high_estimate(const SerializableTransaction& t);

  // ---- who writes, or has read everything
  bool certify_section(SerializableTransaction& t, CommitStamp& c);
  void lock(SerializableTransaction& t, Section& s);
  uint64_t low_watermark(const SerializableTransaction& t) const;
  uint64_t high_watermark(const SerializableTransaction& t, const Section& s) const;
  void leave_stamps(const SerializableTransaction& t, uint64_t stamp, Section& s);
  void leave_writes(const SerializableTransaction& t, uint64_t c, uint64_t pi, Section& s);
  void take_samples(SerializableTransaction& t);
  void renew_fences(const RangeMap::Fences& fences);
  // Someone has read ranges, for the first time in a space: writers are to know from now on.
  void expect_ranges(const SerializableTransaction& t);
  // Under all locks of ranges: tells the partitions that the new map leads to what was written before, then lets the map
  // change. Who follows the map to a partition's `newest_write`, and takes no lock, finds it told.
  template <class Tell, class Change>
  void change_map(Tell tell, Change change);

  static void choose_slots(SerializableTransaction& t);
  CommitStamp take_stamp(uint64_t above, const Section& s);

  // ---- beside transactions that are prepared; all but any_prepared under prepared_mutex_
  static bool any_prepared(uint64_t preparations) { return static_cast<uint32_t>(preparations) != 0; }
  // Could those still commit if `t` did, with this pi, at `place` (of one that only reads), or at a stamp that it will take?
  bool spares_prepared(const SerializableTransaction& t, uint64_t pi, uint64_t place) const;
  void tell_prepared(const SerializableTransaction& t, uint64_t pi, uint64_t place);
  void forget_prepared(SerializableTransaction& t);

  // ---- who only reads
  bool certify_reader(SerializableTransaction& t);
  // Leaves its stamps, at its place in the order, and tests its window.
  bool look_back(SerializableTransaction& t, uint64_t& place, bool& due);
  // Does everyone who may write begin, or has begun, with this place in his snapshot? It may be told too late.
  bool known_to_all(SerializableTransaction& t, uint64_t place);
  uint64_t read_points(const SerializableTransaction& t, uint64_t place, bool raise);
  uint64_t read_range(const SerializableTransaction& t, const ReadSet::Range& range, uint64_t place, bool raise,
                      bool& due);

  void remember(SerializableTransaction& t, const SnapshotRegistry::Slot& slot);
  // Has left, without holding a partition.
  void close(SerializableTransaction& t);
  template <class F>
  void for_each_known(F f) const {
    for (SerializableTransaction* t = known_.load(std::memory_order_acquire); t != nullptr; t = t->next_known_) f(*t);
  }
  // Looks again for what oldest_ may be.
  void find_oldest();
  // Is a transaction open that may still write and whose snapshot is (or may become) below `stamp`?
  bool writer_below(uint64_t stamp) const;
  // Takes and gives back every lock: who has left under one of them is seen to have left.
  void pass_all_locks() const;

  CommitClock& clock_;
  const PauseHook& pauses_;
  const std::unique_ptr<KeySlots> slots_ = std::make_unique<KeySlots>();
  const std::unique_ptr<Partitions> partitions_ = std::make_unique<Partitions>();
  RangeMap map_;
  std::atomic<SerializableTransaction*> known_{nullptr};  // all there are: they are used again and again
  std::atomic<uint32_t> known_count_{0};
  std::atomic<uint64_t> everything_stamp_{0};  // latest committed reader of everything; changed under all locks
  std::atomic<uint32_t> waiting_{0};           // in wait_safe()
  // Above: how many have ever begun to be prepared. Below: how many of those are prepared, or being it. So no two values are equal
  // between which one was prepared.
  static constexpr uint64_t kOnePreparation = (uint64_t{1} << 32) + 1;
  std::atomic<uint64_t> preparations_{
      0};                      // seq_cst: prepare() counts before it looks at what others left, who load it after
  std::mutex prepared_mutex_;  // taken before all partitions' locks; guards prepared_ and its elements' windows
  std::vector<SerializableTransaction*> prepared_;
  alignas(64) std::atomic<uint64_t> oldest_{0};  // no serializable snapshot, now or later, is below it
  alignas(64) SafeSnapshots safe_;
  WaitPoint ended_;
};

}  // namespace indigo::storage
