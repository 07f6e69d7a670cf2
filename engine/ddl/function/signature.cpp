#include "engine/ddl/function/signature.h"

#include <algorithm>

#include "engine/ddl/expression.h"
#include "engine/ddl/operator/base_type.h"
#include "engine/ddl/tree.h"
#include "engine/row_sink.h"
#include "types/function/limits.h"

namespace indigo::engine::ddl {

namespace {

char mode_letter(PgQuery__FunctionParameterMode mode) {
  switch (mode) {
    case PG_QUERY__FUNCTION_PARAMETER_MODE__FUNC_PARAM_OUT: return 'o';
    case PG_QUERY__FUNCTION_PARAMETER_MODE__FUNC_PARAM_INOUT: return 'b';
    case PG_QUERY__FUNCTION_PARAMETER_MODE__FUNC_PARAM_VARIADIC: return 'v';
    case PG_QUERY__FUNCTION_PARAMETER_MODE__FUNC_PARAM_TABLE: return 't';
    default: return 'i';
  }
}

// PostgreSQL tells a missing type without its place in the text.
Result<Oid> parameter_type(DdlContext& c, const PgQuery__TypeName* name, std::string_view language, bool quotes) {
  const auto q = sql::qualified_name(nodes(name->n_names, name->names));
  const TypePtr found = q.valid && !name->pct_type ? c.catalog.find_type(q.schema, q.name) : nullptr;
  if (found != nullptr && is_shell_type(*found) && name->n_array_bounds == 0) {
    const std::string text = sql::name_list_text(nodes(name->n_names, name->names));
    if (language == "sql")
      return invalid_definition(std::string("SQL function cannot ") + (quotes ? "return" : "accept") + " shell type " +
                                text);
    // An extension's definitions are quiet.
    if (c.extension == kInvalidOid) {
      notice(c, std::string(quotes ? "return" : "argument") + " type " + text + " is only a shell",
             sqlstate::kWrongObjectType);
    }
    return found->oid;
  }
  PgQuery__TypeName single = *name;
  single.setof = false;
  auto type = resolve_type(c, &single);
  if (type.ok()) {
    INDIGO_TRY(check_type_usage(c, type->oid));
    return type->oid;
  }
  if (type.error().state == sqlstate::kUndefinedObject && type.error().message.starts_with("type ")) {
    const std::string text =
        sql::name_list_text(nodes(name->n_names, name->names)) + (name->n_array_bounds > 0 ? "[]" : "");
    return Error(sqlstate::kUndefinedObject, "type " + (quotes ? quoted(text) : text) + " does not exist");
  }
  Error error = std::move(*type.take_error());
  error.position = 0;
  return error;
}

// What input functions in C return may be defined behind them, around them.
Result<Oid> shell_to_return(DdlContext& c, const PgQuery__TypeName& name) {
  const NodeList parts = nodes(name.n_names, name.names);
  const std::string text = sql::name_list_text(parts) + (name.n_array_bounds > 0 ? "[]" : "");
  if (name.n_typmods > 0)
    return Error(sqlstate::kSyntaxError, "type modifier cannot be specified for shell type " + quoted(text));
  if (c.extension == kInvalidOid) {
    c.host.notice(Severity::kNotice, Error(sqlstate::kUndefinedObject, "type " + quoted(text) + " is not yet defined")
                                         .with_detail("Creating a shell type definition."));
  }
  return create_shell_type(c, parts);
}

Result<Oid> variadic_element(DdlContext& c, Oid type) {
  switch (type) {
    case oid::kAny: return Oid{oid::kAny};
    case oid::kAnyArray: return Oid{oid::kAnyElement};
    case oid::kAnyCompatibleArray: return Oid{oid::kAnyCompatible};
    default: break;
  }
  const TypePtr info = c.catalog.type(type);
  if (info != nullptr && info->is_array()) return info->element;
  return invalid_definition("VARIADIC parameter must be an array");
}

bool is_input(char mode) { return mode == 'i' || mode == 'b' || mode == 'v'; }

class Reader {
 public:
  Reader(DdlContext& c, const PgQuery__CreateFunctionStmt& s, std::string_view language)
      : c_(c), s_(s), language_(language) {}

  Result<RoutineSignature> read() {
    for (const PgQuery__Node* n : nodes(s_.n_parameters, s_.parameters)) INDIGO_TRY(parameter(*n->function_parameter));
    if (out_.inputs.size() > types::kMaxArguments)
      return Error(types::kTooManyArguments, "functions cannot have more than 100 arguments");
    INDIGO_TRY(result());
    INDIGO_TRY(check_polymorphic());
    return std::move(out_);
  }

