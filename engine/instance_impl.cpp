#include "engine/instance_impl.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <random>

#include "base/fiber/interrupt_error.h"
#include "base/memory/memory_reserve.h"
#include "base/memory/process_memory.h"
#include "base/server_log.h"
#include "base/sqlstate.h"
#include "catalog/access_method.h"
#include "catalog/descriptor/lookup_transaction.h"
#include "catalog/generated/columns.h"
#include "catalog/tables/system_table.h"
#include "engine/durability/mapped_image.h"
#include "engine/durability/rebuild.h"
#include "engine/durability/restore_prepared.h"
#include "engine/programs/index_calls.h"
#include "engine/session/clock.h"
#include "engine/session/current_message.h"
#include "engine/session/session_impl.h"
#include "engine/session/statement_log.h"
#include "engine/session/transaction_block.h"
#include "engine/settings/format_settings.h"
#include "engine/settings/setting_table.h"
#include "engine/settings/settings.h"
#include "engine/settings/stored_settings.h"
#include "log/file_directory.h"
#include "storage/index/indexlet/indexlet_index.h"
#include "storage/prepared.h"
#include "storage/store_options.h"
#include "types/library_memory.h"

namespace indigo::engine {

namespace {
// What default_index_method says: a method's structure, or the one that no method has by itself.
storage::IndexFactory ordered_structure(const std::string& name) {
  if (name == "adaptive") return storage::create_adaptive_index;
  return catalog::access_method(name)->make;
}

int64_t number(const std::vector<std::string>& values, const char* name) {
  return std::strtoll(values[*find_setting(name)].c_str(), nullptr, 10);
}

}  // namespace

Result<std::unique_ptr<Instance>> Instance::open(const InstanceOptions& options) {
  install_memory_reserve();
  types::install_library_memory();
  auto instance = std::make_unique<InstanceImpl>(options);
  INDIGO_TRY(instance->start());
  return std::unique_ptr<Instance>(std::move(instance));
}

InstanceImpl::~InstanceImpl() {
  subscription_workers_.reset();
  auto_analyzer_.reset();
  if (data_ != nullptr && catalog_ != nullptr) {
    // The last checkpoint has the counters as they are: only a crash skips numbers.
    for (const auto& sequence : catalog_->sequences()) {
      if (!sequence->note_state().ok()) break;  // no room in the log: then these skip some, too
    }
  }
  change_stream_.close();  // what slots hold back has descriptors of tables
  if (data_ != nullptr) data_->close();
  if (store_ != nullptr) storage::prepared_transactions(*store_).clear();
  catalog_.reset();
  store_.reset();
}

namespace {

// The template that nobody can change still has what the instance was made with.
Status check_locale(catalog::Catalog& catalog, const std::optional<types::Locale>& wanted) {
  const auto made = catalog.database_named("template0");
  if (!wanted || made == nullptr || made->locale() == *wanted) return {};
  const auto text = [](const types::Locale& l) {
    return l.provider == 'i' ? "ICU " + l.icu : l.collate == l.ctype ? l.collate : l.collate + ", " + l.ctype;
  };
  return Error(sqlstate::kInvalidParameterValue,
               "the data directory was made with the locale " + text(made->locale()) + ", not " + text(*wanted))
      .with_hint(
          "A locale is chosen once, when a directory is made. CREATE DATABASE ... TEMPLATE template0 gives a database "
          "another one.");
}

}  // namespace

Status InstanceImpl::start() {
  start_timestamp_ = timestamp_now();
  statement_statistics_.set_start(start_timestamp_);
  for (const auto& definition : setting_table()) defaults_.emplace_back(definition.boot_value);
  types::FormatSettings format;
  const char* zone = std::getenv("TZ");
  if (zone != nullptr && *zone != '\0') {
    auto checked = normalise_time_zone(zone[0] == ':' ? zone + 1 : zone, format);
    if (checked.ok()) defaults_[*find_setting("TimeZone")] = *checked;
  }
  for (const auto& [name, text] : options_.settings) {
    auto index = find_setting(name);
    if (!index) return Error(sqlstate::kUndefinedObject, "unrecognized configuration parameter \"" + name + "\"");
    const auto& definition = setting_table()[*index];
    if (definition.context == SettingContext::kInternal) {
      return Error(sqlstate::kCantChangeRuntimeParam, "parameter \"" + name + "\" cannot be changed");
    }
    INDIGO_ASSIGN(defaults_[*index], parse_setting(definition, text));
    if (const auto normalise = definition.behavior.normalise) {
      INDIGO_ASSIGN(defaults_[*index], normalise(defaults_[*index], format));
    }
  }
  std::set<uint32_t> given;
  for (const auto& [name, text] : options_.settings) given.insert(*find_setting(name));
  INDIGO_TRY(system_settings_.start(options_.data_directory, defaults_, std::move(given)));
  statement_statistics_.set_most(
      std::strtoull(defaults_[*find_setting("pg_stat_statements.max")].c_str(), nullptr, 10));
  INDIGO_ASSIGN(const log::Durability level, durability());
  defaults_[*find_setting("durability")] = log::durability_name(level);
  storage::StoreOptions store_options;
  if (level != log::Durability::kNone) {
    DataSource source;
    if (options_.data_source != nullptr) {
      source = *options_.data_source;
    } else {
      INDIGO_ASSIGN(source.directory, log::open_file_directory(options_.data_directory));  // locks it
    }
    data_ = DataDirectory::open(std::move(source), level);
    store_options.log = &data_->log();
  }
  store_options.memory_limit_bytes = static_cast<uint64_t>(number(defaults_, "memory_limit")) * 1024;
  if (store_options.memory_limit_bytes == 0) store_options.memory_limit_bytes = machine_memory_bytes() / 5 * 4;
  change_stream_.set_gathering_limit(store_options.memory_limit_bytes / 5);
  const int64_t slots_megabytes = number(defaults_, "max_slot_wal_keep_size");
  change_stream_.set_limit(slots_megabytes >= 0 ? slots_megabytes << 20
                                                : static_cast<int64_t>(store_options.memory_limit_bytes / 4));
  if (defaults_[*find_setting("commit_clock")] == "tsc") store_options.clock = storage::ClockSource::kTsc;
  store_options.locking = defaults_[*find_setting("serializable_method")] == "locking";
  store_options.ordered_index = ordered_structure(defaults_[*find_setting("default_index_method")]);
  store_options.hydralist_replicas = static_cast<uint32_t>(number(defaults_, "hydralist_replicas"));
  store_options.lock_escalation = static_cast<uint32_t>(number(defaults_, "lock_escalation"));
  store_options.lock_partitions = static_cast<uint16_t>(number(defaults_, "lock_partitions"));
  if (!storage::clock_source_usable(store_options.clock)) {
    return Error(sqlstate::kFeatureNotSupported, "commit_clock = tsc is not supported on this machine")
        .with_detail("Its processors have no invariant time-stamp counter, or the kernel does not trust it.");
  }
  store_ = storage::Store::create(store_options);
  class_calls_ = programs::make_class_calls(*this);
  next_pid_ = static_cast<int32_t>(getpid());
  auto threads = static_cast<unsigned>(number(defaults_, "recovery_threads"));
  if (threads == 0) threads = std::max(std::thread::hardware_concurrency(), 1U);
  if (data_ == nullptr) {
    if (!options_.image_file.empty()) {
      INDIGO_TRY(open_with_image(threads));
    } else if (options_.image_directory.empty()) {
      INDIGO_ASSIGN(catalog_,
                    catalog::Catalog::create(*store_, options_.os_user, options_.locale.value_or(types::Locale())));
      catalog_->set_class_calls(*class_calls_);
    } else {
      INDIGO_ASSIGN(catalog_, load_image(options_.image_directory, *store_, threads));
      INDIGO_TRY(check_locale(*catalog_, options_.locale));
      catalog_->set_class_calls(*class_calls_);
      INDIGO_TRY(rebuild_after_recovery(*this, threads, false));
    }
    start_background(!options_.image_directory.empty() || !options_.image_file.empty());
    return {};
  }
  INDIGO_ASSIGN(catalog_, data_->load(*store_, options_, threads));
  INDIGO_TRY(check_locale(*catalog_, options_.locale));
  catalog_->set_class_calls(*class_calls_);
  defaults_[*find_setting("log_device")] = data_->device_text();
  defaults_[*find_setting("data_directory")] = options_.data_directory;
  defaults_[*find_setting("fsync")] = level == log::Durability::kPower ? "on" : "off";
  if (!data_->fresh()) {
    const auto& prepared = data_->recovered().prepared;
    if (!prepared.empty() && data_->collations_changed()) {
      return Error(sqlstate::kFeatureNotSupported,
                   "prepared transactions cannot be restored with another version of the collations")
          .with_hint(
              "Start the program that wrote the directory, and commit or roll back what pg_prepared_xacts shows.");
    }
    INDIGO_TRY(rebuild_after_recovery(*this, threads, data_->collations_changed()));
    INDIGO_TRY(restore_prepared(*this, prepared, data_->other_sequences()));
    INDIGO_TRY(data_->keep_format());
  }
  replication::ChangeStream::Undecided undecided;
  for (const auto& listed : storage::prepared_transactions(*store_).list())
    undecided.emplace(listed.name.name, listed.name.prepared_at);
  INDIGO_TRY(change_stream_.restore(std::make_unique<replication::ChangeJournal>(*store_, data_->change_table()),
                                    defaults_[*find_setting("wal_level")] == "logical",
                                    static_cast<size_t>(number(defaults_, "max_replication_slots")), undecided,
                                    start_timestamp_));
  CheckpointLimits limits;
  limits.interval = std::chrono::seconds(number(defaults_, "checkpoint_timeout"));
  limits.log_bytes = static_cast<uint64_t>(number(defaults_, "max_wal_size")) << 20;
  data_->run(*store_, *catalog_, limits);
  start_background(!data_->fresh());
  return {};
}

// Begins with a file that is mapped; or with a directory, of which that file is made.
Status InstanceImpl::open_with_image(unsigned threads) {
  const bool make = !options_.image_directory.empty();
  ImageSource source;
  if (make) {
    INDIGO_ASSIGN(catalog_, load_image(options_.image_directory, *store_, threads, &source));
  } else {
    INDIGO_ASSIGN(catalog_, map_image(options_.image_file, *store_, threads));
  }
  INDIGO_TRY(check_locale(*catalog_, options_.locale));
  catalog_->set_class_calls(*class_calls_);
  INDIGO_TRY(rebuild_after_recovery(*this, threads, false));
  if (!make) return {};
  if (Status status = write_image(options_.image_file, *store_, *catalog_, source); !status.ok()) {
    log_warning("there is no image to map, the next start reads everything: " + status.error().message);
  }
  return {};
}

void InstanceImpl::start_background(bool has_past) {
  auto_analyzer_ = std::make_unique<AutoAnalyzer>(*this);
  subscription_workers_ = std::make_unique<subscription::SubscriptionWorkers>(*this);
  if (has_past) subscription_workers_->look();
}

// `power` with a data directory, `none` without, unless the setting says otherwise.
Result<log::Durability> InstanceImpl::durability() const {
  const bool kept = !options_.data_directory.empty() || options_.data_source != nullptr;
  const auto asked = options_.settings.find("durability");
  if (asked == options_.settings.end()) return kept ? log::Durability::kPower : log::Durability::kNone;
  const std::string& name = defaults_[*find_setting("durability")];
  log::Durability level = log::Durability::kNone;
  for (log::Durability l : {log::Durability::kProcess, log::Durability::kPower}) {
    if (name == log::durability_name(l)) level = l;
  }
  if (kept != (level != log::Durability::kNone)) {
    return Error(sqlstate::kInvalidParameterValue, kept ? "durability \"none\" contradicts a data directory"
                                                        : "durability \"" + name + "\" needs a data directory")
        .with_hint(kept ? "Leave -D out to keep nothing." : "Name one with -D.");
  }
  return level;
}

RoleCredentials InstanceImpl::credentials(const std::string& user) {
  RoleCredentials out;
  auto role = catalog_->role_named(user);
  if (!role) return out;
  out.exists = true;
  out.can_login = role->can_login;
  // A password that has expired is as good as none.
  if (!role->valid_until || *role->valid_until >= timestamp_now()) out.password = role->password;
  return out;
}

namespace {

// What superuser_reserved_connections leaves; at least one, however few there are.
size_t slots_for_all(const std::vector<std::string>& defaults) {
  const int64_t all = number(defaults, "max_connections");
  return static_cast<size_t>(std::max<int64_t>(all - number(defaults, "superuser_reserved_connections"), 1));
}

}  // namespace

bool InstanceImpl::is_member(const std::string& user, const std::string& role) {
  const auto member = catalog_->role_named(user);
  const auto group = catalog_->role_named(role);
  if (!member || !group) return false;
  std::vector<Oid> seen{member->oid};
  for (size_t i = 0; i < seen.size(); i++) {
    if (seen[i] == group->oid) return true;
    const auto info = catalog_->role(seen[i]);
    if (!info) continue;
    for (const Oid up : info->member_of) {
      if (std::find(seen.begin(), seen.end(), up) == seen.end()) seen.push_back(up);
    }
  }
  return false;
}

InstanceImpl::ConnectionLimits InstanceImpl::connection_limits(Oid database) {
  return catalog::with_transaction(*store_, nullptr, 0, [&](storage::Transaction& txn) {
    ConnectionLimits out;
    std::string image;
    const catalog::SystemTable& table = *catalog_->shared_tables().find(catalog::pg_database::kOid);
    if (!table.find_oid(txn, database, image)) return out;
    const catalog::RowReader row = table.reader(image);
    out.allowed = row.flag(catalog::pg_database::c_datallowconn);
    out.connections_max = row.i32(catalog::pg_database::c_datconnlimit);
    return out;
  });
}

Status InstanceImpl::check_limits(const catalog::RoleInfo& role, Oid database, const std::string& database_name,
                                  int32_t database_max) const {
  if (role.superuser) return {};
  const auto reached = [&](int32_t limit, auto&& counts) {
    return limit >= 0 && std::count_if(sessions_.begin(), sessions_.end(), counts) >= limit;
  };
  if (reached(role.connection_limit, [&](const auto& s) { return s.second.user == role.oid; })) {
    return Error(sqlstate::kTooManyConnections, "too many connections for role \"" + role.name + "\"");
  }
  if (reached(database_max, [&](const auto& s) { return s.second.database == database; })) {
    return Error(sqlstate::kTooManyConnections, "too many connections for database \"" + database_name + "\"");
  }
  return {};
}

bool InstanceImpl::locks_by_keys(Oid database, const std::string& stored) const {
  for (const auto& [pid, session] : sessions_) {
    if (session.database == database) return session.locking;
  }
  if (const auto prepared = storage::prepared_transactions(*store_).locks_by_keys(database)) return *prepared;
  return (stored.empty() ? defaults_[*find_setting("serializable_method")] : stored) == "locking";
}

namespace {
// What ALTER DATABASE has stored of the method, out of what else is stored; empty: nothing.
std::string take_method(std::vector<std::pair<std::string, std::string>>& stored) {
  std::string method;
  std::erase_if(stored, [&](const auto& setting) {
    if (setting.first != "serializable_method") return false;
    method = setting.second;
    return true;
  });
  return method;
}

void set_method(SessionParts& session, bool locking) {
  static const uint32_t index = *find_setting("serializable_method");
  const std::string value = locking ? "locking" : "ssn", of_server = session.settings().instance_default(index);
  if (value == of_server) return;
  session.settings().change_default(index, of_server, value);
  session.block().set_locking(locking);
}
}  // namespace

void InstanceImpl::choose_method(SessionParts& session) {
  const Oid database = session.session_catalog().database();
  auto stored = stored_settings(*catalog_, database, session.user());
  const std::string method = take_method(stored);
  bool locking;
  {
    const std::lock_guard lock(mutex_);
    locking = locks_by_keys(database, method);
  }
  set_method(session, locking);
}

// Without a folder, as PostgreSQL makes it: of the time.
uint64_t InstanceImpl::system_identifier() const {
  return data_ != nullptr ? data_->system_identifier() : static_cast<uint64_t>(start_timestamp_);
}

Result<std::unique_ptr<Session>> InstanceImpl::connect(const ConnectOptions& options, Waiter& waiter) {
  auto role = catalog_->role_named(options.user);
  if (!role) return Error(sqlstate::kInvalidAuthorization, "role \"" + options.user + "\" does not exist");
  if (!role->can_login)
    return Error(sqlstate::kInvalidAuthorization, "role \"" + options.user + "\" is not permitted to log in");
  const std::string& name = options.database.empty() ? options.user : options.database;
  auto database = catalog_->database_named(name);
  if (!database) return Error(sqlstate::kInvalidCatalogName, "database \"" + name + "\" does not exist");
  const ConnectionLimits limits = connection_limits(database->oid());
  if (!limits.allowed) {
    return Error(sqlstate::kObjectNotInPrerequisiteState,
                 "database \"" + name + "\" is not currently accepting connections");
  }
  auto stored = stored_settings(*catalog_, database->oid(), role->oid);
  const std::string method = take_method(stored);
  bool locking = false;
  int32_t pid = 0, key = static_cast<int32_t>(std::random_device{}());
  std::shared_ptr<SessionActivity> activity;
  std::unique_ptr<SessionImpl> session;
  {
    std::lock_guard lock(mutex_);
    if (shutting_down_) return Error(sqlstate::kCannotConnectNow, "the database system is shutting down");
    if (sessions_.size() >= static_cast<size_t>(number(defaults_, "max_connections"))) {
      return Error(sqlstate::kTooManyConnections, "sorry, too many clients already");
    }
    if (!role->superuser && sessions_.size() >= slots_for_all(defaults_)) {
      return Error(sqlstate::kTooManyConnections,
                   "remaining connection slots are reserved for non-replication superuser connections");
    }
    INDIGO_TRY(check_limits(*role, database->oid(), name, limits.connections_max));
    do {
      next_pid_ = next_pid_ == INT32_MAX ? 1 : next_pid_ + 1;
    } while (sessions_.contains(next_pid_));
    pid = next_pid_;
    locking = locks_by_keys(database->oid(), method);
    sessions_[pid] = {&waiter, key, nullptr, role->oid, database->oid(), locking};
  }
  session = std::make_unique<SessionImpl>(*this, waiter, database, pid, key);  // forgets itself at its end
  {
    std::lock_guard lock(mutex_);
    sessions_[pid].activity = session->parts().message().shared_activity();
  }
  // Who has closed it before that does not know of this session (engine/session/database_hold.h).
  if (database_opened_.wait([&] { return !database->closed(); }) == WaitResult::kInterrupted) {
    return interrupt_error(waiter.interrupted());
  }
  set_method(session->parts(), locking);
  INDIGO_TRY(session->start(options, stored));
  return std::unique_ptr<Session>(std::move(session));
}

void InstanceImpl::cancel(int32_t pid, int32_t key) {
  std::lock_guard lock(mutex_);
  auto at = sessions_.find(pid);
  if (at != sessions_.end() && at->second.key == key) at->second.waiter->interrupt(InterruptReason::kCancel);
}

std::string InstanceImpl::statement_of(int32_t pid) {
  std::shared_ptr<SessionActivity> activity;
  {
    const std::lock_guard lock(mutex_);
    const auto at = sessions_.find(pid);
    if (at == sessions_.end()) return {};
    activity = at->second.activity;
  }
  const std::lock_guard lock(activity->mutex);
  return without_passwords(activity->query);
}

bool InstanceImpl::interrupt(int32_t pid, InterruptReason reason) {
  std::lock_guard lock(mutex_);
  auto at = sessions_.find(pid);
  if (at == sessions_.end()) return false;
  at->second.waiter->interrupt(reason);
  return true;
}

void InstanceImpl::forget(int32_t pid) {
  {
    std::lock_guard lock(mutex_);
    sessions_.erase(pid);
  }
  session_ended_.notify_all();
}

std::vector<InstanceImpl::SessionEntry> InstanceImpl::sessions() const {
  std::vector<SessionEntry> out;
  std::lock_guard lock(mutex_);
  for (const auto& [pid, session] : sessions_) {
    if (session.activity) out.push_back({pid, session.activity, session.database});
  }
  return out;
}

size_t InstanceImpl::sessions_of(Oid database, int32_t except) const {
  size_t count = 0;
  for (const auto& session : sessions()) {
    std::lock_guard lock(session.activity->mutex);
    count += session.pid != except && session.activity->database == database;
  }
  return count;
}

std::string InstanceImpl::setting(const std::string& name) {
  const auto index = find_setting(name);
  if (!index) return {};
  const auto applied = system_settings_.applied();
  const auto at = applied->values.find(*index);
  return at == applied->values.end() ? defaults_[*index] : at->second;
}

bool InstanceImpl::shutdown(Deadline deadline) {
  if (subscription_workers_ != nullptr) subscription_workers_->stop();
  if (auto_analyzer_ != nullptr) auto_analyzer_->stop();
  {
    std::lock_guard lock(mutex_);
    shutting_down_ = true;
    for (auto& [pid, session] : sessions_) session.waiter->interrupt(InterruptReason::kShutdown);
  }
  return session_ended_.wait(
             [this] {
               std::lock_guard lock(mutex_);
               return sessions_.empty();
             },
             deadline) == WaitResult::kWoken;
}

}  // namespace indigo::engine
