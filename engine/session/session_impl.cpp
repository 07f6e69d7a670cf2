#include "engine/session/session_impl.h"

#include "base/fiber/interrupt_error.h"
#include "base/fiber/wait_point.h"
#include "base/sqlstate.h"
#include "catalog/catalog.h"
#include "catalog/descriptor/session_catalog.h"
#include "engine/instance_impl.h"
#include "engine/notify/session_notifications.h"
#include "engine/session/clock.h"
#include "engine/session/current_message.h"
#include "engine/session/modules.h"
#include "engine/session/session_log.h"
#include "engine/session/session_roles.h"
#include "engine/session/session_settings.h"
#include "engine/session/transaction_block.h"
#include "engine/settings/private_settings.h"

namespace indigo::engine {

SessionImpl::Registration::~Registration() { instance.forget(pid); }

Status SessionImpl::start(const ConnectOptions& options, std::span<const std::pair<std::string, std::string>> stored) {
  const auto role = parts_.instance().catalog().role_named(options.user);
  if (!role) return Error(sqlstate::kInvalidAuthorization, "role \"" + options.user + "\" does not exist");
  INDIGO_TRY(parts_.roles().log_in(*role));
  {
    const catalog::SessionCatalog& catalog = parts_.session_catalog();
    SessionActivity& activity = parts_.message().activity();
    std::lock_guard lock(activity.mutex);
    activity.pid = parts_.pid();
    activity.backend_start = activity.state_change = timestamp_now();
    activity.client_address = options.client_address;
    activity.client_port = options.client_port;
    activity.server_address = options.server_address;
    activity.server_port = options.server_port;
    activity.tls = options.tls;
    activity.database = catalog.database();
    activity.database_name = catalog.database_name();
    activity.user = role->oid;
    activity.user_name = role->name;
  }
  Settings& settings = parts_.settings();
  INDIGO_TRY(settings.set_default("session_authorization", role->name, true));
  parts_.setting_effects().apply_all();
  take_system_settings();
  preload_modules(parts_, {"shared_preload_libraries"});
  const types::Locale& locale = parts_.session_catalog().database_object().locale();
  settings.set_internal(*find_setting("lc_collate"), locale.collate);
  settings.set_internal(*find_setting("lc_ctype"), locale.ctype);
  for (const auto& [name, value] : stored) {
    if (Status status = settings.set_default(name, value, true); !status.ok()) {
      log_session(parts_, LogLevel::kWarning, "stored setting " + name + ": " + status.error().message, "startup");
    }
  }
  for (const auto& [name, value] : options.settings) {
    INDIGO_TRY(settings.set_default(name, value, may_set_as_superuser(parts_.session_catalog(), role->oid, name)));
  }
  preload_modules(parts_, {"session_preload_libraries"});
  parts_.setting_effects().forget_changes();
  if (options.replication) {
    if (!role->superuser && !role->replication) {
      return Error(sqlstate::kInsufficientPrivilege, "must be superuser or replication role to start walsender");
    }
    walsender_ = std::make_unique<replication::Walsender>(parts_);
  }
  return {};
}

std::vector<std::pair<std::string, std::string>> SessionImpl::reported_settings() const {
  return parts_.setting_effects().reported();
}

void SessionImpl::take_system_settings() {
  SystemSettings& system = parts_.instance().system_settings();
  const uint64_t generation = system.generation();
  if (generation == settings_generation_ || parts_.block().state() != TransactionBlock::State::kIdle) return;
  settings_generation_ = generation;
  const auto before = std::exchange(system_settings_, system.applied());
  Settings& settings = parts_.settings();
  const auto value_in = [&](const auto& applied, uint32_t index) {
    if (applied == nullptr) return settings.instance_default(index);
    const auto at = applied->values.find(index);
    return at == applied->values.end() ? settings.instance_default(index) : at->second;
  };
  std::set<uint32_t> concerned;
  for (const auto& applied : {before, system_settings_}) {
    if (applied == nullptr) continue;
    for (const auto& [index, value] : applied->values) concerned.insert(index);
  }
  for (const uint32_t index : concerned)
    settings.change_default(index, value_in(before, index), value_in(system_settings_, index));
}

char SessionImpl::transaction_status() const { return parts_.block().status_byte(); }

bool SessionImpl::checks_connection() const { return parts_.applied_settings().checks_connection; }

Deadline SessionImpl::idle_deadline() const {
  const AppliedSettings& settings = parts_.applied_settings();
  const auto timeout = parts_.block().in_block() ? settings.idle_transaction_timeout : settings.idle_timeout;
  return timeout.count() == 0 ? kNoDeadline : Clock::now() + timeout;
}

const std::atomic<bool>* SessionImpl::has_notifications() const { return &parts_.notifications().waiting(); }

bool SessionImpl::next_notification(Notification& out) {
  if (parts_.block().state() != TransactionBlock::State::kIdle) return false;
  SessionNotifications::Delivery delivery;
  if (!parts_.notifications().next(delivery)) return false;
  out = {delivery.sender, delivery.channel, delivery.payload};
  return true;
}

std::optional<Error> SessionImpl::must_end() {
  const InterruptReason reason = parts_.waiter().interrupted();
  if (reason < InterruptReason::kIdleTimeout) return std::nullopt;
  if (reason == InterruptReason::kIdleTimeout && !parts_.block().in_block()) {
    return Error(SqlState("57P05"), "terminating connection due to idle-session timeout");
  }
  return interrupt_error(reason);
}

}  // namespace indigo::engine
