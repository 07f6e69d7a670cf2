// Does a role have a privilege on an object? For the functions that ask (has_table_privilege ...).
// Thread safety: one session.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "catalog/object_privileges.h"
#include "engine/system/catalog_rows.h"
#include "types/value/acl.h"

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
    {"SELECT", types::kPrivilegeSelect},     {"INSERT", types::kPrivilegeInsert},
    {"UPDATE", types::kPrivilegeUpdate},     {"DELETE", types::kPrivilegeDelete},
    {"TRUNCATE", types::kPrivilegeTruncate}, {"REFERENCES", types::kPrivilegeReferences},
    {"TRIGGER", types::kPrivilegeTrigger},   {"RULE", 0}};
inline constexpr PrivilegeName kColumnPrivileges[] = {{"SELECT", types::kPrivilegeSelect},
                                                      {"INSERT", types::kPrivilegeInsert},
                                                      {"UPDATE", types::kPrivilegeUpdate},
                                                      {"REFERENCES", types::kPrivilegeReferences}};
inline constexpr PrivilegeName kSequencePrivilegeNames[] = {
    {"USAGE", types::kPrivilegeUsage}, {"SELECT", types::kPrivilegeSelect}, {"UPDATE", types::kPrivilegeUpdate}};
inline constexpr PrivilegeName kDatabasePrivilegeNames[] = {{"CREATE", types::kPrivilegeCreate},
                                                            {"TEMPORARY", types::kPrivilegeTemp},
                                                            {"TEMP", types::kPrivilegeTemp},
                                                            {"CONNECT", types::kPrivilegeConnect}};
inline constexpr PrivilegeName kSchemaPrivilegeNames[] = {{"CREATE", types::kPrivilegeCreate},
                                                          {"USAGE", types::kPrivilegeUsage}};
inline constexpr PrivilegeName kExecuteOnly[] = {{"EXECUTE", types::kPrivilegeExecute}};
inline constexpr PrivilegeName kUsageOnly[] = {{"USAGE", types::kPrivilegeUsage}};
inline constexpr PrivilegeName kCreateOnly[] = {{"CREATE", types::kPrivilegeCreate}};
inline constexpr PrivilegeName kParameterPrivileges[] = {{"SET", types::kPrivilegeSet},
                                                         {"ALTER SYSTEM", types::kPrivilegeAlterSystem}};
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
Result<Oid> role_or_public(SessionParts& session, std::string_view name);
Result<Oid> existing_role(SessionParts& session, std::string_view name);
Result<Oid> find_object(SessionParts& session, const ObjectClass& object_class, std::string_view name);
// A boolean; null when there is no such object.
Result<OwnedDatum> check_object(SessionParts& session, const ObjectClass& object_class, Oid user, Oid object,
                                std::span<const WantedPrivilege> wanted);
// One column's (null when there is none), or any column's without a number. The table's privileges count too.
Result<OwnedDatum> check_columns(SessionParts& session, Oid user, Oid table, std::optional<int16_t> column,
                                 std::span<const WantedPrivilege> wanted);
bool is_role_admin(SessionParts& session, Oid user, Oid role);
// Whether the current role is shown what a session of `user` does.
bool may_see_activity(SessionParts& session, Oid user);

}  // namespace indigo::engine
