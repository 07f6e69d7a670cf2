// PL/pgSQL's cursors: SQL cursors whose names are in refcursor variables.
#include <algorithm>

#include "base/fiber/stack.h"
#include "base/sqlstate.h"
#include "engine/programs/active_view.h"
#include "engine/programs/plpgsql/interpreter.h"
#include "engine/programs/row_catcher.h"
#include "engine/session/current_message.h"
#include "engine/session/portal/portals.h"
#include "engine/session/portal/preparation.h"
#include "engine/session/portal/prepared_statements.h"
#include "engine/session/session_parts.h"
#include "engine/session/statement_runner.h"
#include "engine/session/statement_scope.h"
#include "engine/utility/execute_parameters.h"
#include "engine/utility/utility.h"
#include "sql/parse/parse_tree.h"
#include "storage/transaction.h"
#include "types/oids.h"

namespace indigo::engine::programs {

namespace {

std::string quoted(const std::string& name) {
  std::string out = "\"";
  for (const char c : name) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + "\"";
}

// An error of `begin` + `text`, told of `text` alone.
Error without(const std::string& begin, const std::string& text, Error error) {
  if (error.internal_query == begin + text) {
    error.internal_query = text;
    error.internal_position = std::max(1, error.internal_position - static_cast<int>(begin.size()));
  }
  if (const size_t at = error.where.find("\"" + begin + text + "\""); at != std::string::npos)
    error.where.erase(at + 1, begin.size());
  return error;
}

}  // namespace

Error declared_constant(const tree::Variable& variable) {
  return Error(SqlState("22005"), "variable \"" + variable.name + "\" is declared CONSTANT");
}

// OPEN FOR EXECUTE 'EXECUTE ...': the prepared statement's own plan, for these parameters.
Status Interpreter::open_prepared(const ParsedStatement& parsed, const std::string& name, std::optional<bool> scroll) {
  const PgQuery__ExecuteStmt& execute = *parsed.node->execute_stmt;
  NamedStatement* const named = session_.statements().find(execute.name);
  if (named == nullptr || named->prepared == nullptr) return not_a_cursor(*parsed.node);
  const NestedStatement::Rows none;
  RowCatcher catcher(session_, none);
  std::string tag;
  UtilityCall call{session_, parsed, parsed.node, {}, {}, nullptr, catcher, tag, false};
  INDIGO_ASSIGN(const std::vector<OwnedDatum> values, execute_parameters(call, execute, *named));
  auto portal = std::make_unique<Portal>();
  for (const OwnedDatum& value : values) {
    portal->parameters.push_back(value.get());
    Datum& kept = portal->parameters.back();
    if (kept.phys == Phys::kStr && !kept.null) kept.str = portal->arena.copy(kept.str);
  }
  INDIGO_ASSIGN(portal->prepared, session_.preparation().for_values(named->prepared, portal->parameters, named->plans));
  if (portal->prepared->is_utility() || portal->prepared->plan->command != sql::CommandKind::kSelect)
    return not_a_cursor(*parsed.node);
  return open_portal(std::move(portal), name, scroll, parsed.text());
}

Result<std::string> Interpreter::cursor_name(int cursor) {
  const Datum& value = frame_.scalar(cursor);
  if (value.null) {
    return Error(sqlstate::kNullValueNotAllowed,
                 "cursor variable \"" + function_.program().variables[static_cast<size_t>(cursor)].name + "\" is null");
  }
  return std::string(value.str);
}

Status Interpreter::open_cursor(int cursor, std::optional<bool> scroll, const FragmentPtr& query,
                                const FragmentPtr& arguments) {
  const tree::Variable& variable = function_.program().variables[static_cast<size_t>(cursor)];
  if (arguments) {
    CompiledFragment& fragment = function_.fragment(*arguments);
    INDIGO_TRY(fragment.prepare(session_, frame_));
    RowList row;
    INDIGO_TRY(fragment.run(session_, frame_, 1, collect(session_, fragment.statement(), row)));
    exec::RowSpool::Reader first;
    if (row.store.rows() > 0) INDIGO_TRY(first.seek(row.store, 0));
    for (size_t i = 0; i < variable.cursor_arguments.size() && row.store.rows() > 0; i++) {
      INDIGO_TRY(assign_variable(variable.cursor_arguments[i], first.datum(i), row.types[i]));
    }
  }
  std::string name;
  const Datum given = frame_.scalar(cursor);
  if (given.null && variable.constant) return declared_constant(variable);  // OPEN would have to name it
  if (!given.null) {
    name = std::string(given.str);
    if (session_.portals().contains(name))
      return Error(sqlstate::kDuplicateCursor, "cursor \"" + name + "\" already in use");
  } else {
    name = session_.portals().unused_name();
  }
  CompiledFragment& fragment = function_.fragment(*query);
  fragment.open_cursors();
  INDIGO_TRY(fragment.prepare(session_, frame_));
  INDIGO_TRY(open_query(fragment, name, scroll));
  if (given.null) set_scalar(cursor, Datum::of(Str(name)));
  return {};
}

Status Interpreter::open_query(CompiledFragment& fragment, const std::string& name, std::optional<bool> scroll) {
  auto portal = std::make_unique<Portal>();
  portal->prepared = fragment.statement().shared_prepared();
  if (portal->prepared->is_utility() || portal->prepared->plan->command != sql::CommandKind::kSelect)
    return not_a_cursor(*fragment.statement().node());
  INDIGO_ASSIGN(portal->parameters, fragment.values(frame_, [&](Datum value) {
    if (value.phys == Phys::kStr && !value.null) value.str = portal->arena.copy(value.str);
    return value;
  }));
  return open_portal(std::move(portal), name, scroll, fragment.text());
}

Status Interpreter::open_portal(std::unique_ptr<Portal> portal, const std::string& name, std::optional<bool> scroll,
                                std::string_view text) {
  portal->name = name;
  portal->is_cursor = true;
  portal->scroll = scroll.value_or(false);
  portal->no_scroll = scroll.has_value() && !*scroll;
  portal->source_text = share_text(text);
  portal->created_timestamp = session_.message().timestamp();
  portal->shape = portal->prepared->text_shape;
  if (function_.may_change()) session_.scope().nested_view(true);
  INDIGO_TRY(session_.runner().open_plan(*portal));
  portal->pin = session_.transaction().pin(portal->view);
  session_.portals().add(name, std::move(portal));
  return {};
}

Status Interpreter::run_open(const tree::Open& s) {
  const tree::Variable& variable = function_.program().variables[static_cast<size_t>(s.cursor)];
  if (variable.cursor) return open_cursor(s.cursor, variable.scroll, variable.query, s.arguments);
  if (!s.dynamic) return open_cursor(s.cursor, s.scroll, s.query, nullptr);
  INDIGO_ASSIGN(const std::string text, dynamic_text(s.dynamic));
  const auto parsed = parse_statements(text, nullptr);
  if (parsed.ok()) INDIGO_TRY(check_cursor_text(*parsed));
  const bool one = parsed.ok();
  const bool prepared = one && (*parsed)[0]->node->node_case == PG_QUERY__NODE__NODE_EXECUTE_STMT;
  if (one && !prepared && (*parsed)[0]->node->node_case != PG_QUERY__NODE__NODE_SELECT_STMT)
    return not_a_cursor(*(*parsed)[0]->node);
  std::string name;
  const Datum given = frame_.scalar(s.cursor);
  if (given.null && variable.constant) return declared_constant(variable);  // OPEN would have to name it
  if (!given.null) name = std::string(given.str);
  if (name.empty()) name = session_.portals().unused_name();
  if (prepared) {
    INDIGO_TRY(open_prepared(*(*parsed)[0], name, s.scroll));
  } else {
    // By its text, as DECLARE would; the parameters are literals' values.
    const std::string begin = std::string("DECLARE ") + quoted(name) +
                              (s.scroll ? *s.scroll ? " SCROLL" : " NO SCROLL" : "") + " CURSOR FOR ";
    auto opened = run_text(begin + text, s.parameters, nullptr, 0);
    if (!opened.ok()) return without(begin, text, std::move(*opened.take_error()));
  }
  if (given.null) set_scalar(s.cursor, Datum::of(Str(name)));
  return {};
}

// FETCH, MOVE or CLOSE of a cursor; answers how many rows it was about.
Result<uint64_t> Interpreter::cursor_command(const std::string& command, RowList* rows, const std::string& name) {
  const Portal* const portal = session_.portals().find(name);
  if (portal == nullptr) return Error(sqlstate::kInvalidCursorName, "cursor \"" + name + "\" does not exist");
  if (rows != nullptr && portal->prepared != nullptr && portal->prepared->plan != nullptr) {
    const sql::PlannedStatement& plan = *portal->prepared->plan;
    std::vector<TypeRef> types;
    std::vector<std::string> names;
    for (size_t i = 0; i < plan.targets.size(); i++) {
      types.push_back(plan.root->columns[i].type);
      names.push_back(plan.targets[i].name);
    }
    rows->init(session_, std::move(types), std::move(names));
  }
  const std::string text = command + quoted(name);
  if (text != command_text_ || command_ == nullptr) {
    INDIGO_ASSIGN(const auto parsed, parse_statements(text, nullptr));
    command_ = parsed[0];
    command_text_ = text;
  }
  NestedStatement statement(command_);
  INDIGO_ASSIGN(const auto outcome,
                statement.run(session_, {}, true, 0,
                              rows != nullptr ? collect(session_, statement, *rows) : NestedStatement::Rows()));
  if (command.starts_with("MOVE")) return std::strtoull(outcome.tag.c_str() + 5, nullptr, 10);
  return outcome.rows;
}

namespace {

// Whether its next row is its execution's: else the statement FETCH knows what to do.
bool goes_straight(const Portal& portal) {
  return portal.status == Portal::Status::kRunning && !portal.active && portal.execution != nullptr &&
         portal.buffer == nullptr && !portal.scroll && !portal.hold && portal.shape != nullptr;
}

}  // namespace

Status Interpreter::run_fetch(const tree::Fetch& s) {
  using Direction = tree::Fetch::Direction;
  int64_t count = s.count;
  Portal* portal = nullptr;
  std::string name;
  if (s.direction == Direction::kForward && count == 1 && !s.count_expression && !s.all && !s.move) {
    if (const Datum& given = frame_.scalar(s.cursor); !given.null) portal = session_.portals().find(given.str);
    if (portal != nullptr && goes_straight(*portal)) return fetch_next(s, *portal);
  }
  INDIGO_ASSIGN(name, cursor_name(s.cursor));
  if (s.count_expression) {
    INDIGO_ASSIGN(const auto given, integer(s.count_expression));
    if (!given) return Error(sqlstate::kNullValueNotAllowed, "relative or absolute cursor position is null");
    count = *given;
  }
  portal = session_.portals().find(name);
  const bool next = s.direction == Direction::kForward && count == 1 && !s.all && !s.move;
  if (next && portal != nullptr && goes_straight(*portal)) return fetch_next(s, *portal);
  std::string direction = s.direction == Direction::kBackward   ? "BACKWARD "
                          : s.direction == Direction::kAbsolute ? "ABSOLUTE "
                          : s.direction == Direction::kRelative ? "RELATIVE "
                                                                : "FORWARD ";
  direction += s.all ? "ALL" : std::to_string(count);
  RowList rows;
  INDIGO_ASSIGN(const uint64_t found,
                cursor_command((s.move ? "MOVE " : "FETCH ") + direction + " FROM ", s.move ? nullptr : &rows, name));
  frame_.row_count = found;
  set_found(found > 0);
  if (s.move) return {};
  return into(s.target, rows);
}

// As the statement FETCH does, but the row goes straight to the target.
Status Interpreter::fetch_next(const tree::Fetch& s, Portal& portal) {
  INDIGO_TRY(check_stack_depth());
  if (!function_.may_change())
    return Error(sqlstate::kFeatureNotSupported, "FETCH is not allowed in a non-volatile function");
  learn_columns(portal.prepared);
  INDIGO_ASSIGN(const bool found, pull(portal));
  frame_.row_count = found ? 1 : 0;
  set_found(found);
  if (found) {
    return assign_row(s.target, fetched_.types, fetched_.names, frame_.row.values(fetched_.types.size()),
                      fetched_.shape);
  }
  RowList none;
  none.init(session_, fetched_.types, fetched_.names);
  return into(s.target, none);
}

void Interpreter::learn_columns(const PreparedPtr& prepared) {
  if (fetched_.plan == prepared->plan) return;
  const sql::PlannedStatement& plan = *prepared->plan;
  fetched_.plan = prepared->plan;
  fetched_.types.clear();
  fetched_.names.clear();
  for (size_t i = 0; i < plan.targets.size(); i++) {
    fetched_.types.push_back(plan.root->columns[i].type);
    fetched_.names.push_back(plan.targets[i].name);
  }
  fetched_.shape = shape_of(fetched_.types, fetched_.names);
}

Result<bool> Interpreter::pull(Portal& portal) {
  Portal::Row row;
  if (portal.buffer != nullptr) {
    INDIGO_ASSIGN(const Chunk* chunk, portal.buffer->chunk(portal.buffer->position, 1));
    if (chunk->rows() > 0) row = {chunk, chunk->selection[0]};
    portal.buffer->position++;
  } else {
    const RunningPortal running(portal);
    // A row that has been read ahead comes of nothing that could see another command.
    const bool here = portal.ahead.any();
    if (!here) session_.scope().nested_view(true);
    const PreparedPtr prepared = portal.prepared;
    const ActiveView active(session_.scope().active_view(), portal.view, prepared->plan.get());
    auto pulled = portal.next_row(session_.session_catalog(), session_.transaction());
    if (!pulled.ok()) {
      portal.status = Portal::Status::kFailed;
      return pulled.take_error();
    }
    row = *pulled;
    if (!here) session_.transaction().next_command();
  }
  if (row.chunk == nullptr) {
    portal.status = Portal::Status::kDone;
    return false;
  }
  portal.rows_sent++;
  frame_.row.keep(*row.chunk, row.row);
  return true;
}

Status Interpreter::run_close(const tree::Close& s) {
  INDIGO_ASSIGN(const std::string name, cursor_name(s.cursor));
  INDIGO_TRY(cursor_command("CLOSE ", nullptr, name));
  return {};
}

}  // namespace indigo::engine::programs
