// All databases' system tables, built-in objects and shared caches of one Instance. Composition root of catalog/.
//
// A system table is the constant built-in rows (types/builtin/static_table.h) under a versioned storage table that holds what
// users changed (catalog/tables/overlay_table.h); so an instance starts without filling anything.
//
// Thread safety: all functions are safe from any thread. Databases live as long as someone holds them.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "base/error.h"
#include "catalog/database.h"
#include "catalog/tables/system_table.h"
#include "types/value/collator.h"
#include "types/value/letters.h"
#include "types/value/locale.h"

namespace indigo::types {
class Builtins;
}

namespace indigo::catalog {

// What the log and the checkpoints have kept, by name.
struct RestoredObjects {
  std::unordered_map<log::DurableId, std::shared_ptr<storage::Table>> tables;
  std::unordered_map<log::DurableId, Sequence::State> sequences;
  Oid next_oid = 0;

  std::shared_ptr<storage::Table> take(log::DurableId id);  // null when there is none
};

// What authentication and sessions need of a pg_authid row.
struct RoleInfo {
  Oid oid = kInvalidOid;
  std::string name;
  bool superuser = false, inherit = true, create_role = false, create_db = false, can_login = false;
  bool replication = false, bypass_rls = false;
  int32_t connection_limit = -1;
  std::string password;                // verifier; empty: none
  std::optional<int64_t> valid_until;  // of the password, as timestamptz
  std::vector<Oid> member_of;          // direct memberships (pg_auth_members)
};

class Catalog {
 public:
  // A fresh instance: databases postgres, template0, template1; role postgres; and a superuser role and a database named
  // `os_user` when that is neither empty nor "postgres". All databases have the locale.
  static Result<std::unique_ptr<Catalog>> create(storage::Store& store, std::string_view os_user,
                                                 const types::Locale& locale = {});
  // As a recovery has found it, without the secondary indexes of users' tables. Takes what it names out of `restored`.
  static Result<std::unique_ptr<Catalog>> restore(storage::Store& store, RestoredObjects& restored);
  ~Catalog();

  storage::Store& store() { return store_; }
  const types::Builtins& builtins() const { return *builtins_; }
  const SystemTables& shared_tables() const { return *shared_; }

  // Newest committed state; null when there is none.
  std::shared_ptr<Database> database_named(std::string_view name);
  std::shared_ptr<Database> database(Oid oid);
  // An empty database object with that OID (its pg_database row is the caller's business). Dropped again with forget.
  std::shared_ptr<Database> make_database(Oid oid, std::string_view name, const types::Locale& locale);
  // Gives an empty database object everything that was committed in `source` at one moment during the call: rows, indexes,
  // sequences, definitions. The time depends on the number of tables, not of rows. `source` stays in use meanwhile.
  // `failure`: what storage answered.
  Status clone_database(storage::Transaction& txn, Database& source, Database& target, storage::StorageStatus& failure);
  void publish(std::shared_ptr<Database> database);
  void forget(Oid database);
  // ---- images of databases (catalog/tables/database_images.h)
  // Empty; another image of `database`, or, as one that is put aside, a database of its own.
  std::shared_ptr<Database> make_image(const Database& database, Oid image);
  std::shared_ptr<Database> make_snapshot(Oid image, std::string_view name, const types::Locale& locale) {
    return make_database(image, name, locale);
  }
  void keep_snapshot(std::shared_ptr<Database> snapshot);
  std::shared_ptr<Database> snapshot(Oid image);
  void forget_snapshot(Oid image);
  std::vector<std::shared_ptr<Database>> snapshots();
  // After ALTER DATABASE ... RENAME has committed.
  void rename(Oid database, std::string_view name);

  // Roles, newest committed state plus what `txn` (may be null) has changed.
  std::unique_ptr<RoleInfo> role_named(std::string_view name, storage::Transaction* txn = nullptr);
  std::unique_ptr<RoleInfo> role(Oid oid, storage::Transaction* txn = nullptr);

  std::vector<std::shared_ptr<Database>> databases();
  // Counters that are kept, of databases that are still being made, too.
  void register_sequence(const std::shared_ptr<Sequence>& sequence);
  std::vector<std::shared_ptr<Sequence>> sequences();