 private:
  Status parameter(const PgQuery__FunctionParameter& p) {
    const char mode = mode_letter(p.mode);
    INDIGO_ASSIGN(const Oid type, parameter_type(c_, p.arg_type, language_, false));
    if (p.arg_type->setof) {
      return invalid_definition(s_.is_procedure ? "procedures cannot accept set arguments"
                                                : "functions cannot accept set arguments");
    }
    if (is_input(mode)) {
      if (out_.variadic != kInvalidOid)
        return invalid_definition("VARIADIC parameter must be the last input parameter");
      out_.inputs.push_back(type);
    }
    if (mode == 'o' || mode == 'b' || mode == 't') {
      if (s_.is_procedure) {
        // After a VARIADIC parameter or one with a default it would be unclear which argument is meant.
        if (mode == 'o' && out_.variadic != kInvalidOid)
          return invalid_definition("VARIADIC parameter must be the last parameter");
        if (mode == 'o' && !out_.defaults.empty())
          return invalid_definition("procedure OUT parameters cannot appear after one with a default value");
        required_ = oid::kRecord;
      } else if (outputs_ == 0) {
        required_ = type;
      }
      outputs_++;
    }
    if (mode == 'v') {
      INDIGO_ASSIGN(out_.variadic, variadic_element(c_, type));
    }
    const std::string name = sql::has_text(p.name) ? std::string(p.name) : std::string();
    if (!name.empty()) INDIGO_TRY(check_name(name, mode));
    if (!absent(p.defexpr)) {
      if (!is_input(mode)) return invalid_definition("only input parameters can have default values");
      INDIGO_TRY(add_default(p.defexpr, type));
    } else if (is_input(mode) && !out_.defaults.empty()) {
      return invalid_definition("input parameters after one with a default value must also have defaults");
    }
    out_.all.push_back(type);
    out_.modes.push_back(mode);
    out_.names.push_back(name);
    return {};
  }

  static bool absent(const PgQuery__Node* n) { return sql::absent(n); }

  // An input and an output parameter may share a name, two of a kind may not.
  Status check_name(const std::string& name, char mode) {
    for (size_t i = 0; i < out_.names.size(); i++) {
      if (out_.names[i] != name) continue;
      const char other = out_.modes[i];
      const bool pure_in = mode == 'i' || mode == 'v', pure_out = mode == 'o' || mode == 't';
      const bool other_in = other == 'i' || other == 'v', other_out = other == 'o' || other == 't';
      if ((pure_in && other_out) || (pure_out && other_in)) continue;
      return invalid_definition("parameter name " + quoted(name) + " used more than once");
    }
    return {};
  }

  Status add_default(const PgQuery__Node* node, Oid type) {
    auto e = store_expression(c_, node, ExpressionUse::kDefault, nullptr, {type, -1, kInvalidOid});
    if (!e.ok()) {
      auto error = e.take_error();
      if (error->message == "cannot use column reference in DEFAULT expression")
        return Error(sqlstate::kInvalidColumnReference, "cannot use table references in parameter default value")
            .at(error->position);
      return error;
    }
    out_.defaults.push_back(e->tree);
    out_.references.insert(out_.references.end(), e->references.begin(), e->references.end());
    return {};
  }

  Status result() {
    if (outputs_ > 1) required_ = oid::kRecord;
    const bool table = std::find(out_.modes.begin(), out_.modes.end(), 't') != out_.modes.end();
    if (s_.is_procedure) {
      out_.result = required_ != kInvalidOid ? required_ : Oid{oid::kVoid};
      return {};
    }
    if (table) {  // RETURNS TABLE: the grammar gives SETOF of what it makes of the columns
      out_.result = required_;
      out_.returns_set = true;
      return {};
    }
    if (s_.return_type != nullptr) {
      INDIGO_ASSIGN(out_.result, returned_type());
      out_.returns_set = s_.return_type->setof;
      if (required_ != kInvalidOid && required_ != out_.result)
        return invalid_definition("function result type must be " + type_text(c_, {required_, -1, kInvalidOid}) +
                                  " because of OUT parameters");
      return {};
    }
    if (required_ == kInvalidOid) return invalid_definition("function result type must be specified");
    out_.result = required_;
    return {};
  }

