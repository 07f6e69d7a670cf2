#include "engine/programs/plpgsql/part.h"

#include "base/sqlstate.h"
#include "catalog/descriptor/session_catalog.h"
#include "engine/programs/active_view.h"
#include "engine/programs/plpgsql/function.h"
#include "engine/session/required_privileges.h"
#include "engine/session/session_parts.h"
#include "engine/session/statement_scope.h"
#include "sql/analyze/part_assignment.h"
#include "sql/plan/rewrite/fold.h"
#include "types/oids.h"
#include "types/value/array_format.h"

namespace indigo::engine::programs {

namespace {

bool has_subquery(const sql::Expr& e) {
  bool found = e.kind == sql::ExprKind::kSubLink;
  sql::for_each_child(e, [&](const sql::ExprPtr& c) { found = found || (c != nullptr && has_subquery(*c)); });
  return found;
}

}  // namespace

bool CompiledPart::fits(const Frame& frame) const {
  for (const auto& [field, shape] : shapes_) {
    if (shape_now(function_, field, frame) != shape) return false;
  }
  return whole_ != nullptr;
}

bool CompiledPart::is_current(SessionParts& session, const Frame& frame) const {
  return fits(frame) && catalog_version_ == session.session_catalog().version() && user_ == session.user() &&
         (subscripts_.empty() || value_index_ == function_.parameter_count());
}

CompiledFragment::Purity CompiledPart::purity(SessionParts& session, Frame& frame) const {
  using Purity = CompiledFragment::Purity;
  if (whole_ == nullptr && !computed_first_) return Purity::kUnknown;
  if (computed_first_ || !subscripts_.empty() || calls_ || sql::contains_volatile(*whole_)) return Purity::kImpure;
  return is_current(session, frame) ? Purity::kPure : Purity::kUnknown;
}

const sql::SubscriptExpr* CompiledPart::element_of(SessionParts& session, int variable) const {
  const auto* store = sql::try_as<sql::SubscriptExpr>(whole_);
  if (store == nullptr || store->assign == nullptr || store->indexes.size() > kMaxArrayDimensions) return nullptr;
  const auto* array = sql::try_as<sql::ParamExpr>(store->container);
  const auto type = session.session_catalog().type(store->container->type.oid);
  if (array == nullptr || array->index != variable || type == nullptr || !type->is_array()) return nullptr;
  const auto computes = [&](const sql::ExprPtr& e) {
    return !exec::ScalarExpression(session.context(), e).needs_context();
  };
  for (const auto& index : store->indexes) {
    if (index.slice || index.upper == nullptr || !computes(index.upper)) return nullptr;
  }
  return computes(store->assign) ? store : nullptr;
}

std::optional<std::vector<CompiledFragment::BoundField>> CompiledPart::fields(const Frame& frame) const {
  return bound_fields(function_, scope_->used_fields(), frame);
}

Status CompiledPart::compile(SessionParts& session, Frame& frame, const sql::plpgsql::Fragment& value,
                             const TypeRef& type) {
  scope_->enter(&frame);
  expression_ = nullptr;
  // Fields that are named for the first time get places among the parameters, before the value's.
  for (size_t before = 0; before != function_.parameter_count();) {
    before = function_.parameter_count();
    scope_->forget_used();
    auto whole =
        sql::analyze_part_assignment(session.context(), place_.text, value.text, *scope_, type, subscript_types_);
    if (!whole.ok()) return fragment_error(std::move(*whole.take_error()), place_, true);
    whole_ = std::move(*whole);
  }
  if (whole_ != nullptr && subscripts_.empty() && has_subquery(*whole_)) {
    INDIGO_TRY(separate_subscripts(value));
    whole_ = nullptr;
    return {};
  }
  if (whole_ != nullptr) {
    INDIGO_TRY(check_functions(session.session_catalog(), {whole_}));
    const sql::ExprPtr folded = sql::planning::fold(session.context(), whole_, sql::planning::FoldRoutines::kLeave);
    if (Status status = sql::planning::folding_failure(session.context(), folded); !status.ok()) {
      whole_ = nullptr;
      return fragment_error(std::move(*status.take_error()), value, true);
    }
  }
  user_ = session.user();
  calls_ = whole_ != nullptr && looks_at_tables(*whole_);
  value_type_ = type;
  value_index_ = function_.parameter_count();
  catalog_version_ = session.session_catalog().version();
  shapes_.clear();
  for (const int index : scope_->used_fields()) {
    shapes_.emplace_back(index, shape_now(function_, index, frame));
  }
  return {};
}

Status CompiledPart::separate_subscripts(const sql::plpgsql::Fragment& value) {
  INDIGO_ASSIGN(std::vector<std::string> texts, sql::subscript_texts(place_.text));
  for (std::string& text : texts) {
    auto subscript = std::make_unique<Subscript>();
    subscript->text.text = std::move(text);
    subscript->text.names = place_.names;
    subscript->text.line = place_.line;
    subscript->text.around = value.assigned + value.text;
    subscript->compiled = std::make_unique<CompiledFragment>(function_, subscript->text);
    subscripts_.push_back(std::move(subscript));
  }
  return {};
}

Status CompiledPart::compute_subscripts(SessionParts& session, Frame& frame) {
  std::vector<TypeRef> types;
  for (const auto& subscript : subscripts_) {
    INDIGO_ASSIGN(const auto answer, subscript->compiled->evaluate(session, frame));
    subscript->value = OwnedDatum(answer.value);
    subscript->type = answer.type.oid == oid::kUnknown ? TypeRef{oid::kText, -1, oid::kDefaultCollation} : answer.type;
    types.push_back(subscript->type);
  }
  if (types == subscript_types_) return {};
  subscript_types_ = std::move(types);
  whole_ = nullptr;
  return {};
}

Status CompiledPart::compile_with_subscripts(SessionParts& session, Frame& frame, const sql::plpgsql::Fragment& value,
                                             const TypeRef& type) {
  const bool together = subscripts_.empty();
  INDIGO_TRY(compile(session, frame, value, type));
  if (!together || subscripts_.empty()) return {};
  INDIGO_TRY(compute_subscripts(session, frame));
  return compile(session, frame, value, type);
}

Result<CompiledFragment::Answer> CompiledPart::evaluate(SessionParts& session, Frame& frame,
                                                        const sql::plpgsql::Fragment& value) {
  INDIGO_TRY(compute_subscripts(session, frame));
  if (!is_current(session, frame)) {
    computed_first_ = false;
    INDIGO_TRY(compile_with_subscripts(session, frame, value, TypeRef{}));
    computed_first_ = whole_ == nullptr;
  }
  OwnedDatum given;
  if (computed_first_) {
    INDIGO_ASSIGN(const auto answer, function_.fragment(value).evaluate(session, frame));
    given = OwnedDatum(answer.value);
    const TypeRef type =
        answer.type.oid == oid::kUnknown ? TypeRef{oid::kText, -1, oid::kDefaultCollation} : answer.type;
    if (whole_ == nullptr || type.oid != value_type_.oid || value_index_ != function_.parameter_count()) {
      INDIGO_TRY(compile_with_subscripts(session, frame, value, type));
    }
  }
  frame.parameters.resize(function_.parameter_count());
  INDIGO_TRY(bind_fields(function_, scope_->used_fields(), frame));
  std::vector<Datum> parameters = frame.parameters;
  if (computed_first_) parameters.push_back(given.get());
  for (const auto& subscript : subscripts_) parameters.push_back(subscript->value.get());
  // Compiled again while an outer call is evaluating it.
  auto expression = std::move(expression_);
  if (expression == nullptr) expression = std::make_unique<exec::StandaloneExpression>(whole_);
  const TypeRef type = whole_->type;
  const storage::ReadView view = session.scope().nested_view(calls_ && function_.may_change());
  ActiveView active(session.scope().active_view(), view);
  auto answer = expression->evaluate(session.scope().execution_context(view, parameters));
  if (!answer.ok()) return answer.take_error();
  kept_ = OwnedDatum(*answer);
  expression_ = std::move(expression);
  return CompiledFragment::Answer{kept_.get(), type};
}

}  // namespace indigo::engine::programs
