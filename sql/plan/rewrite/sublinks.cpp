// Subqueries in expressions: uncorrelated ones become initplans (or hashed subplans for ANY), correlated ones subplans.
#include <algorithm>
#include <set>
#include <utility>

#include "catalog/descriptor/class_order.h"
#include "sql/analyze/make.h"
#include "sql/plan/condition/clauses.h"
#include "sql/plan/rewrite/correlation.h"
#include "sql/plan/rewrite/fold.h"
#include "sql/plan/rewrite/hashed_exists.h"
#include "sql/plan/rewrite/prepare.h"
#include "sql/plan/rewrite/rewrite.h"
#include "types/oids.h"

namespace indigo::sql::planning {
namespace {

using Form = SubLinkExpr::Form;

// The test over the runtime slots that receive the subquery's columns.
ExprPtr with_slots(const ExprPtr& e, const std::vector<int>& slots) {
  if (e->kind == ExprKind::kSubLink) return e;  // has placeholders of its own
  if (const auto* p = try_as<RuntimeParamExpr>(e)) {
    auto copy = std::make_shared<RuntimeParamExpr>(*p);
    copy->slot = slots[static_cast<size_t>(p->slot)];
    return copy;
  }
  return map_children(e, [&](const ExprPtr& c) { return with_slots(c, slots); });
}

bool is_integer(const TypeRef& type) {
  return type.oid == oid::kInt2 || type.oid == oid::kInt4 || type.oid == oid::kInt8;
}

// x = slot AND ...: what a hash table can answer. Integers of different widths are hashed as the widest.
bool hashable(catalog::CatalogView& catalog, const ExprPtr& test) {
  if (const auto* b = try_as<BoolExpr>(test)) {
    return b->op == BoolExpr::Op::kAnd && std::all_of(b->arguments.begin(), b->arguments.end(),
                                                      [&](const ExprPtr& a) { return hashable(catalog, a); });
  }
  const auto* call = try_as<CallExpr>(test);
  if (!call || call->arguments.size() != 2 || call->op == kInvalidOid) return false;
  const auto* op = catalog.operator_by_oid(call->op);
  return op && catalog::hashes_as_type(catalog, *op) && compared_under_own_collation(catalog, *call) &&
         (call->arguments[0]->type.oid == call->arguments[1]->type.oid ||
          (is_integer(call->arguments[0]->type) && is_integer(call->arguments[1]->type)));
}

// A value for EXISTS needs no columns.
std::shared_ptr<const Query> simplified_exists(const std::shared_ptr<const Query>& q) {
  if (q->command != CommandKind::kSelect || q->set_operation || q->has_aggregates || q->has_windows ||
      !q->group_by.empty() || !q->grouping_sets.empty() || q->having || q->has_set_functions || q->limit || q->offset ||
      !q->row_locks.empty()) {
    return q;
  }
  auto copy = std::make_shared<Query>(*q);
  copy->targets.clear();
  copy->distinct = false;
  copy->distinct_on.clear();
  copy->order_by.clear();
  return copy;
}

// The query as FROM of one that makes a row of its columns: DISTINCT, ORDER BY beside it, and set operations see the columns.
std::shared_ptr<const Query> row_of_columns(const std::shared_ptr<const Query>& q, std::shared_ptr<RowExpr> row) {
  auto out = std::make_shared<Query>();
  Entry entry;
  entry.kind = EntryKind::kSubquery;
  entry.alias = "source";
  for (const TargetEntry& t : q->targets) {
    if (t.hidden) continue;
    row->fields.push_back(make_var(0, static_cast<int>(entry.column_names.size()), t.expr->type));
    row->names.push_back(t.name);
    entry.column_names.push_back(t.name);
    entry.column_types.push_back(t.expr->type);
  }
  entry.subquery = raised(q, 1);
  out->entries.push_back(std::move(entry));
  auto leaf = std::make_shared<JoinNode>();
  leaf->entry = 0;
  out->from = std::move(leaf);
  TargetEntry one;
  one.name = "row";
  one.expr = std::move(row);
  out->targets.push_back(std::move(one));
  return out;
}

std::shared_ptr<const Query> as_one_row(const std::shared_ptr<const Query>& q) {
  auto row = std::make_shared<RowExpr>();
  row->type.oid = oid::kRecord;
  if (q->distinct || !q->distinct_on.empty() || q->set_operation) return row_of_columns(q, std::move(row));
  auto copy = std::make_shared<Query>(*q);
  std::vector<TargetEntry> targets;
  for (TargetEntry& t : copy->targets) {
    if (t.hidden) {
      targets.push_back(t);
      continue;
    }
    row->fields.push_back(t.expr);
    row->names.push_back(t.name);
  }
  TargetEntry one;
  one.name = "row";
  one.expr = row;
  targets.insert(targets.begin(), std::move(one));
  copy->targets = std::move(targets);
  return copy;
}

ExprPtr slot_value(int slot, const TypeRef& type) {
  auto p = std::make_shared<RuntimeParamExpr>();
  p->slot = slot;
  p->type = type;
  return p;
}

}  // namespace

Result<ExprPtr> plan_sublink(Level& level, const SubLinkExpr& link) {
  Statement& s = level.s;
  if (link.form == Form::kExists) {
    if (const ExprPtr any = exists_as_any(level, link)) return prepare_expression(level, any);
  }
  std::shared_ptr<const Query> query = link.query;
  if (link.form == Form::kExists) query = simplified_exists(query);
  std::vector<Request> outer = std::move(level.requests);
  level.requests.clear();
  const int outer_depth = s.request_depth;
  s.request_depth = level.depth + 1;
  std::set<int> outer_varying = std::exchange(s.varying_ctes, {});
  const int first_inside = static_cast<int>(s.out->ctes.size());
  const double fraction = link.form == Form::kExists ? 1 : link.form == Form::kScalar ? 2 : 0;
  auto planned = plan_query(s, &level, query, fraction);
  std::vector<Request> mine = std::move(level.requests);
  level.requests = std::move(outer);
  if (!planned.ok()) return planned.take_error();
  PlanPtr plan = *planned;

  s.varying_ctes.erase(s.varying_ctes.lower_bound(first_inside), s.varying_ctes.end());
  const bool independent = s.request_depth > level.depth && s.varying_ctes.empty();
  s.request_depth = std::min(s.request_depth, outer_depth);
  s.varying_ctes.merge(outer_varying);
  const bool single = link.form == Form::kExists || link.form == Form::kScalar || link.form == Form::kArray;
  if (independent && link.form != Form::kAny && link.form != Form::kAll) {
    s.out->subplans.push_back(plan);
    PlannedStatement::InitPlan init;
    init.subplan = static_cast<int>(s.out->subplans.size()) - 1;
    init.form = link.form;
    if (single) {
      init.slots.push_back(s.new_slot(link.type));
    } else {
      for (const PlanColumn& c : plan->columns) init.slots.push_back(s.new_slot(c.type));
    }
    s.out->initplans.push_back(init);
    if (single) return slot_value(init.slots[0], link.type);
    if (link.form == Form::kRowCompare) {
      return prepare_expression(level, with_slots(link.test, init.slots));
    }
    auto row = std::make_shared<RowExpr>();
    row->type.oid = oid::kRecord;
    for (size_t i = 0; i < init.slots.size(); i++) {
      row->fields.push_back(slot_value(init.slots[i], plan->columns[i].type));
      row->names.push_back(plan->columns[i].name);
    }
    return ExprPtr(row);
  }
  auto out = std::make_shared<SubPlanExpr>();
  out->form = link.form;
  out->type = link.type;
  out->location = link.location;
  if (link.form == Form::kMultiAssign) {
    // One composite value per row; each assignment takes its field.
    level.requests.swap(outer);
    level.requests.clear();
    auto again = plan_query(s, &level, as_one_row(query), 2);
    mine = std::move(level.requests);
    level.requests = std::move(outer);
    if (!again.ok()) return again.take_error();
    plan = *again;
    out->form = Form::kScalar;
    out->type.oid = oid::kRecord;
  }
  s.out->subplans.push_back(plan);
  out->subplan = static_cast<int>(s.out->subplans.size()) - 1;
  for (Request& r : mine) out->passes.push_back({r.slot, r.from});
  if (link.test) {
    for (const PlanColumn& c : plan->columns) out->columns.push_back(s.new_slot(c.type));
    INDIGO_ASSIGN(out->test, prepare_expression(level, with_slots(link.test, out->columns)));
    out->hashed = link.form == Form::kAny && independent && hashable(s.catalog(), out->test);
  }
  if (link.form == Form::kExists) INDIGO_TRY(note_hashed_exists(level, link, *out));
  return ExprPtr(out);
}

}  // namespace indigo::sql::planning
