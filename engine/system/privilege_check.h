// Does a role have a privilege on an object? For the functions that ask (has_table_privilege ...).
// Thread safety: one session.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "catalog/acl.h"
#include "engine/system/catalog_rows.h"

namespace indigo::engine {

struct PrivilegeName {
  const char* name;
  uint32_t bits;
};
struct WantedPrivilege {
  uint32_t bits;
  bool grant_option;
};

// A kind of object with an access list.
struct ObjectClass {
  Oid table;
  int owner, acl;
  char default_letter;  // catalog::default_acl
  std::span<const PrivilegeName> privileges;
  bool relations = false;
};

inline constexpr uint32_t kRoleMember = 1, kRoleUsage = 2;
inline constexpr PrivilegeName kTablePrivilegeNames[] = {
    {"SELECT", catalog::kPrivilegeSelect},     {"INSERT", catalog::kPrivilegeInsert},
    {"UPDATE", catalog::kPrivilegeUpdate},     {"DELETE", catalog::kPrivilegeDelete},
    {"TRUNCATE", catalog::kPrivilegeTruncate}, {"REFERENCES", catalog::kPrivilegeReferences},
    {"TRIGGER", catalog::kPrivilegeTrigger},   {"RULE", 0}};
inline constexpr PrivilegeName kColumnPrivileges[] = {{"SELECT", catalog::kPrivilegeSelect},
                                                      {"INSERT", catalog::kPrivilegeInsert},
                                                      {"UPDATE", catalog::kPrivilegeUpdate},
                                                      {"REFERENCES", catalog::kPrivilegeReferences}};
inline constexpr PrivilegeName kSequencePrivilegeNames[] = {
    {"USAGE", catalog::kPrivilegeUsage}, {"SELECT", catalog::kPrivilegeSelect}, {"UPDATE", catalog::kPrivilegeUpdate}};
inline constexpr PrivilegeName kDatabasePrivilegeNames[] = {{"CREATE", catalog::kPrivilegeCreate},
                                                            {"TEMPORARY", catalog::kPrivilegeTemp},
                                                            {"TEMP", catalog::kPrivilegeTemp},
                                                            {"CONNECT", catalog::kPrivilegeConnect}};
inline constexpr PrivilegeName kSchemaPrivilegeNames[] = {{"CREATE", catalog::kPrivilegeCreate},
                                                          {"USAGE", catalog::kPrivilegeUsage}};
inline constexpr PrivilegeName kExecuteOnly[] = {{"EXECUTE", catalog::kPrivilegeExecute}};
inline constexpr PrivilegeName kUsageOnly[] = {{"USAGE", catalog::kPrivilegeUsage}};
inline constexpr PrivilegeName kCreateOnly[] = {{"CREATE", catalog::kPrivilegeCreate}};
inline constexpr PrivilegeName kParameterPrivileges[] = {{"SET", catalog::kPrivilegeSet},
                                                         {"ALTER SYSTEM", catalog::kPrivilegeAlterSystem}};
inline constexpr PrivilegeName kRolePrivileges[] = {{"MEMBER", kRoleMember}, {"USAGE", kRoleUsage}};

inline constexpr ObjectClass kTableClass{catalog::pg_class::kOid,     catalog::pg_class::c_relowner,
                                         catalog::pg_class::c_relacl, 'r',
                                         kTablePrivilegeNames,        true};
inline constexpr ObjectClass kSequenceClass{catalog::pg_class::kOid,     catalog::pg_class::c_relowner,
                                            catalog::pg_class::c_relacl, 'S',
                                            kSequencePrivilegeNames,     true};
inline constexpr ObjectClass kDatabaseClass{catalog::pg_database::kOid, catalog::pg_database::c_datdba,
                                            catalog::pg_database::c_datacl, 'd', kDatabasePrivilegeNames};
inline constexpr ObjectClass kSchemaClass{catalog::pg_namespace::kOid, catalog::pg_namespace::c_nspowner,
                                          catalog::pg_namespace::c_nspacl, 'n', kSchemaPrivilegeNames};
inline constexpr ObjectClass kFunctionClass{catalog::pg_proc::kOid, catalog::pg_proc::c_proowner,
                                            catalog::pg_proc::c_proacl, 'f', kExecuteOnly};
inline constexpr ObjectClass kLanguageClass{catalog::pg_language::kOid, catalog::pg_language::c_lanowner,
                                            catalog::pg_language::c_lanacl, 'T', kUsageOnly};
inline constexpr ObjectClass kTablespaceClass{catalog::pg_tablespace::kOid, catalog::pg_tablespace::c_spcowner,
                                              catalog::pg_tablespace::c_spcacl, 't', kCreateOnly};
inline constexpr ObjectClass kTypeClass{catalog::pg_type::kOid, catalog::pg_type::c_typowner,
                                        catalog::pg_type::c_typacl, 'T', kUsageOnly};
inline constexpr ObjectClass kWrapperClass{catalog::pg_foreign_data_wrapper::kOid,
                                           catalog::pg_foreign_data_wrapper::c_fdwowner,
                                           catalog::pg_foreign_data_wrapper::c_fdwacl, 'F', kUsageOnly};
inline constexpr ObjectClass kServerClass{catalog::pg_foreign_server::kOid, catalog::pg_foreign_server::c_srvowner,
                                          catalog::pg_foreign_server::c_srvacl, 'F', kUsageOnly};

// "SELECT, UPDATE WITH GRANT OPTION"; 22023 for others.
Result<std::vector<WantedPrivilege>> parse_privileges(std::string_view text, std::span<const PrivilegeName> names);
// kInvalidOid for "public". 42704.
Result<Oid> role_or_public(SessionImpl& session, std::string_view name);
Result<Oid> existing_role(SessionImpl& session, std::string_view name);
Result<Oid> find_object(SessionImpl& session, const ObjectClass& object_class, std::string_view name);
// A boolean; null when there is no such object.
Result<OwnedDatum> check_object(SessionImpl& session, const ObjectClass& object_class, Oid user, Oid object,
                                std::span<const WantedPrivilege> wanted);
// One column's (null when there is none), or any column's without a number. The table's privileges count too.
Result<OwnedDatum> check_columns(SessionImpl& session, Oid user, Oid table, std::optional<int16_t> column,
                                 std::span<const WantedPrivilege> wanted);
// Member through roles that inherit only.
bool has_privileges_of(SessionImpl& session, Oid user, Oid role);
bool is_role_admin(SessionImpl& session, Oid user, Oid role);

}  // namespace indigo::engine
