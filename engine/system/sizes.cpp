// Sizes of relations, databases and tablespaces: the memory they take (catalog/relation_memory.h), told apart as PostgreSQL
// tells its files apart.
#include "base/sqlstate.h"
#include "catalog/catalog.h"
#include "catalog/relation_memory.h"
#include "engine/row_sink.h"
#include "engine/system/privilege_check.h"
#include "storage/memory/memory_account.h"
#include "storage/table.h"

namespace indigo::engine {

namespace {

using catalog::DatabaseMemory;
using catalog::RelationMemory;

constexpr Oid kDefaultTablespace = 1663, kGlobalTablespace = 1664;

struct Sizes {
  uint64_t main = 0, table = 0, indexes = 0;
};

// Nothing when there is no such relation.
std::optional<Sizes> sizes_of(SessionParts& session, Oid oid) {
  char kind = 0;
  CatalogRows rows(session);
  if (!rows.find(catalog::pg_class::kOid, oid, [&](RowReader row) { kind = row.chr(catalog::pg_class::c_relkind); }))
    return std::nullopt;
  if (kind != 'i') {
    const auto relation = session.session_catalog().relation(oid);
    if (relation == nullptr || relation->table == nullptr) return Sizes{};
    const RelationMemory memory(*relation);
    return Sizes{memory.main(), memory.table(), memory.indexes()};
  }
  Oid table = kInvalidOid;
  rows.find(catalog::pg_index::kOid, oid, [&](RowReader row) { table = row.oid(catalog::pg_index::c_indrelid); });
  const auto relation = session.session_catalog().relation(table);
  if (relation == nullptr || relation->table == nullptr) return Sizes{};
  const uint64_t bytes = RelationMemory(*relation).index(oid);
  return Sizes{bytes, bytes, 0};
}

OwnedDatum bytes_value(uint64_t bytes) { return value_of(static_cast<int64_t>(bytes)); }

Result<OwnedDatum> relation_size(SessionParts& session, std::span<const Datum> arguments) {
  const auto sizes = sizes_of(session, arguments[0].oid());
  if (!sizes) return null_value(Phys::kI64);
  const Str fork = arguments.size() > 1 ? arguments[1].str : Str("main");
  if (fork == "main") return bytes_value(sizes->main);
  if (fork == "fsm" || fork == "vm" || fork == "init") return value_of(int64_t{0});
  return Error(sqlstate::kInvalidParameterValue, "invalid fork name")
      .with_hint("Valid fork names are \"main\", \"fsm\", \"vm\", and \"init\".");
}
Result<OwnedDatum> table_size(SessionParts& session, std::span<const Datum> arguments) {
  const auto sizes = sizes_of(session, arguments[0].oid());
  return sizes ? bytes_value(sizes->table) : null_value(Phys::kI64);
}
Result<OwnedDatum> indexes_size(SessionParts& session, std::span<const Datum> arguments) {
  const auto sizes = sizes_of(session, arguments[0].oid());
  return sizes ? bytes_value(sizes->indexes) : null_value(Phys::kI64);
}
Result<OwnedDatum> total_size(SessionParts& session, std::span<const Datum> arguments) {
  const auto sizes = sizes_of(session, arguments[0].oid());
  return sizes ? bytes_value(sizes->table + sizes->indexes) : null_value(Phys::kI64);
}

// ---- databases and tablespaces

// What PostgreSQL asks for before it tells a size. False: there is no such object, and the user may know.
Result<bool> may_see_size(SessionParts& session, const ObjectClass& of, Oid object, uint32_t privilege,
                          std::string_view kind, int name_column) {
  std::string name;
  const bool exists =
      CatalogRows(session).find(of.source.table, object, [&](RowReader row) { name = row.str(name_column); });
  const Oid user = session.user();
  const bool reads_all = session.session_catalog().has_privileges_of(user, oid::kReadAllStatsRole);
  if (!exists) {
    const bool may_know =
        of.source.table == catalog::pg_database::kOid ? session.session_catalog().is_superuser(user) : reads_all;
    if (may_know) return false;
    return Error(kind == "database" ? sqlstate::kInvalidCatalogName : sqlstate::kUndefinedObject,
                 std::string(kind) + " with OID " + std::to_string(object) + " does not exist");
  }
  const WantedPrivilege wanted{privilege, false};
  INDIGO_ASSIGN(const OwnedDatum allowed, check_object(session, of, user, object, {&wanted, 1}));
  if (reads_all || (!allowed.get().null && allowed.get().b)) return true;
  return Error(sqlstate::kInsufficientPrivilege, "permission denied for " + std::string(kind) + " " + name);
}

Result<OwnedDatum> size_of_database(SessionParts& session, Oid oid) {
  INDIGO_ASSIGN(const bool exists, may_see_size(session, kDatabaseClass, oid, types::kPrivilegeConnect, "database",
                                                catalog::pg_database::c_datname));
  if (!exists) return null_value(Phys::kI64);
  const auto database = session.session_catalog().catalog().database(oid);
  return database == nullptr ? null_value(Phys::kI64) : bytes_value(catalog::memory_of(*database).total());
}
Result<OwnedDatum> database_size(SessionParts& session, std::span<const Datum> arguments) {
  return size_of_database(session, arguments[0].oid());
}
Result<OwnedDatum> database_size_by_name(SessionParts& session, std::span<const Datum> arguments) {
  INDIGO_ASSIGN(const Oid oid, find_object(session, kDatabaseClass, arguments[0].str));
  return size_of_database(session, oid);
}

// Everything lies in the default tablespace, but for what all databases share.
Result<OwnedDatum> size_of_tablespace(SessionParts& session, Oid oid) {
  if (oid != kDefaultTablespace) {  // every database's own, where no privilege is asked for
    INDIGO_ASSIGN(const bool exists, may_see_size(session, kTablespaceClass, oid, types::kPrivilegeCreate, "tablespace",
                                                  catalog::pg_tablespace::c_spcname));
    if (!exists) return null_value(Phys::kI64);
  }
  catalog::Catalog& all = session.session_catalog().catalog();
  if (oid == kGlobalTablespace) return bytes_value(catalog::memory_of(all.shared_tables()).total());
  if (oid != kDefaultTablespace) return bytes_value(0);
  uint64_t bytes = 0;
  for (const auto& database : all.databases()) bytes += catalog::memory_of(*database).total();
  return bytes_value(bytes);
}
Result<OwnedDatum> tablespace_size(SessionParts& session, std::span<const Datum> arguments) {
  return size_of_tablespace(session, arguments[0].oid());
}
Result<OwnedDatum> tablespace_size_by_name(SessionParts& session, std::span<const Datum> arguments) {
  INDIGO_ASSIGN(const Oid oid, find_object(session, kTablespaceClass, arguments[0].str));
  return size_of_tablespace(session, oid);
}

constexpr SystemValue kSizesValues[] = {
    {"pg_relation_size", relation_size},         {"pg_table_size", table_size},
    {"pg_indexes_size", indexes_size},           {"pg_total_relation_size", total_size},
    {"pg_database_size_oid", database_size},     {"pg_database_size_name", database_size_by_name},
    {"pg_tablespace_size_oid", tablespace_size}, {"pg_tablespace_size_name", tablespace_size_by_name},
};

void database_rows(Oid database, const DatabaseMemory& memory, const SystemRowSink& sink) {
  using storage::memory_kind_name;
  using storage::MemoryKind;
  const std::pair<const char*, uint64_t> kinds[] = {
      {memory_kind_name(MemoryKind::kLeaves), memory.leaf_bytes},
      {memory_kind_name(MemoryKind::kInnerNodes), memory.inner_node_bytes},
      {memory_kind_name(MemoryKind::kVersions), memory.version_bytes},
      {memory_kind_name(MemoryKind::kLargeRows), memory.large_row_bytes},
      {memory_kind_name(MemoryKind::kIndexes), memory.index_bytes},
      {"built-in rows", memory.built_in_bytes},
      {"sequences", memory.sequence_bytes},
  };
  for (const auto& [kind, bytes] : kinds) {
    const Datum row[] = {Datum::of_oid(database), text_datum(kind), Datum::of(static_cast<int64_t>(bytes))};
    sink(row);
  }
}

// Those of no database first, with OID 0.
Status database_memory_rows(SessionParts& session, std::span<const Datum>, const SystemRowSink& sink) {
  catalog::Catalog& all = session.session_catalog().catalog();
  database_rows(kInvalidOid, catalog::memory_of(all.shared_tables()), sink);
  for (const auto& database : all.databases()) database_rows(database->oid(), catalog::memory_of(*database), sink);
  return {};
}

constexpr SystemRows kSizesRows[] = {{"indigo_stat_get_database_memory", database_memory_rows}};

}  // namespace

std::span<const SystemValue> size_values() { return kSizesValues; }
std::span<const SystemRows> size_rows() { return kSizesRows; }

}  // namespace indigo::engine
