#include "sql/plan/path/build_path.h"

#include <algorithm>

#include "base/sqlstate.h"
#include "catalog/tables/system_columns.h"
#include "sql/analyze/make.h"
#include "sql/plan/condition/security.h"
#include "sql/plan/condition/selectivity.h"
#include "sql/plan/path/adaptive_join.h"
#include "sql/plan/path/cost.h"
#include "sql/plan/path/foreign_paths.h"
#include "sql/plan/resolve.h"
#include "sql/plan/rewrite/hashed_exists.h"
#include "storage/table.h"
#include "types/oids.h"

namespace indigo::sql::planning {
namespace {

TypeRef column_type(const Entry& entry, int column) {
  if (column >= 0) return entry.column_types[static_cast<size_t>(column)];
  return {column == kRowKeyColumn ? oid::kBytea : catalog::find_system_column(column)->type, -1, kInvalidOid};
}

std::string column_name(const Entry& entry, int column) {
  if (column >= 0) return entry.column_names[static_cast<size_t>(column)];
  return column == kRowKeyColumn ? "row key" : std::string(catalog::find_system_column(column)->name);
}

// Cheap conditions first; those of one cost as written.
ExprList by_cost(Level& level, std::vector<const Clause*> clauses, const Rel* scanned = nullptr) {
  clauses_cost(level, clauses);
  std::stable_sort(clauses.begin(), clauses.end(), [](const Clause* a, const Clause* b) { return a->cost < b->cost; });
  if (scanned != nullptr && level.security.contains(scanned->entry)) {
    std::stable_sort(clauses.begin(), clauses.end(), [&](const Clause* a, const Clause* b) {
      return security_rank(level, *scanned, *a) < security_rank(level, *scanned, *b);
    });
  }
  ExprList out;
  for (const Clause* c : clauses) out.push_back(c->expr);
  return out;
}

class PathBuilder {
 public:
  explicit PathBuilder(Level& level) : level_(level) {}

  Result<Built> build(const Path& p, const VarSet& needed) {
    switch (p.kind) {
      case Path::Kind::kScan: return scan(p, needed);
      case Path::Kind::kAppend: return append(p, needed);
      case Path::Kind::kPrebuilt: return prebuilt(p, needed);
      case Path::Kind::kNestedLoop: return nested_loop(p, needed);
      case Path::Kind::kHashJoin: return hash_join(p, needed);
      case Path::Kind::kMergeJoin: return merge_join(p, needed);
      case Path::Kind::kSort: return sort(p, needed);
      case Path::Kind::kMaterialize: return materialize(p, needed);
      case Path::Kind::kUnique: return unique(p, needed);
      case Path::Kind::kUnion: return index_union(p, needed);
    }
    return Error(sqlstate::kInternalError, "planner: unknown path");
  }

 private:
  static void copy_costs(const Path& p, Plan& plan) {
    plan.startup_cost = p.startup;
    plan.total_cost = p.total;
    plan.rows = p.rows;
  }

  // Columns of relations outside `rels` come as runtime parameters from the nested loop around.
  ExprPtr parameterised(const ExprPtr& e, RelSet rels) {
    if (!e || rels.contains(level_.rels_of(e))) return e;
    if (e->kind == ExprKind::kVar) {
      auto param = std::make_shared<RuntimeParamExpr>();
      param->type = e->type;
      for (const Request& r : level_.nest_params) {
        if (equal(r.from, e)) {
          param->slot = r.slot;
          return param;
        }
      }
      param->slot = level_.s.new_slot(e->type);
      level_.nest_params.push_back({e, param->slot});
      return param;
    }
    return map_children(e, [&](const ExprPtr& c) { return parameterised(c, rels); });
  }

