#include "engine/ddl/expression.h"

#include <algorithm>
#include <functional>
#include <set>

#include "catalog/descriptor/session_context.h"
#include "catalog/descriptor/settled.h"
#include "catalog/tables/system_columns.h"
#include "engine/ddl/operator/definition.h"
#include "engine/ddl/references.h"
#include "engine/ddl/tree.h"
#include "sql/analyze/analyzer.h"
#include "sql/deparse.h"
#include "sql/expr.h"
#include "sql/parse/parser.h"
#include "sql/stored/plain_columns.h"
#include "sql/stored/print.h"
#include "sql/stored/stored_tree.h"

namespace indigo::engine::ddl {

namespace {

std::string_view place_of(ExpressionUse use) {
  switch (use) {
    case ExpressionUse::kDefault: return "DEFAULT expressions";
    case ExpressionUse::kGenerated: return "column generation expressions";
    case ExpressionUse::kCheck:
    case ExpressionUse::kDomainCheck: return "check constraints";
    case ExpressionUse::kIndex: return "index expressions";
    case ExpressionUse::kIndexPredicate: return "index predicates";
    case ExpressionUse::kUsing: return "transform expressions";
    case ExpressionUse::kPartitionKey: return "partition key expressions";
    case ExpressionUse::kPartitionBound: return "partition bound";
    case ExpressionUse::kPolicy: return "policy expressions";
    case ExpressionUse::kStatistics: return "statistics expressions";
  }
  return "expressions";
}

std::string_view singular_place(ExpressionUse use) {
  switch (use) {
    case ExpressionUse::kDefault: return "DEFAULT expression";
    case ExpressionUse::kGenerated: return "column generation expression";
    case ExpressionUse::kCheck:
    case ExpressionUse::kDomainCheck: return "check constraint";
    case ExpressionUse::kIndex: return "index expression";
    case ExpressionUse::kIndexPredicate: return "index predicate";
    case ExpressionUse::kUsing: return "transform expression";
    case ExpressionUse::kPartitionKey: return "partition key expression";
    case ExpressionUse::kPartitionBound: return "partition bound";
    case ExpressionUse::kPolicy: return "policy expression";
    case ExpressionUse::kStatistics: return "statistics expression";
  }
  return "expression";
}

// text || any and any || text.
constexpr Oid kTextAnyCat{2003}, kAnyTextCat{2004};

// What an expression may not contain, and how its value may change.
struct Traits {
  DdlContext& c;
  bool immutable = true, constant = true;
  std::string_view forbidden;  // "aggregate functions" ...
  bool subquery = false;

  void function(Oid f) {
    const auto info = c.catalog.function(f);
    if (info == nullptr) return;
    if (info->volatility != types::Volatility::kImmutable) immutable = false;
    if (info->volatility == types::Volatility::kVolatile) constant = false;
  }
  // A cast through text is what the types' output and input functions are: dates' depend on the session's settings.
  void text_form(Oid from, Oid to) {
    const TypePtr source = c.catalog.type(from), target = c.catalog.type(to);
    if (source != nullptr) function(source->output);
    if (target != nullptr) function(target->input);
  }

