// Who may do what with an object: its access list, or what applies where it has none, read against the graph of roles.
//
// 1. A superuser holds everything. No other role changes the rows of system catalogs, whatever has been granted.
// 2. A role has what was granted to PUBLIC, to itself, and to the roles whose rights it acts with (has_privileges_of).
// 3. pg_read_all_data and pg_write_all_data reach every table, view and sequence, and use every schema.
// 4. An array type is used with the rights on its element type, a multirange with those on its range.
// Thread safety: as the SessionCatalog.
#pragma once

#include <cstdint>

#include "catalog/descriptor/session_catalog.h"
#include "catalog/generated/columns.h"
#include "types/value/acl.h"

namespace indigo::catalog {

// A kind of object with an access list.
struct AclSource {
  Oid table;          // the system table with a row per object
  int owner, acl;     // its columns; owner -1: the bootstrap superuser's
  char default_kind;  // as default_acl; of relations 'r', sequences told apart by their row
};
inline constexpr AclSource kRelationAcl{pg_class::kOid, pg_class::c_relowner, pg_class::c_relacl, 'r'};
inline constexpr AclSource kSchemaAcl{pg_namespace::kOid, pg_namespace::c_nspowner, pg_namespace::c_nspacl, 'n'};
inline constexpr AclSource kDatabaseAcl{pg_database::kOid, pg_database::c_datdba, pg_database::c_datacl, 'd'};
inline constexpr AclSource kFunctionAcl{pg_proc::kOid, pg_proc::c_proowner, pg_proc::c_proacl, 'f'};
inline constexpr AclSource kTypeAcl{pg_type::kOid, pg_type::c_typowner, pg_type::c_typacl, 'T'};
inline constexpr AclSource kLanguageAcl{pg_language::kOid, pg_language::c_lanowner, pg_language::c_lanacl, 'T'};
inline constexpr AclSource kTablespaceAcl{pg_tablespace::kOid, pg_tablespace::c_spcowner, pg_tablespace::c_spcacl, 't'};
inline constexpr AclSource kParameterAcl{pg_parameter_acl::kOid, -1, pg_parameter_acl::c_paracl, 'P'};
inline constexpr AclSource kWrapperAcl{pg_foreign_data_wrapper::kOid, pg_foreign_data_wrapper::c_fdwowner,
                                       pg_foreign_data_wrapper::c_fdwacl, 'F'};
inline constexpr AclSource kServerAcl{pg_foreign_server::kOid, pg_foreign_server::c_srvowner,
                                      pg_foreign_server::c_srvacl, 'F'};
inline constexpr AclSource kLargeObjectAcl{pg_largeobject_metadata::kOid, pg_largeobject_metadata::c_lomowner,
                                           pg_largeobject_metadata::c_lomacl, 'L'};

struct ObjectAcl {
  bool found = false;  // otherwise there is no such object
  Oid owner = kInvalidOid;
  types::Acl acl;
  char kind = 0;                // as default_acl
  bool system_catalog = false;  // a built-in table, which only superusers change
  // The session's own schema of temporary objects: a role that may have such objects in the database holds all privileges on
  // it, others may use what is there.
  bool own_temporary = false;
};
ObjectAcl read_object_acl(SessionCatalog& catalog, const AclSource& source, Oid object);

// Of a setting, by its name in small letters; not found: only superusers have any.
ObjectAcl read_parameter_acl(SessionCatalog& catalog, std::string_view name);

// The bits that `user` holds; with grant option, or as the owner.
uint32_t held_privileges(SessionCatalog& catalog, const ObjectAcl& object, Oid user);
uint32_t held_options(SessionCatalog& catalog, const ObjectAcl& object, Oid user);
// Both steps at once; every bit when the object is gone, which is somebody else's error.
uint32_t object_privileges(SessionCatalog& catalog, const AclSource& source, Oid object, Oid user);
// Those of the columns' own lists: of column `number`, or of any column when it is 0.
uint32_t column_privileges(SessionCatalog& catalog, Oid relation, int16_t number, Oid user);

}  // namespace indigo::catalog
