// One database, in one of its images: its system tables, the physical objects behind pg_class.relfilenode, and the shared
// cache of descriptors for the newest committed state.
//
// Cache protocol: a reader notes the invalidation count, builds the descriptor from the newest committed rows, and
// publishes it only if the count has not moved. A commit of DDL, after its commit point, first moves the count, then
// erases what it changed. So nothing stale stays.
//
// Images: what a database is made of lies in the log under the image's OID, at first the database's own. Putting a database
// back makes a new image, which takes the place of the one before while no session works in it (`closed`, engine/session/
// database_hold.h); an image that was put aside is a Database with an OID of its own, which nobody connects to.
// Thread safety: all functions are safe from any thread.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/error.h"
#include "base/ids.h"
#include "catalog/change_log.h"
#include "catalog/descriptor/relation_parts.h"
#include "catalog/tables/sequence.h"
#include "catalog/types.h"
#include "types/value/locale.h"

namespace indigo::storage {
class Table;
}

namespace indigo::catalog {

class Catalog;
class SystemTable;
class SystemTables;
struct RelationInfo;

// What a relfilenode stands for: one of the three.
struct PhysicalRelation {
  std::shared_ptr<storage::Table> table;
  IndexId index;
  // Of an index, by key column: the order whose labels are in its entries; null where keys are the values' own. Empty: all are.
  std::vector<std::shared_ptr<const types::Collator>> orders = {};
  std::shared_ptr<Sequence> sequence;
};

// Locks of tables and other objects: LockName.object in space kTable. One number space for all databases; shared objects
// have database 0.
constexpr uint64_t lock_object(Oid database, Oid object) { return (uint64_t{database} << 32) | object; }

class Database : public std::enable_shared_from_this<Database> {
 public:
  Database(Catalog& catalog, Oid oid, std::string name, Oid image, const types::Locale& locale);
  ~Database();

  Oid oid() const { return oid_; }
  Oid image() const { return image_; }
  std::string name() const;
  void set_name(std::string_view name);
  Catalog& catalog() { return catalog_; }
  // What the collation "default" stands for, for as long as the database lives; null: C order, ASCII's letters.
  const types::Locale& locale() const { return locale_; }
  const types::Collator* collator() const { return collator_; }
  const types::Letters* letters() const { return letters_; }
  const types::Collator* case_insensitive() const { return case_insensitive_; }  // citext's order
  // The system table, shared ones included.
  SystemTable& table(Oid oid) const;
  SystemTable* find_table(Oid oid) const;
  const SystemTables& tables() const { return *tables_; }

  // ---- physical objects by file number
  void add_physical(Oid filenode, PhysicalRelation relation);
  void remove_physical(Oid filenode);
  PhysicalRelation physical(Oid filenode) const;
  // All that there are, those of transactions that are open and of such as have just ended included.
  std::unordered_map<Oid, PhysicalRelation> all_physical() const;
  // A counter behind a new file number; `kept`: in the log, too.
  Status add_sequence(Oid filenode, Sequence::State state, bool kept);

  // ---- shared cache
  uint64_t version() const { return version_.load(std::memory_order_acquire); }
  uint64_t next_private_version() {
    return private_version_.fetch_add(1, std::memory_order_relaxed) | (uint64_t{1} << 63);
  }
  std::shared_ptr<const RelationInfo> cached_relation(Oid oid) const;
  OutdatedRelations::Outdated outdated_relation(Oid oid) const;
  std::shared_ptr<const TypeInfo> cached_type(Oid oid) const;
  // Grows with version(), and when forget() is called, too.
  uint64_t cache_version() const { return cache_version_.load(std::memory_order_acquire); }
  // Publish if cache_version() is still `seen`.
  void publish(uint64_t seen, std::shared_ptr<const RelationInfo> relation);
  void publish(uint64_t seen, std::shared_ptr<const TypeInfo> type);
  // Committed DDL: objects (pg_class or pg_type OIDs) whose descriptors it changed, of relations' these parts; kInvalidOid:
  // everything. Plans depend on `keys`; all plans, when `everything`. Answers the version that it makes.
  uint64_t invalidate(std::span<const Oid> objects, std::span<const DependenceKey> keys, bool everything,
                      RelationParts parts = RelationParts::kAll);
  // Whether something of `on` was changed after `version`.
  bool touched_since(uint64_t version, const Dependences& on) const;
  // The same of one session's temporary objects: what other sessions have made of the catalog stays as it is.
  void forget(std::span<const Oid> objects);

  // How many descriptors of relations have been made of rows: what tests count as the work of definitions.
  uint64_t relations_built() const { return relations_built_.load(std::memory_order_relaxed); }
  void count_built() { relations_built_.fetch_add(1, std::memory_order_relaxed); }
  // And how many of some rows, and of the descriptor that there was.
  uint64_t relations_renewed() const { return relations_renewed_.load(std::memory_order_relaxed); }
  void count_renewed() { relations_renewed_.fetch_add(1, std::memory_order_relaxed); }

  // Sessions that use this database, whichever image they have seen last (SessionCatalog counts itself).
  int session_count() const { return sessions_->load(std::memory_order_relaxed); }
  void add_session(int change) { sessions_->fetch_add(change, std::memory_order_relaxed); }

  // ---- images
  // Before anybody knows this one: it will follow `before`, whose sessions are its own.
  void follow(const Database& before) { sessions_ = before.sessions_; }
  // In the place of `before`, which stays for those who still read it. What was made of that is outdated.
  void replace(Database& before);
  bool replaced() const { return replaced_.load(std::memory_order_acquire); }  // pairs with replace
  // Nobody begins to work in it. False: somebody else has closed it.
  bool close() { return !closed_.exchange(true, std::memory_order_acq_rel); }
  void open() { closed_.store(false, std::memory_order_release); }
  bool closed() const { return closed_.load(std::memory_order_acquire); }

  // ---- sessions' temporary schemas: numbers in use
  int take_temp_number();
  void return_temp_number(int number);

 private:
  Catalog& catalog_;
  const Oid oid_, image_;
  const types::Locale locale_;
  const types::Collator* const collator_;
  const types::Letters* const letters_;
  const types::Collator* const case_insensitive_;
  std::string name_;
  std::unique_ptr<SystemTables> tables_;
  mutable std::shared_mutex mutex_;  // guards the maps, name_, changes_ and temp_numbers_
  std::unordered_map<Oid, PhysicalRelation> physical_;
  std::unordered_map<Oid, std::shared_ptr<const RelationInfo>> relations_;
  OutdatedRelations outdated_;
  std::unordered_map<Oid, std::shared_ptr<const TypeInfo>> types_;
  ChangeLog changes_;  // by version_
  std::vector<bool> temp_numbers_;
  std::shared_ptr<std::atomic<int>> sessions_ = std::make_shared<std::atomic<int>>(0);
  std::atomic<bool> replaced_{false}, closed_{false};
  std::atomic<uint64_t> relations_built_{0}, relations_renewed_{0};
  void erase_cached(std::span<const Oid> objects, RelationParts parts);

  std::atomic<uint64_t> version_{1};
  std::atomic<uint64_t> cache_version_{1};
  std::atomic<uint64_t> private_version_{1};
};

}  // namespace indigo::catalog
