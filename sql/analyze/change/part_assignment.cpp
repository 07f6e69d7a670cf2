#include "sql/analyze/part_assignment.h"

#include <deque>
#include <string>
#include <vector>

#include "sql/analyze/change/assign_part.h"
#include "sql/analyze/expression/expressions.h"
#include "sql/parse/deparse_tree.h"
#include "sql/parse/node.h"
#include "sql/parse/parser.h"
#include "sql/query_walk.h"
#include "types/oids.h"

namespace indigo::sql {

namespace {

// The expression of `SELECT text`, whose tree `parsed` keeps.
const PgQuery__Node* only_target(const ParsedText& parsed) {
  if (parsed.statements().size() != 1 || !is(parsed.statements()[0].node, PG_QUERY__NODE__NODE_SELECT_STMT)) {
    return nullptr;
  }
  const PgQuery__SelectStmt& s = *parsed.statements()[0].node->select_stmt;
  const bool plain = s.n_target_list == 1 && s.n_from_clause == 0 && absent(s.where_clause) && s.n_group_clause == 0 &&
                     absent(s.having_clause) && s.n_sort_clause == 0 && absent(s.limit_count) &&
                     absent(s.limit_offset) && s.with_clause == nullptr && s.larg == nullptr &&
                     s.n_distinct_clause == 0;
  return plain ? s.target_list[0]->res_target->val : nullptr;
}

// Parts of a plan: what a parameter list alone cannot compute.
bool needs_plan(const ExprPtr& e) {
  bool found = false;
  visit_expressions(e, [&](const Expr& x, int) {
    switch (x.kind) {
      case ExprKind::kSubLink:
      case ExprKind::kSubPlan:
      case ExprKind::kAggregate:
      case ExprKind::kWindowCall: found = true; break;
      case ExprKind::kCall: found = found || as<CallExpr>(x).returns_set; break;
      default: break;
    }
    return !found;
  });
  return found;
}

// The variables, and behind them what has been computed: $kFirst, $kFirst + 1 ...
class WithComputed final : public VariableScope {
 public:
  static constexpr int kFirst = 1 << 20;
  WithComputed(const VariableScope& variables, size_t behind, std::span<const TypeRef> types)
      : variables_(variables), behind_(behind), types_(types) {}
  Conflict conflict() const override { return variables_.conflict(); }
  Result<Found> find(std::span<const std::string_view> name, int location) const override {
    return variables_.find(name, location);
  }
  Result<bool> fields(std::span<const std::string_view> name, int location, Fields& out) const override {
    return variables_.fields(name, location, out);
  }
  Result<ExprPtr> parameter(int number, int location) const override {
    if (number < kFirst) return variables_.parameter(number, location);
    const auto at = static_cast<size_t>(number - kFirst);
    auto given = std::make_shared<ParamExpr>();
    given->index = static_cast<int>(behind_ + at);
    given->type = types_[at];
    return ExprPtr(given);
  }
  std::vector<TypeRef> types() const override { return variables_.types(); }

 private:
  const VariableScope& variables_;
  const size_t behind_;
  const std::span<const TypeRef> types_;
};

// The brackets of a place with parameters for what stood in them.
class ComputedSubscripts {
 public:
  PgQuery__Node* replaced(const PgQuery__Node& step) {
    const PgQuery__AIndices& old = *step.a_indices;
    PgQuery__AIndices& indices = indices_.emplace_back(old);
    if (!absent(old.lidx)) indices.lidx = next();
    if (!absent(old.uidx)) indices.uidx = next();
    PgQuery__Node& node = nodes_.emplace_back(step);
    node.a_indices = &indices;
    return &node;
  }

 private:
  PgQuery__Node* next() {
    PgQuery__ParamRef ref = PG_QUERY__PARAM_REF__INIT;
    ref.number = WithComputed::kFirst + count_++;
    ref.location = -1;
    PgQuery__Node node = PG_QUERY__NODE__INIT;
    node.node_case = PG_QUERY__NODE__NODE_PARAM_REF;
    node.param_ref = &refs_.emplace_back(ref);
    return &nodes_.emplace_back(node);
  }

