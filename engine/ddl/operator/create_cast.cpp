// CREATE CAST, and casts by their types for DROP and COMMENT: rows of pg_cast.
#include "catalog/object_privileges.h"
#include "engine/ddl/extension/extension.h"
#include "engine/ddl/operator/definition.h"
#include "engine/ddl/rows.h"
#include "engine/ddl/tree.h"

namespace indigo::engine::ddl {

namespace {

namespace pg_cast = catalog::pg_cast;

Error invalid_cast(std::string message) { return Error(sqlstate::kInvalidObjectDefinition, std::move(message)); }

std::string name_of(DdlContext& c, Oid type) { return type_text(c, {type, -1, kInvalidOid}); }

// A notice about what is not there shows the type's name as the statement has it: int4, not integer.
std::string as_written(const PgQuery__Node* type) {
  const NodeList names = nodes(type->type_name->n_names, type->type_name->names);
  std::string out = sql::name_list_text(names);
  for (size_t i = 0; i < type->type_name->n_array_bounds; i++) out += "[]";
  return out;
}

bool owns_type(DdlContext& c, Oid type) {
  const Oid owner = catalog::read_object_acl(c.catalog, catalog::kTypeAcl, type).owner;
  return c.catalog.has_privileges_of(c.catalog.user(), owner);
}

Result<Oid> side(DdlContext& c, const PgQuery__TypeName* name) {
  auto type = resolve_type(c, name);
  if (type.ok()) return type->oid;
  auto error = type.take_error();
  error->position = 0;  // PostgreSQL does not say where
  return error;
}

Status check_cast_owner(DdlContext& c, Oid source, Oid target) {
  if (owns_type(c, source) || owns_type(c, target)) return {};
  return Error(sqlstate::kInsufficientPrivilege,
               "must be owner of type " + name_of(c, source) + " or type " + name_of(c, target));
}

Status check_cast_function(DdlContext& c, const types::FunctionInfo& f, Oid source, Oid target) {
  const auto& arguments = f.arguments;
  if (arguments.empty() || arguments.size() > 3) return invalid_cast("cast function must take one to three arguments");
  if (!is_binary_coercible(c, source, arguments[0]))
    return invalid_cast("argument of cast function must match or be binary-coercible from source data type");
  if (arguments.size() > 1 && arguments[1] != oid::kInt4)
    return invalid_cast("second argument of cast function must be type integer");
  if (arguments.size() > 2 && arguments[2] != oid::kBool)
    return invalid_cast("third argument of cast function must be type boolean");
  if (!is_binary_coercible(c, f.result, target))
    return invalid_cast("return data type of cast function must match or be binary-coercible to target data type");
  if (f.kind != types::FunctionKind::kFunction) return invalid_cast("cast function must be a normal function");
  if (f.returns_set) return invalid_cast("cast function must not return a set");
  return {};
}

// WITHOUT FUNCTION: the values must be alike.
Status check_binary_cast(DdlContext& c, const TypeInfo& source, const TypeInfo& target) {
  if (!c.catalog.is_superuser(c.catalog.user()))
    return Error(sqlstate::kInsufficientPrivilege, "must be superuser to create a cast WITHOUT FUNCTION");
  if (source.length != target.length || source.by_value != target.by_value || source.alignment != target.alignment)
    return invalid_cast("source and target data types are not physically compatible");
  const auto either = [&](auto&& test) { return test(source) || test(target); };
  if (either([](const TypeInfo& t) { return t.kind == 'c'; }))
    return invalid_cast("composite data types are not binary-compatible");
  if (either([](const TypeInfo& t) { return t.kind == 'e'; }))
    return invalid_cast("enum data types are not binary-compatible");
  if (either([](const TypeInfo& t) { return t.is_array(); }))
    return invalid_cast("array data types are not binary-compatible");
  if (either([](const TypeInfo& t) { return t.kind == 'd'; }))
    return invalid_cast("domain data types must not be marked binary-compatible");
  if (source.phys != target.phys)
    return unsupported("a cast WITHOUT FUNCTION between types that are stored differently");
  return {};
}

}  // namespace

Status execute_create_cast(DdlContext& c, const PgQuery__CreateCastStmt& s) {
  INDIGO_ASSIGN(const Oid source, side(c, s.sourcetype));
  INDIGO_ASSIGN(const Oid target, side(c, s.targettype));
  const TypePtr source_type = c.catalog.type(source), target_type = c.catalog.type(target);
  if (source_type->kind == 'p')
    return Error(sqlstate::kWrongObjectType, "source data type " + name_of(c, source) + " is a pseudo-type");
  if (target_type->kind == 'p')
    return Error(sqlstate::kWrongObjectType, "target data type " + name_of(c, target) + " is a pseudo-type");
  INDIGO_TRY(check_cast_owner(c, source, target));
  INDIGO_TRY(check_type_usage(c, source));
  INDIGO_TRY(check_type_usage(c, target));
  if (source_type->kind == 'd')
    warning(c, sqlstate::kWrongObjectType, "cast will be ignored because the source data type is a domain");
  else if (target_type->kind == 'd')
    warning(c, sqlstate::kWrongObjectType, "cast will be ignored because the target data type is a domain");
  RoutinePtr function;
  if (s.func != nullptr) {
    INDIGO_ASSIGN(function, find_routine(c, PG_QUERY__OBJECT_TYPE__OBJECT_FUNCTION, *s.func));
    INDIGO_TRY(check_may_execute(c, *function));
    INDIGO_TRY(check_cast_function(c, *function, source, target));
  } else if (!s.inout) {
    INDIGO_TRY(check_binary_cast(c, *source_type, *target_type));
  }
  if (source == target && (function == nullptr || function->arguments.size() < 2))
    return invalid_cast("source data type and target data type are the same");
  SystemTable& casts = table(c, pg_cast::kOid);
  bool known = false;
  casts.scan_index(c.txn, system_index::kCastTypes, {Datum::of_oid(source), Datum::of_oid(target)}, [&](RowReader) {
    known = true;
    return false;
  });
  if (known) {
    return Error(sqlstate::kDuplicateObject,
                 "cast from type " + name_of(c, source) + " to type " + name_of(c, target) + " already exists");
  }
  const char context = s.context == PG_QUERY__COERCION_CONTEXT__COERCION_IMPLICIT     ? 'i'
                       : s.context == PG_QUERY__COERCION_CONTEXT__COERCION_ASSIGNMENT ? 'a'
                                                                                      : 'e';
  const Oid oid = next_oid(c);
  RowValues row(casts.definition());
  row.oid(pg_cast::c_oid, oid)
      .oid(pg_cast::c_castsource, source)
      .oid(pg_cast::c_casttarget, target)
      .oid(pg_cast::c_castfunc, function == nullptr ? kInvalidOid : function->oid)
      .chr(pg_cast::c_castcontext, context)
      .chr(pg_cast::c_castmethod, function != nullptr ? 'f'
                                  : s.inout           ? 'i'
                                                      : 'b');
  INDIGO_TRY(check(casts.insert(c.txn, row)));
  const Address self{pg_cast::kOid, oid, 0};
  INDIGO_TRY(record_dependency(c, self, {pg_type::kOid, source, 0}, 'n'));
  INDIGO_TRY(record_dependency(c, self, {pg_type::kOid, target, 0}, 'n'));
  if (function != nullptr) INDIGO_TRY(record_dependency(c, self, {pg_proc::kOid, function->oid, 0}, 'n'));
  INDIGO_TRY(record_membership(c, self));
  c.catalog.changed({kInvalidOid});
  return {};
}

Result<std::optional<Address>> find_cast(DdlContext& c, NodeList types, bool missing_ok) {
  Oid sides[2] = {kInvalidOid, kInvalidOid};
  for (size_t i = 0; i < 2 && i < types.size(); i++) {
    auto type = side(c, types[i]->type_name);
    if (!type.ok()) {
      if (!missing_ok) return type.take_error();
      notice(c, type.error().message + ", skipping");
      return std::optional<Address>();
    }
    sides[i] = *type;
  }
  Oid found = kInvalidOid;
  table(c, pg_cast::kOid)
      .scan_index(c.txn, system_index::kCastTypes, {Datum::of_oid(sides[0]), Datum::of_oid(sides[1])},
                  [&](RowReader row) {
                    found = row.oid(pg_cast::c_oid);
                    return false;
                  });
  if (found == kInvalidOid) {
    if (!missing_ok) {
      return Error(sqlstate::kUndefinedObject,
                   "cast from type " + name_of(c, sides[0]) + " to type " + name_of(c, sides[1]) + " does not exist");
    }
    notice(c,
           "cast from type " + as_written(types[0]) + " to type " + as_written(types[1]) + " does not exist, skipping");
    return std::optional<Address>();
  }
  INDIGO_TRY(check_cast_owner(c, sides[0], sides[1]));
  return std::optional<Address>(Address{pg_cast::kOid, found, 0});
}

}  // namespace indigo::engine::ddl
