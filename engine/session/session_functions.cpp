#include "engine/session/session_functions.h"

#include <algorithm>

#include "base/fiber/interrupt_error.h"
#include "base/fiber/wait_point.h"
#include "base/sqlstate.h"
#include "catalog/descriptor/session_catalog.h"
#include "catalog/descriptor/text_search_names.h"
#include "engine/programs/index_calls.h"
#include "engine/programs/programs.h"
#include "engine/programs/trigger_caller.h"
#include "engine/row_sink.h"
#include "engine/session/current_message.h"
#include "engine/session/sequence_values.h"
#include "engine/session/session_parts.h"
#include "engine/session/session_roles.h"
#include "engine/session/transaction_block.h"
#include "engine/settings/applied_settings.h"
#include "engine/settings/private_settings.h"
#include "engine/settings/settings.h"
#include "engine/system/system_functions.h"
#include "engine/text_search/text_search_objects.h"

namespace indigo::engine {

SessionFunctions::SessionFunctions(SessionParts& session)
    : session_(session), text_search_(std::make_unique<TextSearchObjects>(*this)) {}

SessionFunctions::~SessionFunctions() = default;

const types::FormatSettings& SessionFunctions::format() { return session_.applied_settings().format; }

catalog::CatalogView& SessionFunctions::catalog() { return session_.session_catalog(); }

int64_t SessionFunctions::transaction_timestamp() { return session_.block().start_timestamp(); }

int64_t SessionFunctions::statement_timestamp() { return session_.message().timestamp(); }

std::string SessionFunctions::current_user() { return session_.roles().user_name(); }

std::string SessionFunctions::session_user() { return session_.roles().session_user_name(); }

int32_t SessionFunctions::backend_pid() { return session_.pid(); }

bool SessionFunctions::setting(std::string_view name, std::string& value) {
  if (std::optional<std::string> mode = session_.block().mode_setting(name)) {
    value = *std::move(mode);
    return true;
  }
  return may_see_setting(session_.session_catalog(), name) && session_.settings().lookup(name, value);
}

Status SessionFunctions::set_setting(std::string_view name, std::string_view value, bool local) {
  return session_.settings().set(name, value, local ? Settings::Scope::kLocal : Settings::Scope::kSession,
                                 may_set_as_superuser(session_.session_catalog(), session_.user(), name));
}

Result<int64_t> SessionFunctions::nextval(Oid sequence) { return session_.sequences().nextval(sequence); }

Result<int64_t> SessionFunctions::currval(Oid sequence) { return session_.sequences().currval(sequence); }

Result<int64_t> SessionFunctions::lastval() { return session_.sequences().lastval(); }

Status SessionFunctions::setval(Oid sequence, int64_t value, bool is_called) {
  return session_.sequences().setval(sequence, value, is_called);
}

Status SessionFunctions::sleep(double seconds) {
  if (!(seconds > 0)) return {};
  Deadline until = Clock::now() + std::chrono::microseconds(static_cast<int64_t>(std::min(seconds, 1e9) * 1e6));
  WaitPoint never;
  if (never.wait([] { return false; }, until) == WaitResult::kInterrupted)
    return interrupt_error(session_.waiter().interrupted());
  return {};
}

Status SessionFunctions::system_rows(std::string_view function, std::span<const Datum> args,
                                     const std::function<void(std::span<const Datum>)>& sink) {
  const SystemRows* entry = find_system_rows(function);
  if (entry == nullptr) {
    return Error(sqlstate::kFeatureNotSupported, "function " + std::string(function) + " is not supported yet");
  }
  return entry->run(session_, args, sink);
}

Result<OwnedDatum> SessionFunctions::system_value(std::string_view function, std::span<const Datum> args) {
  const SystemValue* entry = find_system_value(function);
  if (entry == nullptr) {
    return Error(sqlstate::kFeatureNotSupported, "function " + std::string(function) + " is not supported yet");
  }
  return entry->run(session_, args);
}

Result<OwnedDatum> SessionFunctions::call_routine(const types::CallInfo& call, std::span<const Datum> args) {
  return session_.routines().call(call, args);
}

std::shared_ptr<const types::RoutineKernel> SessionFunctions::kernel_of(const types::CallInfo& call) {
  return session_.routines().kernel_of(call);
}

Result<std::unique_ptr<types::SetProducer>> SessionFunctions::open_routine(const types::CallInfo& call,
                                                                           std::span<const Datum> args) {
  return session_.routines().open(call, args);
}

std::shared_ptr<const catalog::RelationInfo> SessionFunctions::transition_table(std::string_view name) {
  return session_.triggers().transition_table(name);
}

Result<types::ConfigurationPtr> SessionFunctions::text_search_configuration(Oid oid) {
  return text_search_->configuration(oid);
}

Result<types::DictionaryPtr> SessionFunctions::text_search_dictionary(Oid oid) { return text_search_->dictionary(oid); }

Result<Oid> SessionFunctions::current_text_search_configuration() {
  std::string name;
  setting("default_text_search_config", name);
  return text_search_->named_configuration(name);
}

Oid SessionFunctions::find_text_search(types::TextSearchKind kind, std::string_view schema, std::string_view name) {
  return catalog::find_text_search(catalog(), kind, schema, name);
}

std::optional<types::TextSearchName> SessionFunctions::text_search_name(types::TextSearchKind kind, Oid oid) {
  return catalog::text_search_name(catalog(), kind, oid);
}

Status SessionFunctions::try_text_search_dictionary(Oid text_search_template, std::string_view options) {
  INDIGO_TRY(text_search_->make_dictionary(text_search_template, options));
  return {};
}

void SessionFunctions::text_search_notice(const Error& text) {
  session_.notice(text.state == sqlstate::kWarning ? Severity::kWarning : Severity::kNotice, text);
}

std::shared_ptr<exec::IndexRoutines> SessionFunctions::index_routines() {
  return programs::make_index_routines(session_);
}

}  // namespace indigo::engine
