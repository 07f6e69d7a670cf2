// PL/pgSQL's loops.
#include <algorithm>

#include "base/fiber/interrupt_error.h"
#include "base/fiber/wait_point.h"
#include "base/sqlstate.h"
#include "catalog/descriptor/session_catalog.h"
#include "engine/programs/plpgsql/interpreter.h"
#include "engine/programs/programs.h"
#include "engine/session/portal/portals.h"
#include "engine/session/session_parts.h"
#include "sql/parse/parse_tree.h"
#include "storage/store.h"
#include "types/io/record.h"
#include "types/oids.h"
#include "types/system/type_name.h"
#include "types/value/array_format.h"

namespace indigo::engine::programs {

Status Interpreter::look_around() {
  frame_.state_known = false;
  session_.waiter().yield_if_due();
  const InterruptReason reason = session_.waiter().interrupted();
  if (reason != InterruptReason::kNone) return interrupt_error(reason);
  return {};
}

Result<bool> Interpreter::begin_for(const tree::ForInteger& s, Counter& counter) {
  const auto bound = [&](const FragmentPtr& fragment, const char* name) -> Result<int32_t> {
    INDIGO_ASSIGN(const auto value, integer(fragment));
    if (value) return *value;
    return Error(sqlstate::kNullValueNotAllowed, std::string(name) + " of FOR loop cannot be null");
  };
  INDIGO_ASSIGN(const int32_t lower, bound(s.lower, "lower bound"));
  INDIGO_ASSIGN(const int32_t upper, bound(s.upper, "upper bound"));
  int32_t step = 1;
  if (s.step) {
    INDIGO_ASSIGN(step, bound(s.step, "BY value"));
    if (step <= 0) return Error(sqlstate::kInvalidParameterValue, "BY value of FOR loop must be greater than zero");
  }
  counter = {lower, upper, step};
  if (s.reverse ? lower < upper : lower > upper) {
    set_found(false);
    return false;
  }
  INDIGO_TRY(breathe());
  frame_.set_integer(s.variable, lower);
  return true;
}

Status Interpreter::over_rows(const RowList& rows, RowLoop& loop) {
  std::vector<Datum> values(rows.types.size());
  exec::RowSpool::Reader reader;
  Chunk chunk;
  uint32_t at = 0;  // in the chunk
  for (uint64_t row = 0; row < rows.store.rows() && !loop.ended; row++, at++) {
    loop.found = true;
    INDIGO_TRY(breathe());
    frame_.state_known = false;
    if (at == chunk.rows()) {
      INDIGO_TRY(reader.view(rows.store, row, kChunkRows, chunk));
      at = 0;
    }
    for (size_t c = 0; c < values.size(); c++) values[c] = chunk.columns[c].datum(chunk.selection[at]);
    INDIGO_TRY(assign_row(loop.target, rows.types, rows.names, values));
    INDIGO_ASSIGN(loop.flow, run(loop.body));
    loop.ended = !next_round(loop.flow, loop.label);
  }
  return {};
}

Result<Interpreter::Flow> Interpreter::finish_loop(NestedStatement& statement, RowLoop& loop) {
  RowList none;
  if (loop.error == nullptr && !loop.found) INDIGO_TRY(describe(session_, statement, none));
  return finish_loop(none, loop);
}

Result<Interpreter::Flow> Interpreter::finish_loop(const RowList& described, RowLoop& loop) {
  if (loop.error != nullptr) return std::move(loop.error);
  if (!loop.found) INDIGO_TRY(into(loop.target, described));
  set_found(loop.found);
  return loop.flow;
}

Status Interpreter::over_chunk(const Chunk& chunk, const NestedStatement::Columns& columns, RowLoop& loop) {
  std::vector<Datum> values(columns.types.size());
  for (uint32_t row = 0; row < chunk.rows() && !loop.ended; row++) {
    loop.found = true;
    INDIGO_TRY(breathe());
    frame_.state_known = false;  // the query has computed more rows
    const uint32_t at = chunk.selection[row];
    for (size_t c = 0; c < values.size(); c++) values[c] = chunk.columns[c].datum(at);
    INDIGO_TRY(assign_row(loop.target, columns.types, columns.names, values, columns.shape));
    INDIGO_ASSIGN(loop.flow, run(loop.body));
    loop.ended = !next_round(loop.flow, loop.label);
  }
  return {};
}

NestedStatement::Rows Interpreter::stream(const std::shared_ptr<NestedStatement>& statement, RowLoop& loop) {
  return [this, statement, &loop](const Chunk& chunk) -> Result<bool> {
    Status status;
    if (statement->is_utility()) {
      RowList part;
      INDIGO_TRY(collect(session_, *statement, part)(chunk));
      status = over_rows(part, loop);
    } else {
      if (loop.columns == nullptr) loop.columns = statement->columns(session_);
      status = over_chunk(chunk, *loop.columns, loop);
    }
    if (!status.ok()) {
      loop.error = status.take_error();
      loop.ended = true;
    }
    return !loop.ended;
  };
}

namespace {

// A loop's cursor, which COMMIT holds; it goes with the loop, also when that fails.
class LoopCursor {
 public:
  LoopCursor(Portals& portals, std::string name) : portals_(portals), name_(std::move(name)) {
    if (Portal* portal = portals_.find(name_)) portal->pinned = true;
  }
  ~LoopCursor() {
    Portal* const portal = portals_.find(name_);
    if (portal == nullptr) return;
    portals_.abandon(*portal);
    portals_.erase(name_);
  }
  void close() { portals_.erase(name_); }
  LoopCursor(const LoopCursor&) = delete;
  LoopCursor& operator=(const LoopCursor&) = delete;

