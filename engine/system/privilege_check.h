// Does a role have a privilege on an object? For the functions that ask (has_table_privilege ...).
// Thread safety: one session.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "catalog/acl.h"
#include "catalog/object_privileges.h"
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

// A kind of object and the names of its privileges.
struct ObjectClass {
  catalog::AclSource source;
  std::span<const PrivilegeName> privileges;
  bool sequences = false;
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

inline constexpr ObjectClass kTableClass{catalog::kRelationAcl, kTablePrivilegeNames};
inline constexpr ObjectClass kSequenceClass{catalog::kRelationAcl, kSequencePrivilegeNames, true};
inline constexpr ObjectClass kDatabaseClass{catalog::kDatabaseAcl, kDatabasePrivilegeNames};
inline constexpr ObjectClass kSchemaClass{catalog::kSchemaAcl, kSchemaPrivilegeNames};
inline constexpr ObjectClass kFunctionClass{catalog::kFunctionAcl, kExecuteOnly};
inline constexpr ObjectClass kLanguageClass{catalog::kLanguageAcl, kUsageOnly};
inline constexpr ObjectClass kTablespaceClass{catalog::kTablespaceAcl, kCreateOnly};
inline constexpr ObjectClass kTypeClass{catalog::kTypeAcl, kUsageOnly};
inline constexpr ObjectClass kWrapperClass{catalog::kWrapperAcl, kUsageOnly};
inline constexpr ObjectClass kServerClass{catalog::kServerAcl, kUsageOnly};

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
bool is_role_admin(SessionImpl& session, Oid user, Oid role);
// Whether the current role is shown what a session of `user` does.
bool may_see_activity(SessionImpl& session, Oid user);

}  // namespace indigo::engine
