// ON CONFLICT DO NOTHING and DO UPDATE.
// Thread safety: none.
#pragma once

#include <memory>
#include <vector>

#include "engine/exec/change/arbiter_probe.h"
#include "engine/exec/change/insert.h"
#include "engine/exec/change/update.h"

namespace indigo::engine::exec {

class OnConflictHandler final : public ConflictHandler {
 public:
  // The plan and the inserter outlive the handler.
  static Result<std::unique_ptr<OnConflictHandler>> make(Builder& b, const sql::InsertPlan& p, RowInserter& inserter);
  OnConflictHandler(QueryState& state, const sql::OnConflict& plan, RowInserter& inserter);

  // The table that the statement names, when it is not the one that has the row.
  void set_named(const RowTriggers::Relation& named) {
    if (updater_ != nullptr) updater_->target().triggers().set_named(named);
  }
  Status before(Bytes key, Bytes row) override;
  bool skips(Oid index) const override;
  Result<Answer> conflict(const storage::Duplicate& met, uint32_t row) override;

 private:
  Result<Answer> invisible_conflict(const std::string& key);
  Status check_premises();

  QueryState& state_;
  const sql::OnConflict& plan_;
  RowInserter& inserter_;
  ArbiterProbe probe_;
  const bool deferrable_;
  std::vector<Condition> premises_;
  Condition where_;
  RowChecks row_checks_;  // of the row that is in the way
  std::unique_ptr<RowUpdater> updater_;
  std::vector<storage::Claimed> claimed_;
  // Input 0 of the clauses: the excluded row by the table's columns, then the system columns of the row that is in the way:
  // column -1 first. Of these only the ones in system_columns_, which the clauses read, are set.
  Chunk excluded_;
  std::vector<int> system_columns_;
};

}  // namespace indigo::engine::exec
