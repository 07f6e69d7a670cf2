// A piece of SQL inside a PL/pgSQL function, compiled when it is first reached.
//
// An expression without tables, subqueries and sets is evaluated by itself, without a plan; everything else is a statement.
// Thread safety: none; belongs to a session.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/exec/scalar/scalar_expression.h"
#include "engine/programs/nested_statement.h"
#include "engine/programs/plpgsql/frame.h"
#include "sql/analyze/variables.h"

namespace indigo::engine::programs {

class PlpgsqlFunction;

// What names mean at one place of a function's text.
class FragmentScope final : public sql::VariableScope {
 public:
  FragmentScope(PlpgsqlFunction& function, int names) : function_(function), names_(names) {}
  // The call whose records tell the fields' types.
  void enter(Frame* frame) { frame_ = frame; }
  Frame* frame() const { return frame_; }
  // Parameters that the fragment has been found to use and that stand for fields or rows.
  const std::vector<int>& used_fields() const { return used_; }
  // Variables without fields that it has been found to use.
  const std::vector<int>& read_variables() const { return read_; }
  // Of a statement that is analyzed only while it runs: all that its names may mean counts as used.
  void note_names(const PgQuery__Node& statement) const;
  void forget_used() {
    used_.clear();
    read_.clear();
  }

  Conflict conflict() const override;
  Result<Found> find(std::span<const std::string_view> name, int location) const override;
  Result<bool> fields(std::span<const std::string_view> name, int location, Fields& out) const override;
  Result<sql::ExprPtr> parameter(int number, int location) const override;
  std::vector<TypeRef> types() const override;

 private:
  Result<sql::ExprPtr> field(int variable, std::string_view name, int location) const;
  sql::ExprPtr parameter_of(int index, const TypeRef& type, int location) const;

  PlpgsqlFunction& function_;
  const int names_;
  Frame* frame_ = nullptr;
  mutable std::vector<int> used_, read_;
};

// What an expression over this field, or row, of a record depends on.
uint64_t shape_now(PlpgsqlFunction& function, int field, const Frame& frame);

class CompiledFragment {
 public:
  // The variable whose row is all that it computes; -1: none.
  int whole_row() const;
  CompiledFragment(PlpgsqlFunction& function, const sql::plpgsql::Fragment& fragment);

  struct Answer {
    Datum value;  // strings live until the fragment's next evaluation
    TypeRef type;
  };
  // Whether compute_as() will do: it is compiled for the catalog, the settings and the frame's records as they are now, and
  // looks at no tables. Then the fields that it reads are bound.
  bool ready(SessionParts& session, Frame& frame) {
    if (quick_ == nullptr) return false;
    const bool same = frame.state_known && bound_ && catalog_version_ == frame.catalog_version &&
                      plan_generation_ == frame.plan_generation && frame.parameters.size() >= parameter_count_ &&
                      fields_.empty();
    return same || is_current(session, frame);
  }
  // After ready(): its value converted to that type as an assignment does. Strings live until the next evaluation.
  Status compute_as(SessionParts& session, Frame& frame, const TypeRef& to, Datum& out) {
    if (last_ != nullptr && last_type_ == to) return last_->evaluate(frame.parameters.data(), out);
    return convert_as(session, frame, to, out);
  }
  // What is known of the fragment as an expression.
  enum class Purity : uint8_t {
    kUnknown,  // it has not been compiled for the present state of things
    kImpure,   // more than pure()
    kPure
  };
  Purity purity(SessionParts& session, Frame& frame) const;
  // Of a pure fragment: an expression over the parameters alone that is the value as compute_as() answers it, while catalog and
  // settings stay as they are; null when the conversion is more than that.
  Result<sql::ExprPtr> pure(SessionParts& session, Frame& frame, const TypeRef& to);
  // A record's field that stands at `parameter`, while the record has this shape.
  struct BoundField {
    size_t parameter, variable, field;
    uint64_t shape;
  };
  const std::vector<BoundField>& fields() const { return fields_; }
  // Its one value; null when there is no row.
  Result<Answer> evaluate(SessionParts& session, Frame& frame);
  // All variables and the fields that the statement names, after prepare(); `keep` copies a value to where it stays. Fields that
  // other fragments have bound are not among them: what they point to may be gone.
  Result<std::vector<Datum>> values(Frame& frame, const std::function<Datum(Datum)>& keep) const;
  // As a statement.
  // A cursor's errors do not name its statement.
  enum class RunAs : uint8_t { kStatement, kCursor };
  Result<NestedStatement::Outcome> run(SessionParts& session, Frame& frame, uint64_t most,
                                       const NestedStatement::Rows& rows, RunAs as = RunAs::kStatement);
  // Compiled for the records of this frame.
  Status prepare(SessionParts& session, Frame& frame);
  // The same, and the fields and rows that it reads are bound; does nothing but bind while all is as it was.
  Status make_ready(SessionParts& session, Frame& frame);
  // A cursor is opened with it, which WHERE CURRENT OF may name. Before prepare().
  void open_cursors() { opens_cursor_ = true; }
  NestedStatement& statement() { return *statement_; }
  // Held across other statements, which may compile the fragment again.
  const std::shared_ptr<NestedStatement>& shared_statement() const { return statement_; }
  const std::string& text() const { return fragment_.text; }
  // An error of the conversion to the variable's type: PostgreSQL converts a constant while it plans, and a literal while it
  // analyzes the assignment.
  // `to`: null where it is a field's.
  Error assignment_error(SessionParts& session, Error error, const TypeRef* to) const;
  const std::vector<int>& read_variables() const { return scope_->read_variables(); }