  Result<Built> scan(const Path& p, const VarSet& needed) {
    const Entry& entry = level_.entry(p.rel->entry);
    ExprList conditions = by_cost(level_, p.filters, p.rel);
    choose_subplans(p, conditions);
    VarSet wanted;
    for (const auto& [e, column] : needed.pairs()) {
      if (e == p.rel->entry) wanted.add(e, column);
    }
    for (const ExprPtr& c : conditions) wanted.add_vars(c);

    std::shared_ptr<Plan> plan;
    ScanPlan* s;
    if (p.index >= 0) {
      auto node = std::make_shared<IndexScanPlan>();
      node->index = p.index;
      node->inverted = p.inverted;
      node->nearest = p.nearest;
      node->wanted = p.nearest ? level_.tuple_fraction : 0;
      s = node.get();
      plan = std::move(node);
    } else {
      auto node = std::make_shared<TableScanPlan>();
      if (p.rel->entry == level_.work.target) {
        node->current_of = level_.work.current_of;
        node->current_of_parameter = level_.work.current_of_parameter;
      }
      s = node.get();
      plan = std::move(node);
    }
    const ScannedTable* table = p.rel->table;
    s->relation = table != nullptr ? table->relation : entry.relation;
    s->alias = entry.alias;
    s->direction = p.direction;
    s->point = p.point;
    Built out;
    // Negative (system) columns sort first, so that the order is by table column otherwise.
    for (const auto& [e, column] : wanted.pairs()) {
      if (e != p.rel->entry) continue;
      const TypeRef type = column_type(entry, column);
      s->scan_columns.push_back(table != nullptr && column >= 0 ? table->column_of[static_cast<size_t>(column)]
                                                                : column);
      plan->columns.push_back({column_name(entry, column), type});
      plan->width += average_width(level_, e, column);
      out.layout.outputs.push_back(make_var(e, column, type));
    }
    s->bounds = key_bounds(p.bounds, p.rels);
    Resolver resolve(out.layout);
    INDIGO_ASSIGN(s->filter, resolve_all(resolve, conditions));
    copy_costs(p, *plan);
    out.plan = std::move(plan);
    return out;
  }

  // Each condition is asked for the rows that those before it leave.
  void choose_subplans(const Path& p, ExprList& conditions) {
    if (level_.s.hashed_exists.empty()) return;
    double rows = p.rows;
    if (p.outer.empty()) {
      const bool all = p.index < 0 && p.bounds.whole();
      rows = all ? p.rel->tuples
                 : std::min(p.rel->tuples, p.rows / std::max(1e-9, clauses_selectivity(level_, p.filters)));
    }
    for (ExprPtr& c : conditions) {
      const double passing = selectivity(level_, c);
      c = with_hashed_exists(level_, c, rows);
      rows *= passing;
    }
  }

  KeyBounds key_bounds(const IndexBounds& from, RelSet rels) {
    return map_values(from, [&](const ExprPtr& e) { return parameterised(e, rels); });
  }

  // The tables below a relation, all with the same columns.
  Result<Built> append(const Path& p, const VarSet& needed) {
    const Entry& entry = level_.entry(p.rel->entry);
    VarSet wanted;
    for (const auto& [e, column] : needed.pairs()) {
      if (e == p.rel->entry) wanted.add(e, column);
    }
    for (const SortKey& k : p.sort) wanted.add_vars(k.expr);
    Built out;
    auto plan = std::make_shared<AppendPlan>();
    for (const auto& [e, column] : wanted.pairs()) {
      const TypeRef type = column_type(entry, column);
      plan->columns.push_back({column_name(entry, column), type});
      out.layout.outputs.push_back(make_var(e, column, type));
    }
    if (p.parts.empty()) {
      auto nothing = std::make_shared<ResultPlan>();
      nothing->columns = plan->columns;
      nothing->condition = make_bool(false);
      for (const PlanColumn& c : nothing->columns) nothing->projection.push_back(make_null(level_.s.catalog(), c.type));
      out.plan = std::move(nothing);
      return out;
    }
    for (const Path* part : p.parts) {
      INDIGO_ASSIGN(Built leaf, build(*part, wanted));
      // A leaf outputs what its own conditions read, too.
      ExprList picked;
      for (const ExprPtr& e : out.layout.outputs) {
        for (size_t i = 0; i < leaf.layout.outputs.size(); i++) {
          if (!equal(e, leaf.layout.outputs[i])) continue;
          picked.push_back(make_column(0, static_cast<int>(i), e->type));
          break;
        }
      }
      if (picked.size() != out.layout.outputs.size()) {
        return Error(sqlstate::kFeatureNotSupported, "cannot retrieve a system column in this context");
      }
      const bool same =
          std::equal(leaf.layout.outputs.begin(), leaf.layout.outputs.end(), out.layout.outputs.begin(),
                     out.layout.outputs.end(), [](const ExprPtr& a, const ExprPtr& b) { return equal(a, b); });
      plan->inputs.push_back(same ? leaf.plan : projected(leaf.plan, std::move(picked), plan->columns));
      plan->width = leaf.plan->width;
    }
    for (const KeyPruning& from : p.rel->prunings) {
      PartitionPruning pruning;
      pruning.relation = from.relation;
      pruning.bounds = key_bounds(from.bounds, p.rels);
      for (const auto& leaves : from.leaves) {
        pruning.inputs.emplace_back();
        for (const size_t leaf : leaves) pruning.inputs.back().push_back(static_cast<int>(leaf));
        pruning.concerned += leaves.size();
      }
      plan->prunings.push_back(std::move(pruning));
    }
    Resolver resolve(out.layout);
    INDIGO_ASSIGN(plan->order, resolve.keys(p.sort));
    copy_costs(p, *plan);
    if (!plan->prunings.empty()) level_.s.prunes = true;
    out.plan = std::move(plan);
    return out;
  }

