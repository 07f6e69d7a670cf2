#include "engine/ddl/access/privilege_list.h"

#include <algorithm>
#include <cctype>

#include "engine/ddl/tree.h"
#include "types/text/ascii.h"

namespace indigo::engine::ddl {

namespace {

const std::map<std::string_view, uint32_t>& privilege_names() {
  static const std::map<std::string_view, uint32_t> names{{"insert", types::kPrivilegeInsert},
                                                          {"select", types::kPrivilegeSelect},
                                                          {"update", types::kPrivilegeUpdate},
                                                          {"delete", types::kPrivilegeDelete},
                                                          {"truncate", types::kPrivilegeTruncate},
                                                          {"references", types::kPrivilegeReferences},
                                                          {"trigger", types::kPrivilegeTrigger},
                                                          {"execute", types::kPrivilegeExecute},
                                                          {"usage", types::kPrivilegeUsage},
                                                          {"create", types::kPrivilegeCreate},
                                                          {"temp", types::kPrivilegeTemp},
                                                          {"temporary", types::kPrivilegeTemp},
                                                          {"connect", types::kPrivilegeConnect},
                                                          {"set", types::kPrivilegeSet},
                                                          {"alter system", types::kPrivilegeAlterSystem}};
  return names;
}

types::AclItem& item_for(types::Acl& acl, Oid grantee, Oid grantor) {
  for (types::AclItem& item : acl) {
    if (item.grantee == grantee && item.grantor == grantor) return item;
  }
  acl.push_back({grantee, grantor, 0, 0});
  return acl.back();
}

// What was passed on with a grant option that is gone now.
Status revoke_dependent(types::Acl& acl, Oid owner, bool cascade) {
  for (bool again = true; again;) {
    again = false;
    for (types::AclItem& item : acl) {
      if (item.grantor == owner || item.privileges == 0) continue;
      uint32_t options = 0;
      for (const types::AclItem& other : acl) {
        if (other.grantee == item.grantor) options |= other.options;
      }
      const uint32_t lost = item.privileges & ~options;
      if (lost == 0) continue;
      if (!cascade) {
        return Error(sqlstate::kDependentObjectsStillExist, "dependent privileges exist")
            .with_hint("Use CASCADE to revoke them too.");
      }
      item.privileges &= ~lost;
      item.options &= ~lost;
      again = true;
    }
  }
  return {};
}

}  // namespace

Result<Wanted> wanted_privileges(const PgQuery__GrantStmt& s, uint32_t all, std::string_view kind) {
  Wanted out;
  if (s.n_privileges == 0) out.all = true;
  for (const PgQuery__Node* node : nodes(s.n_privileges, s.privileges)) {
    const PgQuery__AccessPriv* p = node->access_priv;
    const std::vector<std::string> columns = sql::strings_of(nodes(p->n_cols, p->cols));
    if (!sql::has_text(p->priv_name)) {  // ALL [PRIVILEGES] (columns)
      if (columns.empty()) {
        out.all = true;
      } else {
        out.columns[kColumnPrivileges] = columns;
      }
      continue;
    }
    const auto it = privilege_names().find(p->priv_name);
    if (it == privilege_names().end()) {
      return Error(sqlstate::kSyntaxError, "unrecognized privilege type " + quoted(p->priv_name));
    }
    if ((it->second & all) == 0) {
      const bool of_sequence = kind == "relation" && (it->second & types::kSequencePrivileges) != 0;
      return Error(sqlstate::kInvalidGrantOperation, "invalid privilege type " + types::to_upper(p->priv_name) +
                                                         " for " + (of_sequence ? "table" : std::string(kind)));
    }
    if (columns.empty()) {
      out.privileges |= it->second;
    } else {
      auto& list = out.columns[it->second];
      list.insert(list.end(), columns.begin(), columns.end());
    }
  }
  if (out.all) out.privileges = all;
  return out;
}

Result<std::vector<Oid>> grantees_of(DdlContext& c, const PgQuery__GrantStmt& s) {
  std::vector<Oid> out;
  for (const PgQuery__Node* node : nodes(s.n_grantees, s.grantees)) {
    if (node->role_spec->roletype == PG_QUERY__ROLE_SPEC_TYPE__ROLESPEC_PUBLIC) {
      if (s.is_grant && s.grant_option) {
        return Error(sqlstate::kInvalidGrantOperation, "grant options can only be granted to roles");
      }
      out.push_back(kInvalidOid);
      continue;
    }
    INDIGO_ASSIGN(const Oid role, resolve_role(c, node->role_spec));
    out.push_back(role);
  }
  return out;
}

Status change_list(const PgQuery__GrantStmt& s, types::Acl& acl, Oid owner, Oid grantor, uint32_t privileges,
                   std::span<const Oid> grantees) {
  for (const Oid grantee : grantees) {
    types::AclItem& item = item_for(acl, grantee, grantor);
    if (s.is_grant) {
      item.privileges |= privileges;
      if (s.grant_option) item.options |= privileges;
    } else {
      item.options &= ~privileges;
      if (!s.grant_option) item.privileges &= ~privileges;
    }
  }
  if (!s.is_grant) INDIGO_TRY(revoke_dependent(acl, owner, s.behavior == PG_QUERY__DROP_BEHAVIOR__DROP_CASCADE));
  std::erase_if(acl, [](const types::AclItem& item) { return item.privileges == 0; });
  return {};
}

}  // namespace indigo::engine::ddl
