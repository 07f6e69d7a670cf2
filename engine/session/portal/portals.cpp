#include "engine/session/portal/portals.h"

#include <algorithm>

#include "base/sqlstate.h"
#include "engine/session/execution_pool.h"

namespace indigo::engine {

Portal* Portals::find(std::string_view name) {
  const auto at = named_.find(name);
  return at == named_.end() ? nullptr : at->second.get();
}

Portal& Portals::reuse(std::string_view name) {
  auto& slot = named_[std::string(name)];
  if (slot) {
    close(*slot);
  } else {
    slot = std::make_unique<Portal>();
  }
  return *slot;
}

std::string Portals::unused_name() {
  std::string name;
  do {
    name = "<unnamed portal " + std::to_string(++unnamed_) + ">";
  } while (contains(name));
  return name;
}

void Portals::erase(std::string_view name) {
  const auto at = named_.find(name);
  if (at == named_.end()) return;
  close(*at->second);
  named_.erase(at);
}

Status Portals::drop(const Portal& portal) {
  if (portal.active || portal.pinned) {
    return Error(sqlstate::kInvalidCursorState, std::string("cannot drop ") + (portal.pinned ? "pinned" : "active") +
                                                    " portal \"" + portal.name + "\"");
  }
  erase(std::string(portal.name));
  return {};
}

Status Portals::drop_all() {
  for (auto at = named_.begin(); at != named_.end();) {
    const Portal& portal = *(at++)->second;
    if (!portal.active) INDIGO_TRY(drop(portal));
  }
  return {};
}

void Portals::clear() {
  std::erase_if(named_, [this](const auto& named) {
    if (named.second->active) return false;
    close(*named.second);
    return true;
  });
}

void Portals::abandon_all() {
  for (auto& [name, portal] : named_) abandon(*portal);
  named_.clear();
  abandon(simple_);
}

void Portals::close(Portal& portal) {
  portal.ahead = ReadAhead();
  if (portal.execution) {
    executions_.give_back(*portal.prepared, std::move(portal.execution), portal.execution_version);
  }
  portal.pin.reset();
  portal.buffer.reset();
  portal.rows.reset();
}

void Portals::abandon(Portal& portal) {
  if (portal.execution) portal.execution->abandon();
  close(portal);
}

void Portals::end(size_t depth, TransactionBlock::End end, bool nested) {
  using End = TransactionBlock::End;
  if (simple_.execution && !nested) end == End::kCommit ? close(simple_) : abandon(simple_);
  std::erase_if(named_, [&](auto& named) {
    Portal& portal = *named.second;
    if (portal.active && portal.prepared->is_utility()) return false;          // CALL and DO go on in the next one
    if (portal.held() && portal.buffer) return false;                          // outlived its own transaction already
    if (end != End::kCommit && portal.created_at_depth < depth) return false;  // older than what rolls back
    if (end == End::kCommit && portal.hold) {
      portal.pin.reset();
      portal.created_at_depth = SIZE_MAX;
      return false;
    }
    end == End::kCommit ? close(portal) : abandon(portal);
    portal.status = Portal::Status::kFailed;
    return end != End::kFailure;  // until the rollback its name is known
  });
}

void Portals::release(size_t depth) {
  for (auto& [name, portal] : named_) {
    if (!portal->held()) portal->created_at_depth = std::min(portal->created_at_depth, depth);
  }
}

void Portals::discard_broken() {
  simple_.execution.reset();
  std::erase_if(named_, [](const auto& named) { return named.second == nullptr || named.second->prepared == nullptr; });
  for (auto& [name, portal] : named_) {
    const bool whole = portal->buffer != nullptr || portal->status == Portal::Status::kDone;
    portal->ahead = ReadAhead();
    portal->execution.reset();
    if (!whole) portal->status = Portal::Status::kFailed;
  }
}

}  // namespace indigo::engine
