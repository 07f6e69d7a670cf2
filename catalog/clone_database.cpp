// CREATE DATABASE: all tables of another one, cloned at one moment.
#include <set>

#include "catalog/catalog.h"
#include "catalog/generated/columns.h"
#include "catalog/tables/overlay_table.h"
#include "storage/clone.h"
#include "storage/table.h"
#include "types/oids.h"

namespace indigo::catalog {

namespace {

// What the moment had of users' tables, whether the catalog of that moment names it or not.
struct Clones {
  struct ClonedTable {
    std::shared_ptr<storage::Table> table;
    std::vector<IndexId> indexes;
    bool named = false;
  };
  std::unordered_map<Oid, ClonedTable> tables;  // by file number
  std::unordered_map<uint64_t, IndexId> indexes;
  std::unordered_map<Oid, IndexId> index_files;  // by file number: the source's
  std::unordered_map<Oid, Sequence::State> sequences;
};

Clones clone_everything(storage::Cloner& cloner, storage::Store& store, const Database& source, Database& target) {
  Clones out;
  for (const auto& system : source.tables().all()) {
    system->storage()->clone_changes(cloner, *target.table(system->oid()).storage());
  }
  for (const auto& [file, physical] : source.all_physical()) {
    if (physical.table != nullptr) {
      Clones::ClonedTable& t = out.tables[file];
      t.table = cloner.clone(*physical.table, durable_id(target.image(), file), [&](IndexId id) {
        return t.indexes.emplace_back(out.indexes[id.value] = IndexId(store.next_id().value));
      });
    } else if (physical.sequence != nullptr) {
      out.sequences.emplace(file, physical.sequence->state());
    } else {
      out.index_files.emplace(file, physical.index);
    }
  }
  return out;
}

Status adopt_physical(Clones& clones, storage::Transaction& txn, const Database& source, Database& target) {
  struct Relation {
    Oid file;
    bool kept;
  };
  std::vector<Relation> named;
  target.table(pg_class::kOid).scan(txn, {}, [&](RowReader row) {
    const Oid file = row.oid(pg_class::c_relfilenode);
    if (row.oid(pg_class::c_oid) >= oid::kFirstUserOid && file != kInvalidOid) {
      named.push_back({file, row.chr(pg_class::c_relpersistence) != 't'});
    }
    return true;
  });
  std::set<IndexId> indexes;
  for (const Relation& r : named) {
    PhysicalRelation physical;
    if (const auto t = clones.tables.find(r.file); t != clones.tables.end()) {
      physical.table = t->second.table;
      t->second.named = true;
    } else if (const auto i = clones.index_files.find(r.file); i != clones.index_files.end()) {
      const auto id = clones.indexes.find(i->second.value);
      if (id == clones.indexes.end()) continue;
      physical.index = id->second;
      physical.orders = source.physical(r.file).orders;  // entries are shared, and with them their labels
      indexes.insert(physical.index);
    } else if (const auto s = clones.sequences.find(r.file); s != clones.sequences.end()) {
      INDIGO_TRY(target.add_sequence(r.file, s->second, r.kept));
      continue;
    } else {
      continue;
    }
    target.add_physical(r.file, std::move(physical));
  }
  for (auto& [file, t] : clones.tables) {
    if (!t.named) continue;
    for (const IndexId id : t.indexes) {
      if (!indexes.contains(id)) t.table->drop_index(id);
    }
  }
  return {};
}

}  // namespace

Status Catalog::clone_database(storage::Transaction& txn, Database& source, Database& target,
                               storage::StorageStatus& failure) {
  Clones clones;
  failure = storage::clone_tables(
      store_, [&](storage::Cloner& cloner) { clones = clone_everything(cloner, store_, source, target); });
  if (failure != storage::StorageStatus::kOk) return {};
  return adopt_physical(clones, txn, source, target);
}

}  // namespace indigo::catalog
