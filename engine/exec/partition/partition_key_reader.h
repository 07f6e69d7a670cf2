// Values of a partitioned table's key for new rows, and the partition that they belong to.
// Thread safety: none; belongs to one execution.
#pragma once

#include <span>
#include <vector>

#include "engine/exec/builder.h"
#include "sql/partition/partition_map.h"

namespace indigo::engine::exec {

using RelationPtr = std::shared_ptr<const catalog::RelationInfo>;

// Positions of `to`'s columns in `from`, by name; -1: none there.
std::vector<int> matching_columns(const catalog::RelationInfo& to, const catalog::RelationInfo& from);
// The expression with columns of `input` renumbered. Columns behind `columns` (system columns of a changed row) follow those
// of the other table: `shift` is added.
sql::ExprPtr renumbered(const sql::ExprPtr& e, int input, std::span<const int> columns, int shift = 0);
sql::ExprList renumbered(const sql::ExprList& all, int input, std::span<const int> columns, int shift = 0);

class PartitionKeyReader {
 public:
  // `columns[i]`: where the rows have column i of the table.
  static Result<PartitionKeyReader> make(QueryState& state, RelationPtr table, std::span<const int> columns);

  const catalog::RelationInfo& table() const { return *table_; }
  // The partition by position in RelationInfo::children; -1: none. `rows`: by the numbers given to make().
  Result<int> find(const Chunk& rows, uint32_t row);
  // 23514 "no partition of relation ..." for the row that find() has just looked at.
  Error not_found();

 private:
  Status read(const Chunk& rows, uint32_t row);

  QueryState* state_ = nullptr;
  RelationPtr table_;
  std::shared_ptr<const sql::partition::PartitionMap> map_;
  struct Part {
    int column = -1;  // of the rows; -1: computed
    NodePtr node;
  };
  std::vector<Part> parts_;
  std::vector<Datum> values_;
  std::string scratch_;
};

}  // namespace indigo::engine::exec