  // OIDs and file numbers of new objects: one ascending series for the instance, from 16384. The log knows a bound of
  // those given out.
  Oid next_oid();
  Oid oid_bound() const { return oid_bound_.load(); }

  // The order of a locale and its letters, opened at their first use; null for C's, and when ICU cannot open it.
  const Collator* collator(const types::Locale& locale);
  const types::Letters* letters(const types::Locale& locale);
  // citext's order of a database with that order and those letters.
  const Collator* case_insensitive(const Collator* order, const types::Letters* letters);
  // pg_database.datcollversion, pg_collation.collversion; empty: of an order that never changes.
  std::string collation_version(const types::Locale& locale);

  // The order or hash of an operator class of users' own, for sorts and look-ups that keep no keys: without labels but those
  // that a query's hash tables ask for. `calls` is set once, before the first session.
  const Collator* defined_keys(Oid opclass, const types::ClassFunction& function);
  // What arrays and records compare under, and how a type of users' compares within them.
  const Collator* member_orders() const { return &member_collator_; }
  void note_member_order(Oid type, const types::MemberOrder& order) { member_orders_.add(type, order); }
  // The order or equality of a type's values, under what its definition names, or under a class that is not a btree's order.
  using MakeKeys = std::function<std::unique_ptr<const Collator>(types::ClassCalls&)>;
  const Collator* keys_of_type(Oid database, Oid type, Oid opclass, const MakeKeys& make);
  void set_class_calls(types::ClassCalls& calls) { class_calls_ = &calls; }

  // Changes when committed DDL changed shared objects (roles, databases).
  uint64_t shared_version() const { return shared_version_.load(std::memory_order_acquire); }
  // The system tables of a new database object.
  std::unique_ptr<SystemTables> make_system_tables(Oid database);  // 0: the shared ones
  void bump_shared_version() { shared_version_.fetch_add(1, std::memory_order_acq_rel); }

 private:
  explicit Catalog(storage::Store& store);
  Status bootstrap(std::string_view os_user, const types::Locale& locale);
  Status restore_system_tables(const SystemTables& tables, Oid database, RestoredObjects& restored);
  Status restore_databases(RestoredObjects& restored);
  Status restore_physical(Database& database, storage::Transaction& txn, RestoredObjects& restored);

  storage::Store& store_;
  std::unique_ptr<types::Builtins> builtins_;
  std::unique_ptr<SystemTables> shared_;
  std::atomic<Oid> next_oid_{16384};
  std::atomic<Oid> oid_bound_{0};
  std::atomic<uint64_t> shared_version_{1};
  std::mutex collators_mutex_;  // guards the five maps below; what they map to stays
  // By name (icu:, libc:) and whether they are deterministic.
  std::map<std::pair<std::string, bool>, std::unique_ptr<const Collator>> collators_;
  std::map<std::string, std::unique_ptr<const types::Letters>> letters_;  // by name
  const std::unique_ptr<const types::Letters> ascii_ =
      types::Letters::ascii();  // of ctype C beside an order that is not C
  std::map<std::pair<const Collator*, const types::Letters*>, std::unique_ptr<const Collator>> case_insensitive_;
  std::map<std::pair<Oid, Oid>, std::unique_ptr<const Collator>> defined_keys_;         // by database and class
  std::map<std::tuple<Oid, Oid, Oid>, std::unique_ptr<const Collator>> keys_of_types_;  // by database, type and class
  types::ClassCalls* class_calls_ = nullptr;
  types::MemberOrders member_orders_;
  const Collator member_collator_{member_orders_};
  std::mutex bases_mutex_;  // guards bases_
  BaseRowsSet bases_;
  std::mutex sequences_mutex_;  // guards sequences_
  std::vector<std::weak_ptr<Sequence>> sequences_;
  std::mutex mutex_;  // guards databases_ and snapshots_
  std::map<Oid, std::shared_ptr<Database>> databases_;
  std::map<Oid, std::shared_ptr<Database>> snapshots_;  // by image
};

// Of a pg_database row.
types::Locale locale_of(const RowReader& row);
void set_locale(RowValues& row, const types::Locale& locale, const std::string& version);

}  // namespace indigo::catalog
