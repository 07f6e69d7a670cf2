#include "sql/analyze/parameter_values.h"

#include "sql/analyze/make.h"
#include "sql/query_walk.h"

namespace indigo::sql {
namespace {

ExprPtr with_values(const ExprPtr& e, std::span<const Datum> values) {
  if (const auto* p = try_as<ParamExpr>(e)) {
    const auto index = static_cast<size_t>(p->index);
    return index < values.size() ? make_const(p->type, values[index], p->location) : e;
  }
  if (const auto* link = try_as<SubLinkExpr>(e)) {
    auto copy = std::make_shared<SubLinkExpr>(*link);
    if (copy->test) copy->test = with_values(copy->test, values);
    copy->query = with_parameter_values(copy->query, values);
    return copy;
  }
  return map_children(e, [&](const ExprPtr& child) { return with_values(child, values); });
}

}  // namespace

std::shared_ptr<const Query> with_parameter_values(const std::shared_ptr<const Query>& query,
                                                   std::span<const Datum> values) {
  return map_expressions(
      query, [&](const ExprPtr& e, int) { return with_values(e, values); }, nullptr);
}

}  // namespace indigo::sql
