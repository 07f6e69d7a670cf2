// The catalog out of what recovery has found: system tables first, then what their rows name.
#include "base/sqlstate.h"
#include "catalog/catalog.h"
#include "catalog/descriptor/info_builder.h"
#include "catalog/generated/columns.h"
#include "catalog/tables/database_images.h"
#include "catalog/tables/overlay_table.h"
#include "log/file_error.h"
#include "log/record_stream.h"
#include "storage/durability.h"
#include "storage/store.h"
#include "types/oids.h"

namespace indigo::catalog {

using storage::StorageStatus;

namespace {

constexpr Oid kOidsAhead = 1024;

}  // namespace

std::shared_ptr<storage::Table> RestoredObjects::take(log::DurableId id) {
  const auto at = tables.find(id);
  if (at == tables.end()) return nullptr;
  auto table = std::move(at->second);
  tables.erase(at);
  return table;
}

Oid Catalog::next_oid() {
  const Oid oid = next_oid_.fetch_add(1, std::memory_order_relaxed);
  log::Log& log = storage::log_of(store_);
  Oid bound = oid_bound_.load();
  if (!log.records() || oid < bound) return oid;
  // Before anything that uses the OID is in the log. If there is no room, nothing that uses it commits, either.
  std::string operation;
  log::encode_oids(oid + kOidsAhead, operation);
  Lsn lsn;
  if (log::append_notes(log, operation, lsn) != log::Log::Outcome::kOk) return oid;
  while (bound < oid + kOidsAhead && !oid_bound_.compare_exchange_weak(bound, oid + kOidsAhead)) {
  }
  return oid;
}

void Catalog::register_sequence(const std::shared_ptr<Sequence>& sequence) {
  if (!storage::log_of(store_).records()) return;
  std::lock_guard guard(sequences_mutex_);
  sequences_.push_back(sequence);
}

std::vector<std::shared_ptr<Sequence>> Catalog::sequences() {
  std::vector<std::shared_ptr<Sequence>> out;
  std::lock_guard guard(sequences_mutex_);
  std::erase_if(sequences_, [&](const std::weak_ptr<Sequence>& weak) {
    auto sequence = weak.lock();
    if (sequence == nullptr) return true;
    out.push_back(std::move(sequence));
    return false;
  });
  return out;
}

Result<std::unique_ptr<Catalog>> Catalog::restore(storage::Store& store, RestoredObjects& restored) {
  std::unique_ptr<Catalog> catalog(new Catalog(store));
  catalog->next_oid_ = std::max<Oid>(restored.next_oid, oid::kFirstUserOid);
  catalog->oid_bound_ = catalog->next_oid_.load();
  INDIGO_TRY(catalog->restore_system_tables(*catalog->shared_, kInvalidOid, restored));
  INDIGO_TRY(catalog->restore_databases(restored));
  return catalog;
}

Status Catalog::restore_system_tables(const SystemTables& tables, Oid database, RestoredObjects& restored) {
  for (const auto& table : tables.all()) {
    auto upper = restored.take(durable_id(database, table->oid()));
    if (upper == nullptr) continue;
    if (table->storage()->restore(std::move(upper)) != StorageStatus::kOk) {
      return Error(sqlstate::kDataCorrupted,
                   "the rows of system table " + std::string(table->definition().name) + " contradict its indexes");
    }
  }
  return {};
}

namespace {

// Says how values of users' types compare within others (Catalog::note_member_order), before indexes are made that hold such.
void note_member_orders(Database& database, storage::Transaction& txn) {
  std::vector<Oid> found;
  database.table(pg_type::kOid).scan(txn, {}, [&](RowReader row) {
    if (row.oid(pg_type::c_oid) >= oid::kFirstUserOid && row.chr(pg_type::c_typtype) != 'c')
      found.push_back(row.oid(pg_type::c_oid));
    return true;
  });
  const InfoBuilder::CollatorLookup collators = [](Oid) { return nullptr; };
  const InfoBuilder::TypeLookup types = [&](Oid oid) { return InfoBuilder(database, txn, types, collators).type(oid); };
  for (const Oid oid : found) types(oid);
}

}  // namespace

Status Catalog::restore_databases(RestoredObjects& restored) {
  auto txn = store_.begin(storage::Isolation::kReadCommitted, 0);
  struct Found {
    Oid oid;
    std::string name;
    types::Locale locale;
  };
  std::vector<Found> found;
  shared_->find(pg_database::kOid)->scan(*txn, {}, [&](RowReader row) {
    found.push_back({row.oid(pg_database::c_oid), std::string(row.str(pg_database::c_datname)), locale_of(row)});
    return true;
  });
  const std::vector<DatabaseImage> images = read_images(*shared_, *txn);
  const auto fill = [&](Database& database) -> Status {
    INDIGO_TRY(restore_system_tables(database.tables(), database.image(), restored));
    note_member_orders(database, *txn);
    return restore_physical(database, *txn, restored);
  };
  Status status;
  for (const auto& [oid, name, locale] : found) {
    Oid image = oid;
    for (const DatabaseImage& i : images) {
      if (i.database == oid && i.in_use()) image = i.image;
    }
    auto database = std::make_shared<Database>(*this, oid, name, image, locale);
    status = fill(*database);
    if (!status.ok()) break;
    publish(std::move(database));
  }
  for (const DatabaseImage& i : images) {
    if (!status.ok() || i.in_use()) continue;
    const auto of = std::find_if(found.begin(), found.end(), [&](const Found& d) { return d.oid == i.database; });
    auto snapshot = make_snapshot(i.image, i.name, of == found.end() ? types::Locale() : of->locale);
    status = fill(*snapshot);
    if (status.ok()) keep_snapshot(std::move(snapshot));
  }
  store_.rollback(*txn);
  return status;
}

Status Catalog::restore_physical(Database& database, storage::Transaction& txn, RestoredObjects& restored) {
  struct Item {
    Oid oid, filenode;
    char kind;
    bool kept;
  };
  std::vector<Item> items;
  database.table(pg_class::kOid).scan(txn, {}, [&](RowReader row) {
    const Oid oid = row.oid(pg_class::c_oid);
    if (oid >= oid::kFirstUserOid) {
      items.push_back({oid, row.oid(pg_class::c_relfilenode), row.chr(pg_class::c_relkind),
                       row.chr(pg_class::c_relpersistence) != 't'});
    }
    return true;
  });
  for (const Item& item : items) {
    const log::DurableId id = durable_id(database.image(), item.filenode);
    PhysicalRelation physical;
    if (item.kind == 'r' || item.kind == 'm') {
      physical.table = restored.take(id);
      if (physical.table == nullptr) {
        physical.table = storage::create_durable_table(store_, item.kept ? id : log::DurableId());
      }
    } else if (item.kind == 'S') {
      Sequence::State state{1, false};
      if (const auto at = restored.sequences.find(id); at != restored.sequences.end()) state = at->second;
      physical.sequence = std::make_shared<Sequence>(state.last_value, state.is_called);
      if (item.kept) {
        register_sequence(physical.sequence);
        physical.sequence->attach(storage::log_of(store_), id);
      }
    } else {
      continue;
    }
    database.add_physical(item.filenode, std::move(physical));
  }
  return {};
}

}  // namespace indigo::catalog
