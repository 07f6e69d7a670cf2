// Where rows of a partitioned table go: down the levels of partitions to a table that stores them.
//
// Tables are found, locked and described when the first row reaches them.
// Thread safety: none; belongs to one execution.
#pragma once

#include <deque>
#include <optional>

#include "engine/exec/partition/partition_key_reader.h"

namespace indigo::engine::exec {

class RowRouter {
 public:
  RowRouter(QueryState& state, RelationPtr root) : state_(state), root_(std::move(root)) {}

  const catalog::RelationInfo& root() const { return *root_; }
  // The number of the row's table, counted from 0 as they are met. `rows`: by the root's columns. 23514 when there is none.
  Result<size_t> route(const Chunk& rows, uint32_t row);
  const RelationPtr& table(size_t number) const { return tables_[number].relation; }

 private:
  struct Table {
    RelationPtr relation;
    uint64_t locked_in = 0;  // the run that holds its lock
  };
  struct Level {
    Table table;
    std::optional<PartitionKeyReader> key;
    std::vector<int> targets;  // by partition: -1 unknown, 2n a level, 2n + 1 a table
  };
  Result<size_t> add_level(Table table);
  Status check_foreign(const catalog::RelationInfo& partition);
  Status look_up(Level& level, int partition);
  // False: it was found in an earlier run, and has been changed since.
  Result<bool> lock(Table& table);
  static Error changed(const catalog::RelationInfo& relation);

  QueryState& state_;
  RelationPtr root_;
  std::deque<Level> levels_;
  std::deque<Table> tables_;
};

}  // namespace indigo::engine::exec
