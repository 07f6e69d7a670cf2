// The operators, by the file that implements them.
#pragma once

#include "engine/exec/builder.h"

namespace indigo::engine::exec {

// result.cpp
Result<OperatorPtr> make_result(Builder& b, const sql::ResultPlan& p);
Result<OperatorPtr> make_values(Builder& b, const sql::ValuesPlan& p);
// table_scan.cpp, index_scan.cpp
Result<OperatorPtr> make_table_scan(Builder& b, const sql::TableScanPlan& p);
Result<OperatorPtr> make_current_row(Builder& b, const sql::TableScanPlan& p);  // current_row.cpp: WHERE CURRENT OF
Result<OperatorPtr> make_index_scan(Builder& b, const sql::IndexScanPlan& p);
// function_scan.cpp, project_set.cpp
Result<OperatorPtr> make_function_scan(Builder& b, const sql::FunctionScanPlan& p);
Result<OperatorPtr> make_project_set(Builder& b, const sql::ProjectSetPlan& p);
// filter.cpp
Result<OperatorPtr> make_subquery_scan(Builder& b, const sql::SubqueryScanPlan& p);
Result<OperatorPtr> make_filter(Builder& b, const sql::FilterPlan& p);
// project.cpp
Result<OperatorPtr> make_project(Builder& b, const sql::ProjectPlan& p);
// cte.cpp
Status build_cte(QueryState& state, int number);  // its source, if that has not been built yet
Result<OperatorPtr> make_cte_scan(Builder& b, const sql::CteScanPlan& p);
Result<OperatorPtr> make_work_table_scan(Builder& b, const sql::WorkTableScanPlan& p);
Result<OperatorPtr> make_recursive_union(Builder& b, const sql::RecursiveUnionPlan& p);
// joins; those that are given their inputs build none
Result<OperatorPtr> make_nested_loop(Builder& b, const sql::NestedLoopPlan& p);
Result<OperatorPtr> make_nested_loop(Builder& b, const sql::NestedLoopPlan& p, OperatorPtr left, OperatorPtr right);
// lookup_join.cpp: what make_nested_loop makes when the right side is a look-up by primary key
bool is_lookup_join(const sql::NestedLoopPlan& p);
Result<OperatorPtr> make_lookup_join(Builder& b, const sql::NestedLoopPlan& p, OperatorPtr left);
// adaptive_join.cpp: and when there is a hash join for the case that it takes too long
Result<OperatorPtr> make_adaptive_join(Builder& b, const sql::NestedLoopPlan& p);
Result<OperatorPtr> make_hash_join(Builder& b, const sql::HashJoinPlan& p);
Result<OperatorPtr> make_hash_join(Builder& b, const sql::HashJoinPlan& p, OperatorPtr left, OperatorPtr right);
Result<OperatorPtr> make_merge_join(Builder& b, const sql::MergeJoinPlan& p);
// sort.cpp, limit.cpp, distinct.cpp, append.cpp, set_operation.cpp, materialize.cpp
Result<OperatorPtr> make_sort(Builder& b, const sql::SortPlan& p);
Result<OperatorPtr> make_limit(Builder& b, const sql::LimitPlan& p);
Result<OperatorPtr> make_distinct(Builder& b, const sql::DistinctPlan& p);
Result<OperatorPtr> make_append(Builder& b, const sql::AppendPlan& p);
Result<OperatorPtr> make_set_operation(Builder& b, const sql::SetOperationPlan& p);
Result<OperatorPtr> make_materialize(Builder& b, const sql::MaterializePlan& p);
Result<OperatorPtr> make_memoize(Builder& b, const sql::MaterializePlan& p);  // memoize.cpp: by slots
// `input`, whose rows are kept for those who read them again.
OperatorPtr remember_rows(Builder& b, std::vector<Phys> columns, OperatorPtr input);
// aggregation
Result<OperatorPtr> make_hash_aggregate(Builder& b, const sql::HashAggregatePlan& p);
Result<OperatorPtr> make_sorted_aggregate(Builder& b, const sql::SortedAggregatePlan& p);
Result<OperatorPtr> make_grouping_sets(Builder& b, const sql::GroupingSetsPlan& p);
Result<OperatorPtr> make_window(Builder& b, const sql::WindowPlan& p);
// changes
Result<OperatorPtr> make_lock_rows(Builder& b, const sql::LockRowsPlan& p);
Result<OperatorPtr> make_insert(Builder& b, const sql::InsertPlan& p);
Result<OperatorPtr> make_update(Builder& b, const sql::UpdatePlan& p);
Result<OperatorPtr> make_delete(Builder& b, const sql::DeletePlan& p);
Result<OperatorPtr> make_merge(Builder& b, const sql::MergePlan& p);
// timed.cpp: counts rows, loops and time of another operator (EXPLAIN ANALYZE)
OperatorPtr make_timed(OperatorPtr inner);

}  // namespace indigo::engine::exec
