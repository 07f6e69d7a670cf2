// Foreign keys: what a statement's changes owe to them, done at the statement's end in order of the changes.
//
//   child written   its parent must exist; the parent's row is locked FOR KEY SHARE. Tried at once: a parent that is there
//                   and locked cannot go away any more. Only misses wait for the end (the same statement may add the parent).
//   parent gone     NO ACTION and RESTRICT: no child may be left; CASCADE, SET NULL, SET DEFAULT change the children,
//                   which may owe something themselves.
// RESTRICT differs from NO ACTION: it does not accept another parent row with the same key.
// Constraints that are INITIALLY DEFERRED are refused with 0A000.
// Thread safety: none; belongs to one execution.
#pragma once

#include <deque>
#include <memory>
#include <string>

#include "base/error.h"
#include "catalog/info.h"
#include "engine/exec/query_state.h"

namespace indigo::engine::exec {

class ForeignKeyQueue {
 public:
  using Relation = std::shared_ptr<const catalog::RelationInfo>;

  bool empty() const { return events_.empty(); }
  void clear() { events_.clear(); }

  // old_row empty: an insert. Only constraints whose columns have changed are looked at.
  Status child_written(QueryState& state, const Relation& child, Bytes old_row, Bytes new_row);
  Status parent_updated(QueryState& state, const Relation& parent, Bytes old_row, Bytes new_row);
  Status parent_erased(QueryState& state, const Relation& parent, Bytes old_row);

  Status finish(QueryState& state);

 private:
  struct Event {
    enum class Kind : uint8_t { kChild, kParentUpdated, kParentErased } kind;
    Relation relation;  // whose row was changed
    size_t constraint;  // index into its constraints (kChild) or referenced_by
    std::string old_row, new_row;
  };
  Result<bool> parent_exists(QueryState& state, const Relation& child, const catalog::ConstraintInfo& constraint,
                             Bytes row, bool& match_full_mix);
  Status child_event(QueryState& state, const Event& event);
  Status parent_event(QueryState& state, const Event& event);

  std::deque<Event> events_;
  storage::Claimed claimed_;
  std::string key_;
};

}  // namespace indigo::engine::exec
