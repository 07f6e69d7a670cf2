// How a transaction commits (docs/theory.md):
//
//   1. its record is written to the log's blocks, and the place of its last part reserved: what can fail has failed
//   2. a serializable one takes its stamp in Index-SSN's section, or must roll back
//   3. the others draw their stamps now; the record's last part is appended
//   4. the descriptor turns to "committed at c": the commit point, one store
//   5. images are installed in the leaves, versions linked, old entries of indexes erased
//   6. it waits until every smaller stamp is decided (R5): then its session's next snapshot sees it
//
// A transaction that was prepared (storage/prepared.h) has passed 1 and 2: its record is the decision's, and it only takes
// its stamp.
//
// What follows, locks and memory given back, waiting for the disk, is the store's (StoreImpl::finish, StoreImpl::commit).
//
// Steps 2 to 6 pass a gate, so that a clone can find an instant without commits.
// Thread safety: run() by any sessions at the same time; try_close() and open() by one at a time.
// Invariants:
// 1. Between a context's two counts of `commits` (odd) its transaction is in steps 2 to 6.
// 2. After try_close() has answered true, until open(), every context's count is even and stays so.
#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <span>
#include <vector>

#include "base/ids.h"
#include "log/log.h"
#include "storage/pause_points.h"
#include "storage/status.h"
#include "storage/txn/commit_clock.h"
#include "storage/txn/snapshot_registry.h"

namespace indigo::storage {

class TransactionImpl;
struct PendingEntry;
struct PendingVersion;
struct WriteContext;

class CommitProtocol {
 public:
  CommitProtocol(log::Log& log, CommitClock& clock, SnapshotRegistry& snapshots, const PauseHook& pauses)
      : log_(log), clock_(clock), snapshots_(snapshots), pauses_(pauses) {}

  // Other than kOk: nothing is visible, and it must roll back. `lsn`: what must be durable; zero when it wrote nothing.
  StorageStatus run(TransactionImpl& txn, Lsn& lsn);
  // The newest image of a record that the transaction has changed, for the log.
  static Bytes pending_row(TransactionImpl& txn, PendingVersion& pending, const PendingEntry& newest);

  // Waits, while others commit, until all commits that are under way now have ended. kInterrupted.
  StorageStatus wait_until_idle(std::span<WriteContext* const> contexts);
  // No commit passes until open(). False: a commit takes long, and the gate is open again. `contexts` is asked once the gate
  // is closed: contexts made later find it so.
  bool try_close(const std::function<std::vector<WriteContext*>()>& contexts);
  void open() { closed_.store(false); }

  // From then on, but for commits that are under way, those that no certifier sees are noted (advance_snapshot.h).
  void follow_uncertified() {
    following_.store(true);
    std::atomic_thread_fence(
        std::memory_order_seq_cst);  // before the counts of those who may not have seen it are read
  }
  // At or above the stamps of all that were noted and that the stable stamp covered when it was loaded before.
  uint64_t newest_uncertified() const;

  // The stamp of the last commit with end actions: of definitions, which readers see through caches and names.
  uint64_t last_definition() const { return last_definition_.load(std::memory_order_acquire); }

 private:
  // Through the gate.
  class Passage;
  StorageStatus prepare_log(TransactionImpl& txn);
  bool certify(TransactionImpl& txn);
  Lsn publish(TransactionImpl& txn);
  void note_uncertified(uint64_t c);

  log::Log& log_;
  CommitClock& clock_;
  SnapshotRegistry& snapshots_;
  const PauseHook& pauses_;
  std::atomic<bool> closed_{false};
  std::atomic<uint64_t> last_definition_{0};
  std::atomic<bool> following_{false};
  struct alignas(64) Newest {
    std::atomic<uint64_t> stamp{0};
  };
  std::array<Newest, 16> uncertified_;  // by processor
};

}  // namespace indigo::storage
