#include "engine/programs/plpgsql/fragment.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "base/sqlstate.h"
#include "base/utf8.h"
#include "catalog/descriptor/session_catalog.h"
#include "catalog/tables/system_columns.h"
#include "engine/programs/active_view.h"
#include "engine/programs/call_context.h"
#include "engine/programs/plpgsql/function.h"
#include "engine/programs/programs.h"
#include "engine/programs/value_cast.h"
#include "engine/session/portal/preparation.h"
#include "engine/session/required_privileges.h"
#include "engine/session/session_parts.h"
#include "engine/session/statement_scope.h"
#include "engine/statement/utility_statement.h"
#include "engine/utility/utility.h"
#include "sql/parse/node.h"
#include "sql/parse/text_position.h"
#include "types/io/record.h"
#include "types/oids.h"

namespace indigo::engine::programs {

using sql::plpgsql::Fragment;

// ---- names

namespace {

void note(std::vector<int>& numbers, int number) {
  if (std::find(numbers.begin(), numbers.end(), number) == numbers.end()) numbers.push_back(number);
}

}  // namespace

sql::VariableScope::Conflict FragmentScope::conflict() const {
  switch (function_.program().conflict) {
    case sql::plpgsql::NameConflict::kVariable: return Conflict::kVariable;
    case sql::plpgsql::NameConflict::kColumn: return Conflict::kColumn;
    default: return Conflict::kError;
  }
}

sql::ExprPtr FragmentScope::parameter_of(int index, const TypeRef& type, int location) const {
  auto p = std::make_shared<sql::ParamExpr>();
  p->index = index;
  p->type = type;
  p->location = location;
  return p;
}

Result<sql::ExprPtr> FragmentScope::field(int variable, std::string_view name, int location) const {
  const RecordValue& record = *frame_->values[static_cast<size_t>(variable)].record;
  const std::string& own = function_.program().variables[static_cast<size_t>(variable)].name;
  if (!record.assigned) {
    return Error(sqlstate::kObjectNotInPrerequisiteState, "record \"" + own + "\" is not assigned yet")
        .with_detail("The tuple structure of a not-yet-assigned record is indeterminate.");
  }
  const int at = record.find(name);
  const catalog::SystemColumn* system = at < 0 ? catalog::find_system_column(name) : nullptr;
  if (at < 0 && system == nullptr) return sql::ExprPtr();
  const int index = function_.field_parameter(variable, name);
  note(used_, index);
  return parameter_of(
      index, system != nullptr ? TypeRef{system->type, -1, kInvalidOid} : record.types[static_cast<size_t>(at)],
      location);
}

Result<sql::VariableScope::Found> FragmentScope::find(std::span<const std::string_view> name, int location) const {
  const auto found = sql::plpgsql::find_name(function_.program(), names_, name, [&](int v) {
    return function_.variable(v).row || function_.variable(v).of_composite_domain;
  });
  if (found.variable < 0) return Found{};
  const VariableType& type = function_.variable(found.variable);
  if (name.size() > found.parts && !type.of_composite_domain) {
    INDIGO_ASSIGN(sql::ExprPtr e, field(found.variable, name[found.parts], location));
    if (!e) {
      const std::string& own = function_.program().variables[static_cast<size_t>(found.variable)].name;
      return Error(sqlstate::kUndefinedColumn,
                   "record \"" + own + "\" has no field \"" + std::string(name[found.parts]) + "\"");
    }
    return Found{std::move(e), found.parts + 1};
  }
  if (!type.row) {
    note(read_, found.variable);
    return Found{parameter_of(found.variable, type.type, location), found.parts};
  }
  const int index = function_.field_parameter(found.variable, "");
  note(used_, index);
  const RecordValue& record = *frame_->values[static_cast<size_t>(found.variable)].record;
  const TypeRef of_row{record.type_of_row(type.type.oid), type.type.typmod, type.type.collation};
  return Found{parameter_of(index, of_row, location), found.parts};
}

Result<bool> FragmentScope::fields(std::span<const std::string_view> name, int location, Fields& out) const {
  const auto found =
      sql::plpgsql::find_name(function_.program(), names_, name, [&](int v) { return function_.variable(v).row; });
  if (found.variable < 0 || found.parts != name.size() || !function_.variable(found.variable).row) return false;
  const RecordValue& record = *frame_->values[static_cast<size_t>(found.variable)].record;
  for (size_t i = 0; i < record.names.size(); i++) {
    if (record.types[i].oid == kInvalidOid) continue;
    INDIGO_ASSIGN(sql::ExprPtr e, field(found.variable, record.names[i], location));
    out.emplace_back(record.names[i], std::move(e));
  }
  return true;
}

Result<sql::ExprPtr> FragmentScope::parameter(int number, int location) const {
  const std::string name = "$" + std::to_string(number);
  const std::string_view view = name;
  INDIGO_ASSIGN(Found found, find({&view, 1}, location));
  return std::move(found.value);
}

void FragmentScope::note_names(const PgQuery__Node& statement) const {
  sql::walk_tree(&statement.base, [&](const ProtobufCMessage* message) {
    // What is no name of a variable is a column, or an error where it is looked up in earnest.
    if (message->descriptor == &pg_query__param_ref__descriptor) {
      (void)parameter(reinterpret_cast<const PgQuery__ParamRef*>(message)->number, -1).ok();
    }
    if (message->descriptor != &pg_query__column_ref__descriptor) return true;
    const auto& ref = *reinterpret_cast<const PgQuery__ColumnRef*>(message);
    std::vector<std::string_view> name;
    for (const PgQuery__Node* part : sql::nodes(ref.n_fields, ref.fields)) {
      if (part->node_case == PG_QUERY__NODE__NODE_STRING) name.push_back(sql::string_of(part));
    }
    if (name.empty()) return true;
    if (name.size() == ref.n_fields) {
      (void)find(name, -1).ok();
    } else {
      Fields out;
      (void)fields(name, -1, out).ok();
    }
    return true;
  });
}

std::vector<TypeRef> FragmentScope::types() const {
  std::vector<TypeRef> out;
  for (int i = 0; i < function_.variable_count(); i++) out.push_back(function_.variable(i).type);
  out.resize(function_.parameter_count(), TypeRef{oid::kText, -1, kInvalidOid});
  return out;
}

// ---- fragments

namespace {

std::string statement_text(const Fragment& f) {
  return f.form == Fragment::Form::kExpression ? "SELECT " + f.text : f.text;
}

// The expression of a plan that computes nothing else; null when there is more to it.
sql::ExprPtr simple_expression(const Prepared& prepared) {
  if (prepared.plan == nullptr) return nullptr;
  const sql::PlannedStatement& plan = *prepared.plan;
  if (plan.root->kind != sql::PlanKind::kResult || !plan.subplans.empty() || !plan.ctes.empty()) return nullptr;
  const auto& root = static_cast<const sql::ResultPlan&>(*plan.root);
  if (!root.inputs.empty() || root.condition != nullptr || root.projection.size() != 1) return nullptr;
  return root.projection[0];
}

}  // namespace

bool looks_at_tables(const sql::Expr& e) {
  if (e.kind == sql::ExprKind::kCall) {
    const auto& call = sql::as<sql::CallExpr>(e);
    if (call.function >= oid::kFirstUserOid || call.volatility != types::Volatility::kImmutable) return true;
  }
  bool found = false;
  sql::for_each_child(e, [&](const sql::ExprPtr& c) { found = found || (c != nullptr && looks_at_tables(*c)); });
  return found;
}

Error not_a_cursor(const PgQuery__Node& node) {
  return Error(SqlState("42P11"), "cannot open " + statement_name(&node) + " query as cursor");
}

Status check_cursor_statement(const PgQuery__Node& node) {
  const UtilityStatement* utility = find_utility(&node);
  const bool gives_rows = utility == nullptr || utility->describe != nullptr;
  return gives_rows ? Status() : Status(not_a_cursor(node));
}

Status check_cursor_text(const std::vector<std::shared_ptr<const ParsedStatement>>& statements) {
  if (statements.size() != 1) return Error(SqlState("42P11"), "cannot open multi-query plan as cursor");
  return check_cursor_statement(*statements.front()->node);
}

std::string fragment_line(const Fragment& fragment) {
  if (!fragment.around.empty()) return "PL/pgSQL assignment \"" + fragment.around + "\"";
  const char* kind = !fragment.assigned.empty()                     ? "PL/pgSQL assignment \""
                     : fragment.form == Fragment::Form::kExpression ? "SQL expression \""
                                                                    : "SQL statement \"";
  return kind + fragment.assigned + fragment.text + "\"";
}

Error fragment_error(Error error, const Fragment& fragment, bool statement) {
  if (error.position > 0) {
    const int shift = fragment.form == Fragment::Form::kExpression ? 7 : 0;
    error.internal_query = fragment.assigned + fragment.text;
    error.internal_position = std::max(1, error.position - shift) + static_cast<int>(utf8_count(fragment.assigned));
    error.position = 0;
  } else if (statement && (error.internal_query.empty() || !error.where.empty())) {
    error.add_context(fragment_line(fragment));
  }
  return error;
}

uint64_t shape_now(PlpgsqlFunction& function, int field, const Frame& frame) {
  const PlpgsqlFunction::FieldParameter& of = function.field_of(field);
  const RecordValue& record = *frame.values[static_cast<size_t>(of.variable)].record;
  return of.field.empty() ? record.shape_of_row() : record.shape;
}

CompiledFragment::CompiledFragment(PlpgsqlFunction& function, const Fragment& fragment)
    : function_(function), fragment_(fragment), scope_(std::make_shared<FragmentScope>(function, fragment.names)) {}

void CompiledFragment::forget() {
  statement_ = nullptr;
  compiled_ = nullptr;
  bound_ = false;
}

int CompiledFragment::whole_row() const {
  const auto* parameter = simple_ == nullptr ? nullptr : sql::try_as<sql::ParamExpr>(simple_);
  if (parameter == nullptr || parameter->index < function_.variable_count()) return -1;
  const PlpgsqlFunction::FieldParameter& of = function_.field_of(parameter->index);
  return of.field.empty() ? of.variable : -1;
}

Status CompiledFragment::prepare(SessionParts& session, Frame& frame) {
  scope_->enter(&frame);
  for (const auto& [field, shape] : shapes_) {
    if (shape_now(function_, field, frame) == shape) continue;
    forget();
    break;
  }
  if (statement_ == nullptr) {
    const std::string text = statement_text(fragment_);
    auto parsed = parse_statements(text, scope_);
    if (!parsed.ok()) return fragment_error(std::move(*parsed.take_error()), fragment_, true);
    if (parsed->size() != 1) return Error(sqlstate::kSyntaxError, "one SQL statement expected in \"" + text + "\"");
    scope_->forget_used();
    statement_ = std::make_shared<NestedStatement>((*parsed)[0]);
    if (fragment_.form == Fragment::Form::kExpression) statement_->set_shown_text(fragment_.text);
  }
  if (Status status = statement_->prepare(session, opens_cursor_); !status.ok()) {
    forget();
    return fragment_error(std::move(*status.take_error()), fragment_, true);
  }
  if (compiled_ != &statement_->prepared()) {
    if (Status status = statement_->check_constants(session); !status.ok()) {
      forget();
      return fragment_error(std::move(*status.take_error()), fragment_, true);
    }
  }
  frame.parameters.resize(function_.parameter_count());
  if (compiled_ == &statement_->prepared()) {
    remember_state(session, frame);
    return {};
  }
  compiled_ = &statement_->prepared();
  inputs_ = scope_->read_variables();
  inputs_.insert(inputs_.end(), scope_->used_fields().begin(), scope_->used_fields().end());
  std::sort(inputs_.begin(), inputs_.end());
  inputs_.erase(std::unique(inputs_.begin(), inputs_.end()), inputs_.end());
  idle_.clear();
  compilation_++;
  converted_ = nullptr;
  quick_ = nullptr;
  last_ = nullptr;
  converted_known_ = false;
  simple_ = simple_expression(*compiled_);
  // Others are asked about when they run.
  if (simple_ != nullptr) INDIGO_TRY(check_functions(session.session_catalog(), compiled_->functions));
  calls_ = simple_ != nullptr && looks_at_tables(*simple_);
  if (simple_ != nullptr && !calls_) {
    quick_ = std::make_unique<exec::ScalarExpression>(session.context(), simple_);
    if (quick_->needs_context()) quick_ = nullptr;
  }
  shapes_.clear();
  for (const int index : scope_->used_fields()) {
    shapes_.emplace_back(index, shape_now(function_, index, frame));
  }
  remember_state(session, frame);
  return {};
}

void CompiledFragment::remember_state(SessionParts& session, const Frame& frame) {
  catalog_version_ = session.session_catalog().version();
  plan_generation_ = session.preparation().generation();
  parameter_count_ = function_.parameter_count();
  auto fields = bound_fields(function_, scope_->used_fields(), frame);
  bound_ = fields.has_value();
  fields_ = bound_ ? std::move(*fields) : std::vector<BoundField>();
}

std::optional<std::vector<CompiledFragment::BoundField>> bound_fields(const PlpgsqlFunction& function,
                                                                      std::span<const int> used, const Frame& frame) {
  std::vector<CompiledFragment::BoundField> out;
  for (const int index : used) {
    const auto& wanted = function.field_of(index);
    const RecordValue& record = *frame.values[static_cast<size_t>(wanted.variable)].record;
    const int at = wanted.field.empty() ? -1 : record.find(wanted.field);
    if (at < 0) return std::nullopt;
    out.push_back(
        {static_cast<size_t>(index), static_cast<size_t>(wanted.variable), static_cast<size_t>(at), record.shape});
  }
  return out;
}

void learn_state(SessionParts& session, Frame& frame) {
  if (frame.state_known) return;
  frame.catalog_version = session.session_catalog().version();
  frame.plan_generation = session.preparation().generation();
  frame.state_known = true;
}

bool CompiledFragment::is_current(SessionParts& session, Frame& frame) const {
  learn_state(session, frame);
  if (!bound_ || catalog_version_ != frame.catalog_version || plan_generation_ != frame.plan_generation ||
      frame.parameters.size() < parameter_count_) {
    return false;
  }
  for (const BoundField& field : fields_) {
    const RecordValue& record = *frame.values[field.variable].record;
    if (record.shape != field.shape || field.field >= record.values.size()) return false;
    frame.parameters[field.parameter] = record.values[field.field].get();
  }
  return true;
}

namespace {

// Whether a value of the one type needs nothing to be one of the other.
bool is_same_type(const TypeRef& from, const TypeRef& to) {
  return from.oid == to.oid && to.typmod == -1 && to.oid < oid::kFirstUserOid;
}

// The conversion, which is over parameter 0, with the value in its place.
sql::ExprPtr converted(const sql::ExprPtr& conversion, const sql::ExprPtr& value) {
  if (conversion->kind == sql::ExprKind::kParam) return value;
  return sql::map_children(
      conversion, [&](const sql::ExprPtr& child) { return child == nullptr ? child : converted(child, value); });
}

}  // namespace

Status CompiledFragment::find_conversion(SessionParts& session, const TypeRef& to) {
  if (converted_known_ && converted_type_ == to) return {};
  const TypeRef& from = simple_->type;
  const TypeRef source = from.oid == oid::kUnknown ? TypeRef{oid::kText, -1, oid::kDefaultCollation} : from;
  INDIGO_ASSIGN(const sql::ExprPtr conversion, ValueCast::conversion(session, source, to, true));
  converted_expression_ = conversion == nullptr ? simple_ : converted(conversion, simple_);
  converted_ = std::make_unique<exec::ScalarExpression>(session.context(), converted_expression_);
  if (converted_->needs_context() || looks_at_tables(*converted_expression_)) converted_ = nullptr;
  converted_type_ = to;
  converted_known_ = true;
  return {};
}

CompiledFragment::Purity CompiledFragment::purity(SessionParts& session, Frame& frame) const {
  if (statement_ == nullptr || compiled_ == nullptr) return Purity::kUnknown;
  if (quick_ == nullptr || !bound_) return Purity::kImpure;
  return is_current(session, frame) ? Purity::kPure : Purity::kUnknown;
}

Result<sql::ExprPtr> CompiledFragment::pure(SessionParts& session, Frame& frame, const TypeRef& to) {
  if (purity(session, frame) != Purity::kPure) return sql::ExprPtr();
  if (is_same_type(simple_->type, to)) return simple_;
  INDIGO_TRY(find_conversion(session, to));
  Datum value;
  // A constant that cannot be converted is an error to be told of each time (assignment_error).
  if (converted_ != nullptr && simple_->kind == sql::ExprKind::kConst &&
      !converted_->evaluate(frame.parameters.data(), value).ok())
    return sql::ExprPtr();
  return converted_ == nullptr ? sql::ExprPtr() : converted_expression_;
}

namespace {

// Whether PostgreSQL computes the conversion of a constant while it plans.
bool is_planned(catalog::CatalogView& catalog, const sql::Expr& e) {
  bool immutable = true;
  const auto add = [&](Oid function) {
    const auto info = catalog.function(function);
    immutable = immutable && info != nullptr && info->volatility == types::Volatility::kImmutable;
  };
  if (e.kind == sql::ExprKind::kCall) add(sql::as<sql::CallExpr>(e).function);
  if (e.kind == sql::ExprKind::kIoCast) {
    const auto from = catalog.type(sql::as<sql::IoCastExpr>(e).argument->type.oid), to = catalog.type(e.type.oid);
    if (from != nullptr) add(from->output);
    if (to != nullptr) add(to->input);
  }
  sql::for_each_child(e, [&](const sql::ExprPtr& c) { immutable = immutable && (!c || is_planned(catalog, *c)); });
  return immutable;
}

}  // namespace

Error CompiledFragment::assignment_error(SessionParts& session, Error error, const TypeRef* to) const {
  if (simple_ == nullptr || simple_->kind != sql::ExprKind::kConst || fragment_.assigned.empty()) return error;
  if (!error.constraint.empty() || error.position > 0) return error;
  const PgQuery__Node* node = statement_->node();
  const bool selects = sql::is(node, PG_QUERY__NODE__NODE_SELECT_STMT) && node->select_stmt->n_target_list == 1;
  const PgQuery__Node* value = selects ? node->select_stmt->target_list[0]->res_target->val : nullptr;
  if (sql::is(value, PG_QUERY__NODE__NODE_A_CONST) && value->a_const->val_case == PG_QUERY__A__CONST__VAL_SVAL) {
    error.position = sql::character_position(statement_text(fragment_), value->a_const->location);
    return fragment_error(std::move(error), fragment_, false);
  }
  if (to == nullptr) return error;
  auto conversion = ValueCast::conversion(session, simple_->type, *to, true);
  if (conversion.ok() && *conversion != nullptr && is_planned(session.session_catalog(), **conversion))
    error.add_context(fragment_line(fragment_));
  return error;
}

Status CompiledFragment::convert_as(SessionParts& session, Frame& frame, const TypeRef& to, Datum& out) {
  const TypeRef& from = simple_->type;
  last_ = nullptr;
  if (is_same_type(from, to)) {
    last_ = quick_.get();
    last_type_ = to;
    return last_->evaluate(frame.parameters.data(), out);
  }
  INDIGO_TRY(find_conversion(session, to));
  if (converted_ != nullptr) {
    last_ = converted_.get();
    last_type_ = to;
    return last_->evaluate(frame.parameters.data(), out);
  }
  frame.state_known = false;  // a cast's function may do anything
  Datum value;
  INDIGO_TRY(quick_->evaluate(frame.parameters.data(), value));
  INDIGO_ASSIGN(out, function_.cast(session, value, from, to));
  return {};
}

Status bind_fields(PlpgsqlFunction& function, std::span<const int> used, Frame& frame) {
  // An analysis since the frame was made may have found fields that nobody had named before.
  if (frame.parameters.size() < function.parameter_count()) frame.parameters.resize(function.parameter_count());
  for (const int index : used) {
    const auto& wanted = function.field_of(index);
    Value& value = frame.values[static_cast<size_t>(wanted.variable)];
    const RecordValue& record = *value.record;
    Datum& place = frame.parameters[static_cast<size_t>(index)];
    if (!wanted.field.empty()) {
      const int at = record.find(wanted.field);
      const catalog::SystemColumn* system = at < 0 ? catalog::find_system_column(wanted.field) : nullptr;
      if (system != nullptr) {
        place = record.system_value(system->number);
        continue;
      }
      if (at < 0) return Error(sqlstate::kInternalError, "field \"" + wanted.field + "\" is gone");
      place = record.values[static_cast<size_t>(at)].get();
      continue;
    }
    if (!record.assigned || record.null) {
      place = Datum::make_null(Phys::kStr);
      continue;
    }
    std::vector<Datum> fields;
    for (const OwnedDatum& f : record.values) fields.push_back(f.get());
    const Oid type = record.type_of_row(function.variable(wanted.variable).type.oid);
    value.image = types::make_record(type, record.types, fields,
                                     type == oid::kRecord ? record.names : std::vector<std::string>());
    place = Datum::of(Str(value.image));
  }
  return {};
}

Result<CompiledFragment::Answer> CompiledFragment::evaluate(SessionParts& session, Frame& frame) {
  frame.state_known = false;
  if (simple_ == nullptr || !is_current(session, frame)) {
    INDIGO_TRY(prepare(session, frame));
    INDIGO_TRY(bind_fields(function_, scope_->used_fields(), frame));
    if (simple_ == nullptr) return evaluate_plan(session, frame);
  }
  const TypeRef type = simple_->type;
  if (quick_ != nullptr) {
    Answer answer{{}, type};
    INDIGO_TRY(quick_->evaluate(frame.parameters.data(), answer.value));
    return answer;
  }
  frame.state_known = false;
  const uint64_t compilation = compilation_;
  std::unique_ptr<exec::ScalarExpression> expression;
  if (idle_.empty()) {
    expression = std::make_unique<exec::ScalarExpression>(session.context(), simple_);
  } else {
    expression = std::move(idle_.back());
    idle_.pop_back();
  }
  const storage::ReadView view = session.scope().nested_view(calls_ && function_.may_change());
  ActiveView active(session.scope().active_view(), view);
  const ExecutionContext context = session.scope().execution_context(view, frame.parameters);
  Datum value;
  INDIGO_TRY(expression->evaluate(frame.parameters.data(), value, &context));
  if (compilation == compilation_) {
    idle_.push_back(std::move(expression));
  } else if (value.phys == Phys::kStr && !value.null) {  // it goes, and its strings with it
    kept_ = OwnedDatum(value);
    value = kept_.get();
  }
  return Answer{value, type};
}

Result<CompiledFragment::Answer> CompiledFragment::evaluate_plan(SessionParts& session, Frame& frame) {
  if (statement_->is_utility() || !statement_->returns_rows())
    return Error(sqlstate::kSyntaxError, "query \"" + fragment_.text + "\" did not return data");
  const auto& plan = *statement_->prepared().plan;
  if (plan.targets.size() != 1) {
    return Error(sqlstate::kSyntaxError,
                 "query \"" + fragment_.text + "\" returned " + std::to_string(plan.targets.size()) + " columns");
  }
  const TypeRef type = plan.root->columns[0].type;
  uint64_t rows = 0;
  const auto info = session.session_catalog().type(type.oid);
  OwnedDatum answer(Datum::make_null(info != nullptr ? info->phys : Phys::kStr));
  const CallContext context(session.routines().innermost_context(), [this] { return fragment_line(fragment_); });
  auto outcome =
      statement_->run(session, frame.parameters, function_.may_change(), 2, [&](const Chunk& chunk) -> Result<bool> {
        if (rows == 0 && chunk.rows() > 0) answer = OwnedDatum(chunk.columns[0].datum(chunk.selection[0]));
        rows += chunk.rows();
        return rows < 2;
      });
  if (!outcome.ok()) return fragment_error(std::move(*outcome.take_error()), fragment_, true);
  if (rows > 1) {
    Error error(sqlstate::kCardinalityViolation, "query returned more than one row");
    error.add_context("query: " + fragment_.text);
    return error;
  }
  kept_ = std::move(answer);
  return Answer{kept_.get(), type};
}

Result<std::vector<Datum>> CompiledFragment::values(Frame& frame, const std::function<Datum(Datum)>& keep) const {
  INDIGO_TRY(bind_fields(function_, scope_->used_fields(), frame));
  std::vector<Datum> out(frame.parameters.size());
  const auto add = [&](int index) {
    out[static_cast<size_t>(index)] = keep(frame.parameters[static_cast<size_t>(index)]);
  };
  for (int v = 0; v < function_.variable_count(); v++) add(v);
  for (const int field : scope_->used_fields()) add(field);
  return out;
}

Status CompiledFragment::make_ready(SessionParts& session, Frame& frame) {
  if (statement_ != nullptr && !statement_->is_utility() && is_current(session, frame)) return {};
  INDIGO_TRY(prepare(session, frame));
  return bind_fields(function_, scope_->used_fields(), frame);
}

Result<NestedStatement::Outcome> CompiledFragment::run(SessionParts& session, Frame& frame, uint64_t most,
                                                       const NestedStatement::Rows& rows, RunAs as) {
  INDIGO_TRY(make_ready(session, frame));
  if (statement_->is_utility()) {
    scope_->note_names(*statement_->node());
    INDIGO_TRY(bind_fields(function_, scope_->used_fields(), frame));
  }
  // The rows may change variables, and a row's image goes with them: the statement keeps what it was given.
  // Fields that others have bound may be gone by now: only what it reads is looked at.
  constexpr size_t kBytesKept = 4096;
  size_t bytes = 0;
  Given given = std::move(given_);
  given.parameters.assign(frame.parameters.size(), Datum());
  const auto fill = [&](std::span<const int> inputs) {
    if (given.strings.size() < inputs.size()) given.strings.resize(inputs.size());
    for (size_t i = 0; i < inputs.size(); i++) {
      const auto index = static_cast<size_t>(inputs[i]);
      const Datum& value = frame.parameters[index];
      if (value.phys != Phys::kStr || value.null) {
        given.parameters[index] = value;
        continue;
      }
      given.strings[i] = OwnedDatum(value);
      bytes += value.str.size();
      given.parameters[index] = given.strings[i].get();
    }
  };
  if (statement_->is_utility()) {
    std::vector<int> all(static_cast<size_t>(function_.variable_count()));
    std::iota(all.begin(), all.end(), 0);
    all.insert(all.end(), scope_->used_fields().begin(), scope_->used_fields().end());
    fill(all);
  } else {
    fill(inputs_);
  }
  const auto statement = statement_;
  std::optional<CallContext> context;
  if (as == RunAs::kStatement)
    context.emplace(session.routines().innermost_context(), [this] { return fragment_line(fragment_); });
  frame.state_known = false;
  auto outcome = statement->run(session, given.parameters, function_.may_change(), most, rows);
  frame.state_known = false;
  if (bytes > kBytesKept) given.strings.clear();
  given_ = std::move(given);
  if (!outcome.ok()) return fragment_error(std::move(*outcome.take_error()), fragment_, as == RunAs::kStatement);
  return outcome;
}

}  // namespace indigo::engine::programs
