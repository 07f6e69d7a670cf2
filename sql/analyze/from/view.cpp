// Views: the stored definition, analyzed where the view is used.
#include "sql/analyze/from/from.h"
#include "sql/analyze/select/select.h"
#include "sql/parse/parser.h"

namespace indigo::sql {

Result<std::shared_ptr<const Query>> expand_view(Scope& scope, const RelationInfo& view) {
  constexpr int kMaxDepth = 100;
  if (scope.a.nesting >= kMaxDepth) {
    return scope.error(sqlstate::kInvalidObjectDefinition,
                       "infinite recursion detected in rules for relation \"" + view.name + "\"");
  }
  INDIGO_ASSIGN(const auto parsed, parse(view.view_definition));
  if (parsed->statements().size() != 1 || !is(parsed->statements()[0].node, PG_QUERY__NODE__NODE_SELECT_STMT)) {
    return scope.error(sqlstate::kInternalError, "definition of view \"" + view.name + "\" is not a query");
  }
  Analysis inner(scope.a, view.view_definition);
  Scope top(inner, nullptr);
  INDIGO_TRY(transform_select(top, *parsed->statements()[0].node->select_stmt));
  return std::shared_ptr<const Query>(std::move(top.query));
}

}  // namespace indigo::sql
