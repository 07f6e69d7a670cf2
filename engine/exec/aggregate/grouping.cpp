#include "engine/exec/aggregate/grouping.h"

namespace indigo::engine::exec {

Result<std::vector<AggregateCall>> Grouping::make_calls(Builder& b, const sql::AggregatePlan& p) {
  std::vector<AggregateCall> calls;
  for (const auto& a : p.aggregates) {
    INDIGO_ASSIGN(AggregateCall call, AggregateCall::make(b, *a));
    for (uint32_t i = 0; i < calls.size() && !call.shared(); i++)
      if (!calls[i].shared() && call.could_share(*a, calls[i], *p.aggregates[i])) call.share(i);
    calls.push_back(std::move(call));
  }
  return calls;
}

Result<Grouping> Grouping::make(Builder& b, const sql::AggregatePlan& p) {
  Grouping g;
  std::vector<types::TypeRef> types;
  for (const sql::ExprPtr& column : p.groups) {
    types.push_back(column->type);
    g.phys.push_back(b.phys_of(column->type));
  }
  INDIGO_ASSIGN(g.columns, b.compile_all(p.groups));
  INDIGO_ASSIGN(g.ops, KeyOps::make(b, types));
  INDIGO_ASSIGN(g.calls, make_calls(b, p));
  return g;
}

}  // namespace indigo::engine::exec
