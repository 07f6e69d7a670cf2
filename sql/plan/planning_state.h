// What the planning of one statement shares between its query levels: runtime slots, subplans, initplans, CTEs, dependencies.
// Thread safety: one planning, one thread.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <unordered_map>
#include <vector>

#include "catalog/descriptor/session_context.h"
#include "sql/plan.h"
#include "sql/plan/planner.h"
#include "sql/query.h"

namespace indigo::sql::planning {

// A WITH query that is materialised: planned when the planner reaches its owner.
struct SharedCte {
  std::string name;
  std::shared_ptr<const Query> query;
  bool recursive = false;
  double rows = 1000;
};

struct Statement {
  Statement(catalog::SessionContext& s, std::span<const Datum> parameters)
      : session(s), sample_parameters(parameters) {}

  catalog::SessionContext& session;
  std::span<const Datum> sample_parameters;
  std::shared_ptr<PlannedStatement> out = std::make_shared<PlannedStatement>();
  std::vector<double>
      cte_rows;  // by CTE: estimated rows (recursive ones: of the non-recursive term while it is planned)
  // By CTE: what a subquery that reads it has to add to varying_ctes.
  std::vector<std::set<int>> cte_varies_with;
  // By the plan of a subquery or a WITH query: how many different values each of its columns has; 0: not known.
  std::map<PlanPtr, std::vector<double>> distinct_outputs;
  // By subplan of an EXISTS: what may stand in its place, and what that costs at all (rewrite/hashed_exists.h).
  struct HashedExists {
    ExprPtr instead;
    double cost;
  };
  std::map<int, HashedExists> hashed_exists;
  // By subquery in FROM: comparisons of its columns, which are window calls, that let its window stop (rewrite/run_condition.h).
  struct RunCondition {
    int column;
    ExprPtr comparison;  // a call whose first argument stands for the column
  };
  std::map<const Query*, std::vector<RunCondition>> run_conditions;
  // The outermost level (by depth) that a subquery being planned has asked a value of.
  int request_depth = INT32_MAX;
  // The CTEs, by their numbers, that a subquery being planned has read and whose rows are not the same throughout a run: those
  // that ask a query around them for values, recursive ones whose working table is read, and CTEs over such.
  std::set<int> varying_ctes;
  bool prunes = false;  // some Append leaves inputs out when it is opened
  int settings = -1;    // enable_* bits, read on demand (cost.h)

  catalog::CatalogView& catalog() { return session.catalog(); }
  int new_slot(const TypeRef& type) {
    out->runtime_types.push_back(type);
    return out->runtime_slots++;
  }
  void depend(const std::shared_ptr<const RelationInfo>& relation, storage::TableLockMode lock);
  // The plan reads more of it than one row, and has so many rows in mind; it depends on the relation already.
  void size(const RelationInfo& relation, double rows);

 private:
  // Where it stands in out->relations, or would.
  size_t dependency_of(Oid relation);

  std::unordered_map<Oid, size_t> dependencies_;  // places in out->relations, once there are many
};

}  // namespace indigo::sql::planning
