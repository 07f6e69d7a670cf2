// pg_import_system_collations.
#include "base/sqlstate.h"
#include "catalog/descriptor/session_catalog.h"
#include "engine/ddl/object/collation.h"
#include "engine/session/session_parts.h"
#include "engine/system/catalog_rows.h"
#include "engine/system/families.h"
#include "engine/utility/definition_host.h"

namespace indigo::engine {

namespace {

Result<OwnedDatum> import_system_collations(SessionParts& session, std::span<const Datum> arguments) {
  if (!session.is_superuser())
    return Error(sqlstate::kInsufficientPrivilege, "must be superuser to import system collations");
  const Oid schema = arguments[0].oid();
  if (!CatalogRows(session).find(catalog::pg_namespace::kOid, schema, [](RowReader) {})) {
    return Error(sqlstate::kInvalidSchemaName, "schema with OID " + std::to_string(schema) + " does not exist");
  }
  INDIGO_TRY(session.begin_statement());
  DefinitionHost host(session, nullptr);
  DdlContext context{session.session_catalog(), session.transaction(), host, {}};
  INDIGO_ASSIGN(const int32_t made, ddl::import_collations(context, schema));
  return OwnedDatum(Datum::of(made));
}

constexpr SystemValue kCollationValues[] = {{"pg_import_system_collations", import_system_collations}};

}  // namespace

std::span<const SystemValue> collation_values() { return kCollationValues; }

}  // namespace indigo::engine
