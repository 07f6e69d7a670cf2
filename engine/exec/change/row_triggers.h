// The triggers of one table that a change operator writes: which fire for a row, in which order, and what becomes of the row.
//
// Invariants:
// 1. Triggers fire by name. Each BEFORE trigger gets the row as the one before left it; a null ends the row.
// 2. A caller of before() handles one row at a time: the function may change rows of the same statement.
// 3. A table without triggers costs a comparison with null.
// Thread safety: none; belongs to one execution.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "catalog/descriptor/trigger_info.h"
#include "engine/exec/builder.h"
#include "engine/exec/change/trigger_host.h"
#include "engine/exec/partition/partition_check.h"

namespace indigo::engine::exec {

class RowTriggers {
 public:
  using Relation = std::shared_ptr<const catalog::RelationInfo>;
  RowTriggers(QueryState& state, Relation relation);

  // The table that the statement names, whose transition tables the rows belong to.
  void set_named(Relation named);
  // The columns that an UPDATE gives values to (attnums).
  void set_updated(std::vector<int16_t> columns) { updated_ = std::move(columns); }

  bool before(int16_t event) const { return any(catalog::kTriggerBefore, event); }
  bool instead(int16_t event) const { return any(catalog::kTriggerInstead, event); }
  bool after(int16_t event) const { return any(0, event) || captures_; }
  // Compiles the WHEN of the event's AFTER triggers, so that the statement knows whether they call routines
  // (QueryState::runs_routines): these may change rows that it has not come to yet.
  void prepare_conditions(int16_t event);

  // BEFORE (or INSTEAD OF) triggers. `row`: NEW, or for DELETE what is returned; false: the row stays as it is.
  Result<bool> fire(int16_t timing, int16_t event, Bytes old_row, std::string& row, RowPlace old_place = {});
  // AFTER triggers go into the queue, the rows into transition tables. `capture_as`: the event whose tables these are.
  Status queue(int16_t event, Bytes old_row, Bytes new_row, int16_t capture_as, RowPlace old_place, RowPlace new_place);

 private:
  struct When {
    Condition condition;
    bool system_columns = false;  // reads some
    Chunk old_row, new_row;
  };
  bool any(int16_t timing, int16_t event) const {
    return set_ != nullptr && set_->any(catalog::kTriggerRow, timing, event);
  }
  // Does this trigger fire, as far as its event, state, columns and WHEN say?
  struct Rows {
    Bytes old_row, new_row;
    RowPlace old_place, new_place;
  };
  Result<bool> applies(size_t trigger, int16_t timing, int16_t event, const Rows& rows);
  Result<bool> meets(size_t trigger, const Rows& rows);
  Result<When*> condition_of(size_t trigger);  // which has one
  Status check_partition(const catalog::TriggerInfo& trigger, Bytes row);
  Status capture(int16_t event, Bytes old_row, Bytes new_row);

  QueryState& state_;
  Relation relation_, named_;
  const catalog::TriggerSet* set_ = nullptr;  // of relation_; null: none
  bool captures_ = false;
  std::vector<int16_t> updated_;
  std::vector<int> column_of_;  // by column of named_: relation_'s; empty: the same
  std::vector<std::unique_ptr<When>> conditions_;
  std::unique_ptr<PartitionCheck> partition_check_;
  Chunk checked_;
  std::vector<Datum> captured_;
};

// A system column of a trigger's row: of one that lies nowhere yet, PostgreSQL's values for that. xmin of a row that the
// transaction `own_id` has written is that transaction, as txid_current() tells it.
Datum trigger_system_value(const catalog::RelationInfo& relation, Bytes row, const RowPlace& place, uint64_t own_id,
                           int column, Arena& arena);
// A row's image as columns of a chunk with that one row; strings borrow from the image.
void show_row(const catalog::RelationInfo& relation, Bytes image, Chunk& out);

// Statement triggers of the table that a statement names.
// Whether a function may run before the statement that changes what the statement's snapshot shows.
bool has_before_statement(const catalog::RelationInfo& relation, int16_t event);
// BEFORE: runs them; AFTER: they go into the queue. `updated` as in RowTriggers.
Status fire_before_statement(QueryState& state, const RowTriggers::Relation& relation, int16_t event,
                             const std::vector<int16_t>& updated);
Status queue_after_statement(QueryState& state, const RowTriggers::Relation& relation, int16_t event,
                             const std::vector<int16_t>& updated);
// Around a change operator: before its first row and after its last. `events` in the order of the BEFORE triggers; the AFTER
// triggers come the other way round.
OperatorPtr with_statement_triggers(QueryState& state, const RowTriggers::Relation& relation,
                                    std::vector<int16_t> events, std::vector<int16_t> updated, OperatorPtr change);

}  // namespace indigo::engine::exec