  std::deque<PgQuery__AIndices> indices_;
  std::deque<PgQuery__ParamRef> refs_;
  std::deque<PgQuery__Node> nodes_;
  int count_ = 0;
};

}  // namespace

Result<std::vector<std::string>> subscript_texts(std::string_view place) {
  const std::string text = "SELECT " + std::string(place);
  INDIGO_ASSIGN(const auto parsed, parse(text));
  std::vector<std::string> out;
  const PgQuery__Node* target = only_target(*parsed);
  if (!is(target, PG_QUERY__NODE__NODE_A_INDIRECTION)) return out;
  const auto add = [&](PgQuery__Node* subscript) -> Status {
    if (absent(subscript)) return {};
    PgQuery__ResTarget result = PG_QUERY__RES_TARGET__INIT;
    result.name = const_cast<char*>("");
    result.val = subscript;
    PgQuery__Node column = PG_QUERY__NODE__INIT;
    column.node_case = PG_QUERY__NODE__NODE_RES_TARGET;
    column.res_target = &result;
    PgQuery__Node* columns[] = {&column};
    PgQuery__SelectStmt select = *parsed->statements()[0].node->select_stmt;
    select.n_target_list = 1;
    select.target_list = columns;
    PgQuery__Node statement = PG_QUERY__NODE__INIT;
    statement.node_case = PG_QUERY__NODE__NODE_SELECT_STMT;
    statement.select_stmt = &select;
    INDIGO_ASSIGN(std::string printed, deparse_tree(&statement));
    constexpr std::string_view kSelect = "SELECT ";
    if (printed.starts_with(kSelect)) printed.erase(0, kSelect.size());
    out.push_back(std::move(printed));
    return {};
  };
  const PgQuery__AIndirection& steps = *target->a_indirection;
  for (const PgQuery__Node* step : nodes(steps.n_indirection, steps.indirection)) {
    if (!is(step, PG_QUERY__NODE__NODE_A_INDICES)) continue;
    INDIGO_TRY(add(step->a_indices->lidx));
    INDIGO_TRY(add(step->a_indices->uidx));
  }
  return out;
}

Result<ExprPtr> analyze_part_assignment(catalog::SessionContext& session, std::string_view place,
                                        std::string_view value, const VariableScope& variables,
                                        const TypeRef& value_type, std::span<const TypeRef> subscripts) {
  const std::string place_text = "SELECT " + std::string(place), value_text = "SELECT " + std::string(value);
  INDIGO_ASSIGN(const auto parsed_place, parse(place_text));
  const PgQuery__Node* target = only_target(*parsed_place);
  const PgQuery__Node* base = is(target, PG_QUERY__NODE__NODE_A_INDIRECTION) ? target->a_indirection->arg : target;
  if (target == nullptr || !is(base, PG_QUERY__NODE__NODE_COLUMN_REF)) {
    return Error(sqlstate::kSyntaxError, "\"" + std::string(place) + "\" is not a known variable");
  }
  std::vector<std::string_view> name;
  const PgQuery__ColumnRef& ref = *base->column_ref;
  for (const PgQuery__Node* n : nodes(ref.n_fields, ref.fields)) name.push_back(string_of(n));
  INDIGO_ASSIGN(const VariableScope::Found found, variables.find(name, -1));
  if (!found.value) {
    return Error(sqlstate::kSyntaxError, "\"" + std::string(place) + "\" is not a known variable");
  }
  std::vector<PgQuery__Node*> steps(ref.fields + found.parts, ref.fields + ref.n_fields);
  if (target != base) {
    const PgQuery__AIndirection& more = *target->a_indirection;
    steps.insert(steps.end(), more.indirection, more.indirection + more.n_indirection);
  }
  Analysis a(session, place_text);
  std::vector<TypeRef> types = variables.types();
  const WithComputed with_computed(variables, types.size() + (value_type.oid != kInvalidOid ? 1 : 0), subscripts);
  a.variables = &with_computed;
  ComputedSubscripts computed;
  if (!subscripts.empty()) {
    for (PgQuery__Node*& step : steps) {
      if (is(step, PG_QUERY__NODE__NODE_A_INDICES)) step = computed.replaced(*step);
    }
  }
  ExprPtr source;
  if (value_type.oid != kInvalidOid) {
    auto given = std::make_shared<ParamExpr>();
    given->index = static_cast<int>(types.size());
    given->type = value_type;
    types.push_back(value_type);
    types.insert(types.end(), subscripts.begin(), subscripts.end());
    a.declare_known(types);
    source = std::move(given);
  } else {
    types.insert(types.end(), subscripts.begin(), subscripts.end());
    a.declare_known(types);
    INDIGO_ASSIGN(const auto parsed_value, parse(value_text));
    const PgQuery__Node* node = only_target(*parsed_value);
    if (node == nullptr) return ExprPtr();
    Analysis of_value(session, value_text);
    of_value.variables = &variables;
    of_value.declare_known(types);
    Scope scope(of_value, nullptr);
    INDIGO_ASSIGN(source, transform(scope, node));
    if (needs_plan(source)) return ExprPtr();
  }
  Scope scope(a, nullptr);
  const NodeList indirection(steps.data(), steps.size());
  if (indirection.empty()) return Error(sqlstate::kSyntaxError, "\"" + std::string(place) + "\" has no part");
  return assign_part(scope, std::string(name.back()), found.value->type, found.value, source, indirection, -1, true);
}

}  // namespace indigo::sql
