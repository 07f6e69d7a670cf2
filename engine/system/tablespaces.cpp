// Where tablespaces are said to lie (engine/ddl/object/tablespace.h), and which databases have something in them.
#include "catalog/catalog.h"
#include "engine/system/catalog_rows.h"

namespace indigo::engine {

namespace {

Result<OwnedDatum> tablespace_location(SessionParts& session, std::span<const Datum> arguments) {
  namespace pg_shdescription = catalog::pg_shdescription;
  std::string location;
  CatalogRows(session).find(pg_shdescription::kOid, {arguments[0], Datum::of_oid(kInvalidOid)},
                            [&](RowReader row) { location = row.str(pg_shdescription::c_description); });
  return text_value(location);
}

Status tablespace_databases(SessionParts& session, std::span<const Datum> arguments, const SystemRowSink& sink) {
  namespace pg_class = catalog::pg_class;
  namespace pg_database = catalog::pg_database;
  const Oid tablespace = arguments[0].oid();
  catalog::SessionCatalog& view = session.session_catalog();
  for (const auto& database : view.catalog().databases()) {
    bool found = false;
    CatalogRows(session).find(pg_database::kOid, database->oid(),
                              [&](RowReader row) { found = row.oid(pg_database::c_dattablespace) == tablespace; });
    if (!found) {
      view.reading([&](storage::Transaction& txn) {
        database->table(pg_class::kOid).scan(txn, {}, [&](RowReader row) {
          found = row.oid(pg_class::c_reltablespace) == tablespace && row.oid(pg_class::c_relfilenode) != kInvalidOid;
          return !found;
        });
      });
    }
    const Datum row = Datum::of_oid(database->oid());
    if (found) sink({&row, 1});
  }
  return {};
}

constexpr SystemValue kTablespaceValues[] = {{"pg_tablespace_location", tablespace_location}};
constexpr SystemRows kTablespaceRows[] = {{"pg_tablespace_databases", tablespace_databases}};

}  // namespace

std::span<const SystemValue> tablespace_values() { return kTablespaceValues; }
std::span<const SystemRows> tablespace_rows() { return kTablespaceRows; }

}  // namespace indigo::engine
