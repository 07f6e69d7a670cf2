#include "engine/durability/rebuild.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>
#include <unordered_set>

#include "base/exception_error.h"
#include "base/fiber/thread_start.h"
#include "base/raised_error.h"
#include "base/server_log.h"
#include "catalog/descriptor/session_catalog.h"
#include "engine/ddl/table/rewrite.h"
#include "engine/ddl/table/storage_options.h"
#include "engine/ddl/table/temporary.h"
#include "engine/exec/scan/index_key.h"
#include "engine/programs/call_limit.h"
#include "engine/session/session_impl.h"
#include "engine/session/transaction_block.h"
#include "engine/utility/definition_host.h"
#include "log/file_error.h"
#include "storage/table.h"
#include "storage/thresholds.h"
#include "storage/transaction.h"
#include "types/value/collator.h"

namespace indigo::engine {

namespace {

// A session of the bootstrap superuser, in one database.
class Builder {
 public:
  Builder(InstanceImpl& instance, const std::shared_ptr<catalog::Database>& database)
      : session_(instance, Waiter::current(), database, 0, 0), host_(session_.parts(), nullptr) {}

  Status start(const std::string& user) {
    ConnectOptions options;
    options.user = user;
    return session_.start(options);
  }
  // One transaction.
  Status run(const std::function<Status(DdlContext&)>& step) {
    SessionParts& parts = session_.parts();
    INDIGO_TRY(parts.begin_statement());
    DdlContext context{parts.session_catalog(), parts.transaction(), host_, {}};
    Status status = step(context);
    if (status.ok()) status = parts.block().commit();
    if (!status.ok()) {
      parts.block().rollback();
      parts.discard_plans();  // an exception may have passed through some
    }
    return status;
  }

 private:
  const programs::StartingCalls limited_;
  SessionImpl session_;
  DefinitionHost host_;
};

struct IndexToBuild {
  Oid table;
  size_t position;
};

// The indexes that are missing; on the way the tables get their thresholds, which rows of pg_class have.
Status list_indexes(DdlContext& c, std::vector<IndexToBuild>& out) {
  std::vector<std::pair<Oid, storage::LeafThresholds>> tables;
  ddl::table(c, ddl::pg_class::kOid).scan(c.txn, {}, [&](ddl::RowReader row) {
    const Oid oid = row.oid(ddl::pg_class::c_oid);
    const char kind = row.chr(ddl::pg_class::c_relkind);
    if (oid >= oid::kFirstUserOid && (kind == 'r' || kind == 'm')) {
      tables.emplace_back(oid, ddl::table_options(row).thresholds);
    }
    return true;
  });
  for (const auto& [oid, thresholds] : tables) {
    const ddl::RelationPtr relation = ddl::current(c, oid);
    if (relation == nullptr) {
      return Error(sqlstate::kDataCorrupted, "table " + std::to_string(oid) + " has no complete definition");
    }
    if (relation->table != nullptr) relation->table->set_thresholds(thresholds);
    for (size_t i = 0; i < relation->indexes.size(); i++) out.push_back({oid, i});
  }
  return {};
}

// Whether rows lie under sort keys of the library of collations.
bool has_sort_keys(const ddl::RelationPtr& relation) {
  if (relation == nullptr || relation->table == nullptr) return false;
  for (size_t i = 0; i < relation->key.column_count(); i++) {
    const types::Collator* const collator = relation->key.column(i).collator;
    if (collator != nullptr && !collator->version().empty()) return true;
  }
  return false;
}

bool may_call_functions(const catalog::IndexInfo& index) {
  return exec::has_computed_key(index) ||
         std::any_of(index.columns.begin(), index.columns.end(),
                     [](const catalog::IndexColumn& column) { return column.opclass >= oid::kFirstUserOid; });
}

std::string name_of(const catalog::IndexInfo& index, const catalog::RelationInfo& relation) {
  return "index \"" + index.name + "\" of table \"" + relation.name + "\"";
}

// The indexes of one database, each in a transaction of its own, taken in turn by every thread.
class DatabaseRebuild {
 public:
  DatabaseRebuild(InstanceImpl& instance, std::shared_ptr<catalog::Database> database, std::string user,
                  bool collations_changed)
      : instance_(instance),
        database_(std::move(database)),
        user_(std::move(user)),
        collations_changed_(collations_changed) {}

  Status run(unsigned threads) {
    Builder own(instance_, database_);
    INDIGO_TRY(own.start(user_));
    INDIGO_TRY(own.run([&](DdlContext& c) { return list_indexes(c, indexes_); }));
    const size_t helpers = std::min<size_t>(threads, indexes_.size());
    std::vector<std::thread> others;
    others.reserve(helpers);
    for (size_t i = 1; i < helpers; i++) {
      try {
        others.emplace_back([this] { help(); });
      } catch (const std::exception&) {  // with fewer it only takes longer
        break;
      }
    }
    if (Status status = catch_raised([&] { return build(own); }); !status.ok()) fail(std::move(status));
    for (auto& thread : others) thread.join();
    INDIGO_TRY(std::move(first_));
    if (collations_changed_) INDIGO_TRY(rewrite_sort_keys(own));
    return own.run(ddl::drop_temporary_schemas);
  }

