// Sizes of tables and databases: the memory of their trees, versions and indexes.
#include "engine/session/session_impl.h"
#include "engine/system/families.h"

namespace indigo::engine {

namespace {

int64_t table_bytes(SessionImpl& session, Oid relation) {
  auto info = session.session_catalog().relation(relation);
  return info && info->table ? static_cast<int64_t>(info->table->statistics().bytes) : 0;
}

Result<OwnedDatum> relation_size(SessionImpl& session, std::span<const Datum> arguments) {
  if (!session.session_catalog().relation(arguments[0].oid())) return null_value(Phys::kI64);
  if (arguments.size() > 1 && arguments[1].str != "main") return value_of(int64_t{0});
  return value_of(table_bytes(session, arguments[0].oid()));
}
// A table's statistics include its secondary indexes: they are not told apart.
Result<OwnedDatum> indexes_size(SessionImpl& session, std::span<const Datum> arguments) {
  if (!session.session_catalog().relation(arguments[0].oid())) return null_value(Phys::kI64);
  return value_of(int64_t{0});
}
Result<OwnedDatum> database_size(SessionImpl& session, std::span<const Datum>) {
  return value_of(static_cast<int64_t>(session.store().statistics().bytes));
}

constexpr SystemValue kValues[] = {
    {"pg_relation_size", relation_size},       {"pg_table_size", relation_size},
    {"pg_total_relation_size", relation_size}, {"pg_indexes_size", indexes_size},
    {"pg_database_size_oid", database_size},   {"pg_database_size_name", database_size},
    {"pg_tablespace_size_oid", database_size}, {"pg_tablespace_size_name", database_size},
};

}  // namespace

std::span<const SystemValue> size_values() { return kValues; }

}  // namespace indigo::engine
