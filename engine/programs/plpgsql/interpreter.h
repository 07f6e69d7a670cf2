// Runs a PL/pgSQL function's tree: one object for each call.
//
// An error that leaves the function gets a line of context: the function, and the line and kind of the statement that ran.
// Thread safety: none; lives on the stack of the call.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/programs/call_context.h"
#include "engine/programs/plpgsql/frame.h"
#include "engine/programs/plpgsql/function.h"
#include "engine/session/portal/portal.h"
#include "types/value/array_format.h"

namespace indigo::engine::programs {

// A row of these types as one of those: by position, dropped columns passed over. 42804 with the message where they are not the
// same types. `exact`: modifiers are known.
Status check_row(SessionParts& session, const char* message, std::span<const TypeRef> given,
                 std::span<const TypeRef> wanted, bool exact = false);
// Of what would give a constant another value.
Error declared_constant(const tree::Variable& variable);
inline constexpr const char* kReturnedRecord = "returned record type does not match expected record type";
inline constexpr const char* kNextRecord = "wrong record type supplied in RETURN NEXT";

class ProcedureCall;

class Interpreter {
  friend struct CodeOperations;
  friend struct CodeRun;

 public:
  // `rows`: where RETURN NEXT and RETURN QUERY put theirs; null unless the function returns a set.
  Interpreter(SessionParts& session, PlpgsqlFunction& function, RowList* rows);
  ~Interpreter();
  Interpreter(const Interpreter&) = delete;
  Interpreter& operator=(const Interpreter&) = delete;

  Result<OwnedDatum> call(std::span<const Datum> arguments);
  // As exec::TriggerHost::call.
  Result<std::optional<std::string>> call_trigger(const exec::TriggerCall& call);
  Status call_event_trigger(std::string_view event, std::string_view tag);

 private:
  enum class Flow : uint8_t { kNormal, kExit, kContinue, kReturn };
  using StatementList = tree::StatementList;
  using FragmentPtr = tree::FragmentPtr;
  using RunAs = CompiledFragment::RunAs;

  // ---- interpreter.cpp
  Status begin(std::span<const Datum> arguments);
  Status initialise(int variable);
  Result<OwnedDatum> returned();
  Result<OwnedDatum> returned_row(const RoutineResult& result);
  Result<Flow> run(const StatementList& list);         // code_run.cpp
  Result<Flow> run(const tree::Statement& statement);  // of one that code has no instructions for
  Result<Flow> run_block(const tree::Block& block);
  Status begin_block(const tree::Block& block);
  Result<Flow> run_guarded(const tree::Block& block);
  Error with_context(Error error);
  std::string context() const;
  // After a loop's body: whether to continue with the loop; `flow` is what the loop answers otherwise.
  bool next_round(Flow& flow, const std::string& label) { return flow == Flow::kNormal || goes_on(flow, label); }
  bool goes_on(Flow& flow, const std::string& label);

  // ---- trigger.cpp
  void set_trigger_variables(const exec::TriggerCall& call);
  void set_trigger_row(int variable, const catalog::RelationInfo& relation, Bytes image, const exec::RowPlace& place);
  Result<std::optional<std::string>> trigger_row(const exec::TriggerCall& call);
  Result<std::optional<std::string>> trigger_image(const catalog::RelationInfo& relation,
                                                   std::span<const TypeRef> types, std::span<const Datum> given);