  Result<Oid> returned_type() {
    const PgQuery__TypeName& name = *s_.return_type;
    const auto q = sql::qualified_name(nodes(name.n_names, name.names));
    const bool native = language_ == "internal" || language_ == "c";
    if (native && q.valid && !name.pct_type && c_.catalog.find_type(q.schema, q.name) == nullptr &&
        (q.schema.empty() || c_.catalog.schema_named(q.schema) != kInvalidOid))
      return shell_to_return(c_, name);
    return parameter_type(c_, s_.return_type, language_, true);
  }

  bool has_input(std::initializer_list<Oid> types) const {
    return std::any_of(out_.inputs.begin(), out_.inputs.end(),
                       [&](Oid t) { return std::find(types.begin(), types.end(), t) != types.end(); });
  }

  Status check_polymorphic() {
    INDIGO_TRY(check_polymorphic(out_.result));
    for (size_t i = 0; i < out_.all.size(); i++) {
      if (!is_input(out_.modes[i])) INDIGO_TRY(check_polymorphic(out_.all[i]));
    }
    return {};
  }

  Status check_polymorphic(Oid type) {
    const std::string name = type_text(c_, {type, -1, kInvalidOid});
    const auto refuse = [&](const std::string& needs) {
      return invalid_definition("cannot determine result data type")
          .with_detail("A result of type " + name + " requires at least one input of type " + needs + ".");
    };
    switch (type) {
      case oid::kAnyRange:
      case oid::kAnyMultirange:
        if (!has_input({oid::kAnyRange, oid::kAnyMultirange})) return refuse("anyrange or anymultirange");
        break;
      case oid::kAnyElement:
      case oid::kAnyArray:
      case oid::kAnyNonArray:
      case oid::kAnyEnum:
        if (!has_input({oid::kAnyElement, oid::kAnyArray, oid::kAnyNonArray, oid::kAnyEnum, oid::kAnyRange,
                        oid::kAnyMultirange}))
          return refuse("anyelement, anyarray, anynonarray, anyenum, anyrange, or anymultirange");
        break;
      case oid::kAnyCompatibleRange:
      case oid::kAnyCompatibleMultirange:
        if (!has_input({oid::kAnyCompatibleRange, oid::kAnyCompatibleMultirange}))
          return refuse("anycompatiblerange or anycompatiblemultirange");
        break;
      case oid::kAnyCompatible:
      case oid::kAnyCompatibleArray:
      case oid::kAnyCompatibleNonArray:
        if (!has_input({oid::kAnyCompatible, oid::kAnyCompatibleArray, oid::kAnyCompatibleNonArray,
                        oid::kAnyCompatibleRange, oid::kAnyCompatibleMultirange}))
          return refuse(
              "anycompatible, anycompatiblearray, anycompatiblenonarray, anycompatiblerange, or "
              "anycompatiblemultirange");
        break;
      case oid::kInternal:
        if (!has_input({oid::kInternal}))
          return invalid_definition("unsafe use of pseudo-type \"internal\"")
              .with_detail("A result of type internal requires at least one input of type internal.");
        break;
      default: break;
    }
    return {};
  }

  DdlContext& c_;
  const PgQuery__CreateFunctionStmt& s_;
  const std::string_view language_;
  RoutineSignature out_;
  Oid required_ = kInvalidOid;
  int outputs_ = 0;
};

}  // namespace

bool RoutineSignature::plain() const {
  return std::all_of(modes.begin(), modes.end(), [](char mode) { return mode == 'i'; });
}

bool RoutineSignature::named() const {
  return std::any_of(names.begin(), names.end(), [](const std::string& name) { return !name.empty(); });
}

Result<RoutineSignature> read_signature(DdlContext& c, const PgQuery__CreateFunctionStmt& s,
                                        std::string_view language) {
  return Reader(c, s, language).read();
}

std::string routine_text(DdlContext& c, const types::FunctionInfo& f) {
  bool visible = false;
  for (const auto& found : c.catalog.functions_named("", f.name)) visible = visible || found->oid == f.oid;
  std::string out = visible ? identifier(f.name) : qualified(c.catalog.schema_name(f.schema), f.name);
  out += "(";
  for (size_t i = 0; i < f.arguments.size(); i++) {
    if (i > 0) out += ",";
    out += type_text(c, {f.arguments[i], -1, kInvalidOid});
  }
  return out + ")";
}

}  // namespace indigo::engine::ddl
