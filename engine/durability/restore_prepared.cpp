#include "engine/durability/restore_prepared.h"

#include <unordered_map>
#include <unordered_set>

#include "base/server_log.h"
#include "catalog/database.h"
#include "catalog/descriptor/session_catalog.h"
#include "catalog/tables/overlay_table.h"
#include "catalog/tables/system_table.h"
#include "engine/ddl/drop/remove_object.h"
#include "engine/ddl/rows.h"
#include "engine/ddl/table/rewrite.h"
#include "engine/ddl/table/storage_options.h"
#include "engine/durability/rebuild.h"
#include "engine/exec/errors.h"
#include "engine/exec/execution.h"
#include "engine/programs/call_limit.h"
#include "engine/session/clock.h"
#include "engine/session/session_impl.h"
#include "engine/session/transaction_block.h"
#include "engine/utility/definition_host.h"
#include "log/file_error.h"
#include "log/reader.h"
#include "log/record_stream.h"
#include "storage/durability.h"
#include "storage/lock/lock_manager.h"
#include "storage/prepared.h"
#include "storage/table.h"

namespace indigo::engine {

namespace {

using storage::StorageStatus;
using Tables = std::unordered_map<log::DurableId, std::shared_ptr<storage::Table>>;

Error malformed() { return Error(sqlstate::kDataCorrupted, "its operations are malformed"); }

// The changes of one transaction, in a session of its own. The stream is walked once for each kind of what it has.
class PreparedRestorer final : public log::OperationSink {
 public:
  PreparedRestorer(DdlContext& context, const RestoredSequences& sequences)
      : c_(context), sequences_(sequences), database_(context.catalog.database_pointer()) {
    for (auto& table : storage::durable_tables(c_.store())) tables_[table.id] = std::move(table.table);
  }

  Status run(const std::string& stream) {
    INDIGO_TRY(walk(stream, Pass::kCatalog));
    if (changes_catalog_) INDIGO_TRY(adopt_definitions());
    INDIGO_TRY(walk(stream, Pass::kRows));
    return changes_catalog_ ? build_indexes() : Status();
  }
  Tables take_tables() { return std::move(tables_); }

  void put(log::DurableId id, Bytes key, Bytes row) override {
    const auto mode = std::exchange(mode_, storage::RowLockMode::kNoKeyUpdate);
    storage::Table* table = of_this_pass(id);
    if (table == nullptr) return;
    const StorageStatus status = storage::restore_pending_row(*table, c_.txn, key, row, mode);
    if (status != StorageStatus::kDuplicateKey) return note(status);
    later_.push_back({table, std::string(key), std::string(row), mode});
  }
  void erase(log::DurableId id, Bytes key) override {
    if (storage::Table* table = of_this_pass(id)) note(storage::restore_pending_erase(*table, c_.txn, key));
  }
  void moved(log::DurableId id, Bytes key, Bytes new_key) override {
    if (storage::Table* table = of_this_pass(id)) storage::restore_pending_move(*table, c_.txn, key, new_key);
  }
  void held(const log::Hold& hold) override {
    if (hold.kind == log::HoldKind::kClaim) mode_ = storage::RowLockMode(hold.mode);
  }
  void sequence(log::DurableId, int64_t, bool) override {}
  void oids(uint64_t) override {}
  void clone(log::DurableId, log::DurableId) override {}

 private:
  enum class Pass : uint8_t { kCatalog, kRows };
  struct Later {
    storage::Table* table;
    std::string key, row;
    storage::RowLockMode mode;
  };

  Status walk(const std::string& stream, Pass pass) {
    pass_ = pass;
    if (!log::decode_operations(stream, *this)) return malformed();
    // Rows that have exchanged their values in a unique index: none of them is in the way once all are taken out.
    for (const Later& row : later_) note(storage::restore_pending_erase(*row.table, c_.txn, row.key));
    for (const Later& row : later_) {
      note(storage::restore_pending_row(*row.table, c_.txn, row.key, row.row, storage::RowLockMode::kUpdate));
      storage::restore_pending_mode(*row.table, c_.txn, row.key, row.mode);
    }
    later_.clear();
    c_.txn.next_command();
    return status_ == StorageStatus::kOk ? Status() : Status(storage_error(status_, nullptr));
  }

