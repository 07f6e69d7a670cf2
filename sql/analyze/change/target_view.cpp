#include "sql/analyze/change/target_view.h"

#include <algorithm>

#include "sql/analyze/from/from.h"
#include "sql/analyze/make.h"
#include "storage/table.h"

namespace indigo::sql {

const char* view_obstacle(const Query& q, bool columns) {
  if (q.distinct || !q.distinct_on.empty()) return "Views containing DISTINCT are not automatically updatable.";
  if (!q.group_by.empty() || !q.grouping_sets.empty())
    return "Views containing GROUP BY are not automatically updatable.";
  if (q.having) return "Views containing HAVING are not automatically updatable.";
  if (q.set_operation) return "Views containing UNION, INTERSECT, or EXCEPT are not automatically updatable.";
  if (!q.ctes.empty()) return "Views containing WITH are not automatically updatable.";
  if (q.limit || q.offset) return "Views containing LIMIT or OFFSET are not automatically updatable.";
  if (q.has_aggregates) return "Views that return aggregate functions are not automatically updatable.";
  if (q.has_windows) return "Views that return window functions are not automatically updatable.";
  if (q.has_set_functions) return "Views that return set-returning functions are not automatically updatable.";
  const auto& source = q.from && q.from->leaf ? q.entries[static_cast<size_t>(q.from->entry)].relation : nullptr;
  const bool single = source != nullptr && (source->kind == catalog::RelationKind::kTable || source->is_partitioned() ||
                                            source->is_foreign() || source->kind == catalog::RelationKind::kView);
  if (!single) return "Views that do not select from a single table or view are not automatically updatable.";
  if (q.entries[static_cast<size_t>(q.from->entry)].sample)
    return "Views containing TABLESAMPLE are not automatically updatable.";
  const auto takes_values = [](const TargetEntry& t) {
    const auto* v = try_as<VarExpr>(t.expr);
    return !t.hidden && v != nullptr && v->levels_up == 0 && v->column >= 0;
  };
  if (columns && std::none_of(q.targets.begin(), q.targets.end(), takes_values))
    return "Views that have no updatable columns are not automatically updatable.";
  return nullptr;
}

namespace {

Error refused(const Scope& scope, const RelationInfo& view, std::string_view verb, const char* detail) {
  struct Words {
    std::string_view verb;
    const char *act, *acting;
  };
  static constexpr Words kWords[] = {{"INSERT", "insert into", "inserting into"},
                                     {"UPDATE", "update", "updating"},
                                     {"DELETE", "delete from", "deleting from"}};
  const Words* words = &kWords[0];
  for (const Words& w : kWords) {
    if (w.verb == verb) words = &w;
  }
  const std::string upper(verb);
  return scope
      .error(sqlstate::kObjectNotInPrerequisiteState,
             std::string("cannot ") + words->act + " view \"" + view.name + "\"")
      .with_detail(detail)
      .with_hint(std::string("To enable ") + words->acting + " the view, provide an INSTEAD OF " + upper +
                 " trigger or an unconditional ON " + upper + " DO INSTEAD rule.");
}

// An expression of the view over what the view's source is over the table. Subqueries stay: see `deep`.
struct Substitution {
  int entry;                                            // of the view's source
  const std::vector<NamespaceColumn>* inner = nullptr;  // columns of a view below; null: a table
  bool deep = false;                                    // a subquery would have to be rewritten

  ExprPtr operator()(const ExprPtr& e) {
    if (const auto* v = try_as<VarExpr>(e); v && v->levels_up == 0 && v->entry == entry) {
      if (inner == nullptr) return entry == 0 ? e : make_var(0, v->column, v->type);
      if (v->column >= 0 && static_cast<size_t>(v->column) < inner->size())
        return (*inner)[static_cast<size_t>(v->column)].expr;
      deep = true;
      return e;
    }
    const bool subquery = e->kind == ExprKind::kSubLink || e->kind == ExprKind::kWholeRow;
    if (subquery && (inner != nullptr || entry != 0)) deep = true;
    return map_children(e, [&](const ExprPtr& c) { return (*this)(c); });
  }
};

Result<std::shared_ptr<const TargetView>> of_query(Scope& scope, std::shared_ptr<const RelationInfo> view,
                                                   const Query& q, std::string_view verb, bool cascaded) {
  if (const char* detail = view_obstacle(q, verb != "DELETE")) return refused(scope, *view, verb, detail);
  auto out = std::make_shared<TargetView>();
  const Entry& source = q.entries[static_cast<size_t>(q.from->entry)];
  cascaded |= view->check_option == 'c';
  Substitution over{q.from->entry};
  std::shared_ptr<const TargetView> below;
  if (source.kind == EntryKind::kTable) {
    out->table = source.relation;
  } else {
    INDIGO_ASSIGN(below, of_query(scope, source.relation, *source.subquery, verb, cascaded));
    out->table = below->table;
    out->condition = below->condition;
    out->checks = below->checks;
    out->below = below;
    over.inner = &below->columns;
  }
  for (const TargetEntry& t : q.targets) {
    if (!t.hidden) out->columns.push_back({t.name, over(t.expr)});
  }
  if (q.where) {
    ExprPtr own = over(q.where);
    out->condition = out->condition ? make_and({out->condition, own}) : own;
    if (cascaded || view->check_option != 0) out->checks.push_back({view->name, own});
  }
  if (over.deep) {
    return scope.error(sqlstate::kFeatureNotSupported,
                       std::string(verb) + " on a view over a view with subqueries is not supported");
  }
  // The view's own names for its columns.
  for (size_t i = 0; i < out->columns.size() && i < view->columns.size(); i++)
    out->columns[i].name = view->columns[i].name;
  out->view = std::move(view);
  return std::shared_ptr<const TargetView>(std::move(out));
}

}  // namespace

int TargetView::table_column(size_t column) const {
  const auto* v = try_as<VarExpr>(columns[column].expr);
  return v != nullptr && v->levels_up == 0 && v->entry == 0 ? v->column : -1;
}

Result<std::shared_ptr<const TargetView>> target_view(Scope& scope, std::shared_ptr<const RelationInfo> view,
                                                      std::string_view verb) {
  INDIGO_ASSIGN(const auto query, expand_view(scope, *view));
  return of_query(scope, std::move(view), *query, verb, false);
}

}  // namespace indigo::sql
