// Column resolution: expressions over a level's Vars become expressions over an operator's input columns.
//
// A (sub)expression equal to one that an input outputs becomes that column: grouping expressions, aggregates and window calls
// are found so. A Var that no input has is a planner error (XX000).
// Thread safety: pure functions.
#pragma once

#include "base/error.h"
#include "sql/plan/level.h"

namespace indigo::sql::planning {

ExprPtr make_column(int input, int column, const TypeRef& type, int location = -1);

class Resolver {
 public:
  explicit Resolver(const Layout& left, const Layout* right = nullptr);
  Result<ExprPtr> operator()(const ExprPtr& e);  // null stays null
  Result<ExprList> list(const ExprList& all);
  Result<std::vector<SortKey>> keys(const std::vector<SortKey>& all);

 private:
  ExprPtr map(const ExprPtr& e);
  ExprPtr find(const ExprPtr& e) const;

  const Layout* layouts_[2];
  bool complex_ = false;  // some output is more than a Var
  ExprPtr missing_;
};

// The conjunction of `conditions`, resolved; null when there are none.
Result<ExprPtr> resolve_all(Resolver& resolver, const ExprList& conditions);

}  // namespace indigo::sql::planning
