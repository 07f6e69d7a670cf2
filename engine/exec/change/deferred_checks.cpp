#include "engine/exec/change/deferred_checks.h"

#include <algorithm>

#include "engine/exec/change/foreign_key.h"

namespace indigo::engine::exec {

bool ConstraintEvent::may_wait() const {
  switch (kind) {
    case Kind::kChild:
    case Kind::kKey: return true;
    case Kind::kParentUpdated: return info()->on_update == 'a';
    case Kind::kParentErased: return info()->on_delete == 'a';
    case Kind::kTrigger: return trigger().deferrable;
  }
  return false;
}

const catalog::ConstraintInfo* ConstraintEvent::info() const {
  switch (kind) {
    case Kind::kParentUpdated:
    case Kind::kParentErased: return &relation->referenced_by[constraint];
    case Kind::kTrigger: break;
    default: return &relation->constraints[constraint];
  }
  for (const catalog::ConstraintInfo& k : relation->constraints) {
    if (k.oid == trigger().constraint) return &k;
  }
  return nullptr;
}

namespace {

template <typename List>
std::optional<size_t> place_of(const List& list, Oid oid) {
  const auto at = std::find_if(list.begin(), list.end(), [&](const auto& x) { return x.oid == oid; });
  if (at == list.end()) return std::nullopt;
  return static_cast<size_t>(at - list.begin());
}

}  // namespace

bool ConstraintEvent::catch_up(const std::shared_ptr<const catalog::RelationInfo>& now) {
  if (now == nullptr) return false;
  std::optional<size_t> at;
  switch (kind) {
    case Kind::kParentUpdated:
    case Kind::kParentErased: at = place_of(now->referenced_by, info()->oid); break;
    case Kind::kTrigger:
      if (now->triggers != nullptr) at = place_of(now->triggers->triggers, trigger().oid);
      break;
    default: at = place_of(now->constraints, info()->oid);
  }
  if (!at) return false;
  relation = now;
  constraint = *at;
  return true;
}

bool DeferredChecks::waits(const catalog::ConstraintInfo& constraint) const {
  if (!constraint.deferrable) return false;
  if (auto at = modes_.single.find(constraint.oid); at != modes_.single.end()) return at->second;
  return modes_.all.value_or(constraint.deferred);
}

bool DeferredChecks::pending() const {
  return std::any_of(events_.begin(), events_.end(), [](const Waiting& w) { return w.run == 0; });
}

bool DeferredChecks::pending(Oid relation) const {
  for (const RunningEvents* r = running_; r != nullptr; r = r->outer_) {
    if (r->queue_.has(relation)) return true;
  }
  return std::any_of(events_.begin(), events_.end(),
                     [&](const Waiting& w) { return w.run == 0 && w.event.relation->oid == relation; });
}

DeferredChecks::RunningEvents::RunningEvents(DeferredChecks* checks, const ForeignKeyQueue& queue)
    : checks_(checks), queue_(queue), outer_(checks != nullptr ? checks->running_ : nullptr) {
  if (checks_ != nullptr) checks_->running_ = this;
}

DeferredChecks::RunningEvents::~RunningEvents() {
  if (checks_ != nullptr) checks_->running_ = outer_;
}

void DeferredChecks::set_all(bool deferred) {
  modes_.single.clear();
  modes_.all = deferred;
}

Status DeferredChecks::run(QueryState& state, bool commit) {
  // Triggers may leave further events behind, in statements of their own.
  for (;;) {
    run_++;
    ForeignKeyQueue queue;
    for (Waiting& w : events_) {
      const catalog::ConstraintInfo* of = w.event.info();
      if (w.run != 0 || (!commit && of != nullptr && waits(*of))) continue;
      w.run = run_;
      queue.add(w.event);
    }
    if (queue.empty()) return {};
    INDIGO_TRY(queue.run_all(state, true));
  }
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
