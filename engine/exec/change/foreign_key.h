// What a statement's changes owe to foreign keys, to deferrable keys and to AFTER triggers, done at the statement's end in
// order of the changes. What SET CONSTRAINTS or INITIALLY DEFERRED lets wait continues to
// DeferredChecks.
//
//   child written   its parent must exist; the parent's row is locked FOR KEY SHARE. Tried at once: a parent that is there
//                   and locked cannot go away any more. Only misses wait for the end (the same statement may add the parent).
//   parent gone     NO ACTION and RESTRICT: no child may be left; CASCADE, SET NULL, SET DEFAULT change the children,
//                   which may owe something themselves.
// RESTRICT differs from NO ACTION: it does not accept another parent row with the same key.
// Thread safety: none; belongs to one execution.
#pragma once

#include <deque>
#include <memory>
#include <string>

#include "base/error.h"
#include "catalog/descriptor/relation_info.h"
#include "engine/exec/change/deferred_checks.h"
#include "engine/exec/change/referencing_keys.h"
#include "engine/exec/query_state.h"
#include "storage/table.h"

namespace indigo::engine::exec {

class ForeignKeyQueue {
 public:
  using Relation = std::shared_ptr<const catalog::RelationInfo>;

  bool empty() const { return events_.empty(); }
  // Whether it holds events of the table's rows.
  bool has(Oid relation) const;
  void clear() {
    events_.clear();
    touched_.clear();
  }

  // old_row empty: an insert. Only constraints whose columns have changed are looked at.
  Status child_written(QueryState& state, const Relation& child, Bytes old_row, Bytes new_row);
  Status parent_updated(QueryState& state, const Relation& parent, Bytes old_row, Bytes new_row);
  // `moved`: to another partition; then what references the partitioned table is told by parent_moved().
  Status parent_erased(QueryState& state, const Relation& parent, Bytes old_row, bool moved);
  // An UPDATE of the partitioned table `root` takes a row out of its partition; the rows in root's columns.
  Status parent_moved(QueryState& state, const Relation& root, const catalog::RelationInfo& partition, Bytes old_row,
                      Bytes new_row);

  // A row under deferrable keys; old_row as above.
  Status key_written(QueryState& state, const Relation& relation, Bytes old_row, Bytes new_row);

  // AFTER STATEMENT triggers fire once, behind all changes of that kind to the table: an earlier event for them goes.
  void drop_statement_triggers(Oid relation, int16_t event);
  // An action changes rows of this table: its AFTER STATEMENT triggers fire behind everything else.
  void touch(const Relation& relation, int16_t event, const std::vector<int16_t>& updated);

  // The statement's end: runs what need not wait, hands on the rest.
  Status finish(QueryState& state);

  void add(ConstraintEvent event) { events_.push_back(std::move(event)); }
  // `late`: the rows may have changed since, by other statements of the transaction.
  Status run_all(QueryState& state, bool late);

 private:
  using Event = ConstraintEvent;
  Result<bool> parent_exists(QueryState& state, const Relation& child, const catalog::ConstraintInfo& constraint,
                             Bytes row, bool& match_full_mix);
  Result<bool> lock_parent(QueryState& state, const catalog::RelationInfo& parent, std::span<const int16_t> columns,
                           std::span<const Datum> values);
  Status child_event(QueryState& state, const Event& event, bool late);
  Status parent_event(QueryState& state, const Event& event);
  // Whether some row has the same values (nulls are equal here) in these columns.
  Result<bool> row_with_same_columns(QueryState& state, const catalog::RelationInfo& relation, Bytes row,
                                     std::span<const int16_t> columns);
  static Status trigger_event(QueryState& state, const Event& event);

  struct Touched {
    Relation relation;
    int16_t event;
    std::vector<int16_t> updated;
  };
  std::deque<Event> events_;
  std::vector<Touched> touched_;
  ReferencingKeys referencing_;
  storage::Claimed claimed_;
  std::string key_;
};

}  // namespace indigo::engine::exec
