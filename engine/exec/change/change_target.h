// The table that a change statement writes: keys and images of new rows, NOT NULL and CHECK, messages of violations,
// foreign-key events. Used by INSERT, UPDATE, DELETE, MERGE, COPY and the actions of foreign keys.
// Thread safety: none.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/exec/builder.h"
#include "engine/exec/change/exclusion_check.h"
#include "engine/exec/change/foreign_host.h"
#include "engine/exec/change/row_triggers.h"
#include "storage/table.h"

namespace indigo::engine::exec {

// The same bits, which is what PostgreSQL compares in keys that foreign keys reference: values that are equal and look
// different change the key.
bool same_bits(Phys phys, const Datum& a, const Datum& b);

class ChangeTarget {
 public:
  ChangeTarget(QueryState& state, std::shared_ptr<const catalog::RelationInfo> relation);

  const catalog::RelationInfo& relation() const { return *relation_; }
  const std::shared_ptr<const catalog::RelationInfo>& shared_relation() const { return relation_; }
  storage::Table& table() const { return *relation_->table; }
  size_t column_count() const { return relation_->columns.size(); }

  // ---- keys
  // The storage key of a row; hidden row ids are drawn again.
  void key_of(std::span<const Vector* const> columns, uint32_t row, std::string& key) const;
  bool is_key_column(size_t column) const;  // part of the primary key

  // ---- constraints on a new row (columns by table column; null pointers: not looked at)
  // The first selected row that violates NOT NULL, or nothing.
  std::unique_ptr<Error> check_not_null(std::span<const Vector* const> columns, uint32_t row) const;
  // 23514 for a row that belongs into another partition.
  Error partition_violation(std::span<const Vector* const> columns, uint32_t row) const;
  Error check_violation(const std::string& constraint, std::span<const Vector* const> columns, uint32_t row) const;

  // ---- storage, with its answers as errors
  // False: `duplicate` says what is in the way.
  Result<bool> insert(Bytes key, Bytes row, storage::Duplicate& duplicate);
  Status update(Bytes key, Bytes new_key, Bytes row);
  Status erase(Bytes key);
  Status erase_moved(Bytes key);  // the row goes to another partition
  // 23505 for what insert or update ran into.
  Error unique_violation(const storage::Duplicate& duplicate, Bytes row) const;
  const catalog::IndexInfo* index_of(const storage::Duplicate& duplicate) const;
  // Any other answer to a change of this row.
  Error failure(storage::StorageStatus status, Bytes row) const;

  // ---- foreign tables, whose rows are written elsewhere
  bool is_foreign() const { return relation_->is_foreign(); }
  // What is to be done there; set before the first row.
  ForeignChangeSpec& foreign_spec() { return foreign_spec_; }
  // The errors of ForeignHost::check. Every other table passes.
  Status check_foreign();
  // This run's.
  Result<ForeignChange*> foreign();
  // The key that stands for a foreign row's in its system columns.
  static constexpr Bytes kNoPlace{"\0\0\0\0\0\0\0\0", 8};

  // ---- foreign keys, deferrable keys and AFTER triggers: tell the statement's queue what happened
  bool has_queued_checks() const {
    return has_exclusions_ || has_foreign_keys_ || has_references_ || has_deferrable_keys_ ||
           triggers_.after(catalog::kTriggerUpdate);
  }
  // `moved`: part of an UPDATE that takes the row to another partition.
  Status inserted(Bytes key, Bytes row, bool moved = false);
  Status updated(const storage::Claimed& old, Bytes new_key, Bytes new_row);
  Status erased(const storage::Claimed& old, bool moved = false);
  // An UPDATE of the partitioned table `root` took the row to another partition: `moved`, in root's columns, has it.
  Status moved(const std::shared_ptr<const catalog::RelationInfo>& root, Bytes old_row, const Chunk& moved,
               uint32_t row);
  RowTriggers& triggers() { return triggers_; }

  // ---- exclusion constraints that are not deferrable, before a row is written
  bool has_exclusions() const { return has_exclusions_; }
  // The constraint, and with it the error, that stands in the row's way; null: none does. `old_row` and `own_key`: of the row
  // that an update changes.
  Result<const catalog::ConstraintInfo*> excluded(Bytes row, Bytes old_row, Bytes own_key,
                                                  std::unique_ptr<Error>& violation);

  // Adds the row to the error, as far as the user may see it. `columns` that the statement names: change_plan's.
  Error failing_row(Error error, std::span<const Vector* const> columns, uint32_t row) const;
  void set_named_columns(std::vector<int> columns) { named_columns_ = std::move(columns); }
  // The table that the statement names, in whose columns errors show the row.
  void set_named_relation(const std::shared_ptr<const catalog::RelationInfo>& relation);
  Error named(Error error, const std::string& constraint = "", const std::string& column = "") const;

 private:
  replication::SessionChanges* gathering() const;

  QueryState& state_;
  std::shared_ptr<const catalog::RelationInfo> relation_;
  std::vector<size_t> not_null_;                                 // columns
  std::shared_ptr<const catalog::RelationInfo> named_relation_;  // null: relation_
  std::vector<int> named_columns_;                               // sql::ChangePlan::named_columns
  bool has_foreign_keys_ = false;                                // this table references others
  bool has_references_ = false;                                  // others reference this table
  bool has_deferrable_keys_ = false;
  bool has_exclusions_ = false;
  std::vector<std::unique_ptr<ExclusionCheck>> exclusions_;
  RowTriggers triggers_;
  ForeignChangeSpec foreign_spec_;
  std::unique_ptr<ForeignChange> foreign_;
  uint64_t foreign_run_ = 0;
};

// Runs CHECK constraints over chunks of new rows.
class ChangeChecks {
 public:
  static Result<ChangeChecks> make(Builder& b, const sql::ExprList& checks, const std::vector<std::string>& names);
  bool empty() const { return checks_.empty(); }
  // How many leading rows pass NOT NULL and CHECK; fewer than all: `error` is why the next one does not.
  uint32_t run(const ChangeTarget& target, const Frame& frame, Selection selection,
               std::span<const Vector* const> columns, std::unique_ptr<Error>& error);

 private:
  ExpressionSet checks_;
  std::vector<std::string> names_;
};

// WITH CHECK OPTION of views, over rows that have been written: PostgreSQL asks only once the row is in its indexes.
class ViewChecks {
 public:
  static Result<ViewChecks> make(Builder& b, const sql::ChangePlan& plan);
  // How many leading rows pass; fewer than all: `error` is why the next one does not, whatever it was before.
  uint32_t run(const ChangeTarget& target, const Frame& frame, Selection selection,
               std::span<const Vector* const> columns, std::unique_ptr<Error>& error);

 private:
  ExpressionSet checks_;
  std::vector<std::string> views_;
};

}  // namespace indigo::engine::exec