  // The scans' rows one after the other, each once: by its key.
  Result<Built> index_union(const Path& p, const VarSet& needed) {
    const int entry = p.rel->entry;
    VarSet wanted = needed;
    wanted.add(entry, kRowKeyColumn);
    for (const Path* part : p.parts) {
      for (const Clause* c : part->filters) wanted.add_vars(c->expr);
    }
    auto all = std::make_shared<AppendPlan>();
    Built out;
    for (const Path* part : p.parts) {
      INDIGO_ASSIGN(Built one, scan(*part, wanted));
      all->inputs.push_back(std::move(one.plan));
      out.layout = std::move(one.layout);
    }
    all->columns = all->inputs[0]->columns;
    all->width = all->inputs[0]->width;
    copy_costs(p, *all);
    auto plan = make_above<DistinctPlan>(all);
    Resolver resolve(out.layout);
    INDIGO_ASSIGN(plan->on,
                  resolve.list({make_var(entry, kRowKeyColumn, column_type(level_.entry(entry), kRowKeyColumn))}));
    copy_costs(p, *plan);
    out.plan = std::move(plan);
    return out;
  }

  Result<Built> prebuilt(const Path& p, const VarSet& needed) {
    Built out;
    out.plan = p.rel->plan;
    for (size_t i = 0; i < p.rel->plan_columns.size(); i++)
      out.layout.outputs.push_back(make_var(p.rel->entry, p.rel->plan_columns[i], out.plan->columns[i].type));
    if (const RelationInfo* foreign = foreign_table_of(level_, *p.rel)) add_system_columns(p, *foreign, needed, out);
    for (const Request& r : p.rel->requests) level_.nest_params.push_back(r);
    INDIGO_ASSIGN(out.plan, filtered(level_, out, by_cost(level_, p.rel->restrictions), p.rows));
    return out;
  }

