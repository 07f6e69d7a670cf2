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
#include "catalog/catalog_view.h"
#include "sql/func/context.h"
#include "sql/parse/parse_tree.h"
#include "sql/query.h"

namespace indigo::sql {

// A literal found by the scanner (engine's statement cache).
struct LiftedLiteral {
  int location;  // 0-based byte of the literal in the text, as in the tree
  enum class Class : uint8_t { kInt4, kInt8, kNumeric, kString, kBit } kind;
};

struct AnalyzeInput {
  const PgQuery__Node* statement;
  std::string_view text;                  // for positions
  std::span<const Oid> parameter_types;   // $n as declared; kInvalidOid/kUnknown: infer
  bool variable_parameters = false;       // more $n than declared are allowed (Parse message)
  std::span<const LiftedLiteral> lifted;  // ascending by location
  bool require_implementations = true;    // false: a call that only the catalog knows is no error (tests)
};

// Utility statements (query == null in the answer) are the engine's. EXPLAIN, COPY (query), CREATE TABLE AS, DECLARE
// CURSOR and so on analyze their inner statement through analyze() again.
Result<AnalyzedStatement> analyze(SessionContext& session, const AnalyzeInput& input);

// An expression over one relation's columns (entry 0): defaults, checks, index predicates, USING. `text` is SQL.
// relation may be null (no columns). The result is coerced to `target` (assignment) unless target.oid is invalid.
Result<ExprPtr> analyze_expression(SessionContext& session, std::string_view text,
                                   const std::shared_ptr<const catalog::RelationInfo>& relation, const TypeRef& target);
Result<ExprPtr> analyze_expression(SessionContext& session, const PgQuery__Node* node, std::string_view text,
                                   const std::shared_ptr<const catalog::RelationInfo>& relation, const TypeRef& target);

// The same, to be printed with deparse and not to be evaluated: calls of functions in language SQL stay calls.
Result<ExprPtr> analyze_to_print(SessionContext& session, std::string_view text,
                                 const std::shared_ptr<const catalog::RelationInfo>& relation, const TypeRef& target);
Result<ExprPtr> analyze_to_print(SessionContext& session, const PgQuery__Node* node, std::string_view text,
                                 const std::shared_ptr<const catalog::RelationInfo>& relation, const TypeRef& target);

// A type's name outside a query (PREPARE's list). 42704 when there is none.
Result<TypeRef> analyze_type_name(SessionContext& session, const PgQuery__TypeName* name, std::string_view text);

// Expression back to SQL as pg_get_expr prints it (qualified where needed); entry 0's columns by name.
std::string deparse(catalog::CatalogView& catalog, const Expr& expr, const catalog::RelationInfo* relation);
// A SELECT's text with every relation qualified by its schema (view definitions).
Result<std::string> qualify_query(SessionContext& session, const PgQuery__Node* select);

}  // namespace indigo::sql
