// FunctionCall: one function by its OID, with values and no text. libpq's large objects come this way.
#include <algorithm>

#include "base/memory/memory_reserve.h"
#include "base/sqlstate.h"
#include "catalog/object_privileges.h"
#include "engine/session/current_message.h"
#include "engine/session/evaluate.h"
#include "engine/session/required_privileges.h"
#include "engine/session/session_impl.h"
#include "engine/session/session_settings.h"
#include "engine/session/statement_scope.h"
#include "engine/session/transaction_block.h"
#include "sql/expr.h"
#include "types/function/phys_of.h"
#include "types/function/registry.h"
#include "types/io/domain_check.h"
#include "types/io/type_definition.h"

namespace indigo::engine {

namespace {

using FunctionPtr = std::shared_ptr<const types::FunctionInfo>;

Result<FunctionPtr> callable_function(catalog::SessionCatalog& catalog, Oid oid) {
  FunctionPtr f = catalog.function(oid);
  if (f == nullptr) {
    return Error(sqlstate::kUndefinedFunction, "function with OID " + std::to_string(oid) + " does not exist");
  }
  if (f->kind != types::FunctionKind::kFunction || f->returns_set) {
    return Error(sqlstate::kFeatureNotSupported, "cannot call function \"" + f->name + "\" via fastpath interface");
  }
  const uint32_t of_schema = catalog::object_privileges(catalog, catalog::kSchemaAcl, f->schema, catalog.user());
  if ((of_schema & types::kPrivilegeUsage) == 0) {
    return Error(sqlstate::kInsufficientPrivilege, "permission denied for schema " + catalog.schema_name(f->schema));
  }
  const RequiredFunction required{oid, f->name};
  INDIGO_TRY(check_functions(catalog, {required}));
  if (oid < oid::kFirstUserOid && types::find_scalar(oid) == nullptr)
    return Error(sqlstate::kFeatureNotSupported, "function " + f->name + " is not supported");
  return f;
}

Status check_counts(const FunctionCallMessage& message, const types::FunctionInfo& f) {
  const size_t given = message.arguments.size(), formats = message.argument_formats.size();
  if (given != f.arguments.size()) {
    return Error(sqlstate::kProtocolViolation, "function call message contains " + std::to_string(given) +
                                                   " arguments but function requires " +
                                                   std::to_string(f.arguments.size()));
  }
  if (formats > 1 && formats != given) {
    return Error(sqlstate::kProtocolViolation, "function call message contains " + std::to_string(formats) +
                                                   " argument formats but " + std::to_string(given) + " arguments");
  }
  return {};
}

Result<std::vector<Datum>> read_arguments(types::FuncContext& context, const FunctionCallMessage& message,
                                          const types::FunctionInfo& f) {
  std::vector<Datum> out;
  for (size_t i = 0; i < f.arguments.size(); i++) {
    const types::TypeRef type{f.arguments[i], -1, kInvalidOid};
    Format format = Format::kText;
    if (!message.argument_formats.empty())
      format = message.argument_formats[message.argument_formats.size() == 1 ? 0 : i];
    const Str bytes = message.arguments[i] ? context.arena().copy(*message.arguments[i]) : Str();
    Datum value;
    if (!message.arguments[i]) {
      value = Datum::make_null(types::phys_of(context, type.oid));
    } else if (format == Format::kBinary) {
      value = types::type_receive(context, type, bytes);
    } else if (types::check_encoding(context, bytes)) {
      value = types::type_input(context, type, bytes);
    }
    if (context.failed() || !types::check_domain(context, type, value)) {
      Error error = *context.take_error();
      if (format == Format::kBinary && error.message.starts_with("incorrect binary data format"))
        error.message = "incorrect binary data format in function argument " + std::to_string(i + 1);
      return error;
    }
    out.push_back(value);
  }
  return out;
}

sql::ExprList call_of(const types::FunctionInfo& f) {
  auto call = std::make_shared<sql::CallExpr>();
  call->function = f.oid;
  call->type = {f.result, -1, kInvalidOid};
  call->strict = f.strict;
  call->volatility = f.volatility;
  for (size_t i = 0; i < f.arguments.size(); i++) {
    auto parameter = std::make_shared<sql::ParamExpr>();
    parameter->type = {f.arguments[i], -1, kInvalidOid};
    parameter->index = static_cast<int>(i);
    call->arguments.push_back(std::move(parameter));
  }
  return {std::move(call)};
}

}  // namespace

Result<std::optional<std::string>> SessionImpl::run_function_call(const FunctionCallMessage& message, RowSink& sink) {
  parts_.message().set_sink(&sink);
  parts_.begin_message({});
  if (parts_.block().state() == TransactionBlock::State::kFailed) return in_failed_block();
  INDIGO_TRY(parts_.begin_statement());
  INDIGO_ASSIGN(const FunctionPtr f, callable_function(parts_.session_catalog(), message.function));
  INDIGO_TRY(check_counts(message, *f));
  types::FuncContext& context = parts_.output_context();
  INDIGO_ASSIGN(const std::vector<Datum> arguments, read_arguments(context, message, *f));
  const bool null = std::any_of(arguments.begin(), arguments.end(), [](const Datum& d) { return d.null; });
  std::optional<std::string> result;
  if (!f->strict || !null) {
    INDIGO_ASSIGN(const std::vector<OwnedDatum> values, evaluate(parts_, call_of(*f), arguments));
    const Datum value = values.at(0).get();
    const types::TypeRef type{f->result, -1, kInvalidOid};
    if (!value.null) {
      result.emplace();
      if (message.result_format == Format::kText) {
        types::type_output(context, type, value, *result);
      } else {
        types::type_send(context, type, value, *result);
      }
      if (context.failed()) return *context.take_error();
    }
  }
  parts_.scope().end_statement();
  if (parts_.block().state() == TransactionBlock::State::kImplicit) INDIGO_TRY(parts_.block().commit());
  const MustNotFail scope;
  parts_.setting_effects().report_changes(sink);
  parts_.end_message();
  return result;
}

}  // namespace indigo::engine
