#include "sql/analyze/expression/overloads.h"
#include "sql/analyze/make.h"
#include "sql/analyze/type/signature_text.h"
#include "types/function/registry.h"
#include "types/oids.h"

namespace indigo::sql {
namespace {

bool implemented(const types::FunctionInfo& f) {
  return f.returns_set ? types::find_set(f.oid) != nullptr : types::find_scalar(f.oid) != nullptr;
}

}  // namespace

Result<ExprPtr> make_call(Analysis& a, const types::FunctionInfo& function, ExprList arguments, const TypeRef& result,
                          CallExpr::Form form, Oid op, int location) {
  const bool later = function.language == "sql" && !a.inline_functions;  // when the printed text is read again
  if (a.require_implementations && !later && !implemented(function)) {
    return a.error(sqlstate::kFeatureNotSupported,
                   "function " + signature_text(a.catalog, function.name, function.arguments) + " is not supported",
                   location);
  }
  auto call = std::make_shared<CallExpr>();
  call->function = function.oid;
  call->op = op;
  call->form = form;
  call->strict = function.strict;
  call->returns_set = function.returns_set;
  call->volatility = function.volatility;
  call->location = location;
  INDIGO_ASSIGN(call->collation, input_collation(a, arguments));
  call->type = type_with_collation(a.catalog, {result.oid, result.typmod, kInvalidOid});
  if (call->type.collation != kInvalidOid && call->collation != kInvalidOid) call->type.collation = call->collation;
  call->arguments = std::move(arguments);
  return ExprPtr(call);
}

Result<ExprPtr> call_builtin(Analysis& a, std::string_view name, ExprList arguments, int location) {
  FunctionArguments given;
  for (const ExprPtr& e : arguments) given.types.push_back(e->type.oid);
  FunctionCall found;
  const Lookup lookup = find_function(a.catalog, "pg_catalog", name, given, found);
  if (lookup != Lookup::kFound || !found.function) {
    return a
        .error(
            sqlstate::kUndefinedFunction,
            "function " + signature_text(a.catalog, "pg_catalog." + std::string(name), given.types) + " does not exist",
            location)
        .with_hint("No function matches the given name and argument types. You might need to add explicit type casts.");
  }
  INDIGO_ASSIGN(const Oid result, resolve_polymorphic(a, given.types, found.declared, found.function->result));
  for (size_t i = 0; i < arguments.size(); i++) {
    INDIGO_ASSIGN(arguments[i], coerce_type(a, arguments[i], {found.declared[i], -1, kInvalidOid}, Coercion::kImplicit,
                                            CallExpr::Form::kImplicitCast, -1));
  }
  return make_call(a, *found.function, std::move(arguments), {result, -1, kInvalidOid}, CallExpr::Form::kFunction,
                   kInvalidOid, location);
}

}  // namespace indigo::sql
