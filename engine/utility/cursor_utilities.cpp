// DECLARE, FETCH, MOVE, CLOSE. Scrollable and held cursors keep their rows in a RowBuffer; plain ones pull from operators.
//
// A cursor's position p: 0 before the first row, 1..n on a row, n+1 after the last. With a buffer p is kept in
// buffer->position (0..n+1); without, the cursor only moves forward and `rows_sent` counts.
#include <algorithm>

#include "base/sqlstate.h"
#include "engine/session/current_message.h"
#include "engine/session/portal/portals.h"
#include "engine/session/portal/preparation.h"
#include "engine/session/portal/prepared_statements.h"
#include "engine/session/session_parts.h"
#include "engine/session/session_roles.h"
#include "engine/session/statement_counter.h"
#include "engine/session/statement_runner.h"
#include "engine/session/statement_scope.h"
#include "engine/session/transaction_block.h"
#include "engine/statement/result_shape.h"
#include "engine/utility/families.h"
#include "sql/parse/node.h"
#include "sql/parse/parse_tree.h"
#include "sql/parse/text_position.h"
#include "storage/transaction.h"

namespace indigo::engine {

namespace {

enum CursorOption : int32_t {  // parsenodes.h's bits
  kBinary = 0x1,
  kScroll = 0x2,
  kNoScroll = 0x4,
  kInsensitive = 0x8,
  kAsensitive = 0x10,
  kHold = 0x20,
};
constexpr int64_t kFetchAll = INT64_MAX;
constexpr SqlState kInvalidCursorDefinition{"42P11"};

Error no_cursor(std::string_view name) {
  return Error(sqlstate::kInvalidCursorName, "cursor \"" + std::string(name) + "\" does not exist");
}

// Whether PostgreSQL would let a cursor without SCROLL go backward over such a plan: no joins, no aggregates.
bool runs_backward(const sql::Plan& plan) {
  if (plan.kind == sql::PlanKind::kAppend && !static_cast<const sql::AppendPlan&>(plan).order.empty()) return false;
  switch (plan.kind) {
    case sql::PlanKind::kResult: return !plan.inputs.empty() && runs_backward(*plan.inputs[0]);
    case sql::PlanKind::kValues:
    case sql::PlanKind::kTableScan:
    case sql::PlanKind::kIndexScan:
    case sql::PlanKind::kFunctionScan:
    case sql::PlanKind::kCteScan:
    case sql::PlanKind::kSort:
    case sql::PlanKind::kMaterialize: return true;
    case sql::PlanKind::kSubqueryScan:
    case sql::PlanKind::kFilter:
    case sql::PlanKind::kProject:
    case sql::PlanKind::kLimit:
    case sql::PlanKind::kAppend:
      return std::all_of(plan.inputs.begin(), plan.inputs.end(), [](const auto& p) { return runs_backward(*p); });
    default: return false;
  }
}

// A cursor that has only gone forward turns back: its query runs again over the same snapshot, this time into a buffer.
Status run_again(SessionParts& session, Portal& portal) {
  const bool at_end = portal.status == Portal::Status::kDone;
  auto pin = std::move(portal.pin);  // the snapshot must not go while the query runs again
  session.portals().abandon(portal);
  portal.execution = session.statement_counter().execution(portal.prepared);
  INDIGO_TRY(portal.execution->open(session.scope().execution_context(portal.view, portal.parameters)));
  INDIGO_TRY(session.runner().materialise(portal));
  portal.buffer->position = portal.rows_sent + (at_end ? 1 : 0);
  return {};
}

// What DECLARE says of itself, before its query is read.
Status check_options(const ParsedStatement& statement, const PgQuery__DeclareCursorStmt& stmt) {
  if ((stmt.options & kScroll) != 0 && (stmt.options & kNoScroll) != 0) {
    return Error(kInvalidCursorDefinition, "cannot specify both SCROLL and NO SCROLL");
  }
  if ((stmt.options & kInsensitive) != 0 && (stmt.options & kAsensitive) != 0) {
    return Error(kInvalidCursorDefinition, "cannot specify both ASENSITIVE and INSENSITIVE");
  }
  if (stmt.query->node_case != PG_QUERY__NODE__NODE_SELECT_STMT) return {};
  const PgQuery__SelectStmt& select = *stmt.query->select_stmt;
  if (select.into_clause != nullptr) {
    Error error(sqlstate::kSyntaxError, "SELECT ... INTO is not allowed here");
    error.position = sql::character_position(statement.text(), select.into_clause->rel->location);
    return error;
  }
  for (size_t i = 0; select.with_clause != nullptr && i < select.with_clause->n_ctes; i++) {
    if (select.with_clause->ctes[i]->common_table_expr->ctequery->node_case != PG_QUERY__NODE__NODE_SELECT_STMT) {
      return Error(sqlstate::kFeatureNotSupported, "DECLARE CURSOR must not contain data-modifying statements in WITH");
    }
  }
  return {};
}

// Which cursors may lock rows.
Status check_locking(const PgQuery__DeclareCursorStmt& stmt) {
  if (stmt.query->select_stmt->n_locking_clause == 0) return {};
  static constexpr std::pair<PgQuery__LockClauseStrength, const char*> kNames[] = {
      {PG_QUERY__LOCK_CLAUSE_STRENGTH__LCS_FORKEYSHARE, "FOR KEY SHARE"},
      {PG_QUERY__LOCK_CLAUSE_STRENGTH__LCS_FORSHARE, "FOR SHARE"},
      {PG_QUERY__LOCK_CLAUSE_STRENGTH__LCS_FORNOKEYUPDATE, "FOR NO KEY UPDATE"}};
  std::string name = "FOR UPDATE";
  for (const auto& [strength, text] : kNames) {
    if (stmt.query->select_stmt->locking_clause[0]->locking_clause->strength == strength) name = text;
  }
  if ((stmt.options & kHold) != 0) {
    return Error(sqlstate::kFeatureNotSupported, "DECLARE CURSOR WITH HOLD ... " + name + " is not supported")
        .with_detail("Holdable cursors must be READ ONLY.");
  }
  if ((stmt.options & kScroll) != 0) {
    return Error(sqlstate::kFeatureNotSupported, "DECLARE SCROLL CURSOR ... " + name + " is not supported")
        .with_detail("Scrollable cursors must be READ ONLY.");
  }
  if ((stmt.options & kInsensitive) != 0) {
    return Error(kInvalidCursorDefinition, "DECLARE INSENSITIVE CURSOR ... " + name + " is not valid")
        .with_detail("Insensitive cursors must be READ ONLY.");
  }
  return {};
}

Status run_declare(UtilityCall& call) {
  const auto& stmt = *call.node->declare_cursor_stmt;
  auto& session = call.session;
  INDIGO_TRY(check_options(call.statement, stmt));
  const bool hold = (stmt.options & kHold) != 0;
  if (hold && session.roles().is_restricted()) {
    return Error(sqlstate::kInsufficientPrivilege,
                 "cannot create a cursor WITH HOLD within security-restricted operation");
  }
  if (hold) INDIGO_TRY(check_room_to_keep());
  std::vector<Oid> types;
  for (const auto& type : call.parameter_types) types.push_back(type.oid);
  auto portal = std::make_unique<Portal>();
  INDIGO_ASSIGN(portal->prepared, session.preparation().prepare_node(call.statement, stmt.query, types, true));
  if (portal->prepared->is_utility() || portal->prepared->plan->command != sql::CommandKind::kSelect) {
    return Error(sqlstate::kInvalidCursorName, "DECLARE CURSOR must specify a query");
  }
  INDIGO_TRY(check_locking(stmt));
  if (!hold && !in_transaction(call)) {
    return Error(sqlstate::kNoActiveSqlTransaction, "DECLARE CURSOR can only be used in transaction blocks");
  }
  auto& portals = session.portals();
  if (portals.contains(stmt.portalname)) {
    return Error(sqlstate::kDuplicateCursor, "cursor \"" + std::string(stmt.portalname) + "\" already exists");
  }
  portal->name = stmt.portalname;
  portal->is_cursor = true;
  portal->binary = (stmt.options & kBinary) != 0;
  portal->scroll = (stmt.options & kScroll) != 0;
  portal->no_scroll =
      (stmt.options & kNoScroll) != 0 ||
      (!portal->scroll && (!portal->prepared->plan->read_only || !runs_backward(*portal->prepared->plan->root)));
  portal->hold = hold;
  portal->source_text = call.statement.whole_text;
  portal->created_timestamp = session.message().timestamp();
  for (const Datum& parameter : call.parameters) {
    portal->parameters.push_back(parameter);
    if (parameter.phys == Phys::kStr && !parameter.null)
      portal->parameters.back().str = portal->arena.copy(parameter.str);
  }
  INDIGO_TRY(session.runner().open_plan(*portal, Preparation::Columns::kMayChange));
  portal->shape = portal->binary ? portal->prepared->binary_shape : portal->prepared->text_shape;
  portal->pin = session.transaction().pin(portal->view);
  portals.add(stmt.portalname, std::move(portal));
  return {};
}

// Without a buffer: forward only.
Result<uint64_t> fetch_forward(UtilityCall& call, Portal& portal, int64_t count, RowSink& sink) {
  if (portal.status == Portal::Status::kDone || count == 0) return uint64_t{0};
  INDIGO_ASSIGN(uint64_t rows, call.session.runner().fetch_rows(
                                   portal, count == kFetchAll ? 0 : static_cast<uint64_t>(count), sink, call.shape));
  portal.rows_sent += rows;
  return rows;
}

// Rows [first, first + count), counted from 1, in the direction, out of the buffer.
Result<uint64_t> send_buffered(UtilityCall& call, Portal& portal, uint64_t first, uint64_t count, bool backward,
                               RowSink& sink) {
  const ResultShape& shape = call.shape != nullptr ? *call.shape : *portal.shape;
  uint64_t sent = 0;
  while (sent < count) {
    uint32_t step = backward ? 1 : static_cast<uint32_t>(std::min<uint64_t>(count - sent, kChunkRows));
    uint64_t row = backward ? first + count - 1 - sent : first + sent;
    INDIGO_ASSIGN(const Chunk* chunk, portal.buffer->chunk(row - 1, step));
    if (chunk->rows() == 0) break;
    INDIGO_TRY(sink.rows(shape, *chunk));
    sent += chunk->rows();
  }
  return sent;
}

// A sink that counts and drops rows: MOVE.
class NoRows final : public RowSink {
 public:
  void row_description(const ResultShape&) override {}
  void no_data() override {}
  void parameter_description(std::span<const Oid>) override {}
  Status rows(const ResultShape&, const Chunk&) override { return {}; }
  void command_complete(std::string_view) override {}
  void empty_query() override {}
  void portal_suspended() override {}
  void error(const Error&) override {}
  void notice(Severity, const Error&) override {}
  void parameter_status(std::string_view, std::string_view) override {}
  Result<CopySource*> copy_in(CopyFormat, uint32_t) override { return Error(sqlstate::kInternalError, "no COPY here"); }
  void copy_out(CopyFormat, uint32_t) override {}
  Status copy_data(std::string_view) override { return {}; }
  void copy_done() override {}
};

// FETCH on a buffer: the new position and the rows between.
Result<uint64_t> fetch_buffered(UtilityCall& call, Portal& portal, PgQuery__FetchDirection direction, int64_t count,
                                RowSink& sink) {
  const auto n = static_cast<int64_t>(portal.buffer->row_count());
  auto position = static_cast<int64_t>(portal.buffer->position);
  auto move_to = [&](int64_t p) { portal.buffer->position = static_cast<uint64_t>(std::clamp<int64_t>(p, 0, n + 1)); };
  if (direction == PG_QUERY__FETCH_DIRECTION__FETCH_BACKWARD && count < 0) {
    direction = PG_QUERY__FETCH_DIRECTION__FETCH_FORWARD;
    count = -count;
  } else if (direction == PG_QUERY__FETCH_DIRECTION__FETCH_FORWARD && count < 0) {
    direction = PG_QUERY__FETCH_DIRECTION__FETCH_BACKWARD;
    count = -count;
  }
  if (direction == PG_QUERY__FETCH_DIRECTION__FETCH_ABSOLUTE ||
      direction == PG_QUERY__FETCH_DIRECTION__FETCH_RELATIVE) {
    int64_t target = direction == PG_QUERY__FETCH_DIRECTION__FETCH_RELATIVE ? position + count
                     : count >= 0                                           ? count
                                                                            : n + 1 + count;
    move_to(target);
    if (target < 1 || target > n) return uint64_t{0};
    return send_buffered(call, portal, static_cast<uint64_t>(target), 1, false, sink);
  }
  if (count == 0) {  // the current row again
    if (position < 1 || position > n) return uint64_t{0};
    return send_buffered(call, portal, static_cast<uint64_t>(position), 1, false, sink);
  }
  if (direction == PG_QUERY__FETCH_DIRECTION__FETCH_FORWARD) {
    int64_t available = std::max<int64_t>(0, n - position);
    int64_t rows = std::min(count, available);
    int64_t first = position + 1;
    move_to(count > available ? n + 1 : position + rows);
    return send_buffered(call, portal, static_cast<uint64_t>(first), static_cast<uint64_t>(rows), false, sink);
  }
  int64_t available = std::max<int64_t>(0, position - 1);
  int64_t rows = std::min(count, available);
  move_to(count > available ? 0 : position - rows);
  return send_buffered(call, portal, static_cast<uint64_t>(position - rows), static_cast<uint64_t>(rows), true, sink);
}

// What may be asked of a cursor that goes forward only: how many rows to pass over, and how many to take then.
struct ForwardStep {
  uint64_t skipped = 0;
  int64_t taken = 0;
};

Error goes_back() {
  return Error(sqlstate::kObjectNotInPrerequisiteState, "cursor can only scan forward")
      .with_hint("Declare it with SCROLL option to enable backward scan.");
}

// PostgreSQL's rules, which let FETCH ABSOLUTE and RELATIVE go forward too; 55000 for what would go back.
Result<ForwardStep> forward_step(const Portal& portal, PgQuery__FetchDirection direction, int64_t count, bool move) {
  const bool at_end =
      portal.buffer ? portal.buffer->position > portal.buffer->row_count() : portal.status == Portal::Status::kDone;
  const auto position = static_cast<int64_t>(
      portal.buffer ? std::min<uint64_t>(portal.buffer->position, portal.buffer->row_count()) : portal.rows_sent);
  switch (direction) {
    case PG_QUERY__FETCH_DIRECTION__FETCH_ABSOLUTE: {
      if (count < 0) return goes_back();
      if (count - 1 <= position / 2) {  // from the start again, unless it is there
        if (position > 0 || at_end) return goes_back();
        return count == 0 ? ForwardStep{} : ForwardStep{static_cast<uint64_t>(count - 1), 1};
      }
      const int64_t passed = position + (at_end ? 1 : 0);
      if (count <= passed) return goes_back();
      return ForwardStep{static_cast<uint64_t>(count - passed - 1), 1};
    }
    case PG_QUERY__FETCH_DIRECTION__FETCH_RELATIVE:
      if (count < 0) return goes_back();
      if (count > 0) return ForwardStep{static_cast<uint64_t>(count - 1), 1};
      break;
    case PG_QUERY__FETCH_DIRECTION__FETCH_BACKWARD:
      if (count > 0) return goes_back();
      count = -count;
      break;
    default:
      if (count < 0) return goes_back();
      break;
  }
  if (count > 0) return ForwardStep{0, count};
  const bool on_row = portal.buffer ? position > 0 && !at_end : portal.on_row();
  if (on_row && !move) return goes_back();  // the row it is on, again
  return ForwardStep{};
}

Result<uint64_t> fetch_forward_only(UtilityCall& call, Portal& portal, const PgQuery__FetchStmt& stmt, RowSink& sink) {
  INDIGO_ASSIGN(const ForwardStep step, forward_step(portal, stmt.direction, stmt.how_many, stmt.ismove));
  if (step.skipped > 0) {
    NoRows none;
    INDIGO_TRY(fetch_forward(call, portal, static_cast<int64_t>(step.skipped), none));
  }
  if (step.taken == 0) {
    const bool counts = stmt.ismove && portal.on_row() && stmt.direction != PG_QUERY__FETCH_DIRECTION__FETCH_ABSOLUTE;
    return uint64_t{counts};
  }
  return fetch_forward(call, portal, step.taken, sink);
}

Result<std::shared_ptr<const ResultShape>> describe_fetch(SessionParts& session, const ParsedStatement& statement) {
  const auto& stmt = *statement.node->fetch_stmt;
  if (stmt.ismove) return std::shared_ptr<const ResultShape>();
  const Portal* portal = session.portals().find(stmt.portalname);
  // Drivers describe a FETCH before they have opened its cursor: then it is said to have no rows, as in PostgreSQL.
  return portal == nullptr ? nullptr : portal->shape;
}

// A portal that Bind made begins when it is first read.
Status begin_portal(SessionParts& session, Portal& portal) {
  if (portal.prepared->is_utility()) return session.runner().keep_utility_rows(portal);
  INDIGO_TRY(session.runner().open_plan(portal));
  if (portal.prepared->plan->command != sql::CommandKind::kSelect) return session.runner().materialise(portal);
  portal.pin = session.transaction().pin(portal.view);
  return {};
}

// The rows of one FETCH or MOVE.
Result<uint64_t> fetch(UtilityCall& call, Portal& portal, const PgQuery__FetchStmt& stmt) {
  auto& session = call.session;
  NoRows none;
  RowSink& sink = stmt.ismove ? static_cast<RowSink&>(none) : call.sink;
  if (portal.status == Portal::Status::kReady) INDIGO_TRY(begin_portal(session, portal));
  if (portal.no_scroll && !portal.hold && !portal.buffer) return fetch_forward_only(call, portal, stmt, sink);
  const bool forward = stmt.direction == PG_QUERY__FETCH_DIRECTION__FETCH_FORWARD && stmt.how_many >= 0;
  if (portal.no_scroll && portal.buffer && !forward) {  // held
    INDIGO_ASSIGN(const ForwardStep step, forward_step(portal, stmt.direction, stmt.how_many, stmt.ismove));
    constexpr auto kForward = PG_QUERY__FETCH_DIRECTION__FETCH_FORWARD;
    if (step.skipped > 0) {
      INDIGO_TRY(fetch_buffered(call, portal, kForward, static_cast<int64_t>(step.skipped), none));
    }
    return step.taken == 0 ? Result<uint64_t>(uint64_t{0}) : fetch_buffered(call, portal, kForward, step.taken, sink);
  }
  if (portal.no_scroll && !forward) return goes_back();
  if (!portal.buffer && (portal.scroll || portal.hold || !forward || stmt.how_many == 0)) {
    if (portal.rows_sent > 0 || portal.status == Portal::Status::kDone) {
      INDIGO_TRY(run_again(session, portal));
    } else {
      INDIGO_TRY(session.runner().materialise(portal));
    }
  }
  if (portal.buffer) return fetch_buffered(call, portal, stmt.direction, stmt.how_many, sink);
  return fetch_forward(call, portal, stmt.how_many, sink);
}

Status run_fetch(UtilityCall& call) {
  const auto& stmt = *call.node->fetch_stmt;
  Portal* const found = call.session.portals().find(stmt.portalname);
  if (found == nullptr) return no_cursor(stmt.portalname);
  Portal& portal = *found;
  if (portal.status == Portal::Status::kFailed || portal.shape == nullptr || portal.active) {
    return Error(sqlstate::kObjectNotInPrerequisiteState, "portal \"" + portal.name + "\" cannot be run");
  }
  // Another cursor has this name since the client has been told of the columns.
  if (call.shape != nullptr && !stmt.ismove && !same_types(call.shape, portal.shape.get()))
    return result_type_changed();
  const RunningPortal running(portal);
  auto rows = fetch(call, portal, stmt);
  if (!rows.ok()) {
    portal.status = Portal::Status::kFailed;
    return rows.take_error();
  }
  call.tag = (stmt.ismove ? "MOVE " : "FETCH ") + std::to_string(*rows);
  return {};
}

Status run_close(UtilityCall& call) {
  const char* name = call.node->close_portal_stmt->portalname;
  Portals& portals = call.session.portals();
  if (name == nullptr || *name == '\0') return portals.drop_all();
  const Portal* const portal = portals.find(name);
  return portal == nullptr ? Status(no_cursor(name)) : portals.drop(*portal);
}

std::string fetch_name(const PgQuery__Node& n) { return n.fetch_stmt->ismove ? "MOVE" : "FETCH"; }
std::string close_name(const PgQuery__Node& n) {
  return sql::has_text(n.close_portal_stmt->portalname) ? "CLOSE CURSOR" : "CLOSE CURSOR ALL";
}

constexpr UtilityStatement kCursorStatements[] = {
    {.node = PG_QUERY__NODE__NODE_DECLARE_CURSOR_STMT, .name = "DECLARE CURSOR", .run = run_declare},
    {.node = PG_QUERY__NODE__NODE_FETCH_STMT,
     .name = "FETCH",
     .full_name = fetch_name,
     .run = run_fetch,
     .describe = describe_fetch},
    {.node = PG_QUERY__NODE__NODE_CLOSE_PORTAL_STMT,
     .name = "CLOSE CURSOR",
     .full_name = close_name,
     .run = run_close,
     .needs_transaction = false,
     .refused_when_restricted = "CLOSE"},
};

}  // namespace

std::span<const UtilityStatement> cursor_utilities() { return kCursorStatements; }

}  // namespace indigo::engine
