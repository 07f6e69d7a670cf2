#include "base/sqlstate.h"
#include "engine/exec/operators.h"
namespace indigo::engine::exec {
Result<OperatorPtr> make_merge_join(Builder&, const sql::MergeJoinPlan&) {
  return Error(sqlstate::kFeatureNotSupported, "merge joins are not supported");
}
Result<OperatorPtr> make_grouping_sets(Builder&, const sql::GroupingSetsPlan&) {
  return Error(sqlstate::kFeatureNotSupported, "grouping sets are not supported");
}
Result<OperatorPtr> make_window(Builder&, const sql::WindowPlan&) {
  return Error(sqlstate::kFeatureNotSupported, "window functions are not supported");
}
Result<OperatorPtr> make_merge(Builder&, const sql::MergePlan&) {
  return Error(sqlstate::kFeatureNotSupported, "MERGE is not supported");
}
}  // namespace indigo::engine::exec
