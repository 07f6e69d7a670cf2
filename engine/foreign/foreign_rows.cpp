#include "engine/foreign/foreign_rows.h"

#include "base/sqlstate.h"
#include "catalog/descriptor/foreign_source.h"
#include "catalog/descriptor/session_catalog.h"
#include "engine/foreign/file_table.h"
#include "engine/foreign/remote_table.h"
#include "engine/session/session_parts.h"

namespace indigo::engine {

Result<std::unique_ptr<types::SetProducer>> open_foreign_rows(SessionParts& session, Oid oid,
                                                              const std::string& condition) {
  catalog::SessionCatalog& catalog = session.session_catalog();
  const auto relation = catalog.relation(oid);
  if (relation == nullptr) {
    return Error(sqlstate::kUndefinedTable, "relation with OID " + std::to_string(oid) + " does not exist");
  }
  INDIGO_TRY(catalog::check_reachable(*relation));
  const auto handler = catalog.function(relation->foreign->handler);
  if (handler != nullptr && handler->language == "c" && handler->source == "file_fdw_handler")
    return open_file_table(session, relation);
  if (handler != nullptr && handler->language == "c" && handler->source == "postgres_fdw_handler")
    return open_remote_table(session, relation, condition);
  return Error(sqlstate::kFeatureNotSupported,
               "reading tables of foreign-data wrapper \"" + relation->foreign->wrapper + "\" is not supported");
}

}  // namespace indigo::engine
