#include "engine/exec/change/deferred_checks.h"

#include <algorithm>

#include "engine/exec/change/foreign_key.h"

namespace indigo::engine::exec {

bool ConstraintEvent::may_wait() const {
  switch (kind) {
    case Kind::kChild:
    case Kind::kKey: return true;
    case Kind::kParentUpdated: return info().on_update == 'a';
    case Kind::kParentErased: return info().on_delete == 'a';
  }
  return false;
}

bool DeferredChecks::waits(const catalog::ConstraintInfo& constraint) const {
  if (!constraint.deferrable) return false;
  if (auto at = modes_.single.find(constraint.oid); at != modes_.single.end()) return at->second;
  return modes_.all.value_or(constraint.deferred);
}

bool DeferredChecks::pending(Oid relation) const {
  return std::any_of(events_.begin(), events_.end(), [&](const Waiting& w) {
    return w.run == 0 && (relation == kInvalidOid || w.event.relation->oid == relation);
  });
}

void DeferredChecks::set_all(bool deferred) {
  modes_.single.clear();
  modes_.all = deferred;
}

Status DeferredChecks::run(QueryState& state, bool commit) {
  run_++;
  ForeignKeyQueue queue;
  for (Waiting& w : events_) {
    if (w.run != 0 || (!commit && waits(w.event.info()))) continue;
    w.run = run_;
    queue.add(w.event);
  }
  return queue.run_all(state, true);
}

void DeferredChecks::rollback_to(const Mark& mark) {
  events_.erase(events_.begin() + static_cast<std::ptrdiff_t>(std::min(mark.events, events_.size())), events_.end());
  for (Waiting& w : events_) {
    if (w.run > mark.run) w.run = 0;
  }
  modes_ = mark.modes;
}

void DeferredChecks::clear() {
  events_.clear();
  run_ = 0;
  modes_ = {};
}

}  // namespace indigo::engine::exec
