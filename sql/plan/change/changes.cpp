// INSERT, UPDATE, DELETE, MERGE: a source plan below, the change above. In the change's expressions the source's columns are
// input 0 and the target's row is input 1 (sql/plan.h).
#include <algorithm>

#include "base/sqlstate.h"
#include "catalog/descriptor/foreign_source.h"
#include "catalog/descriptor/trigger_info.h"
#include "sql/analyze/make.h"
#include "sql/plan/change/published.h"
#include "sql/plan/change/recheck.h"
#include "sql/plan/change/table_rules.h"
#include "sql/plan/finish/finish.h"
#include "sql/plan/path/build_path.h"
#include "sql/plan/path/cost.h"
#include "sql/plan/resolve.h"
#include "sql/plan/rewrite/fold.h"
#include "types/oids.h"

namespace indigo::sql::planning {
namespace {

// The target's row: every column of the relation by number.
Layout target_row(const Level& level, int entry_number) {
  Layout out;
  const Entry& entry = level.entry(entry_number);
  for (size_t i = 0; i < entry.column_types.size(); i++) {
    out.outputs.push_back(make_var(entry_number, static_cast<int>(i), entry.column_types[i]));
  }
  return out;
}

class ChangePlanner {
 public:
  explicit ChangePlanner(Level& level)
      : level_(level),
        q_(level.work),
        relation_(level.entry(level.work.target).relation),
        row_(target_row(level, level.work.target)) {}

  Result<PlanPtr> plan() {
    level_.s.depend(relation_, storage::TableLockMode::kRowExclusive);
    level_.s.out->read_only = false;
    INDIGO_TRY(catalog::check_reachable(*relation_));
    if (relation_->is_foreign() && !is_remote()) {
      const char* change = q_.command == CommandKind::kInsert   ? "insert into"
                           : q_.command == CommandKind::kUpdate ? "update"
                           : q_.command == CommandKind::kDelete ? "delete from"
                                                                : "change";
      return Error(sqlstate::kFeatureNotSupported,
                   "cannot " + std::string(change) + " foreign table \"" + relation_->name + "\"");
    }
    switch (q_.command) {
      case CommandKind::kInsert:
        if (q_.instead_event != 0 && q_.instead_event != catalog::kTriggerInsert) return instead();
        return insert();
      case CommandKind::kUpdate: return update();
      case CommandKind::kDelete: return erase();
      default: return merge();
    }
  }

 private:
  // Of a wrapper that changes rows.
  bool is_remote() const {
    const auto handler = level_.s.catalog().function(relation_->foreign->handler);
    return handler != nullptr && handler->source == "postgres_fdw_handler";
  }

  Result<std::vector<Assignment>> assignments(Resolver& resolve, const std::vector<Assignment>& all) {
    std::vector<Assignment> out;
    for (const Assignment& a : all) {
      INDIGO_ASSIGN(ExprPtr value, resolve(a.value));
      out.push_back({own_column(a.column), std::move(value)});
    }
    return out;
  }

  // The number of a target's column in the table that is changed: one below the target may have others.
  int own_column(int column) const { return leaf_ == nullptr ? column : leaf_->column_of[static_cast<size_t>(column)]; }

  // What all changes share: generated columns, checks, RETURNING.
  Status common(ChangePlan& change, Plan& plan, const Layout& source) {
    change.relation = relation_;
    change.named_columns = named_columns();
    const Layout others = without_target(source);
    Resolver resolve(others, &row_);
    if (leaf_ != nullptr) {
      change.root = level_.entry(q_.target).relation;
      for (int& c : change.named_columns) c = own_column(c);
      if (q_.command != CommandKind::kDelete) {
        INDIGO_ASSIGN(TableRules rules, table_rules(level_.s.session, relation_));
        change.generated = std::move(rules.generated);
        change.checks = std::move(rules.checks);
        change.check_names = std::move(rules.check_names);
      }
    } else {
      INDIGO_ASSIGN(change.generated, assignments(resolve, q_.generated));
      INDIGO_ASSIGN(change.checks, resolve.list(q_.checks));
      change.check_names = q_.check_names;
    }
    for (const RowCheck& check : q_.row_checks) {
      RowCheck resolved = check;
      INDIGO_ASSIGN(resolved.condition, resolve(check.condition));
      change.row_checks.push_back(std::move(resolved));
    }
    INDIGO_ASSIGN(change.view_checks, resolve.list(q_.view_checks));
    change.view_check_names = q_.view_check_names;
    Layout returned_row = row_, returned_others = others;
    if (q_.command != CommandKind::kDelete) add_system_columns(change, returned_row, returned_others);
    Resolver returned(returned_others, &returned_row);
    for (const TargetEntry& t : q_.returning) {
      INDIGO_ASSIGN(ExprPtr e, returned(t.expr));
      change.returning.push_back(std::move(e));
      plan.columns.push_back({t.name, t.expr->type});
    }
    return {};
  }

