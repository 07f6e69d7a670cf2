#include "engine/programs/plpgsql/interpreter.h"

#include <algorithm>
#include <utility>

#include "base/fiber/interrupt_error.h"
#include "base/fiber/stack.h"
#include "base/sqlstate.h"
#include "catalog/descriptor/session_catalog.h"
#include "engine/exec/scan/index_routines.h"
#include "engine/programs/programs.h"
#include "engine/session/session_parts.h"
#include "engine/session/transaction_block.h"
#include "types/io/record.h"
#include "types/oids.h"
#include "types/system/type_name.h"

namespace indigo::engine::programs {

namespace {

const char* kind_name(const tree::Statement& s) {
  switch (s.kind) {
    case tree::SK::kBlock: return "statement block";
    case tree::SK::kAssign: return "assignment";
    case tree::SK::kIf: return "IF";
    case tree::SK::kCase: return "CASE";
    case tree::SK::kLoop: return "LOOP";
    case tree::SK::kWhile: return "WHILE";
    case tree::SK::kForInteger: return "FOR with integer loop variable";
    case tree::SK::kForQuery: return "FOR over SELECT rows";
    case tree::SK::kForCursor: return "FOR over cursor";
    case tree::SK::kForEach: return "FOREACH over array";
    case tree::SK::kExit: return static_cast<const tree::Exit&>(s).is_exit ? "EXIT" : "CONTINUE";
    case tree::SK::kReturn: return "RETURN";
    case tree::SK::kReturnNext: return "RETURN NEXT";
    case tree::SK::kReturnQuery: return "RETURN QUERY";
    case tree::SK::kRaise: return "RAISE";
    case tree::SK::kAssert: return "ASSERT";
    case tree::SK::kSql: return "SQL statement";
    case tree::SK::kExecute: return "EXECUTE";
    case tree::SK::kForExecute: return "FOR over EXECUTE statement";
    case tree::SK::kDiagnostics:
      return static_cast<const tree::Diagnostics&>(s).stacked ? "GET STACKED DIAGNOSTICS" : "GET DIAGNOSTICS";
    case tree::SK::kOpen: return "OPEN";
    case tree::SK::kFetch: return static_cast<const tree::Fetch&>(s).move ? "MOVE" : "FETCH";
    case tree::SK::kClose: return "CLOSE";
    case tree::SK::kPerform: return "PERFORM";
    case tree::SK::kCall: return static_cast<const tree::Call&>(s).is_call ? "CALL" : "DO";
    case tree::SK::kCommit: return static_cast<const tree::Commit&>(s).rollback ? "ROLLBACK" : "COMMIT";
    case tree::SK::kNull: break;
  }
  return "NULL";
}

// Conditions that OTHERS does not catch: what ends the statement or the session, and failed assertions.
bool caught_by_others(const SqlState& state) {
  return state != sqlstate::kQueryCanceled && state != SqlState("P0004") && !state.text().starts_with("57P0");
}

bool catches(const tree::Handler& handler, const SqlState& state) {
  return std::any_of(handler.states.begin(), handler.states.end(), [&](const std::string& wanted) {
    if (wanted == "others") return caught_by_others(state);
    if (wanted == state.text()) return true;
    return wanted.ends_with("000") && state.text().substr(0, 2) == wanted.substr(0, 2);  // a whole class
  });
}

// A row of a type that has lost columns, as the record that a caller expects.
OwnedDatum without_dropped(SessionParts& session, const OwnedDatum& row, Oid type) {
  const auto relation = types::fields_relation(session.session_catalog(), type);
  if (relation == nullptr) return row;
  std::vector<std::string> names;
  for (const auto& column : relation->columns) {
    if (!column.dropped) names.push_back(column.name);
  }
  if (names.size() == relation->columns.size()) return row;
  const types::RecordFields fields = types::live_fields(session.session_catalog(), row.get().str);
  if (fields.values.size() != names.size()) return row;
  return OwnedDatum(Datum::of(Str(types::make_record(oid::kRecord, fields.types, fields.values, names))));
}

}  // namespace

Interpreter::Interpreter(SessionParts& session, PlpgsqlFunction& function, RowList* rows)
    : session_(session),
      function_(function),
      rows_(rows),
      taken_(function.take_frame()),
      frame_(*taken_),
      call_context_(session.routines().innermost_context(), [this] { return context(); }) {}

std::string Interpreter::context() const {
  std::string out = "PL/pgSQL function " + function_.signature();
  if (frame_.phase != nullptr) {
    if (frame_.phase_line > 0) out += " line " + std::to_string(frame_.phase_line);
    return out + " " + frame_.phase;
  }
  if (frame_.statement == nullptr) return out;
  return out + " line " + std::to_string(frame_.statement->line) + " at " + kind_name(*frame_.statement);
}

Error Interpreter::with_context(Error error) {
  if (!std::exchange(raised_again_, false)) error.add_context(context());
  return error;
}

Result<OwnedDatum> Interpreter::call(std::span<const Datum> arguments) {
  INDIGO_TRY(check_stack_depth());
  if (Status status = begin(arguments); !status.ok()) return with_context(std::move(*status.take_error()));
  auto flow = run_block(*function_.program().body);
  if (!flow.ok()) return with_context(std::move(*flow.take_error()));
  frame_.statement = nullptr;
  const bool needs_return = *flow != Flow::kReturn && rows_ == nullptr && function_.outputs().empty() &&
                            function_.result().type.oid != oid::kVoid &&
                            function_.info().kind != types::FunctionKind::kProcedure;
  if (needs_return) {
    Error error(SqlState("2F005"), "control reached end of function without RETURN");
    error.add_context("PL/pgSQL function " + function_.signature());
    return error;
  }
  auto value = returned();
  if (value.ok()) return value;
  Error error = std::move(*value.take_error());
  error.add_context("PL/pgSQL function " + function_.signature() +
                    " while casting return value to function's return type");
  return error;
}

Interpreter::~Interpreter() { function_.give_back(std::move(taken_)); }

Status Interpreter::begin(std::span<const Datum> arguments) {
  frame_.phase = "during initialization of execution state";
  for (const int v : function_.own_variables()) set_null(v);
  frame_.phase = "while storing call arguments into local variables";
  for (size_t i = 0; i < function_.arguments().size() && i < arguments.size(); i++) {
    const int variable = function_.arguments()[i];
    INDIGO_TRY(assign_variable(variable, arguments[i], function_.variable(variable).type));
  }
  set_found(false);
  frame_.phase = nullptr;
  return {};
}

Result<OwnedDatum> Interpreter::returned() {
  const RoutineResult& result = function_.result();
  const auto info = session_.session_catalog().type(result.type.oid);
  const OwnedDatum null(Datum::make_null(info != nullptr ? info->phys : Phys::kStr));
  if (rows_ != nullptr || (result.type.oid == oid::kVoid && function_.outputs().empty())) {
    // void is not null to a caller, but an empty text.
    return result.type.oid == oid::kVoid ? OwnedDatum(Datum::of(Str(""))) : null;
  }
  if (!function_.outputs().empty()) {
    // One of a type of its own is the result itself, also where that is a row with one column.
    if (result.type.oid != oid::kRecord || result.columns.size() != function_.outputs().size()) {
      const int variable = function_.outputs()[0];
      if (function_.variable(variable).row) return row_of(variable);
      return OwnedDatum(frame_.scalar(variable));
    }
    std::vector<OwnedDatum> kept;
    std::vector<Datum> values;
    for (const int variable : function_.outputs()) {
      kept.push_back(function_.variable(variable).row ? row_of(variable) : OwnedDatum(frame_.scalar(variable)));
    }
    for (const OwnedDatum& v : kept) values.push_back(v.get());
    return OwnedDatum(Datum::of(Str(types::make_record(result.type.oid, result.columns, values, result.names))));
  }
  if (!answer_) return null;
  const bool domain = info != nullptr && info->kind == 'd';
  if (answer_->get().null && (!domain || answer_type_.oid == result.type.oid)) return null;
  if (!result.row) {
    if (domain && !answer_->get().null && answer_type_.oid == oid::kRecord) {
      const TypeRef base = type_of(session_, info->base);
      const RoutineResult row = result_of(session_, function_.info(), base, {});
      if (row.row && base.oid != oid::kRecord) {
        INDIGO_ASSIGN(const OwnedDatum image, returned_row(row));
        INDIGO_ASSIGN(const Datum value, function_.cast(session_, image.get(), base, result.type));
        return OwnedDatum(value);
      }
    }
    INDIGO_ASSIGN(const Datum value, function_.cast(session_, answer_->get(), answer_type_, result.type));
    return OwnedDatum(value);
  }
  const auto answer_info = session_.session_catalog().type(answer_type_.oid);
  const bool composite = answer_type_.oid == oid::kRecord || (answer_info != nullptr && answer_info->kind == 'c');
  if (!composite) {
    return Error(sqlstate::kDatatypeMismatch,
                 "cannot return non-composite value from function returning composite type");
  }
  if (answer_type_.oid == result.type.oid) return *answer_;
  if (!result.known) return without_dropped(session_, *answer_, answer_type_.oid);
  return returned_row(result);
}

// A record becomes the row type, field by field.
Result<OwnedDatum> Interpreter::returned_row(const RoutineResult& result) {
  const types::RecordFields fields = types::read_record(answer_->get().str);
  if (result.type.oid != oid::kRecord) INDIGO_TRY(check_row(session_, kReturnedRecord, fields.types, result.columns));
  std::vector<OwnedDatum> kept;
  size_t next = 0;
  for (const TypeRef& column : result.columns) {
    if (column.oid == kInvalidOid) {
      kept.emplace_back(Datum::make_null(Phys::kI32));
      continue;
    }
    while (next < fields.types.size() && fields.types[next].oid == kInvalidOid) next++;
    if (next >= fields.values.size())
      return check_row(session_, kReturnedRecord, fields.types, result.columns).take_error();
    INDIGO_ASSIGN(const Datum value, function_.cast(session_, fields.values[next], fields.types[next], column));
    kept.emplace_back(value);
    next++;
  }
  std::vector<Datum> values;
  for (const OwnedDatum& v : kept) values.push_back(v.get());
  return OwnedDatum(
      Datum::of(Str(types::make_record(result.type.oid, result.columns, values,
                                       result.type.oid == oid::kRecord ? result.names : std::vector<std::string>()))));
}

Result<Interpreter::Flow> Interpreter::run(const tree::Statement& s) {
  INDIGO_TRY(check_stack_depth());
  frame_.statement = &s;
  const auto done = [](Status status) -> Result<Flow> {
    if (!status.ok()) return status.take_error();
    return Flow::kNormal;
  };
  switch (s.kind) {  // what only computes and has others look at what it does
    case tree::SK::kAssign: return done(run_assign(static_cast<const tree::Assign&>(s)));
    case tree::SK::kReturn: return run_return(static_cast<const tree::Return&>(s));
    case tree::SK::kBlock: return run_block(static_cast<const tree::Block&>(s));
    case tree::SK::kForEach: return run_for_each(static_cast<const tree::ForEach&>(s));
    default: break;
  }
  auto flow = [&]() -> Result<Flow> {
    switch (s.kind) {
      case tree::SK::kForQuery: return run_for_query(static_cast<const tree::ForQuery&>(s));
      case tree::SK::kForCursor: return run_for_cursor(static_cast<const tree::ForCursor&>(s));
      case tree::SK::kForExecute: return run_for_execute(static_cast<const tree::ForExecute&>(s));
      case tree::SK::kReturnNext: return done(run_return_next(static_cast<const tree::ReturnNext&>(s)));
      case tree::SK::kReturnQuery: return done(run_return_query(static_cast<const tree::ReturnQuery&>(s)));
      case tree::SK::kRaise: return done(run_raise(static_cast<const tree::Raise&>(s)));
      case tree::SK::kAssert: return done(run_assert(static_cast<const tree::Assert&>(s)));
      case tree::SK::kSql: return done(run_sql(static_cast<const tree::Sql&>(s)));
      case tree::SK::kExecute: return done(run_execute(static_cast<const tree::Execute&>(s)));
      case tree::SK::kDiagnostics: return done(run_diagnostics(static_cast<const tree::Diagnostics&>(s)));
      case tree::SK::kOpen: return done(run_open(static_cast<const tree::Open&>(s)));
      case tree::SK::kFetch: return done(run_fetch(static_cast<const tree::Fetch&>(s)));
      case tree::SK::kClose: return done(run_close(static_cast<const tree::Close&>(s)));
      case tree::SK::kPerform: return done(run_perform(static_cast<const tree::Perform&>(s)));
      case tree::SK::kCall: return done(run_call(static_cast<const tree::Call&>(s)));
      case tree::SK::kCommit: return done(run_commit(static_cast<const tree::Commit&>(s)));
      default: return Flow::kNormal;
    }
  }();
  frame_.state_known = false;
  return flow;
}

Status Interpreter::initialise(int variable) {
  const tree::Variable& v = function_.program().variables[static_cast<size_t>(variable)];
  if (v.cursor) {  // a bound cursor's name is its own until another is assigned
    set_scalar(variable, Datum::of(Str(v.name)));
    return {};
  }
  if (!v.initial) {
    set_null(variable);
    if (function_.variable(variable).row) return {};
    const auto info = session_.session_catalog().type(function_.variable(variable).type.oid);
    if (info == nullptr || info->kind != 'd') return {};
    // A domain says whether null is one of its values.
    return assign_variable(variable, Datum::make_null(Phys::kStr), type_of(session_, oid::kText));
  }
  INDIGO_ASSIGN(const auto value, evaluate(v.initial));
  return assign_variable(variable, value.value, value.type);
}

Status Interpreter::begin_block(const tree::Block& block) {
  frame_.phase = "during statement block local variable initialization";
  for (const int variable : block.variables) {
    frame_.phase_line = function_.program().variables[static_cast<size_t>(variable)].line;
    INDIGO_TRY(initialise(variable));
  }
  frame_.phase = nullptr;
  frame_.phase_line = 0;
  frame_.statement = &block;
  return {};
}

Result<Interpreter::Flow> Interpreter::run_block(const tree::Block& block) {
  INDIGO_TRY(begin_block(block));
  Result<Flow> flow = block.handlers.empty() ? run(block.body) : run_guarded(block);
  if (flow.ok() && *flow == Flow::kExit && !exit_label_.empty() && exit_label_ == block.label) {
    exit_label_.clear();
    return Flow::kNormal;
  }
  return flow;
}

Result<Interpreter::Flow> Interpreter::run_guarded(const tree::Block& block) {
  TransactionBlock& transaction = session_.block();
  const size_t savepoint = transaction.begin_nested();
  auto flow = run(block.body);
  if (flow.ok()) {
    INDIGO_TRY(transaction.end_nested(savepoint));
    return flow;
  }
  Error error = std::move(*flow.take_error());
  const auto handler = std::find_if(block.handlers.begin(), block.handlers.end(),
                                    [&](const tree::Handler& h) { return catches(h, error.state); });
  if (handler == block.handlers.end()) return error;
  const bool has_context = std::exchange(raised_again_, false);
  const std::string where = context();
  frame_.phase = nullptr;
  frame_.phase_line = 0;
  frame_.state_known = false;
  INDIGO_TRY(transaction.roll_back_nested(savepoint));
  INDIGO_TRY(transaction.end_nested(savepoint));
  if (auto* host = dynamic_cast<exec::HasIndexRoutines*>(&session_.context())) host->forget_key_failure();
  if (!has_context) error.add_context(where);
  set_scalar(block.sqlstate, Datum::of(Str(error.state.text())));
  set_scalar(block.sqlerrm, Datum::of(Str(error.message)));
  const Error* const outer = handled_;
  handled_ = &error;
  auto handled = run(handler->body);
  handled_ = outer;
  return handled;
}

bool Interpreter::goes_on(Flow& flow, const std::string& label) {
  const bool mine = exit_label_.empty() || exit_label_ == label;
  if (flow == Flow::kContinue && mine) {
    exit_label_.clear();
    flow = Flow::kNormal;
    return true;
  }
  if (flow == Flow::kExit && mine) {
    exit_label_.clear();
    flow = Flow::kNormal;
  }
  return false;
}

}  // namespace indigo::engine::programs
