// Views: the stored definition, analyzed where the view is used.
#include <algorithm>

#include "base/fiber/stack.h"
#include "catalog/descriptor/session_context.h"
#include "sql/analyze/from/from.h"
#include "sql/analyze/make.h"
#include "sql/analyze/select/select.h"
#include "sql/parse/node.h"
#include "sql/parse/parser.h"
#include "sql/query_walk.h"
#include "sql/stored/stored_tree.h"

namespace indigo::sql {

namespace {

// A view that is being expanded, while this object lives.
class Expanding {
 public:
  Expanding(Analysis& a, Oid view) : views_(a.expanding()) { views_.push_back(view); }
  ~Expanding() { views_.pop_back(); }
  Expanding(const Expanding&) = delete;
  Expanding& operator=(const Expanding&) = delete;

 private:
  std::vector<Oid>& views_;
};

// The views of the information schema have the base types of their columns' domains, which is what conditions are about. A
// domain's modifier is told to clients, so such a column is of its domain.
void declare_columns(const Scope& scope, const RelationInfo& view, Query& query) {
  if (query.set_operation != nullptr) return;
  size_t at = 0;
  for (TargetEntry& t : query.targets) {
    if (t.hidden || at == view.columns.size()) continue;
    const TypeRef& declared = view.columns[at++].type;
    const auto type = declared.oid == t.expr->type.oid ? nullptr : scope.catalog().type(declared.oid);
    if (type == nullptr || type->base_typmod < 0) continue;
    auto column = std::make_shared<RelabelExpr>();
    column->argument = t.expr;
    column->type = {declared.oid, declared.typmod, type->collation};
    column->implicit = true;
    t.expr = std::move(column);
  }
}

}  // namespace

Result<std::shared_ptr<const Query>> expand_view(Scope& scope, const RelationInfo& view) {
  constexpr size_t kExpansionsMax = 1 << 15;
  INDIGO_TRY(check_stack_depth());
  const std::vector<Oid>& outer = scope.a.expanding();
  if (std::find(outer.begin(), outer.end(), view.oid) != outer.end()) {
    return scope.error(sqlstate::kInvalidObjectDefinition,
                       "infinite recursion detected in rules for relation \"" + view.name + "\"");
  }
  INDIGO_ASSIGN(const size_t expansions, scope.a.count_expansion());
  if (expansions > kExpansionsMax)
    return scope.error(sqlstate::kStatementTooComplex, "the views of the statement stand for too many others");
  const Expanding expanding(scope.a, view.oid);
  if (is_stored_tree(view.view_definition)) {
    Analysis inner(scope.a, {});
    return load_query(inner, view.view_definition, LoadFor::kUse);
  }
  INDIGO_ASSIGN(const auto parsed, parse(view.view_definition));
  if (parsed->statements().size() != 1 || !is(parsed->statements()[0].node, PG_QUERY__NODE__NODE_SELECT_STMT)) {
    return scope.error(sqlstate::kInternalError, "definition of view \"" + view.name + "\" is not a query");
  }
  Analysis inner(scope.a, view.view_definition);
  Scope top(inner, nullptr);
  INDIGO_TRY(transform_select(top, *parsed->statements()[0].node->select_stmt));
  declare_columns(scope, view, *top.query);
  return std::shared_ptr<const Query>(std::move(top.query));
}

std::shared_ptr<const Query> with_rights_of(const std::shared_ptr<const Query>& q, Oid owner) {
  return map_query(
      q, [owner](const ExprPtr& e, int) { return with_rights_of(e, owner); },
      [owner](Entry& entry, int) {
        if (entry.used_as == kInvalidOid) entry.used_as = owner;
        return entry.relation != nullptr && entry.subquery != nullptr;
      });
}

ExprPtr with_rights_of(const ExprPtr& e, Oid owner) {
  if (!e) return e;
  if (const auto* link = try_as<SubLinkExpr>(e)) {
    auto copy = std::make_shared<SubLinkExpr>(*link);
    copy->test = with_rights_of(link->test, owner);
    copy->query = with_rights_of(link->query, owner);
    return copy;
  }
  return map_children(e, [owner](const ExprPtr& child) { return with_rights_of(child, owner); });
}

Result<std::shared_ptr<const Query>> view_to_read(Scope& scope, const RelationInfo& view) {
  const auto is_foreign = [](const RelationInfo& inner) { return inner.kind == catalog::RelationKind::kForeignTable; };
  INDIGO_ASSIGN(auto query, expand_view(scope, view));
  if (!view.security_invoker && any_relation(*query, is_foreign)) return with_rights_of(query, view.owner);
  return query;
}

Result<std::shared_ptr<const Query>> analyze_view(catalog::SessionContext& session, const catalog::RelationInfo& view) {
  Analysis a(session, {});
  Scope scope(a, nullptr);
  return expand_view(scope, view);
}

}  // namespace indigo::sql
