// Relations as a session finds them: by OID or name, kept, or built from their rows.
#include "base/fiber/stack_exhausted.h"
#include "catalog/catalog.h"
#include "catalog/database.h"
#include "catalog/descriptor/info_builder.h"
#include "catalog/descriptor/session_catalog.h"
#include "catalog/generated/columns.h"
#include "catalog/tables/system_indexes.h"
#include "types/oids.h"

namespace indigo::catalog {

std::shared_ptr<const RelationInfo> SessionCatalog::relation(Oid oid) {
  auto found = newest_relation(oid);
  return found == nullptr || found->detaching.empty() ? found : in_snapshot(found);
}

namespace {

constexpr int kMostTries = 20;

// Whether it lacks what every relation of its kind has.
bool is_torn(const RelationInfo& r) {
  if (r.kind == RelationKind::kPartitionedTable) return r.partition_key == nullptr || r.partition_map == nullptr;
  return r.kind == RelationKind::kTable && r.table == nullptr && r.persistence != 't';
}

}  // namespace

std::shared_ptr<const RelationInfo> SessionCatalog::newest_relation(Oid oid) {
  refresh();
  if (recording_ != nullptr) recording_->add(object_key(oid));
  if (const auto it = by_oid_.find(oid); it != by_oid_.end()) {
    auto kept = it->second;
    if (recording_ != nullptr) record(*kept);
    return kept;
  }
  require_stack();  // its columns have types, which have columns
  std::shared_ptr<const RelationInfo> found;
  uint64_t begun = local_version_;
  for (int tries = 0;; tries++) {
    begun = local_version_;
    if (!changed_here(oid)) found = database_->cached_relation(oid);
    if (found != nullptr) break;
    const uint64_t seen = database_->cache_version();
    found = build_relation(oid, changed_here(oid) ? outdated_.find(oid) : database_->outdated_relation(oid));
    if (found == nullptr) return nullptr;
    // Its rows were read one after the other: others may have changed some of them in between.
    const bool torn = !changed_here(oid) && is_torn(*found), settled = version() == begun;
    if ((settled && !torn) || tries == kMostTries) {
      if (torn && found->is_partitioned()) return nullptr;  // who drops it is not done yet
      if (settled && !private_) database_->publish(seen, found);
      break;
    }
    found = nullptr;
    refresh();
  }
  if (recording_ != nullptr) record(*found);
  if (local_version_ == begun && !is_foreign_temporary(*found)) {
    by_oid_[oid] = found;
    outdated_.erase(oid);
  }
  return found;
}

std::shared_ptr<const RelationInfo> SessionCatalog::build_relation(Oid oid, const OutdatedRelations::Outdated& before) {
  return reading([&](storage::Transaction& txn) {
    InfoBuilder builder(
        *database_, txn, [this](Oid t) { return type(t); }, [this](Oid c) { return collator(c); });
    if (before.relation != nullptr) {
      database_->count_renewed();
      return builder.renewed(*before.relation, before.parts);
    }
    database_->count_built();
    return builder.relation(oid);
  });
}

std::shared_ptr<const RelationInfo> SessionCatalog::find_head(std::string_view schema, std::string_view name) {
  const auto head = [&](Oid where) -> std::shared_ptr<const RelationInfo> {
    const Oid oid = where == kInvalidOid ? kInvalidOid : relation_oid(where, name);
    if (oid == kInvalidOid) return nullptr;
    if (const auto it = by_oid_.find(oid); it != by_oid_.end()) return it->second;
    if (!changed_here(oid)) {
      if (auto found = database_->cached_relation(oid)) return found;
    }
    return reading([&](storage::Transaction& txn) {
      return InfoBuilder(
                 *database_, txn, [this](Oid t) { return type(t); }, [this](Oid c) { return collator(c); })
          .head(oid);
    });
  };
  refresh();
  if (!schema.empty()) return head(schema_named(schema));
  for (const Oid where : search_path()) {
    if (auto found = head(where)) return found;
  }
  return nullptr;
}

std::shared_ptr<const RelationInfo> SessionCatalog::with_index(const RelationInfo& relation, Oid index) {
  return reading([&](storage::Transaction& txn) {
    return InfoBuilder(
               *database_, txn, [this](Oid t) { return type(t); }, [this](Oid c) { return collator(c); })
        .with_index(relation, index);
  });
}

Oid SessionCatalog::relation_oid(Oid schema, std::string_view name) {
  record_name(name);
  Oid out = kInvalidOid;
  reading([&](storage::Transaction& txn) {
    database_->table(pg_class::kOid)
        .scan_index(txn, system_index::kClassName, {Datum::of(Str(name)), Datum::of_oid(schema)}, [&](RowReader row) {
          out = row.oid(pg_class::c_oid);
          return false;
        });
  });
  return out;
}

std::shared_ptr<const RelationInfo> SessionCatalog::relation_named(Oid schema, std::string_view name) {
  if (schema == kInvalidOid) return nullptr;
  const Oid found = relation_oid(schema, name);
  return found == kInvalidOid ? nullptr : relation(found);
}

std::shared_ptr<const RelationInfo> SessionCatalog::find_along_path(std::string_view name) {
  for (const Oid schema : search_path()) {
    if (auto found = relation_named(schema, name)) return found;
  }
  return nullptr;
}

std::shared_ptr<const RelationInfo> SessionCatalog::find_relation(std::string_view schema, std::string_view name) {
  refresh();
  char buffer[160];
  std::string spilled;
  std::string_view key;
  if (schema.empty()) {
    key = name;
  } else if (schema.size() + name.size() + 1 <= sizeof buffer) {
    std::copy(schema.begin(), schema.end(), buffer);
    buffer[schema.size()] = '\0';
    std::copy(name.begin(), name.end(), buffer + schema.size() + 1);
    key = {buffer, schema.size() + 1 + name.size()};
  } else {
    spilled.append(schema).append(1, '\0').append(name);
    key = spilled;
  }
  record_name(name);
  if (const auto it = by_name_.find(key); it != by_name_.end()) {
    auto kept = it->second;
    if (recording_ != nullptr) record(*kept);
    return kept;
  }
  const uint64_t begun = local_version_;
  auto found = schema.empty() ? find_along_path(name) : relation_named(schema_named(schema), name);
  // A missing name is not kept: creating it later changes the version, but probing many names would fill memory.
  if (found != nullptr && local_version_ == begun && !is_foreign_temporary(*found) && found->detaching.empty()) {
    by_name_.emplace(std::string(key), found);
  }
  return found;
}

}  // namespace indigo::catalog
