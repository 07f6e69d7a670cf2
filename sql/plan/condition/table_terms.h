// A table's columns and the expressions that its definition keeps (of indexes, predicates, statistics), in the terms of the level
// that reads it: Vars of its entry, columns of the upper table where it is read in the place of one, folded as the query is.
// Thread safety: one planning, one thread.
#pragma once

#include <memory>
#include <string>

#include "sql/plan/level.h"

namespace indigo::sql::planning {

class TableTerms {
 public:
  // `table` may be null: the entry's own relation.
  TableTerms(const Level& level, int entry, const ScannedTable* table);

  const std::shared_ptr<const RelationInfo>& relation() const { return relation_; }
  // By its number; null: the upper table has none.
  ExprPtr column(int16_t number) const;
  Result<ExprPtr> expression(const std::string& tree, const TypeRef& target = {}) const;

 private:
  ExprPtr moved(const ExprPtr& e) const;

  const Level& level_;
  int entry_;
  const ScannedTable* table_;
  const std::shared_ptr<const RelationInfo>& relation_;
};

}  // namespace indigo::sql::planning