  void note(StorageStatus status) {
    if (status_ == StorageStatus::kOk) status_ = status;
  }

  // Null: not of this pass.
  storage::Table* of_this_pass(log::DurableId id) {
    const bool system = static_cast<Oid>(id.value) < oid::kFirstUserOid;
    if (pass_ != (system ? Pass::kCatalog : Pass::kRows)) return nullptr;
    if (system) {
      changes_catalog_ = true;
      changes_shared_ |= id.value >> 32 == 0;
    }
    auto& table = tables_[id];
    if (table != nullptr) return table.get();
    if (system) {
      catalog::SystemTable* of = database_->find_table(static_cast<Oid>(id.value));
      storage::Table* upper = nullptr;
      if (of != nullptr) note(of->storage()->make_upper(upper));
      if (upper != nullptr) return upper;
    } else {
      table = database_->physical(static_cast<Oid>(id.value)).table;
      if (table != nullptr) return table.get();
    }
    note(StorageStatus::kNotFound);
    return nullptr;
  }

  // What pg_class says to this transaction against what there is.
  Status adopt_definitions() {
    c_.catalog.changed({kInvalidOid});
    if (changes_shared_) {
      c_.catalog.changed_shared();
      adopt_database_names();
    }
    const auto physical = database_->all_physical();
    struct Made {
      Oid filenode;
      char kind, persistence;
      storage::TableOptions options;
    };
    std::vector<Made> made;
    std::unordered_set<Oid> files;
    ddl::table(c_, ddl::pg_class::kOid).scan(c_.txn, {}, [&](ddl::RowReader row) {
      const Oid filenode = row.oid(ddl::pg_class::c_relfilenode);
      if (row.oid(ddl::pg_class::c_oid) < oid::kFirstUserOid || filenode == kInvalidOid) return true;
      files.insert(filenode);
      if (physical.contains(filenode)) return true;
      const char kind = row.chr(ddl::pg_class::c_relkind);
      const bool table = kind == 'r' || kind == 'm';
      made.push_back({filenode, kind, row.chr(ddl::pg_class::c_relpersistence),
                      table ? ddl::table_options(row) : storage::TableOptions()});
      return true;
    });
    for (const Made& m : made) {
      if (m.kind == 'r' || m.kind == 'm') ddl::create_storage(c_, m.filenode, m.persistence, m.options);
      if (m.kind != 'S') continue;
      const auto known = sequences_.find(catalog::durable_id(database_->image(), m.filenode));
      const catalog::Sequence::State state =
          known == sequences_.end() ? catalog::Sequence::State{1, false} : known->second;
      INDIGO_TRY(ddl::adopt_sequence(c_, m.filenode, state, m.persistence));
    }
    release_dropped(physical, files);
    return {};
  }

  void adopt_database_names() {
    catalog::Catalog& catalog = c_.catalog.catalog();
    ddl::table(c_, ddl::pg_database::kOid).scan(c_.txn, {}, [&](ddl::RowReader row) {
      const Oid oid = row.oid(ddl::pg_database::c_oid);
      std::string name(row.str(ddl::pg_database::c_datname));
      const auto database = catalog.database(oid);
      if (database == nullptr || database->name() == name) return true;
      c_.store().on_end(
          c_.txn, [&catalog, oid, name = std::move(name)] { catalog.rename(oid, name); }, [] {});
      return true;
    });
  }

  void release_dropped(const std::unordered_map<Oid, catalog::PhysicalRelation>& physical,
                       const std::unordered_set<Oid>& files) {
    // As it is committed: where the dropped indexes lie, and what is not another prepared transaction's.
    std::unordered_map<Oid, Oid> filenodes, owners;
    std::unordered_set<Oid> committed;
    auto other = c_.store().begin(storage::Isolation::kReadCommitted, 0);
    database_->table(ddl::pg_class::kOid).scan(*other, {}, [&](ddl::RowReader row) {
      filenodes[row.oid(ddl::pg_class::c_oid)] = row.oid(ddl::pg_class::c_relfilenode);
      committed.insert(row.oid(ddl::pg_class::c_relfilenode));
      return true;
    });
    database_->table(ddl::pg_index::kOid).scan(*other, {}, [&](ddl::RowReader row) {
      owners[filenodes[row.oid(ddl::pg_index::c_indexrelid)]] = filenodes[row.oid(ddl::pg_index::c_indrelid)];
      return true;
    });
    c_.store().rollback(*other);
    for (const auto& [filenode, relation] : physical) {
      if (files.contains(filenode) || !committed.contains(filenode)) continue;
      if (relation.index && files.contains(owners[filenode])) {
        const auto table = database_->physical(owners[filenode]).table;
        if (table != nullptr) {
          c_.store().on_end(
              c_.txn, [table, index = relation.index] { table->drop_index(index); }, [] {});
        }
      }
      ddl::release_physical(c_, filenode);
    }
  }

