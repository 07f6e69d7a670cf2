// Writing new rows: shared by INSERT, MERGE and bulk loading.
//
// RowInserter takes chunks of source rows through assignments, generated columns, NOT NULL, CHECK, storage and foreign keys.
// A row's error comes after the rows before it have been written, as it would row by row.
// Thread safety: none.
#pragma once

#include <vector>

#include "engine/exec/change/change_target.h"
#include "engine/exec/change/returned_columns.h"
#include "engine/exec/change/row_checks.h"
#include "engine/exec/operator.h"
#include "engine/exec/partition/partition_check.h"

namespace indigo::engine::exec {

// What to do with a row that meets a duplicate key.
class ConflictHandler {
 public:
  virtual ~ConflictHandler() = default;
  enum class Answer : uint8_t { kSkip, kRetry, kChanged, kViolation };
  // Looks at a row that is about to be inserted.
  virtual Status before(Bytes key, Bytes row) = 0;
  // Is a row left out that this constraint's index stands against?
  virtual bool skips(Oid index) const = 0;
  // kChanged: the handler has written; target columns of row `row` now hold the updated row.
  virtual Result<Answer> conflict(const storage::Duplicate& duplicate, uint32_t row) = 0;
};

class RowInserter {
 public:
  RowInserter(QueryState& state, std::shared_ptr<const catalog::RelationInfo> relation);
  // Of the plan: relation, generated columns and checks.
  // `routed`: rows come here because they belong here; else a partition checks that they do.
  static Result<std::unique_ptr<RowInserter>> make(Builder& b, const sql::ChangePlan& plan,
                                                   const std::vector<sql::Assignment>& assignments,
                                                   bool routed = false);

  // Writes the selected rows; answers those that were written (or changed by the handler), by source row number. `error` is
  // set when a row failed: the rows before it are written.
  Selection insert(const Chunk& source, Selection selection, ConflictHandler* handler, std::unique_ptr<Error>& error);

  // Only computes the new rows (without generated columns and checks) and answers those that pass the filter.
  Selection compute(const Chunk& source, Selection selection, std::unique_ptr<Error>& error);

  // The new rows by table column, at the source rows' numbers, until the next insert.
  Chunk& rows() { return rows_; }
  const std::vector<const Vector*>& columns() const { return columns_; }
  ChangeTarget& target() { return target_; }
  // Makes rows() writable (ON CONFLICT DO UPDATE puts the updated row there).
  void own_rows(uint32_t extent, Selection selection);
  uint64_t inserted() const { return inserted_; }  // by the last insert, without changed ones
  uint64_t consumed() const { return consumed_; }  // source rows that the last insert was through with
  // Only rows for which the condition (over input 1) is true are written.
  void set_filter(Condition filter) { filter_ = std::move(filter); }
  const ReturnedColumns& returned() const { return returned_; }
  // The rows are part of an UPDATE that moves them between partitions.
  void set_moving(bool moving) { moving_ = moving; }
  // A foreign table's: ON CONFLICT DO NOTHING is the other server's.
  void set_do_nothing() { target_.foreign_spec().do_nothing = true; }

 private:
  // BEFORE triggers: one row after the other, each up to its writing.
  Selection insert_each(const Chunk& source, Selection selection, ConflictHandler* handler,
                        std::unique_ptr<Error>& error);
  Result<bool> fire_before(uint32_t row);
  void keep_generated(uint32_t row, uint32_t extent);
  Status check_rows(const Chunk& source, Selection& selection, std::unique_ptr<Error>& error);
  void write(Selection selection, Selection all, ConflictHandler* handler, std::unique_ptr<Error>& error);
  void plan_foreign(const sql::ChangePlan& plan);
  Status write_foreign(Selection selection);
  void take_row(uint32_t row, Bytes image);
  Status prepare(const Chunk& source, Selection& selection, std::unique_ptr<Error>& error);
  Status compute_values(const Chunk& source, Selection& selection, std::unique_ptr<Error>& error);
  void check_partition(Selection& selection, std::unique_ptr<Error>& error);
  void reserve_columns(uint32_t extent);

  QueryState& state_;
  ChangeTarget target_;
  ExpressionSet values_;
  std::vector<size_t> value_columns_;
  ExpressionSet generated_;
  std::vector<size_t> generated_columns_;
  ChangeChecks checks_;
  RowChecks row_checks_;
  ViewChecks view_checks_;
  std::unique_ptr<PartitionCheck> partition_check_;
  Chunk rows_;
  std::vector<Vector> nulls_;  // for columns without a value
  std::vector<const Vector*> columns_;
  std::vector<uint16_t> written_;
  ReturnedColumns returned_;
  std::string key_, image_;
  storage::Duplicate duplicate_;
  Condition filter_;
  uint64_t inserted_ = 0, consumed_ = 0;
  bool moving_ = false;
  std::vector<Vector> kept_generated_;  // of rows that were written one by one
};

// A view's rows, for its INSTEAD OF triggers (instead.cpp).
Result<OperatorPtr> make_instead(Builder& b, const sql::InsertPlan& plan, OperatorPtr input);

// INSERT's statement triggers, and with ON CONFLICT DO UPDATE those of UPDATE.
OperatorPtr with_insert_triggers(QueryState& state, const sql::InsertPlan& plan, OperatorPtr change);

}  // namespace indigo::engine::exec
