// Parse, Bind, Describe, Execute, Close, Sync.
#include "base/memory_reserve.h"
#include "base/sqlstate.h"
#include "engine/session/session_impl.h"
#include "engine/statement/result_shape.h"
#include "engine/utility/utility.h"
#include "sql/parse/parser.h"
#include "types/function/registry.h"
#include "types/oids.h"

namespace indigo::engine {

namespace {

Error no_statement(std::string_view name) {
  if (name.empty()) return Error(sqlstate::kInvalidSqlStatementName, "unnamed prepared statement does not exist");
  return Error(sqlstate::kInvalidSqlStatementName, "prepared statement \"" + std::string(name) + "\" does not exist");
}

Error no_portal(std::string_view name) {
  return Error(sqlstate::kInvalidCursorName, "portal \"" + std::string(name) + "\" does not exist");
}

}  // namespace

Status SessionImpl::make_statement(std::string_view name, std::string_view text, std::span<const Oid> parameter_types,
                                   RowSink& sink) {
  sink_ = &sink;
  begin_message(text);
  if (!name.empty() && statements_.contains(name)) {
    return Error(sqlstate::kDuplicatePreparedStatement,
                 "prepared statement \"" + std::string(name) + "\" already exists");
  }
  NamedStatement statement;
  statement.parameter_types.assign(parameter_types.begin(), parameter_types.end());
  statement.prepare_time = statement_timestamp_;
  // The unnamed statement of a driver that always parses anew: the same text with the same types is found again.
  scan_literals(text, scanned_);
  const bool reuse = scanned_.cacheable && scanned_.literals.empty() && parameter_types.empty() &&
                     block_.state() != TransactionBlock::State::kFailed;
  if (reuse) {
    scanned_.key.push_back('\x1f');  // parameters are inferred: another statement than the simple protocol's
    if (PreparedPtr found = cache_.find(scanned_, plan_generation_);
        found && !found->is_utility() && found->catalog_version == catalog_.version()) {
      statement.parsed = found->parsed;
      statement.prepared = std::move(found);
    }
  }
  if (statement.prepared == nullptr) {
    INDIGO_ASSIGN(auto tree, sql::parse(text));
    if (tree->statements().size() > 1) {
      return Error(sqlstate::kSyntaxError, "cannot insert multiple commands into a prepared statement");
    }
    auto parsed = std::make_shared<ParsedStatement>();
    parsed->tree = tree;
    parsed->text = text;
    if (!tree->statements().empty()) {
      parsed->node = tree->statements()[0].node;
      parsed->location = tree->statements()[0].location;
      parsed->length = tree->statements()[0].length;
      INDIGO_TRY(check_failed_block(*parsed));
      if (find_utility(parsed->node) == nullptr) {
        INDIGO_TRY(block_.ensure(statement_timestamp_));
      }
      INDIGO_ASSIGN(statement.prepared, prepare(parsed, parameter_types, true, {}, {}));
      if (reuse && !statement.prepared->is_utility()) cache_.insert(scanned_, plan_generation_, statement.prepared);
    }
    statement.parsed = std::move(parsed);
  }
  if (name.empty()) {
    unnamed_statement_ = std::move(statement);
  } else {
    statements_.emplace(name, std::move(statement));
  }
  return {};
}

NamedStatement* SessionImpl::find_statement(std::string_view name) {
  if (name.empty()) return unnamed_statement_.parsed ? &unnamed_statement_ : nullptr;
  auto at = statements_.find(name);
  return at == statements_.end() ? nullptr : &at->second;
}

Result<PreparedPtr> SessionImpl::for_cursor(NamedStatement& statement) {
  if (statement.for_cursor == nullptr) {
    // Drivers that parse a statement anew for each portal find its plan again.
    scan_literals(statement.parsed->text, scanned_);
    const bool reuse = scanned_.cacheable && scanned_.literals.empty() && statement.parameter_types.empty();
    if (reuse) {
      scanned_.key.push_back('\x1e');  // with the row keys of a cursor: another plan than the statement's own
      if (PreparedPtr found = cache_.find(scanned_, plan_generation_);
          found && found->catalog_version == catalog_.version()) {
        statement.for_cursor = std::move(found);
        return statement.for_cursor;
      }
    }
    std::vector<Oid> types;
    for (const auto& type : statement.prepared->parameter_types) types.push_back(type.oid);
    INDIGO_ASSIGN(statement.for_cursor, prepare(statement.parsed, types, false, {}, {}, true));
    if (reuse) cache_.insert(scanned_, plan_generation_, statement.for_cursor);
  }
  INDIGO_TRY(refresh(statement.for_cursor));
  return statement.for_cursor;
}

Status SessionImpl::make_portal(const BindMessage& bind, RowSink& sink) {
  sink_ = &sink;
  begin_message({});
  NamedStatement* statement = find_statement(bind.statement);
  if (statement == nullptr) return no_statement(bind.statement);
  const size_t count = statement->prepared ? statement->prepared->parameter_types.size() : 0;
  if (bind.parameter_formats.size() > 1 && bind.parameter_formats.size() != bind.values.size()) {
    return Error(sqlstate::kProtocolViolation, "bind message has " + std::to_string(bind.parameter_formats.size()) +
                                                   " parameter formats but " + std::to_string(bind.values.size()) +
                                                   " parameters");
  }
  if (bind.values.size() != count) {
    return Error(sqlstate::kProtocolViolation, "bind message supplies " + std::to_string(bind.values.size()) +
                                                   " parameters, but prepared statement \"" +
                                                   std::string(bind.statement) + "\" requires " +
                                                   std::to_string(count));
  }
  if (statement->prepared) INDIGO_TRY(check_failed_block(*statement->parsed));
  if (!bind.portal.empty() && portals_.contains(bind.portal)) {
    return Error(sqlstate::kDuplicateCursor, "cursor \"" + std::string(bind.portal) + "\" already exists");
  }
  auto& slot = portals_[std::string(bind.portal)];
  if (slot) {
    close(*slot);
  } else {
    slot = std::make_unique<Portal>();
  }
  Portal& portal = *slot;
  portal.name = bind.portal;
  portal.status = Portal::Status::kReady;
  portal.no_scroll = true;  // for FETCH, which may read it like a cursor
  portal.rows_sent = 0;
  portal.tag.clear();
  portal.parameters.clear();
  portal.arena.reset();
  portal.prepared = statement->prepared;
  portal.shape = nullptr;
  portal.created_at_depth = block_.depth();
  if (portal.prepared == nullptr) return {};
  if (!portal.prepared->is_utility()) {
    INDIGO_TRY(block_.ensure(statement_timestamp_));
    INDIGO_TRY(refresh(portal.prepared));
    if (portal.prepared != statement->prepared) statement->prepared = portal.prepared;
    if (!bind.portal.empty() && portal.prepared->plan->command == sql::CommandKind::kSelect) {
      INDIGO_ASSIGN(portal.prepared, for_cursor(*statement));
    }
  }
  bind_context_.set_arena(&portal.arena);
  for (size_t i = 0; i < count; i++) {
    const types::TypeRef& type = portal.prepared->parameter_types[i];
    if (!bind.values[i]) {
      portal.parameters.push_back(Datum::make_null(types::physical_of(type.oid)));
      continue;
    }
    Format format = bind.parameter_formats.empty() ? Format::kText
                                                   : bind.parameter_formats[bind.parameter_formats.size() == 1 ? 0 : i];
    Str bytes = portal.arena.copy(*bind.values[i]);
    Datum value = format == Format::kText ? types::type_input(bind_context_, type, bytes)
                                          : types::type_receive(bind_context_, type, bytes);
    if (bind_context_.failed()) {
      auto error = bind_context_.take_error();
      if (error->where.empty()) {
        error->where = bind.portal.empty()
                           ? "unnamed portal parameter $" + std::to_string(i + 1)
                           : "portal \"" + std::string(bind.portal) + "\" parameter $" + std::to_string(i + 1);
        if (format == Format::kText) error->where += " = '" + std::string(bytes) + "'";
      }
      return error;
    }
    portal.parameters.push_back(value);
  }
  static constexpr Format kAllText[] = {Format::kText};
  INDIGO_ASSIGN(portal.shape,
                shape_of(*portal.prepared, bind.result_formats.empty() ? std::span(kAllText) : bind.result_formats));
  return {};
}

Status SessionImpl::send_statement_description(std::string_view name, RowSink& sink) {
  sink_ = &sink;
  NamedStatement* statement = find_statement(name);
  if (statement == nullptr) return no_statement(name);
  std::vector<Oid> types;
  std::shared_ptr<const ResultShape> shape;
  if (statement->prepared) {
    INDIGO_TRY(check_failed_block(*statement->parsed));
    INDIGO_TRY(refresh(statement->prepared));
    for (const auto& type : statement->prepared->parameter_types) types.push_back(type.oid);
    INDIGO_ASSIGN(shape, shape_of(*statement->prepared, {}));
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
  sink_ = &sink;
  auto at = portals_.find(name);
  if (at == portals_.end()) return no_portal(name);
  if (at->second->prepared) INDIGO_TRY(check_failed_block(*at->second->prepared->parsed));
  if (at->second->shape) {
    sink.row_description(*at->second->shape);
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
  sink_ = &sink;
  auto at = portals_.find(name);
  if (at == portals_.end()) return no_portal(name);
  Portal& portal = *at->second;
  if (portal.prepared == nullptr) {
    sink.empty_query();
    return {};
  }
  INDIGO_TRY(check_failed_block(*portal.prepared->parsed));
  if (portal.status == Portal::Status::kFailed) {
    if (block_.state() == TransactionBlock::State::kFailed) return in_failed_block();
    return Error(sqlstate::kObjectNotInPrerequisiteState, "portal \"" + std::string(name) + "\" cannot be run");
  }
  begin_message(portal.prepared->parsed->text);
  set_timeouts();
  statement_running_ = false;
  if (portal.status == Portal::Status::kDone && portal.shape == nullptr) {
    return Error(sqlstate::kObjectNotInPrerequisiteState, "portal \"" + std::string(name) + "\" cannot be run");
  }
  std::string tag;
  bool done = true;
  if (portal.status == Portal::Status::kDone) {
    tag = with_count(portal.tag, 0);
  } else if (portal.prepared->is_utility()) {
    PreparedPtr keep = portal.prepared;  // a utility statement may close this very portal
    Portal local;
    local.prepared = keep;
    local.parameters = portal.parameters;
    local.shape = portal.shape;
    INDIGO_TRY(run_utility(local, sink));
    tag = local.tag;
    if (auto again = portals_.find(name); again != portals_.end()) again->second->status = Portal::Status::kDone;
  } else {
    const uint64_t before = portal.rows_sent;
    const bool begun = before != 0 || (portal.buffer && portal.buffer->position != 0);
    INDIGO_TRY(run_plan(portal, max_rows, sink));
    done = portal.status == Portal::Status::kDone;
    tag = portal.tag;
    if (begun) tag = with_count(tag, portal.rows_sent - before);
  }
  const MustNotFail scope;  // it may have committed: the client learns of it
  statement_running_ = false;
  waiter_.set_statement_deadline(kNoDeadline);
  report_changed_settings(sink);
  if (done) {
    sink.command_complete(tag);
  } else {
    sink.portal_suspended();
  }
  return {};
}

Status SessionImpl::close_statement(std::string_view name) {
  if (name.empty()) {
    unnamed_statement_ = {};
  } else if (auto at = statements_.find(name); at != statements_.end()) {
    statements_.erase(at);
  }
  return {};
}

Status SessionImpl::close_portal(std::string_view name) {
  if (auto at = portals_.find(name); at != portals_.end()) {
    close(*at->second);
    portals_.erase(at);
  }
  return {};
}

Status SessionImpl::end_pipeline(RowSink& sink) {
  sink_ = &sink;
  Status status;
  if (block_.state() == TransactionBlock::State::kImplicit) status = block_.commit();
  const MustNotFail scope;
  report_changed_settings(sink);
  end_message();
  sink_ = nullptr;
  return status;
}

void SessionImpl::fail_transaction() {
  block_.fail();
  statement_running_ = false;
  waiter_.set_statement_deadline(kNoDeadline);
}

}  // namespace indigo::engine
