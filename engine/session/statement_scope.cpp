#include "engine/session/statement_scope.h"

#include "engine/session/current_message.h"
#include "engine/session/session_functions.h"
#include "engine/settings/applied_settings.h"
#include "engine/statement/prepared.h"
#include "engine/utility/utility.h"
#include "storage/txn/advance_snapshot.h"

namespace indigo::engine {

Status StatementScope::begin_transaction() { return block_.ensure(message_.timestamp()); }

Status StatementScope::begin_statement() {
  INDIGO_TRY(begin_transaction());
  storage::Transaction& txn = transaction();
  txn.set_lock_timeout(settings_.lock_timeout);
  if (!running_) {
    block_.use();
    txn.next_command();
    if (active_view_ == nullptr) storage::advance_snapshot(txn);
    catalog_version_ = context_.catalog().version();
    txn.take_statement_snapshot();
    running_ = true;
    context_.forget_key_failure();
  }
  return {};
}

bool StatementScope::follows_catalog() const { return context_.catalog().version() == catalog_version_; }

void StatementScope::renew_snapshot() {
  storage::Transaction& txn = transaction();
  if (active_view_ != nullptr) active_view_->pin(txn);  // who called this statement goes on with its own
  catalog_version_ = context_.catalog().version();
  txn.take_statement_snapshot();
}

Status StatementScope::check_failed_block(const ParsedStatement& parsed) const {
  if (block_.state() != TransactionBlock::State::kFailed) return {};
  const UtilityStatement* utility = find_utility(parsed.node);
  if (utility != nullptr && utility->in_failed_block) return {};
  return in_failed_block();
}

storage::ReadView StatementScope::current_view() {
  return active_view_ != nullptr ? active_view_->view() : transaction().view();
}

storage::ReadView StatementScope::nested_view(bool fresh) {
  if (!fresh) return current_view();
  storage::Transaction& txn = transaction();
  if (active_view_ != nullptr) active_view_->pin(txn);
  block_.use();
  txn.next_command();
  txn.take_statement_snapshot();
  return txn.view();
}

ExecutionContext StatementScope::execution_context(const storage::ReadView& view, std::span<const Datum> parameters) {
  return {store_,
          transaction(),
          view,
          context_,
          parameters,
          settings_.work_memory_bytes,
          &block_.deferred_checks(),
          &cursors_,
          &triggers_,
          nullptr,
          settings_.spill->may_spill() ? settings_.spill.get() : nullptr,
          &scans_,
          foreign_,
          &block_.changes()};
}

}  // namespace indigo::engine
