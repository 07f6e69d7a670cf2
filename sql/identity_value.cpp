#include "sql/identity_value.h"

namespace indigo::sql {
namespace {

constexpr Oid kNextval = 1574;

}  // namespace

bool is_identity_value(const CallExpr& call) {
  return call.function == kNextval && call.form == CallExpr::Form::kSqlSyntax;
}

ExprPtr as_identity_value(const ExprPtr& value) {
  const auto* call = try_as<CallExpr>(value);
  if (call == nullptr || call->function != kNextval) return map_children(value, as_identity_value);
  auto out = std::make_shared<CallExpr>(*call);
  out->form = CallExpr::Form::kSqlSyntax;
  return out;
}

}  // namespace indigo::sql