  // Beside the key of rows that are to be changed, and the ctid of other servers' rows, tableoid is the one system column that a
  // foreign table's rows have. What other servers have in the others is not told, and a row's key is null: a lock is theirs.
  void add_system_columns(const Path& p, const RelationInfo& foreign, const VarSet& needed, Built& out) {
    const int entry = p.rel->entry;
    VarSet wanted = needed;
    for (const Clause* c : p.rel->restrictions) wanted.add_vars(c->expr);
    ExprList projection;
    std::vector<PlanColumn> columns = out.plan->columns;
    for (size_t i = 0; i < columns.size(); i++)
      projection.push_back(make_column(0, static_cast<int>(i), columns[i].type));
    for (const auto& [of, column] : wanted.pairs()) {
      if (of != entry || column >= 0) continue;
      const bool target = entry == level_.work.target;
      const bool known =
          std::find(p.rel->plan_columns.begin(), p.rel->plan_columns.end(), column) != p.rel->plan_columns.end();
      const bool of_header =
          column == kXminColumn || column == kCminColumn || column == kXmaxColumn || column == kCmaxColumn;
      if (known || (column == kCtidColumn && !target && is_remote_table(foreign)) ||
          (of_header && !target && !is_remote_table(foreign)))
        continue;
      const TypeRef type = column_type(level_.entry(entry), column);
      projection.push_back(column == kTableOidColumn ? make_const(type, Datum::of_oid(foreign.oid))
                           : of_header               ? make_const(type, Datum::of_oid(kInvalidOid))
                           : column == kCtidColumn   ? make_const(type, Datum::of(kNowhere))
                                                     : make_null(level_.s.catalog(), type));
      columns.push_back({column_name(level_.entry(entry), column), type});
      out.layout.outputs.push_back(make_var(entry, column, type));
    }
    if (columns.size() > out.plan->columns.size())
      out.plan = projected(out.plan, std::move(projection), std::move(columns));
  }

  static constexpr Str kNowhere{"\xff\xff\xff\xff\0\0", 6};  // the ctid of a row that lies in no table

  bool is_remote_table(const RelationInfo& foreign) const {
    const auto handler = level_.s.catalog().function(foreign.foreign->handler);
    return handler != nullptr && handler->source == "postgres_fdw_handler";
  }

  // What the join's sides must output.
  static VarSet below(const Path& p, const VarSet& needed) {
    VarSet out = needed;
    for (const auto* list : {&p.join_clauses, &p.filters, &p.key_clauses}) {
      for (const Clause* c : *list) out.add_vars(c->expr);
    }
    return out;
  }

  // Conditions, projection and the filter above an outer join.
  template <class P>
  Result<Built> finish_join(const Path& p, std::shared_ptr<P> join, Built left, Built right, const VarSet& needed) {
    Resolver resolve(left.layout, &right.layout);
    INDIGO_ASSIGN(join->condition, resolve_all(resolve, by_cost(level_, p.join_clauses)));
    join->type = p.type;
    join->inputs = {left.plan, right.plan};
    copy_costs(p, *join);
    VarSet kept = needed;
    for (const Clause* c : p.filters) kept.add_vars(c->expr);
    const bool left_only = p.type == JoinType::kSemi || p.type == JoinType::kAnti;
    Built out;
    bool all = true;
    ExprList projection;
    for (int side = 0; side < (left_only ? 1 : 2); side++) {
      const Built& from = side == 0 ? left : right;
      for (size_t i = 0; i < from.layout.outputs.size(); i++) {
        const ExprPtr& e = from.layout.outputs[i];
        const auto& v = as<VarExpr>(*e);
        if (!kept.has(v.entry, v.column)) {
          all = false;
          continue;
        }
        projection.push_back(make_column(side, static_cast<int>(i), e->type));
        out.layout.outputs.push_back(e);
        join->columns.push_back(from.plan->columns[i]);
        join->width += average_width(level_, v.entry, v.column);
      }
    }
    if (!all && projection.empty()) {
      // Nothing is wanted of the rows but their number: pass everything through, an empty projection says so.
      out.layout.outputs = left.layout.outputs;
      join->columns = left.plan->columns;
      if (!left_only) {
        out.layout.outputs.insert(out.layout.outputs.end(), right.layout.outputs.begin(), right.layout.outputs.end());
        join->columns.insert(join->columns.end(), right.plan->columns.begin(), right.plan->columns.end());
      }
    } else if (!all) {
      join->projection = std::move(projection);
    }
    out.plan = join;
    INDIGO_ASSIGN(out.plan, filtered(level_, out, by_cost(level_, p.filters), p.rows));
    return out;
  }