  // ---- values.cpp
  Result<CompiledFragment::Answer> evaluate(const FragmentPtr& fragment);
  // Converted as an assignment does; strings live until the fragment's next evaluation.
  Status evaluate_as(const FragmentPtr& fragment, const TypeRef& to, Datum& out);
  Result<bool> condition(const FragmentPtr& fragment);
  Result<std::optional<int32_t>> integer(const FragmentPtr& fragment);
  Result<std::optional<std::string>> text(const FragmentPtr& fragment);
  std::string text_of(const Datum& value, const TypeRef& type);
  Status assign(const tree::Place& place, const Datum& value, const TypeRef& type);
  Status assign_variable(int variable, const Datum& value, const TypeRef& type);
  Status assign_field(int variable, const std::string& field, const Datum& value, const TypeRef& type);
  Status assign_part(const tree::Place& place, const tree::Fragment& part, const FragmentPtr& value);
  // `shape`: shape_of the types and names, where it is known.
  Status assign_row(const tree::Target& target, std::span<const TypeRef> types, std::span<const std::string> names,
                    std::span<const Datum> values, uint64_t shape = 0);
  Status assign_record(int variable, std::span<const TypeRef> types, std::span<const std::string> names,
                       std::span<const Datum> values, uint64_t shape = 0, Oid row_type = kInvalidOid);
  void set_scalar(int variable, const Datum& value);
  void set_null(int variable);
  bool may_be_null(int variable) const;
  void set_found(bool found);
  OwnedDatum row_of(int variable);  // a record variable as a composite value

  // ---- statements.cpp
  Status run_assign(const tree::Assign& s);
  Status set_case_operand(const tree::Case& s);
  Result<Flow> run_return(const tree::Return& s);
  Status run_return_next(const tree::ReturnNext& s);
  Status run_return_query(const tree::ReturnQuery& s);
  Status run_diagnostics(const tree::Diagnostics& s);
  Status run_assert(const tree::Assert& s);
  Status run_raise(const tree::Raise& s);  // raise.cpp
  Status run_commit(const tree::Commit& s);

  // ---- loops.cpp
  // Of an integer loop: the present round's number, the last one, and what is between two.
  struct Counter {
    int64_t at = 0, last = 0, step = 1;
  };
  // Whether there is a round.
  Result<bool> begin_for(const tree::ForInteger& s, Counter& counter);
  // Lets others run and sees interrupts, every now and then: a round may be short.
  Status breathe() { return (++rounds_ & 63) != 0 ? Status() : look_around(); }
  Status look_around();
  Result<Flow> run_for_query(const tree::ForQuery& s);
  Result<Flow> run_for_execute(const tree::ForExecute& s);
  Result<Flow> run_for_each(const tree::ForEach& s);
  Status assign_element(const tree::Target& target, const Datum& value, const TypeRef& type);
  Result<Flow> over_slices(const tree::ForEach& s, const ArrayView& array, const TypeRef& type);
  Result<Flow> run_for_cursor(const tree::ForCursor& s);
  // A loop over rows, a part of them at a time.
  struct RowLoop {
    const tree::Target& target;
    const StatementList& body;
    const std::string& label;
    Flow flow = Flow::kNormal;
    bool found = false, ended = false;
    std::unique_ptr<Error> error;  // of the body: no error of the query
    std::shared_ptr<const NestedStatement::Columns> columns;
  };
  Status over_rows(const RowList& rows, RowLoop& loop);
  // The same for rows of a plan that waits meanwhile.
  Status over_chunk(const Chunk& chunk, const NestedStatement::Columns& columns, RowLoop& loop);
  // A loop without rows leaves a target of nulls: a record then has the query's columns.
  Result<Flow> finish_loop(NestedStatement& statement, RowLoop& loop);
  Result<Flow> finish_loop(const RowList& described, RowLoop& loop);
  // Runs the loop's body while the query runs, so that its rows need not be kept.
  NestedStatement::Rows stream(const std::shared_ptr<NestedStatement>& statement, RowLoop& loop);
  // The same for the rows of a cursor, one at a time: COMMIT in the body may end the transaction under its query.
  Status over_cursor(const std::string& name, RowLoop& loop);

