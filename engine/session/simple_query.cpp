// Query messages: one text, any number of statements, one implicit transaction around those that no block encloses.
#include "base/memory/memory_reserve.h"
#include "engine/session/auto_explain.h"
#include "engine/session/current_message.h"
#include "engine/session/portal/parameter_binding.h"
#include "engine/session/portal/portals.h"
#include "engine/session/portal/preparation.h"
#include "engine/session/scanner_notices.h"
#include "engine/session/session_impl.h"
#include "engine/session/session_settings.h"
#include "engine/session/statement_counter.h"
#include "engine/session/statement_runner.h"
#include "engine/session/statement_scope.h"
#include "engine/session/transaction_block.h"
#include "engine/settings/applied_settings.h"
#include "engine/utility/utility.h"
#include "sql/parse/parser.h"

namespace indigo::engine {

void SessionImpl::statement_error(const Error& error, RowSink& sink) {
  parts_.message().log().failed(error);
  // An interrupt that arrived while something else failed is reported as what it is only when it ended the statement.
  parts_.fail_statement();
  sink.error(error);
}

// Whether a plan that may be another text's is good for what was scanned.
bool SessionImpl::is_cached() {
  return scanned_.cacheable && parts_.block().state() != TransactionBlock::State::kFailed &&
         !parts_.auto_explain().wants_plans() && !parts_.statement_counter().counts_plans();
}

void SessionImpl::run_query(std::string_view text, RowSink& sink) {
  parts_.message().set_sink(&sink);
  take_system_settings();
  parts_.begin_message(text);
  TransactionBlock& block = parts_.block();
  const bool command = walsender_ != nullptr && replication::ReplicationCommand::is_one(text);
  if (walsender_ != nullptr) walsender_->begin_command();
  parts_.portals().erase("");  // its portal takes the place of Bind's
  if (command) {
    report_scanner_notices(parts_.message(), text, parts_.applied_settings().strings);
  } else {
    scan_literals(text, scanned_);
  }
  Status status = command ? walsender_->run(text, sink) : is_cached() ? run_cached(text, sink) : run_text(text, sink);
  if (status.ok() && block.state() == TransactionBlock::State::kImplicit) status = block.commit();
  const MustNotFail scope;
  if (!status.ok()) statement_error(status.error(), sink);
  parts_.setting_effects().report_changes(sink);
  parts_.end_message();
}

Status SessionImpl::run_text(std::string_view text, RowSink& sink) {
  INDIGO_ASSIGN(auto tree, sql::parse(text, parts_.applied_settings().strings));
  const auto& statements = tree->statements();
  report_scanner_notices(parts_.message(), text, parts_.applied_settings().strings);
  if (statements.empty()) sink.empty_query();
  parts_.block().set_several(statements.size() > 1);
  const SharedText whole = share_text(text);
  for (size_t i = 0; i < statements.size(); i++) {
    parts_.waiter().yield_if_due();
    if (i > 0) parts_.message().start_timeout();  // each statement has its own time, and SET may have changed it
    auto parsed = std::make_shared<ParsedStatement>();
    *parsed = {tree, statements[i].node, whole, statements[i].location, statements[i].length};
    INDIGO_TRY(run_one(parsed, i + 1 == statements.size(), sink));
  }
  return {};
}

Status SessionImpl::run_cached(std::string_view text, RowSink& sink) {
  Portal& portal = parts_.portals().simple();
  // Statistics tell of each number of rows by itself.
  if (!parts_.statement_counter().loaded() && fold_rows(text, scanned_, folded_)) {
    // What fails is done again with the whole text: errors say where they are in it.
    auto prepared =
        parts_.preparation().prepare_text(folded_.scanned, folded_.text, {.literals = Preparation::Literals::kFolded});
    if (prepared.ok() && *prepared != nullptr) {
      portal.prepared = std::move(*prepared);
      portal.labels.clear();
      if (parts_.parameters().bind_rows(portal, folded_, scanned_)) {
        Status status = run_simple(portal, true, sink);
        if (status.ok() || !types_changed_under_literals()) return status;
      }
    }
  }
  for (bool again = false;; again = true) {
    portal.labels.clear();
    // Statistics tell of each text by itself.
    ColumnLabels* const labels = parts_.statement_counter().loaded() ? nullptr : &portal.labels;
    auto prepared = parts_.preparation().prepare_text(scanned_, text, {.labels = labels});
    if (prepared.ok() && *prepared == nullptr) return run_text(text, sink);
    if (!again) report_scanner_notices(parts_.message(), text, parts_.applied_settings().strings);
    if (!prepared.ok()) return prepared.take_error();
    portal.prepared = *std::move(prepared);
    INDIGO_TRY(parts_.parameters().bind_literals(portal, scanned_));
    Status status = run_simple(portal, true, sink);
    if (status.ok() || again || !types_changed_under_literals()) return status;
  }
}

// While the statement waited for its tables' locks, which it holds now, their columns have got other types.
bool SessionImpl::types_changed_under_literals() {
  if (!parts_.preparation().take_literals_changed()) return false;
  parts_.scope().end_statement();
  return true;
}

Status SessionImpl::run_one(const std::shared_ptr<const ParsedStatement>& parsed, bool last, RowSink& sink) {
  INDIGO_TRY(parts_.scope().check_failed_block(*parsed));
  parts_.scope().end_statement();
  if (find_utility(parsed->node) == nullptr) INDIGO_TRY(parts_.begin_statement());
  Portal& portal = parts_.portals().simple();
  INDIGO_ASSIGN(portal.prepared, parts_.preparation().prepare(parsed, {}, false, {}, {}));
  portal.parameters.clear();
  portal.labels.clear();
  portal.arena.reset();
  return run_simple(portal, last, sink);
}

Status SessionImpl::run_simple(Portal& portal, bool last, RowSink& sink) {
  StatementRunner& runner = parts_.runner();
  portal.status = Portal::Status::kReady;
  portal.rows_sent = 0;
  portal.tag.clear();
  parts_.message().log().runs(*portal.prepared);
  StatementCounter::Run count(parts_.statement_counter(), portal.prepared);
  if (portal.prepared->is_utility()) {
    INDIGO_ASSIGN(portal.shape, runner.shape_of(*portal.prepared, {}));
    if (portal.shape) sink.row_description(*portal.shape);
    INDIGO_TRY(runner.run_utility(portal, sink));
  } else {
    // Planning again may change the columns: open first, then describe.
    // A client that expects RETURNING's rows gets no others.
    portal.rule_sink = portal.prepared->text_shape ? nullptr : &sink;
    INDIGO_TRY(runner.open_plan(portal, Preparation::Columns::kMayChange));
    portal.shape = with_labels(portal.prepared->text_shape, portal.labels);
    if (portal.prepared->computed_first) INDIGO_TRY(runner.materialise(portal));
    if (portal.shape) sink.row_description(*portal.shape);
    INDIGO_TRY(runner.run_plan(portal, 0, sink));
  }
  count.ended(portal.tag);
  parts_.scope().end_statement();
  TransactionBlock& block = parts_.block();
  if (last && block.state() == TransactionBlock::State::kImplicit) INDIGO_TRY(block.commit());
  const MustNotFail scope;  // it may have committed: the client learns of it
  parts_.setting_effects().report_changes(sink);
  sink.command_complete(portal.tag);
  return {};
}

}  // namespace indigo::engine