  Result<Built> nested_loop(const Path& p, const VarSet& needed) {
    VarSet wanted = below(p, needed);
    const std::optional<HashedInstead> instead = hashed_instead(level_, p);
    if (instead) {
      for (const auto* list : {&instead->keys, &instead->others}) {
        for (const Clause* c : *list) wanted.add_vars(c->expr);
      }
    }
    // The inner side first: it says which columns of the outer one it wants as parameters.
    std::vector<Request> outer = std::move(level_.nest_params);
    level_.nest_params.clear();
    INDIGO_ASSIGN(Built right, build(*p.right, wanted));
    std::vector<Request> mine;
    for (Request& r : level_.nest_params) {
      const RelSet rels = level_.rels_of(r.from);
      (rels.overlaps(p.left->rels) ? mine : outer).push_back(std::move(r));
    }
    level_.nest_params = std::move(outer);
    for (const Request& r : mine) wanted.add_vars(r.from);
    INDIGO_ASSIGN(Built left, build(*p.left, wanted));
    auto join = std::make_shared<NestedLoopPlan>();
    Resolver resolve(left.layout);
    for (const Request& r : mine) {
      INDIGO_ASSIGN(ExprPtr from, resolve(parameterised(r.from, p.left->rels)));
      join->passes.push_back({r.slot, std::move(from)});
    }
    if (!instead) return finish_join(p, std::move(join), std::move(left), std::move(right), needed);
    INDIGO_ASSIGN(Built out, finish_join(p, join, left, right, needed));
    INDIGO_ASSIGN(right, build(*instead->right, wanted));
    INDIGO_ASSIGN(join->instead, hashed(*instead, p, *join, out.layout, left, right));
    join->patience = instead->patience;
    join->left_row_cost = instead->left_row_cost;
    join->right_row_cost = instead->right_row_cost;
    return out;
  }

  // A hash join that gives the columns `layout` of `nested`; null: its sides do not have them.
  Result<std::shared_ptr<const HashJoinPlan>> hashed(const HashedInstead& how, const Path& p, const Plan& nested,
                                                     const Layout& layout, const Built& left, const Built& right) {
    auto join = std::make_shared<HashJoinPlan>();
    join->type = p.type;
    join->inputs = {left.plan, right.plan};
    for (const ExprPtr& e : layout.outputs) {
      const auto of = [&](int side) {
        const ExprList& outputs = (side == 0 ? left : right).layout.outputs;
        const auto at = std::find_if(outputs.begin(), outputs.end(), [&](const ExprPtr& o) { return equal(o, e); });
        return at == outputs.end() ? ExprPtr() : make_column(side, static_cast<int>(at - outputs.begin()), e->type);
      };
      ExprPtr column = of(0);
      if (!column) column = of(1);
      if (!column) return std::shared_ptr<const HashJoinPlan>();
      join->projection.push_back(std::move(column));
    }
    INDIGO_ASSIGN(auto keys, join_keys(how.keys, p.left->rels, left, right));
    join->left_keys = std::move(keys.first);
    join->right_keys = std::move(keys.second);
    join->null_safe = null_safe(how.keys);
    Resolver resolve(left.layout, &right.layout);
    INDIGO_ASSIGN(join->condition, resolve_all(resolve, by_cost(level_, how.others)));
    copy_costs(p, *join);
    join->columns = nested.columns;
    join->width = nested.width;
    return std::shared_ptr<const HashJoinPlan>(std::move(join));
  }

  static std::vector<bool> null_safe(const std::vector<const Clause*>& keys) {
    std::vector<bool> out;
    if (std::none_of(keys.begin(), keys.end(), [](const Clause* c) { return c->null_safe; })) return out;
    for (const Clause* c : keys) out.push_back(c->null_safe);
    return out;
  }

  static Result<std::pair<ExprList, ExprList>> join_keys(const std::vector<const Clause*>& clauses, RelSet left_rels,
                                                         const Built& left, const Built& right) {
    Resolver of_left(left.layout), of_right(right.layout);
    std::pair<ExprList, ExprList> out;
    for (const Clause* c : clauses) {
      const bool straight = left_rels.contains(c->left_rels);
      INDIGO_ASSIGN(ExprPtr l, of_left(straight ? c->left : c->right));
      INDIGO_ASSIGN(ExprPtr r, of_right(straight ? c->right : c->left));
      out.first.push_back(std::move(l));
      out.second.push_back(std::move(r));
    }
    return out;
  }

