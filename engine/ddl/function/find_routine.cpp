// Routines by name: DROP, ALTER, COMMENT and GRANT.
#include <algorithm>

#include "catalog/object_privileges.h"
#include "catalog/tables/system_table.h"
#include "engine/ddl/function/routine.h"
#include "engine/ddl/object/schema.h"
#include "engine/ddl/operator/base_type.h"
#include "engine/ddl/rows.h"
#include "engine/ddl/table/alter_table.h"
#include "engine/ddl/tree.h"

namespace indigo::engine::ddl {

namespace {

using types::FunctionInfo;
using types::FunctionKind;

std::string_view kind_word(PgQuery__ObjectType type) {
  switch (type) {
    case PG_QUERY__OBJECT_TYPE__OBJECT_PROCEDURE: return "procedure";
    case PG_QUERY__OBJECT_TYPE__OBJECT_AGGREGATE: return "aggregate";
    case PG_QUERY__OBJECT_TYPE__OBJECT_ROUTINE: return "routine";
    default: return "function";
  }
}

bool fits(const FunctionInfo& f, PgQuery__ObjectType type) {
  switch (type) {
    case PG_QUERY__OBJECT_TYPE__OBJECT_PROCEDURE: return f.kind == FunctionKind::kProcedure;
    case PG_QUERY__OBJECT_TYPE__OBJECT_AGGREGATE: return f.kind == FunctionKind::kAggregate;
    case PG_QUERY__OBJECT_TYPE__OBJECT_ROUTINE: return true;
    default: return f.kind != FunctionKind::kProcedure;  // aggregates are told apart by the caller
  }
}

bool is_plain_function(const FunctionInfo& f, PgQuery__ObjectType type) {
  return type != PG_QUERY__OBJECT_TYPE__OBJECT_FUNCTION || f.kind != FunctionKind::kAggregate;
}

// The types as the statement names them. A procedure may be named with its OUT arguments, too.
Result<std::vector<Oid>> argument_types(DdlContext& c, NodeList arguments) {
  std::vector<Oid> out;
  for (const PgQuery__Node* n : arguments) {
    if (!is(n, PG_QUERY__NODE__NODE_TYPE_NAME)) {  // an aggregate's *
      continue;
    }
    const auto q = sql::qualified_name(nodes(n->type_name->n_names, n->type_name->names));
    const TypePtr shell = q.valid ? c.catalog.find_type(q.schema, q.name) : nullptr;
    if (shell != nullptr && is_shell_type(*shell)) {
      out.push_back(shell->oid);
      continue;
    }
    auto type = resolve_type(c, n->type_name);
    if (!type.ok()) {
      auto error = type.take_error();
      error->position = 0;
      return error;
    }
    out.push_back(type->oid);
  }
  return out;
}

std::string call_text(DdlContext& c, const std::string& name, std::span<const Oid> types) {
  std::string out = name + "(";
  for (size_t i = 0; i < types.size(); i++) {
    if (i > 0) out += ", ";
    out += type_text(c, {types[i], -1, kInvalidOid});
  }
  return out + ")";
}

// f(integer, text) as a notice of DROP IF EXISTS writes it: PostgreSQL's internal names.
std::string as_written(const std::string& name, NodeList arguments) {
  std::string out = name + "(";
  for (size_t i = 0; i < arguments.size(); i++) {
    if (i > 0) out += ",";
    const PgQuery__TypeName& type = *arguments[i]->type_name;
    out += sql::name_list_text(nodes(type.n_names, type.names));
    if (type.n_array_bounds > 0) out += "[]";
  }
  return out + ")";
}

std::vector<Oid> with_outputs(const FunctionInfo& f) {
  if (f.all_argument_types.empty()) return f.arguments;  // there are none
  std::vector<Oid> out;
  for (size_t i = 0; i < f.all_argument_types.size(); i++) {
    if (i < f.argument_modes.size() && f.argument_modes[i] == 't') continue;
    out.push_back(f.all_argument_types[i]);
  }
  return out;
}

}  // namespace

bool is_routine(PgQuery__ObjectType type) {
  return type == PG_QUERY__OBJECT_TYPE__OBJECT_FUNCTION || type == PG_QUERY__OBJECT_TYPE__OBJECT_PROCEDURE ||
         type == PG_QUERY__OBJECT_TYPE__OBJECT_ROUTINE || type == PG_QUERY__OBJECT_TYPE__OBJECT_AGGREGATE;
}

Result<RoutinePtr> find_routine(DdlContext& c, PgQuery__ObjectType type, const PgQuery__ObjectWithArgs& object,
                                bool missing_ok) {
  const NodeList parts = nodes(object.n_objname, object.objname);
  const auto q = sql::qualified_name(parts);
  const std::string name = sql::name_list_text(parts), word(kind_word(type));
  const std::string missing_word = type == PG_QUERY__OBJECT_TYPE__OBJECT_ROUTINE ? "function" : word;
  if (!q.valid) return Error(sqlstate::kSyntaxError, "improper qualified name (too many dotted names): " + name);
  if (!q.schema.empty() && c.catalog.schema_named(q.schema) == kInvalidOid) {
    const std::string message = "schema " + quoted(q.schema) + " does not exist";
    if (!missing_ok) return Error(sqlstate::kInvalidSchemaName, message);
    notice(c, message + ", skipping");
    return RoutinePtr();
  }
  std::vector<RoutinePtr> candidates = c.catalog.functions_named(q.schema, q.name);
  if (object.args_unspecified) {
    // The first schema of the path that has the name hides the others.
    std::erase_if(candidates, [&](const RoutinePtr& f) { return !fits(*f, type); });
    if (candidates.empty()) {
      const std::string message = "could not find a " + missing_word + " named " + quoted(name);
      if (!missing_ok) return Error(sqlstate::kUndefinedFunction, message);
      notice(c, word + " " + name + "() does not exist, skipping");
      return RoutinePtr();
    }
    if (candidates.size() > 1) {
      return Error(sqlstate::kAmbiguousFunction, word + " name " + quoted(name) + " is not unique")
          .with_hint("Specify the argument list to select the " + word + " unambiguously.");
    }
    if (!is_plain_function(*candidates[0], type))
      return Error(sqlstate::kWrongObjectType, "function " + routine_text(c, *candidates[0]) + " is an aggregate");
    return candidates[0];
  }
  const NodeList arguments = nodes(object.n_objargs, object.objargs);
  auto resolved = argument_types(c, arguments);
  if (!resolved.ok()) {
    if (!missing_ok) return resolved.take_error();
    notice(c, resolved.error().message + ", skipping");
    return RoutinePtr();
  }
  const std::vector<Oid>& types = *resolved;
  // A procedure's types without modes may be those of all its parameters, too.
  const NodeList parameters = nodes(object.n_objfuncargs, object.objfuncargs);
  const bool all_parameters = std::all_of(parameters.begin(), parameters.end(), [](const PgQuery__Node* n) {
    return n->function_parameter->mode == PG_QUERY__FUNCTION_PARAMETER_MODE__FUNC_PARAM_DEFAULT;
  });
  RoutinePtr other, by_inputs, by_all;
  for (const RoutinePtr& f : candidates) {
    const bool inputs = f->arguments == types;
    const bool all = all_parameters && f->kind == FunctionKind::kProcedure && with_outputs(*f) == types;
    if (!inputs && !all) continue;
    if (!fits(*f, type) || !is_plain_function(*f, type)) {
      other = f;
      continue;
    }
    if (inputs && by_inputs == nullptr) by_inputs = f;
    if (all && by_all == nullptr) by_all = f;
  }
  if (by_inputs != nullptr && by_all != nullptr && by_inputs != by_all)
    return Error(sqlstate::kAmbiguousFunction, word + " name " + quoted(name) + " is not unique");
  if (by_inputs != nullptr || by_all != nullptr) return by_inputs != nullptr ? by_inputs : by_all;
  const bool any = type == PG_QUERY__OBJECT_TYPE__OBJECT_AGGREGATE && types.empty();
  const std::string text = any ? name + "(*)" : call_text(c, name, types);
  if (other != nullptr) {
    if (type == PG_QUERY__OBJECT_TYPE__OBJECT_FUNCTION && other->kind == FunctionKind::kAggregate)
      return Error(sqlstate::kWrongObjectType, quoted(other->name) + " is an aggregate function")
          .with_hint("Use DROP AGGREGATE to drop aggregate functions.");
    return Error(sqlstate::kWrongObjectType, type == PG_QUERY__OBJECT_TYPE__OBJECT_AGGREGATE
                                                 ? "function " + text + " is not an aggregate"
                                                 : text + " is not a " + word);
  }
  if (!missing_ok) return Error(sqlstate::kUndefinedFunction, missing_word + " " + text + " does not exist");
  notice(c, word + " " + as_written(name, arguments) + " does not exist, skipping");
  return RoutinePtr();
}

Result<RoutinePtr> find_own_routine(DdlContext& c, PgQuery__ObjectType type, const PgQuery__ObjectWithArgs& object,
                                    bool missing_ok, Right right) {
  INDIGO_ASSIGN(RoutinePtr f, find_routine(c, type, object, missing_ok));
  if (f == nullptr) return f;
  const std::string_view word = f->kind == FunctionKind::kProcedure   ? "procedure"
                                : f->kind == FunctionKind::kAggregate ? "aggregate"
                                                                      : "function";
  INDIGO_TRY(check_right(c, right, f->schema, f->owner, word, f->name));
  return f;
}

Result<std::optional<Address>> find_dropped_routine(DdlContext& c, PgQuery__ObjectType type,
                                                    const PgQuery__ObjectWithArgs& name, bool missing_ok) {
  INDIGO_ASSIGN(const RoutinePtr f, find_own_routine(c, type, name, missing_ok, Right::kOwnerOrSchemaOwner));
  if (f == nullptr) return std::optional<Address>();
  if (f->oid < oid::kFirstUserOid) {
    return Error(sqlstate::kDependentObjectsStillExist,
                 "cannot drop function " + routine_text(c, *f) + " because it is required by the database system");
  }
  return std::optional<Address>(Address{pg_proc::kOid, f->oid, 0});
}

namespace {

// Who renames or moves what is another's is told of a function, whatever it is.
Result<RoutinePtr> find_altered_routine(DdlContext& c, PgQuery__ObjectType type,
                                        const PgQuery__ObjectWithArgs& object) {
  INDIGO_ASSIGN(RoutinePtr f, find_routine(c, type, object, false));
  INDIGO_TRY(check_owner(c, f->owner, "function", f->name));
  return f;
}

}  // namespace

Status check_routine_name_free(DdlContext& c, std::string_view name, std::span<const Oid> inputs, Oid schema) {
  const std::string where = c.catalog.schema_name(schema);
  for (const RoutinePtr& f : c.catalog.functions_named(where, name)) {
    if (!std::equal(f->arguments.begin(), f->arguments.end(), inputs.begin(), inputs.end())) continue;
    return Error(sqlstate::kDuplicateFunction,
                 "function " + call_text(c, std::string(name), inputs) + " already exists in schema " + quoted(where));
  }
  return {};
}

Status rename_routine(DdlContext& c, PgQuery__ObjectType type, const PgQuery__ObjectWithArgs& object,
                      std::string_view to) {
  INDIGO_ASSIGN(const RoutinePtr f, find_altered_routine(c, type, object));
  INDIGO_TRY(check_schema_privilege(c, f->schema, kPrivilegeCreate));
  const std::string name = truncated_name(to);
  INDIGO_TRY(check_routine_name_free(c, name, f->arguments, f->schema));
  INDIGO_TRY(
      update_row(c, pg_proc::kOid, {Datum::of_oid(f->oid)}, [&](RowValues& v) { v.str(pg_proc::c_proname, name); }));
  c.catalog.changed({kInvalidOid});
  return {};
}

Status move_routine(DdlContext& c, PgQuery__ObjectType type, const PgQuery__ObjectWithArgs& object, Oid schema) {
  INDIGO_ASSIGN(const RoutinePtr f, find_altered_routine(c, type, object));
  INDIGO_TRY(check_may_move(c, f->schema, schema));
  if (schema == f->schema) return {};
  INDIGO_TRY(check_routine_name_free(c, f->name, f->arguments, schema));
  INDIGO_TRY(update_row(c, pg_proc::kOid, {Datum::of_oid(f->oid)},
                        [&](RowValues& v) { v.oid(pg_proc::c_pronamespace, schema); }));
  INDIGO_TRY(change_dependency(c, {pg_proc::kOid, f->oid, 0}, {pg_namespace::kOid, f->schema, 0},
                               {pg_namespace::kOid, schema, 0}));
  c.catalog.changed({kInvalidOid});
  return {};
}

Status change_routine_owner(DdlContext& c, PgQuery__ObjectType type, const PgQuery__ObjectWithArgs& object, Oid owner) {
  INDIGO_ASSIGN(const RoutinePtr f, find_routine(c, type, object, false));
  if (f->owner == owner) return {};
  INDIGO_TRY(check_owner(c, f->owner, "function", f->name));
  INDIGO_TRY(check_new_owner(c, owner, f->schema));
  INDIGO_TRY(update_row(c, pg_proc::kOid, {Datum::of_oid(f->oid)}, [&](RowValues& v) {
    v.oid(pg_proc::c_proowner, owner);
    pass_on(v, pg_proc::c_proacl, f->owner, owner);
  }));
  c.catalog.changed({kInvalidOid});
  return {};
}

Result<Oid> find_language(DdlContext& c, std::string_view name) {
  Oid found = kInvalidOid;
  bool trusted = false;
  table(c, catalog::pg_language::kOid).scan(c.txn, {}, [&](RowReader row) {
    if (row.str(catalog::pg_language::c_lanname) != name) return true;
    found = row.oid(catalog::pg_language::c_oid);
    trusted = row.flag(catalog::pg_language::c_lanpltrusted);
    return false;
  });
  if (found == kInvalidOid) return Error(sqlstate::kUndefinedObject, "language " + quoted(name) + " does not exist");
  if (found >= oid::kFirstUserOid) return unsupported("a function in a language of users' own");
  const Oid user = c.catalog.user();
  const uint32_t held = catalog::object_privileges(c.catalog, catalog::kLanguageAcl, found, user);
  const bool may = trusted ? (held & types::kPrivilegeUsage) != 0 : c.catalog.is_superuser(user);
  if (!may) return Error(sqlstate::kInsufficientPrivilege, "permission denied for language " + std::string(name));
  return found;
}

}  // namespace indigo::engine::ddl
