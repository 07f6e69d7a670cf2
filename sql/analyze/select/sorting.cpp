#include "sql/analyze/select/sorting.h"

#include <algorithm>

#include "catalog/descriptor/class_order.h"
#include "sql/analyze/expression/expressions.h"
#include "sql/analyze/expression/overloads.h"
#include "sql/analyze/from/names.h"
#include "sql/analyze/make.h"
#include "sql/analyze/select/clauses.h"
#include "sql/analyze/select/targets.h"
#include "sql/analyze/type/signature_text.h"
#include "sql/parse/node.h"
#include "types/oids.h"
#include "types/value/collator.h"

namespace indigo::sql {
namespace {

// Unknown literals that are sorted or grouped are text.
Result<ExprPtr> settled(Scope& scope, TargetEntry& target) {
  INDIGO_ASSIGN(target.expr, unknown_to_text(scope.a, target.expr));
  return target.expr;
}

// An output column of that name; ambiguous when two differ.
Result<TargetEntry*> named_target(Scope& scope, std::string_view name, Clause clause, int location) {
  TargetEntry* found = nullptr;
  for (TargetEntry& t : scope.query->targets) {
    if (t.hidden || t.name != name) continue;
    if (found && !equal(found->expr, t.expr)) {
      return scope.error(sqlstate::kAmbiguousColumn,
                         std::string(clause_name(clause)) + " \"" + std::string(name) + "\" is ambiguous", location);
    }
    if (!found) found = &t;
  }
  return found;
}

Result<TargetEntry*> numbered_target(Scope& scope, int number, Clause clause, int location) {
  int at = 0;
  for (TargetEntry& t : scope.query->targets) {
    if (!t.hidden && ++at == number) return &t;
  }
  return scope.error(
      sqlstate::kInvalidColumnReference,
      std::string(clause_name(clause)) + " position " + std::to_string(number) + " is not in select list", location);
}

// The collation that stands for the order of a class that is no default one; kInvalidOid: there is none.
Oid collation_of_class(Analysis& a, Oid opclass) {
  constexpr Oid kTextPattern = 4217, kVarcharPattern = 4218, kBpcharPattern = 4219;
  if (opclass == kTextPattern || opclass == kVarcharPattern || opclass == kBpcharPattern) return oid::kCCollation;
  return catalog::keys_of_class(a.catalog, opclass) != nullptr ? opclass : kInvalidOid;
}

}  // namespace

Result<SortKey> make_sort_key(Analysis& a, const PgQuery__SortBy& node, const ExprPtr& e) {
  INDIGO_TRY(require_collation(a, e));
  SortKey key;
  key.expr = e;
  const int location = node.location >= 0 ? node.location : location_of(node.node);
  switch (node.sortby_dir) {
    case PG_QUERY__SORT_BY_DIR__SORTBY_DESC: {
      INDIGO_ASSIGN(const SortOperators ops, sort_operators(a, e->type.oid, true, false, location));
      key.descending = true;
      key.less = ops.greater;
      break;
    }
    case PG_QUERY__SORT_BY_DIR__SORTBY_USING: {
      auto named = find_operator(a, nodes(node.n_use_op, node.use_op), e->type.oid, e->type.oid, location);
      if (!named.ok()) {
        named.error().position = a.position(location);
        return named.take_error();
      }
      const types::OperatorInfo* op = *named;
      int strategy = a.catalog.btree_strategy(op->oid);
      if (strategy == 0) {
        // In the order of another class than the type's default one: its OID goes for a collation.
        const auto found = a.catalog.ordering_class(op->oid);
        if (const Oid order = collation_of_class(a, found.opclass); order != kInvalidOid) {
          strategy = found.strategy;
          auto ordered = std::make_shared<CollateExpr>();
          ordered->argument = e;
          ordered->type = e->type;
          ordered->type.collation = order;
          key.expr = std::move(ordered);
        }
      }
      if (strategy != 1 && strategy != 5) {
        return a
            .error(
                sqlstate::kWrongObjectType,
                "operator " + name_list_text(nodes(node.n_use_op, node.use_op)) + " is not a valid ordering operator",
                location)
            .with_hint("Ordering operators must be \"<\" or \">\" members of btree operator families.");
      }
      key.descending = strategy == 5;
      key.less = op->oid;
      break;
    }
    default: {
      INDIGO_ASSIGN(const SortOperators ops, sort_operators(a, e->type.oid, true, false, location));
      key.less = ops.less;
    }
  }
  switch (node.sortby_nulls) {
    case PG_QUERY__SORT_BY_NULLS__SORTBY_NULLS_FIRST: key.nulls_first = true; break;
    case PG_QUERY__SORT_BY_NULLS__SORTBY_NULLS_LAST: key.nulls_first = false; break;
    default: key.nulls_first = key.descending;
  }
  return key;
}

namespace {

// a <-> b and its kin: what such a distance is measured from comes anew with every statement, and is of no consequence for what
// the items are compared with.
bool is_distance(const PgQuery__Node* node) {
  if (!is(node, PG_QUERY__NODE__NODE_A_EXPR) || node->a_expr->kind != PG_QUERY__A__EXPR__KIND__AEXPR_OP) return false;
  const PgQuery__AExpr& e = *node->a_expr;
  const std::string_view name = string_of(e.name[e.n_name - 1]);
  return name.size() >= 3 && name.front() == '<' && name.back() == '>';
}

}  // namespace

Result<ExprPtr> target_for(Scope& scope, const PgQuery__Node* node, Clause clause, bool add_hidden) {
  Setting<bool> lift(scope.lift, scope.lift && clause == Clause::kOrderBy && is_distance(node));
  Setting<Clause> here(scope.clause, clause);
  if (is(node, PG_QUERY__NODE__NODE_COLUMN_REF) && node->column_ref->n_fields == 1 &&
      is(node->column_ref->fields[0], PG_QUERY__NODE__NODE_STRING)) {
    const std::string_view name = string_of(node->column_ref->fields[0]);
    const int location = node->column_ref->location;
    // GROUP BY prefers the table's column to an output name.
    ExprPtr column;
    if (clause == Clause::kGroupBy) {
      INDIGO_ASSIGN(column, find_column(scope, name, location, true));
    }
    if (!column) {
      INDIGO_ASSIGN(TargetEntry * target, named_target(scope, name, clause, location));
      if (target) return settled(scope, *target);
    }
  }
  if (is(node, PG_QUERY__NODE__NODE_A_CONST)) {
    const PgQuery__AConst& c = *node->a_const;
    if (c.val_case != PG_QUERY__A__CONST__VAL_IVAL) {
      return scope.error(sqlstate::kSyntaxError, std::string("non-integer constant in ") + clause_name(clause),
                         c.location);
    }
    INDIGO_ASSIGN(TargetEntry * target, numbered_target(scope, c.ival->ival, clause, c.location));
    return settled(scope, *target);
  }
  INDIGO_ASSIGN(ExprPtr e, transform(scope, node));
  for (TargetEntry& t : scope.query->targets) {
    if (equal(t.expr, e)) return settled(scope, t);
  }
  INDIGO_ASSIGN(e, unknown_to_text(scope.a, e));
  if (add_hidden) {
    TargetEntry hidden;
    hidden.expr = e;
    hidden.hidden = true;
    scope.query->targets.push_back(std::move(hidden));
  }
  return e;
}

Status transform_order_by(Scope& scope, NodeList list) {
  for (const PgQuery__Node* n : list) {
    INDIGO_ASSIGN(const ExprPtr e, target_for(scope, n->sort_by->node, Clause::kOrderBy, true));
    const bool twice = std::any_of(scope.query->order_by.begin(), scope.query->order_by.end(),
                                   [&](const SortKey& k) { return equal(k.expr, e); });
    INDIGO_ASSIGN(SortKey key, make_sort_key(scope.a, *n->sort_by, e));
    if (!twice) scope.query->order_by.push_back(std::move(key));
  }
  return {};
}

Status transform_distinct(Scope& scope, NodeList list) {
  Query& q = *scope.query;
  const bool plain = list.size() == 1 && absent(list[0]);
  if (plain) {
    q.distinct = true;
    int visible = 0;
    for (TargetEntry& t : q.targets) {
      if (!t.hidden) {
        visible++;
        INDIGO_TRY(settled(scope, t));
        INDIGO_TRY(sort_operators(scope.a, t.expr->type.oid, false, true, expr_location(t.expr)));
        INDIGO_TRY(require_collation(scope.a, t.expr));
        continue;
      }
      return scope.error(sqlstate::kInvalidColumnReference,
                         "for SELECT DISTINCT, ORDER BY expressions must appear in select list", expr_location(t.expr));
    }
    if (visible == 0) {
      return scope.error(sqlstate::kSyntaxError, "SELECT DISTINCT must have at least one column");
    }
    return {};
  }
  std::vector<int> locations;  // of the DISTINCT ON items
  for (const PgQuery__Node* n : list) {
    INDIGO_ASSIGN(ExprPtr e, target_for(scope, n, Clause::kDistinctOn, true));
    const bool twice =
        std::any_of(q.distinct_on.begin(), q.distinct_on.end(), [&](const ExprPtr& x) { return equal(x, e); });
    INDIGO_TRY(sort_operators(scope.a, e->type.oid, true, true, location_of(n)));
    INDIGO_TRY(require_collation(scope.a, e));
    if (twice) continue;
    q.distinct_on.push_back(std::move(e));
    locations.push_back(location_of(n));
  }
  // The DISTINCT ON items must be the leading ORDER BY items, in any order.
  const auto mismatch = [&](size_t item) {
    return scope.error(sqlstate::kInvalidColumnReference,
                       "SELECT DISTINCT ON expressions must match initial ORDER BY expressions", locations[item]);
  };
  std::vector<bool> ordered(q.distinct_on.size());
  bool gap = false;
  for (const SortKey& key : q.order_by) {
    const auto found =
        std::find_if(q.distinct_on.begin(), q.distinct_on.end(), [&](const ExprPtr& x) { return equal(x, key.expr); });
    const auto item = static_cast<size_t>(found - q.distinct_on.begin());
    if (found == q.distinct_on.end()) {
      gap = true;
    } else if (gap) {
      return mismatch(item);
    } else {
      ordered[item] = true;
    }
  }
  for (size_t i = 0; gap && i < ordered.size(); i++) {
    if (!ordered[i]) return mismatch(i);
  }
  return {};
}

namespace {

Result<ExprPtr> row_count(Scope& scope, const PgQuery__Node* node, Clause clause) {
  if (absent(node)) return ExprPtr();
  Setting<bool> lift(scope.lift, false);
  Setting<Clause> here(scope.clause, clause);
  INDIGO_ASSIGN(const ExprPtr e, transform(scope, node));
  INDIGO_ASSIGN(ExprPtr out, coerce_to_specific(scope.a, e, oid::kInt8, clause_name(clause)));
  if (contains_vars(out)) {
    return scope.error(sqlstate::kInvalidColumnReference,
                       std::string("argument of ") + clause_name(clause) + " must not contain variables",
                       location_of(node));
  }
  return out;
}

}  // namespace

Status transform_limit(Scope& scope, const PgQuery__SelectStmt& node) {
  Query& q = *scope.query;
  q.with_ties = node.limit_option == PG_QUERY__LIMIT_OPTION__LIMIT_OPTION_WITH_TIES;
  INDIGO_ASSIGN(q.offset, row_count(scope, node.limit_offset, Clause::kOffset));
  INDIGO_ASSIGN(q.limit, row_count(scope, node.limit_count, Clause::kLimit));
  if (is_null_const(q.limit)) {
    if (q.with_ties) {
      return scope.error(sqlstate::kInvalidRowCountInLimit,
                         "row count cannot be null in FETCH FIRST ... WITH TIES clause");
    }
    q.limit = nullptr;  // LIMIT ALL
  }
  if (is_null_const(q.offset)) q.offset = nullptr;
  if (q.with_ties && q.order_by.empty()) {
    return scope.error(sqlstate::kSyntaxError, "WITH TIES cannot be specified without ORDER BY clause");
  }
  return {};
}

}  // namespace indigo::sql
