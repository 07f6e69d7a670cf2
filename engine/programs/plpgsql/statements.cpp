// PL/pgSQL's simple statements.
#include <algorithm>
#include <array>

#include "base/sqlstate.h"
#include "catalog/descriptor/session_catalog.h"
#include "catalog/descriptor/session_context.h"
#include "engine/programs/plpgsql/interpreter.h"
#include "engine/programs/programs.h"
#include "engine/session/clock.h"
#include "engine/session/session_parts.h"
#include "engine/session/statement_runner.h"
#include "engine/session/statement_scope.h"
#include "engine/session/transaction_block.h"
#include "engine/statement/utility_statement.h"
#include "engine/utility/utility.h"
#include "sql/analyze/type/coerce.h"
#include "storage/table.h"
#include "storage/transaction.h"
#include "types/io/record.h"
#include "types/oids.h"
#include "types/system/type_name.h"

namespace indigo::engine::programs {

Status Interpreter::run_assign(const tree::Assign& s) {
  if (s.place.part) return assign_part(s.place, *s.place.part, s.value);
  if (s.place.field && function_.variable(s.place.variable).of_composite_domain)
    return assign_part(s.place, *s.place.field, s.value);
  if (s.place.fields.empty() && function_.variable(s.place.variable).assignable) {
    const VariableType& variable = function_.variable(s.place.variable);
    exec::ScalarScratch scratch;
    Datum& value = scratch.datum;
    INDIGO_TRY(evaluate_as(s.value, variable.type, value));
    if (value.null) value.phys = variable.phys;
    frame_.set_scalar(s.place.variable, value);
    return {};
  }
  INDIGO_ASSIGN(const auto answer, evaluate(s.value));
  if (Status status = assign(s.place, answer.value, answer.type); !status.ok())
    return function_.fragment(*s.value).assignment_error(session_, std::move(*status.take_error()), nullptr);
  // A trigger's row takes its system columns along.
  const int from = s.place.fields.empty() ? function_.fragment(*s.value).whole_row() : -1;
  if (from >= 0 && from != s.place.variable && function_.variable(s.place.variable).row) {
    const RecordValue& row = *frame_.values[static_cast<size_t>(from)].record;
    frame_.values[static_cast<size_t>(s.place.variable)].record->system = row.system;
  }
  return {};
}

// The variable, or the field of a record, that the place is part of gets a whole new value.
Status Interpreter::assign_part(const tree::Place& place, const tree::Fragment& part, const FragmentPtr& value) {
  INDIGO_ASSIGN(const auto answer, function_.part(part).evaluate(session_, frame_, *value));
  tree::Place whole;
  whole.variable = place.variable;
  if (!place.fields.empty() && function_.variable(place.variable).row) whole.fields.push_back(place.fields[0]);
  return assign(whole, answer.value, answer.type);
}

Status Interpreter::set_case_operand(const tree::Case& s) {
  INDIGO_ASSIGN(const auto answer, evaluate(s.operand));
  // The variable takes the operand's type.
  VariableType& type = function_.variable(s.variable);
  if (type.type.oid != answer.type.oid && answer.type.oid != oid::kUnknown) {
    type.type = answer.type;
    type.phys = answer.value.phys;
  }
  set_scalar(s.variable, answer.value);
  return {};
}

Result<Interpreter::Flow> Interpreter::run_return(const tree::Return& s) {
  if (!s.value) return Flow::kReturn;
  if (s.variable >= 0 && function_.variable(s.variable).row) {
    if (function_.trigger_variables().first >= 0) {
      answer_row_ = s.variable;
      return Flow::kReturn;
    }
    answer_ = row_of(s.variable);
    answer_type_ = function_.variable(s.variable).type;
    return Flow::kReturn;
  }
  INDIGO_ASSIGN(const auto answer, evaluate(s.value));
  if (function_.result().type.oid == oid::kVoid) return Flow::kReturn;
  if (function_.result().row && !answer.value.null && answer.type.oid != oid::kRecord &&
      types::fields_relation(session_.session_catalog(), answer.type.oid) == nullptr) {
    return Error(sqlstate::kDatatypeMismatch,
                 "cannot return non-composite value from function returning composite type");
  }
  answer_ = OwnedDatum(answer.value);
  answer_type_ = answer.type.oid == oid::kUnknown ? type_of(session_, oid::kText) : answer.type;
  return Flow::kReturn;
}

namespace {

void begin_rows(SessionParts& session, RowList& rows, const RoutineResult& result) {
  if (rows.ready()) return;
  if (result.row && result.known) {
    rows.init(session, result.columns, result.names);
  } else if (!result.row) {
    rows.init(session, {result.type});
  }
}

}  // namespace

Status check_row(SessionParts& session, const char* message, std::span<const TypeRef> given,
                 std::span<const TypeRef> wanted, bool exact) {
  const auto live = [](std::span<const TypeRef> types) {
    std::vector<TypeRef> out;
    for (const TypeRef& type : types)
      if (type.oid != kInvalidOid) out.push_back(type);
    return out;
  };
  const std::vector<TypeRef> from = live(given), to = live(wanted);
  const auto mismatch = [&](std::string detail) {
    return Error(sqlstate::kDatatypeMismatch, message).with_detail(std::move(detail));
  };
  for (size_t i = 0; i < from.size() && i < to.size(); i++) {
    const bool modified = from[i].typmod != to[i].typmod && to[i].typmod >= 0 && (exact || from[i].typmod >= 0);
    if (from[i].oid == to[i].oid && !modified) continue;
    catalog::SessionCatalog& catalog = session.session_catalog();
    return mismatch("Returned type " + types::format_type(catalog, from[i].oid, from[i].typmod) +
                    " does not match expected type " + types::format_type(catalog, to[i].oid, to[i].typmod) +
                    " in column " + std::to_string(i + 1) + ".");
  }
  if (from.size() == to.size()) return {};
  return mismatch("Number of returned columns (" + std::to_string(from.size()) +
                  ") does not match expected column count (" + std::to_string(to.size()) + ").");
}

Status Interpreter::run_return_next(const tree::ReturnNext& s) {
  const RoutineResult& result = function_.result();
  begin_rows(session_, *rows_, result);
  std::vector<OwnedDatum> kept;
  const auto append = [&]() -> Status {
    std::vector<Datum> values;
    for (size_t i = 0; i < kept.size(); i++) {
      const Datum& d = kept[i].get();
      values.push_back(d.null ? Datum::make_null(rows_->store.phys()[i]) : d);
    }
    return rows_->store.append(values);
  };
  // One OUT parameter with rows is what is returned, and not a column of it.
  const std::vector<int>& outputs = function_.outputs();
  const bool whole =
      outputs.size() == 1 && result.row && (function_.variable(outputs[0]).row || result.type.oid != oid::kRecord);
  if (!outputs.empty() && !whole) {
    if (!rows_->ready()) rows_->init(session_, result.row ? result.columns : std::vector<TypeRef>{result.type});
    for (const int variable : outputs) {
      kept.push_back(function_.variable(variable).row ? row_of(variable) : OwnedDatum(frame_.scalar(variable)));
    }
    return append();
  }
  OwnedDatum value;
  TypeRef type;
  const int from = whole ? outputs[0] : s.variable;
  if (from >= 0 && function_.variable(from).row) {
    const RecordValue& record = *frame_.values[static_cast<size_t>(from)].record;
    if (!record.assigned) {
      return Error(
                 sqlstate::kObjectNotInPrerequisiteState,
                 "record \"" + function_.program().variables[static_cast<size_t>(from)].name + "\" is not assigned yet")
          .with_detail("The tuple structure of a not-yet-assigned record is indeterminate.");
    }
    value = row_of(from);
    type = function_.variable(from).type;
  } else if (whole) {
    value = OwnedDatum(frame_.scalar(from));
    type = function_.variable(from).type;
  } else {
    INDIGO_ASSIGN(const auto answer, evaluate(s.value));
    value = OwnedDatum(answer.value);
    type = answer.type;
  }
  const bool variable = from >= 0 && function_.variable(from).row;
  if (!result.row && variable) {
    if (value.get().null) {
      kept.emplace_back(Datum::make_null(Phys::kI32));
      return append();
    }
    const types::RecordFields fields = types::read_record(value.get().str);
    INDIGO_TRY(check_row(session_, kNextRecord, fields.types, std::array{result.type}));
    for (size_t i = 0; i < fields.types.size(); i++)
      if (fields.types[i].oid != kInvalidOid) kept.emplace_back(fields.values[i]);
    return append();
  }
  if (!result.row) {
    INDIGO_ASSIGN(const Datum converted, function_.cast(session_, value.get(), type, result.type));
    kept.emplace_back(converted);
    return append();
  }
  types::RecordFields fields;
  if (!value.get().null) {
    const auto info = session_.session_catalog().type(sql::base_type(session_.session_catalog(), type.oid));
    if (type.oid != oid::kRecord && (info == nullptr || info->kind != 'c'))
      return Error(sqlstate::kDatatypeMismatch,
                   "cannot return non-composite value from function returning composite type");
    fields = types::read_record(value.get().str);
    if (result.known && result.type.oid != oid::kRecord && type.oid != result.type.oid)
      INDIGO_TRY(variable ? check_row(session_, kNextRecord, frame_.values[static_cast<size_t>(from)].record->types,
                                      result.columns, true)
                          : check_row(session_, kReturnedRecord, fields.types, result.columns));
  }
  if (!rows_->ready()) {
    std::vector<std::string> names;
    for (const Str name : fields.names) names.emplace_back(name);
    rows_->init(session_, fields.types, std::move(names));
  }
  size_t next = 0;
  for (const TypeRef& column : rows_->types) {
    while (next < fields.types.size() && fields.types[next].oid == kInvalidOid) next++;
    if (column.oid == kInvalidOid || value.get().null) {
      kept.emplace_back(Datum::make_null(Phys::kI32));
      continue;
    }
    if (next >= fields.values.size()) return check_row(session_, kNextRecord, fields.types, rows_->types);
    INDIGO_ASSIGN(const Datum converted, function_.cast(session_, fields.values[next], fields.types[next], column));
    kept.emplace_back(converted);
    next++;
  }
  return append();
}

namespace {

bool gives_tuples(const PgQuery__Node& node) {
  switch (node.node_case) {
    case PG_QUERY__NODE__NODE_INSERT_STMT: return node.insert_stmt->n_returning_list > 0;
    case PG_QUERY__NODE__NODE_UPDATE_STMT: return node.update_stmt->n_returning_list > 0;
    case PG_QUERY__NODE__NODE_DELETE_STMT: return node.delete_stmt->n_returning_list > 0;
    case PG_QUERY__NODE__NODE_MERGE_STMT: return false;
    default: break;
  }
  const UtilityStatement* utility = find_utility(&node);
  return utility == nullptr || utility->describe != nullptr;
}

Status check_tuples(const PgQuery__Node& node, const tree::Fragment& fragment) {
  if (gives_tuples(node)) return {};
  Error error(sqlstate::kSyntaxError, statement_name(&node) + " query does not return tuples");
  error.add_context(fragment_line(fragment));
  return error;
}

}  // namespace

Status Interpreter::run_return_query(const tree::ReturnQuery& s) {
  const RoutineResult& result = function_.result();
  begin_rows(session_, *rows_, result);
  RowList found;
  const auto check = [&](std::span<const TypeRef> types, const tree::Fragment& query) -> Status {
    if (result.row && !result.known && !rows_->ready()) return {};
    std::vector<TypeRef> wanted = result.row ? rows_->types : std::vector<TypeRef>{result.type};
    if (!result.known)  // what the first rows had
      for (TypeRef& column : wanted) column.typmod = -1;
    Status status = check_row(session_, "structure of query does not match function result type", types, wanted, true);
    if (status.ok()) return status;
    Error error = std::move(*status.take_error());
    error.add_context(fragment_line(query));
    return error;
  };
  if (s.dynamic) {
    INDIGO_ASSIGN(const std::string text, dynamic_text(s.dynamic));
    if (const auto parsed = parse_statements(text, nullptr); parsed.ok() && !parsed->empty())
      INDIGO_TRY(check_tuples(*parsed->back()->node, {tree::Fragment::Form::kStatement, text, 0, -1, 0, -1}));
    INDIGO_TRY(run_text(text, s.parameters, &found, 0));
    if (found.ready()) INDIGO_TRY(check(found.types, {tree::Fragment::Form::kStatement, text, 0, -1, 0, -1}));
  } else {
    CompiledFragment& fragment = function_.fragment(*s.query);
    INDIGO_TRY(fragment.prepare(session_, frame_));
    NestedStatement& statement = fragment.statement();
    INDIGO_TRY(check_tuples(*statement.node(), *s.query));
    const bool planned = !statement.is_utility();
    if (planned && statement.returns_rows()) INDIGO_TRY(check(statement.columns(session_)->types, *s.query));
    INDIGO_TRY(fragment.run(session_, frame_, 0, collect(session_, statement, found)));
    if (!planned && found.ready()) INDIGO_TRY(check(found.types, *s.query));
  }
  if (!rows_->ready()) rows_->init(session_, found.types, found.names);
  std::vector<size_t> live;
  for (size_t i = 0; i < rows_->types.size(); i++) {
    if (rows_->types[i].oid != kInvalidOid) live.push_back(i);
  }
  exec::RowSpool::Reader reader;
  for (uint64_t row = 0; row < found.store.rows(); row++) {
    INDIGO_TRY(reader.seek(found.store, row));
    std::vector<OwnedDatum> kept;
    for (const Phys phys : rows_->store.phys()) kept.emplace_back(Datum::make_null(phys));
    for (size_t i = 0; i < live.size(); i++) {
      const TypeRef& to = rows_->types[live[i]];
      INDIGO_ASSIGN(const Datum value, function_.cast(session_, reader.datum(i), found.types[i], to));
      if (!value.null) kept[live[i]] = OwnedDatum(value);
    }
    std::vector<Datum> values;
    for (const OwnedDatum& v : kept) values.push_back(v.get());
    INDIGO_TRY(rows_->store.append(values));
  }
  frame_.row_count = found.store.rows();
  set_found(found.store.rows() > 0);
  return {};
}

Status Interpreter::run_diagnostics(const tree::Diagnostics& s) {
  if (s.stacked && handled_ == nullptr) {
    return Error(SqlState("0Z002"), "GET STACKED DIAGNOSTICS cannot be used outside an exception handler");
  }
  const TypeRef text = type_of(session_, oid::kText);
  for (const auto& item : s.items) {
    if (item.name == "row_count") {
      INDIGO_TRY(assign(item.place, Datum::of(static_cast<int64_t>(frame_.row_count)), type_of(session_, oid::kInt8)));
      continue;
    }
    std::string value;
    if (item.name == "pg_context") value = context() + call_context_.around();
    if (handled_ != nullptr) {
      if (item.name == "pg_exception_context") value = handled_->where + call_context_.around();
      if (item.name == "pg_exception_detail") value = handled_->detail;
      if (item.name == "pg_exception_hint") value = handled_->hint;
      if (item.name == "returned_sqlstate") value = handled_->state.text();
      if (item.name == "message_text") value = handled_->message;
      if (item.name == "column_name") value = handled_->column;
      if (item.name == "constraint_name") value = handled_->constraint;
      if (item.name == "pg_datatype_name") value = handled_->data_type;
      if (item.name == "table_name") value = handled_->table;
      if (item.name == "schema_name") value = handled_->schema;
    }
    INDIGO_TRY(assign(item.place, Datum::of(Str(value)), text));
  }
  return {};
}

Status Interpreter::run_assert(const tree::Assert& s) {
  std::string checks;
  if (session_.context().setting("plpgsql.check_asserts", checks) && checks == "off") return {};
  INDIGO_ASSIGN(const bool holds, condition(s.condition));
  if (holds) return {};
  std::string message = "assertion failed";
  if (s.message) {
    INDIGO_ASSIGN(const auto given, text(s.message));
    if (given) message = *given;
  }
  return Error(SqlState("P0004"), message);
}

Status Interpreter::run_commit(const tree::Commit& s) {
  if (!may_commit()) return Error(SqlState("2D000"), "invalid transaction termination");
  TransactionBlock& block = session_.block();
  if (block.depth() > 0) {
    return Error(SqlState("2D000"), s.rollback ? "cannot roll back while a subtransaction is active"
                                               : "cannot commit while a subtransaction is active");
  }
  INDIGO_TRY(session_.runner().hold_pinned());
  if (session_.scope().active_view() != nullptr) session_.scope().active_view()->forget();
  if (s.rollback) {
    block.rollback();
  } else {
    INDIGO_TRY(block.commit());
  }
  return block.begin_again(timestamp_now());
}

}  // namespace indigo::engine::programs
