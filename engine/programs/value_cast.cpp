#include "engine/programs/value_cast.h"

#include "catalog/descriptor/session_catalog.h"
#include "engine/session/required_privileges.h"
#include "engine/session/session_parts.h"
#include "engine/session/statement_scope.h"
#include "sql/analyze/analyzer.h"

namespace indigo::engine::programs {

Result<sql::ExprPtr> ValueCast::conversion(SessionParts& session, const types::TypeRef& from, const types::TypeRef& to,
                                           bool through_text) {
  if (from.oid == to.oid && (to.typmod == -1 || to.typmod == from.typmod)) {
    const auto type = session.session_catalog().type(to.oid);
    if (type == nullptr || type->kind != 'd') return sql::ExprPtr();
  }
  INDIGO_ASSIGN(sql::ExprPtr e, sql::analyze_assignment(session.context(), from, to, through_text));
  if (e != nullptr) INDIGO_TRY(check_functions(session.session_catalog(), {e}));
  return e;
}

Result<ValueCast> ValueCast::make(SessionParts& session, const types::TypeRef& from, const types::TypeRef& to,
                                  bool through_text) {
  ValueCast cast;
  INDIGO_ASSIGN(const sql::ExprPtr e, conversion(session, from, to, through_text));
  if (e != nullptr) cast.expression_ = std::make_unique<exec::ScalarExpression>(session.context(), e);
  return cast;
}

Result<Datum> ValueCast::apply(SessionParts& session, const Datum& value) {
  if (expression_ == nullptr) return value;
  Datum out;
  if (expression_->needs_context()) {
    const ExecutionContext context = session.scope().execution_context(session.scope().current_view(), {&value, 1});
    INDIGO_TRY(expression_->evaluate(&value, out, &context));
  } else {
    INDIGO_TRY(expression_->evaluate(&value, out));
  }
  return out;
}

}  // namespace indigo::engine::programs
