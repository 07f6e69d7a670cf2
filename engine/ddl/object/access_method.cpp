#include "engine/ddl/object/access_method.h"

#include "catalog/access_method.h"
#include "catalog/tables/system_table.h"
#include "engine/ddl/extension/extension.h"
#include "engine/ddl/hold.h"
#include "engine/ddl/operator/definition.h"
#include "engine/ddl/rows.h"
#include "engine/ddl/tree.h"

namespace indigo::engine::ddl {

namespace {

namespace pg_am = catalog::pg_am;

struct Method {
  Oid oid = kInvalidOid;
  char type = 0;
};
Method method_named(DdlContext& c, std::string_view name) {
  Method found;
  table(c, pg_am::kOid).scan(c.txn, {}, [&](RowReader row) {
    if (row.str(pg_am::c_amname) == name) found = {row.oid(pg_am::c_oid), row.chr(pg_am::c_amtype)};
    return found.oid == kInvalidOid;
  });
  return found;
}

Error no_such_method(std::string_view name) {
  return {sqlstate::kUndefinedObject, "access method " + quoted(name) + " does not exist"};
}

}  // namespace

Status execute_create_access_method(DdlContext& c, const PgQuery__CreateAmStmt& s) {
  const std::string name = truncated_name(s.amname);
  if (!c.catalog.is_superuser(c.catalog.user())) {
    return Error(sqlstate::kInsufficientPrivilege, "permission denied to create access method " + quoted(name))
        .with_hint("Must be superuser to create an access method.");
  }
  if (method_named(c, name).oid != kInvalidOid)
    return Error(sqlstate::kDuplicateObject, "access method " + quoted(name) + " already exists");
  const char type = s.amtype[0];
  constexpr Oid kTableHandler = 269, kIndexHandler = 325;
  const NodeList handler_name = nodes(s.n_handler_name, s.handler_name);
  const Oid arguments[] = {oid::kInternal};
  INDIGO_ASSIGN(const RoutinePtr handler, find_exact_function(c, handler_name, arguments));
  if (handler->result != (type == 't' ? kTableHandler : kIndexHandler)) {
    return Error(sqlstate::kWrongObjectType, "function " + sql::name_list_text(handler_name) + " must return type " +
                                                 (type == 't' ? "table_am_handler" : "index_am_handler"));
  }
  SystemTable& t = table(c, pg_am::kOid);
  // A structure of ours has its own number.
  const catalog::AccessMethod* known =
      type == 'i' && handler->oid >= oid::kFirstUserOid ? catalog::access_method_of_handler(handler->name) : nullptr;
  const Oid oid = known != nullptr ? known->oid : next_oid(c);
  std::string image;
  if (known != nullptr && t.find_oid(c.txn, oid, image))
    return unsupported("a second access method with the handler " + quoted(handler->name));
  RowValues row(t.definition());
  row.oid(pg_am::c_oid, oid)
      .str(pg_am::c_amname, name)
      .oid(pg_am::c_amhandler, handler->oid)
      .chr(pg_am::c_amtype, type);
  INDIGO_TRY(check(t.insert(c.txn, row)));
  const Address self{pg_am::kOid, oid, 0};
  INDIGO_TRY(record_dependency(c, self, {pg_proc::kOid, handler->oid, 0}, 'n'));
  c.catalog.changed({kInvalidOid});
  return record_membership(c, self);
}

Result<Address> find_own_access_method(DdlContext& c, std::string_view name) {
  const Method found = method_named(c, name);
  if (found.oid == kInvalidOid) return no_such_method(name);
  if (!c.catalog.is_superuser(c.catalog.user())) return Error(sqlstate::kInsufficientPrivilege, "must be superuser");
  return Address{pg_am::kOid, found.oid, 0};
}

Result<std::optional<Address>> find_dropped_access_method(DdlContext& c, std::string_view name, bool missing_ok) {
  if (missing_ok && method_named(c, name).oid == kInvalidOid) {
    notice(c, no_such_method(name).message + ", skipping");
    return std::optional<Address>();
  }
  INDIGO_ASSIGN(const Address found, find_own_access_method(c, name));
  if (is_pinned(found)) {
    return Error(sqlstate::kDependentObjectsStillExist,
                 "cannot drop access method " + std::string(name) + " because it is required by the database system");
  }
  return std::optional<Address>(found);
}

Result<Oid> new_table_method(DdlContext& c, std::string_view name) {
  std::string set;
  if (name.empty() && c.host.session().setting("default_table_access_method", set)) name = set;
  if (name.empty() || name == "heap") return kHeapMethod;
  const Method found = method_named(c, name);
  if (found.oid == kInvalidOid) return no_such_method(name);
  if (found.type != 't')
    return Error(sqlstate::kObjectNotInPrerequisiteState, "access method " + quoted(name) + " is not of type TABLE");
  return found.oid;
}

Status record_table_method(DdlContext& c, Oid relation, Oid method) {
  if (method == kHeapMethod) return {};
  return record_dependency(c, {pg_class::kOid, relation, 0}, {pg_am::kOid, method, 0}, 'n');
}

Status set_table_method(DdlContext& c, const RelationInfo& relation, std::string_view name) {
  if (relation.is_partitioned())
    return Error(sqlstate::kWrongObjectType, "cannot change access method of a partitioned table");
  INDIGO_ASSIGN(const Oid method, new_table_method(c, name));
  std::string image;
  const SystemTable& classes = table(c, pg_class::kOid);
  if (!classes.find_oid(c.txn, relation.oid, image)) return {};
  const Oid before = classes.reader(image).oid(pg_class::c_relam);
  if (before == method) return {};
  INDIGO_TRY(update_class(c, relation.oid, [&](RowValues& v) { v.oid(pg_class::c_relam, method); }));
  if (before != kHeapMethod)
    INDIGO_TRY(remove_dependency(c, {pg_class::kOid, relation.oid, 0}, {pg_am::kOid, before, 0}));
  c.catalog.changed({relation.oid});
  return record_table_method(c, relation.oid, method);
}

}  // namespace indigo::engine::ddl
