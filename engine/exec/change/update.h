// Changing rows that are there: shared by UPDATE, MERGE and ON CONFLICT DO UPDATE.
//
// RowUpdater works on rows that the caller has claimed. The new image is a patched copy of the old one unless most strings
// change or a BEFORE trigger sees the row; where nothing else needs the whole row, only what expressions read is decoded.
//
// Locks: a row whose key stays as it is needs kNoKeyUpdate, beside which foreign keys may lock it; one whose key changes, or
// that leaves its table, needs kUpdate. As in PostgreSQL an UPDATE compares values (UPDATE t SET id = id changes no key), so that
// its rows are claimed with the weaker mode first and strengthen() asks for the stronger one where it turns out to be needed.
// Thread safety: none.
#pragma once

#include <optional>
#include <vector>

#include "engine/exec/change/change_target.h"
#include "engine/exec/change/claim_rows.h"
#include "engine/exec/change/returned_columns.h"
#include "engine/exec/change/row_checks.h"
#include "engine/exec/partition/partition_check.h"

namespace indigo::engine::exec {

class PartitionedInsert;
struct PartitionWriter;

class RowUpdater {
 public:
  RowUpdater(QueryState& state, std::shared_ptr<const catalog::RelationInfo> relation);
  ~RowUpdater();
  // need_row: RETURNING or a condition reads the old or the new row.
  // Of the plan: relation, generated columns and checks.
  static Result<std::unique_ptr<RowUpdater>> make(Builder& b, const sql::ChangePlan& plan,
                                                  const std::vector<sql::Assignment>& assignments, bool need_row);

  // Assigns columns of the primary key or of a key that foreign keys reference.
  bool may_change_key() const { return !strong_columns_.empty(); }
  // Of rows claimed with kNoKeyUpdate by `claimer`, update() takes those whose key changes with kUpdate before it writes any.
  // Where that would have to wait it writes nothing, and blocked() has the rows: the caller lets go of them, claims them with
  // kUpdate, and begins again. (To wait while holding them would be a deadlock with who has locked a row's key and updates it.)
  void strengthen_with(RowClaimer& claimer) { strengthener_ = &claimer; }
  const std::vector<uint16_t>& blocked() const { return blocked_; }
  // Then rows come one at a time, and a claimer that watches for what the triggers' functions do.
  bool has_before_triggers() const { return before_; }
  // Or rows leave the table for another partition, and its BEFORE DELETE triggers see them go.
  bool move_fires_before() {
    return moved_plan_.relation != nullptr && target_.triggers().before(catalog::kTriggerDelete);
  }
  // Of rows that were claimed under `view` without a claimer: whether functions have changed them is looked at (27000).
  void watch(const storage::ReadView& view, storage::RowLockMode mode) {
    view_ = view;
    mode_ = mode;
  }
  void set_claimer(RowClaimer* claimer, storage::RowLockMode mode) {
    claimer_ = claimer;
    mode_ = mode;
  }
  ChangeTarget& target() { return target_; }

  // Decodes the old rows (input 1 of the assignments) for images[r] of the selected rows.
  void load(std::span<const storage::Claimed> claimed, Selection selection);
  Chunk& old_rows() { return old_; }
  Chunk& new_rows() { return new_; }

  // Computes and writes the new rows. `source` is input 0; claimed[r] belongs to row r. Answers the rows written.
  Selection update(const Chunk* source, std::span<const storage::Claimed> claimed, Selection selection,
                   std::unique_ptr<Error>& error);

 private:
  void plan_moves(const sql::ChangePlan& plan);
  bool patches_few() const;
  uint32_t check_rows(const Frame& frame, std::span<const storage::Claimed> claimed, Selection selection,
                      std::unique_ptr<Error>& error);
  uint32_t check_partial(const Frame& frame, std::span<const storage::Claimed> claimed, Selection selection,
                         std::unique_ptr<Error>& error);
  void plan_foreign(bool need_row);
  Result<bool> write_foreign(const storage::Claimed& claimed, uint32_t row);
  // Whether the row is there afterwards: a trigger may keep it from moving, or from arriving.
  Result<bool> write(const storage::Claimed& claimed, uint32_t row);
  // After functions have run for a row, and statements of their own: whether they have left it alone. `act` as RowClaimer's.
  Status check_untouched(const storage::Claimed& claimed, uint32_t row, const char* act);
  bool functions_ran() const;
  // Claims with kUpdate the rows whose key changes; those that would have to wait are blocked_.
  Status strengthen(std::span<const storage::Claimed> claimed, Selection selection);
  Result<bool> needs_strong_lock(const storage::Claimed& claimed, uint32_t row);
  // BEFORE triggers of the one selected row; false: it stays as it is.
  Result<bool> fire_before(const storage::Claimed& claimed, uint32_t row);
  // A row that belongs into another partition now.
  Result<bool> move(const storage::Claimed& claimed, uint32_t row);
  Status plan_mover();
  // The row as it has arrived, for RETURNING.
  void take_moved(const PartitionWriter& writer, uint32_t row);
  void make_image(const storage::Claimed& claimed, uint32_t row);

  QueryState& state_;
  ChangeTarget target_;
  ReturnedColumns returned_;
  ExpressionSet values_;
  std::vector<size_t> value_columns_;
  ExpressionSet generated_;
  std::vector<size_t> generated_columns_;
  ChangeChecks checks_;
  RowChecks row_checks_;
  ViewChecks view_checks_;
  std::unique_ptr<PartitionCheck> partition_check_;  // when the partition key may change
  sql::ChangePlan moved_plan_;                       // of rows that move: the table that the statement names
  std::unique_ptr<PartitionedInsert> mover_;
  std::vector<int> moved_columns_;  // by column of that table
  bool need_row_ = false;           // RETURNING reads new_
  bool owns_rows_ = false;          // new_ has values of its own, of this update()
  Selection updating_;              // this update()'s
  Chunk moved_;
  bool patch_ = false;                  // the new image is a patched copy of the old one
  bool partial_ = false;                // only columns that expressions read are decoded
  bool changes_key_ = false;            // assigns columns of the primary key
  std::vector<size_t> strong_columns_;  // assigned ones of the primary key and of referenced keys
  RowClaimer* strengthener_ = nullptr;
  std::vector<uint16_t> blocked_;
  bool before_ = false;    // BEFORE UPDATE triggers
  std::string triggered_;  // the row as they left it
  RowClaimer* claimer_ = nullptr;
  std::optional<storage::ReadView> view_;  // watch()
  uint64_t command_ = 0;                   // when update() began
  storage::RowLockMode mode_ = storage::RowLockMode::kUpdate;
  std::vector<uint16_t> wanted_;  // columns that load() decodes
  std::vector<Vector> decoded_;
  std::vector<Bytes> images_;
  Chunk old_, new_;
  std::vector<const Vector*> columns_;   // of new_
  std::vector<const Vector*> assigned_;  // of new_, null where not assigned (NOT NULL looks at these only)
  std::vector<uint16_t> written_;
  std::string image_, key_;
};

// Table columns (0-based) as attnums, with the generated ones, which depend on others.
std::vector<int16_t> updated_columns(const catalog::RelationInfo& relation, const std::vector<int>& assigned);

}  // namespace indigo::engine::exec
