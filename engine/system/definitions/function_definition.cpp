// Functions as CREATE FUNCTION says them.
#include <algorithm>
#include <cmath>

#include "engine/settings/identifier_list.h"
#include "engine/system/catalog_rows.h"
#include "engine/system/definitions/builtin_bodies.h"
#include "engine/system/definitions/expression_text.h"
#include "sql/stored/routine_body.h"
#include "sql/stored/stored_tree.h"

namespace indigo::engine {

namespace {

using namespace catalog;  // NOLINT(google-build-using-namespace): the column numbers
using FunctionPtr = std::shared_ptr<const FunctionInfo>;

char mode_of(const FunctionInfo& f, size_t argument) {
  if (argument < f.argument_modes.size()) return f.argument_modes[argument];
  return f.variadic != kInvalidOid && argument + 1 == f.arguments.size() ? 'v' : 'i';
}

// Built-in functions keep the text itself.
std::string default_text(SessionParts& session, const std::string& kept) {
  return sql::is_stored_tree(kept) ? expression_text(session, kept, nullptr, false) : kept;
}

std::string arguments_text(SessionParts& session, const FunctionInfo& f, bool table_columns, bool defaults) {
  NameContext names(session);
  const std::vector<Oid>& types = f.all_argument_types.empty() ? f.arguments : f.all_argument_types;
  size_t ordered_from = types.size();  // ordered-set aggregates: the arguments after ORDER BY
  bool repeat_variadic = false;
  if (const AggregateInfo* aggregate = session.session_catalog().aggregate(f.oid);
      aggregate != nullptr && aggregate->kind != 'n') {
    ordered_from = static_cast<size_t>(aggregate->direct_arguments);
    // One VARIADIC stands for the direct and the ordered arguments.
    repeat_variadic = f.variadic != kInvalidOid && ordered_from == types.size();
  }
  const auto argument = [&](size_t i) {
    std::string out;
    switch (mode_of(f, i)) {
      case 'o': out = "OUT "; break;
      case 'b': out = "INOUT "; break;
      case 'v': out = "VARIADIC "; break;
      case 'i': out = f.kind == FunctionKind::kProcedure ? "IN " : ""; break;
      default: break;
    }
    if (i < f.argument_names.size() && !f.argument_names[i].empty())
      out += types::quote_identifier(f.argument_names[i]) + " ";
    return out + types::format_type(names.context, types[i]);
  };
  std::string out;
  size_t input = 0;
  for (size_t i = 0; i < types.size(); i++) {
    const char mode = mode_of(f, i);
    const bool is_input = mode == 'i' || mode == 'b' || mode == 'v';
    if (is_input) input++;
    if ((mode == 't') != table_columns) continue;
    if (i == ordered_from) {
      out += out.empty() ? "ORDER BY " : " ORDER BY ";
    } else if (!out.empty()) {
      out += ", ";
    }
    out += argument(i);
    const size_t first_default = f.arguments.size() - f.default_count;
    if (defaults && is_input && input > first_default && input - first_default <= f.defaults.size())
      out += " DEFAULT " + default_text(session, f.defaults[input - first_default - 1]);
  }
  if (repeat_variadic && !types.empty()) out += " ORDER BY " + argument(types.size() - 1);
  return out;
}

std::string result_text(SessionParts& session, const FunctionInfo& f) {
  NameContext names(session);
  for (const char mode : f.argument_modes)
    if (mode == 't') return "TABLE(" + arguments_text(session, f, true, false) + ")";
  return (f.returns_set ? "SETOF " : "") + types::format_type(names.context, f.result);
}

template <std::optional<std::string> (*kText)(SessionParts&, const FunctionInfo&)>
Result<OwnedDatum> of_function(SessionParts& session, std::span<const Datum> arguments) {
  const FunctionPtr f = session.session_catalog().function(arguments[0].oid());
  return f == nullptr ? text_null() : text_or_null(kText(session, *f));
}
std::optional<std::string> all_arguments(SessionParts& session, const FunctionInfo& f) {
  return arguments_text(session, f, false, true);
}
std::optional<std::string> identity_arguments(SessionParts& session, const FunctionInfo& f) {
  return arguments_text(session, f, false, false);
}
std::optional<std::string> result(SessionParts& session, const FunctionInfo& f) {
  if (f.kind == FunctionKind::kProcedure) return std::nullopt;
  return result_text(session, f);
}
Result<OwnedDatum> statements(SessionParts& session, std::span<const Datum> arguments) {
  const FunctionPtr f = session.session_catalog().function(arguments[0].oid());
  if (f == nullptr) return text_null();
  if (const auto body = builtin_body(f->oid); !body.empty()) return text_value(std::string(body));
  if (f->statements.empty()) return text_null();
  INDIGO_ASSIGN(std::string text, sql::print_routine_body(session.context(), f->statements, *f));
  return text_value(std::move(text));
}

Result<OwnedDatum> argument_default(SessionParts& session, std::span<const Datum> arguments) {
  const FunctionPtr f = session.session_catalog().function(arguments[0].oid());
  if (f == nullptr) return text_null();
  // The number counts all arguments; defaults belong to the last inputs.
  size_t input = 0;
  const auto number = static_cast<size_t>(arguments[1].i32);
  const size_t count = std::max(f->arguments.size(), f->all_argument_types.size());
  if (arguments[1].i32 < 1 || number > count) return text_null();
  for (size_t i = 0; i < number; i++) {
    const char mode = mode_of(*f, i);
    if (mode == 'i' || mode == 'b' || mode == 'v') input++;
    if (i + 1 == number && mode != 'i' && mode != 'b' && mode != 'v') return text_null();
  }
  const size_t first_default = f->arguments.size() - f->default_count;
  if (input <= first_default || input - first_default > f->defaults.size()) return text_null();
  return text_value(default_text(session, f->defaults[input - first_default - 1]));
}

std::string number_text(float value) {
  const auto whole = static_cast<int64_t>(value);
  return std::to_string(whole);
}

// The properties on one line, each after a blank.
std::string properties(const RowReader& row, const FunctionInfo& f) {
  std::string out;
  if (f.kind == FunctionKind::kWindow) out += " WINDOW";
  if (f.volatility == Volatility::kImmutable) out += " IMMUTABLE";
  if (f.volatility == Volatility::kStable) out += " STABLE";
  switch (row.chr(pg_proc::c_proparallel)) {
    case 's': out += " PARALLEL SAFE"; break;
    case 'r': out += " PARALLEL RESTRICTED"; break;
    default: break;
  }
  if (f.strict) out += " STRICT";
  if (row.flag(pg_proc::c_prosecdef)) out += " SECURITY DEFINER";
  if (row.flag(pg_proc::c_proleakproof)) out += " LEAKPROOF";
  const bool native = f.language == "internal" || f.language == "c";
  if (row.f32(pg_proc::c_procost) != (native ? 1.0f : 100.0f))
    out += " COST " + number_text(row.f32(pg_proc::c_procost));
  const float rows = row.f32(pg_proc::c_prorows);
  if (rows > 0 && rows != 1000.0f) out += " ROWS " + number_text(rows);
  return out;
}

std::string quoted_literal(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') out += '\'';
    out += c;
  }
  return out + "'";
}

// " SET name TO 'value'" of an entry of proconfig; lists keep their elements apart.
std::string setting_text(const std::string& line) {
  const size_t at = line.find('=');
  const std::string name = line.substr(0, at), value = line.substr(at + 1);
  std::string out = " SET " + types::quote_identifier(name) + " TO ";
  const auto elements = name == "search_path" || name == "temp_tablespaces" || name == "session_preload_libraries"
                            ? split_identifier_list(value)
                            : std::nullopt;
  if (!elements) return out + quoted_literal(value);
  for (size_t i = 0; i < elements->size(); i++) out += (i > 0 ? ", " : "") + quoted_literal((*elements)[i]);
  return out;
}

Result<OwnedDatum> function_definition(SessionParts& session, std::span<const Datum> arguments) {
  const FunctionPtr f = session.session_catalog().function(arguments[0].oid());
  if (f == nullptr) return text_null();
  if (f->kind == FunctionKind::kAggregate)
    return Error(sqlstate::kWrongObjectType, "\"" + f->name + "\" is an aggregate function");
  const bool procedure = f->kind == FunctionKind::kProcedure;
  auto& catalog = session.session_catalog();
  const std::string schema =
      f->schema == catalog.temp_schema() ? "pg_temp" : types::quote_identifier(catalog.schema_name(f->schema));
  std::string out = std::string("CREATE OR REPLACE ") + (procedure ? "PROCEDURE " : "FUNCTION ") + schema + "." +
                    types::quote_identifier(f->name) + "(" + arguments_text(session, *f, false, true) + ")\n";
  if (!procedure) out += " RETURNS " + result_text(session, *f) + "\n";
  out += " LANGUAGE " + types::quote_identifier(f->language) + "\n";
  std::string support;
  CatalogRows(session).find(pg_proc::kOid, f->oid, [&](RowReader row) {
    support = properties(row, *f);
    if (const Oid planner = row.oid(pg_proc::c_prosupport); planner != kInvalidOid) {
      if (const auto s = session.session_catalog().function(planner)) {
        const auto found = session.session_catalog().functions_named("", s->name);
        const bool visible = std::any_of(found.begin(), found.end(), [&](const auto& g) { return g->oid == s->oid; });
        support += " SUPPORT " +
                   (visible ? "" : types::quote_identifier(session.session_catalog().schema_name(s->schema)) + ".") +
                   types::quote_identifier(s->name);
      }
    }
  });
  if (!support.empty()) out += support + "\n";
  for (const std::string& line : f->settings) out += setting_text(line) + "\n";
  if (const auto body = builtin_body(f->oid); !body.empty()) return text_value(out + std::string(body) + "\n");
  if (!f->statements.empty()) {
    INDIGO_ASSIGN(const std::string body, sql::print_routine_body(session.context(), f->statements, *f));
    return text_value(out + body + "\n");
  }
  std::string tag = procedure ? "$procedure" : "$function";
  while (f->source.find(tag + "$") != std::string::npos) tag += "x";
  const std::string module = f->library.empty() ? "" : types::quote_literal(f->library) + ", ";
  return text_value(out + "AS " + module + tag + "$" + f->source + tag + "$\n");
}

constexpr SystemValue kFunctionDefinitionValues[] = {
    {"pg_get_function_arguments", of_function<all_arguments>},
    {"pg_get_function_identity_arguments", of_function<identity_arguments>},
    {"pg_get_function_result", of_function<result>},
    {"pg_get_function_sqlbody", statements},
    {"pg_get_function_arg_default", argument_default},
    {"pg_get_functiondef", function_definition},
};

}  // namespace

std::span<const SystemValue> function_definition_values() { return kFunctionDefinitionValues; }

}  // namespace indigo::engine