  Status build_indexes() {
    std::vector<Oid> relations;
    ddl::table(c_, ddl::pg_class::kOid).scan(c_.txn, {}, [&](ddl::RowReader row) {
      const char kind = row.chr(ddl::pg_class::c_relkind);
      const Oid oid = row.oid(ddl::pg_class::c_oid);
      if (oid >= oid::kFirstUserOid && (kind == 'r' || kind == 'm')) relations.push_back(oid);
      return true;
    });
    for (const Oid oid : relations) {
      const ddl::RelationPtr relation = ddl::current(c_, oid);
      if (relation == nullptr) continue;
      for (size_t i = 0; i < relation->indexes.size(); i++) {
        if (!relation->indexes[i].storage) INDIGO_TRY(ddl::rebuild_index(c_, relation, i));
      }
      ddl::apply_options(c_, relation);
      for (const auto& index : relation->indexes) {
        if (const auto relation_of = ddl::current(c_, index.oid)) ddl::apply_options(c_, relation_of);
      }
    }
    return {};
  }

  DdlContext& c_;
  const RestoredSequences& sequences_;
  const std::shared_ptr<catalog::Database> database_;
  Tables tables_;
  Pass pass_ = Pass::kCatalog;
  storage::RowLockMode mode_ = storage::RowLockMode::kNoKeyUpdate;  // of the next row
  std::vector<Later> later_;
  StorageStatus status_ = StorageStatus::kOk;
  bool changes_catalog_ = false, changes_shared_ = false;
};

// What it holds besides, when all transactions have their changes again: what one has locked, another one may have changed in a
// weaker mode than its changes are made again in.
class LockRestorer final : public log::OperationSink {
 public:
  LockRestorer(storage::Store& store, storage::Transaction& txn, Tables tables)
      : store_(store), txn_(txn), tables_(std::move(tables)) {}

  Status run(const std::string& stream) {
    if (!log::decode_operations(stream, *this)) return malformed();
    return status_ == StorageStatus::kOk ? Status() : Status(storage_error(status_, nullptr));
  }

  void held(const log::Hold& hold) override {
    if (status_ == StorageStatus::kOk) status_ = lock(hold);
  }
  void put(log::DurableId, Bytes, Bytes) override {}
  void erase(log::DurableId, Bytes) override {}
  void sequence(log::DurableId, int64_t, bool) override {}
  void oids(uint64_t) override {}
  void clone(log::DurableId, log::DurableId) override {}

 private:
  StorageStatus lock(const log::Hold& hold) {
    storage::LockManager& locks = store_.locks();
    storage::LockOwner& owner = store_.lock_owner(txn_);
    switch (hold.kind) {
      case log::HoldKind::kTable:
        return locks.lock_table(owner, hold.object, storage::TableLockMode(hold.mode), false, {});
      case log::HoldKind::kAdvisory:
        return locks.lock_advisory(owner, hold.object, hold.key, hold.mode != 0, false, {});
      case log::HoldKind::kRow: {
        const auto table = tables_.find(log::DurableId(hold.object));
        if (table == tables_.end() || table->second == nullptr) return StorageStatus::kOk;
        storage::Claimed claimed;
        const StorageStatus status = table->second->lock_row(
            txn_, txn_.newest_view(), hold.key, storage::RowLockMode(hold.mode), storage::LockWait::kNoWait, claimed);
        return status == StorageStatus::kNotFound ? StorageStatus::kOk : status;
      }
      case log::HoldKind::kClaim: break;
    }
    return StorageStatus::kOk;
  }

