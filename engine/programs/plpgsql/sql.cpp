// SQL statements of PL/pgSQL: fixed ones, and texts made at run time.
#include <algorithm>
#include <optional>

#include "base/sqlstate.h"
#include "engine/programs/plpgsql/interpreter.h"
#include "engine/programs/procedure_call.h"
#include "engine/programs/programs.h"
#include "engine/programs/row_catcher.h"
#include "engine/row_sink.h"
#include "engine/session/scanner_notices.h"
#include "engine/session/session_parts.h"
#include "engine/session/transaction_block.h"
#include "engine/settings/applied_settings.h"
#include "sql/parse/node.h"
#include "sql/parse/parse_tree.h"
#include "storage/store.h"
#include "types/oids.h"

namespace indigo::engine::programs {

namespace {

Status check_copy(const PgQuery__Node& node) {
  const bool client = node.node_case == PG_QUERY__NODE__NODE_COPY_STMT && !sql::has_text(node.copy_stmt->filename);
  return client ? Status(no_copy_to_client()) : Status();
}

Error no_destination(bool select) {
  return Error(sqlstate::kSyntaxError, "query has no destination for result data")
      .with_hint(select ? "If you want to discard the results of a SELECT, use PERFORM instead." : "");
}

Status check_command(const NestedStatement& statement) {
  if (statement.node()->node_case == PG_QUERY__NODE__NODE_TRANSACTION_STMT)
    return Error(sqlstate::kFeatureNotSupported, "unsupported transaction command in PL/pgSQL");
  return check_copy(*statement.node());
}

// The values of USING, as the $n of a text.
class UsingScope final : public sql::VariableScope {
 public:
  explicit UsingScope(std::vector<TypeRef> types) : types_(std::move(types)) {}
  Result<Found> find(std::span<const std::string_view>, int) const override { return Found{}; }
  Result<bool> fields(std::span<const std::string_view>, int, Fields&) const override { return false; }
  Result<sql::ExprPtr> parameter(int number, int location) const override {
    if (number < 1 || static_cast<size_t>(number) > types_.size()) return sql::ExprPtr();
    auto p = std::make_shared<sql::ParamExpr>();
    p->index = number - 1;
    p->type = types_[static_cast<size_t>(number) - 1];
    p->location = location;
    return sql::ExprPtr(p);
  }
  std::vector<TypeRef> types() const override { return types_; }

