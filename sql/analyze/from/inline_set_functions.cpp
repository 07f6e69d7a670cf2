#include "sql/analyze/from/inline_set_functions.h"

#include <algorithm>
#include <string>
#include <vector>

#include "base/fiber/stack.h"
#include "sql/analyze/analyzer.h"
#include "sql/analyze/argument_scope.h"
#include "sql/analyze/expression/inlined.h"
#include "sql/analyze/make.h"
#include "sql/parse/node.h"
#include "sql/parse/parser.h"
#include "sql/query_walk.h"
#include "sql/stored/routine_body.h"
#include "types/oids.h"

namespace indigo::sql {
namespace {

using QueryPtr = std::shared_ptr<const Query>;

// The only function of the entry, if it is a user's that returns a set.
const CallExpr* call_of(const Entry& entry) {
  if (entry.kind != EntryKind::kFunction || entry.functions.size() != 1 || entry.with_ordinality) return nullptr;
  if (entry.used_as != kInvalidOid || entry.sample) return nullptr;
  const auto* call = try_as<CallExpr>(entry.functions[0].call);
  return call != nullptr && call->returns_set && call->function >= oid::kFirstUserOid ? call : nullptr;
}

bool is_candidate(const Query& q) {
  return any_query(q, [](const Query& level) {
    return std::any_of(level.entries.begin(), level.entries.end(),
                       [](const Entry& e) { return call_of(e) != nullptr; });
  });
}

bool may_inline(const types::FunctionInfo& f) {
  return f.language == "sql" && f.kind == types::FunctionKind::kFunction && f.returns_set && !f.strict &&
         !f.security_definer && f.settings.empty() && f.volatility != types::Volatility::kVolatile;
}

bool has_subquery(const Expr& e) {
  bool found = e.kind == ExprKind::kSubLink;
  for_each_child(e, [&](const ExprPtr& c) { found = found || has_subquery(*c); });
  return found;
}

class Inliner {
 public:
  explicit Inliner(catalog::SessionContext& session) : session_(session) {}

  QueryPtr run(const QueryPtr& query) {
    if (!is_candidate(*query) || stack_remaining() == 0) return query;
    auto copy = std::make_shared<Query>(*query);
    for (Entry& entry : copy->entries) {
      if (const CallExpr* call = call_of(entry)) {
        if (QueryPtr body = body_of(entry, *call)) {
          entry.kind = EntryKind::kSubquery;
          entry.subquery = std::move(body);
          entry.functions.clear();
        }
      } else if (entry.subquery != nullptr && entry.relation == nullptr) {
        entry.subquery = run(entry.subquery);
      }
    }
    for (CommonTable& cte : copy->ctes) {
      if (cte.query != nullptr) cte.query = run(cte.query);
    }
    return map_query(
        copy, [this](const ExprPtr& e, int depth) { return depth == 0 ? expression(e) : e; },
        [](Entry&, int) { return true; });
  }

 private:
  static constexpr size_t kNestingMax = 20, kBodiesMax = 200;

  ExprPtr expression(const ExprPtr& e) {
    if (e == nullptr) return e;
    if (const auto* link = try_as<SubLinkExpr>(e); link != nullptr && link->query != nullptr) {
      const QueryPtr inner = run(link->query);
      const ExprPtr test = link->test == nullptr ? nullptr : expression(link->test);
      if (inner == link->query && test == link->test) return e;
      auto copy = std::make_shared<SubLinkExpr>(*link);
      copy->query = inner;
      copy->test = test;
      return copy;
    }
    return map_children(e, [this](const ExprPtr& c) { return expression(c); });
  }

  // Null: the function stays. What is wrong with a body is told when the function runs, with its context.
  QueryPtr body_of(const Entry& entry, const CallExpr& call) {
    const auto function = session_.catalog().function(call.function);
    if (function == nullptr || !may_inline(*function)) return nullptr;
    if (std::any_of(call.arguments.begin(), call.arguments.end(),
                    [](const ExprPtr& e) { return contains_volatile(*e) || has_subquery(*e); })) {
      return nullptr;
    }
    if (active_.size() >= kNestingMax || bodies_ >= kBodiesMax ||
        std::find(active_.begin(), active_.end(), function->oid) != active_.end() ||
        !everybody_may_execute(session_.catalog(), function->oid)) {
      return nullptr;
    }
    bodies_++;
    std::string text = function->source;
    if (!function->statements.empty()) {
      auto printed = routine_body_text(session_, function->statements);
      if (!printed.ok()) return nullptr;
      text = *std::move(printed);
    }
    const auto parsed = parse(text);
    if (!parsed.ok() || (*parsed)->statements().size() != 1 ||
        !is((*parsed)->statements()[0].node, PG_QUERY__NODE__NODE_SELECT_STMT) ||
        (*parsed)->statements()[0].node->select_stmt->into_clause != nullptr) {
      return nullptr;
    }
    std::vector<TypeRef> types;
    for (const ExprPtr& e : call.arguments) types.push_back(e->type);
    const ArgumentScope arguments(*function, types);
    AnalyzeInput input{(*parsed)->statements()[0].node, text, {}, false, {}};
    input.variables = &arguments;
    auto analyzed = analyze(session_, input);
    if (!analyzed.ok() || analyzed->query == nullptr || !fits(entry, *analyzed->query)) return nullptr;
    active_.push_back(function->oid);
    const QueryPtr inner = run(analyzed->query);
    active_.pop_back();
    return map_expressions(
        inner, [&](const ExprPtr& e, int depth) { return with_arguments(e, call.arguments, depth + 1); }, nullptr);
  }

  // The body's columns must be the function's as they are.
  static bool fits(const Entry& entry, const Query& body) {
    if (body.command != CommandKind::kSelect || !body.row_locks.empty()) return false;
    if (std::any_of(body.ctes.begin(), body.ctes.end(),
                    [](const CommonTable& cte) { return cte.query->command != CommandKind::kSelect; })) {
      return false;
    }
    size_t column = 0;
    for (const TargetEntry& t : body.targets) {
      if (t.hidden) continue;
      if (column == entry.column_types.size() || entry.column_names[column].empty()) return false;
      const TypeRef& wanted = entry.column_types[column++];
      if (t.expr->type.oid != wanted.oid || t.expr->type.collation != wanted.collation ||
          (wanted.typmod != -1 && t.expr->type.typmod != wanted.typmod)) {
        return false;
      }
    }
    return column == entry.column_types.size();
  }

  catalog::SessionContext& session_;
  std::vector<Oid> active_;
  size_t bodies_ = 0;
};

}  // namespace

Result<QueryPtr> inline_set_functions(catalog::SessionContext& session, const QueryPtr& query) {
  return Inliner(session).run(query);
}

}  // namespace indigo::sql
