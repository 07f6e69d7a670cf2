// Writing new rows into a partitioned table: shared by INSERT, COPY, MERGE and by UPDATE for rows that leave their partition.
//
// The rows are computed as the named table's, then handed to the tables that store them, whose own checks, generated columns
// and keys apply. Rows of one table are handed on together, or, in order, as long as neighbours go to one table.
// Thread safety: none; belongs to one execution.
#pragma once

#include <deque>

#include "engine/exec/change/insert.h"
#include "engine/exec/change/on_conflict.h"
#include "engine/exec/partition/row_router.h"

namespace indigo::engine::exec {

// A table below the named one, with what writes into it.
struct PartitionWriter {
  sql::InsertPlan plan;      // in the table's own columns
  std::vector<int> columns;  // by column of the table: the named one's
  std::unique_ptr<RowInserter> inserter;
  std::unique_ptr<OnConflictHandler> handler;
  ExpressionSet returning;
};

class PartitionedInsert {
 public:
  // Of the plan: the partitioned table, view checks, RETURNING. The plan outlives this.
  PartitionedInsert(QueryState& state, const sql::ChangePlan& plan, const sql::OnConflict* conflict);
  // `assignments`: as RowInserter takes them; empty for rows that are given to start_rows().
  Status prepare(Builder& b, const std::vector<sql::Assignment>& assignments);
  // The rows are those of an UPDATE, which takes them out of another partition. `returned`: it reads them as they are written.
  // A foreign table that it updates itself takes none: it may not have come to it yet.
  void set_moving(bool returned) {
    moving_ = true;
    returned_ = returned;
  }
  void set_filter(Condition filter) { root_->set_filter(std::move(filter)); }

  // Computes the rows of a chunk, which must stay until the last group is written.
  void start(const Chunk& source, Selection selection, bool in_order, std::unique_ptr<Error>& error);
  // The same for rows by the named table's columns.
  void start_rows(const Chunk& rows, Selection selection, bool in_order, std::unique_ptr<Error>& error);
  // Writes the next group; null when there is none, or after an error. `written`: of the rows, until the next call.
  PartitionWriter* next(Selection& written, std::unique_ptr<Error>& error);
  // All groups: rows written.
  uint64_t insert(const Chunk& source, Selection selection, std::unique_ptr<Error>& error);
  uint64_t consumed() const { return consumed_; }  // rows of the source before the one that failed

 private:
  Result<PartitionWriter*> writer(size_t table);
  Status plan_foreign_move(RowInserter& inserter) const;
  Status check(const Chunk& rows, uint32_t row);

  QueryState& state_;
  const sql::ChangePlan& plan_;
  const sql::OnConflict* conflict_;
  RowRouter router_;
  std::unique_ptr<PartitionCheck> check_;  // the named table is a partition itself
  std::unique_ptr<RowInserter> root_;
  std::deque<std::unique_ptr<PartitionWriter>> writers_;  // by the router's numbers
  const Chunk* rows_ = nullptr;
  struct Group {
    size_t table;
    std::vector<uint16_t> rows;
  };
  std::vector<Group> groups_;
  size_t group_count_ = 0, at_ = 0;
  std::vector<int> group_of_;  // by table
  std::unique_ptr<Error> failed_;
  uint64_t consumed_ = 0;
  bool moving_ = false, returned_ = false;
};

Result<OperatorPtr> make_partitioned_insert(Builder& b, const sql::InsertPlan& p, OperatorPtr input);

}  // namespace indigo::engine::exec