 private:
  const std::vector<TypeRef> types_;
};

}  // namespace

Status Interpreter::describe(SessionParts& session, NestedStatement& statement, RowList& out) {
  std::vector<TypeRef> types;
  std::vector<std::string> names;
  if (statement.is_utility()) {
    const ResultShape* shape = statement.utility_shape();
    if (shape == nullptr) return Error(sqlstate::kInternalError, "rows of a statement without a description");
    for (const ResultColumn& column : shape->columns) {
      types.push_back(column.declared);
      names.push_back(column.name);
    }
  } else {
    const NestedStatement::Columns& columns = *statement.columns(session);
    types = columns.types;
    names = columns.names;
  }
  out.init(session, std::move(types), std::move(names));
  return {};
}

NestedStatement::Rows Interpreter::collect(SessionParts& session, NestedStatement& statement, RowList& out) {
  return [&session, &statement, &out](const Chunk& chunk) -> Result<bool> {
    if (!out.ready()) INDIGO_TRY(describe(session, statement, out));
    std::vector<const Vector*> columns;
    for (size_t i = 0; i < out.types.size(); i++) columns.push_back(&chunk.columns[i]);
    INDIGO_TRY(out.store.append(columns, chunk.selection));
    return true;
  };
}

std::string Interpreter::shown_parameter(const std::string& name, const Datum& value, const TypeRef& type) {
  if (value.null) return name + " = NULL";
  std::string out = name + " = '";
  for (const char c : text_of(value, type)) {
    if (c == '\'') out += c;
    out += c;
  }
  return out + "'";
}

std::string Interpreter::strict_detail(const std::vector<std::string>& parameters) {
  std::string setting;
  const bool wanted = function_.program().print_strict_params.value_or(
      session_.context().setting("plpgsql.print_strict_params", setting) &&
      (setting == "on" || setting == "true" || setting == "yes" || setting == "1"));
  if (!wanted || parameters.empty()) return "";
  std::string out = "parameters: ";
  for (size_t i = 0; i < parameters.size(); i++) out += (i > 0 ? ", " : "") + parameters[i];
  return out;
}

std::vector<std::string> Interpreter::read_variables(const CompiledFragment& fragment) {
  std::vector<int> variables = fragment.read_variables();
  std::sort(variables.begin(), variables.end());
  variables.erase(std::unique(variables.begin(), variables.end()), variables.end());
  std::vector<std::string> out;
  for (const int v : variables) {
    out.push_back(shown_parameter(function_.program().variables[static_cast<size_t>(v)].name, frame_.scalar(v),
                                  function_.variable(v).type));
  }
  return out;
}

// Neither NOT NULL nor of a type that users have made, which may be a domain with checks of its own.
bool Interpreter::may_be_null(int variable) const {
  const VariableType& type = function_.variable(variable);
  return type.row ||
         (!function_.program().variables[static_cast<size_t>(variable)].not_null && type.type.oid < oid::kFirstUserOid);
}

// The row of INTO: the first one; STRICT wants exactly one.
Status Interpreter::into(const tree::Target& target, const RowList& rows, const std::string& parameters) {
  const uint64_t count = rows.store.rows();
  if (target.strict && count == 0) return Error(SqlState("P0002"), "query returned no rows").with_detail(parameters);
  if (target.strict && count > 1)
    return Error(SqlState("P0003"), "query returned more than one row").with_detail(parameters);
  std::vector<Datum> values;
  exec::RowSpool::Reader first;
  if (count > 0) INDIGO_TRY(first.seek(rows.store, 0));
  for (size_t c = 0; count > 0 && c < rows.types.size(); c++) values.push_back(first.datum(c));
  if (count > 0) return assign_row(target, rows.types, rows.names, values);
  // No row: null all over, in a record of the query's columns.
  if (rows.ready() && target.places.size() == 1 && target.places[0].fields.empty() &&
      function_.variable(target.places[0].variable).row) {
    for (const Phys phys : rows.store.phys()) values.push_back(Datum::make_null(phys));
    return assign_row(target, rows.types, rows.names, values);
  }
  for (const tree::Place& place : target.places) {
    const bool any_null = place.fields.empty() && may_be_null(place.variable);
    if (any_null) {
      set_null(place.variable);
    } else {
      INDIGO_TRY(assign(place, Datum::make_null(Phys::kStr), type_of(session_, oid::kText)));
    }
  }
  return {};
}

Status Interpreter::run_sql(const tree::Sql& s) {
  CompiledFragment& fragment = function_.fragment(*s.query);
  INDIGO_TRY(fragment.make_ready(session_, frame_));
  const std::shared_ptr<NestedStatement> statement = fragment.shared_statement();
  INDIGO_TRY(check_command(*statement));
  if (s.target.given()) return run_into(s, fragment, *statement);
  const bool utility = statement->is_utility();
  const bool rows = !utility && statement->returns_rows();
  const bool select = rows && statement->prepared().plan->command == sql::CommandKind::kSelect;
  // As in PostgreSQL the statement runs first: its own failure, which a handler may want, is the one that is told.
  INDIGO_ASSIGN(const auto outcome, fragment.run(session_, frame_, 0, {}));
  if (rows) return no_destination(select);
  if (utility && statement->utility_shape() != nullptr) return no_destination(false);
  frame_.row_count = outcome.rows;
  if (!utility) set_found(outcome.rows > 0);
  return {};
}

Status Interpreter::run_into(const tree::Sql& s, CompiledFragment& fragment, NestedStatement& statement) {
  const bool utility = statement.is_utility();
  if (!utility && !statement.returns_rows())
    return Error(sqlstate::kSyntaxError, "INTO used with a command that cannot return data");
  const ExtraCheck one_row = extra_check(session_, ExtraChecks::Kind::kTooManyRows);
  const bool changes = !utility && statement.prepared().plan->command != sql::CommandKind::kSelect;
  const bool counts = s.target.strict || one_row != ExtraCheck::kNone;
  // The statement ends before its row is assigned.
  uint64_t count = 0;
  RowList rows;  // of a utility statement
  const NestedStatement::Rows keep = [this, &count](const Chunk& chunk) -> Result<bool> {
    if (count == 0 && chunk.rows() > 0) frame_.row.keep(chunk, chunk.selection[0]);
    count += chunk.rows();
    return true;
  };
  INDIGO_ASSIGN(const auto outcome, fragment.run(session_, frame_,
                                                 changes  ? 0
                                                 : counts ? 2
                                                          : 1,
                                                 utility ? collect(session_, statement, rows) : keep));
  if (utility) count = rows.store.rows();
  if (count > 1 && (changes || counts)) {
    Error error(SqlState("P0003"), "query returned more than one row");
    error.detail = strict_detail(read_variables(fragment));
    error.hint = "Make sure the query returns a single row, or use LIMIT 1.";
    if (changes || s.target.strict || one_row == ExtraCheck::kError) return error;
    session_.notice(Severity::kWarning, error);
  }
  frame_.row_count = changes ? outcome.rows : std::min<uint64_t>(count, 1);
  set_found(count > 0);
  if (!utility && count > 0) {
    const NestedStatement::Columns& columns = *outcome.columns;
    return assign_row(s.target, columns.types, columns.names, frame_.row.values(columns.types.size()), columns.shape);
  }
  if (!utility) rows.init(session_, outcome.columns->types, outcome.columns->names);
  return into(s.target, rows, s.target.strict && count == 0 ? strict_detail(read_variables(fragment)) : "");
}

Status Interpreter::run_perform(const tree::Perform& s) {
  CompiledFragment& fragment = function_.fragment(*s.query);
  INDIGO_ASSIGN(const auto outcome, fragment.run(session_, frame_, 0, {}));
  frame_.row_count = outcome.rows;
  set_found(outcome.rows > 0);
  return {};
}

Result<std::string> Interpreter::dynamic_text(const FragmentPtr& fragment) {
  INDIGO_ASSIGN(const auto given, text(fragment));
  if (given) return *given;
  return Error(sqlstate::kNullValueNotAllowed, "query string argument of EXECUTE is null");
}

Result<Interpreter::Dynamic> Interpreter::run_text(const std::string& text, const std::vector<FragmentPtr>& parameters,
                                                   RowList* rows, uint64_t most, RunAs as) {
  std::vector<TypeRef> types;
  std::vector<OwnedDatum> kept;
  std::vector<Datum> values;
  for (const auto& fragment : parameters) {
    INDIGO_ASSIGN(const auto answer, evaluate(fragment));
    types.push_back(type_of(session_, answer.type.oid == oid::kUnknown ? Oid{oid::kText} : answer.type.oid));
    kept.emplace_back(answer.value);
  }
  for (const OwnedDatum& v : kept) values.push_back(v.get());
  const std::vector<TypeRef> given_types = types;
  const tree::Fragment whole{tree::Fragment::Form::kStatement, text, 0, -1, 0, -1};
  const auto failed = [&](std::unique_ptr<Error> error) { return fragment_error(std::move(*error), whole, true); };
  report_scanner_notices(session_.message(), text, session_.applied_settings().strings);
  auto parsed = parse_statements(text, std::make_shared<UsingScope>(std::move(types)));
  if (!parsed.ok()) return failed(parsed.take_error());
  Dynamic out;
  for (size_t i = 0; most == 2 && i < values.size(); i++)
    out.parameters.push_back(shown_parameter("$" + std::to_string(i + 1), values[i], given_types[i]));
  for (size_t i = 0; i < parsed->size(); i++) {
    NestedStatement statement((*parsed)[i]);
    const bool last = i + 1 == parsed->size();
    const auto* node = statement.node();
    INDIGO_TRY(check_copy(*node));
    if (node->node_case == PG_QUERY__NODE__NODE_TRANSACTION_STMT)
      return Error(sqlstate::kFeatureNotSupported, "EXECUTE of transaction commands is not implemented");
    if (node->node_case == PG_QUERY__NODE__NODE_CREATE_TABLE_AS_STMT && node->create_table_as_stmt->is_select_into) {
      return Error(sqlstate::kFeatureNotSupported, "EXECUTE of SELECT ... INTO is not implemented")
          .with_hint("You might want to use EXECUTE ... INTO or EXECUTE CREATE TABLE ... AS instead.");
    }
    if (Status status = statement.prepare(session_); !status.ok()) return failed(status.take_error());
    // With values PostgreSQL plans for them alone, and what they make unreachable is not computed.
    Status constants = values.empty() ? statement.check_constants(session_) : Status();
    if (!constants.ok()) return failed(constants.take_error());
    std::optional<CallContext> context;
    if (as == RunAs::kStatement) {
      context.emplace(session_.routines().innermost_context(), [&whole] { return fragment_line(whole); });
    }
    auto outcome = statement.run(
        session_, values, function_.may_change(),
        last && !statement.is_utility() && statement.prepared().plan->command == sql::CommandKind::kSelect ? most : 0,
        last && rows != nullptr ? collect(session_, statement, *rows) : NestedStatement::Rows());
    if (!outcome.ok()) return fragment_error(std::move(*outcome.take_error()), whole, as == RunAs::kStatement);
    if (!last) continue;
    out.rows = outcome->rows;
    out.returns_rows = statement.is_utility() ? statement.utility_shape() != nullptr : statement.returns_rows();
    if (rows != nullptr && !rows->ready() && out.returns_rows) INDIGO_TRY(describe(session_, statement, *rows));
  }
  return out;
}

Status Interpreter::run_execute(const tree::Execute& s) {
  INDIGO_ASSIGN(const std::string text, dynamic_text(s.query));
  if (!s.target.given()) {
    INDIGO_ASSIGN(const Dynamic dynamic, run_text(text, s.parameters, nullptr, 0));
    frame_.row_count = dynamic.rows;
    return {};
  }
  RowList rows;
  INDIGO_ASSIGN(const Dynamic dynamic, run_text(text, s.parameters, &rows, s.target.strict ? 2 : 1));
  if (!dynamic.returns_rows && !rows.ready())
    return Error(sqlstate::kSyntaxError, "INTO used with a command that cannot return data");
  frame_.row_count = dynamic.rows;
  return into(s.target, rows, strict_detail(dynamic.parameters));
}

Status Interpreter::check_assignable(int variable) const {
  const tree::Variable& v = function_.program().variables[static_cast<size_t>(variable)];
  return v.constant ? Status(declared_constant(v)) : Status();
}

bool Interpreter::may_commit() const {
  return function_.info().oid == kInvalidOid ? function_.may_commit : session_.routines().may_commit();
}

// The type of what an argument of CALL names: the variable's, a record's as it is now, or its field's. Nothing where that is more
// than one of them.
std::optional<Oid> Interpreter::named_type(const tree::Place& place) const {
  const VariableType& type = function_.variable(place.variable);
  if (!type.row) return place.fields.empty() ? std::optional(type.type.oid) : std::nullopt;
  const RecordValue& record = *frame_.values[static_cast<size_t>(place.variable)].record;
  if (place.fields.empty()) return record.type_of_row(type.type.oid);
  const int at = place.fields.size() == 1 ? record.find(place.fields[0]) : -1;
  return at < 0 ? std::nullopt : std::optional(record.types[static_cast<size_t>(at)].oid);
}

// Where an OUT parameter's value goes: its argument is a variable of its very type. Nothing where it is not.
std::optional<tree::Place> Interpreter::output_place(const PgQuery__Node* argument, int names, const TypeRef& type) {
  if (argument->node_case == PG_QUERY__NODE__NODE_NAMED_ARG_EXPR) argument = argument->named_arg_expr->arg;
  if (argument->node_case != PG_QUERY__NODE__NODE_COLUMN_REF) return std::nullopt;
  std::vector<std::string_view> name;
  const auto& ref = *argument->column_ref;
  for (const PgQuery__Node* part : sql::nodes(ref.n_fields, ref.fields)) name.push_back(sql::string_of(part));
  const tree::NameFound found = tree::find_name(function_.program(), names, name);
  if (found.variable < 0) return std::nullopt;
  tree::Place place;
  place.variable = found.variable;
  for (size_t p = found.parts; p < name.size(); p++) place.fields.emplace_back(name[p]);
  if (named_type(place) != type.oid) return std::nullopt;
  return place;
}

// The places of all OUT parameters, looked for before the procedure runs.
Result<std::vector<tree::Place>> Interpreter::output_places(const ProcedureCall& call, const PgQuery__CallStmt& stmt,
                                                            int names) {
  std::vector<tree::Place> places;
  const auto& procedure = *call.analyzed().procedure;
  const auto& written = call.analyzed().parameters;
  for (size_t i = 0; i < procedure.all_argument_types.size() && places.size() < call.outputs().size(); i++) {
    const char mode = i < procedure.argument_modes.size() ? procedure.argument_modes[i] : 'i';
    if (mode != 'o' && mode != 'b') continue;
    const auto at = std::find(written.begin(), written.end(), static_cast<int>(i));
    std::optional<tree::Place> place;
    if (at != written.end())
      place = output_place(stmt.funccall->args[at - written.begin()], names, call.outputs()[places.size()]);
    if (!place) {
      const bool named = i < procedure.argument_names.size() && !procedure.argument_names[i].empty();
      return Error(sqlstate::kSyntaxError,
                   "procedure parameter " +
                       (named ? "\"" + procedure.argument_names[i] + "\"" : std::to_string(i + 1)) +
                       " is an output parameter but corresponding argument is not writable");
    }
    INDIGO_TRY(check_assignable(place->variable));
    places.push_back(*std::move(place));
  }
  return places;
}

Status Interpreter::run_call(const tree::Call& s) {
  CompiledFragment& fragment = function_.fragment(*s.statement);
  INDIGO_TRY(fragment.prepare(session_, frame_));
  NestedStatement& statement = fragment.statement();
  const bool commits = may_commit() && session_.block().depth() == 0;
  if (!s.is_call) {
    statement.set_may_commit(commits);
    INDIGO_TRY(fragment.run(session_, frame_, 0, {}));
    return {};
  }
  const auto failed = [&](Error error) { return fragment_error(std::move(error), *s.statement, true); };
  auto analyzed = ProcedureCall::analyze(session_, statement.parsed(), {}, false);
  if (!analyzed.ok()) return failed(std::move(*analyzed.take_error()));
  const ProcedureCall& call = *analyzed;
  if (!function_.may_change())
    return failed(Error(sqlstate::kFeatureNotSupported, "CALL is not allowed in a non-volatile function"));
  INDIGO_ASSIGN(const std::vector<tree::Place> places,
                output_places(call, *statement.node()->call_stmt, s.statement->names));
  std::vector<OwnedDatum> kept;
  std::vector<Datum> parameters;
  kept.reserve(frame_.parameters.size());
  INDIGO_ASSIGN(parameters, fragment.values(frame_, [&](const Datum& value) {
    kept.emplace_back(value);
    return kept.back().get();
  }));
  auto outputs = call.run(session_, parameters, commits);
  if (!outputs.ok()) return failed(std::move(*outputs.take_error()));
  for (size_t i = 0; i < outputs->size() && i < places.size(); i++)
    INDIGO_TRY(assign(places[i], (*outputs)[i].get(), call.outputs()[i]));
  return {};
}

}  // namespace indigo::engine::programs
