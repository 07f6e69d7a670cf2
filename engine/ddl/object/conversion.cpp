#include "engine/ddl/object/conversion.h"

#include "catalog/tables/system_table.h"
#include "engine/ddl/extension/extension.h"
#include "engine/ddl/hold.h"
#include "engine/ddl/object/schema.h"
#include "engine/ddl/operator/definition.h"
#include "engine/ddl/rows.h"
#include "engine/ddl/table/alter_table.h"
#include "engine/ddl/tree.h"
#include "types/text/encodings.h"

namespace indigo::engine::ddl {

namespace {

namespace pg_conversion = catalog::pg_conversion;

Oid conversion_in(DdlContext& c, Oid schema, std::string_view name) {
  Oid found = kInvalidOid;
  table(c, pg_conversion::kOid).scan(c.txn, {}, [&](RowReader row) {
    if (row.oid(pg_conversion::c_connamespace) == schema && row.str(pg_conversion::c_conname) == name)
      found = row.oid(pg_conversion::c_oid);
    return found == kInvalidOid;
  });
  return found;
}

Oid conversion_named(DdlContext& c, const sql::QualifiedName& q) {
  if (!q.schema.empty()) return conversion_in(c, c.catalog.schema_named(q.schema), q.name);
  for (const Oid schema : c.catalog.search_path()) {
    if (const Oid found = conversion_in(c, schema, q.name); found != kInvalidOid) return found;
  }
  return kInvalidOid;
}

struct Conversion {
  std::string name;
  Oid schema = kInvalidOid, owner = kInvalidOid;
};
Conversion read_conversion(DdlContext& c, Oid oid) {
  std::string image;
  const SystemTable& t = table(c, pg_conversion::kOid);
  if (!t.find_oid(c.txn, oid, image)) return {};
  const RowReader row = t.reader(image);
  return {std::string(row.str(pg_conversion::c_conname)), row.oid(pg_conversion::c_connamespace),
          row.oid(pg_conversion::c_conowner)};
}

Result<int32_t> encoding(const char* name, const char* side) {
  const int32_t number = types::encoding_number(name);
  if (number >= 0) return number;
  return Error(sqlstate::kUndefinedObject, std::string(side) + " encoding " + quoted(name) + " does not exist");
}

// A function converts the pairs that built-in conversions have it for.
Status check_converts(DdlContext& c, Oid function, int32_t from, int32_t to) {
  bool known = false, fits = false;
  int32_t source = from, destination = to;
  table(c, pg_conversion::kOid).scan(c.txn, {}, [&](RowReader row) {
    if (row.oid(pg_conversion::c_conproc) != function || row.oid(pg_conversion::c_oid) >= oid::kFirstUserOid)
      return true;
    known = true;
    source = row.i32(pg_conversion::c_conforencoding);
    destination = row.i32(pg_conversion::c_contoencoding);
    fits = source == from && destination == to;
    return !fits;
  });
  if (fits || !known) return {};
  const bool wrong_source = source != from;
  return Error(sqlstate::kInternalError, std::string("expected ") + (wrong_source ? "source" : "destination") +
                                             " encoding " +
                                             quoted(types::encoding_name(wrong_source ? source : destination)) +
                                             ", but got " + quoted(types::encoding_name(wrong_source ? from : to)));
}

Status check_name_in_schema(DdlContext& c, std::string_view name, Oid schema) {
  if (conversion_in(c, schema, name) == kInvalidOid) return {};
  return Error(sqlstate::kDuplicateObject,
               "conversion " + quoted(name) + " already exists in schema " + quoted(c.catalog.schema_name(schema)));
}

}  // namespace

Status execute_create_conversion(DdlContext& c, const PgQuery__CreateConversionStmt& s) {
  const auto q = sql::qualified_name(nodes(s.n_conversion_name, s.conversion_name));
  INDIGO_ASSIGN(const Oid schema, creation_schema(c, nodes(s.n_conversion_name, s.conversion_name)));
  INDIGO_TRY(check_schema_privilege(c, schema, kPrivilegeCreate));
  INDIGO_ASSIGN(const int32_t from, encoding(s.for_encoding_name, "source"));
  INDIGO_ASSIGN(const int32_t to, encoding(s.to_encoding_name, "destination"));
  constexpr int32_t kSqlAscii = 0;
  if (from == kSqlAscii || to == kSqlAscii) {
    return Error(sqlstate::kInvalidObjectDefinition, "encoding conversion to or from \"SQL_ASCII\" is not supported");
  }
  const NodeList function_name = nodes(s.n_func_name, s.func_name);
  const Oid arguments[] = {oid::kInt4, oid::kInt4, oid::kCstring, oid::kInternal, oid::kInt4, oid::kBool};
  INDIGO_ASSIGN(const RoutinePtr function, find_exact_function(c, function_name, arguments));
  if (function->result != oid::kInt4) {
    return Error(sqlstate::kInvalidObjectDefinition,
                 "encoding conversion function " + sql::name_list_text(function_name) + " must return type integer");
  }
  INDIGO_TRY(check_may_execute(c, *function));
  INDIGO_TRY(check_converts(c, function->oid, from, to));
  const std::string name = truncated_name(q.name);
  if (conversion_in(c, schema, name) != kInvalidOid)
    return Error(sqlstate::kDuplicateObject, "conversion " + quoted(name) + " already exists");
  SystemTable& t = table(c, pg_conversion::kOid);
  bool taken = false;
  t.scan(c.txn, {}, [&](RowReader row) {
    taken = s.def && row.flag(pg_conversion::c_condefault) && row.oid(pg_conversion::c_connamespace) == schema &&
            row.i32(pg_conversion::c_conforencoding) == from && row.i32(pg_conversion::c_contoencoding) == to;
    return !taken;
  });
  if (taken) {
    return Error(sqlstate::kDuplicateObject, "default conversion for " + types::encoding_name(from) + " to " +
                                                 types::encoding_name(to) + " already exists");
  }
  const Oid oid = next_oid(c);
  RowValues row(t.definition());
  row.oid(pg_conversion::c_oid, oid)
      .str(pg_conversion::c_conname, name)
      .oid(pg_conversion::c_connamespace, schema)
      .oid(pg_conversion::c_conowner, c.catalog.user())
      .i32(pg_conversion::c_conforencoding, from)
      .i32(pg_conversion::c_contoencoding, to)
      .oid(pg_conversion::c_conproc, function->oid)
      .flag(pg_conversion::c_condefault, s.def);
  INDIGO_TRY(check(t.insert(c.txn, row)));
  const Address self{pg_conversion::kOid, oid, 0};
  INDIGO_TRY(record_dependency(c, self, {pg_proc::kOid, function->oid, 0}, 'n'));
  INDIGO_TRY(record_dependency(c, self, {pg_namespace::kOid, schema, 0}, 'n'));
  c.catalog.changed({kInvalidOid});
  return record_membership(c, self);
}

Result<std::optional<Address>> find_own_conversion(DdlContext& c, NodeList name, bool missing_ok, Right right) {
  const auto q = sql::qualified_name(name);
  if (!q.schema.empty() && c.catalog.schema_named(q.schema) == kInvalidOid) {
    if (!missing_ok) return existing_schema(c, q.schema).take_error();
    notice(c, "schema " + quoted(q.schema) + " does not exist, skipping");
    return std::optional<Address>();
  }
  INDIGO_TRY(check_schema_usage(c, q.schema));
  const Oid found = q.valid ? conversion_named(c, q) : kInvalidOid;
  if (found == kInvalidOid) {
    const std::string message = "conversion " + quoted(sql::name_list_text(name)) + " does not exist";
    if (!missing_ok) return Error(sqlstate::kUndefinedObject, message);
    notice(c, message + ", skipping");
    return std::optional<Address>();
  }
  const Conversion conversion = read_conversion(c, found);
  INDIGO_TRY(check_right(c, right, conversion.schema, conversion.owner, "conversion", sql::name_list_text(name)));
  return std::optional<Address>(Address{pg_conversion::kOid, found, 0});
}

Result<std::optional<Address>> find_dropped_conversion(DdlContext& c, NodeList name, bool missing_ok) {
  INDIGO_ASSIGN(const auto found, find_own_conversion(c, name, missing_ok, Right::kOwnerOrSchemaOwner));
  if (found && is_pinned(*found)) {
    return Error(sqlstate::kDependentObjectsStillExist, "cannot drop conversion " + conversion_text(c, found->object) +
                                                            " because it is required by the database system");
  }
  return found;
}

Status rename_conversion(DdlContext& c, NodeList name, std::string_view wanted) {
  INDIGO_ASSIGN(const auto found, find_own_conversion(c, name, false));
  const std::string to = truncated_name(wanted);
  const Conversion conversion = read_conversion(c, found->object);
  INDIGO_TRY(check_name_in_schema(c, to, conversion.schema));
  INDIGO_TRY(check_schema_privilege(c, conversion.schema, kPrivilegeCreate));
  return update_row(c, pg_conversion::kOid, {Datum::of_oid(found->object)},
                    [&](RowValues& v) { v.str(pg_conversion::c_conname, to); });
}

Status move_conversion(DdlContext& c, NodeList name, std::string_view new_schema) {
  INDIGO_TRY(find_own_conversion(c, name, false, Right::kNobody));
  INDIGO_ASSIGN(const Oid schema, schema_to_move_to(c, new_schema));
  INDIGO_ASSIGN(const auto found, find_own_conversion(c, name, false));
  const Conversion conversion = read_conversion(c, found->object);
  INDIGO_TRY(check_may_move(c, conversion.schema, schema));
  if (conversion.schema == schema) return {};
  INDIGO_TRY(check_name_in_schema(c, conversion.name, schema));
  INDIGO_TRY(change_dependency(c, *found, {pg_namespace::kOid, conversion.schema, 0}, {pg_namespace::kOid, schema, 0}));
  return update_row(c, pg_conversion::kOid, {Datum::of_oid(found->object)},
                    [&](RowValues& v) { v.oid(pg_conversion::c_connamespace, schema); });
}

Status change_conversion_owner(DdlContext& c, NodeList name, Oid owner) {
  INDIGO_ASSIGN(const auto found, find_own_conversion(c, name, false, Right::kNobody));
  const Conversion conversion = read_conversion(c, found->object);
  if (conversion.owner == owner) return {};
  INDIGO_TRY(find_own_conversion(c, name, false));
  INDIGO_TRY(check_new_owner(c, owner, conversion.schema));
  return update_row(c, pg_conversion::kOid, {Datum::of_oid(found->object)},
                    [&](RowValues& v) { v.oid(pg_conversion::c_conowner, owner); });
}

std::string conversion_text(DdlContext& c, Oid oid) {
  const Conversion conversion = read_conversion(c, oid);
  sql::QualifiedName q;
  q.name = conversion.name;
  return conversion_named(c, q) == oid ? identifier(conversion.name)
                                       : qualified(c.catalog.schema_name(conversion.schema), conversion.name);
}

}  // namespace indigo::engine::ddl
