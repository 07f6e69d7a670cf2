#include "engine/session/session_impl.h"

#include <algorithm>

#include "base/interrupt_error.h"
#include "base/memory_reserve.h"
#include "base/server_log.h"
#include "base/sqlstate.h"
#include "catalog/object_privileges.h"
#include "engine/exec/query_state.h"
#include "engine/instance_impl.h"
#include "engine/session/clock.h"
#include "engine/settings/format_settings.h"
#include "engine/settings/identifier_list.h"
#include "engine/settings/private_settings.h"
#include "engine/utility/definition_host.h"
#include "types/number/random.h"

namespace indigo::engine {

namespace {

constexpr const char* kReported[] = {"application_name",
                                     "client_encoding",
                                     "DateStyle",
                                     "default_transaction_read_only",
                                     "in_hot_standby",
                                     "integer_datetimes",
                                     "IntervalStyle",
                                     "is_superuser",
                                     "server_encoding",
                                     "server_version",
                                     "session_authorization",
                                     "standard_conforming_strings",
                                     "TimeZone"};

bool is_reported(std::string_view name) {
  return std::any_of(std::begin(kReported), std::end(kReported), [&](const char* r) { return name == r; });
}

// Settings that neither plans nor values of folded constants depend on.
bool keeps_plans(std::string_view name) {
  constexpr const char* kKeep[] = {"application_name",
                                   "statement_timeout",
                                   "lock_timeout",
                                   "client_connection_check_interval",
                                   "idle_session_timeout",
                                   "idle_in_transaction_session_timeout",
                                   "client_min_messages",
                                   "transaction_isolation",
                                   "transaction_read_only",
                                   "transaction_deferrable",
                                   "default_transaction_isolation",
                                   "default_transaction_read_only",
                                   "synchronous_commit"};
  return std::any_of(std::begin(kKeep), std::end(kKeep), [&](const char* k) { return name == k; });
}

// An operator's limit: work_mem is a hint for a server that spills to disk; here an operator that outgrows the limit fails,
// so the limit is a multiple that keeps one statement from taking the machine.
uint64_t operator_memory_bytes(uint64_t work_mem_kilobytes) {
  constexpr uint64_t kLeastBytes = uint64_t{4} << 30;
  return std::max(work_mem_kilobytes * 1024, kLeastBytes);
}

Severity severity_of(std::string_view name) {
  if (name.starts_with("debug")) return Severity::kDebug;
  if (name == "log") return Severity::kLog;
  if (name == "notice") return Severity::kNotice;
  return name == "info" ? Severity::kInfo : Severity::kWarning;
}

}  // namespace

SessionImpl::SessionImpl(InstanceImpl& instance, Waiter& waiter, std::shared_ptr<catalog::Database> database,
                         int32_t pid, int32_t cancel_key)
    : instance_(instance),
      waiter_(waiter),
      pid_(pid),
      cancel_key_(cancel_key),
      settings_(instance.defaults()),
      catalog_(instance.catalog(), std::move(database), static_cast<uint64_t>(pid)),
      block_(instance.catalog().store(), catalog_, settings_, static_cast<uint64_t>(pid)),
      session_locks_(instance.catalog().store().locks().create_owner(TxnId(), static_cast<uint64_t>(pid))),
      activity_(std::make_shared<SessionActivity>()),
      programs_(std::make_unique<programs::Programs>(*this)),
      bind_context_(*this),
      output_context_(*this) {
  output_context_.set_arena(&output_arena_);
  settings_.on_change = [this](uint32_t index) { apply_setting(index); };
  settings_.check = [this](uint32_t index, std::string value) { return check_setting(index, std::move(value)); };
  block_.before_end = [this](size_t depth, TransactionBlock::End end) { end_portals(depth, end); };
  block_.before_commit = [this] { return finish_transaction(); };
}

SessionImpl::~SessionImpl() {
  const MustNotFail scope;
  // Portals hold cursors of the transaction: they go first.
  for (auto& [name, portal] : portals_) close(*portal);
  portals_.clear();
  close(simple_portal_);
  block_.rollback();
  drop_temporary_objects();
  instance_.catalog().store().locks().release_all(*session_locks_);
  instance_.forget(pid_);
}

Status SessionImpl::start(const ConnectOptions& options, std::span<const std::pair<std::string, std::string>> stored) {
  auto role = instance_.catalog().role_named(options.user);
  if (!role) return Error(sqlstate::kInvalidAuthorization, "role \"" + options.user + "\" does not exist");
  login_user_ = role->oid;
  INDIGO_TRY(check_may_connect(*role));
  role_oids_[role->name] = role->oid;
  {
    std::lock_guard lock(activity_->mutex);
    activity_->backend_start = activity_->state_change = timestamp_now();
    activity_->client_address = options.client_address;
    activity_->client_port = options.client_port;
    activity_->database = catalog_.database();
    activity_->database_name = catalog_.database_name();
    activity_->user = role->oid;
    activity_->user_name = role->name;
  }
  INDIGO_TRY(settings_.set_default("session_authorization", role->name, true));
  for (uint32_t i = 0; i < setting_table().size(); i++) apply_setting(i);
  for (const auto& [name, value] : stored) {
    if (Status status = settings_.set_default(name, value, true); !status.ok()) {
      log_warning("session of " + role->name + ": stored setting " + name + ": " + status.error().message);
    }
  }
  for (const auto& [name, value] : options.settings) {
    INDIGO_TRY(settings_.set_default(name, value, role->superuser));
  }
  changed_reported_.clear();
  return {};
}

Status SessionImpl::check_may_connect(const catalog::RoleInfo& role) {
  if (role.superuser) return {};
  const uint32_t held = catalog::object_privileges(catalog_, catalog::kDatabaseAcl, catalog_.database(), role.oid);
  if ((held & types::kPrivilegeConnect) != 0) return {};
  return Error(sqlstate::kInsufficientPrivilege,
               "permission denied for database \"" + std::string(catalog_.database_name()) + "\"")
      .with_detail("User does not have CONNECT privilege.");
}

std::vector<std::pair<std::string, std::string>> SessionImpl::reported_settings() const {
  std::vector<std::pair<std::string, std::string>> out;
  for (const char* name : kReported) {
    std::string value;
    (void)settings_.lookup(name, value);
    out.emplace_back(name, std::move(value));
  }
  return out;
}

void SessionImpl::apply_setting(uint32_t index) {
  const std::string_view name = setting_table()[index].name;
  const std::string& value = settings_.value(index);
  if (is_reported(name)) changed_reported_.push_back(index);
  if (!keeps_plans(name)) plan_generation_++;
  auto milliseconds = [&] { return std::chrono::milliseconds(settings_.integer(index)); };
  if (name == "statement_timeout") statement_timeout_ = milliseconds();
  if (name == "lock_timeout") lock_timeout_ = milliseconds();
  if (name == "idle_session_timeout") idle_timeout_ = milliseconds();
  if (name == "idle_in_transaction_session_timeout") idle_transaction_timeout_ = milliseconds();
  if (name == "client_connection_check_interval") checks_connection_ = settings_.integer(index) > 0;
  if (name == "work_mem") work_memory_bytes_ = operator_memory_bytes(static_cast<uint64_t>(settings_.integer(index)));
  if (name == "client_min_messages") client_min_severity_ = severity_of(value);
  if (name == "search_path")
    catalog_.set_search_path(split_identifier_list(value).value_or(std::vector<std::string>()));
  if (name == "session_authorization" || name == "role") apply_roles();
  if (name == "track_activities") {
    activity_tracked_ = value == "on";
    std::lock_guard lock(activity_->mutex);
    if (!activity_tracked_) activity_->state = "disabled";
    if (!activity_tracked_) activity_->query.clear();
  }
  if (name == "application_name") {
    std::lock_guard lock(activity_->mutex);
    activity_->application_name = value;
  }
  apply_format_setting(name, value, format_);
}

bool SessionImpl::setting(std::string_view name, std::string& value) {
  if (std::optional<std::string> mode = block_.mode_setting(name)) {
    value = *std::move(mode);
    return true;
  }
  return may_see_setting(*this, name) && settings_.lookup(name, value);
}

Result<std::string> SessionImpl::check_setting(uint32_t index, std::string value) {
  const auto& definition = setting_table()[index];
  std::string_view name = definition.name;
  if (name == "transaction_isolation") {
    TransactionModes modes;
    modes.uncommitted = value == "read uncommitted";
    modes.isolation = value == "serializable"      ? storage::Isolation::kSerializable
                      : value == "repeatable read" ? storage::Isolation::kRepeatableRead
                                                   : storage::Isolation::kReadCommitted;
    INDIGO_TRY(block_.set_modes(modes));
  }
  if (name == "session_authorization" || name == "role") INDIGO_TRY(check_role(name, value));
  if (name == "transaction_read_only") INDIGO_TRY(block_.set_modes({std::nullopt, value == "on", std::nullopt}));
  if (name == "transaction_deferrable") INDIGO_TRY(block_.set_modes({std::nullopt, std::nullopt, value == "on"}));
  if (name == "standard_conforming_strings" && value == "off") {
    return Error(sqlstate::kFeatureNotSupported, "standard_conforming_strings = off is not supported");
  }
  if (name == "search_path" && !split_identifier_list(value)) {
    return Error(sqlstate::kInvalidParameterValue, "invalid value for parameter \"search_path\": \"" + value + "\"")
        .with_detail("List syntax is invalid.");
  }
  if (name == "seed") types::seed_random(random, std::strtod(value.c_str(), nullptr));
  if (name == "TimeZone" && is_interval_zone(value)) return check_interval_zone(*this, value);
  return check_format_setting(name, std::move(value), format_);
}

void SessionImpl::report_changed_settings(RowSink& sink) {
  if (changed_reported_.empty()) return;
  std::sort(changed_reported_.begin(), changed_reported_.end());
  changed_reported_.erase(std::unique(changed_reported_.begin(), changed_reported_.end()), changed_reported_.end());
  for (uint32_t index : changed_reported_) sink.parameter_status(setting_table()[index].name, settings_.value(index));
  changed_reported_.clear();
}

void SessionImpl::notice(Severity severity, const Error& text) {
  if (sink_ != nullptr && (severity >= client_min_severity_ || severity == Severity::kInfo))
    sink_->notice(severity, text);
}

void SessionImpl::drop_temporary_objects() {
  if (catalog_.temp_schema() == kInvalidOid) return;
  statement_timestamp_ = timestamp_now();
  waiter_.clear_interrupt();  // the session ends: nothing may stop its last words
  if (!begin_statement().ok()) return;
  DefinitionHost host(*this, nullptr);
  DdlContext context{catalog_, transaction(), host, {}};
  if (engine::drop_temporary_objects(context).ok()) {
    (void)block_.commit();
  } else {
    block_.rollback();
  }
}

Status SessionImpl::finish_transaction() {
  INDIGO_TRY(run_deferred_checks(true));
  for (auto& [name, portal] : portals_) {
    if (portal->hold && portal->status == Portal::Status::kRunning && !portal->buffer) INDIGO_TRY(materialise(*portal));
  }
  if (catalog_.commit_actions().empty()) return {};
  DefinitionHost host(*this, nullptr);
  DdlContext context{catalog_, transaction(), host, {}};
  return engine::before_commit(context);
}

Status SessionImpl::run_deferred_checks(bool commit) {
  exec::DeferredChecks& checks = block_.deferred_checks();
  if (!checks.pending()) return {};
  storage::Transaction& txn = transaction();
  txn.set_lock_timeout(lock_timeout_);
  txn.next_command();
  txn.take_statement_snapshot();
  exec::QueryState state(std::make_shared<sql::PlannedStatement>());
  state.begin({store(), txn, txn.view(), *this, {}, work_memory_bytes_, &checks});
  return checks.run(state, commit);
}

// ---- messages and interrupts

void SessionImpl::begin_message(std::string_view text) {
  waiter_.clear_cancel();
  statement_timestamp_ = timestamp_now();
  statement_running_ = false;
  output_arena_.reset();
  set_timeouts();
  if (!activity_tracked_ || text.empty()) return;  // a Bind without a text is seen when it is executed
  std::lock_guard lock(activity_->mutex);
  activity_->state = "active";
  activity_->query_start = activity_->state_change = statement_timestamp_;
  activity_->query.assign(text.substr(0, 1024));
}

void SessionImpl::end_message() {
  waiter_.set_statement_deadline(kNoDeadline);
  waiter_.clear_cancel();
  statement_running_ = false;
  if (catalog_.version() != plans_version_) discard_stale_plans();
  if (!activity_tracked_) return;
  std::lock_guard lock(activity_->mutex);
  activity_->state = block_.state() == TransactionBlock::State::kFailed  ? "idle in transaction (aborted)"
                     : block_.state() == TransactionBlock::State::kBlock ? "idle in transaction"
                                                                         : "idle";
  activity_->state_change = statement_timestamp_;
  activity_->transaction_start = block_.in_block() ? block_.start_timestamp() : 0;
}

void SessionImpl::set_timeouts() {
  waiter_.set_statement_deadline(statement_timeout_.count() == 0 ? kNoDeadline : Clock::now() + statement_timeout_);
}

Deadline SessionImpl::idle_deadline() const {
  auto timeout = block_.in_block() ? idle_transaction_timeout_ : idle_timeout_;
  return timeout.count() == 0 ? kNoDeadline : Clock::now() + timeout;
}

std::optional<Error> SessionImpl::must_end() {
  const InterruptReason reason = waiter_.interrupted();
  if (reason < InterruptReason::kIdleTimeout) return std::nullopt;
  if (reason == InterruptReason::kIdleTimeout && !block_.in_block()) {
    return Error(SqlState("57P05"), "terminating connection due to idle-session timeout");
  }
  return interrupt_error(reason);
}

void SessionImpl::end_portals(size_t depth, TransactionBlock::End end) {
  using End = TransactionBlock::End;
  // Within a program it is the statement that runs: what ends is a part of it.
  if (simple_portal_.execution && active_view_ == nullptr) close(simple_portal_);
  std::erase_if(portals_, [&](auto& named) {
    Portal& portal = *named.second;
    if (portal.held() && portal.buffer) return false;                          // outlived its own transaction already
    if (end != End::kCommit && portal.created_at_depth < depth) return false;  // older than what rolls back
    if (end == End::kCommit && portal.hold) {
      portal.pin.reset();
      portal.created_at_depth = SIZE_MAX;
      return false;
    }
    close(portal);
    portal.status = Portal::Status::kFailed;
    return end != End::kFailure;  // until the rollback its name is known
  });
}

}  // namespace indigo::engine
