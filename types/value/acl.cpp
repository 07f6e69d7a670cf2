#include "types/value/acl.h"

#include <cctype>

#include "types/oids.h"
#include "types/value/array_format.h"

namespace indigo::types {

AclItem read_acl_item(Bytes value) {
  AclItem item;
  if (value.size() < 12) return item;
  item.grantee = load_unaligned<uint32_t>(value.data());
  item.grantor = load_unaligned<uint32_t>(value.data() + 4);
  const auto bits = load_unaligned<uint32_t>(value.data() + 8);
  item.privileges = bits & 0xFFFF;
  item.options = bits >> 16;
  return item;
}

std::string acl_item_value(const AclItem& item) {
  std::string out(12, '\0');
  store_unaligned(out.data(), item.grantee);
  store_unaligned(out.data() + 4, item.grantor);
  store_unaligned(out.data() + 8, item.privileges | (item.options << 16));
  return out;
}

Acl read_acl(Bytes array) {
  Acl out;
  if (array.empty()) return out;
  const ArrayView view(array);
  for (int32_t i = 0; i < view.count(); i++) out.push_back(read_acl_item(view.element(i).str));
  return out;
}

std::string acl_array(const Acl& acl) {
  std::vector<std::string> values;
  std::vector<Datum> elements;
  for (const AclItem& item : acl) values.push_back(acl_item_value(item));
  for (const std::string& v : values) elements.push_back(Datum::of(Str(v)));
  return make_array(oid::kAclItem, Phys::kStr, elements);
}

namespace {

std::string role_text(const std::string& name) {
  bool plain = !name.empty();
  for (const char ch : name) plain = plain && (std::isalnum(static_cast<unsigned char>(ch)) != 0 || ch == '_');
  if (plain) return name;
  std::string out = "\"";
  for (const char ch : name) {
    out += ch;
    if (ch == '"') out += ch;
  }
  return out + "\"";
}

}  // namespace

std::string acl_item_text(const AclItem& item, const std::function<std::string(Oid)>& role_name) {
  std::string out = item.grantee == kInvalidOid ? "" : role_text(role_name(item.grantee));
  out += "=";
  for (size_t i = 0; i < kPrivilegeLetters.size(); i++) {
    if ((item.privileges & (1u << i)) == 0) continue;
    out += kPrivilegeLetters[i];
    if ((item.options & (1u << i)) != 0) out += "*";
  }
  return out + "/" + role_text(role_name(item.grantor));
}

Acl default_acl(char kind, Oid owner) {
  uint32_t everybody = 0, own = 0;
  switch (kind) {
    case 'r': own = kTablePrivileges; break;
    case 'S': own = kSequencePrivileges; break;
    case 'n': own = kSchemaPrivileges; break;
    case 'd':
      own = kDatabasePrivileges;
      everybody = kPrivilegeTemp | kPrivilegeConnect;
      break;
    case 'f': own = everybody = kPrivilegeExecute; break;
    case 'T':
    case 'l': own = everybody = kPrivilegeUsage; break;
    case 't': own = kPrivilegeCreate; break;
    case 'L': own = kPrivilegeSelect | kPrivilegeUpdate; break;
    case 'F': own = kPrivilegeUsage; break;
    case 'P': own = kPrivilegeSet | kPrivilegeAlterSystem; break;
    default: break;
  }
  Acl out;
  if (everybody != 0) out.push_back({kInvalidOid, owner, everybody, 0});
  if (own != 0) out.push_back({owner, owner, own, 0});
  return out;
}

uint32_t acl_privileges(const Acl& acl, const std::function<bool(Oid)>& is_member) {
  uint32_t out = 0;
  for (const AclItem& item : acl) {
    if (item.grantee == kInvalidOid || is_member(item.grantee)) out |= item.privileges;
  }
  return out;
}

}  // namespace indigo::types
