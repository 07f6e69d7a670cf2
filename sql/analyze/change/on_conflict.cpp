// ON CONFLICT: which unique indexes arbitrate, and what DO UPDATE does.
#include <algorithm>
#include <set>

#include "catalog/access_method.h"
#include "catalog/descriptor/rule_info.h"
#include "catalog/generated/columns.h"
#include "catalog/tables/system_table.h"
#include "sql/analyze/change/change.h"
#include "sql/analyze/change/target_view.h"
#include "sql/analyze/expression/expressions.h"
#include "sql/analyze/expression/overloads.h"
#include "sql/analyze/make.h"
#include "sql/analyze/standalone.h"
#include "sql/analyze/type/type_name.h"
#include "sql/implication.h"
#include "sql/parse/node.h"
#include "sql/plan/rewrite/fold.h"
#include "types/oids.h"

namespace indigo::sql {
namespace {

using catalog::IndexInfo;

struct OperatorClass {
  Oid family = kInvalidOid, input = kInvalidOid;
  bool operator==(const OperatorClass&) const = default;
};

// One item of the inference clause, with the collation and operator class that it insists on.
struct WantedItem {
  ExprPtr expression;  // a column of the target, too
  Oid collation = kInvalidOid;
  std::optional<OperatorClass> opclass;
  bool any_class() const { return collation == kInvalidOid && !opclass; }
};

// What the inference clause asks for: columns and expressions of a unique index, and perhaps its predicate.
struct Wanted {
  std::vector<WantedItem> items;
  std::set<int16_t> columns;
  ExprPtr predicate;
};

int16_t column_of(const ExprPtr& e) {
  const auto* v = try_as<VarExpr>(e);
  return v && v->column >= 0 ? static_cast<int16_t>(v->column + 1) : int16_t{0};
}

template <class Matches>
std::optional<OperatorClass> find_class(Scope& scope, const Matches& matches) {
  namespace opclass = catalog::pg_opclass;
  std::optional<OperatorClass> out;
  scope.catalog().system_table_rows(opclass::kOid, -1, {}, [&](const catalog::RowReader& row) {
    if (matches(row)) out = OperatorClass{row.oid(opclass::c_opcfamily), row.oid(opclass::c_opcintype)};
    return !out;
  });
  return out;
}

Result<OperatorClass> named_class(Scope& scope, NodeList name) {
  namespace opclass = catalog::pg_opclass;
  const catalog::AccessMethod& method = catalog::default_access_method();
  const QualifiedName q = qualified_name(name);
  const auto found = find_class(scope, [&](const catalog::RowReader& row) {
    return row.oid(opclass::c_opcmethod) == method.oid && row.str(opclass::c_opcname) == q.name;
  });
  if (found) return *found;
  return scope.error(sqlstate::kUndefinedObject, "operator class \"" + std::string(q.name) +
                                                     "\" does not exist for access method \"" +
                                                     std::string(method.name) + "\"");
}

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
    WantedItem wanted;
    if (item.n_collation > 0) {
      PgQuery__CollateClause collate = PG_QUERY__COLLATE_CLAUSE__INIT;
      collate.n_collname = item.n_collation;
      collate.collname = item.collation;
      collate.location = expr_location(e);
      INDIGO_ASSIGN(wanted.collation, resolve_collation(scope.a, &collate));
    }
    if (item.n_opclass > 0) {
      INDIGO_ASSIGN(wanted.opclass, named_class(scope, nodes(item.n_opclass, item.opclass)));
    }
    if (const int16_t column = column_of(e)) out.columns.insert(column);
    wanted.expression = std::move(e);
    out.items.push_back(std::move(wanted));
  }
  if (!absent(infer.where_clause)) {
    INDIGO_ASSIGN(const ExprPtr given,
                  transform_condition(scope, infer.where_clause, Clause::kIndexPredicate, "WHERE"));
    out.predicate = planning::fold(scope.a.session, given);
  }
  return out;
}

// Does the index have this item among its columns, in the collation and operator class that it insists on?
bool has_item(Scope& scope, const IndexInfo& index, const std::vector<ExprPtr>& expressions, const WantedItem& item) {
  const int16_t number = column_of(item.expression);
  for (size_t i = 0; i < index.columns.size(); i++) {
    const auto& column = index.columns[i];
    const bool same = number != 0 ? column.column == number : expressions[i] && equal(expressions[i], item.expression);
    if (!same) continue;
    if (item.any_class()) return true;
    if (item.collation != kInvalidOid && item.collation != column.type.collation) continue;
    if (!item.opclass || item.opclass == find_class(scope, [&](const catalog::RowReader& row) {
                           return row.oid(catalog::pg_opclass::c_oid) == column.opclass;
                         })) {
      return true;
    }
  }
  return false;
}

bool has_lifted(const Analysis& a, const ExprPtr& e) {
  const auto* param = try_as<ParamExpr>(e);
  if (param != nullptr && a.is_lifted(*param)) return true;
  bool any = false;
  for_each_child(*e, [&](const ExprPtr& child) { any = any || has_lifted(a, child); });
  return any;
}

