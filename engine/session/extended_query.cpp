// Parse, Bind, Describe, Execute, Close, Sync.
#include <algorithm>

#include "base/memory/memory_reserve.h"
#include "base/sqlstate.h"
#include "engine/session/auto_explain.h"
#include "engine/session/current_message.h"
#include "engine/session/portal/parameter_binding.h"
#include "engine/session/portal/portals.h"
#include "engine/session/portal/preparation.h"
#include "engine/session/portal/prepared_statements.h"
#include "engine/session/scanner_notices.h"
#include "engine/session/session_impl.h"
#include "engine/session/session_settings.h"
#include "engine/session/statement_counter.h"
#include "engine/session/statement_runner.h"
#include "engine/session/statement_scope.h"
#include "engine/session/transaction_block.h"
#include "engine/settings/applied_settings.h"
#include "engine/statement/result_shape.h"
#include "engine/utility/utility.h"
#include "sql/parse/parser.h"

namespace indigo::engine {

namespace {

Error no_statement(std::string_view name) {
  if (name.empty()) return Error(sqlstate::kInvalidSqlStatementName, "unnamed prepared statement does not exist");
  return Error(sqlstate::kInvalidSqlStatementName, "prepared statement \"" + std::string(name) + "\" does not exist");
}

Error no_portal(std::string_view name) {
  return Error(sqlstate::kInvalidCursorName, "portal \"" + std::string(name) + "\" does not exist");
}

Error cannot_run(std::string_view name) {
  return Error(sqlstate::kObjectNotInPrerequisiteState, "portal \"" + std::string(name) + "\" cannot be run");
}

// What the client has been told of the columns must stay so.
Status keeps_columns(const ResultShape* told, const ResultShape* now) {
  return same_columns(told, now) ? Status() : Status(result_type_changed());
}

std::vector<Oid> oids_of(const std::vector<types::TypeRef>& types) {
  std::vector<Oid> out;
  for (const auto& type : types) out.push_back(type.oid);
  return out;
}

}  // namespace

Status SessionImpl::make_statement(std::string_view name, std::string_view text, std::span<const Oid> parameter_types,
                                   RowSink& sink) {
  parts_.message().set_sink(&sink);
  take_system_settings();
  parts_.begin_message(text);
  if (!name.empty() && parts_.statements().contains(name)) {
    return Error(sqlstate::kDuplicatePreparedStatement,
                 "prepared statement \"" + std::string(name) + "\" already exists");
  }
  if (!name.empty()) INDIGO_TRY(check_room_to_keep());
  NamedStatement statement;
  statement.parameter_types.assign(parameter_types.begin(), parameter_types.end());
  statement.prepare_time = parts_.message().timestamp();
  // The unnamed statement of a driver that always parses again: the same text with the same types is found again.
  scan_literals(text, scanned_);
  const bool cached = scanned_.cacheable && parts_.block().state() != TransactionBlock::State::kFailed &&
                      !has_scanner_notices(text, parts_.applied_settings().strings);
  if (name.empty() && cached && scanned_.lifts && parameter_types.empty() && text.find('$') == std::string_view::npos &&
      !parts_.statement_counter().loaded() && !parts_.auto_explain().wants_plans()) {
    INDIGO_TRY(prepare_lifted(statement, text));
    if (statement.prepared != nullptr) {
      parts_.statements().add(name, std::move(statement));
      return {};
    }
  }
  const bool reuse = cached && Preparation::keep_literals(text, parameter_types, scanned_);
  if (reuse) statement.prepared = parts_.preparation().find_without_literals(scanned_, Preparation::CacheUse::kParse);
  const Preparation::SharedStatement shared{
      .text = text, .whole_text = true, .parameter_types = parameter_types, .variable_parameters = true};
  if (statement.prepared == nullptr && !name.empty() && parts_.block().state() != TransactionBlock::State::kFailed) {
    statement.prepared = parts_.preparation().find_shared(shared);
    if (statement.prepared != nullptr)
      report_scanner_notices(parts_.message(), text, parts_.applied_settings().strings);
  }
  if (statement.prepared != nullptr) {
    statement.parsed = statement.prepared->parsed;
  } else {
    INDIGO_TRY(prepare_new(statement, text));
    if (!name.empty() && statement.prepared != nullptr) {
      statement.prepared = parts_.preparation().share(shared, statement.prepared);
    }
    if (reuse && statement.prepared != nullptr) parts_.preparation().keep(scanned_, statement.prepared);
  }
  parts_.statements().add(name, std::move(statement));
  return {};
}

Status SessionImpl::prepare_lifted(NamedStatement& statement, std::string_view text) {
  ColumnLabels labels;
  INDIGO_ASSIGN(PreparedPtr prepared,
                parts_.preparation().prepare_text(scanned_, text, {.labels = &labels, .runs_now = false}));
  if (prepared == nullptr || prepared->is_utility()) return {};
  if (!prepared->lifted_used.empty() || prepared->own_names != nullptr)
    statement.lifted = std::make_unique<LiftedStatement>(text, scanned_, std::move(labels));
  statement.parsed = prepared->parsed;
  statement.prepared = std::move(prepared);
  return {};
}

Status SessionImpl::make_own(NamedStatement& statement) {
  const auto lifted = std::move(statement.lifted);
  const PreparedPtr told = std::move(statement.prepared);
  INDIGO_TRY(prepare_new(statement, lifted->text));
  const auto told_shape = with_labels(told->text_shape, lifted->labels);
  return keeps_columns(told_shape.get(), statement.prepared->text_shape.get());
}

Status SessionImpl::settle_lifted(NamedStatement& statement, bool for_cursor) {
  if (statement.lifted == nullptr) return {};
  const Prepared& prepared = *statement.prepared;
  const Preparation& preparation = parts_.preparation();
  const bool current = preparation.is_current(prepared) && prepared.plan_settings == preparation.generation();
  return current && !for_cursor ? Status() : make_own(statement);
}

Status SessionImpl::prepare_again(Portal& portal) {
  NamedStatement own;
  INDIGO_TRY(prepare_new(own, portal.text));
  portal.prepared = std::move(own.prepared);
  portal.parameters.clear();
  portal.text.clear();
  return keeps_columns(portal.shape.get(), portal.prepared->text_shape.get());
}

Status SessionImpl::prepare_new(NamedStatement& statement, std::string_view text) {
  INDIGO_ASSIGN(auto tree, sql::parse(text, parts_.applied_settings().strings));
  if (tree->statements().size() > 1) {
    return Error(sqlstate::kSyntaxError, "cannot insert multiple commands into a prepared statement");
  }
  report_scanner_notices(parts_.message(), text, parts_.applied_settings().strings);
  auto parsed = std::make_shared<ParsedStatement>();
  parsed->tree = tree;
  parsed->whole_text = share_text(text);
  statement.parsed = parsed;
  if (tree->statements().empty()) return {};
  parsed->node = tree->statements()[0].node;
  parsed->location = tree->statements()[0].location;
  parsed->length = tree->statements()[0].length;
  INDIGO_TRY(parts_.scope().check_failed_block(*parsed));
  if (find_utility(parsed->node) == nullptr) INDIGO_TRY(parts_.scope().begin_transaction());
  INDIGO_ASSIGN(statement.prepared, parts_.preparation().prepare(parsed, statement.parameter_types, true, {}, {}));
  return {};
}

Result<PreparedPtr> SessionImpl::for_cursor(NamedStatement& statement) {
  Preparation& preparation = parts_.preparation();
  if (statement.for_cursor == nullptr) {
    // Drivers that parse a statement again for each portal find its plan again.
    scan_literals(statement.parsed->text(), scanned_);
    const bool reuse = scanned_.cacheable && scanned_.literals.empty() && statement.parameter_types.empty();
    if (reuse) {
      statement.for_cursor = preparation.find_without_literals(scanned_, Preparation::CacheUse::kCursor);
      if (statement.for_cursor != nullptr) return statement.for_cursor;
    }
    const std::vector<Oid> types = oids_of(statement.prepared->parameter_types);
    INDIGO_ASSIGN(statement.for_cursor, preparation.prepare_shared(statement.parsed, types, false, true));
    if (reuse) preparation.keep(scanned_, statement.for_cursor);
  }
  INDIGO_TRY(preparation.refresh(statement.for_cursor));
  return statement.for_cursor;
}

Status SessionImpl::make_portal(const BindMessage& bind, RowSink& sink) {
  parts_.message().set_sink(&sink);
  parts_.begin_message({});
  NamedStatement* statement = parts_.statements().find(bind.statement);
  if (statement == nullptr) return no_statement(bind.statement);
  INDIGO_TRY(check_parameter_count(bind, statement->prepared ? statement->prepared->parameter_types.size() : 0));
  if (statement->prepared) INDIGO_TRY(parts_.scope().check_failed_block(*statement->parsed));
  if (!bind.portal.empty() && parts_.portals().contains(bind.portal)) {
    return Error(sqlstate::kDuplicateCursor, "cursor \"" + std::string(bind.portal) + "\" already exists");
  }
  Portal& portal = parts_.portals().reuse(bind.portal);
  portal.name = bind.portal;
  portal.status = Portal::Status::kReady;
  portal.no_scroll = true;  // for FETCH, which may read it like a cursor
  portal.created_timestamp = parts_.message().timestamp();
  portal.rows_sent = 0;
  portal.tag.clear();
  portal.parameters.clear();
  portal.text.clear();
  portal.arena.reset();
  portal.prepared = statement->prepared;
  portal.source_text = statement->source_text;
  portal.shape = nullptr;
  portal.created_at_depth = parts_.block().depth();
  if (portal.prepared == nullptr) return {};
  if (!portal.prepared->is_utility()) {
    INDIGO_TRY(parts_.scope().begin_transaction());
    INDIGO_TRY(settle_lifted(*statement, !bind.portal.empty()));
    portal.prepared = statement->prepared;
    INDIGO_TRY(parts_.preparation().refresh(portal.prepared));
    if (portal.prepared != statement->prepared) statement->prepared = portal.prepared;
    if (!bind.portal.empty() && portal.prepared->plan->command == sql::CommandKind::kSelect) {
      INDIGO_ASSIGN(portal.prepared, for_cursor(*statement));
    }
  }
  if (const LiftedStatement* lifted = statement->lifted.get()) {
    portal.text = lifted->text;
    INDIGO_TRY(parts_.parameters().bind_literals(portal, lifted->scanned));
  } else {
    INDIGO_TRY(parts_.parameters().bind_values(portal, bind));
    auto planned = parts_.preparation().for_values(portal.prepared, portal.parameters, statement->plans);
    if (!planned.ok()) return parts_.parameters().with_values(planned.take_error(), portal);
    portal.prepared = std::move(*planned);
  }
  static constexpr Format kAllText[] = {Format::kText};
  INDIGO_ASSIGN(portal.shape,
                parts_.runner().shape_of(*portal.prepared,
                                         bind.result_formats.empty() ? std::span(kAllText) : bind.result_formats));
  if (statement->lifted != nullptr) portal.shape = with_labels(portal.shape, statement->lifted->labels);
  return {};
}

Status SessionImpl::send_statement_description(std::string_view name, RowSink& sink) {
  parts_.message().set_sink(&sink);
  NamedStatement* statement = parts_.statements().find(name);
  if (statement == nullptr) return no_statement(name);
  std::vector<Oid> types;
  std::shared_ptr<const ResultShape> shape;
  if (statement->prepared) {
    INDIGO_TRY(parts_.scope().check_failed_block(*statement->parsed));
    // A plan that is made again may call functions.
    if (!statement->prepared->is_utility()) INDIGO_TRY(parts_.scope().begin_transaction());
    INDIGO_TRY(settle_lifted(*statement, false));
    INDIGO_TRY(parts_.preparation().refresh(statement->prepared));
    types = oids_of(statement->prepared->parameter_types);
    INDIGO_ASSIGN(shape, parts_.runner().shape_of(*statement->prepared, {}));
    if (statement->lifted != nullptr) shape = with_labels(shape, statement->lifted->labels);
  }
  sink.parameter_description(types);
  if (shape) {
    sink.row_description(*shape);
  } else {
    sink.no_data();
  }
  return {};
}

Status SessionImpl::send_portal_description(std::string_view name, RowSink& sink) {
  parts_.message().set_sink(&sink);
  const Portal* portal = parts_.portals().find(name);
  if (portal == nullptr) return no_portal(name);
  if (portal->prepared) INDIGO_TRY(parts_.scope().check_failed_block(*portal->prepared->parsed));
  if (portal->shape) {
    sink.row_description(*portal->shape);
  } else {
    sink.no_data();
  }
  return {};
}

namespace {

// The tag of what is executed in parts counts the rows of the last part, with RETURNING, too.
std::string with_count(const std::string& tag, uint64_t rows) {
  const size_t space = tag.rfind(' ');
  return space == std::string::npos ? tag : tag.substr(0, space + 1) + std::to_string(rows);
}

}  // namespace

Status SessionImpl::run_portal(std::string_view name, uint32_t max_rows, RowSink& sink) {
  parts_.message().set_sink(&sink);
  Portal* const portal = parts_.portals().find(name);
  if (portal == nullptr) return no_portal(name);
  if (portal->prepared == nullptr) {
    sink.empty_query();
    return {};
  }
  INDIGO_TRY(parts_.scope().check_failed_block(*portal->prepared->parsed));
  if (portal->status == Portal::Status::kFailed) {
    return parts_.block().state() == TransactionBlock::State::kFailed ? in_failed_block() : cannot_run(name);
  }
  parts_.begin_message(portal->client_text());
  if (portal->status == Portal::Status::kDone && portal->shape == nullptr) return cannot_run(name);
  parts_.message().log().runs(*portal->prepared);
  StatementCounter::Run count(parts_.statement_counter(), portal->prepared);
  auto ran = run_part(*portal, max_rows, sink);
  if (!ran.ok()) {
    if (parts_.portals().find(name) != portal) return ran.take_error();  // it has closed itself
    return parts_.parameters().with_values(ran.take_error(), *portal);
  }
  const PartRun run = std::move(*ran);
  if (run.done) count.ended(run.tag);
  const MustNotFail scope;  // it may have committed: the client learns of it
  parts_.scope().end_statement();
  parts_.message().stop_timeout();
  parts_.message().log().ended();
  parts_.setting_effects().report_changes(sink);
  if (run.done) {
    sink.command_complete(run.tag);
  } else {
    sink.portal_suspended();
  }
  return {};
}

// A utility statement runs as a whole; where the client takes its rows in parts, they are kept.
Result<SessionImpl::PartRun> SessionImpl::run_utility_part(Portal& portal, uint32_t max_rows, RowSink& sink) {
  if (portal.buffer == nullptr) {
    if (max_rows == 0 || portal.shape == nullptr) {
      const RunningPortal running(portal);
      INDIGO_TRY(parts_.runner().run_utility(portal, sink));
      return PartRun{portal.tag};
    }
    INDIGO_TRY(parts_.runner().keep_utility_rows(portal));
  }
  const bool begun = portal.buffer->position != 0;
  INDIGO_ASSIGN(const uint64_t sent, parts_.runner().fetch_rows(portal, max_rows, sink));
  const bool done = portal.status == Portal::Status::kDone;
  if (done) parts_.portals().close(portal);
  return PartRun{begun ? with_count(portal.tag, sent) : portal.tag, done};
}

Result<SessionImpl::PartRun> SessionImpl::run_part(Portal& portal, uint32_t max_rows, RowSink& sink) {
  if (portal.status == Portal::Status::kDone) {
    return PartRun{portal.tag.empty() ? "SELECT 0"
                                      : with_count(portal.tag, 0)};  // no tag: FETCH has read it to its end
  }
  if (portal.prepared->is_utility()) return run_utility_part(portal, max_rows, sink);
  const uint64_t before = portal.rows_sent;
  const bool begun = before != 0 || (portal.buffer && portal.buffer->position != 0);
  Status ran = parts_.runner().run_plan(portal, max_rows, sink);
  if (!ran.ok() && !portal.text.empty() && types_changed_under_literals()) {
    INDIGO_TRY(prepare_again(portal));
    ran = parts_.runner().run_plan(portal, max_rows, sink);
  }
  INDIGO_TRY(std::move(ran));
  return PartRun{begun ? with_count(portal.tag, portal.rows_sent - before) : portal.tag,
                 portal.status == Portal::Status::kDone};
}

Status SessionImpl::close_statement(std::string_view name) {
  parts_.statements().erase(name);
  return {};
}

Status SessionImpl::close_portal(std::string_view name) {
  parts_.portals().erase(name);
  return {};
}

Status SessionImpl::end_pipeline(RowSink& sink) {
  parts_.message().set_sink(&sink);
  Status status;
  const TransactionBlock::State state = parts_.block().state();
  if (state == TransactionBlock::State::kImplicit) status = parts_.block().commit();
  const MustNotFail scope;
  // Portals of statements that need no transaction end here all the same.
  if (state == TransactionBlock::State::kIdle) parts_.portals().end(0, TransactionBlock::End::kCommit, false);
  parts_.setting_effects().report_changes(sink);
  parts_.end_message();
  return status;
}

void SessionImpl::fail_transaction() {
  parts_.block().fail();
  parts_.scope().end_statement();
  parts_.message().stop_timeout();
}

}  // namespace indigo::engine
