#include "storage/lock/wait_graph.h"

#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "base/memory/memory_reserve.h"

namespace indigo::storage {
namespace {

WaitParty party_of(const OwnerImpl& owner) { return {owner.txn().value, owner.session_number()}; }

bool stands_before(const LockRequest& other, const LockRequest& request) {
  const LockRequest* at = request.previous_waiter;
  while (at && at != &other) at = at->previous_waiter;
  return at != nullptr;
}

}  // namespace

// ---- registration

bool WaitGraph::add_lock_wait(LockRequest& request) {
  Wait wait{party_of(*request.owner), &request, 0};
  auto& waits = wait.waiter.txn ? by_transaction_ : by_session_;
  uint64_t id = wait.waiter.txn ? wait.waiter.txn : wait.waiter.session;
  const MustNotFail scope;  // the request stands in its queue already
  std::lock_guard guard(mutex_);
  waits[id] = wait;
  if (!deadlocked(wait)) return true;
  waits.erase(id);
  deadlocks_++;
  return false;
}

bool WaitGraph::add_record_wait(TxnId waiter, TxnId owner) {
  Wait wait{{waiter.value, 0}, nullptr, owner.value};
  const MustNotFail scope;
  std::lock_guard guard(mutex_);
  by_transaction_[waiter.value] = wait;
  if (!deadlocked(wait)) return true;
  by_transaction_.erase(waiter.value);
  deadlocks_++;
  return false;
}

void WaitGraph::remove_lock_wait(const LockRequest& request) {
  WaitParty party = party_of(*request.owner);
  std::lock_guard guard(mutex_);
  party.txn ? by_transaction_.erase(party.txn) : by_session_.erase(party.session);
}

void WaitGraph::remove_record_wait(TxnId waiter) {
  std::lock_guard guard(mutex_);
  by_transaction_.erase(waiter.value);
}

// ---- search

uint64_t WaitGraph::session_of(const WaitParty& party) const {
  return party.session ? party.session : registry_.session_of(TxnId{party.txn});
}

bool WaitGraph::same(const WaitParty& a, const WaitParty& b) const {
  if (a.txn && b.txn) return a.txn == b.txn;
  uint64_t session = session_of(a);
  return session != 0 && session == session_of(b);
}

template <class Visit>
void WaitGraph::waits_of(const WaitParty& party, Visit visit) const {
  if (party.txn) {
    if (auto it = by_transaction_.find(party.txn); it != by_transaction_.end()) visit(it->second);
  } else {  // rare: someone waits for a session-level lock; the session's transaction may be what waits
    for (auto& [txn, wait] : by_transaction_) {
      if (session_of(wait.waiter) == party.session) visit(wait);
    }
  }
  if (by_session_.empty()) return;
  if (auto it = by_session_.find(session_of(party)); it != by_session_.end()) visit(it->second);
}

bool WaitGraph::registered(const LockRequest& request) const {
  const WaitParty party = party_of(*request.owner);
  const auto& waits = party.txn != 0 ? by_transaction_ : by_session_;
  const auto it = waits.find(party.txn != 0 ? party.txn : party.session);
  return it != waits.end() && it->second.request == &request;
}

void WaitGraph::edges_of(const Wait& wait, std::vector<Edge>& edges, bool all) const {
  edges.clear();
  if (!wait.request) {
    edges.push_back({{wait.record_owner, 0}, nullptr});
    return;
  }
  const LockRequest& request = *wait.request;
  // The lock stays while the request is queued, and the request is freed only after its wait left this graph; a
  // request granted meanwhile holds the lock. So request.lock is valid either way.
  const Lock& lock = *request.lock;
  LockPartition& partition = table_.partition(lock.hash);
  std::lock_guard guard(partition.mutex);
  if (!request.waiting.load(std::memory_order_relaxed)) return;
  for (const LockRequest* holder = lock.holders; holder; holder = holder->next_holder) {
    if (LockPartition::holder_conflicts(lock, *holder, request.wanted) && !same_party(*holder->owner, *request.owner)) {
      edges.push_back({party_of(*holder->owner), nullptr});
    }
  }
  if (request.granted) return;  // a conversion waits for holders only
  for (LockRequest* before = request.previous_waiter; before; before = before->previous_waiter) {
    if (!LockPartition::modes_conflict(lock, before->wanted, request.wanted)) continue;
    edges.push_back({party_of(*before->owner), before});
    // One who wants the same exclusive mode waits for everybody further ahead too; unless the graph does not know that it
    // waits, for it stands in the queue a little longer than here.
    const bool same_mode =
        before->wanted.code == request.wanted.code && before->wanted.components == request.wanted.components;
    if (same_mode && !before->granted && !all && registered(*before)) break;
  }
}

bool WaitGraph::find_cycle(const Wait& start, std::vector<CycleStep>& soft) const {
  struct Node {
    const Wait* wait;
    size_t parent;
    LockRequest* before;  // of the edge from the parent's wait to this one
  };
  std::vector<Node> nodes{{&start, 0, nullptr}};
  absl::flat_hash_set<const Wait*> seen;
  std::vector<Edge> edges;
  for (size_t at = 0; at < nodes.size(); at++) {
    edges_of(*nodes[at].wait, edges);
    for (const Edge& edge : edges) {
      if (same(edge.to, start.waiter)) {
        soft.clear();
        if (edge.before) soft.push_back({nodes[at].wait->request, edge.before});
        for (size_t node = at; node != 0; node = nodes[node].parent) {
          if (nodes[node].before) soft.push_back({nodes[nodes[node].parent].wait->request, nodes[node].before});
        }
        return true;
      }
      waits_of(edge.to, [&](const Wait& wait) {
        if (seen.insert(&wait).second) nodes.push_back({&wait, at, edge.before});
      });
    }
  }
  return false;
}

template <class Counts, class IsEnd>
bool WaitGraph::leads_to(std::vector<const Wait*> from, const Wait& searcher, Counts counts, IsEnd is_end) const {
  absl::flat_hash_set<const Wait*> seen(from.begin(), from.end());
  std::vector<Edge> edges;
  for (size_t at = 0; at < from.size(); at++) {
    const Wait& wait = *from[at];
    edges_of(wait, edges, true);
    for (const Edge& edge : edges) {
      if (!counts(wait, edge) || same(edge.to, searcher.waiter)) continue;
      if (is_end(edge.to)) return true;
      waits_of(edge.to, [&](const Wait& next) {
        if (seen.insert(&next).second) from.push_back(&next);
      });
    }
  }
  return false;
}

bool WaitGraph::reorder(const Wait& searcher, const CycleStep& step) {
  struct Between {  // stands in the queue from `before` on, up to `waiter`
    const LockRequest* request;
    WaitParty party;
    bool meets_waiter;  // would have to wait for `waiter` if that stood before
    bool meets_before;  // `before` would have to wait for it
  };
  LockRequest &waiter = *step.waiter, &before = *step.before;
  const Lock& lock = *waiter.lock;
  LockPartition& partition = table_.partition(lock.hash);
  std::vector<Between> between;
  WaitParty party_before;
  bool conversion;
  {
    const std::lock_guard guard(partition.mutex);
    // Either may have been granted or cancelled since the cycle was found; then the next search finds another answer.
    if (!waiter.waiting.load(std::memory_order_relaxed) || !stands_before(before, waiter)) return true;
    for (const LockRequest* at = &before; at != nullptr; at = at == &waiter ? nullptr : at->next_waiter) {
      const bool meets_waiter = at->granted == 0 && LockPartition::modes_conflict(lock, at->wanted, waiter.wanted);
      const bool meets_before = at != &before && LockPartition::modes_conflict(lock, at->wanted, before.wanted);
      between.push_back({at, party_of(*at->owner), at != &waiter && meets_waiter, meets_before});
    }
    party_before = between.front().party;
    conversion = before.granted != 0;
  }
  const auto stands_between = [&](const LockRequest* request) {
    return std::any_of(between.begin(), between.end(), [&](const Between& b) { return b.request == request; });
  };
  // The waiter moves ahead: it must not wait, in some other way, for one of those whom it passes.
  const auto passes = [&](const Wait& wait, const Edge& edge) {
    return wait.request != &waiter || !stands_between(edge.before);
  };
  const auto is_passed = [&](const WaitParty& party) {
    return std::any_of(between.begin(), between.end(),
                       [&](const Between& b) { return b.meets_waiter && same(b.party, party); });
  };
  const auto waits_at = [&](const LockRequest* request, const WaitParty& party, std::vector<const Wait*>& waits) {
    waits_of(party, [&](const Wait& wait) {
      if (wait.request == request) waits.push_back(&wait);
    });
  };
  std::vector<const Wait*> from;
  waits_at(&waiter, between.back().party, from);
  const bool ahead = searcher.request == &waiter || !leads_to(from, searcher, passes, is_passed);
  if (!ahead) {
    // The other one moves back: none of those who pass it must wait for it in some other way. A conversion is not held up.
    if (conversion) return false;
    from.clear();
    for (const Between& b : between) {
      if (b.meets_before) waits_at(b.request, b.party, from);
    }
    const auto goes_on = [&](const Wait& wait, const Edge& edge) {
      return edge.before != &before || !stands_between(wait.request);
    };
    const auto is_before = [&](const WaitParty& party) { return same(party, party_before); };
    if (searcher.request != &before && leads_to(from, searcher, goes_on, is_before)) return false;
  }
  const std::lock_guard guard(partition.mutex);
  if (!waiter.waiting.load(std::memory_order_relaxed) || !stands_before(before, waiter)) return true;
  if (ahead) {
    partition.move_before(waiter, before);
  } else {
    partition.move_behind(before, waiter);
  }
  return true;
}

bool WaitGraph::deadlocked(const Wait& wait) {
  std::vector<CycleStep> soft;
  // Who was moved before whom. A pair is turned round once and not back, so this ends; the same waiter may have to pass
  // several that stand before it.
  absl::flat_hash_set<std::pair<const LockRequest*, const LockRequest*>> moved;
  while (find_cycle(wait, soft)) {
    const bool broken = std::any_of(soft.begin(), soft.end(), [&](const CycleStep& s) {
      if (moved.contains({s.waiter, s.before}) || moved.contains({s.before, s.waiter})) return false;
      moved.insert({s.waiter, s.before});
      return reorder(wait, s);
    });
    if (!broken) return true;
  }
  return false;
}

// ---- what others want to know

std::vector<uint64_t> WaitGraph::blocking_sessions(uint64_t session) const {
  std::vector<uint64_t> sessions;
  std::vector<Edge> edges;
  std::lock_guard guard(mutex_);
  waits_of({0, session}, [&](const Wait& wait) {
    edges_of(wait, edges);
    for (const Edge& edge : edges) {
      uint64_t blocker = session_of(edge.to);
      if (std::find(sessions.begin(), sessions.end(), blocker) == sessions.end()) {
        sessions.push_back(blocker);
      }
    }
  });
  return sessions;
}

std::vector<WaitGraph::RecordWait> WaitGraph::record_waits() const {
  std::vector<RecordWait> waits;
  std::lock_guard guard(mutex_);
  for (auto& [txn, wait] : by_transaction_) {
    if (!wait.request) waits.push_back({TxnId{txn}, TxnId{wait.record_owner}});
  }
  return waits;
}

uint64_t WaitGraph::deadlock_count() const {
  std::lock_guard guard(mutex_);
  return deadlocks_;
}

}  // namespace indigo::storage