  Result<Built> hash_join(const Path& p, const VarSet& needed) {
    const VarSet wanted = below(p, needed);
    INDIGO_ASSIGN(Built left, build(*p.left, wanted));
    INDIGO_ASSIGN(Built right, build(*p.right, wanted));
    auto join = std::make_shared<HashJoinPlan>();
    INDIGO_ASSIGN(auto keys, join_keys(p.key_clauses, p.left->rels, left, right));
    join->left_keys = std::move(keys.first);
    join->right_keys = std::move(keys.second);
    join->null_aware_anti = p.null_aware_anti;
    join->null_safe = null_safe(p.key_clauses);
    return finish_join(p, std::move(join), std::move(left), std::move(right), needed);
  }

  Result<Built> merge_join(const Path& p, const VarSet& needed) {
    const VarSet wanted = below(p, needed);
    INDIGO_ASSIGN(Built left, build(*p.left, wanted));
    INDIGO_ASSIGN(Built right, build(*p.right, wanted));
    auto join = std::make_shared<MergeJoinPlan>();
    INDIGO_ASSIGN(auto keys, join_keys(p.key_clauses, p.left->rels, left, right));
    join->left_keys = std::move(keys.first);
    join->right_keys = std::move(keys.second);
    join->order = p.sort;
    return finish_join(p, std::move(join), std::move(left), std::move(right), needed);
  }

  Result<Built> sort(const Path& p, const VarSet& needed) {
    VarSet wanted = needed;
    for (const SortKey& k : p.sort) wanted.add_vars(k.expr);
    INDIGO_ASSIGN(Built input, build(*p.left, wanted));
    auto plan = make_above<SortPlan>(input.plan);
    Resolver resolve(input.layout);
    INDIGO_ASSIGN(plan->keys, resolve.keys(p.sort));
    copy_costs(p, *plan);
    return Built{plan, std::move(input.layout)};
  }

  Result<Built> materialize(const Path& p, const VarSet& needed) {
    INDIGO_ASSIGN(Built input, build(*p.left, needed));
    auto plan = make_above<MaterializePlan>(input.plan);
    if (!p.outer.empty()) {
      for (const Request& r : p.left->rel->requests) plan->slots.push_back(r.slot);
    }
    copy_costs(p, *plan);
    return Built{plan, std::move(input.layout)};
  }

  Result<Built> unique(const Path& p, const VarSet& needed) {
    VarSet wanted = needed;
    for (const ExprPtr& e : p.unique) wanted.add_vars(e);
    INDIGO_ASSIGN(Built input, build(*p.left, wanted));
    auto plan = make_above<DistinctPlan>(input.plan);
    Resolver resolve(input.layout);
    INDIGO_ASSIGN(plan->on, resolve.list(p.unique));
    copy_costs(p, *plan);
    return Built{plan, std::move(input.layout)};
  }

  Level& level_;
};

}  // namespace

Result<Built> build_path(Level& level, const Path& path, const VarSet& needed) {
  return PathBuilder(level).build(path, needed);
}

Result<PlanPtr> filtered(Level& level, const Built& input, const ExprList& conditions, double rows) {
  if (conditions.empty()) return input.plan;
  auto plan = make_above<FilterPlan>(input.plan);
  Resolver resolve(input.layout);
  INDIGO_ASSIGN(plan->condition, resolve_all(resolve, conditions));
  double cost = 0;
  for (const ExprPtr& e : conditions) cost += expression_cost(level, e);
  plan->total_cost += input.plan->rows * cost;
  plan->rows = rows;
  return PlanPtr(plan);
}

PlanPtr projected(const PlanPtr& input, ExprList projection, std::vector<PlanColumn> columns) {
  auto plan = make_above<ProjectPlan>(input);
  plan->projection = std::move(projection);
  plan->columns = std::move(columns);
  plan->total_cost += input->rows * kColumnCost * static_cast<double>(plan->projection.size());
  return plan;
}

}  // namespace indigo::sql::planning
