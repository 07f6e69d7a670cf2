#include "engine/ddl/access/default_privileges.h"

#include <algorithm>

#include "catalog/tables/system_table.h"
#include "engine/ddl/access/privilege_list.h"
#include "engine/ddl/rows.h"
#include "engine/ddl/tree.h"

namespace indigo::engine::ddl {

namespace {

namespace pg_default_acl = catalog::pg_default_acl;

struct Kind {
  char letter;
  uint32_t all;
  std::string_view name;
};

Result<Kind> kind_of(PgQuery__ObjectType type) {
  switch (type) {
    case PG_QUERY__OBJECT_TYPE__OBJECT_TABLE: return Kind{'r', types::kTablePrivileges, "relation"};
    case PG_QUERY__OBJECT_TYPE__OBJECT_SEQUENCE: return Kind{'S', types::kSequencePrivileges, "sequence"};
    case PG_QUERY__OBJECT_TYPE__OBJECT_FUNCTION:
    case PG_QUERY__OBJECT_TYPE__OBJECT_PROCEDURE:
    case PG_QUERY__OBJECT_TYPE__OBJECT_ROUTINE: return Kind{'f', types::kPrivilegeExecute, "function"};
    case PG_QUERY__OBJECT_TYPE__OBJECT_TYPE: return Kind{'T', types::kPrivilegeUsage, "type"};
    case PG_QUERY__OBJECT_TYPE__OBJECT_SCHEMA: return Kind{'n', types::kSchemaPrivileges, "schema"};
    default: return unsupported("ALTER DEFAULT PRIVILEGES for this kind of object");
  }
}

struct Found {
  Oid oid = kInvalidOid;
  types::Acl acl;
};
std::optional<Found> find(DdlContext& c, char kind, Oid owner, Oid schema) {
  std::optional<Found> out;
  table(c, pg_default_acl::kOid).scan(c.txn, {}, [&](RowReader row) {
    if (row.oid(pg_default_acl::c_defaclrole) != owner || row.oid(pg_default_acl::c_defaclnamespace) != schema ||
        row.chr(pg_default_acl::c_defaclobjtype) != kind) {
      return true;
    }
    out = Found{row.oid(pg_default_acl::c_oid), types::read_acl(row.str(pg_default_acl::c_defaclacl))};
    return false;
  });
  return out;
}

bool same(const types::Acl& a, const types::Acl& b) {
  const auto holds = [](const types::Acl& list, const types::AclItem& item) {
    return std::any_of(list.begin(), list.end(), [&](const types::AclItem& other) {
      return other.grantee == item.grantee && other.grantor == item.grantor && other.privileges == item.privileges &&
             other.options == item.options;
    });
  };
  return a.size() == b.size() && std::all_of(a.begin(), a.end(), [&](const auto& item) { return holds(b, item); });
}

// Of one role, in one schema or (kInvalidOid) everywhere. A list for everywhere replaces what objects have anyway, one of a
// schema adds to it.
Status change(DdlContext& c, const PgQuery__GrantStmt& s, const Kind& kind, Oid role, Oid schema,
              std::span<const Oid> grantees) {
  const types::Acl anyway = schema == kInvalidOid ? types::default_acl(kind.letter, role) : types::Acl();
  INDIGO_ASSIGN(const Wanted wanted, wanted_privileges(s, kind.all, kind.name));
  if (!wanted.columns.empty()) {
    return Error(sqlstate::kInvalidGrantOperation, "default privileges cannot be set for columns");
  }
  const std::optional<Found> found = find(c, kind.letter, role, schema);
  types::Acl acl = found ? found->acl : anyway;
  INDIGO_TRY(change_list(s, acl, role, role, wanted.privileges, grantees));
  SystemTable& t = table(c, pg_default_acl::kOid);
  if (same(acl, anyway)) return found ? check(t.erase(c.txn, {Datum::of_oid(found->oid)})) : Status();
  RowValues row(t.definition());
  row.oid(pg_default_acl::c_oid, found ? found->oid : next_oid(c))
      .oid(pg_default_acl::c_defaclrole, role)
      .oid(pg_default_acl::c_defaclnamespace, schema)
      .chr(pg_default_acl::c_defaclobjtype, kind.letter)
      .str(pg_default_acl::c_defaclacl, types::acl_array(acl));
  return check(found ? t.update(c.txn, row) : t.insert(c.txn, row));
}

}  // namespace

Status execute_alter_default_privileges(DdlContext& c, const PgQuery__AlterDefaultPrivilegesStmt& s) {
  const PgQuery__GrantStmt& action = *s.action;
  INDIGO_ASSIGN(const std::vector<Oid> grantees, grantees_of(c, action));
  std::vector<Oid> roles, schemas;
  for (const PgQuery__Node* node : nodes(s.n_options, s.options)) {
    const PgQuery__DefElem& option = *node->def_elem;
    const bool of_schemas = std::string_view(option.defname) == "schemas";
    for (const PgQuery__Node* item : nodes(option.arg->list->n_items, option.arg->list->items)) {
      if (of_schemas) {
        INDIGO_ASSIGN(const Oid schema, existing_schema(c, string_of(item)));
        schemas.push_back(schema);
        continue;
      }
      INDIGO_ASSIGN(const Oid role, resolve_role(c, item->role_spec));
      if (!c.catalog.has_role(c.catalog.user(), role)) {  // a member is enough, whatever it inherits
        return Error(sqlstate::kInsufficientPrivilege, "must be member of role " + quoted(c.catalog.role_name(role)));
      }
      roles.push_back(role);
    }
  }
  if (roles.empty()) roles.push_back(c.catalog.user());
  INDIGO_ASSIGN(const Kind kind, kind_of(action.objtype));
  if (kind.letter == 'n' && !schemas.empty()) {
    return Error(sqlstate::kInvalidGrantOperation, "cannot use IN SCHEMA clause when using GRANT/REVOKE ON SCHEMAS");
  }
  if (schemas.empty()) schemas.push_back(kInvalidOid);
  for (const Oid role : roles) {
    for (const Oid schema : schemas) INDIGO_TRY(change(c, action, kind, role, schema, grantees));
  }
  return {};
}

std::optional<types::Acl> default_privileges(DdlContext& c, char kind, Oid owner, Oid schema) {
  const std::optional<Found> everywhere = find(c, kind, owner, kInvalidOid);
  const std::optional<Found> here = schema == kInvalidOid ? std::nullopt : find(c, kind, owner, schema);
  if (!everywhere && !here) return std::nullopt;
  const types::Acl anyway = types::default_acl(kind, owner);
  types::Acl acl = everywhere ? everywhere->acl : anyway;
  for (const types::AclItem& added : here ? here->acl : types::Acl()) {
    const auto item = std::find_if(acl.begin(), acl.end(), [&](const types::AclItem& i) {
      return i.grantee == added.grantee && i.grantor == added.grantor;
    });
    if (item == acl.end()) {
      acl.push_back(added);
    } else {
      item->privileges |= added.privileges;
      item->options |= added.options;
    }
  }
  if (same(acl, anyway)) return std::nullopt;
  return acl;
}

Status forget_in_default_privileges(DdlContext& c, Oid role) {
  SystemTable& t = table(c, pg_default_acl::kOid);
  const auto to_role = [&](const types::AclItem& item) { return item.grantee == role; };
  std::vector<Oid> empty, shorter;
  t.scan(c.txn, {}, [&](RowReader row) {
    types::Acl acl = types::read_acl(row.str(pg_default_acl::c_defaclacl));
    const Oid owner = row.oid(pg_default_acl::c_defaclrole), oid = row.oid(pg_default_acl::c_oid);
    if (owner == role || std::erase_if(acl, to_role) == 0) return true;
    const bool everywhere = row.oid(pg_default_acl::c_defaclnamespace) == kInvalidOid;
    const bool nothing =
        same(acl, everywhere ? types::default_acl(row.chr(pg_default_acl::c_defaclobjtype), owner) : types::Acl());
    (nothing ? empty : shorter).push_back(oid);
    return true;
  });
  for (const Oid oid : empty) INDIGO_TRY(check(t.erase(c.txn, {Datum::of_oid(oid)})));
  for (const Oid oid : shorter) {
    INDIGO_TRY(update_row(c, pg_default_acl::kOid, {Datum::of_oid(oid)}, [&](RowValues& row) {
      types::Acl acl = types::read_acl(row.get(pg_default_acl::c_defaclacl).str);
      std::erase_if(acl, to_role);
      row.str(pg_default_acl::c_defaclacl, types::acl_array(acl));
    }));
  }
  return {};
}

Status forget_default_privileges(DdlContext& c, Oid role, Oid schema) {
  SystemTable& t = table(c, pg_default_acl::kOid);
  std::vector<Oid> gone;
  t.scan(c.txn, {}, [&](RowReader row) {
    const bool of_role = role != kInvalidOid && row.oid(pg_default_acl::c_defaclrole) == role;
    const bool of_schema = schema != kInvalidOid && row.oid(pg_default_acl::c_defaclnamespace) == schema;
    if (of_role || of_schema) gone.push_back(row.oid(pg_default_acl::c_oid));
    return true;
  });
  for (const Oid oid : gone) INDIGO_TRY(check(t.erase(c.txn, {Datum::of_oid(oid)})));
  return {};
}

}  // namespace indigo::engine::ddl
