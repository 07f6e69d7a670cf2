// has_*_privilege, pg_has_role, acldefault.
#include <algorithm>

#include "base/sqlstate.h"
#include "engine/system/privilege_check.h"
#include "types/text/ascii.h"

namespace indigo::engine {

namespace {

using namespace catalog;  // NOLINT(google-build-using-namespace): the column numbers

enum class User : uint8_t { kCurrent, kName, kId };
enum class Object : uint8_t { kName, kId };

Result<Oid> user_of(SessionParts& session, User how, std::span<const Datum>& arguments) {
  if (how == User::kCurrent) return session.user();
  const Datum d = arguments[0];
  arguments = arguments.subspan(1);
  if (how == User::kId) return d.oid();
  return role_or_public(session, d.str);
}

template <const ObjectClass& kClass, User kUser, Object kObject>
Result<OwnedDatum> has_privilege(SessionParts& session, std::span<const Datum> arguments) {
  INDIGO_ASSIGN(const Oid user, user_of(session, kUser, arguments));
  Oid object = arguments[0].oid();
  if constexpr (kObject == Object::kName) {
    INDIGO_ASSIGN(object, find_object(session, kClass, arguments[0].str));
  }
  INDIGO_ASSIGN(const std::vector<WantedPrivilege> wanted, parse_privileges(arguments[1].str, kClass.privileges));
  return check_object(session, kClass, user, object, wanted);
}

template <User kUser, Object kObject>
Result<OwnedDatum> has_any_column(SessionParts& session, std::span<const Datum> arguments) {
  INDIGO_ASSIGN(const Oid user, user_of(session, kUser, arguments));
  Oid object = arguments[0].oid();
  if constexpr (kObject == Object::kName) {
    INDIGO_ASSIGN(object, find_object(session, kTableClass, arguments[0].str));
  }
  INDIGO_ASSIGN(const std::vector<WantedPrivilege> wanted, parse_privileges(arguments[1].str, kColumnPrivileges));
  return check_columns(session, user, object, std::nullopt, wanted);
}

template <User kUser, Object kObject, bool kByNumber>
Result<OwnedDatum> has_column(SessionParts& session, std::span<const Datum> arguments) {
  INDIGO_ASSIGN(const Oid user, user_of(session, kUser, arguments));
  Oid object = arguments[0].oid();
  if constexpr (kObject == Object::kName) {
    INDIGO_ASSIGN(object, find_object(session, kTableClass, arguments[0].str));
  }
  const auto relation = session.session_catalog().relation(object);
  int16_t number = 0;
  if constexpr (kByNumber) {
    number = arguments[1].i16;
  } else if (relation != nullptr) {
    const ColumnInfo* column = relation->find_column(arguments[1].str);
    if (column == nullptr)
      return Error(sqlstate::kUndefinedColumn, "column \"" + std::string(arguments[1].str) + "\" of relation \"" +
                                                   relation->name + "\" does not exist");
    number = column->number;
  }
  INDIGO_ASSIGN(const std::vector<WantedPrivilege> wanted, parse_privileges(arguments[2].str, kColumnPrivileges));
  if (relation == nullptr) return null_value(Phys::kBool);
  return check_columns(session, user, object, number, wanted);
}

template <User kUser>
Result<OwnedDatum> has_parameter(SessionParts& session, std::span<const Datum> arguments) {
  INDIGO_ASSIGN(const Oid user, user_of(session, kUser, arguments));
  INDIGO_ASSIGN(const std::vector<WantedPrivilege> wanted, parse_privileges(arguments[1].str, kParameterPrivileges));
  SessionCatalog& catalog = session.session_catalog();
  const ObjectAcl acl = read_parameter_acl(catalog, types::to_lower(arguments[0].str));
  return value_of(std::any_of(wanted.begin(), wanted.end(), [&](const WantedPrivilege& w) {
    const uint32_t held = w.grant_option ? held_options(catalog, acl, user) : held_privileges(catalog, acl, user);
    return (held & w.bits) != 0;
  }));
}

template <User kUser, Object kRole>
Result<OwnedDatum> has_role(SessionParts& session, std::span<const Datum> arguments) {
  INDIGO_ASSIGN(const Oid user, user_of(session, kUser, arguments));
  Oid role = arguments[0].oid();
  if constexpr (kRole == Object::kName) {
    INDIGO_ASSIGN(role, existing_role(session, arguments[0].str));
  }
  INDIGO_ASSIGN(const std::vector<WantedPrivilege> wanted, parse_privileges(arguments[1].str, kRolePrivileges));
  bool has = false;
  for (const WantedPrivilege& w : wanted) {
    if (w.grant_option) {
      has |= is_role_admin(session, user, role);
    } else if (w.bits == kRoleMember) {
      has |= session.session_catalog().has_role(user, role);
    } else {
      has |= session.session_catalog().has_privileges_of(user, role);
    }
  }
  return value_of(has);
}

Result<OwnedDatum> acl_default(SessionParts&, std::span<const Datum> arguments) {
  const char letter = arguments[0].str.empty() ? '\0' : arguments[0].str[0];
  const Oid owner = arguments[1].oid();
  types::Acl acl;
  switch (letter) {
    case 'c':
    case 'p': break;
    case 'r': acl = types::default_acl('r', owner); break;
    case 's': acl = types::default_acl('S', owner); break;
    case 'd': acl = types::default_acl('d', owner); break;
    case 'f': acl = types::default_acl('f', owner); break;
    case 'n': acl = types::default_acl('n', owner); break;
    case 'T':
    case 'l': acl = types::default_acl('T', owner); break;
    case 'L': acl.push_back({owner, owner, types::kPrivilegeSelect | types::kPrivilegeUpdate, 0}); break;
    case 't': acl.push_back({owner, owner, types::kPrivilegeCreate, 0}); break;
    case 'F':
    case 'S': acl.push_back({owner, owner, types::kPrivilegeUsage, 0}); break;
    default: return Error(sqlstate::kInternalError, std::string("unrecognized objtype abbreviation: ") + letter);
  }
  return text_value(types::acl_array(acl));
}

constexpr SystemValue kPrivilegesValues[] = {
    {"has_table_privilege_name", has_privilege<kTableClass, User::kCurrent, Object::kName>},
    {"has_table_privilege_id", has_privilege<kTableClass, User::kCurrent, Object::kId>},
    {"has_table_privilege_name_name", has_privilege<kTableClass, User::kName, Object::kName>},
    {"has_table_privilege_name_id", has_privilege<kTableClass, User::kName, Object::kId>},
    {"has_table_privilege_id_name", has_privilege<kTableClass, User::kId, Object::kName>},
    {"has_table_privilege_id_id", has_privilege<kTableClass, User::kId, Object::kId>},
    {"has_sequence_privilege_name", has_privilege<kSequenceClass, User::kCurrent, Object::kName>},
    {"has_sequence_privilege_id", has_privilege<kSequenceClass, User::kCurrent, Object::kId>},
    {"has_sequence_privilege_name_name", has_privilege<kSequenceClass, User::kName, Object::kName>},
    {"has_sequence_privilege_name_id", has_privilege<kSequenceClass, User::kName, Object::kId>},
    {"has_sequence_privilege_id_name", has_privilege<kSequenceClass, User::kId, Object::kName>},
    {"has_sequence_privilege_id_id", has_privilege<kSequenceClass, User::kId, Object::kId>},
    {"has_database_privilege_name", has_privilege<kDatabaseClass, User::kCurrent, Object::kName>},
    {"has_database_privilege_id", has_privilege<kDatabaseClass, User::kCurrent, Object::kId>},
    {"has_database_privilege_name_name", has_privilege<kDatabaseClass, User::kName, Object::kName>},
    {"has_database_privilege_name_id", has_privilege<kDatabaseClass, User::kName, Object::kId>},
    {"has_database_privilege_id_name", has_privilege<kDatabaseClass, User::kId, Object::kName>},
    {"has_database_privilege_id_id", has_privilege<kDatabaseClass, User::kId, Object::kId>},
    {"has_schema_privilege_name", has_privilege<kSchemaClass, User::kCurrent, Object::kName>},
    {"has_schema_privilege_id", has_privilege<kSchemaClass, User::kCurrent, Object::kId>},
    {"has_schema_privilege_name_name", has_privilege<kSchemaClass, User::kName, Object::kName>},
    {"has_schema_privilege_name_id", has_privilege<kSchemaClass, User::kName, Object::kId>},
    {"has_schema_privilege_id_name", has_privilege<kSchemaClass, User::kId, Object::kName>},
    {"has_schema_privilege_id_id", has_privilege<kSchemaClass, User::kId, Object::kId>},
    {"has_function_privilege_name", has_privilege<kFunctionClass, User::kCurrent, Object::kName>},
    {"has_function_privilege_id", has_privilege<kFunctionClass, User::kCurrent, Object::kId>},
    {"has_function_privilege_name_name", has_privilege<kFunctionClass, User::kName, Object::kName>},
    {"has_function_privilege_name_id", has_privilege<kFunctionClass, User::kName, Object::kId>},
    {"has_function_privilege_id_name", has_privilege<kFunctionClass, User::kId, Object::kName>},
    {"has_function_privilege_id_id", has_privilege<kFunctionClass, User::kId, Object::kId>},
    {"has_language_privilege_name", has_privilege<kLanguageClass, User::kCurrent, Object::kName>},
    {"has_language_privilege_id", has_privilege<kLanguageClass, User::kCurrent, Object::kId>},
    {"has_language_privilege_name_name", has_privilege<kLanguageClass, User::kName, Object::kName>},
    {"has_language_privilege_name_id", has_privilege<kLanguageClass, User::kName, Object::kId>},
    {"has_language_privilege_id_name", has_privilege<kLanguageClass, User::kId, Object::kName>},
    {"has_language_privilege_id_id", has_privilege<kLanguageClass, User::kId, Object::kId>},
    {"has_tablespace_privilege_name", has_privilege<kTablespaceClass, User::kCurrent, Object::kName>},
    {"has_tablespace_privilege_id", has_privilege<kTablespaceClass, User::kCurrent, Object::kId>},
    {"has_tablespace_privilege_name_name", has_privilege<kTablespaceClass, User::kName, Object::kName>},
    {"has_tablespace_privilege_name_id", has_privilege<kTablespaceClass, User::kName, Object::kId>},
    {"has_tablespace_privilege_id_name", has_privilege<kTablespaceClass, User::kId, Object::kName>},
    {"has_tablespace_privilege_id_id", has_privilege<kTablespaceClass, User::kId, Object::kId>},
    {"has_type_privilege_name", has_privilege<kTypeClass, User::kCurrent, Object::kName>},
    {"has_type_privilege_id", has_privilege<kTypeClass, User::kCurrent, Object::kId>},
    {"has_type_privilege_name_name", has_privilege<kTypeClass, User::kName, Object::kName>},
    {"has_type_privilege_name_id", has_privilege<kTypeClass, User::kName, Object::kId>},
    {"has_type_privilege_id_name", has_privilege<kTypeClass, User::kId, Object::kName>},
    {"has_type_privilege_id_id", has_privilege<kTypeClass, User::kId, Object::kId>},
    {"has_foreign_data_wrapper_privilege_name", has_privilege<kWrapperClass, User::kCurrent, Object::kName>},
    {"has_foreign_data_wrapper_privilege_id", has_privilege<kWrapperClass, User::kCurrent, Object::kId>},
    {"has_foreign_data_wrapper_privilege_name_name", has_privilege<kWrapperClass, User::kName, Object::kName>},
    {"has_foreign_data_wrapper_privilege_name_id", has_privilege<kWrapperClass, User::kName, Object::kId>},
    {"has_foreign_data_wrapper_privilege_id_name", has_privilege<kWrapperClass, User::kId, Object::kName>},
    {"has_foreign_data_wrapper_privilege_id_id", has_privilege<kWrapperClass, User::kId, Object::kId>},
    {"has_server_privilege_name", has_privilege<kServerClass, User::kCurrent, Object::kName>},
    {"has_server_privilege_id", has_privilege<kServerClass, User::kCurrent, Object::kId>},
    {"has_server_privilege_name_name", has_privilege<kServerClass, User::kName, Object::kName>},
    {"has_server_privilege_name_id", has_privilege<kServerClass, User::kName, Object::kId>},
    {"has_server_privilege_id_name", has_privilege<kServerClass, User::kId, Object::kName>},
    {"has_server_privilege_id_id", has_privilege<kServerClass, User::kId, Object::kId>},
    {"has_any_column_privilege_name", has_any_column<User::kCurrent, Object::kName>},
    {"has_column_privilege_name_name", has_column<User::kCurrent, Object::kName, false>},
    {"has_column_privilege_name_attnum", has_column<User::kCurrent, Object::kName, true>},
    {"pg_has_role_name", has_role<User::kCurrent, Object::kName>},
    {"has_any_column_privilege_id", has_any_column<User::kCurrent, Object::kId>},
    {"has_column_privilege_id_name", has_column<User::kCurrent, Object::kId, false>},
    {"has_column_privilege_id_attnum", has_column<User::kCurrent, Object::kId, true>},
    {"pg_has_role_id", has_role<User::kCurrent, Object::kId>},
    {"has_parameter_privilege_name", has_parameter<User::kCurrent>},
    {"has_any_column_privilege_name_name", has_any_column<User::kName, Object::kName>},
    {"has_column_privilege_name_name_name", has_column<User::kName, Object::kName, false>},
    {"has_column_privilege_name_name_attnum", has_column<User::kName, Object::kName, true>},
    {"pg_has_role_name_name", has_role<User::kName, Object::kName>},
    {"has_any_column_privilege_name_id", has_any_column<User::kName, Object::kId>},
    {"has_column_privilege_name_id_name", has_column<User::kName, Object::kId, false>},
    {"has_column_privilege_name_id_attnum", has_column<User::kName, Object::kId, true>},
    {"pg_has_role_name_id", has_role<User::kName, Object::kId>},
    {"has_parameter_privilege_name_name", has_parameter<User::kName>},
    {"has_any_column_privilege_id_name", has_any_column<User::kId, Object::kName>},
    {"has_column_privilege_id_name_name", has_column<User::kId, Object::kName, false>},
    {"has_column_privilege_id_name_attnum", has_column<User::kId, Object::kName, true>},
    {"pg_has_role_id_name", has_role<User::kId, Object::kName>},
    {"has_any_column_privilege_id_id", has_any_column<User::kId, Object::kId>},
    {"has_column_privilege_id_id_name", has_column<User::kId, Object::kId, false>},
    {"has_column_privilege_id_id_attnum", has_column<User::kId, Object::kId, true>},
    {"pg_has_role_id_id", has_role<User::kId, Object::kId>},
    {"has_parameter_privilege_id_name", has_parameter<User::kId>},
    {"acldefault_sql", acl_default},
};

}  // namespace

std::span<const SystemValue> privilege_values() { return kPrivilegesValues; }

}  // namespace indigo::engine
