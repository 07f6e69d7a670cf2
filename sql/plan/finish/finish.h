// From the rows of FROM and WHERE to the rows of the query: grouping, windows, distinct, order, row locks, limit, projection.
// Each concept has its file; Stage is what goes from one to the next.
// Thread safety: one planning, one thread.
#pragma once

#include "sql/plan/level.h"

namespace indigo::sql::planning {

// A plan under construction: its columns in the level's terms, and the order of its rows.
struct Stage {
  Built built;
  std::vector<PathKey> order;
};

// The rows of FROM and WHERE by a path; conditions without columns are checked once, above.
Result<Stage> stage_of_path(Level& level, const Path& path, const VarSet& needed);
Stage stage_without_from(Level& level);

// The columns that FROM and WHERE must bring.
VarSet needed_vars(Level& level);

Status add_grouping(Level& level, Stage& stage);  // grouping.cpp
// HAVING's conditions without aggregates become WHERE's: whole groups pass or do not; without GROUP BY and aggregates nothing
// of FROM is read. Before anything else is done.
void move_having(Level& level);
// The aggregates of the query, each once.
ExprList query_aggregates(const Query& q);
// The rest of add_grouping when the aggregates have been computed: HAVING.
Status add_having(Level& level, Stage& stage, double groups);
// Where all aggregates are min or max that an order answers: a stage that has them computed. False: it cannot be done.
Result<bool> first_rows_stage(Level& level, const ExprList& aggregates, Stage& out);  // min_max.cpp
Status add_windows(Level& level, Stage& stage);                                       // windows.cpp
Status add_distinct(Level& level, Stage& stage);                                      // distinct.cpp
Status add_row_locks(Level& level, Stage& stage);                                     // row_locks.cpp
void need_row_locks(Level& level, VarSet& needed);
Status add_sort(Level& level, Stage& stage, const std::vector<SortKey>& keys, bool top_n);
Result<Stage> plan_set_operation(Level& level);  // set_operations.cpp

// Computes expressions: the stage's columns become exactly these (set-returning calls through ProjectSet).
Status add_projection(Level& level, Stage& stage, const ExprList& expressions, const std::vector<std::string>& names);

// Rows that LIMIT and OFFSET let through, as far as they are known; 0: all.
double limit_rows(const Level& level);
// What the plan costs when `fraction` rows (0: all) are fetched.
double cost_of(const Plan& plan, double rows_wanted);

bool has_set_function(const ExprPtr& e);

}  // namespace indigo::sql::planning
