#include "engine/settings/stored_settings.h"

#include "catalog/descriptor/lookup_transaction.h"
#include "catalog/generated/columns.h"
#include "catalog/tables/system_table.h"
#include "types/oids.h"
#include "types/value/array_format.h"

namespace indigo::engine {

std::vector<std::pair<std::string, std::string>> stored_settings(catalog::Catalog& catalog, Oid database, Oid role) {
  using namespace catalog;  // NOLINT(google-build-using-namespace): the column numbers
  const SystemTable& table = *catalog.shared_tables().find(pg_db_role_setting::kOid);
  const std::pair<Oid, Oid> keys[] = {
      {kInvalidOid, kInvalidOid}, {database, kInvalidOid}, {kInvalidOid, role}, {database, role}};
  return with_transaction(catalog.store(), nullptr, 0, [&](storage::Transaction& txn) {
    std::vector<std::pair<std::string, std::string>> out;
    for (const auto& [of_database, of_role] : keys) {
      std::string image;
      if (!table.find(txn, {Datum::of_oid(of_database), Datum::of_oid(of_role)}, image)) continue;
      for (const std::string& entry : read_texts(table.reader(image).str(pg_db_role_setting::c_setconfig))) {
        const size_t equals = entry.find('=');
        if (equals != std::string::npos) out.emplace_back(entry.substr(0, equals), entry.substr(equals + 1));
      }
    }
    return out;
  });
}

}  // namespace indigo::engine