  // RETURNING reads the system columns of the row as it is written, not of the one that the source has found.
  void add_system_columns(ChangePlan& change, Layout& row, Layout& others) const {
    for (ExprPtr& e : others.outputs) {
      const auto* v = try_as<VarExpr>(e);
      if (v && v->entry == q_.target) e = nullptr;
    }
    VarSet vars;
    for (const TargetEntry& t : q_.returning) vars.add_vars(t.expr);
    for (const auto& [entry, column] : vars.pairs()) {
      if (entry != q_.target || column >= 0) continue;
      change.returned_system_columns.push_back(column);
      row.outputs.push_back(make_var(entry, column, TypeRef{}));
    }
  }

  // The system columns of the row that is in the way stand behind the excluded row's own, by number (OnConflictHandler).
  void add_conflict_columns(Layout& excluded) const {
    for (int column = -1; column >= kTableOidColumn; column--)
      excluded.outputs.push_back(make_var(q_.target, column, TypeRef{}));
  }

  std::vector<int> named_columns() const {
    std::vector<int> out = q_.insert_columns;
    const auto add = [&](const std::vector<Assignment>& all, size_t count) {
      for (size_t i = 0; i < count; i++) out.push_back(all[i].column);
    };
    if (q_.command == CommandKind::kUpdate) add(q_.assignments, q_.assignments.size());
    if (q_.on_conflict && q_.on_conflict->update) {
      add(q_.on_conflict->assignments, q_.on_conflict->assignments.size());
    }
    for (const MergeAction& action : q_.merge_actions) {
      add(action.assignments, action.command == CommandKind::kInsert ? action.named : action.assignments.size());
    }
    return out;
  }

  // Input 0 without the target's own columns: those are taken from the row itself, except system columns.
  Layout without_target(const Layout& source) const {
    Layout out = source;
    for (ExprPtr& e : out.outputs) {
      const auto* v = try_as<VarExpr>(e);
      if (v && v->entry == q_.target && v->column >= 0) e = nullptr;
    }
    return out;
  }

  static void costs(Plan& plan, const Plan& source) {
    plan.inputs = {};
    plan.startup_cost = source.total_cost;
    plan.total_cost = source.total_cost + source.rows * kRowCost * 20;
    plan.rows = source.rows;
  }

  // ---- INSERT

  bool is_single_row() const { return !level_.final_rel && !q_.set_operation && level_.constant_conditions.empty(); }

  Result<PlanPtr> insert() {
    auto plan = std::make_shared<InsertPlan>();
    PlanPtr source;
    Layout none;
    if (is_single_row() && !std::any_of(q_.targets.begin(), q_.targets.end(),
                                        [](const TargetEntry& t) { return has_set_function(t.expr); })) {
      // One row of VALUES: its expressions are the assignments.
      source = stage_without_from(level_).built.plan;
      Resolver resolve(none);
      for (size_t i = 0; i < q_.targets.size(); i++) {
        INDIGO_ASSIGN(ExprPtr value, resolve(q_.targets[i].expr));
        plan->assignments.push_back({q_.insert_columns[i], std::move(value)});
      }
    } else {
      INDIGO_ASSIGN(source, finish_select(level_));
      for (size_t i = 0; i < q_.insert_columns.size(); i++) {
        plan->assignments.push_back(
            {q_.insert_columns[i], make_column(0, static_cast<int>(i), source->columns[i].type)});
      }
    }
    Resolver defaults(none);
    INDIGO_ASSIGN(auto rest, assignments(defaults, q_.assignments));
    plan->assignments.insert(plan->assignments.end(), rest.begin(), rest.end());
    costs(*plan, *source);
    INDIGO_TRY(common(*plan, *plan, none));
    plan->inputs = {source};
    plan->instead_event = q_.instead_event;
    if (q_.on_conflict) {
      OnConflict conflict = *q_.on_conflict;
      if (conflict.update) {
        INDIGO_TRY(check_published(level_.s.session, *relation_, true));
        Layout excluded = target_row(level_, conflict.excluded_entry);
        add_conflict_columns(excluded);
        Resolver resolve(excluded, &row_);
        INDIGO_ASSIGN(conflict.assignments, assignments(resolve, conflict.assignments));
        INDIGO_ASSIGN(conflict.where, resolve(conflict.where));
      }
      plan->on_conflict = std::move(conflict);
    }
    return PlanPtr(plan);
  }

