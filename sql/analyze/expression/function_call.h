// f(...): plain functions, aggregates, window functions, casts and row fields in function notation.
// Thread safety: part of one analysis.
#pragma once

#include "sql/analyze/expression/overloads.h"
#include "sql/analyze/scope.h"
#include "sql/parse/tree_names.h"

namespace indigo::sql {

Result<ExprPtr> transform_func_call(Scope& scope, const PgQuery__Node& node);

// name(row) for row.name; a null expression when no such function exists.
Result<ExprPtr> call_on_row(Scope& scope, std::string_view name, const ExprPtr& row, int location);

// A resolved call with the user's arguments still to be converted and completed (defaults, variadic array).
Result<ExprList> complete_arguments(Analysis& a, const FunctionCall& call, ExprList given, Oid* result_type);

// The arguments as they were written, with their types for the choice of a function.
struct CallArguments {
  ExprList list;
  FunctionArguments types;
};
Result<CallArguments> transform_arguments(Scope& scope, const PgQuery__FuncCall& call);
// Their names, checked: when FILTER is analyzed.
Status name_arguments(Scope& scope, const PgQuery__FuncCall& call, CallArguments& arguments);

// What the grammar wrote around the arguments.
struct CallDecoration {
  const PgQuery__FuncCall* node = nullptr;
  std::string name;  // as written, for messages
  ExprPtr filter;
  int location = -1;
};
// aggregate_call.cpp. Whether WITHIN GROUP and OVER fit the aggregate: before its arguments are converted.
Status check_aggregate_form(Scope& scope, const types::FunctionInfo& function, const CallDecoration& decoration);
// `function` has been checked so. `arguments` are converted; for ordered-set aggregates the last ones are those of WITHIN GROUP.
Result<ExprPtr> make_aggregate(Scope& scope, const types::FunctionInfo& function, ExprList arguments,
                               const TypeRef& result, const CallDecoration& decoration);
Result<ExprPtr> make_window_call(Scope& scope, const types::FunctionInfo& function, ExprList arguments,
                                 const TypeRef& result, const CallDecoration& decoration);
Result<ExprPtr> transform_grouping_func(Scope& scope, const PgQuery__Node& node);

}  // namespace indigo::sql
