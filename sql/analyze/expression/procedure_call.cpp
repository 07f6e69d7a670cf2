// CALL procedure(arguments).
#include <algorithm>

#include "catalog/descriptor/session_context.h"
#include "sql/analyze/analyzer.h"
#include "sql/analyze/expression/function_call.h"
#include "sql/analyze/make.h"
#include "sql/analyze/type/signature_text.h"
#include "sql/parse/node.h"
#include "types/oids.h"

namespace indigo::sql {
namespace {

using types::FunctionKind;

Error unknown_procedure(Analysis& a, const std::string& name, const FunctionArguments& types, Lookup lookup,
                        int location) {
  const std::string text = signature_text(a.catalog, name, types.types, types.names);
  if (lookup == Lookup::kAmbiguous) {
    return a.error(sqlstate::kAmbiguousFunction, "procedure " + text + " is not unique", location)
        .with_hint("Could not choose a best candidate procedure. You might need to add explicit type casts.");
  }
  return a.error(sqlstate::kUndefinedFunction, "procedure " + text + " does not exist", location)
      .with_hint("No procedure matches the given name and argument types. You might need to add explicit type casts.");
}

bool is_output(const types::FunctionInfo& f, size_t parameter) {
  return parameter < f.argument_modes.size() && f.argument_modes[parameter] == 'o';
}

}  // namespace

Result<AnalyzedCall> analyze_call(catalog::SessionContext& session, const PgQuery__CallStmt& statement,
                                  const AnalyzeInput& input) {
  const PgQuery__FuncCall& call = *statement.funccall;
  Analysis a(session, input.text);
  a.variables = input.variables;
  a.is_call = true;
  a.declare_parameters(input.parameter_types, input.variable_parameters, input.statement);
  Scope scope(a, nullptr);
  scope.clause = Clause::kCall;
  const NodeList parts = nodes(call.n_funcname, call.funcname);
  const QualifiedName name = qualified_name(parts);
  INDIGO_ASSIGN(CallArguments arguments, transform_arguments(scope, call));
  INDIGO_TRY(name_arguments(scope, call, arguments));
  arguments.types.with_outputs = true;
  arguments.types.single_plain = false;
  INDIGO_TRY(a.check_qualified(name, parts, call.location));
  FunctionCall found;
  const Lookup lookup = find_function(a.catalog, name.schema, name.name, arguments.types, found);
  if (lookup != Lookup::kFound || !found.function)
    return unknown_procedure(a, name_list_text(parts), arguments.types, lookup, call.location);
  if (found.function->kind != FunctionKind::kProcedure) {
    return a
        .error(sqlstate::kWrongObjectType,
               signature_text(a.catalog, name_list_text(parts), arguments.types.types, arguments.types.names) +
                   " is not a procedure",
               call.location)
        .with_hint("To call a function, use SELECT.");
  }
  AnalyzedCall out;
  out.procedure = a.catalog.function(found.function->oid);
  INDIGO_ASSIGN(ExprList all, complete_arguments(a, found, std::move(arguments.list), &out.result.oid));
  out.result = type_with_collation(a.catalog, {out.result.oid, -1, kInvalidOid});
  for (size_t i = 0; i < all.size(); i++) {
    if (!is_output(*out.procedure, i)) out.arguments.push_back(all[i]);
  }
  out.parameters.assign(arguments.types.types.size(), -1);
  for (size_t i = 0; i < found.order.size(); i++) {
    const int from = found.order[i];
    if (from >= 0 && static_cast<size_t>(from) < out.parameters.size()) out.parameters[from] = static_cast<int>(i);
  }
  AnalyzedStatement told;
  INDIGO_TRY(a.finish_parameters(told));
  out.parameter_types = std::move(told.parameter_types);
  return out;
}

}  // namespace indigo::sql
