// What SQL functions ask of their session: sequences, settings, sleep, system functions.
#include "base/interrupt_error.h"
#include "base/sqlstate.h"
#include "catalog/database.h"
#include "catalog/tables/sequence_table.h"
#include "engine/session/required_privileges.h"
#include "engine/session/session_impl.h"
#include "engine/system/system_functions.h"
#include "storage/durability.h"
#include "storage/table.h"
#include "types/value/acl.h"

namespace indigo::engine {

Status SessionImpl::set_setting(std::string_view name, std::string_view value, bool local) {
  return settings_.set(name, value, local ? Settings::Scope::kLocal : Settings::Scope::kSession, is_superuser());
}

Result<std::pair<std::shared_ptr<catalog::Sequence>, catalog::SequenceOptions>> SessionImpl::find_sequence(
    Oid oid, std::string& name) {
  auto relation = catalog_.relation(oid);
  if (!relation)
    return Error(sqlstate::kUndefinedTable, "relation with OID " + std::to_string(oid) + " does not exist");
  name = relation->name;
  if (relation->kind != catalog::RelationKind::kSequence) {
    return Error(sqlstate::kWrongObjectType, "\"" + name + "\" is not a sequence");
  }
  auto* table = dynamic_cast<catalog::SequenceTable*>(relation->table.get());
  if (table == nullptr) return Error(sqlstate::kInternalError, "sequence \"" + name + "\" has no counter");
  return std::make_pair(table->sequence(), table->options());
}

Result<int64_t> SessionImpl::nextval(Oid oid) {
  std::string name;
  INDIGO_ASSIGN(auto sequence, find_sequence(oid, name));
  INDIGO_TRY(check_sequence_privilege(*this, oid, name, types::kPrivilegeUsage | types::kPrivilegeUpdate));
  if (block_.read_only() && catalog_.relation(oid)->persistence != 't') {
    return Error(sqlstate::kReadOnlySqlTransaction, "cannot execute nextval() in a read-only transaction");
  }
  Lsn needed;
  INDIGO_ASSIGN(int64_t value, sequence.first->next(sequence.second, name, needed));
  if (block_.transaction() != nullptr) storage::need_durable(*block_.transaction(), needed);
  sequence_values_[oid] = value;
  last_sequence_ = oid;
  return value;
}

Result<int64_t> SessionImpl::currval(Oid oid) {
  std::string name;
  INDIGO_ASSIGN(auto sequence, find_sequence(oid, name));
  INDIGO_TRY(check_sequence_privilege(*this, oid, name, types::kPrivilegeUsage | types::kPrivilegeSelect));
  auto at = sequence_values_.find(oid);
  if (at == sequence_values_.end()) {
    return Error(sqlstate::kObjectNotInPrerequisiteState,
                 "currval of sequence \"" + name + "\" is not yet defined in this session");
  }
  return at->second;
}

Result<int64_t> SessionImpl::lastval() {
  if (last_sequence_ == kInvalidOid || !catalog_.relation(last_sequence_)) {
    return Error(sqlstate::kObjectNotInPrerequisiteState, "lastval is not yet defined in this session");
  }
  INDIGO_TRY(check_sequence_privilege(*this, last_sequence_, catalog_.relation(last_sequence_)->name,
                                      types::kPrivilegeUsage | types::kPrivilegeSelect));
  return sequence_values_[last_sequence_];
}

Status SessionImpl::setval(Oid oid, int64_t value, bool is_called) {
  std::string name;
  INDIGO_ASSIGN(auto sequence, find_sequence(oid, name));
  INDIGO_TRY(check_sequence_privilege(*this, oid, name, types::kPrivilegeUpdate));
  if (block_.read_only() && catalog_.relation(oid)->persistence != 't') {
    return Error(sqlstate::kReadOnlySqlTransaction, "cannot execute setval() in a read-only transaction");
  }
  Lsn needed;
  INDIGO_TRY(sequence.first->set(value, is_called, sequence.second, name, needed));
  if (block_.transaction() != nullptr) storage::need_durable(*block_.transaction(), needed);
  if (is_called) sequence_values_[oid] = value;
  return {};
}

Status SessionImpl::sleep(double seconds) {
  if (!(seconds > 0)) return {};
  Deadline until = Clock::now() + std::chrono::microseconds(static_cast<int64_t>(std::min(seconds, 1e9) * 1e6));
  WaitPoint never;
  if (never.wait([] { return false; }, until) == WaitResult::kInterrupted)
    return interrupt_error(waiter_.interrupted());
  return {};
}

Status SessionImpl::system_rows(std::string_view function, std::span<const Datum> args,
                                const std::function<void(std::span<const Datum>)>& sink) {
  const SystemRows* entry = find_system_rows(function);
  if (entry == nullptr) {
    return Error(sqlstate::kFeatureNotSupported, "function " + std::string(function) + " is not supported yet");
  }
  return entry->run(*this, args, sink);
}

Result<OwnedDatum> SessionImpl::system_value(std::string_view function, std::span<const Datum> args) {
  const SystemValue* entry = find_system_value(function);
  if (entry == nullptr) {
    return Error(sqlstate::kFeatureNotSupported, "function " + std::string(function) + " is not supported yet");
  }
  return entry->run(*this, args);
}

Result<OwnedDatum> SessionImpl::call_routine(const types::CallInfo& call, std::span<const Datum> args) {
  return programs_->call(call, args);
}

Result<std::unique_ptr<types::SetProducer>> SessionImpl::open_routine(const types::CallInfo& call,
                                                                      std::span<const Datum> args) {
  return programs_->open(call, args);
}

}  // namespace indigo::engine
