// Who waits for whom, and whether that closes a cycle. Waits for locks and for record writers are one graph.
//
// Nodes are parties: a transaction, or a session (its session-level advisory locks). Only waits are stored; the edges
// of a lock's waiter are computed from the lock's holders and queue when they are asked for, so they are never stale.
// Every wait is registered before it is tested: of the waits that form a cycle, the one registered last finds it.
// A cycle found is a deadlock: its members sleep, and the one who looks does not go on before it has the answer.
//
// Cycles come in two kinds. If every edge leads to a holder, the searcher is the victim. If an edge leads from a
// waiter to another that merely stands before it in the queue, the two change places instead, and no transaction fails.
//
// Invariants:
// 1. Between searches, the registered waits have no cycle. So a search finds all there are when it looks for those through
//    the wait that has come.
// 2. Whoever changes places makes new edges. None of them may close a cycle that the searcher is not in: nobody would look
//    for it.
//
// Thread safety: all functions. Order of mutexes: graph, partition, registry.
#pragma once

#include <mutex>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "storage/lock/lock_table.h"
#include "storage/lock/owner_registry.h"

namespace indigo::storage {

struct WaitParty {
  uint64_t txn = 0;      // zero: a session's own owner
  uint64_t session = 0;  // zero: unknown or none
};

class WaitGraph {
 public:
  WaitGraph(LockTable& table, const OwnerRegistry& registry) : table_(table), registry_(registry) {}

  // Registers the wait and looks for a cycle. False: deadlock; the wait is not registered then.
  bool add_lock_wait(LockRequest& request);
  bool add_record_wait(TxnId waiter, TxnId owner);
  void remove_lock_wait(const LockRequest& request);
  void remove_record_wait(TxnId waiter);

  // The sessions whose locks or queue positions `session` waits for, each once.
  std::vector<uint64_t> blocking_sessions(uint64_t session) const;
  struct RecordWait {
    TxnId waiter, owner;
  };
  std::vector<RecordWait> record_waits() const;
  uint64_t deadlock_count() const;

 private:
  struct Wait {
    WaitParty waiter;
    LockRequest* request = nullptr;  // a lock's; else record_owner
    uint64_t record_owner = 0;
  };
  struct Edge {
    WaitParty to;
    LockRequest* before;  // who stands before in the queue; nullptr when the edge leads to a holder
  };
  struct CycleStep {  // an edge of a cycle from a waiter to one that stands before it
    LockRequest* waiter;
    LockRequest* before;
  };

  bool deadlocked(const Wait& wait);
  // True when `wait` reaches itself; `soft` gets the cycle's edges within queues.
  bool find_cycle(const Wait& wait, std::vector<CycleStep>& soft) const;
  // Does one change places with the other? Either may move; not when that would close another cycle.
  bool reorder(const Wait& searcher, const CycleStep& step);
  // `all`: those of the queue, too, that a path through somebody else in it leads to.
  void edges_of(const Wait& wait, std::vector<Edge>& edges, bool all = false) const;
  bool registered(const LockRequest& request) const;
  // Does an edge that counts lead from one of `from`, or from where edges lead from there, past the searcher, to an end?
  template <class Counts, class IsEnd>
  bool leads_to(std::vector<const Wait*> from, const Wait& searcher, Counts counts, IsEnd is_end) const;
  template <class Visit>
  void waits_of(const WaitParty& party, Visit visit) const;
  bool same(const WaitParty& a, const WaitParty& b) const;
  uint64_t session_of(const WaitParty& party) const;

  LockTable& table_;
  const OwnerRegistry& registry_;
  mutable std::mutex mutex_;                            // guards what follows
  absl::flat_hash_map<uint64_t, Wait> by_transaction_;  // one wait at a time per transaction
  absl::flat_hash_map<uint64_t, Wait> by_session_;      // waits of session owners
  uint64_t deadlocks_ = 0;
};

}  // namespace indigo::storage