 private:
  Portals& portals_;
  const std::string name_;
};

bool is_read_only(const sql::PlannedStatement& plan) {
  return plan.command == sql::CommandKind::kSelect &&
         std::none_of(plan.ctes.begin(), plan.ctes.end(), [](const auto& cte) { return cte.changes_data; });
}

// The same of a text's statement.
bool is_read_only(const PgQuery__Node& node) {
  if (node.node_case != PG_QUERY__NODE__NODE_SELECT_STMT) return false;
  const PgQuery__WithClause* const with = node.select_stmt->with_clause;
  const auto reads = [](const PgQuery__Node* cte) {
    return cte->common_table_expr->ctequery->node_case == PG_QUERY__NODE__NODE_SELECT_STMT;
  };
  return with == nullptr || std::all_of(with->ctes, with->ctes + with->n_ctes, reads);
}

}  // namespace

Status Interpreter::over_cursor(const std::string& name, RowLoop& loop) {
  while (!loop.ended) {
    INDIGO_TRY(breathe());
    Portal* const portal = session_.portals().find(name);
    if (portal == nullptr) return Error(sqlstate::kInvalidCursorName, "cursor \"" + name + "\" does not exist");
    learn_columns(portal->prepared);
    frame_.state_known = false;
    INDIGO_ASSIGN(const bool found, pull(*portal));
    if (!found) break;
    loop.found = true;
    INDIGO_TRY(assign_row(loop.target, fetched_.types, fetched_.names, frame_.row.values(fetched_.types.size()),
                          fetched_.shape));
    INDIGO_ASSIGN(loop.flow, run(loop.body));
    loop.ended = !next_round(loop.flow, loop.label);
  }
  return {};
}

Result<Interpreter::Flow> Interpreter::run_for_query(const tree::ForQuery& s) {
  CompiledFragment& fragment = function_.fragment(*s.query);
  INDIGO_TRY(fragment.prepare(session_, frame_));
  INDIGO_TRY(check_cursor_statement(*fragment.statement().node()));
  const bool planned = !fragment.statement().is_utility();
  if (planned && !fragment.statement().returns_rows()) return not_a_cursor(*fragment.statement().node());
  RowLoop loop{s.target, s.body, s.label};
  const std::string name = session_.portals().unused_name();
  if (!may_commit()) {
    INDIGO_TRY(fragment.run(session_, frame_, 0, stream(fragment.shared_statement(), loop), RunAs::kCursor));
  } else if (planned && is_read_only(*fragment.statement().prepared().plan)) {
    INDIGO_TRY(open_query(fragment, name, std::nullopt));
    LoopCursor cursor(session_.portals(), name);
    INDIGO_TRY(over_cursor(name, loop));
    cursor.close();
  } else {
    RowList rows;
    INDIGO_TRY(fragment.run(session_, frame_, 0, collect(session_, fragment.statement(), rows), RunAs::kCursor));
    const Portals::Unheld unheld(session_.portals());
    INDIGO_TRY(over_rows(rows, loop));
  }
  return finish_loop(fragment.statement(), loop);
}

Result<Interpreter::Flow> Interpreter::run_for_execute(const tree::ForExecute& s) {
  INDIGO_ASSIGN(const std::string text, dynamic_text(s.query));
  const auto parsed = parse_statements(text, nullptr);
  if (parsed.ok()) INDIGO_TRY(check_cursor_text(*parsed));
  RowList rows;
  session_.portals().unused_name();  // of the cursor that these rows could be
  INDIGO_ASSIGN(const Dynamic dynamic, run_text(text, s.parameters, &rows, 0, RunAs::kCursor));
  if (!dynamic.returns_rows && parsed.ok()) return not_a_cursor(*parsed->front()->node);
  RowLoop loop{s.target, s.body, s.label};
  std::optional<Portals::Unheld> unheld;
  if (parsed.ok() && !is_read_only(*parsed->front()->node)) unheld.emplace(session_.portals());
  INDIGO_TRY(over_rows(rows, loop));
  return finish_loop(rows, loop);
}

Result<Interpreter::Flow> Interpreter::run_for_each(const tree::ForEach& s) {
  INDIGO_ASSIGN(const auto answer, evaluate(s.array));
  if (answer.value.null) return Error(sqlstate::kNullValueNotAllowed, "FOREACH expression must not be null");
  const auto type = session_.session_catalog().type(answer.type.oid);
  if (type == nullptr || !type->is_array()) {
    return Error(sqlstate::kDatatypeMismatch, "FOREACH expression must yield an array, not type " +
                                                  types::format_type(session_.session_catalog(), answer.type.oid));
  }
  const std::string image(answer.value.str);
  const ArrayView array(image);
  if (s.slice < 0 || s.slice > array.dimensions()) {
    return Error(sqlstate::kArraySubscriptError, "slice dimension (" + std::to_string(s.slice) +
                                                     ") is out of the valid range 0.." +
                                                     std::to_string(array.dimensions()));
  }
  if (const tree::Place& place = s.target.places[0]; place.fields.empty()) {
    const bool several = s.target.places.size() > 1;
    const auto of = several ? nullptr : session_.session_catalog().type(function_.variable(place.variable).type.oid);
    const bool is_array = of != nullptr && of->is_array();
    if (s.slice > 0 && !is_array) {
      return Error(sqlstate::kDatatypeMismatch, "FOREACH ... SLICE loop variable must be of an array type");
    }
    if (s.slice == 0 && is_array) {
      return Error(sqlstate::kDatatypeMismatch, "FOREACH loop variable must not be of an array type");
    }
  }
  if (s.slice > 0) return over_slices(s, array, answer.type);
  const TypeRef element = type_of(session_, type->element);
  Flow flow = Flow::kNormal;
  for (int32_t i = 0; i < array.count(); i++) {
    INDIGO_TRY(breathe());
    const Datum value = array.is_null(i) ? Datum::make_null(array.element_phys()) : array.element(i);
    INDIGO_TRY(assign_element(s.target, value, element));
    INDIGO_ASSIGN(flow, run(s.body));
    if (!next_round(flow, s.label)) break;
  }
  set_found(array.count() > 0);
  return flow;
}

// An element of a row type may go to a list of variables.
Status Interpreter::assign_element(const tree::Target& target, const Datum& value, const TypeRef& type) {
  if (target.places.size() == 1) return assign(target.places[0], value, type);
  if (value.null) return assign_row(target, {}, {}, {});
  const auto info = session_.session_catalog().type(type.oid);
  if (type.oid != oid::kRecord && (info == nullptr || info->kind != 'c'))
    return Error(sqlstate::kDatatypeMismatch, "cannot assign non-composite value to a row variable");
  const std::string image(value.str);
  const types::RecordFields fields = types::read_record(image);
  std::vector<TypeRef> types;
  std::vector<Datum> values;
  for (size_t i = 0; i < fields.values.size(); i++) {
    if (fields.types[i].oid == kInvalidOid) continue;
    types.push_back(fields.types[i]);
    values.push_back(fields.values[i]);
  }
  return assign_row(target, types, {}, values);
}

// FOREACH ... SLICE n: arrays of the last n dimensions.
Result<Interpreter::Flow> Interpreter::over_slices(const tree::ForEach& s, const ArrayView& array,
                                                   const TypeRef& type) {
  std::vector<ArrayDimension> shape;
  int32_t size = 1;
  for (int d = array.dimensions() - s.slice; d < array.dimensions(); d++) {
    shape.push_back(array.dimension(d));
    size *= shape.back().length;
  }
  Flow flow = Flow::kNormal;
  std::vector<Datum> elements(static_cast<size_t>(size));
  for (int32_t first = 0; first < array.count(); first += size) {
    INDIGO_TRY(breathe());
    for (int32_t i = 0; i < size; i++) elements[static_cast<size_t>(i)] = array.element(first + i);
    const std::string slice = make_array(array.element_type(), array.element_phys(), shape, elements);
    INDIGO_TRY(assign(s.target.places[0], Datum::of(Str(slice)), type));
    INDIGO_ASSIGN(flow, run(s.body));
    if (!next_round(flow, s.label)) break;
  }
  set_found(array.count() > 0);
  return flow;
}

Result<Interpreter::Flow> Interpreter::run_for_cursor(const tree::ForCursor& s) {
  const tree::Variable& cursor = function_.program().variables[static_cast<size_t>(s.cursor)];
  const bool named = !frame_.scalar(s.cursor).null;
  INDIGO_TRY(open_cursor(s.cursor, cursor.scroll, cursor.query, s.arguments));
  INDIGO_ASSIGN(const std::string name, cursor_name(s.cursor));
  LoopCursor pinned(session_.portals(), name);
  tree::Target target;
  target.places.push_back({s.record, {}, nullptr});
  RowLoop loop{target, s.body, s.label};
  INDIGO_TRY(over_cursor(name, loop));
  pinned.close();
  if (!named) set_null(s.cursor);
  set_found(loop.found);
  return loop.flow;
}

}  // namespace indigo::engine::programs
