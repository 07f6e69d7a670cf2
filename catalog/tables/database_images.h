// The shared table of databases' images (catalog/database.h): the one that a database uses, where that is not its own OID's,
// and those that indigo_snapshot() has put aside. It has no row of pg_class: the view indigo_snapshots shows what users need.
#pragma once

#include <vector>

#include "catalog/tables/static_tables.h"

namespace indigo::storage {
class Transaction;
}

namespace indigo::catalog {

class SystemTables;

namespace database_images {
inline constexpr Oid kOid = 8040;
enum : int { kDatid, kName, kImage, kCreated };  // created: microseconds since 2000-01-01

// With the name of a snapshot; the empty name is the image in use.
extern const StaticTable kTable;
}  // namespace database_images

struct DatabaseImage {
  Oid database = kInvalidOid;
  std::string name;
  Oid image = kInvalidOid;
  int64_t created = 0;

  bool in_use() const { return name.empty(); }
};

// In the order of their databases and names.
std::vector<DatabaseImage> read_images(const SystemTables& shared, storage::Transaction& txn);

}  // namespace indigo::catalog