  // UPDATE or DELETE of a view with INSTEAD OF triggers: the source gives old rows, new rows, and what RETURNING reads.
  Result<PlanPtr> instead() {
    auto plan = std::make_shared<InsertPlan>();
    INDIGO_ASSIGN(const PlanPtr source, finish_select(level_));
    plan->instead_event = q_.instead_event;
    const size_t n = relation_->columns.size();
    const size_t first = q_.instead_event == catalog::kTriggerUpdate ? n : 0;
    for (size_t i = 0; i < n; i++) {
      plan->assignments.push_back(
          {static_cast<int>(i), make_column(0, static_cast<int>(first + i), source->columns[first + i].type)});
    }
    Layout read;
    for (size_t i = 0; i < q_.targets.size(); i++) read.outputs.push_back(i < first + n ? nullptr : q_.targets[i].expr);
    costs(*plan, *source);
    INDIGO_TRY(common(*plan, *plan, read));
    plan->inputs = {source};
    return PlanPtr(plan);
  }

  // ---- UPDATE, DELETE

  // As in PostgreSQL tables below the one that is named are not asked when no row can be changed.
  Status check_identity(bool update) {
    const auto& conditions = level_.constant_conditions;
    if (leaf_ != nullptr && std::any_of(conditions.begin(), conditions.end(), is_false_or_null)) return {};
    return check_published(level_.s.session, *relation_, update);
  }

  // Columns of other relations that the change's expressions read, and the row key.
  VarSet source_columns() {
    VarSet all, out;
    for (const Assignment& a : q_.assignments) all.add_vars(a.value);
    for (const TargetEntry& t : q_.returning) all.add_vars(t.expr);
    for (const ExprPtr& e : level_.recheck) all.add_vars(e);
    for (const MergeAction& m : q_.merge_actions) {
      all.add_vars(m.condition);
      for (const Assignment& a : m.assignments) all.add_vars(a.value);
    }
    for (const auto& [entry, column] : all.pairs()) {
      if (entry != q_.target || column < 0) out.add(entry, column);
    }
    out.add(q_.target, kRowKeyColumn);
    if (target_rel().has_leaves) out.add(q_.target, kTableOidColumn);
    return out;
  }

  const Rel& target_rel() const { return level_.base(level_.rel_of[static_cast<size_t>(q_.target)]); }

  // The row of a table below the target, in the target's terms.
  Layout leaf_row(const ScannedTable& leaf) const {
    Layout out;
    const Entry& entry = level_.entry(q_.target);
    for (const int upper : leaf.upper_of) {
      out.outputs.push_back(upper < 0 ? nullptr
                                      : make_var(q_.target, upper, entry.column_types[static_cast<size_t>(upper)]));
    }
    return out;
  }

  // One change for each table that the target stands for; `make` plans it for the current one.
  template <class P, class Make>
  Result<PlanPtr> dispatch(const Stage& stage, const Make& make) {
    auto plan = std::make_shared<P>();
    plan->relation = relation_;
    plan->dispatched = true;
    plan->named_columns = named_columns();
    Resolver resolve(stage.built.layout);
    INDIGO_ASSIGN(const ExprPtr table, resolve(make_var(q_.target, kTableOidColumn, {oid::kOid, -1, kInvalidOid})));
    plan->table_column = as<ColumnExpr>(*table).column;
    const auto relation = relation_;
    const Layout row = row_;
    for (const ScannedTable* leaf : target_rel().leaves) {
      leaf_ = leaf;
      relation_ = leaf->relation;
      row_ = leaf_row(*leaf);
      INDIGO_ASSIGN(std::shared_ptr<P> of_leaf, make());
      of_leaf->inputs.clear();
      plan->tables.push_back(std::move(of_leaf));
    }
    leaf_ = nullptr;
    relation_ = relation;
    row_ = row;
    for (const TargetEntry& t : q_.returning) plan->columns.push_back({t.name, t.expr->type});
    costs(*plan, *stage.built.plan);
    plan->inputs = {stage.built.plan};
    return PlanPtr(plan);
  }

  Result<Stage> source() {
    const VarSet needed = source_columns();
    return stage_of_path(level_, *level_.final_rel->cheapest, needed);
  }

