// ALTER OPERATOR FAMILY ... ADD and DROP.
#include "catalog/tables/system_table.h"
#include "engine/ddl/drop/remove_object.h"
#include "engine/ddl/object/schema.h"
#include "engine/ddl/operator/alter_operator_class.h"
#include "engine/ddl/operator/class_members.h"
#include "engine/ddl/operator/operator_class.h"
#include "engine/ddl/tree.h"

namespace indigo::engine::ddl {

namespace {

namespace pg_amop = catalog::pg_amop;
namespace pg_amproc = catalog::pg_amproc;

// The row of pg_amop or pg_amproc; kInvalidOid: the family has no such member.
Oid member_of(DdlContext& c, Oid family, bool is_function, int number, Oid left, Oid right) {
  Oid found = kInvalidOid;
  table(c, is_function ? pg_amproc::kOid : pg_amop::kOid).scan(c.txn, {}, [&](RowReader row) {
    const bool it =
        is_function ? row.oid(pg_amproc::c_amprocfamily) == family && row.i16(pg_amproc::c_amprocnum) == number &&
                          row.oid(pg_amproc::c_amproclefttype) == left && row.oid(pg_amproc::c_amprocrighttype) == right
                    : row.oid(pg_amop::c_amopfamily) == family && row.i16(pg_amop::c_amopstrategy) == number &&
                          row.oid(pg_amop::c_amoplefttype) == left && row.oid(pg_amop::c_amoprighttype) == right;
    if (it) found = row.oid(is_function ? int{pg_amproc::c_oid} : int{pg_amop::c_oid});
    return !it;
  });
  return found;
}

class FamilyChange {
 public:
  FamilyChange(DdlContext& c, Oid method, Oid family, std::string name)
      : c_(c), method_(method), family_(family), name_(std::move(name)) {}

  Status add(NodeList items) {
    ClassMembers members(c_, method_, kInvalidOid);
    for (const PgQuery__Node* n : items) INDIGO_TRY(members.add(*n->create_op_class_item));
    for (const bool functions : {false, true}) {
      for (const ClassMember& m : members.members()) {
        if (m.is_function != functions || member(m) == kInvalidOid) continue;
        return Error(sqlstate::kDuplicateObject, text(m) + " already exists in operator family " + quoted(name_));
      }
    }
    return insert_class_members(c_, method_, family_, {catalog::pg_opfamily::kOid, family_, 0}, members.members());
  }

  Status drop(NodeList items) {
    constexpr int kFunction = 2;
    std::vector<ClassMember> members;
    for (const PgQuery__Node* n : items) {
      const PgQuery__CreateOpClassItem& item = *n->create_op_class_item;
      ClassMember m{item.itemtype == kFunction, static_cast<int16_t>(item.number), kInvalidOid, kInvalidOid,
                    kInvalidOid};
      INDIGO_TRY(check_member_number(method_, m.is_function, item.number));
      INDIGO_TRY(read_member_types(c_, item, m.left, m.right));
      members.push_back(m);
    }
    for (const bool functions : {false, true}) {
      for (const ClassMember& m : members) {
        if (m.is_function != functions) continue;
        const Oid found = member(m);
        if (found == kInvalidOid) {
          return Error(sqlstate::kUndefinedObject, text(m) + " does not exist in operator family " + quoted(name_));
        }
        INDIGO_TRY(drop_objects(c_, {{m.is_function ? Oid{pg_amproc::kOid} : Oid{pg_amop::kOid}, found, 0}}, false));
      }
    }
    return {};
  }

 private:
  Oid member(const ClassMember& m) { return member_of(c_, family_, m.is_function, m.number, m.left, m.right); }
  std::string text(const ClassMember& m) { return member_text(c_, m.is_function, m.number, m.left, m.right); }

  DdlContext& c_;
  const Oid method_, family_;
  const std::string name_;
};

}  // namespace

Status execute_alter_operator_family(DdlContext& c, const PgQuery__AlterOpFamilyStmt& s) {
  INDIGO_ASSIGN(const Oid method, find_index_method(c, s.amname));
  const NodeList name = nodes(s.n_opfamilyname, s.opfamilyname);
  const auto q = sql::qualified_name(name);
  if (!q.schema.empty()) INDIGO_TRY(existing_schema(c, q.schema));
  INDIGO_TRY(check_schema_usage(c, q.schema));
  const Oid family = find_operator_group_named(c, true, method, q);
  if (family == kInvalidOid) {
    return Error(sqlstate::kUndefinedObject, "operator family " + quoted(sql::name_list_text(name)) +
                                                 " does not exist for access method " + quoted(s.amname));
  }
  if (!c.catalog.is_superuser(c.catalog.user()))
    return Error(sqlstate::kInsufficientPrivilege, "must be superuser to alter an operator family");
  FamilyChange change(c, method, family, sql::name_list_text(name));
  const NodeList items = nodes(s.n_items, s.items);
  INDIGO_TRY(s.is_drop ? change.drop(items) : change.add(items));
  c.catalog.changed({kInvalidOid});
  return {};
}

}  // namespace indigo::engine::ddl
