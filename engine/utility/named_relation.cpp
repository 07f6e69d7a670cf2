#include <string>

#include "base/sqlstate.h"
#include "catalog/descriptor/session_catalog.h"
#include "engine/session/session_parts.h"
#include "engine/utility/utility.h"

namespace indigo::engine {

Result<std::shared_ptr<const catalog::RelationInfo>> named_relation(UtilityCall& call, const PgQuery__RangeVar& name) {
  const std::string database = name.catalogname, schema = name.schemaname, table = name.relname;
  auto& catalog = call.session.session_catalog();
  const std::string full = schema.empty() ? table : schema + "." + table;
  if (!database.empty() && database != catalog.database_name()) {
    return Error(sqlstate::kFeatureNotSupported,
                 "cross-database references are not implemented: \"" + database + "." + full + "\"");
  }
  if (!schema.empty()) {
    const Oid oid = catalog.schema_named(schema);
    if (oid == kInvalidOid) return Error(sqlstate::kInvalidSchemaName, "schema \"" + schema + "\" does not exist");
    if (!catalog.may_use_schema(oid)) {
      return Error(sqlstate::kInsufficientPrivilege, "permission denied for schema " + schema);
    }
  }
  auto relation = catalog.find_relation(schema, table);
  if (relation == nullptr) return Error(sqlstate::kUndefinedTable, "relation \"" + full + "\" does not exist");
  return relation;
}

}  // namespace indigo::engine
