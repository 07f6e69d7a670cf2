// GRANT and REVOKE on what is in no schema: languages, large objects, tablespaces, foreign-data wrappers and servers, parameters.
#include <algorithm>

#include "catalog/object_privileges.h"
#include "catalog/tables/system_table.h"
#include "engine/ddl/access/grant_target.h"
#include "engine/ddl/access/privilege_list.h"
#include "engine/ddl/foreign/foreign_object.h"
#include "engine/ddl/object/large_object.h"
#include "engine/ddl/tree.h"
#include "engine/settings/setting_table.h"
#include "types/text/ascii.h"

namespace indigo::engine::ddl {

namespace pg_language = catalog::pg_language;
namespace pg_tablespace = catalog::pg_tablespace;
namespace pg_parameter_acl = catalog::pg_parameter_acl;

namespace {

Result<Target> language_target(DdlContext& c, const PgQuery__Node* node) {
  const std::string name(string_of(node));
  Oid found = kInvalidOid;
  bool trusted = false;
  table(c, pg_language::kOid).scan(c.txn, {}, [&](RowReader row) {
    if (row.str(pg_language::c_lanname) != name) return true;
    found = row.oid(pg_language::c_oid);
    trusted = row.flag(pg_language::c_lanpltrusted);
    return false;
  });
  if (found == kInvalidOid) return Error(sqlstate::kUndefinedObject, "language " + quoted(name) + " does not exist");
  if (!trusted) {
    return Error(sqlstate::kWrongObjectType, "language " + quoted(name) + " is not trusted")
        .with_detail(
            "GRANT and REVOKE are not allowed on untrusted languages, because only superusers can use untrusted "
            "languages.");
  }
  return Target{pg_language::kOid,
                table(c, pg_language::kOid).key({Datum::of_oid(found)}),
                pg_language::c_lanacl,
                pg_language::c_lanowner,
                'l',
                types::kPrivilegeUsage,
                name,
                kInvalidOid};
}

Result<Target> tablespace_target(DdlContext& c, const PgQuery__Node* node) {
  const std::string name(string_of(node));
  Oid found = kInvalidOid;
  table(c, pg_tablespace::kOid).scan(c.txn, {}, [&](RowReader row) {
    if (row.str(pg_tablespace::c_spcname) == name) found = row.oid(pg_tablespace::c_oid);
    return found == kInvalidOid;
  });
  if (found == kInvalidOid) return Error(sqlstate::kUndefinedObject, "tablespace " + quoted(name) + " does not exist");
  return Target{pg_tablespace::kOid,
                table(c, pg_tablespace::kOid).key({Datum::of_oid(found)}),
                pg_tablespace::c_spcacl,
                pg_tablespace::c_spcowner,
                't',
                types::kPrivilegeCreate,
                name,
                kInvalidOid};
}

Result<Target> large_object_target(DdlContext& c, const PgQuery__Node* node) {
  INDIGO_ASSIGN(const Oid oid, existing_large_object(c, node));
  return Target{catalog::kLargeObjectAcl.table,
                table(c, catalog::kLargeObjectAcl.table).key({Datum::of_oid(oid)}),
                catalog::kLargeObjectAcl.acl,
                catalog::kLargeObjectAcl.owner,
                'L',
                types::kPrivilegeSelect | types::kPrivilegeUpdate,
                "large object " + std::to_string(oid),
                kInvalidOid};
}

template <const ForeignKind& kKind>
Result<Target> foreign_target(DdlContext& c, const PgQuery__Node* node) {
  const std::string name(string_of(node));
  INDIGO_ASSIGN(const Oid oid, existing_foreign(c, kKind, name));
  return Target{kKind.table,
                table(c, kKind.table).key({Datum::of_oid(oid)}),
                kKind.acl_column,
                kKind.owner_column,
                'F',
                types::kPrivilegeUsage,
                name,
                kInvalidOid};
}

// The name under which a parameter's list is kept; empty: it can be none. Others' parameters have a dot.
std::string parameter_name(std::string_view name) {
  std::string out = types::to_lower(name);
  if (find_setting(out)) return out;
  bool begins = true, dot = false;
  for (const char ch : out) {
    const bool letter = std::isalpha(static_cast<unsigned char>(ch)) != 0 || ch == '_' || (ch & 0x80) != 0;
    if (ch == '.' && !begins) {
      dot = begins = true;
    } else if (letter || (!begins && (std::isdigit(static_cast<unsigned char>(ch)) != 0 || ch == '$'))) {
      begins = false;
    } else {
      return {};
    }
  }
  return dot && !begins ? out : std::string();
}

Status check_parameter_name(std::string_view given) {
  if (!parameter_name(given).empty()) return {};
  return Error(SqlState("42602"), "invalid parameter name " + quoted(given));
}

Oid parameter_row(DdlContext& c, const std::string& name) {
  Oid found = kInvalidOid;
  table(c, pg_parameter_acl::kOid).scan(c.txn, {}, [&](RowReader row) {
    if (row.str(pg_parameter_acl::c_parname) == name) found = row.oid(pg_parameter_acl::c_oid);
    return found == kInvalidOid;
  });
  return found;
}

// A parameter on which only its owner has rights needs no row.
Status grant_on_parameter(DdlContext& c, const PgQuery__GrantStmt& s, std::string_view given, const Wanted& wanted,
                          std::span<const Oid> grantees) {
  SystemTable& t = table(c, pg_parameter_acl::kOid);
  const std::string name = parameter_name(given);
  Oid oid = name.empty() ? kInvalidOid : parameter_row(c, name);
  if (oid == kInvalidOid && !s.is_grant) return {};
  const types::Acl initial = types::default_acl('P', oid::kBootstrapSuperuser);
  if (oid == kInvalidOid) {
    oid = next_oid(c);
    RowValues row(t.definition());
    row.oid(pg_parameter_acl::c_oid, oid).str(pg_parameter_acl::c_parname, name);
    row.str(pg_parameter_acl::c_paracl, types::acl_array(initial));
    INDIGO_TRY(check(t.insert(c.txn, row)));
  }
  const Target target{pg_parameter_acl::kOid,
                      t.key({Datum::of_oid(oid)}),
                      pg_parameter_acl::c_paracl,
                      -1,
                      'P',
                      types::kPrivilegeSet | types::kPrivilegeAlterSystem,
                      name,
                      kInvalidOid};
  INDIGO_TRY(apply_grant(c, s, target, wanted.privileges, grantees));
  std::string image;
  const bool plain =
      t.find_oid(c.txn, oid, image) && (t.reader(image).is_null(pg_parameter_acl::c_paracl) ||
                                        t.reader(image).str(pg_parameter_acl::c_paracl) == types::acl_array(initial));
  if (plain) INDIGO_TRY(check_erased(t.erase(c.txn, {Datum::of_oid(oid)})));
  c.catalog.changed_shared();
  return {};
}

}  // namespace

Status grant_on_server_objects(DdlContext& c, const PgQuery__GrantStmt& s) {
  if (s.objtype == PG_QUERY__OBJECT_TYPE__OBJECT_LANGUAGE) return grant_on_each(c, s, "language", language_target);
  if (s.objtype == PG_QUERY__OBJECT_TYPE__OBJECT_TABLESPACE)
    return grant_on_each(c, s, "tablespace", tablespace_target);
  if (s.objtype == PG_QUERY__OBJECT_TYPE__OBJECT_FDW)
    return grant_on_each(c, s, kWrapperKind.owned, foreign_target<kWrapperKind>);
  if (s.objtype == PG_QUERY__OBJECT_TYPE__OBJECT_FOREIGN_SERVER)
    return grant_on_each(c, s, kServerKind.owned, foreign_target<kServerKind>);
  if (s.objtype == PG_QUERY__OBJECT_TYPE__OBJECT_LARGEOBJECT)
    return grant_on_each(c, s, "large object", large_object_target);
  if (s.is_grant) {
    for (const PgQuery__Node* node : nodes(s.n_objects, s.objects)) INDIGO_TRY(check_parameter_name(string_of(node)));
  }
  INDIGO_ASSIGN(const std::vector<Oid> grantees, held_grantees(c, s));
  INDIGO_ASSIGN(const Wanted wanted,
                wanted_privileges(s, types::kPrivilegeSet | types::kPrivilegeAlterSystem, "parameter"));
  for (const PgQuery__Node* node : nodes(s.n_objects, s.objects))
    INDIGO_TRY(grant_on_parameter(c, s, string_of(node), wanted, grantees));
  return {};
}

}  // namespace indigo::engine::ddl
