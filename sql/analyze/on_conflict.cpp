// ON CONFLICT: which unique indexes arbitrate, and what DO UPDATE does.
#include <algorithm>
#include <set>

#include "catalog/oids.h"
#include "sql/analyze/change.h"
#include "sql/analyze/expressions.h"
#include "sql/analyze/make.h"
#include "sql/analyze/standalone.h"
#include "sql/analyze/target_view.h"
#include "sql/implication.h"

namespace indigo::sql {
namespace {

using catalog::IndexInfo;

// What the inference clause asks for: columns and expressions of a unique index, and perhaps its predicate.
struct Wanted {
  std::set<int16_t> columns;
  ExprList expressions;
  ExprPtr predicate;
};

Result<Wanted> read_inference(Scope& scope, const PgQuery__InferClause& infer) {
  Wanted out;
  for (const PgQuery__Node* n : nodes(infer.n_index_elems, infer.index_elems)) {
    const PgQuery__IndexElem& item = *n->index_elem;
    if (item.ordering == PG_QUERY__SORT_BY_DIR__SORTBY_ASC || item.ordering == PG_QUERY__SORT_BY_DIR__SORTBY_DESC) {
      return scope.error(sqlstate::kInvalidColumnReference, "ASC/DESC is not allowed in ON CONFLICT clause",
                         infer.location);
    }
    if (item.nulls_ordering == PG_QUERY__SORT_BY_NULLS__SORTBY_NULLS_FIRST ||
        item.nulls_ordering == PG_QUERY__SORT_BY_NULLS__SORTBY_NULLS_LAST) {
      return scope.error(sqlstate::kInvalidColumnReference, "NULLS FIRST/LAST is not allowed in ON CONFLICT clause",
                         infer.location);
    }
    ExprPtr e;
    if (has_text(item.name)) {
      INDIGO_ASSIGN(e, find_column(scope, item.name, infer.location));
      if (!e) return missing_column(scope, "", item.name, infer.location);
    } else {
      Setting<Clause> clause(scope.clause, Clause::kIndexExpression);
      INDIGO_ASSIGN(e, transform(scope, item.expr));
    }
    if (const auto* v = try_as<VarExpr>(e); v && v->column >= 0) {
      out.columns.insert(static_cast<int16_t>(v->column + 1));
    } else {
      out.expressions.push_back(std::move(e));
    }
  }
  if (!absent(infer.where_clause)) {
    INDIGO_ASSIGN(out.predicate, transform_condition(scope, infer.where_clause, Clause::kIndexPredicate, "WHERE"));
  }
  return out;
}

Result<bool> fits(Scope& scope, const IndexInfo& index, const Wanted& wanted) {
  const auto& relation = scope.query->entries[0].relation;
  std::set<int16_t> columns;
  ExprList expressions;
  for (const auto& column : index.columns) {
    if (column.column != 0) {
      columns.insert(column.column);
      continue;
    }
    INDIGO_ASSIGN(ExprPtr e, analyze_nested(scope.a, column.expression, relation, TypeRef{}, Clause::kIndexExpression));
    expressions.push_back(std::move(e));
  }
  if (columns != wanted.columns || expressions.size() != wanted.expressions.size()) return false;
  for (const ExprPtr& e : wanted.expressions) {
    const bool found =
        std::any_of(expressions.begin(), expressions.end(), [&](const ExprPtr& x) { return equal(x, e); });
    if (!found) return false;
  }
  if (index.predicate.empty()) return true;
  if (!wanted.predicate) return false;
  INDIGO_ASSIGN(const ExprPtr predicate, analyze_nested(scope.a, index.predicate, relation,
                                                        {oid::kBool, -1, kInvalidOid}, Clause::kIndexPredicate));
  return implies(scope.catalog(), {wanted.predicate}, predicate);
}

Result<std::vector<Oid>> arbiters(Scope& scope, const PgQuery__InferClause& infer) {
  const RelationInfo& r = target_of(scope);
  std::vector<Oid> out;
  if (has_text(infer.conname)) {
    for (const auto& constraint : r.constraints) {
      if (constraint.name != infer.conname || constraint.index == kInvalidOid || constraint.kind == 'f') continue;
      out.push_back(constraint.index);
      return out;
    }
    return scope.error(sqlstate::kUndefinedObject,
                       "constraint \"" + std::string(infer.conname) + "\" for table \"" + r.name + "\" does not exist");
  }
  INDIGO_ASSIGN(const Wanted wanted, read_inference(scope, infer));
  for (const IndexInfo& index : r.indexes) {
    if (!index.unique || !index.valid) continue;
    INDIGO_ASSIGN(const bool match, fits(scope, index, wanted));
    if (!match) continue;
    out.push_back(index.oid);
  }
  if (out.empty()) {
    return scope.error(sqlstate::kInvalidColumnReference,
                       "there is no unique or exclusion constraint matching the ON CONFLICT specification");
  }
  return out;
}

}  // namespace

Result<OnConflict> transform_on_conflict(Scope& scope, const PgQuery__OnConflictClause& clause,
                                         const NamespaceItem& target) {
  OnConflict out;
  out.update = clause.action == PG_QUERY__ON_CONFLICT_ACTION__ONCONFLICT_UPDATE;
  if (out.update && clause.infer == nullptr) {
    return scope
        .error(sqlstate::kSyntaxError, "ON CONFLICT DO UPDATE requires inference specification or constraint name",
               clause.location)
        .with_hint("For example, ON CONFLICT (column_name).");
  }
  // The inference clause sees the target's columns, unqualified.
  NamespaceItem plain = target;
  plain.table_visible = false;
  scope.names.push_back(std::move(plain));
  if (clause.infer) {
    INDIGO_ASSIGN(out.arbiters, arbiters(scope, *clause.infer));
  }
  scope.names.clear();
  if (!out.update) return out;
  INDIGO_ASSIGN(Entry entry, relation_entry(scope, scope.query->entries[0].relation, nullptr));
  entry.alias = "excluded";
  out.excluded_entry = add_entry(scope, std::move(entry));
  scope.names.push_back(target);
  NamespaceItem excluded = names_of(scope, out.excluded_entry);
  // A system column of `excluded` has no value.
  excluded.relation = kInvalidOid;
  excluded.columns_visible = true;
  if (scope.target_view != nullptr) {
    std::vector<NamespaceColumn> columns;
    for (size_t i = 0; i < scope.target_view->columns.size(); i++) {
      const int column = scope.target_view->table_column(i);
      if (column >= 0) {
        columns.push_back({scope.target_view->columns[i].name, excluded.columns[static_cast<size_t>(column)].expr});
      }
    }
    excluded.columns = std::move(columns);
    excluded.entry = -1;
  }
  scope.names.push_back(std::move(excluded));
  INDIGO_ASSIGN(out.assignments, transform_set_list(scope, nodes(clause.n_target_list, clause.target_list)));
  if (!absent(clause.where_clause)) {
    INDIGO_ASSIGN(out.where, transform_condition(scope, clause.where_clause, Clause::kWhere, "WHERE"));
  }
  return out;
}

}  // namespace indigo::sql
