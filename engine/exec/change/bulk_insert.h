// Loads many rows into one table with its defaults, generated columns, constraints and foreign keys: COPY FROM.
//
// Rows come as chunks or one by one; one by one they are gathered into chunks. A failing row's error comes after the rows
// before it are written, and row_number() then says which input row it was (from 1): COPY's context line.
// Thread safety: none; belongs to one session, within one command.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "engine/exec/execution.h"
#include "sql/query.h"

namespace indigo::engine {

struct BulkInsertPlan {
  std::shared_ptr<const catalog::RelationInfo> relation;
  std::vector<int> columns;                // input column i goes into this table column (0-based)
  std::vector<sql::Assignment> defaults;   // of the other columns
  std::vector<sql::Assignment> generated;  // over input 1: the new row by table column
  sql::ExprList checks;                    // over input 1
  std::vector<std::string> check_names;
  sql::ExprPtr where;  // COPY ... WHERE, over input 1; null: none
};

class BulkInsert {
 public:
  virtual ~BulkInsert() = default;
  static Result<std::unique_ptr<BulkInsert>> create(const ExecutionContext& context, BulkInsertPlan plan);

  // The chunk's columns are the input columns, of the table columns' kinds.
  virtual Status add(const Chunk& rows) = 0;
  // Strings are copied.
  virtual Status add(std::span<const Datum> row) = 0;
  // Writes what was gathered.
  virtual Status flush() = 0;
  // The same, and settles foreign keys.
  virtual Status finish() = 0;

  virtual uint64_t inserted() const = 0;
  virtual uint64_t row_number() const = 0;
};

}  // namespace indigo::engine
