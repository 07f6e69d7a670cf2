// Functions and operators: candidates, the choice among them, and the call.
// Source: PostgreSQL 15 documentation, sections 10.2 and 10.3.
// Thread safety: part of one analysis.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <absl/container/inlined_vector.h>

#include "sql/analyze/type/coerce.h"
#include "sql/parse/tree_names.h"

namespace indigo::sql {

// ---- the choice of a candidate
struct Candidate {
  absl::InlinedVector<Oid, 4> arguments;  // as many as the call has
  size_t index = 0;                       // the caller's
};
// Leaves only the candidates that accept the types.
std::vector<Candidate> matching(catalog::CatalogView& catalog, std::span<const Oid> types,
                                std::vector<Candidate> candidates);
// The best of several that match; null when none is.
std::optional<Candidate> select_best(catalog::CatalogView& catalog, std::span<const Oid> types,
                                     std::vector<Candidate> candidates);

// ---- functions
struct FunctionCall {
  std::shared_ptr<const types::FunctionInfo> function;  // null: `coercion` holds a type
  std::vector<Oid> declared;                            // one for each argument of the call, defaults included
  std::vector<int> order;          // argument i of the function is argument order[i] of the call; -1: its default
  bool variadic_expanded = false;  // the last arguments become one array
  int variadic_count = 0;
  Oid coercion = kInvalidOid;  // name(value) that is a cast
};
struct FunctionArguments {
  std::vector<Oid> types;
  std::vector<std::string> names;  // of the last names.size() arguments
  bool variadic_keyword = false;
  bool single_plain = false;  // one unnamed argument: may be a cast in disguise
  bool with_outputs = false;  // CALL: OUT parameters of procedures have arguments, too
};
enum class Lookup : uint8_t { kFound, kNotFound, kAmbiguous };
Lookup find_function(catalog::CatalogView& catalog, std::string_view schema, std::string_view name,
                     const FunctionArguments& arguments, FunctionCall& out);

// The call of a known function; arguments are already converted. The result type as given. 0A000 when nothing implements it.
Result<ExprPtr> make_call(Analysis& a, const types::FunctionInfo& function, ExprList arguments, const TypeRef& result,
                          CallExpr::Form form, Oid op, int location);
// The same for functions in language SQL too: their body takes the place of the call (inline_sql.cpp).
Result<ExprPtr> call_or_inline(Analysis& a, const types::FunctionInfo& function, ExprList arguments,
                               const TypeRef& result, CallExpr::Form form, Oid op, int location);
// Looks up pg_catalog.name for these arguments and calls it (SQL constructs that the grammar turns into functions).
Result<ExprPtr> call_builtin(Analysis& a, std::string_view name, ExprList arguments, int location);
// The collation that a function or operator works with (kInvalidOid: none of its inputs has one). 42P21 when COLLATE clauses
// contradict each other; oid::kConflictingCollations when the inputs' own collations do.
Result<Oid> input_collation(Analysis& a, std::span<const ExprPtr> inputs);
// The same for columns that are compared at once (UNION): 42P21 in both cases.
Result<Oid> common_collation(Analysis& a, std::span<const ExprPtr> inputs);
// For what is sorted or grouped by: 42P21 when its inputs' collations contradict each other.
Status require_collation(Analysis& a, const ExprPtr& e);

// ---- operators. `left` null: a prefix operator.
Result<const types::OperatorInfo*> find_operator(Analysis& a, NodeList name, Oid left, Oid right, int location);
const types::OperatorInfo* find_operator_quietly(catalog::CatalogView& catalog, std::string_view schema,
                                                 std::string_view name, Oid left, Oid right, bool* ambiguous = nullptr);
Result<ExprPtr> make_operator(Analysis& a, NodeList name, const ExprPtr& left, const ExprPtr& right, int location);
// The same for who needs the operator and its arguments: the body of a function in SQL does not take the call's place.
Result<std::shared_ptr<const CallExpr>> make_operator_call(Analysis& a, NodeList name, const ExprPtr& left,
                                                           const ExprPtr& right, int location);
// By the bare name, in pg_catalog first as usual.
Result<ExprPtr> make_operator(Analysis& a, std::string_view name, const ExprPtr& left, const ExprPtr& right,
                              int location);
// left op ANY | ALL (array)
Result<ExprPtr> make_array_operator(Analysis& a, NodeList name, const ExprPtr& left, const ExprPtr& array, bool any,
                                    int location);
// The operator's function call with converted arguments.
Result<ExprPtr> call_operator(Analysis& a, const types::OperatorInfo& op, const ExprPtr& left, const ExprPtr& right,
                              int location);

// ---- sorting and grouping
struct SortOperators {
  Oid less = kInvalidOid, equal = kInvalidOid, greater = kInvalidOid;
};
// Of the type's default order; `need_order` and `need_equal`: 42883 when missing.
Result<SortOperators> sort_operators(Analysis& a, Oid type, bool need_order, bool need_equal, int location);

// A domain's check over VALUE, as ColumnExpr{0, 0}.
Result<ExprPtr> analyze_domain_check(Analysis& a, const std::string& text, Oid domain);

}  // namespace indigo::sql