  // ---- sql.cpp
  Status run_sql(const tree::Sql& s);
  Status run_into(const tree::Sql& s, CompiledFragment& fragment, NestedStatement& statement);
  Status run_execute(const tree::Execute& s);
  Status run_perform(const tree::Perform& s);
  // Whether COMMIT and ROLLBACK may end the session's transaction.
  bool may_commit() const;
  Status run_call(const tree::Call& s);
  std::optional<Oid> named_type(const tree::Place& place) const;
  std::optional<tree::Place> output_place(const PgQuery__Node* argument, int names, const TypeRef& type);
  Result<std::vector<tree::Place>> output_places(const ProcedureCall& call, const PgQuery__CallStmt& stmt, int names);
  Status check_assignable(int variable) const;
  // Runs a text that is made at run time; its rows go to `rows` when there are some.
  struct Dynamic {
    uint64_t rows = 0;
    bool returns_rows = false;
    std::vector<std::string> parameters;  // "$1 = '...'", for errors of INTO STRICT
  };
  Result<Dynamic> run_text(const std::string& text, const std::vector<FragmentPtr>& parameters, RowList* rows,
                           uint64_t most, RunAs as = RunAs::kStatement);
  Result<std::string> dynamic_text(const FragmentPtr& fragment);
  Status into(const tree::Target& target, const RowList& rows, const std::string& parameters = "");
  // For errors of INTO STRICT: "name = 'value'".
  std::string shown_parameter(const std::string& name, const Datum& value, const TypeRef& type);
  std::string strict_detail(const std::vector<std::string>& parameters);
  std::vector<std::string> read_variables(const CompiledFragment& fragment);
  // The columns of what a statement gives.
  static Status describe(SessionParts& session, NestedStatement& statement, RowList& out);
  static NestedStatement::Rows collect(SessionParts& session, NestedStatement& statement, RowList& out);

  // ---- cursors.cpp
  Status run_open(const tree::Open& s);
  Status open_cursor(int cursor, std::optional<bool> scroll, const FragmentPtr& query, const FragmentPtr& arguments);
  Status open_portal(std::unique_ptr<Portal> portal, const std::string& name, std::optional<bool> scroll,
                     std::string_view text);
  // With the fragment's query, for the variables' values of now.
  Status open_query(CompiledFragment& fragment, const std::string& name, std::optional<bool> scroll);
  Status open_prepared(const ParsedStatement& parsed, const std::string& name, std::optional<bool> scroll);
  Status run_fetch(const tree::Fetch& s);
  // The next row of a cursor that pulls from its plan.
  Status fetch_next(const tree::Fetch& s, Portal& portal);
  // The same into frame_.row, also of rows that are held; false: there are no more.
  Result<bool> pull(Portal& portal);
  void learn_columns(const PreparedPtr& prepared);  // into fetched_
  Status run_close(const tree::Close& s);
  Result<std::string> cursor_name(int cursor);
  Result<uint64_t> cursor_command(const std::string& command, RowList* rows, const std::string& name);

  // Of the plan that FETCH has read from last.
  struct Fetched {
    std::shared_ptr<const sql::PlannedStatement> plan;
    std::vector<TypeRef> types;
    std::vector<std::string> names;
    uint64_t shape = 0;
  };
  Fetched fetched_;

  // What cursor_command ran last: a loop of FETCH runs it again.
  std::string command_text_;
  std::shared_ptr<const ParsedStatement> command_;

  SessionParts& session_;
  PlpgsqlFunction& function_;
  RowList* rows_;
  std::unique_ptr<Frame> taken_;  // from the function
  Frame& frame_;
  std::string exit_label_;            // of EXIT and CONTINUE on their way
  std::optional<OwnedDatum> answer_;  // RETURN's value
  TypeRef answer_type_;
  int answer_row_ = -1;             // RETURN of a row variable in a trigger function
  const Error* handled_ = nullptr;  // in an exception handler
  bool raised_again_ = false;       // by RAISE alone: the error on its way out has this call's line of context
  int rounds_ = 0;
  const CallContext call_context_;
};

}  // namespace indigo::engine::programs