// A partial index may fit on premises about parameters. A literal's value is known: when it was lifted, the answer is no, and
// the statement is analyzed again with the literal.
Result<bool> fits(Scope& scope, const IndexInfo& index, const Wanted& wanted, std::vector<Premise>& premises) {
  const auto& relation = scope.query->entries[0].relation;
  std::set<int16_t> columns;
  std::vector<ExprPtr> expressions;  // by index column; null for table columns
  for (const auto& column : index.columns) {
    ExprPtr e;
    if (column.column != 0) {
      columns.insert(column.column);
    } else {
      INDIGO_ASSIGN(e, analyze_nested(scope.a, column.expression, relation, TypeRef{}, Clause::kIndexExpression));
      const bool asked = std::any_of(wanted.items.begin(), wanted.items.end(),
                                     [&](const WantedItem& item) { return equal(item.expression, e); });
      if (!asked) return false;
    }
    expressions.push_back(std::move(e));
  }
  if (columns != wanted.columns) return false;
  for (const WantedItem& item : wanted.items) {
    if (!has_item(scope, index, expressions, item)) return false;
  }
  if (index.predicate.empty()) return true;
  if (!wanted.predicate) return false;
  INDIGO_ASSIGN(const ExprPtr predicate, analyze_nested(scope.a, index.predicate, relation,
                                                        {oid::kBool, -1, kInvalidOid}, Clause::kIndexPredicate));
  return implies_given(scope.catalog(), {wanted.predicate}, planning::fold(scope.a.session, predicate), premises) &&
         std::none_of(premises.begin(), premises.end(),
                      [&](const Premise& p) { return has_lifted(scope.a, p.expression); });
}

Error no_constraint(Scope& scope, const char* name, const std::string& table) {
  return scope.error(sqlstate::kUndefinedObject,
                     "constraint \"" + std::string(name) + "\" for table \"" + table + "\" does not exist");
}

Error no_arbiter(Scope& scope) { return scope.error(sqlstate::kInvalidColumnReference, OnConflict::kNoArbiter); }

// Sets what decides on conflicts: its arbiters and premises.
Status find_arbiters(Scope& scope, const PgQuery__InferClause& infer, OnConflict& out) {
  const RelationInfo& r = target_of(scope);
  if (has_text(infer.conname)) {
    // A view has no constraints of its own.
    if (scope.target_view != nullptr) return no_constraint(scope, infer.conname, scope.target_view->view->name);
    for (const auto& constraint : r.constraints) {
      if (constraint.name != infer.conname) continue;
      if (constraint.index == kInvalidOid || constraint.kind == 'f') {
        return Error(sqlstate::kWrongObjectType, "constraint in ON CONFLICT clause has no associated index");
      }
      if (constraint.kind == 'x' && out.update) {
        return Error(sqlstate::kWrongObjectType, "ON CONFLICT DO UPDATE not supported with exclusion constraints");
      }
      out.arbiters.push_back(constraint.index);
      return {};
    }
    return no_constraint(scope, infer.conname, r.name);
  }
  INDIGO_ASSIGN(const Wanted wanted, read_inference(scope, infer));
  std::vector<Oid> conditional;
  std::vector<Premise> premises;
  for (const IndexInfo& index : r.indexes) {
    if (!index.unique || !index.valid) continue;
    std::vector<Premise> needed;
    INDIGO_ASSIGN(const bool match, fits(scope, index, wanted, needed));
    if (!match) continue;
    (needed.empty() ? out.arbiters : conditional).push_back(index.oid);
    premises.insert(premises.end(), needed.begin(), needed.end());
  }
  if (!out.arbiters.empty()) return {};
  if (conditional.empty()) return no_arbiter(scope);
  out.arbiters = std::move(conditional);
  for (const Premise& p : premises) {
    INDIGO_ASSIGN(ExprPtr holds, make_operator(scope.a, "=", p.expression, p.constant, -1));
    out.premises.push_back(std::move(holds));
  }
  return {};
}

}  // namespace

bool has_update_rules(const RelationInfo& relation) {
  constexpr char kUpdateEvent = '2';  // of pg_rewrite.ev_type
  if (relation.rules == nullptr) return false;
  const auto& rules = relation.rules->rules;
  return std::any_of(rules.begin(), rules.end(), [](const catalog::RuleInfo& r) { return r.event == kUpdateEvent; });
}

Error on_conflict_with_rules() {
  return Error(sqlstate::kFeatureNotSupported,
               "INSERT with ON CONFLICT clause cannot be used with table that has INSERT or UPDATE rules");
}

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
  // The inference clause sees the target's columns.
  scope.names.push_back(target);
  if (out.update) {
    INDIGO_ASSIGN(Entry entry, relation_entry(scope, scope.query->entries[0].relation, nullptr));
    entry.alias = "excluded";
    out.excluded_entry = add_entry(scope, std::move(entry));
  }
  // That there is no arbiter is told after what is wrong with the rest.
  Status arbiters;
  if (clause.infer) arbiters = find_arbiters(scope, *clause.infer, out);
  if (!arbiters.ok() && (!out.update || arbiters.error().message != OnConflict::kNoArbiter))
    return arbiters.take_error();
  scope.names.clear();
  if (!out.update) return out;
  scope.names.push_back(target);
  NamespaceItem excluded = names_of(scope, out.excluded_entry);
  // A system column of `excluded` has no value.
  excluded.relation = kInvalidOid;
  excluded.columns_visible = true;
  if (scope.target_view != nullptr) {
    std::vector<NamespaceColumn> columns = scope.target_view->columns;
    for (NamespaceColumn& c : columns) c.expr = moved(c.expr, 0, out.excluded_entry);
    excluded.columns = std::move(columns);
    excluded.entry = -1;
  }
  scope.names.push_back(std::move(excluded));
  INDIGO_ASSIGN(out.assignments, transform_set_list(scope, nodes(clause.n_target_list, clause.target_list)));
  if (!absent(clause.where_clause)) {
    INDIGO_ASSIGN(out.where, transform_condition(scope, clause.where_clause, Clause::kWhere, "WHERE"));
  }
  INDIGO_TRY(std::move(arbiters));
  return out;
}

}  // namespace indigo::sql
