// The rows that publications with WHERE clauses publish: those for which one of the conditions holds. Conditions are of today, and
// over the table as it is today; rows are of then. A condition that asks for columns that the table did not have then, or of
// another type, cannot have been the one of then: the rows are published, as PostgreSQL does, which looks conditions of then up.
// Thread safety: none; belongs to the session that reads, in a transaction.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/error.h"
#include "catalog/descriptor/relation_info.h"
#include "engine/exec/expression/expression.h"
#include "engine/exec/query_state.h"
#include "engine/session/session_parts.h"
#include "types/value/vector.h"

namespace indigo::engine::replication {

class RowFilter {
 public:
  // The conditions as pg_publication_rel.prqual has them. Null: all rows.
  static Result<std::unique_ptr<RowFilter>> make(SessionParts& session, const catalog::RelationInfo& then,
                                                 const std::vector<std::string>& conditions);
  // `values`: of the columns of then.
  Result<bool> holds(std::span<const Datum> values);

 private:
  explicit RowFilter(SessionParts& session);

  SessionParts& session_;
  exec::QueryState state_;
  exec::Condition condition_;
  Chunk row_;
};

}  // namespace indigo::engine::replication
