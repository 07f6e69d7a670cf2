#include "engine/exec/builder.h"

#include <algorithm>
#include <utility>

#include "base/fiber/stack.h"
#include "base/sqlstate.h"
#include "catalog/catalog.h"
#include "engine/exec/expression/expression_nodes.h"
#include "engine/exec/expression/routine_calls.h"
#include "engine/exec/operators.h"
#include "types/function/phys_of.h"
#include "types/oids.h"

namespace indigo::engine::exec {

Phys Builder::phys_of(const types::TypeRef& type) { return types::phys_of(state_.session().catalog(), type.oid); }

std::vector<Phys> Builder::phys_of(const std::vector<sql::PlanColumn>& columns) {
  std::vector<Phys> phys;
  for (const sql::PlanColumn& c : columns) phys.push_back(phys_of(c.type));
  return phys;
}

namespace {

// Types of system tables that are texts or bytes inside, and are compared as those.
const types::TypeOrder* order_of_inner(Oid type) {
  constexpr Oid kPgNdistinct = 3361, kPgDependencies = 3402, kPgMcvList = 5017;
  if (type == oid::kPgNodeTree) return types::type_order(oid::kText);
  const bool bytes = type == kPgNdistinct || type == kPgDependencies || type == kPgMcvList;
  return bytes ? types::type_order(oid::kBytea) : nullptr;
}

}  // namespace

const types::TypeOrder* Builder::order_of(const types::TypeRef& type) {
  if (const types::TypeOrder* order = order_of_inner(type.oid)) return order;
  return state_.session().catalog().order_of_type(type);
}

Result<const types::Collator*> Builder::collator_of(const types::TypeRef& type) {
  if (type.collation == oid::kConflictingCollations) {
    return Error(sqlstate::kIndeterminateCollation, "could not determine which collation to use for string comparison")
        .with_hint("Use the COLLATE clause to set the collation explicitly.");
  }
  const types::Collator* collator = state_.session().catalog().collator_of_type(type);
  // An operator class that is gone (CatalogView::ordering_class).
  if (collator == nullptr && type.collation >= oid::kFirstUserOid &&
      state_.session().catalog().collation_name(type.collation).empty()) {
    return Error(sqlstate::kInternalError, "cache lookup failed for operator class " + std::to_string(type.collation));
  }
  return collator;
}

types::TypeRef Builder::element_of(const types::TypeRef& array) {
  auto info = state_.session().catalog().type(array.oid);
  return {info != nullptr ? info->element : kInvalidOid, array.typmod, array.collation};
}

Result<NodePtr> Builder::compile(const sql::ExprPtr& expr) {
  if (expr == nullptr) return NodePtr();
  if (depth_ >= kMaxDepth) return stack_depth_error();
  INDIGO_TRY(check_stack_depth());
  depth_++;
  const bool outer_calls = std::exchange(calls_routine_, calls_routine_itself(state_.session().catalog(), *expr));
  const bool outer_runs = std::exchange(runs_plan_, false);
  if (calls_routine_) state_.note_call();
  auto made = compile_node(expr);
  depth_--;
  const bool guard = is_guarded_level();
  INDIGO_ASSIGN(NodePtr node, std::move(made));
  // A node computes its own expression: what relabels the value makes no node.
  if (expr->kind != sql::ExprKind::kRelabel && expr->kind != sql::ExprKind::kCollate) {
    node->type = expr->type;
    node->phys = phys_of(expr->type);
  }
  volatile_ |= node->is_volatile;
  if (node->is_volatile && expr->kind == sql::ExprKind::kCall &&
      sql::as<sql::CallExpr>(*expr).function >= oid::kFirstUserOid) {
    state_.note_routine();
  }
  bool leaf = expr->kind == sql::ExprKind::kConst || expr->kind == sql::ExprKind::kParam ||
              expr->kind == sql::ExprKind::kRuntimeParam;
  if (node->invariant && !leaf && !node->constant) {
    node = hoist(state_, std::move(node));
    if (!node->uses_slots) calls_routine_ = runs_plan_ = false;  // it is computed once
  }
  if (guard && !node->constant) node = make_stack_guard(state_, std::move(node));
  node->calls_routine = calls_routine_;
  node->runs_plan = runs_plan_;
  calls_routine_ |= outer_calls;
  runs_plan_ |= outer_runs;
  return node;
}

Result<NodePtr> Builder::compile_node(const sql::ExprPtr& expr) {
  using Kind = sql::ExprKind;
  const sql::Expr& e = *expr;
  switch (e.kind) {
    case Kind::kColumn:
    case Kind::kConst:
    case Kind::kParam:
    case Kind::kRuntimeParam: return compile_leaf(*this, e);
    case Kind::kCall: return compile_call(*this, sql::as<sql::CallExpr>(e));
    case Kind::kBool:
    case Kind::kNullTest:
    case Kind::kBooleanTest:
    case Kind::kDistinct: return compile_logic(*this, e);
    case Kind::kCase:
    case Kind::kCoalesce:
    case Kind::kGreatestLeast:
    case Kind::kNullIf: return compile_branch(*this, e);
    case Kind::kArrayCompare:
    case Kind::kArray:
    case Kind::kSubscript:
    case Kind::kArrayCast: return compile_array(*this, e);
    case Kind::kRow:
    case Kind::kRowCompare:
    case Kind::kField:
    case Kind::kRowCast: return compile_record(*this, e);
    case Kind::kRelabel:
    case Kind::kIoCast:
    case Kind::kDomainCast:
    case Kind::kCollate: return compile_cast(*this, e);
    case Kind::kSubPlan: return compile_subplan(*this, sql::as<sql::SubPlanExpr>(e));
    case Kind::kSessionValue: return compile_session_value(*this, sql::as<sql::SessionValueExpr>(e));
    default: break;
  }
  return Error(sqlstate::kInternalError,
               "unexpected expression node " + std::to_string(static_cast<int>(e.kind)) + " in a plan");
}

Result<ExpressionSet> Builder::compile_all(const sql::ExprList& exprs) {
  std::vector<NodePtr> nodes;
  for (const sql::ExprPtr& e : exprs) {
    INDIGO_ASSIGN(NodePtr node, compile(e));
    nodes.push_back(std::move(node));
  }
  return ExpressionSet(state_, std::move(nodes));
}

Result<Condition> Builder::compile_condition(const sql::ExprPtr& expr) {
  INDIGO_ASSIGN(NodePtr node, compile(expr));
  return Condition(state_, std::move(node));
}

Result<OperatorPtr> Builder::build(const sql::PlanPtr& plan) {
  if (depth_ >= kMaxDepth) return stack_depth_error();
  INDIGO_TRY(check_stack_depth());
  depth_++;
  std::vector<int> outer_slots = std::move(slots_), outer_owned = std::move(owned_);
  bool outer_volatile = volatile_;
  slots_.clear();
  owned_.clear();
  volatile_ = false;
  auto made = make(*plan);
  depth_--;
  if (made.ok()) {
    std::sort(slots_.begin(), slots_.end());
    slots_.erase(std::unique(slots_.begin(), slots_.end()), slots_.end());
    std::erase_if(slots_, [&](int s) { return std::find(owned_.begin(), owned_.end(), s) != owned_.end(); });
    (*made)->set_slots(slots_);
    (*made)->set_volatile(volatile_);
    if (state_.analysis != nullptr) {
      (*state_.analysis)[plan.get()] = &(*made)->counters();
      made = make_timed(std::move(*made));
    }
    if (is_guarded_level()) made = make_stack_guard(std::move(*made));
  }
  outer_slots.insert(outer_slots.end(), slots_.begin(), slots_.end());
  slots_ = std::move(outer_slots);
  owned_ = std::move(outer_owned);
  volatile_ |= outer_volatile;
  return made;
}

Result<OperatorPtr> Builder::make(const sql::Plan& plan) {
  using Kind = sql::PlanKind;
  auto as = [&]<class T>(std::type_identity<T>) -> const T& { return static_cast<const T&>(plan); };
#define INDIGO_MAKE(kind, function, type) \
  case Kind::kind: return function(*this, as(std::type_identity<sql::type>{}))
  switch (plan.kind) {
    INDIGO_MAKE(kResult, make_result, ResultPlan);
    INDIGO_MAKE(kValues, make_values, ValuesPlan);
    INDIGO_MAKE(kTableScan, make_table_scan, TableScanPlan);
    INDIGO_MAKE(kIndexScan, make_index_scan, IndexScanPlan);
    INDIGO_MAKE(kFunctionScan, make_function_scan, FunctionScanPlan);
    INDIGO_MAKE(kSubqueryScan, make_subquery_scan, SubqueryScanPlan);
    INDIGO_MAKE(kCteScan, make_cte_scan, CteScanPlan);
    INDIGO_MAKE(kWorkTableScan, make_work_table_scan, WorkTableScanPlan);
    INDIGO_MAKE(kFilter, make_filter, FilterPlan);
    INDIGO_MAKE(kProject, make_project, ProjectPlan);
    INDIGO_MAKE(kProjectSet, make_project_set, ProjectSetPlan);
    INDIGO_MAKE(kNestedLoop, make_nested_loop, NestedLoopPlan);
    INDIGO_MAKE(kHashJoin, make_hash_join, HashJoinPlan);
    INDIGO_MAKE(kMergeJoin, make_merge_join, MergeJoinPlan);
    INDIGO_MAKE(kSort, make_sort, SortPlan);
    INDIGO_MAKE(kLimit, make_limit, LimitPlan);
    INDIGO_MAKE(kHashAggregate, make_hash_aggregate, HashAggregatePlan);
    INDIGO_MAKE(kSortedAggregate, make_sorted_aggregate, SortedAggregatePlan);
    INDIGO_MAKE(kGroupingSets, make_grouping_sets, GroupingSetsPlan);
    INDIGO_MAKE(kWindow, make_window, WindowPlan);
    INDIGO_MAKE(kDistinct, make_distinct, DistinctPlan);
    INDIGO_MAKE(kAppend, make_append, AppendPlan);
    INDIGO_MAKE(kSetOperation, make_set_operation, SetOperationPlan);
    INDIGO_MAKE(kRecursiveUnion, make_recursive_union, RecursiveUnionPlan);
    INDIGO_MAKE(kMaterialize, make_materialize, MaterializePlan);
    INDIGO_MAKE(kLockRows, make_lock_rows, LockRowsPlan);
    INDIGO_MAKE(kInsert, make_insert, InsertPlan);
    INDIGO_MAKE(kUpdate, make_update, UpdatePlan);
    INDIGO_MAKE(kDelete, make_delete, DeletePlan);
    INDIGO_MAKE(kMerge, make_merge, MergePlan);
  }
#undef INDIGO_MAKE
  return Error(sqlstate::kInternalError, "unknown plan node " + std::to_string(static_cast<int>(plan.kind)));
}

}  // namespace indigo::engine::exec