 private:
  void help() {
    begin_thread("recovery");
    Status status = catch_exceptions(
        [this]() -> Status {
          Builder builder(instance_, database_);
          INDIGO_TRY(builder.start(user_));
          return build(builder);
        },
        [] {});
    if (!status.ok()) fail(std::move(status));
  }
  // After the indexes, which have been built from the rows: each table gets a new tree, and new indexes with it.
  Status rewrite_sort_keys(Builder& builder) {
    std::vector<Oid> tables;
    INDIGO_TRY(builder.run([&](DdlContext& c) {
      ddl::table(c, ddl::pg_class::kOid).scan(c.txn, {}, [&](ddl::RowReader row) {
        const Oid oid = row.oid(ddl::pg_class::c_oid);
        if (oid >= oid::kFirstUserOid && has_sort_keys(ddl::current(c, oid))) tables.push_back(oid);
        return true;
      });
      return Status();
    }));
    for (const Oid oid : tables) {
      INDIGO_TRY(builder.run([&](DdlContext& c) {
        const ddl::RelationPtr relation = ddl::current(c, oid);
        log_info("database " + database_->name() + ": table " + relation->name +
                 " is rewritten, its collations have another version");
        return ddl::rewrite_table(c, relation);
      }));
    }
    return {};
  }

  Status build(Builder& builder) {
    for (size_t i = next_.fetch_add(1); i < indexes_.size(); i = next_.fetch_add(1)) {
      INDIGO_TRY(build(builder, indexes_[i]));
    }
    return {};
  }
  // What users' functions have given once they need not give again: they may have been replaced since, by anything. Then the
  // index is there by name, as one that CREATE INDEX CONCURRENTLY could not build, and REINDEX builds it.
  Status build(Builder& builder, const IndexToBuild& which) {
    bool calls_functions = false;
    std::string name;
    Status status = builder.run([&](DdlContext& c) {
      const ddl::RelationPtr relation = ddl::current(c, which.table);
      const catalog::IndexInfo& index = relation->indexes[which.position];
      calls_functions = may_call_functions(index);
      name = name_of(index, *relation);
      return ddl::rebuild_index(c, relation, which.position);
    });
    if (status.ok() || !calls_functions || status.error().state.text().starts_with("53")) return status;
    log_warning("database " + database_->name() + ": " + name +
                " is not built, REINDEX does it: " + status.error().message);
    return builder.run(
        [&](DdlContext& c) { return ddl::mark_unbuilt(c, ddl::current(c, which.table), which.position); });
  }
  void fail(Status status) {
    next_ = indexes_.size();
    std::lock_guard lock(mutex_);
    if (first_.ok()) first_ = std::move(status);
  }

  InstanceImpl& instance_;
  const std::shared_ptr<catalog::Database> database_;
  const std::string user_;
  const bool collations_changed_;
  std::vector<IndexToBuild> indexes_;
  std::atomic<size_t> next_{0};
  std::mutex mutex_;  // guards first_
  Status first_;
};

}  // namespace

Status leave_unbuilt(InstanceImpl& instance, const std::shared_ptr<catalog::Database>& database,
                     const std::unordered_set<Oid>& filenodes, const Error& why) {
  const auto superuser = instance.catalog().role(oid::kBootstrapSuperuser);
  if (superuser == nullptr) return Error(sqlstate::kDataCorrupted, "the bootstrap superuser is missing");
  Builder builder(instance, database);
  INDIGO_TRY(builder.start(superuser->name));
  return builder.run([&](DdlContext& c) -> Status {
    std::vector<Oid> tables;
    ddl::table(c, ddl::pg_class::kOid).scan(c.txn, {}, [&](ddl::RowReader row) {
      const char kind = row.chr(ddl::pg_class::c_relkind);
      if ((kind == 'r' || kind == 'm') && filenodes.contains(row.oid(ddl::pg_class::c_relfilenode))) {
        tables.push_back(row.oid(ddl::pg_class::c_oid));
      }
      return true;
    });
    for (const Oid oid : tables) {
      const ddl::RelationPtr relation = ddl::current(c, oid);
      for (size_t i = 0; i < relation->indexes.size(); i++) {
        const catalog::IndexInfo& index = relation->indexes[i];
        if (!index.ready || !may_call_functions(index)) continue;
        log_warning("database " + database->name() + ": " + name_of(index, *relation) +
                    " is not built, REINDEX does it: " + why.message);
        INDIGO_TRY(ddl::mark_unbuilt(c, relation, i));
      }
    }
    return {};
  });
}

Status rebuild_after_recovery(InstanceImpl& instance, unsigned threads, bool collations_changed) {
  const auto superuser = instance.catalog().role(oid::kBootstrapSuperuser);
  if (superuser == nullptr) return Error(sqlstate::kDataCorrupted, "the bootstrap superuser is missing");
  auto databases = instance.catalog().databases();
  for (auto& snapshot : instance.catalog().snapshots()) databases.push_back(std::move(snapshot));
  for (const auto& database : databases) {
    INDIGO_TRY(DatabaseRebuild(instance, database, superuser->name, collations_changed).run(threads));
  }
  return {};
}

}  // namespace indigo::engine
