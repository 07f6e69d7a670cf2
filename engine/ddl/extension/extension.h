// CREATE, ALTER and DROP EXTENSION: rows of pg_extension, and of pg_depend for what an extension has made ('e').
//
// The definitions of an extension are ordinary statements; DdlContext::extension says for which extension they run, and what they
// make becomes a member. A member goes with its extension only, and dumps leave it out.
// Thread safety: as the DdlContext.
#pragma once

#include <optional>

#include "engine/ddl/drop/dependency.h"
#include "sql/parse/tree_names.h"

struct PgQuery__AlterObjectDependsStmt;

namespace indigo::types {
struct Extension;
}

namespace indigo::engine::ddl {

namespace pg_extension = catalog::pg_extension;

Status execute_create_extension(DdlContext& c, const PgQuery__CreateExtensionStmt& s);
// UPDATE [TO version]
Status execute_alter_extension(DdlContext& c, const PgQuery__AlterExtensionStmt& s);
// ADD and DROP of a member
Status execute_alter_extension_contents(DdlContext& c, const PgQuery__AlterExtensionContentsStmt& s);
// ALTER ... [NO] DEPENDS ON EXTENSION: what goes with an extension without being a member (deptype x).
Status execute_depends_on_extension(DdlContext& c, const PgQuery__AlterObjectDependsStmt& s);
Status move_extension(DdlContext& c, std::string_view name, std::string_view schema);

// Runs a script of the extension, whose oid and schema these are.
Status run_script(DdlContext& c, const types::Extension& extension, std::string_view script, Oid oid, Oid schema);
// One that is built in. 22023: no extension is called so; 0A000: there is none.
Result<const types::Extension*> available_extension(std::string_view name);

struct InstalledExtension {
  Oid oid = kInvalidOid;
  Oid owner = kInvalidOid, schema = kInvalidOid;
  std::string name, version;
  bool relocatable = true;
};
std::optional<InstalledExtension> installed_extension(DdlContext& c, std::string_view name);
// 42704 when there is none, 42501 for others than its owner.
Result<InstalledExtension> own_extension(DdlContext& c, std::string_view name);
// None, after a notice, with missing_ok.
Result<std::optional<Address>> find_dropped_extension(DdlContext& c, std::string_view name, bool missing_ok);

// A new object belongs to the extension whose definitions run, if any.
Status record_membership(DdlContext& c, const Address& object);

}  // namespace indigo::engine::ddl
