// Claims the target rows of a source chunk for UPDATE, DELETE and MERGE, with READ COMMITTED's re-check of rows that changed
// since the snapshot, and each row at most once in a command.
// Thread safety: none.
#pragma once

#include <string>
#include <unordered_set>
#include <vector>

#include "engine/exec/builder.h"
#include "storage/table.h"

namespace indigo::engine::exec {

class RowClaimer {
 public:
  // `joined`: a chunk of the source may hold a target row several times.
  static Result<RowClaimer> make(Builder& b, const std::shared_ptr<const catalog::RelationInfo>& relation,
                                 int key_column, const sql::ExprPtr& recheck,
                                 const std::vector<std::pair<int, int>>& refresh, bool joined);

  // Before the rows are looked for: they will be changed.
  void announce(QueryState& state) const;
  // Answers the rows that are claimed; claimed()[r] has row r's newest version. `source` may be replaced by a copy whose
  // columns from the target are refreshed. An error ends the selection.
  Selection claim(QueryState& state, const Chunk*& source, Selection selection, storage::RowLockMode mode,
                  std::unique_ptr<Error>& error);
  std::vector<storage::Claimed>& claimed() { return claimed_; }
  // The last claim met a row that this command has changed already (the row is left out).
  bool self_modified() const { return self_modified_; }
  // Functions run between the rows' changes: rows are claimed one by one, and one that such a function has changed is an
  // error (27000), where one that this statement has changed is passed over.
  // `act`: "updated" or "deleted". `locks`: the rows are locked for BEFORE triggers, whatever is done to them then.
  void watch_triggers(const char* act, bool locks) {
    watches_ = true;
    act_ = act;
    claim_act_ = locks ? "updated" : act;
  }
  bool watches_triggers() const { return watches_; }
  // After a function has run for a claimed row: 27000 when it has changed the row. `act`: null for what is watched.
  Status check_untouched(QueryState& state, uint32_t row, storage::RowLockMode mode, const char* act = nullptr);
  // Takes a row that is claimed with kNoKeyUpdate with kUpdate; false: others have locked its key, and one would have to wait.
  Result<bool> strengthen(QueryState& state, uint32_t row);
  void unclaim(QueryState& state, uint32_t row);

 private:
  Result<bool> recheck(const Chunk*& source, uint32_t row);
  // Of a foreign table: the other server has locked them for the scan.
  Selection claim_foreign(QueryState& state, const Vector& keys, Selection selection);
  void begin_run(QueryState& state);

  std::shared_ptr<const catalog::RelationInfo> relation_;
  size_t key_column_ = 0;
  Condition recheck_;
  std::vector<std::pair<int, int>> refresh_;
  bool joined_ = false, self_modified_ = false, watches_ = false;
  std::unique_ptr<std::unordered_set<std::string>> seen_ = std::make_unique<std::unordered_set<std::string>>();
  std::unique_ptr<std::unordered_set<std::string>> handled_;  // watching, or foreign: keys claimed in this run
  uint64_t handled_run_ = 0;
  const char *act_ = "updated", *claim_act_ = "updated";
  std::vector<storage::Claimed> claimed_;
  std::unique_ptr<Chunk> copy_ = std::make_unique<Chunk>(), target_row_ = std::make_unique<Chunk>();
  std::vector<uint16_t> rows_;
};

// The same of a row that was claimed under `view`.
Status check_row_untouched(QueryState& state, const catalog::RelationInfo& relation, const storage::ReadView& view,
                           const std::string& key, storage::RowLockMode mode, const char* act);

// Whether a change's source can hold a target row more than once (it is not just a scan of the target).
bool is_joined_source(const sql::Plan& source);

}  // namespace indigo::engine::exec