 private:
  // Compiled for the state of things, and the fields that it reads are bound.
  bool is_current(SessionParts& session, Frame& frame) const;
  Status find_conversion(SessionParts& session, const TypeRef& to);
  Status convert_as(SessionParts& session, Frame& frame, const TypeRef& to, Datum& out);
  void forget();
  void remember_state(SessionParts& session, const Frame& frame);
  Result<Answer> evaluate_plan(SessionParts& session, Frame& frame);

  PlpgsqlFunction& function_;
  const sql::plpgsql::Fragment& fragment_;
  std::shared_ptr<FragmentScope> scope_;
  std::shared_ptr<NestedStatement> statement_;
  const Prepared* compiled_ = nullptr;  // what `simple_` was made from
  sql::ExprPtr simple_;
  std::unique_ptr<exec::ScalarExpression> quick_;      // `simple_`, when it needs nothing but the parameters
  std::unique_ptr<exec::ScalarExpression> converted_;  // `quick_` as a `converted_type_`
  TypeRef converted_type_;
  sql::ExprPtr converted_expression_;
  exec::ScalarExpression* last_ = nullptr;  // that compute_as() found for `last_type_`: `quick_` or `converted_`
  TypeRef last_type_;
  bool converted_known_ = false;  // whether there is such a form has been found out
  bool calls_ = false;            // `simple_` has calls that may look at tables
  // `simple_` compiled, those that do not run just now: a recursive function evaluates it within itself.
  std::vector<std::unique_ptr<exec::ScalarExpression>> idle_;
  uint64_t compilation_ = 0;                      // how often it has been compiled
  std::vector<std::pair<int, uint64_t>> shapes_;  // by field parameter: of the records that it was compiled for
  // What is_current() compares.
  bool opens_cursor_ = false;
  bool bound_ = false;  // every field that it reads is in `fields_`
  std::vector<BoundField> fields_;
  uint64_t catalog_version_ = 0, plan_generation_ = 0;
  size_t parameter_count_ = 0;
  std::vector<int> inputs_;  // the parameters that its plan reads, each once
  // What a run is given; taken while one runs, as a recursive function runs it within itself.
  struct Given {
    std::vector<Datum> parameters;
    std::vector<OwnedDatum> strings;  // of `parameters`
  };
  Given given_;
  OwnedDatum kept_;
};

// The versions of catalog and settings, when something may have changed them since the frame learned them.
void learn_state(SessionParts& session, Frame& frame);
// Fields and rows that an expression of the function reads become parameters; `used`: FragmentScope::used_fields.
Status bind_fields(PlpgsqlFunction& function, std::span<const int> used, Frame& frame);
// Where those stand while the records have the shapes that they have now; nothing where one is a row, or is not there.
std::optional<std::vector<CompiledFragment::BoundField>> bound_fields(const PlpgsqlFunction& function,
                                                                      std::span<const int> used, const Frame& frame);
// Whether its calls may look at tables.
bool looks_at_tables(const sql::Expr& e);

// What FOR and OPEN say of a statement that gives no rows, and of a text that they cannot take.
Error not_a_cursor(const PgQuery__Node& node);
Status check_cursor_statement(const PgQuery__Node& node);
Status check_cursor_text(const std::vector<std::shared_ptr<const ParsedStatement>>& statements);
// The line of context of an error in a fragment.
std::string fragment_line(const sql::plpgsql::Fragment& fragment);
// Adds the place in the program's text to an error of a fragment.
Error fragment_error(Error error, const sql::plpgsql::Fragment& fragment, bool statement);

}  // namespace indigo::engine::programs
