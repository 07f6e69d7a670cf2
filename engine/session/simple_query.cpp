// Query messages: one text, any number of statements, one implicit transaction around those that no block encloses.
#include "base/memory_reserve.h"
#include "base/sqlstate.h"
#include "engine/session/session_impl.h"
#include "engine/statement/repeated_rows.h"
#include "engine/utility/utility.h"
#include "sql/parse/parser.h"

namespace indigo::engine {

Status SessionImpl::check_failed_block(const ParsedStatement& parsed) {
  if (block_.state() != TransactionBlock::State::kFailed) return {};
  const UtilityHandler* handler = find_utility(parsed.node);
  if (handler != nullptr && handler->in_failed_block) return {};
  return in_failed_block();
}

void SessionImpl::statement_error(const Error& error, RowSink& sink) {
  // An interrupt that arrived while something else failed is reported as what it is only when it ended the statement.
  close(simple_portal_);
  simple_portal_.status = Portal::Status::kFailed;
  block_.fail();
  statement_running_ = false;
  sink.error(error);
}

void SessionImpl::run_query(std::string_view text, RowSink& sink) {
  sink_ = &sink;
  begin_message(text);
  scan_literals(text, scanned_);
  Status status = scanned_.cacheable && block_.state() != TransactionBlock::State::kFailed
                      ? run_cached(scanned_, text, sink)
                      : run_text(text, sink);
  if (status.ok() && block_.state() == TransactionBlock::State::kImplicit) status = block_.commit();
  const MustNotFail scope;
  if (!status.ok()) statement_error(status.error(), sink);
  report_changed_settings(sink);
  end_message();
  sink_ = nullptr;
}

Status SessionImpl::run_text(std::string_view text, RowSink& sink) {
  INDIGO_ASSIGN(auto tree, sql::parse(text));
  const auto& statements = tree->statements();
  if (statements.empty()) sink.empty_query();
  for (size_t i = 0; i < statements.size(); i++) {
    if (i > 0) set_timeouts();  // each statement has its own time, and SET may have changed it
    auto parsed = std::make_shared<ParsedStatement>();
    *parsed = {tree, statements[i].node, std::string(text), statements[i].location, statements[i].length};
    INDIGO_TRY(run_one(parsed, i + 1 == statements.size(), sink));
  }
  return {};
}

Status SessionImpl::run_cached(const ScannedText& scanned, std::string_view text, RowSink& sink) {
  Portal& portal = simple_portal_;
  if (fold_rows(text, scanned, folded_)) {
    // What fails is done again with the whole text: errors say where they are in it.
    auto prepared = prepare_cached(folded_.scanned, folded_.text);
    if (prepared.ok() && *prepared != nullptr) {
      portal.prepared = std::move(*prepared);
      if (bind_rows(portal, scanned)) return run_portal_simple(portal, true, sink);
    }
  }
  INDIGO_ASSIGN(PreparedPtr prepared, prepare_cached(scanned, text));
  if (prepared == nullptr) return run_text(text, sink);
  portal.prepared = std::move(prepared);
  INDIGO_TRY(bind_literals(portal, scanned));
  return run_portal_simple(portal, true, sink);
}

Status SessionImpl::run_one(const std::shared_ptr<const ParsedStatement>& parsed, bool last, RowSink& sink) {
  INDIGO_TRY(check_failed_block(*parsed));
  statement_running_ = false;
  const UtilityHandler* handler = find_utility(parsed->node);
  if (handler == nullptr) INDIGO_TRY(begin_statement());
  Portal& portal = simple_portal_;
  INDIGO_ASSIGN(portal.prepared, prepare(parsed, {}, false, {}, {}));
  portal.parameters.clear();
  portal.arena.reset();
  return run_portal_simple(portal, last, sink);
}

Status SessionImpl::run_portal_simple(Portal& portal, bool last, RowSink& sink) {
  portal.status = Portal::Status::kReady;
  portal.rows_sent = 0;
  portal.tag.clear();
  if (portal.prepared->is_utility()) {
    INDIGO_ASSIGN(portal.shape, shape_of(*portal.prepared, {}));
    if (portal.shape) sink.row_description(*portal.shape);
    INDIGO_TRY(run_utility(portal, sink));
  } else {
    // Planning again may change the columns: open first, then describe.
    INDIGO_TRY(open_plan(portal));
    portal.shape = portal.prepared->text_shape;
    if (portal.shape) sink.row_description(*portal.shape);
    INDIGO_TRY(run_plan(portal, 0, sink));
  }
  statement_running_ = false;
  if (last && block_.state() == TransactionBlock::State::kImplicit) INDIGO_TRY(block_.commit());
  const MustNotFail scope;  // it may have committed: the client learns of it
  report_changed_settings(sink);
  sink.command_complete(portal.tag);
  return {};
}

}  // namespace indigo::engine
