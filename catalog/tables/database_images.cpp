#include "catalog/tables/database_images.h"

#include "catalog/tables/system_table.h"
#include "types/oids.h"

namespace indigo::catalog {

namespace database_images {

namespace {

constexpr StaticColumn kColumns[] = {
    {"datid", oid::kOid, 0, Phys::kI32, true, 0, false, 0, nullptr, nullptr},
    {"name", oid::kName, oid::kCCollation, Phys::kStr, true, 0, false, 0, nullptr, nullptr},
    {"image", oid::kOid, 0, Phys::kI32, true, 0, false, 0, nullptr, nullptr},
    {"created", oid::kInt8, 0, Phys::kI64, true, 0, false, 0, nullptr, nullptr},
};
constexpr uint8_t kKey[] = {kDatid, kName};

}  // namespace

const StaticTable kTable = {kOid, "indigo_database_images", 0, 0, "", true, 4, 2, 0, kColumns, kKey};

}  // namespace database_images

std::vector<DatabaseImage> read_images(const SystemTables& shared, storage::Transaction& txn) {
  std::vector<DatabaseImage> out;
  shared.find(database_images::kOid)->scan(txn, {}, [&](RowReader row) {
    out.push_back({row.oid(database_images::kDatid), std::string(row.str(database_images::kName)),
                   row.oid(database_images::kImage), row.i64(database_images::kCreated)});
    return true;
  });
  return out;
}

}  // namespace indigo::catalog
