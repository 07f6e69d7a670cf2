// The one implementation of Instance: store, catalog, settings and the registry of sessions.
// Thread safety: as Instance.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "catalog/catalog.h"
#include "engine/durability/data_directory.h"
#include "engine/exec/scan/scan_counts.h"
#include "engine/exec/spill/spill_statistics.h"
#include "engine/instance.h"
#include "engine/maintenance/auto_analyzer.h"
#include "engine/maintenance/table_activity.h"
#include "engine/notify/notification_hub.h"
#include "engine/replication/change_stream.h"
#include "engine/replication/walsenders.h"
#include "engine/session/exported_snapshots.h"
#include "engine/session/session_activity.h"
#include "engine/session/statement_statistics.h"
#include "engine/session/transaction_outcomes.h"
#include "engine/settings/system_settings.h"
#include "engine/statement/shared_plans.h"
#include "engine/subscription/subscription_workers.h"
#include "log/log.h"
#include "storage/store.h"

namespace indigo::engine {

class SessionParts;

class InstanceImpl final : public Instance {
 public:
  explicit InstanceImpl(InstanceOptions options) : options_(std::move(options)) {}
  ~InstanceImpl() override;
  Status start();

  RoleCredentials credentials(const std::string& user) override;
  bool is_member(const std::string& user, const std::string& role) override;
  void set_front_door(FrontDoor* door) override { front_door_.store(door, std::memory_order_release); }
  void set_workers(WorkerStates* workers) override { workers_.store(workers, std::memory_order_release); }
  Result<std::unique_ptr<Session>> connect(const ConnectOptions& options, Waiter& waiter) override;
  void cancel(int32_t pid, int32_t key) override;
  std::string statement_of(int32_t pid) override;
  std::string setting(const std::string& name) override;
  bool shutdown(Deadline deadline) override;

  catalog::Catalog& catalog() { return *catalog_; }
  WorkerStates* workers() { return workers_.load(std::memory_order_acquire); }
  FrontDoor* front_door() { return front_door_.load(std::memory_order_acquire); }
  DataDirectory* data_directory() { return data_.get(); }
  const InstanceOptions& options() const { return options_; }
  const std::vector<std::string>& defaults() const { return defaults_; }
  int64_t start_timestamp() const { return start_timestamp_; }
  uint64_t system_identifier() const;
  TableActivity& table_activity() { return table_activity_; }
  exec::ScanCountRegistry& scan_counts() { return scan_counts_; }
  AutoAnalyzer& auto_analyzer() { return *auto_analyzer_; }
  subscription::SubscriptionWorkers& subscription_workers() { return *subscription_workers_; }
  NotificationHub& notification_hub() { return notification_hub_; }
  replication::ChangeStream& change_stream() { return change_stream_; }
  replication::Walsenders& walsenders() { return walsenders_; }
  ExportedSnapshots& exported_snapshots() { return exported_snapshots_; }
  void reload_settings() override { system_settings_.reload(); }
  SystemSettings& system_settings() { return system_settings_; }
  TransactionOutcomes& transaction_outcomes() { return transaction_outcomes_; }
  SharedPlans& shared_plans() { return shared_plans_; }
  StatementStatistics& statement_statistics() { return statement_statistics_; }
  const std::shared_ptr<exec::SpillStatistics>& spill_statistics() const { return spill_statistics_; }

  // ---- sessions, for system functions
  struct SessionEntry {
    int32_t pid;
    std::shared_ptr<SessionActivity> activity;
    Oid database;
  };
  std::vector<SessionEntry> sessions() const;
  // False when there is no such session.
  bool interrupt(int32_t pid, InterruptReason reason);
  void forget(int32_t pid);
  // Notified when a database that was closed (catalog/database.h) is open again.
  WaitPoint& database_opened() { return database_opened_; }
  // Gives a session that connect() has not made the serializable method of its database.
  void choose_method(SessionParts& session);
  // Sessions of one database besides `except`.
  size_t sessions_of(Oid database, int32_t except) const;

 private:
  Result<log::Durability> durability() const;
  // `has_past`: what is there may have subscriptions.
  Status open_with_image(unsigned threads);
  void start_background(bool has_past);
  // Of a pg_database row. Superusers mind only `allowed`.
  struct ConnectionLimits {
    bool allowed = false;
    int32_t connections_max = -1;  // negative: no limit
  };
  ConnectionLimits connection_limits(Oid database);
  // Under mutex_. 53300 when the role or the database has all the sessions that it may have.
  Status check_limits(const catalog::RoleInfo& role, Oid database, const std::string& database_name,
                      int32_t database_max) const;

  struct Registered {
    Waiter* waiter;
    int32_t key;
    std::shared_ptr<SessionActivity> activity;
    Oid user, database;
    bool locking;  // the serializable method of its database
  };
  // Under mutex_. All sessions and prepared transactions of a database have one method: what is stored counts for the first.
  bool locks_by_keys(Oid database, const std::string& stored) const;
  InstanceOptions options_;
  std::vector<std::string> defaults_;
  std::unique_ptr<DataDirectory> data_;  // null: everything in memory
  std::unique_ptr<storage::Store> store_;
  std::unique_ptr<types::ClassCalls> class_calls_;  // before the catalog, which calls it
  std::unique_ptr<catalog::Catalog> catalog_;
  int64_t start_timestamp_ = 0;
  TableActivity table_activity_;
  exec::ScanCountRegistry scan_counts_;
  NotificationHub notification_hub_;
  replication::ChangeStream change_stream_;
  replication::Walsenders walsenders_;
  ExportedSnapshots exported_snapshots_;
  TransactionOutcomes transaction_outcomes_;
  SystemSettings system_settings_;
  SharedPlans shared_plans_;
  StatementStatistics statement_statistics_;
  const std::shared_ptr<exec::SpillStatistics> spill_statistics_ = std::make_shared<exec::SpillStatistics>();
  // Both stay until no session is left.
  std::atomic<FrontDoor*> front_door_{nullptr};
  std::atomic<WorkerStates*> workers_{nullptr};

  mutable std::mutex mutex_;  // guards the members below
  std::unordered_map<int32_t, Registered> sessions_;
  int32_t next_pid_ = 0;
  bool shutting_down_ = false;
  WaitPoint session_ended_, database_opened_;
  // Null until the instance has started.
  std::unique_ptr<AutoAnalyzer> auto_analyzer_;
  std::unique_ptr<subscription::SubscriptionWorkers> subscription_workers_;
};

}  // namespace indigo::engine