  template <class P>
  Status claimed(P& plan, const Stage& stage) {
    const Layout others = without_target(stage.built.layout);
    Resolver resolve(others, &row_);
    INDIGO_ASSIGN(plan.recheck, resolve_all(resolve, level_.recheck));
    Resolver keys(stage.built.layout);
    INDIGO_ASSIGN(ExprPtr key, keys(make_var(q_.target, kRowKeyColumn, {oid::kBytea, -1, kInvalidOid})));
    plan.key_column = as<ColumnExpr>(*key).column;
    plan.refresh = refreshed_columns(stage.built.layout, q_.target);
    for (auto& [input, column] : plan.refresh) column = own_column(column);
    costs(plan, *stage.built.plan);
    plan.inputs = {stage.built.plan};
    return {};
  }

  Result<PlanPtr> update() {
    INDIGO_ASSIGN(const Stage stage, source());
    if (target_rel().has_leaves) return dispatch<UpdatePlan>(stage, [&] { return update_of(stage); });
    INDIGO_ASSIGN(std::shared_ptr<UpdatePlan> plan, update_of(stage));
    return PlanPtr(std::move(plan));
  }

  Result<std::shared_ptr<UpdatePlan>> update_of(const Stage& stage) {
    auto plan = std::make_shared<UpdatePlan>();
    INDIGO_TRY(check_identity(true));
    INDIGO_TRY(claimed(*plan, stage));
    const Layout others = without_target(stage.built.layout);
    Resolver resolve(others, &row_);
    INDIGO_ASSIGN(plan->assignments, assignments(resolve, q_.assignments));
    INDIGO_TRY(common(*plan, *plan, stage.built.layout));
    return plan;
  }

  Result<PlanPtr> erase() {
    INDIGO_ASSIGN(const Stage stage, source());
    if (target_rel().has_leaves) return dispatch<DeletePlan>(stage, [&] { return erase_of(stage); });
    INDIGO_ASSIGN(std::shared_ptr<DeletePlan> plan, erase_of(stage));
    return PlanPtr(std::move(plan));
  }

  Result<std::shared_ptr<DeletePlan>> erase_of(const Stage& stage) {
    auto plan = std::make_shared<DeletePlan>();
    INDIGO_TRY(check_identity(false));
    INDIGO_TRY(claimed(*plan, stage));
    INDIGO_TRY(common(*plan, *plan, stage.built.layout));
    return plan;
  }

  // ---- MERGE

  Result<PlanPtr> merge() {
    INDIGO_ASSIGN(const Stage stage, source());
    if (target_rel().has_leaves) {
      INDIGO_ASSIGN(inserts_, merge_of(stage));
      auto inserts = std::make_shared<MergePlan>(*inserts_);
      inserts->inputs.clear();
      inserts_ = inserts;
      INDIGO_ASSIGN(const PlanPtr plan, dispatch<MergePlan>(stage, [&] { return merge_of(stage); }));
      auto out = std::make_shared<MergePlan>(static_cast<const MergePlan&>(*plan));
      out->inserts = inserts_;
      return PlanPtr(std::move(out));
    }
    INDIGO_ASSIGN(std::shared_ptr<MergePlan> plan, merge_of(stage));
    return PlanPtr(std::move(plan));
  }

  Result<std::shared_ptr<MergePlan>> merge_of(const Stage& stage) {
    auto plan = std::make_shared<MergePlan>();
    INDIGO_TRY(claimed(*plan, stage));
    plan->inserts = inserts_;
    const Layout others = without_target(stage.built.layout);
    for (const MergeAction& action : q_.merge_actions) {
      if (action.command == CommandKind::kUpdate || action.command == CommandKind::kDelete)
        INDIGO_TRY(check_identity(action.command == CommandKind::kUpdate));
      MergeAction out = action;
      Resolver resolve(others, &row_);
      INDIGO_ASSIGN(out.condition, resolve(action.condition));
      if (action.command == CommandKind::kInsert && leaf_ != nullptr) {
        out.assignments = inserts_->actions[plan->actions.size()].assignments;  // into the table that is named
      } else {
        INDIGO_ASSIGN(out.assignments, assignments(resolve, action.assignments));
      }
      plan->actions.push_back(std::move(out));
    }
    INDIGO_TRY(common(*plan, *plan, stage.built.layout));
    return plan;
  }

  Level& level_;
  Query& q_;
  std::shared_ptr<const RelationInfo> relation_;
  Layout row_;
  const ScannedTable* leaf_ = nullptr;  // the table below the target that is planned for
  std::shared_ptr<const MergePlan> inserts_;
};

}  // namespace

Result<PlanPtr> finish_change(Level& level) { return ChangePlanner(level).plan(); }

}  // namespace indigo::sql::planning
