#include "sql/analyze/from/search_cycle.h"

#include <algorithm>

#include "sql/analyze/expression/expressions.h"
#include "sql/analyze/expression/overloads.h"
#include "sql/analyze/make.h"
#include "sql/analyze/type/coerce.h"
#include "sql/parse/node.h"
#include "types/oids.h"

namespace indigo::sql {
namespace {

using Names = std::vector<std::string>;

// The mark's two values in their common type, and how a row is told that has not come round.
Status read_mark(Scope& scope, const PgQuery__CTECycleClause& clause, CteCycle& out) {
  ExprList values(2);
  INDIGO_ASSIGN(values[0], transform(scope, clause.cycle_mark_value));
  INDIGO_ASSIGN(values[1], transform(scope, clause.cycle_mark_default));
  INDIGO_ASSIGN(const TypeRef type, unify(scope.a, values, "CYCLE"));
  INDIGO_TRY(sort_operators(scope.a, type.oid, false, true, -1));
  out.value = values[0];
  out.other = values[1];
  INDIGO_ASSIGN(out.differs, make_operator(scope.a, "<>", make_var(0, 0, type), out.value, -1));
  return {};
}

// The numbers of the columns that the clause names.
Result<std::vector<int>> columns_of_clause(const Scope& scope, NodeList list, const Names& names,
                                           const std::string& kind, int location) {
  std::vector<int> out;
  for (const PgQuery__Node* node : list) {
    const std::string name(string_of(node));
    const auto at = std::find(names.begin(), names.end(), name);
    if (at == names.end()) {
      return scope.error(sqlstate::kSyntaxError, kind + " column \"" + name + "\" not in WITH query column list",
                         location);
    }
    const int number = static_cast<int>(at - names.begin());
    if (std::find(out.begin(), out.end(), number) != out.end()) {
      return scope.error(sqlstate::kDuplicateColumn, kind + " column \"" + name + "\" specified more than once",
                         location);
    }
    out.push_back(number);
  }
  return out;
}

Status check_new(const Scope& scope, const std::string& name, const Names& names, const char* kind, int location) {
  if (std::find(names.begin(), names.end(), name) == names.end()) return {};
  return scope.error(sqlstate::kSyntaxError,
                     std::string(kind) + " column name \"" + name + "\" already used in WITH query column list",
                     location);
}

Status check_query(const Scope& scope, const PgQuery__CommonTableExpr& item, const Query& query, bool recursive) {
  if (!recursive) return scope.error(sqlstate::kSyntaxError, "WITH query is not recursive", item.location);
  for (const bool left : {true, false}) {
    const SetNodePtr& side = left ? query.set_operation->left : query.set_operation->right;
    if (side->entry >= 0) continue;
    return scope.error(left ? sqlstate::kFeatureNotSupported : sqlstate::kSyntaxError,
                       std::string("with a SEARCH or CYCLE clause, the ") + (left ? "left" : "right") +
                           " side of the UNION must be a SELECT");
  }
  const Query& term = *query.entries[static_cast<size_t>(query.set_operation->right->entry)].subquery;
  const bool on_top = std::any_of(term.entries.begin(), term.entries.end(),
                                  [](const Entry& e) { return e.kind == EntryKind::kCte && e.cte_self_reference; });
  // PostgreSQL takes the added columns of any row of each group.
  if (on_top && !term.group_by.empty()) {
    return scope.error(sqlstate::kFeatureNotSupported,
                       "GROUP BY in the recursive term of a SEARCH or CYCLE clause is not supported");
  }
  if (on_top) return {};
  return scope.error(sqlstate::kFeatureNotSupported,
                     "with a SEARCH or CYCLE clause, the recursive reference to WITH query \"" +
                         std::string(item.ctename) + "\" must be at the top level of its right-hand SELECT");
}

}  // namespace

Status begin_search_cycle(Scope& scope, const PgQuery__CommonTableExpr& item, CommonTable& out) {
  if (item.search_clause != nullptr) {
    out.search.emplace();
    out.search->breadth = item.search_clause->search_breadth_first != 0;
    out.search->sequence = item.search_clause->search_seq_column;
  }
  if (item.cycle_clause != nullptr) {
    out.cycle.emplace();
    out.cycle->mark = item.cycle_clause->cycle_mark_column;
    out.cycle->path = item.cycle_clause->cycle_path_column;
    INDIGO_TRY(read_mark(scope, *item.cycle_clause, *out.cycle));
  }
  return {};
}

Status finish_search_cycle(const Scope& scope, const PgQuery__CommonTableExpr& item, const Query& query,
                           const Names& names, CommonTable& out) {
  if (!out.search && !out.cycle) return {};
  INDIGO_TRY(check_query(scope, item, query, out.recursive));
  if (out.search) {
    const auto& clause = *item.search_clause;
    INDIGO_ASSIGN(out.search->columns, columns_of_clause(scope, nodes(clause.n_search_col_list, clause.search_col_list),
                                                         names, "search", clause.location));
    INDIGO_TRY(check_new(scope, out.search->sequence, names, "search sequence", clause.location));
  }
  if (!out.cycle) return {};
  const auto& clause = *item.cycle_clause;
  INDIGO_ASSIGN(out.cycle->columns, columns_of_clause(scope, nodes(clause.n_cycle_col_list, clause.cycle_col_list),
                                                      names, "cycle", clause.location));
  INDIGO_TRY(check_new(scope, out.cycle->mark, names, "cycle mark", clause.location));
  INDIGO_TRY(check_new(scope, out.cycle->path, names, "cycle path", clause.location));
  const auto same = [&](const char* a, const char* b, int location) {
    return scope.error(sqlstate::kSyntaxError, std::string(a) + " column name and " + b + " column name are the same",
                       location);
  };
  if (out.cycle->mark == out.cycle->path) return same("cycle mark", "cycle path", clause.location);
  if (!out.search) return {};
  const int location = item.search_clause->location;
  if (out.search->sequence == out.cycle->mark) return same("search sequence", "cycle mark", location);
  if (out.search->sequence == out.cycle->path) return same("search sequence", "cycle path", location);
  return {};
}

void add_search_cycle_columns(const CommonTable& table, Names& names, std::vector<TypeRef>& types) {
  if (table.search) {
    names.push_back(table.search->sequence);
    types.push_back({table.search->breadth ? oid::kRecord : oid::kRecordArray, -1, kInvalidOid});
  }
  if (table.cycle) {
    names.push_back(table.cycle->mark);
    types.push_back(table.cycle->value->type);
    names.push_back(table.cycle->path);
    types.push_back({oid::kRecordArray, -1, kInvalidOid});
  }
}

}  // namespace indigo::sql
