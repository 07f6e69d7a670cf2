#include "sql/analyze/expression/function_call.h"

#include <algorithm>

#include "sql/analyze/expression/expressions.h"
#include "sql/analyze/from/names.h"
#include "sql/analyze/make.h"
#include "sql/analyze/select/clauses.h"
#include "sql/analyze/standalone.h"
#include "sql/analyze/type/signature_text.h"
#include "sql/parse/node.h"
#include "types/function/limits.h"
#include "types/function/registry.h"
#include "types/oids.h"

namespace indigo::sql {
namespace {

using types::FunctionKind;

Error positional_behind_named(Scope& scope, const PgQuery__Node* argument) {
  return scope.error(sqlstate::kSyntaxError, "positional argument cannot follow named argument", location_of(argument));
}

// Of the named ones, which come last.
Result<std::vector<std::string>> argument_names(Scope& scope, const PgQuery__FuncCall& call) {
  const NodeList arguments = nodes(call.n_args, call.args);
  std::vector<std::string> names;
  for (const PgQuery__Node* n : arguments) {
    if (is(n, PG_QUERY__NODE__NODE_NAMED_ARG_EXPR)) {
      const std::string name = n->named_arg_expr->name;
      if (std::find(names.begin(), names.end(), name) != names.end()) {
        return scope.error(sqlstate::kSyntaxError, "argument name \"" + name + "\" used more than once",
                           n->named_arg_expr->location);
      }
      names.push_back(name);
    } else if (!names.empty()) {
      return positional_behind_named(scope, n);
    }
  }
  // Those of WITHIN GROUP follow, and have no names.
  if (call.agg_within_group && !names.empty()) return positional_behind_named(scope, call.agg_order[0]->sort_by->node);
  return names;
}

}  // namespace

Result<CallArguments> transform_arguments(Scope& scope, const PgQuery__FuncCall& call) {
  CallArguments out;
  const NodeList given = nodes(call.n_args, call.args);
  for (const PgQuery__Node* n : given) {
    const bool named = is(n, PG_QUERY__NODE__NODE_NAMED_ARG_EXPR);
    INDIGO_ASSIGN(ExprPtr e, transform(scope, named ? n->named_arg_expr->arg : n));
    // JDBC declares a call's output parameters void and writes them among its arguments.
    if (e->type.oid == oid::kVoid && e->kind == ExprKind::kParam && !named && !call.agg_within_group) continue;
    out.types.types.push_back(e->type.oid);
    out.list.push_back(std::move(e));
  }
  if (call.agg_within_group) {
    for (const PgQuery__Node* n : nodes(call.n_agg_order, call.agg_order)) {
      INDIGO_ASSIGN(ExprPtr e, transform(scope, is(n, PG_QUERY__NODE__NODE_SORT_BY) ? n->sort_by->node : n));
      out.types.types.push_back(e->type.oid);
      out.list.push_back(std::move(e));
    }
  }
  return out;
}

Status name_arguments(Scope& scope, const PgQuery__FuncCall& call, CallArguments& out) {
  const NodeList given = nodes(call.n_args, call.args);
  if (given.size() > types::kMaxArguments || out.list.size() > types::kMaxArguments) {
    return scope.error(types::kTooManyArguments, "cannot pass more than 100 arguments to a function", call.location);
  }
  INDIGO_ASSIGN(out.types.names, argument_names(scope, call));
  out.types.variadic_keyword = call.func_variadic;
  out.types.single_plain = out.list.size() == 1 && out.types.names.empty() && !call.agg_star && !call.agg_distinct &&
                           call.n_agg_order == 0 && call.over == nullptr && !call.func_variadic &&
                           absent(call.agg_filter);
  return {};
}

namespace {

// Decorations that only aggregates may have.
Status refuse_decorations(Scope& scope, const CallDecoration& d) {
  const auto refuse = [&](const std::string& what, const char* is_not) {
    return scope.error(sqlstate::kWrongObjectType, what + " specified, but " + d.name + " is not " + is_not,
                       d.location);
  };
  const char* kAggregate = "an aggregate function";
  if (d.node->agg_star) return refuse(d.name + "(*)", kAggregate);
  if (d.node->agg_distinct) return refuse("DISTINCT", kAggregate);
  if (d.node->agg_within_group) return refuse("WITHIN GROUP", kAggregate);
  if (d.node->n_agg_order > 0) return refuse("ORDER BY", kAggregate);
  if (d.filter) return refuse("FILTER", kAggregate);
  return {};
}

Error not_found(Scope& scope, const CallDecoration& d, const FunctionArguments& types, Lookup lookup) {
  const std::string signature = signature_text(scope.catalog(), d.name, types.types, types.names);
  if (lookup == Lookup::kAmbiguous) {
    return scope.error(sqlstate::kAmbiguousFunction, "function " + signature + " is not unique", d.location)
        .with_hint("Could not choose a best candidate function. You might need to add explicit type casts.");
  }
  Error error = scope.error(sqlstate::kUndefinedFunction, "function " + signature + " does not exist", d.location);
  error.hint =
      d.node && d.node->n_agg_order > 1 && !d.node->agg_within_group
          ? "No aggregate function matches the given name and argument types. Perhaps you misplaced ORDER BY; ORDER BY "
            "must appear after all regular arguments of the aggregate."
          : "No function matches the given name and argument types. You might need to add explicit type casts.";
  return error;
}

// For the text of views: the arguments that were written, names included. Those of a VARIADIC array that was made here have none.
ExprPtr with_notation(const ExprPtr& e, const FunctionCall& found, const FunctionArguments& given) {
  const auto* call = try_as<CallExpr>(e);
  const bool defaults = std::find(found.order.begin(), found.order.end(), -1) != found.order.end();
  if (call == nullptr || found.variadic_expanded || (given.names.empty() && !defaults)) return e;
  if (call->function != found.function->oid || call->arguments.size() != found.order.size()) return e;
  auto copy = std::make_shared<CallExpr>(*call);
  copy->positional = static_cast<int>(given.types.size() - given.names.size());
  copy->given.resize(given.types.size());
  for (size_t i = 0; i < found.order.size(); i++) {
    if (found.order[i] >= 0) copy->given[static_cast<size_t>(found.order[i])] = static_cast<int>(i);
  }
  return copy;
}

Result<ExprPtr> plain_call(Scope& scope, const types::FunctionInfo& function, ExprList arguments, const TypeRef& result,
                           bool variadic_array, CallExpr::Form form, int location) {
  if (function.returns_set) {
    INDIGO_TRY(check_set_function_allowed(scope, location));
    scope.query->has_set_functions = true;
  }
  // In FROM an OUT parameter gives the column its name, which the body in the call's place would not know.
  const bool keeps_name = scope.clause == Clause::kFromFunction && function.oid >= oid::kFirstUserOid &&
                          !function.all_argument_types.empty();
  INDIGO_ASSIGN(ExprPtr e, (keeps_name ? make_call : call_or_inline)(scope.a, function, std::move(arguments), result,
                                                                     form, kInvalidOid, location));
  if (!variadic_array || e->kind != ExprKind::kCall) return e;
  auto copy = std::make_shared<CallExpr>(as<CallExpr>(*e));
  copy->variadic_array = true;
  return ExprPtr(copy);
}

// (row).name written name(row).
Result<ExprPtr> field_in_disguise(Scope& scope, std::string_view name, const ExprList& arguments, int location) {
  if (arguments.size() != 1) return ExprPtr();
  const Oid type = arguments[0]->type.oid;
  if (type != oid::kRecord && !is_composite(scope.catalog(), type)) return ExprPtr();
  return select_field(scope, arguments[0], name, location);
}

}  // namespace

Result<ExprList> complete_arguments(Analysis& a, const FunctionCall& call, ExprList given, Oid* result_type) {
  const types::FunctionInfo& f = *call.function;
  std::vector<Oid> declared = call.declared, actual;
  for (const ExprPtr& e : given) actual.push_back(e->type.oid);
  // Defaults take part in the polymorphic resolution as the types they were declared with.
  ExprList defaults(call.order.size());
  for (size_t i = 0; i < call.order.size(); i++) {
    if (call.order[i] >= 0) continue;
    const size_t number = f.defaults.size() - (f.arguments.size() - i);
    if (number >= f.defaults.size()) {
      return a.error(sqlstate::kInternalError, "default argument of function " + f.name + " is missing");
    }
    // An untyped one of a polymorphic parameter takes the type that the call's arguments say.
    const TypeRef target{is_polymorphic(f.arguments[i]) ? f.arguments[i] : kInvalidOid, -1, kInvalidOid};
    INDIGO_ASSIGN(defaults[i], analyze_nested(a, f.defaults[number], nullptr, target, Clause::kDefault));
    declared.push_back(f.arguments[i]);
    actual.push_back(defaults[i]->type.oid);
  }
  INDIGO_ASSIGN(*result_type, resolve_polymorphic(a, actual, declared, f.result));
  const auto convert = [&](const ExprPtr& e, Oid type) {
    return coerce_type(a, e, type_with_collation(a.catalog, {type, -1, kInvalidOid}), Coercion::kImplicit,
                       CallExpr::Form::kImplicitCast, -1);
  };
  ExprList out;
  size_t next_default = call.declared.size();
  const size_t fixed =
      call.variadic_expanded ? given.size() - static_cast<size_t>(call.variadic_count) : call.order.size();
  for (size_t i = 0; i < fixed; i++) {
    const ExprPtr& e = call.order[i] >= 0 ? given[call.order[i]] : defaults[i];
    const Oid type = call.order[i] >= 0 ? declared[call.order[i]] : declared[next_default++];
    INDIGO_ASSIGN(ExprPtr converted, convert(e, type));
    out.push_back(std::move(converted));
  }
  if (call.variadic_expanded) {
    auto array = std::make_shared<ArrayExpr>();
    for (size_t i = fixed; i < given.size(); i++) {
      INDIGO_ASSIGN(ExprPtr converted, convert(given[i], declared[i]));
      array->elements.push_back(std::move(converted));
    }
    array->element = type_with_collation(a.catalog, {declared[fixed], -1, kInvalidOid});
    array->type = type_with_collation(a.catalog, {array_of(a.catalog, declared[fixed]), -1, kInvalidOid});
    if (array->type.oid == kInvalidOid) {
      return a.error(sqlstate::kUndefinedObject,
                     "could not find array type for data type " + format_type(a.catalog, declared[fixed]));
    }
    array->location = given[fixed]->location;
    out.push_back(std::move(array));
  }
  return out;
}

Result<ExprPtr> call_on_row(Scope& scope, std::string_view name, const ExprPtr& row, int location) {
  FunctionArguments types;
  types.types.push_back(row->type.oid);
  FunctionCall found;
  if (find_function(scope.catalog(), "", name, types, found) != Lookup::kFound || !found.function) return ExprPtr();
  const types::FunctionInfo& f = *found.function;
  if (f.kind == FunctionKind::kProcedure) return ExprPtr();
  if (f.kind == FunctionKind::kWindow) {
    return scope.error(sqlstate::kWrongObjectType, "window function " + f.name + " requires an OVER clause", location);
  }
  static const PgQuery__FuncCall kBare = PG_QUERY__FUNC_CALL__INIT;
  CallDecoration decoration;
  decoration.node = &kBare;
  decoration.name = f.name;
  decoration.location = location;
  if (f.kind == FunctionKind::kAggregate) INDIGO_TRY(check_aggregate_form(scope, f, decoration));
  Oid result = kInvalidOid;
  INDIGO_ASSIGN(ExprList arguments, complete_arguments(scope.a, found, {row}, &result));
  if (f.kind == FunctionKind::kAggregate) {
    return make_aggregate(scope, f, std::move(arguments),
                          type_with_collation(scope.catalog(), {result, -1, kInvalidOid}), decoration);
  }
  return plain_call(scope, *found.function, std::move(arguments), {result, -1, kInvalidOid}, false,
                    CallExpr::Form::kFunction, location);
}

Result<ExprPtr> transform_func_call(Scope& scope, const PgQuery__Node& node) {
  const PgQuery__FuncCall& call = *node.func_call;
  const NodeList name_parts = nodes(call.n_funcname, call.funcname);
  const QualifiedName name = qualified_name(name_parts);
  CallDecoration decoration;
  decoration.node = &call;
  decoration.name = name_list_text(name_parts);
  decoration.location = call.location;
  INDIGO_ASSIGN(CallArguments arguments, transform_arguments(scope, call));
  if (!absent(call.agg_filter)) {
    Setting<Clause> clause(scope.clause, Clause::kFilter);
    INDIGO_ASSIGN(ExprPtr filter, transform(scope, call.agg_filter));
    INDIGO_ASSIGN(decoration.filter, coerce_to_boolean(scope.a, filter, "FILTER"));
  }
  INDIGO_TRY(name_arguments(scope, call, arguments));
  INDIGO_TRY(scope.a.check_qualified(name, name_parts, call.location));
  FunctionCall found;
  Lookup lookup = find_function(scope.catalog(), name.schema, name.name, arguments.types, found);
  if (lookup != Lookup::kFound) {
    if (lookup == Lookup::kNotFound && arguments.types.single_plain && name.schema.empty()) {
      INDIGO_ASSIGN(ExprPtr field, field_in_disguise(scope, name.name, arguments.list, call.location));
      if (field) return field;
    }
    return not_found(scope, decoration, arguments.types, lookup);
  }
  if (!found.function) {
    const TypeRef type = type_with_collation(scope.catalog(), {found.coercion, -1, kInvalidOid});
    return coerce_type(scope.a, arguments.list[0], type, Coercion::kExplicit, CallExpr::Form::kExplicitCast,
                       call.location);
  }
  const types::FunctionInfo& f = *found.function;
  if (f.kind == FunctionKind::kProcedure) {
    return scope
        .error(sqlstate::kWrongObjectType,
               signature_text(scope.catalog(), decoration.name, arguments.types.types, arguments.types.names) +
                   " is a procedure",
               call.location)
        .with_hint("To call a procedure, use CALL.");
  }
  if (f.kind == FunctionKind::kFunction) INDIGO_TRY(refuse_decorations(scope, decoration));
  if (f.kind == FunctionKind::kFunction && call.over != nullptr) {
    return scope.error(sqlstate::kWrongObjectType,
                       "OVER specified, but " + decoration.name + " is not a window function nor an aggregate function",
                       call.location);
  }
  if (f.kind == FunctionKind::kWindow && call.over == nullptr) {
    return scope.error(sqlstate::kWrongObjectType, "window function " + decoration.name + " requires an OVER clause",
                       call.location);
  }
  if (f.kind == FunctionKind::kWindow && call.agg_within_group) {
    return scope.error(sqlstate::kWrongObjectType, "window function " + decoration.name + " cannot have WITHIN GROUP",
                       call.location);
  }
  if (f.kind == FunctionKind::kAggregate && call.n_args == 0 && !call.agg_star && !call.agg_within_group) {
    return scope.error(sqlstate::kWrongObjectType,
                       decoration.name + "(*) must be used to call a parameterless aggregate function", call.location);
  }
  if (f.kind == FunctionKind::kAggregate) INDIGO_TRY(check_aggregate_form(scope, f, decoration));
  Oid result = kInvalidOid;
  INDIGO_ASSIGN(ExprList list, complete_arguments(scope.a, found, std::move(arguments.list), &result));
  const TypeRef type = type_with_collation(scope.catalog(), {result, -1, kInvalidOid});
  if (call.func_variadic && f.variadic != kInvalidOid &&
      element_of_base(scope.catalog(), list.back()->type.oid) == kInvalidOid &&
      (list.back()->type.oid != oid::kUnknown || f.variadic == oid::kAny)) {
    return scope.error(sqlstate::kDatatypeMismatch, "VARIADIC argument must be an array", expr_location(list.back()));
  }
  if (call.over != nullptr) return make_window_call(scope, f, std::move(list), type, decoration);
  if (f.kind == FunctionKind::kAggregate) return make_aggregate(scope, f, std::move(list), type, decoration);
  const bool construct = call.funcformat == PG_QUERY__COERCION_FORM__COERCE_SQL_SYNTAX;
  INDIGO_ASSIGN(ExprPtr made,
                plain_call(scope, f, std::move(list), type, call.func_variadic && f.variadic == oid::kAny,
                           construct ? CallExpr::Form::kSqlSyntax : CallExpr::Form::kFunction, call.location));
  return construct ? made : with_notation(made, found, arguments.types);
}

}  // namespace indigo::sql
