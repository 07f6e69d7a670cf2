#include "engine/programs/plpgsql/part.h"

#include "base/sqlstate.h"
#include "catalog/descriptor/session_catalog.h"
#include "engine/programs/active_view.h"
#include "engine/programs/plpgsql/function.h"
#include "engine/session/required_privileges.h"
#include "engine/session/session_parts.h"
#include "engine/session/statement_scope.h"
#include "sql/analyze/part_assignment.h"
#include "types/oids.h"

namespace indigo::engine::programs {

namespace {

bool has_subquery(const sql::Expr& e) {
  bool found = e.kind == sql::ExprKind::kSubLink;
  sql::for_each_child(e, [&](const sql::ExprPtr& c) { found = found || (c != nullptr && has_subquery(*c)); });
  return found;
}

}  // namespace

bool CompiledPart::fits(const Frame& frame) const {
  for (const auto& [variable, shape] : shapes_) {
    if (frame.values[static_cast<size_t>(variable)].record->shape != shape) return false;
  }
  return whole_ != nullptr;
}

Status CompiledPart::compile(SessionParts& session, Frame& frame, const sql::plpgsql::Fragment& value,
                             const TypeRef& type) {
  scope_->enter(&frame);
  expression_ = nullptr;
  // Fields that are named for the first time get places among the parameters, before the value's.
  for (size_t before = 0; before != function_.parameter_count();) {
    before = function_.parameter_count();
    scope_->forget_used();
    auto whole = sql::analyze_part_assignment(session.context(), place_.text, value.text, *scope_, type);
    if (!whole.ok()) return fragment_error(std::move(*whole.take_error()), place_, true);
    whole_ = std::move(*whole);
  }
  if (whole_ != nullptr && has_subquery(*whole_)) {
    return Error(sqlstate::kFeatureNotSupported, "a subquery in a subscript that is assigned to is not supported");
  }
  if (whole_ != nullptr) INDIGO_TRY(check_functions(session.session_catalog(), {whole_}));
  user_ = session.user();
  calls_ = whole_ != nullptr && looks_at_tables(*whole_);
  value_type_ = type;
  value_index_ = function_.parameter_count();
  catalog_version_ = session.session_catalog().version();
  shapes_.clear();
  for (const int index : scope_->used_fields()) {
    const int variable = function_.field_of(index).variable;
    shapes_.emplace_back(variable, frame.values[static_cast<size_t>(variable)].record->shape);
  }
  return {};
}

Result<CompiledFragment::Answer> CompiledPart::evaluate(SessionParts& session, Frame& frame,
                                                        const sql::plpgsql::Fragment& value) {
  const bool current =
      fits(frame) && catalog_version_ == session.session_catalog().version() && user_ == session.user();
  if (!current) {
    computed_first_ = false;
    INDIGO_TRY(compile(session, frame, value, TypeRef{}));
    computed_first_ = whole_ == nullptr;
  }
  OwnedDatum given;
  if (computed_first_) {
    INDIGO_ASSIGN(const auto answer, function_.fragment(value).evaluate(session, frame));
    given = OwnedDatum(answer.value);
    const TypeRef type =
        answer.type.oid == oid::kUnknown ? TypeRef{oid::kText, -1, oid::kDefaultCollation} : answer.type;
    if (whole_ == nullptr || type.oid != value_type_.oid || value_index_ != function_.parameter_count()) {
      INDIGO_TRY(compile(session, frame, value, type));
    }
  }
  frame.parameters.resize(function_.parameter_count());
  INDIGO_TRY(bind_fields(function_, scope_->used_fields(), frame));
  std::vector<Datum> parameters = frame.parameters;
  if (computed_first_) parameters.push_back(given.get());
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