  storage::Store& store_;
  storage::Transaction& txn_;
  const Tables tables_;
  StorageStatus status_ = StorageStatus::kOk;
};

// File numbers of the tables of users' that it has rows for: their indexes may call functions that fail by now.
class ChangedTables final : public log::OperationSink {
 public:
  std::unordered_set<Oid> of(const std::string& stream) {
    (void)log::decode_operations(stream, *this);
    return std::move(filenodes_);
  }
  void put(log::DurableId id, Bytes, Bytes) override { filenodes_.insert(static_cast<Oid>(id.value)); }
  void erase(log::DurableId id, Bytes) override { filenodes_.insert(static_cast<Oid>(id.value)); }
  void sequence(log::DurableId, int64_t, bool) override {}
  void oids(uint64_t) override {}
  void clone(log::DurableId, log::DurableId) override {}

 private:
  std::unordered_set<Oid> filenodes_;
};

struct Restored {
  log::PreparedHead head;
  std::unique_ptr<storage::Transaction> transaction;
  Tables tables;
};

Status restore_changes(InstanceImpl& instance, const std::string& stream, const RestoredSequences& sequences,
                       Restored& out) {
  const auto database = instance.catalog().database(out.head.database);
  const auto superuser = instance.catalog().role(oid::kBootstrapSuperuser);
  if (database == nullptr || superuser == nullptr) return Error(sqlstate::kDataCorrupted, "its database is missing");
  SessionImpl session(instance, Waiter::current(), database, 0, 0);
  ConnectOptions options;
  options.user = superuser->name;
  INDIGO_TRY(session.start(options));
  SessionParts& parts = session.parts();
  instance.choose_method(parts);
  TransactionModes modes;
  modes.isolation = out.head.serializable ? storage::Isolation::kSerializable : storage::Isolation::kReadCommitted;
  modes.read_only = false;
  INDIGO_TRY(parts.block().begin(modes, timestamp_now()));
  INDIGO_TRY(parts.begin_statement());
  DefinitionHost host(parts, nullptr);
  DdlContext context{parts.session_catalog(), parts.transaction(), host, {}};
  PreparedRestorer changes(context, sequences);
  INDIGO_TRY(changes.run(stream));
  out.tables = changes.take_tables();
  out.transaction = parts.block().leave();
  return {};
}

Status restore_rest(storage::Store& store, const std::shared_ptr<const std::string>& stream, Restored& restored) {
  INDIGO_TRY(LockRestorer(store, *restored.transaction, std::move(restored.tables)).run(*stream));
  const log::PreparedHead& head = restored.head;
  if (head.serializable) storage::restore_serializable(*restored.transaction);
  const StorageStatus status = storage::prepared_transactions(store).restore(
      {std::string(head.name), head.prepared_at, head.owner, head.database}, std::move(restored.transaction), stream);
  return status == StorageStatus::kOk ? Status() : Status(storage_error(status, nullptr));
}

}  // namespace

Status restore_prepared(InstanceImpl& instance, const std::vector<std::shared_ptr<const std::string>>& streams,
                        const RestoredSequences& sequences) {
  const programs::StartingCalls limited;
  const auto failed = [](const log::PreparedHead& head, const Error& error) {
    return Error(sqlstate::kDataCorrupted,
                 "prepared transaction \"" + std::string(head.name) + "\" cannot be restored: " + error.message);
  };
  std::vector<Restored> all;
  for (const auto& stream : streams) {
    const auto head = log::prepared_head(*stream);
    if (!head) return Error(sqlstate::kDataCorrupted, "a prepared transaction has no name");
    all.push_back({*head, nullptr, {}});
    Status status = restore_changes(instance, *stream, sequences, all.back());
    if (!status.ok() && !status.error().state.text().starts_with("53")) {
      const auto database = instance.catalog().database(head->database);
      if (database == nullptr) return failed(*head, status.error());
      INDIGO_TRY(leave_unbuilt(instance, database, ChangedTables().of(*stream), status.error()));
      status = restore_changes(instance, *stream, sequences, all.back());
    }
    if (!status.ok()) return failed(*head, status.error());
  }
  for (size_t i = 0; i < streams.size(); i++) {
    Status status = restore_rest(instance.catalog().store(), streams[i], all[i]);
    if (!status.ok()) return failed(all[i].head, status.error());
  }
  if (!streams.empty()) log_info(std::to_string(streams.size()) + " prepared transactions wait for a decision");
  return {};
}

}  // namespace indigo::engine