  void visit(const sql::Expr& e) {
    switch (e.kind) {
      case sql::ExprKind::kVar: constant = false; break;
      case sql::ExprKind::kCall: {
        const auto& call = sql::as<sql::CallExpr>(e);
        if (call.function == kTextAnyCat || call.function == kAnyTextCat) {
          // In PostgreSQL these are SQL functions around a cast.
          text_form(call.arguments[call.function == kTextAnyCat ? 1 : 0]->type.oid, oid::kText);
        } else {
          function(call.function);
        }
        if (call.returns_set) forbidden = "set-returning functions are";
        break;
      }
      case sql::ExprKind::kArrayCompare: function(sql::as<sql::ArrayCompareExpr>(e).function); break;
      case sql::ExprKind::kSessionValue: immutable = false; break;
      case sql::ExprKind::kAggregate: forbidden = "aggregate functions are"; break;
      case sql::ExprKind::kWindowCall: forbidden = "window functions are"; break;
      case sql::ExprKind::kSubLink:
      case sql::ExprKind::kSubPlan: subquery = true; break;
      case sql::ExprKind::kIoCast: text_form(sql::as<sql::IoCastExpr>(e).argument->type.oid, e.type.oid); break;
      default: break;
    }
    sql::for_each_child(e, [&](const sql::ExprPtr& child) {
      if (child) visit(*child);
    });
  }
};

// Where PostgreSQL has no row, or none with system columns, these cannot be mentioned.
Status check_row_references(DdlContext& c, const sql::ExprPtr& e, ExpressionUse use) {
  const sql::WholeRowExpr* row = sql::whole_row_in(e);
  if (row != nullptr && use == ExpressionUse::kGenerated) {
    return Error(sqlstate::kInvalidObjectDefinition, "cannot use whole-row variable in column generation expression")
        .with_detail("This would cause the generated column to depend on its own value.")
        .at(position(c, row->location));
  }
  if (row != nullptr && use == ExpressionUse::kStatistics) {
    return Error(sqlstate::kFeatureNotSupported, "statistics creation on system columns is not supported");
  }
  const sql::VarExpr* column = sql::system_column_in(e);
  if (column == nullptr) return {};
  const std::string name = quoted(catalog::find_system_column(column->column)->name);
  const bool table = column->column == sql::kTableOidColumn;
  switch (use) {
    case ExpressionUse::kIndexPredicate:
      return Error(sqlstate::kFeatureNotSupported, "index creation on system columns is not supported");
    case ExpressionUse::kStatistics:
      return Error(sqlstate::kFeatureNotSupported, "statistics creation on system columns is not supported");
    case ExpressionUse::kPartitionKey:
      return Error(sqlstate::kInvalidObjectDefinition,
                   "partition key expressions cannot contain system column references");
    case ExpressionUse::kCheck:
      if (table) return {};
      return Error(sqlstate::kInvalidColumnReference,
                   "system column " + name + " reference in check constraint is invalid")
          .at(position(c, column->location));
    case ExpressionUse::kGenerated:
      if (table) return {};
      return Error(sqlstate::kInvalidColumnReference,
                   "cannot use system column " + name + " in column generation expression")
          .at(position(c, column->location));
    default: return {};
  }
}

// Does the tree name a column? Asked before analysis where columns are not allowed.
int first_column_reference(const PgQuery__Node* node) {
  int location = -1;
  sql::walk_tree(&node->base, [&](const ProtobufCMessage* m) {
    if (location < 0 && m->descriptor == &pg_query__column_ref__descriptor) {
      location = reinterpret_cast<const PgQuery__ColumnRef*>(m)->location;
    }
    return location < 0;
  });
  return location;
}

std::vector<int16_t> in_order_of_mention(const sql::ExprPtr& expr, const std::set<int16_t>& columns) {
  std::vector<int16_t> out;
  const std::function<void(const sql::ExprPtr&)> visit = [&](const sql::ExprPtr& e) {
    if (!e) return;
    if (const auto* v = sql::try_as<sql::VarExpr>(e)) {
      const auto number = static_cast<int16_t>(v->column + 1);
      if (columns.contains(number) && std::find(out.begin(), out.end(), number) == out.end()) out.push_back(number);
    }
    sql::for_each_child(*e, visit);
  };
  visit(expr);
  for (const int16_t number : columns)  // of whole rows
    if (std::find(out.begin(), out.end(), number) == out.end()) out.push_back(number);
  return out;
}

}  // namespace

Result<StoredExpression> keep_expression(DdlContext& c, const sql::ExprPtr& expr) {
  References references(c.catalog);
  references.expression(expr);
  if (references.refused_constant() != kInvalidOid) {
    return Error(sqlstate::kFeatureNotSupported, "constant of the type " +
                                                     type_text(c, {references.refused_constant(), -1, kInvalidOid}) +
                                                     " cannot be used here");
  }
  StoredExpression out;
  out.type = expr->type;
  if (const auto* constant = sql::try_as<sql::ConstExpr>(expr)) out.null = constant->value.get().null;
  INDIGO_ASSIGN(out.tree, sql::store_tree(expr));
  out.columns = in_order_of_mention(expr, references.columns());
  out.references.assign(references.addresses().begin(), references.addresses().end());
  return out;
}

Result<StoredExpression> store_expression(DdlContext& c, const PgQuery__Node* node, ExpressionUse use,
                                          const RelationPtr& relation, const TypeRef& target) {
  if (use == ExpressionUse::kDefault || use == ExpressionUse::kPartitionBound) {
    if (const int at = first_column_reference(node); at >= 0) {
      return Error(sqlstate::kFeatureNotSupported, use == ExpressionUse::kDefault
                                                       ? "cannot use column reference in DEFAULT expression"
                                                       : "cannot use column reference in partition bound expression")
          .at(position(c, at));
    }
  }
  if (use == ExpressionUse::kPolicy) {  // may have subqueries; the analyzer knows what it may not have
    INDIGO_ASSIGN(const sql::ExprPtr expr, catalog::settled(c.catalog, [&] {
                    return sql::analyze_policy(c.host.session(), node, c.text, relation);
                  }));
    return keep_expression(c, expr);
  }
  const bool condition = use == ExpressionUse::kCheck || use == ExpressionUse::kIndexPredicate;
  if (condition) {
    const auto plain = sql::analyze_to_print(c.host.session(), node, c.text, relation, TypeRef{});
    const TypePtr info = plain.ok() ? c.catalog.type((*plain)->type.oid) : nullptr;
    const Oid base = info == nullptr ? oid::kBool : info->kind == 'd' ? info->base : info->oid;
    const bool literal = base == oid::kUnknown || (base == oid::kText && is(node, PG_QUERY__NODE__NODE_A_CONST));
    if (base != oid::kBool && !literal) {
      return Error(sqlstate::kDatatypeMismatch,
                   std::string("argument of ") + (use == ExpressionUse::kCheck ? "CHECK" : "WHERE") +
                       " must be type boolean, not type " + type_text(c, {(*plain)->type.oid, -1, kInvalidOid}))
          .at(position(c, sql::location_of(node)));
    }
  }
  INDIGO_ASSIGN(const sql::ExprPtr expr, catalog::settled(c.catalog, [&] {
                  return sql::analyze_to_print(c.host.session(), node, c.text, relation, target);
                }));
  INDIGO_TRY(check_row_references(c, expr, use));
  Traits traits{c, true, true, {}, false};
  traits.visit(*expr);
  const int at = use == ExpressionUse::kPartitionKey ? 0 : position(c, sql::location_of(node));
  if (traits.subquery) {
    return Error(sqlstate::kFeatureNotSupported, "cannot use subquery in " + std::string(singular_place(use))).at(at);
  }
  if (!traits.forbidden.empty()) {
    const SqlState state = traits.forbidden.starts_with("aggregate") ? sqlstate::kGroupingError
                           : traits.forbidden.starts_with("window")  ? sqlstate::kWindowingError
                                                                     : sqlstate::kFeatureNotSupported;
    return Error(state, std::string(traits.forbidden) + " not allowed in " + std::string(place_of(use))).at(at);
  }
  INDIGO_ASSIGN(StoredExpression out, keep_expression(c, expr));
  // Who writes the table later computes them without being asked.
  if (use == ExpressionUse::kIndex || use == ExpressionUse::kIndexPredicate || use == ExpressionUse::kPartitionKey) {
    for (const Address& a : out.references) {
      const auto f = a.class_id == pg_proc::kOid ? c.catalog.function(a.object) : nullptr;
      if (f != nullptr) INDIGO_TRY(check_may_execute(c, *f));
    }
  }
  out.immutable = traits.immutable;
  if (!out.immutable) {  // a function in language SQL is what its body is
    // (PostgreSQL does not ask this of the assignment to a generated column.)
    INDIGO_ASSIGN(const sql::ExprPtr inlined, catalog::settled(c.catalog, [&] {
                    return sql::analyze_expression(c.host.session(), node, c.text, relation,
                                                   use == ExpressionUse::kGenerated ? TypeRef{} : target);
                  }));
    Traits again{c, true, true, {}, false};
    again.visit(*inlined);
    out.immutable = again.immutable;
  }
  out.constant = traits.constant;
  out.system_columns = sql::system_column_in(expr) != nullptr;
  return out;
}

Result<StoredExpression> store_expression(DdlContext& c, std::string_view text, ExpressionUse use,
                                          const RelationPtr& relation, const TypeRef& target) {
  const std::string statement = "SELECT " + std::string(text);
  INDIGO_ASSIGN(const auto parsed, sql::parse(statement));
  const PgQuery__SelectStmt* select = parsed->statements().front().node->select_stmt;
  DdlContext within{c.catalog, c.txn, c.host, statement};
  return store_expression(within, select->target_list[0]->res_target->val, use, relation, target);
}

Status record_expression(DdlContext& c, const Address& depender, const StoredExpression& e, Oid relation,
                         char column_type) {
  INDIGO_TRY(record_column_dependencies(c, depender, relation, e.columns, column_type));
  for (const Address& a : e.references) INDIGO_TRY(record_dependency(c, depender, a, 'n'));
  return {};
}

namespace {

// The columns of `source` by those of the same names.
sql::ExprPtr over(const sql::ExprPtr& e, const RelationInfo& source, const RelationInfo& relation) {
  if (const auto* v = sql::try_as<sql::VarExpr>(e)) {
    if (v->column < 0 || static_cast<size_t>(v->column) >= source.columns.size()) return e;
    const ColumnInfo* mine = relation.find_column(source.columns[static_cast<size_t>(v->column)].name);
    if (mine == nullptr) return e;
    auto copy = std::make_shared<sql::VarExpr>(*v);
    copy->column = mine->number - 1;
    return copy;
  }
  return sql::map_children(e, [&](const sql::ExprPtr& child) { return over(child, source, relation); });
}

}  // namespace

Result<StoredExpression> copy_expression(DdlContext& c, std::string_view stored, const RelationInfo& source,
                                         const RelationPtr& relation) {
  const auto from = std::make_shared<const RelationInfo>(source);
  INDIGO_ASSIGN(const sql::ExprPtr expr, catalog::settled(c.catalog, [&] {
                  return sql::analyze_to_print(c.host.session(), stored, from, TypeRef{});
                }));
  return keep_expression(c, relation == nullptr ? expr : over(expr, source, *relation));
}

Result<std::string> expression_text(DdlContext& c, std::string_view stored, const RelationPtr& relation, bool qualify) {
  INDIGO_ASSIGN(const sql::ExprPtr expr, catalog::settled(c.catalog, [&] {
                  return sql::analyze_to_print(c.host.session(), stored, relation, TypeRef{});
                }));
  sql::DeparseOptions options;
  options.relation = relation.get();
  options.always_qualify = qualify;
  return sql::deparse(c.catalog, *expr, options);
}

bool same_expression(DdlContext& c, std::string_view a, const RelationInfo& over_a, std::string_view b,
                     const RelationInfo& over_b) {
  if (a.empty() || b.empty()) return a.empty() == b.empty();
  catalog::SessionContext& session = c.host.session();
  return sql::print_stored(session, a, over_a) == sql::print_stored(session, b, over_b);
}

}  // namespace indigo::engine::ddl
