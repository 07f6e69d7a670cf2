// CREATE [OR REPLACE] FUNCTION and PROCEDURE, and ALTER of their clauses.
#include <algorithm>

#include "catalog/tables/system_table.h"
#include "engine/ddl/access/default_privileges.h"
#include "engine/ddl/extension/extension.h"
#include "engine/ddl/function/attributes.h"
#include "engine/ddl/function/body.h"
#include "engine/ddl/function/routine.h"
#include "engine/ddl/object/schema.h"
#include "engine/ddl/rows.h"
#include "engine/ddl/tree.h"
#include "sql/analyze/type/coerce.h"
#include "storage/transaction.h"
#include "types/value/acl.h"

namespace indigo::engine::ddl {

namespace {

using types::FunctionInfo;
using types::FunctionKind;

std::string kind_text(FunctionKind kind) {
  switch (kind) {
    case FunctionKind::kAggregate: return "an aggregate function";
    case FunctionKind::kProcedure: return "a procedure";
    case FunctionKind::kWindow: return "a window function";
    default: return "a function";
  }
}

// What CREATE OR REPLACE must leave as it was: callers have been analyzed with it.
Status check_replacement(DdlContext& c, const FunctionInfo& old, const RoutineSignature& now, FunctionKind kind) {
  INDIGO_TRY(check_owner(c, old.owner, old.kind == FunctionKind::kProcedure ? "procedure" : "function", old.name));
  if (old.kind != kind) {
    return Error(sqlstate::kWrongObjectType, "cannot change routine kind")
        .with_detail(quoted(old.name) + " is " + kind_text(old.kind) + ".");
  }
  const std::string hint = std::string("Use DROP ") + (kind == FunctionKind::kProcedure ? "PROCEDURE " : "FUNCTION ") +
                           routine_text(c, old) + " first.";
  if (old.result != now.result || old.returns_set != now.returns_set) {
    return invalid_definition(kind == FunctionKind::kProcedure
                                  ? "cannot change whether a procedure has output parameters"
                                  : "cannot change return type of existing function")
        .with_hint(std::string(hint));
  }
  if (now.result == oid::kRecord) {
    const auto outputs = [](const std::vector<Oid>& types, const std::vector<char>& modes,
                            const std::vector<std::string>& names) {
      std::vector<std::pair<Oid, std::string>> out;
      for (size_t i = 0; i < types.size() && i < modes.size(); i++) {
        if (modes[i] == 'o' || modes[i] == 'b' || modes[i] == 't')
          out.emplace_back(types[i], i < names.size() ? names[i] : std::string());
      }
      return out;
    };
    if (outputs(old.all_argument_types, old.argument_modes, old.argument_names) !=
        (now.plain() ? std::vector<std::pair<Oid, std::string>>() : outputs(now.all, now.modes, now.names))) {
      return invalid_definition("cannot change return type of existing function")
          .with_detail("Row type defined by OUT parameters is different.")
          .with_hint(std::string(hint));
    }
  }
  for (size_t i = 0, k = 0; i < now.names.size(); i++) {
    if (now.modes[i] == 'o' || now.modes[i] == 't') continue;
    const size_t before = old.argument_modes.empty() ? k : i;
    k++;
    if (before >= old.argument_names.size() || old.argument_names[before].empty()) continue;
    if (old.argument_names[before] != now.names[i]) {
      return invalid_definition("cannot change name of input parameter " + quoted(old.argument_names[before]))
          .with_hint(std::string(hint));
    }
  }
  if (now.defaults.size() < old.default_count) {
    return invalid_definition("cannot remove parameter defaults from existing function").with_hint(std::string(hint));
  }
  return {};
}

std::string joined(const std::vector<std::string>& texts) {
  std::string out;
  for (const std::string& text : texts) out += (out.empty() ? "" : ", ") + text;
  return out;
}

// The row's columns that CREATE decides, also when it replaces.
void fill(RowValues& row, const RoutineSignature& s, const RoutineAttributes& a, Oid language, bool native,
          FunctionKind kind, const RoutineBody& body) {
  row.oid(pg_proc::c_prolang, language)
      .f32(pg_proc::c_procost, a.cost.value_or(native ? 1.0f : 100.0f))
      .f32(pg_proc::c_prorows, s.returns_set ? a.rows.value_or(1000.0f) : 0.0f)
      .oid(pg_proc::c_provariadic, s.variadic)
      .oid(pg_proc::c_prosupport, a.support.value_or(kInvalidOid))
      .chr(pg_proc::c_prokind, static_cast<char>(kind))
      .flag(pg_proc::c_prosecdef, a.security_definer.value_or(false))
      .flag(pg_proc::c_proleakproof, a.leakproof.value_or(false))
      .flag(pg_proc::c_proisstrict, a.strict.value_or(false))
      .flag(pg_proc::c_proretset, s.returns_set)
      .chr(pg_proc::c_provolatile, a.volatility.value_or('v'))
      .chr(pg_proc::c_proparallel, a.parallel.value_or('u'))
      .i16(pg_proc::c_pronargs, static_cast<int16_t>(s.inputs.size()))
      .i16(pg_proc::c_pronargdefaults, static_cast<int16_t>(s.defaults.size()))
      .oid(pg_proc::c_prorettype, s.result)
      .oid_vector(pg_proc::c_proargtypes, s.inputs)
      .str(pg_proc::c_prosrc, body.source);
  for (const int c :
       {pg_proc::c_proallargtypes, pg_proc::c_proargmodes, pg_proc::c_proargnames, pg_proc::c_proargdefaults,
        pg_proc::c_protrftypes, pg_proc::c_probin, pg_proc::c_prosqlbody, pg_proc::c_proconfig})
    row.set_null(c);
  if (!s.plain()) {
    row.oids(pg_proc::c_proallargtypes, s.all);
    row.chars(pg_proc::c_proargmodes, s.modes);
  }
  if (s.named()) row.texts(pg_proc::c_proargnames, s.names);
  if (!s.defaults.empty()) row.str(pg_proc::c_proargdefaults, joined(s.defaults));
  if (!body.library.empty()) row.str(pg_proc::c_probin, body.library);
  if (body.statements) row.str(pg_proc::c_prosqlbody, *body.statements);
  const std::vector<std::string> settings = changed_settings({}, a.settings);
  if (!settings.empty()) row.texts(pg_proc::c_proconfig, settings);
}

Status record_dependencies(DdlContext& c, Oid oid, Oid schema, Oid language, const RoutineSignature& s,
                           const RoutineBody& body) {
  const Address self{pg_proc::kOid, oid, 0};
  INDIGO_TRY(record_dependency(c, self, {pg_namespace::kOid, schema, 0}, 'n'));
  INDIGO_TRY(record_dependency(c, self, {catalog::pg_language::kOid, language, 0}, 'n'));
  std::vector<Oid> types = s.all;
  types.push_back(s.result);
  for (const Oid type : types) INDIGO_TRY(record_dependency(c, self, {pg_type::kOid, type, 0}, 'n'));
  for (const Address& a : s.references) INDIGO_TRY(record_dependency(c, self, a, 'n'));
  for (const Address& a : body.references) {
    if (a.class_id != self.class_id || a.object != self.object) INDIGO_TRY(record_dependency(c, self, a, 'n'));
  }
  return {};
}

// Which pseudo-types a language's functions may take and return.
Status check_pseudo_types(DdlContext& c, const RoutineSignature& s, std::string_view language, FunctionKind kind) {
  if (language != "sql" && language != "plpgsql") return {};
  const std::string name = language == "sql" ? "SQL" : "PL/pgSQL";
  const auto pseudo = [&](Oid t) {
    const TypePtr info = c.catalog.type(t);
    return info != nullptr && info->kind == 'p' && !sql::is_polymorphic(t);
  };
  const bool trigger = language == "plpgsql" && (s.result == oid::kTrigger || s.result == oid::kEventTrigger);
  const auto refused = [&](const char* what, Oid t) {
    return Error(language == "sql" ? kInvalidFunctionDefinition : SqlState(sqlstate::kFeatureNotSupported),
                 name + " functions cannot " + what + " type " + type_text(c, {t, -1, kInvalidOid}));
  };
  if (pseudo(s.result) && s.result != oid::kVoid && s.result != oid::kRecord && !trigger)
    return refused("return", s.result);
  for (const Oid t : s.inputs) {
    if (pseudo(t) && !(language == "plpgsql" && t == oid::kRecord))
      return refused(language == "sql" ? "have arguments of" : "accept", t);
  }
  if (trigger && !s.inputs.empty() && kind == FunctionKind::kFunction) {
    if (s.result == oid::kEventTrigger)
      return invalid_definition("event trigger functions cannot have declared arguments");
    return invalid_definition("trigger functions cannot have declared arguments")
        .with_hint("The arguments of the trigger can be accessed through TG_NARGS and TG_ARGV instead.");
  }
  return {};
}

// A place in the body is a place in the statement, where the body's text stands there as it is.
Error in_statement(const DdlContext& c, Error error, const std::string& source) {
  const size_t at = c.text.find(source);
  if (error.internal_query != source || error.internal_position == 0 || source.empty() || at == std::string_view::npos)
    return error;
  error.position = position(c, static_cast<int>(at)) + error.internal_position - 1;
  error.internal_position = 0;
  error.internal_query.clear();
  error.where.clear();
  return error;
}

RoutinePtr existing_routine(DdlContext& c, Oid schema, std::string_view name, std::span<const Oid> inputs) {
  for (const RoutinePtr& f : c.catalog.functions_named(c.catalog.schema_name(schema), name)) {
    if (f->schema == schema && std::equal(f->arguments.begin(), f->arguments.end(), inputs.begin(), inputs.end()))
      return f;
  }
  return nullptr;
}

}  // namespace

Status execute_create_function(DdlContext& c, const PgQuery__CreateFunctionStmt& s) {
  const auto q = sql::qualified_name(nodes(s.n_funcname, s.funcname));
  INDIGO_ASSIGN(const Oid schema, creation_schema(c, nodes(s.n_funcname, s.funcname)));
  INDIGO_TRY(check_schema_privilege(c, schema, kPrivilegeCreate));
  INDIGO_ASSIGN(RoutineAttributes attributes, read_attributes(c, nodes(s.n_options, s.options), s.is_procedure));
  if (!attributes.language) {
    if (sql::absent(s.sql_body)) return invalid_definition("no language specified");
    attributes.language = "sql";
  }
  auto language = find_language(c, *attributes.language);
  if (!language.ok()) {
    auto error = language.take_error();
    if (error->state == sqlstate::kInsufficientPrivilege) return error;
    error->hint = "Use CREATE EXTENSION to load the language into the database.";
    if (*attributes.language != "plperl" && *attributes.language != "plpython3u" && *attributes.language != "pltcl")
      error->hint.clear();
    return error;
  }
  if (attributes.leakproof.value_or(false) && !c.catalog.is_superuser(c.catalog.user()))
    return Error(sqlstate::kInsufficientPrivilege, "only superuser can define a leakproof function");
  INDIGO_ASSIGN(const RoutineSignature signature, read_signature(c, s, *attributes.language));
  const FunctionKind kind = s.is_procedure                      ? FunctionKind::kProcedure
                            : attributes.window.value_or(false) ? FunctionKind::kWindow
                                                                : FunctionKind::kFunction;
  INDIGO_ASSIGN(const RoutineBody body, read_body(c, s, attributes, signature));
  if (attributes.rows && !signature.returns_set)
    return Error(sqlstate::kInvalidParameterValue, "ROWS is not applicable when function does not return a set");
  INDIGO_TRY(check_pseudo_types(c, signature, *attributes.language, kind));
  const std::string name = truncated_name(q.name);
  SystemTable& procs = table(c, pg_proc::kOid);
  const bool native = *attributes.language == "internal" || *attributes.language == "c";
  const RoutinePtr old = existing_routine(c, schema, name, signature.inputs);
  Oid oid = kInvalidOid;
  if (old != nullptr) {
    if (!s.replace) {
      return Error(sqlstate::kDuplicateFunction,
                   "function " + quoted(name) + " already exists with same argument types");
    }
    if (old->oid < oid::kFirstUserOid) return unsupported("replacing a built-in function");
    INDIGO_TRY(check_replacement(c, *old, signature, kind));
    oid = old->oid;
    INDIGO_TRY(update_row(c, pg_proc::kOid, {Datum::of_oid(oid)},
                          [&](RowValues& row) { fill(row, signature, attributes, *language, native, kind, body); }));
    INDIGO_TRY(remove_dependencies_of(c, {pg_proc::kOid, oid, 0}));
  } else {
    oid = next_oid(c);
    RowValues row(procs.definition());
    row.oid(pg_proc::c_oid, oid)
        .str(pg_proc::c_proname, name)
        .oid(pg_proc::c_pronamespace, schema)
        .oid(pg_proc::c_proowner, c.catalog.user());
    fill(row, signature, attributes, *language, native, kind, body);
    if (const auto acl = default_privileges(c, 'f', c.catalog.user(), schema))
      row.str(pg_proc::c_proacl, types::acl_array(*acl));
    INDIGO_TRY(check(procs.insert(c.txn, row)));
  }
  INDIGO_TRY(record_dependencies(c, oid, schema, *language, signature, body));
  if (attributes.support)
    INDIGO_TRY(record_dependency(c, {pg_proc::kOid, oid, 0}, {pg_proc::kOid, *attributes.support, 0}, 'n'));
  INDIGO_TRY(record_membership(c, {pg_proc::kOid, oid, 0}));
  // Nothing is made of a new function yet; of one in C or an internal one, types of users' own are.
  const bool part_of_types = old != nullptr && (native || old->language == "internal" || old->language == "c");
  if (part_of_types) {
    c.catalog.changed({kInvalidOid});
  } else {
    c.catalog.changed_function(oid, name);
  }
  c.txn.next_command();
  if (Status valid = c.host.validate_routine(oid); !valid.ok())
    return in_statement(c, std::move(*valid.take_error()), body.source);
  return {};
}

Status execute_alter_function(DdlContext& c, const PgQuery__AlterFunctionStmt& s) {
  INDIGO_ASSIGN(const RoutinePtr f, find_own_routine(c, s.objtype, *s.func));
  INDIGO_ASSIGN(const RoutineAttributes a,
                read_attributes(c, nodes(s.n_actions, s.actions), f->kind == FunctionKind::kProcedure));
  if (f->kind == FunctionKind::kAggregate)
    return Error(sqlstate::kWrongObjectType, quoted(f->name) + " is an aggregate function");
  if (a.rows && !f->returns_set)
    return Error(sqlstate::kInvalidParameterValue, "ROWS is not applicable when function does not return a set");
  if (a.leakproof.value_or(false) && !c.catalog.is_superuser(c.catalog.user()))
    return Error(sqlstate::kInsufficientPrivilege, "only superuser can define a leakproof function");
  Oid former_support = kInvalidOid;
  INDIGO_TRY(update_row(c, pg_proc::kOid, {Datum::of_oid(f->oid)}, [&](RowValues& row) {
    if (a.volatility) row.chr(pg_proc::c_provolatile, *a.volatility);
    if (a.parallel) row.chr(pg_proc::c_proparallel, *a.parallel);
    if (a.strict) row.flag(pg_proc::c_proisstrict, *a.strict);
    if (a.security_definer) row.flag(pg_proc::c_prosecdef, *a.security_definer);
    if (a.leakproof) row.flag(pg_proc::c_proleakproof, *a.leakproof);
    if (a.cost) row.f32(pg_proc::c_procost, *a.cost);
    if (a.rows) row.f32(pg_proc::c_prorows, *a.rows);
    if (a.support) {
      former_support = row.get(pg_proc::c_prosupport).oid();
      row.oid(pg_proc::c_prosupport, *a.support);
    }
    if (!a.settings.empty()) {
      const std::vector<std::string> settings = changed_settings(f->settings, a.settings);
      settings.empty() ? row.set_null(pg_proc::c_proconfig) : row.texts(pg_proc::c_proconfig, settings);
    }
  }));
  if (a.support) {
    const Address self{pg_proc::kOid, f->oid, 0};
    if (former_support != kInvalidOid) INDIGO_TRY(remove_dependency(c, self, {pg_proc::kOid, former_support, 0}));
    INDIGO_TRY(record_dependency(c, self, {pg_proc::kOid, *a.support, 0}, 'n'));
  }
  c.catalog.changed_function(f->oid, f->name);
  return {};
}

}  // namespace indigo::engine::ddl
