// Access privileges as pg_class.relacl and its like hold them: arrays of aclitem.
// An aclitem's value is 12 bytes: grantee OID (0: PUBLIC), grantor OID, privilege bits (low 16: granted, high 16: with grant
// option), each uint32 in host order. Bits are in the order of PostgreSQL's letters arwdDxtXUCTcsA.
// Thread safety: plain values and pure functions.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/bytes.h"
#include "base/ids.h"

namespace indigo::types {

enum Privilege : uint32_t {
  kPrivilegeInsert = 1u << 0,
  kPrivilegeSelect = 1u << 1,
  kPrivilegeUpdate = 1u << 2,
  kPrivilegeDelete = 1u << 3,
  kPrivilegeTruncate = 1u << 4,
  kPrivilegeReferences = 1u << 5,
  kPrivilegeTrigger = 1u << 6,
  kPrivilegeExecute = 1u << 7,
  kPrivilegeUsage = 1u << 8,
  kPrivilegeCreate = 1u << 9,
  kPrivilegeTemp = 1u << 10,
  kPrivilegeConnect = 1u << 11,
  kPrivilegeSet = 1u << 12,
  kPrivilegeAlterSystem = 1u << 13,
};
inline constexpr std::string_view kPrivilegeLetters = "arwdDxtXUCTcsA";
inline constexpr uint32_t kTablePrivileges = 0x7f,
                          kSequencePrivileges = kPrivilegeSelect | kPrivilegeUpdate | kPrivilegeUsage,
                          kSchemaPrivileges = kPrivilegeUsage | kPrivilegeCreate,
                          kDatabasePrivileges = kPrivilegeCreate | kPrivilegeTemp | kPrivilegeConnect;

struct AclItem {
  Oid grantee = kInvalidOid;
  Oid grantor = kInvalidOid;
  uint32_t privileges = 0;
  uint32_t options = 0;  // grant options
};
using Acl = std::vector<AclItem>;

AclItem read_acl_item(Bytes value);
std::string acl_item_value(const AclItem& item);
Acl read_acl(Bytes array);
std::string acl_array(const Acl& acl);
// "alice=arw*/postgres"; names of roles through `role_name`, quoted when they need it.
std::string acl_item_text(const AclItem& item, const std::function<std::string(Oid)>& role_name);

// What applies when the column is null. `object_kind` as pg_default_acl's letters: r table, S sequence, n schema, d database,
// f function, T type, c column.
Acl default_acl(char object_kind, Oid owner);
// The privileges that some grantee for which `is_member` holds has (PUBLIC always does).
uint32_t acl_privileges(const Acl& acl, const std::function<bool(Oid)>& is_member);

}  // namespace indigo::types
