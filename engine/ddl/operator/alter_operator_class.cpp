#include "engine/ddl/operator/alter_operator_class.h"

#include <functional>
#include <optional>
#include <string>

#include "base/sqlstate.h"
#include "catalog/tables/system_table.h"
#include "engine/ddl/drop/dependency.h"
#include "engine/ddl/object/schema.h"
#include "engine/ddl/operator/operator_class.h"
#include "engine/ddl/rows.h"
#include "engine/ddl/table/alter_table.h"
#include "engine/ddl/tree.h"

namespace indigo::engine::ddl {

namespace {

namespace pg_opclass = catalog::pg_opclass;
namespace pg_opfamily = catalog::pg_opfamily;

// An operator class or family.
struct Group {
  Oid class_id, oid, schema, method, owner;
  std::string name;
  int owner_column, name_column, schema_column;
};

Result<Group> own_group(DdlContext& c, NodeList name, bool family, Right right = Right::kOwner) {
  INDIGO_ASSIGN(const std::optional<Address> found, find_operator_group(c, name, family, false, right));
  Group out{found->class_id,
            found->object,
            kInvalidOid,
            kInvalidOid,
            kInvalidOid,
            {},
            family ? int{pg_opfamily::c_opfowner} : int{pg_opclass::c_opcowner},
            family ? int{pg_opfamily::c_opfname} : int{pg_opclass::c_opcname},
            family ? int{pg_opfamily::c_opfnamespace} : int{pg_opclass::c_opcnamespace}};
  std::string image;
  const SystemTable& t = table(c, out.class_id);
  if (!t.find_oid(c.txn, out.oid, image)) return gone_error();
  const RowReader row = t.reader(image);
  out.schema = row.oid(out.schema_column);
  out.owner = row.oid(out.owner_column);
  out.method = row.oid(family ? int{pg_opfamily::c_opfmethod} : int{pg_opclass::c_opcmethod});
  out.name = row.str(out.name_column);
  return out;
}

Status check_name_free(DdlContext& c, const Group& g, bool family, std::string_view name, Oid schema) {
  bool taken = false;
  std::string method;
  table(c, g.class_id).scan(c.txn, {}, [&](RowReader row) {
    taken = row.oid(family ? int{pg_opfamily::c_opfmethod} : int{pg_opclass::c_opcmethod}) == g.method &&
            row.oid(g.schema_column) == schema && row.str(g.name_column) == name;
    return !taken;
  });
  if (!taken) return {};
  std::string image;
  const SystemTable& methods = table(c, catalog::pg_am::kOid);
  if (methods.find_oid(c.txn, g.method, image)) method = methods.reader(image).str(catalog::pg_am::c_amname);
  return Error(sqlstate::kDuplicateObject, std::string(family ? "operator family " : "operator class ") + quoted(name) +
                                               " for access method " + quoted(method) + " already exists in schema " +
                                               quoted(c.catalog.schema_name(schema)));
}

Status update(DdlContext& c, const Group& g, const std::function<void(RowValues&)>& change) {
  INDIGO_TRY(update_row(c, g.class_id, {Datum::of_oid(g.oid)}, change));
  c.catalog.changed({kInvalidOid});
  return {};
}

}  // namespace

Status change_operator_group_owner(DdlContext& c, NodeList name, bool family, Oid owner) {
  INDIGO_ASSIGN(const Group g, own_group(c, name, family, Right::kNobody));
  if (g.owner == owner) return {};
  INDIGO_TRY(own_group(c, name, family));
  INDIGO_TRY(check_new_owner(c, owner, g.schema));
  return update(c, g, [&](RowValues& v) { v.oid(g.owner_column, owner); });
}

Status rename_operator_group(DdlContext& c, NodeList name, bool family, std::string_view to) {
  INDIGO_ASSIGN(const Group g, own_group(c, name, family));
  INDIGO_TRY(check_schema_privilege(c, g.schema, kPrivilegeCreate));
  INDIGO_TRY(check_name_free(c, g, family, to, g.schema));
  return update(c, g, [&](RowValues& v) { v.str(g.name_column, to); });
}

Status move_operator_group(DdlContext& c, NodeList name, bool family, std::string_view new_schema) {
  INDIGO_TRY(own_group(c, name, family, Right::kNobody));
  INDIGO_ASSIGN(const Oid schema, schema_to_move_to(c, new_schema));
  INDIGO_ASSIGN(const Group g, own_group(c, name, family));
  INDIGO_TRY(check_may_move(c, g.schema, schema));
  if (g.schema == schema) return {};
  INDIGO_TRY(check_name_free(c, g, family, g.name, schema));
  INDIGO_TRY(change_dependency(c, {g.class_id, g.oid, 0}, {catalog::pg_namespace::kOid, g.schema, 0},
                               {catalog::pg_namespace::kOid, schema, 0}));
  return update(c, g, [&](RowValues& v) { v.oid(g.schema_column, schema); });
}

}  // namespace indigo::engine::ddl
