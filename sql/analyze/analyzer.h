// Parse tree to Query: PostgreSQL's name resolution, type resolution and coercion, from catalog rows.
//
// Parameters: $n of the extended protocol (types given or inferred), and literals that the statement cache has lifted out
// of the text. A lifted literal in a place where any value of its class gives the same plan becomes a ParamExpr
// (index = parameter count + its number); elsewhere (LIMIT, ORDER BY 2, modifiers, anything folded at analysis) the analyzer
// uses its value and leaves lifted_used[i] false, so that the value becomes part of the cache's key.
// Thread safety: one analysis belongs to one session.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "catalog/descriptor/catalog_view.h"
#include "catalog/descriptor/session_context.h"
#include "sql/parse/tree_names.h"
#include "sql/query.h"

namespace indigo::sql {

class VariableScope;  // sql/analyze/variables.h

// A literal found by the scanner (engine's statement cache).
struct LiftedLiteral {
  int location;  // 0-based byte of the literal in the text, as in the tree
  enum class Class : uint8_t { kInt4, kInt8, kNumeric, kString, kBit } kind;
};

struct AnalyzeInput {
  const PgQuery__Node* statement;
  std::string_view text;                     // for positions
  std::span<const Oid> parameter_types;      // $n as declared; kInvalidOid/kUnknown: infer
  bool variable_parameters = false;          // more $n than declared are allowed (Parse message)
  std::span<const LiftedLiteral> lifted;     // ascending by location
  bool require_implementations = true;       // false: a call that only the catalog knows is no error (tests)
  bool inline_functions = true;              // false: the query is to be printed, not to be run
  const VariableScope* variables = nullptr;  // of the program that the statement stands in: it declares all parameters
};

// Utility statements (query == null in the answer) are the engine's. EXPLAIN, COPY (query), CREATE TABLE AS, DECLARE
// CURSOR and so on analyze their inner statement through analyze() again.
Result<AnalyzedStatement> analyze(catalog::SessionContext& session, const AnalyzeInput& input);

// An expression over one relation's columns (entry 0): defaults, checks, index predicates, USING. `text` is SQL.
// relation may be null (no columns). The result is coerced to `target` (assignment) unless target.oid is invalid. Of a text the
// result has plain columns only (sql/stored/plain_columns.h).
Result<ExprPtr> analyze_expression(catalog::SessionContext& session, std::string_view text,
                                   const std::shared_ptr<const catalog::RelationInfo>& relation, const TypeRef& target);
Result<ExprPtr> analyze_expression(catalog::SessionContext& session, const PgQuery__Node* node, std::string_view text,
                                   const std::shared_ptr<const catalog::RelationInfo>& relation, const TypeRef& target);

// The same, to be printed with deparse and not to be evaluated: calls of functions in language SQL stay calls.
Result<ExprPtr> analyze_to_print(catalog::SessionContext& session, std::string_view text,
                                 const std::shared_ptr<const catalog::RelationInfo>& relation, const TypeRef& target);
Result<ExprPtr> analyze_to_print(catalog::SessionContext& session, const PgQuery__Node* node, std::string_view text,
                                 const std::shared_ptr<const catalog::RelationInfo>& relation, const TypeRef& target);

// A policy's condition on rows of the relation, to be kept.
Result<ExprPtr> analyze_policy(catalog::SessionContext& session, const PgQuery__Node* node, std::string_view text,
                               const std::shared_ptr<const catalog::RelationInfo>& relation);

// The conversion of a value of type `from`, which is ParamExpr 0, as an assignment makes it. Null when `from` is as good as
// `to`. Where there is none: by the value's text if `through_text`, else 42804.
Result<ExprPtr> analyze_assignment(catalog::SessionContext& session, const TypeRef& from, const TypeRef& to,
                                   bool through_text);

// CALL: the procedure and the values of its input parameters.
struct AnalyzedCall {
  std::shared_ptr<const types::FunctionInfo> procedure;
  ExprList arguments;  // inputs only
  // By argument as it was written: the place among all parameters.
  std::vector<int> parameters;
  TypeRef result;
  std::vector<TypeRef> parameter_types;  // $n
};
Result<AnalyzedCall> analyze_call(catalog::SessionContext& session, const PgQuery__CallStmt& call,
                                  const AnalyzeInput& input);

// A type's name outside a query (PREPARE's list). 42704 when there is none.
Result<TypeRef> analyze_type_name(catalog::SessionContext& session, const PgQuery__TypeName* name,
                                  std::string_view text);

// Expression back to SQL as pg_get_expr prints it (qualified where needed); entry 0's columns by name.
Result<std::string> deparse(catalog::CatalogView& catalog, const Expr& expr, const catalog::RelationInfo* relation);
// A view's query as a statement that names the view sees it.
Result<std::shared_ptr<const Query>> analyze_view(catalog::SessionContext& session, const catalog::RelationInfo& view);

}  // namespace indigo::sql
