// Expressions outside queries: defaults, checks, index expressions and predicates, USING.
#include "catalog/descriptor/session_context.h"
#include "sql/analyze/copy_condition.h"
#include "sql/analyze/expression/expressions.h"
#include "sql/analyze/expression/overloads.h"
#include "sql/analyze/from/from.h"
#include "sql/analyze/make.h"
#include "sql/analyze/standalone.h"
#include "sql/analyze/type/signature_text.h"
#include "sql/parse/node.h"
#include "sql/parse/parser.h"
#include "sql/query_walk.h"
#include "sql/stored/plain_columns.h"
#include "sql/stored/stored_tree.h"
#include "types/oids.h"

namespace indigo::sql {
namespace {

// The expression of "SELECT expression".
Result<const PgQuery__Node*> single_target(const ParsedText& parsed, std::string_view text) {
  if (parsed.statements().size() == 1 && is(parsed.statements()[0].node, PG_QUERY__NODE__NODE_SELECT_STMT)) {
    const PgQuery__SelectStmt& s = *parsed.statements()[0].node->select_stmt;
    if (s.n_target_list == 1) return static_cast<const PgQuery__Node*>(s.target_list[0]->res_target->val);
  }
  return Error(sqlstate::kSyntaxError, "\"" + std::string(text) + "\" is not an expression");
}

constexpr std::string_view kSelect = "SELECT ";
constexpr int kMaxDomainNesting = 100;

}  // namespace

namespace {

Result<ExprPtr> assigned_to(Analysis& a, const ExprPtr& e, const TypeRef& target) {
  if (target.oid == kInvalidOid) return unknown_to_text(a, e);
  if (target.oid == oid::kUnknown) return e;
  INDIGO_ASSIGN(ExprPtr out, coerce_to_target(a, e, target, Coercion::kAssignment, CallExpr::Form::kImplicitCast, -1));
  if (out) return out;
  return a
      .error(sqlstate::kDatatypeMismatch,
             "expression is of type " + format_type(a.catalog, e->type.oid) + " but type " +
                 format_type(a.catalog, target.oid) + " is needed",
             expr_location(e))
      .with_hint("You will need to rewrite or cast the expression.");
}

// Entry 0 of the scope.
Status add_relation(Scope& scope, const std::shared_ptr<const catalog::RelationInfo>& relation) {
  if (!relation) return {};
  INDIGO_ASSIGN(Entry entry, relation_entry(scope, relation, nullptr));
  FromItem item = leaf_of(scope, std::move(entry));
  item.names[0].schema = relation->schema_name;
  return add_names(scope, std::move(item.names));
}

Result<ExprPtr> analyze_in(Analysis& a, const PgQuery__Node* node,
                           const std::shared_ptr<const catalog::RelationInfo>& relation, const TypeRef& target,
                           Clause clause) {
  Scope scope(a, nullptr);
  scope.clause = clause;
  INDIGO_TRY(add_relation(scope, relation));
  INDIGO_ASSIGN(const ExprPtr e, transform(scope, node));
  return assigned_to(a, e, target);
}

// What the catalog keeps as a tree.
Result<ExprPtr> load_in(Analysis& a, std::string_view tree,
                        const std::shared_ptr<const catalog::RelationInfo>& relation, const TypeRef& target,
                        LoadFor purpose) {
  INDIGO_ASSIGN(const ExprPtr e, load_expression(a, tree, purpose));
  const int columns = relation ? static_cast<int>(relation->columns.size()) : 0;
  bool known = true;
  visit_expressions(e, [&](const Expr& x, int depth) {
    if (x.kind == ExprKind::kVar && as<VarExpr>(x).levels_up == depth) {
      known = known && as<VarExpr>(x).entry == 0 && as<VarExpr>(x).column < columns;
    }
    if (depth == 0 && x.kind == ExprKind::kWholeRow) known = known && as<WholeRowExpr>(x).entry == 0;
    return known;
  });
  if (!known) return Error(SqlState("XX001"), "stored expression names a column that its table has not");
  return assigned_to(a, e, target);
}

}  // namespace

Result<ExprPtr> analyze_nested(const Analysis& outer, std::string_view text,
                               const std::shared_ptr<const catalog::RelationInfo>& relation, const TypeRef& target,
                               Clause clause) {
  if (is_stored_tree(text)) {
    Analysis a(outer, {});
    return load_in(a, text, relation, target, LoadFor::kUse);
  }
  const std::string statement = std::string(kSelect) + std::string(text);
  INDIGO_ASSIGN(const auto parsed, parse(statement));
  INDIGO_ASSIGN(const PgQuery__Node* node, single_target(*parsed, text));
  Analysis a(outer, statement);
  return analyze_in(a, node, relation, target, clause);
}

Result<ExprPtr> analyze_expression(catalog::SessionContext& session, std::string_view text,
                                   const std::shared_ptr<const catalog::RelationInfo>& relation,
                                   const TypeRef& target) {
  const Analysis root(session, text);
  INDIGO_ASSIGN(const ExprPtr e, analyze_nested(root, text, relation, target, Clause::kOther));
  return relation ? with_plain_columns(session.catalog(), e, *relation) : e;
}

Result<ExprPtr> analyze_expression(catalog::SessionContext& session, const PgQuery__Node* node, std::string_view text,
                                   const std::shared_ptr<const catalog::RelationInfo>& relation,
                                   const TypeRef& target) {
  Analysis a(session, text);
  return analyze_in(a, node, relation, target, Clause::kOther);
}

Result<ExprPtr> analyze_to_print(catalog::SessionContext& session, std::string_view text,
                                 const std::shared_ptr<const catalog::RelationInfo>& relation, const TypeRef& target) {
  Analysis root(session, text);
  root.inline_functions = false;
  if (is_stored_tree(text)) return load_in(root, text, relation, target, LoadFor::kPrinting);
  return analyze_nested(root, text, relation, target, Clause::kOther);
}

Result<ExprPtr> analyze_to_print(catalog::SessionContext& session, const PgQuery__Node* node, std::string_view text,
                                 const std::shared_ptr<const catalog::RelationInfo>& relation, const TypeRef& target) {
  Analysis a(session, text);
  a.inline_functions = false;
  return analyze_in(a, node, relation, target, Clause::kOther);
}

Result<ExprPtr> analyze_policy(catalog::SessionContext& session, const PgQuery__Node* node, std::string_view text,
                               const std::shared_ptr<const catalog::RelationInfo>& relation) {
  Analysis a(session, text);
  a.inline_functions = false;
  a.checks_schemas = true;
  a.has_positions = false;  // as in PostgreSQL
  Scope scope(a, nullptr);
  INDIGO_TRY(add_relation(scope, relation));
  return transform_condition(scope, node, Clause::kPolicy, "POLICY");
}

Result<ExprPtr> analyze_copy_condition(catalog::SessionContext& session, const PgQuery__Node* node,
                                       std::string_view text,
                                       const std::shared_ptr<const catalog::RelationInfo>& relation) {
  Analysis a(session, text);
  Scope scope(a, nullptr);
  INDIGO_TRY(add_relation(scope, relation));
  return transform_condition(scope, node, Clause::kCopyWhere, "WHERE");
}

namespace {

// The one column that VALUE was when the check was stored becomes the value that is looked at.
ExprPtr with_value(const ExprPtr& e, const ExprPtr& value) {
  if (e->kind == ExprKind::kVar) return value;
  return map_children(e, [&](const ExprPtr& child) { return with_value(child, value); });
}

}  // namespace

Result<ExprPtr> analyze_domain_check(Analysis& outer, const std::string& text, Oid domain) {
  if (is_stored_tree(text)) {
    Analysis a(outer, {});
    if (a.nesting > kMaxDomainNesting) {
      return Error(sqlstate::kStatementTooComplex, "checks of domains are nested too deeply");
    }
    auto value = std::make_shared<ColumnExpr>();
    value->type = type_with_collation(a.catalog, base_type_ref(a.catalog, domain));
    INDIGO_ASSIGN(const ExprPtr e, load_expression(a, text, LoadFor::kUse));
    return with_value(e, value);
  }
  const std::string statement = std::string(kSelect) + text;
  INDIGO_ASSIGN(const auto parsed, parse(statement));
  INDIGO_ASSIGN(const PgQuery__Node* node, single_target(*parsed, text));
  Analysis a(outer, statement);
  Scope scope(a, nullptr);
  scope.clause = Clause::kCheck;
  auto value = std::make_shared<ColumnExpr>();
  value->type = type_with_collation(a.catalog, base_type_ref(a.catalog, domain));
  scope.domain_value = value;
  INDIGO_ASSIGN(const ExprPtr e, transform(scope, node));
  return coerce_to_boolean(a, e, "CHECK");
}

Result<ExprPtr> analyze_assignment(catalog::SessionContext& session, const TypeRef& from, const TypeRef& to,
                                   bool through_text) {
  Analysis a(session, "");
  a.declare_known({&from, 1});
  auto value = std::make_shared<ParamExpr>();
  value->type = from;
  value->location = -1;
  const ExprPtr source = value;
  // A record of a program has no fields to convert before it is there.
  if (through_text && from.oid == oid::kRecord && is_composite(a.catalog, base_type(a.catalog, to.oid)))
    return coerce_through_text(a, source, to);
  INDIGO_ASSIGN(ExprPtr out, coerce_to_target(a, source, to, Coercion::kAssignment, CallExpr::Form::kImplicitCast, -1));
  if (out == source) return ExprPtr();
  if (out) return out;
  if (through_text) return coerce_through_text(a, source, to);
  return Error(sqlstate::kDatatypeMismatch,
               "cannot cast type " + format_type(a.catalog, from.oid) + " to " + format_type(a.catalog, to.oid));
}

}  // namespace indigo::sql
