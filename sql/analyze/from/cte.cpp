#include "sql/analyze/from/cte.h"

#include <algorithm>
#include <set>

#include "sql/analyze/from/from.h"
#include "sql/analyze/from/recursion_check.h"
#include "sql/analyze/from/search_cycle.h"
#include "sql/analyze/select/select.h"
#include "sql/analyze/select/targets.h"
#include "sql/analyze/type/signature_text.h"
#include "sql/parse/node.h"
#include "types/oids.h"

namespace indigo::sql {
namespace {

using CteItem = const PgQuery__CommonTableExpr*;

// Whether the query of an item mentions a relation of that bare name.
bool mentions(const PgQuery__Node* query, std::string_view name) {
  bool found = false;
  walk_tree(&query->base, [&](const ProtobufCMessage* m) {
    if (m->descriptor == &pg_query__range_var__descriptor) {
      const auto* v = reinterpret_cast<const PgQuery__RangeVar*>(m);
      found = found || (!has_text(v->schemaname) && name == v->relname);
    }
    // A WITH item of the same name inside hides this one there; without RECURSIVE not from itself and the items before it.
    if (m->descriptor == &pg_query__select_stmt__descriptor) {
      const auto* s = reinterpret_cast<const PgQuery__SelectStmt*>(m);
      if (s->with_clause) {
        const NodeList items = nodes(s->with_clause->n_ctes, s->with_clause->ctes);
        for (size_t i = 0; i < items.size(); i++) {
          if (name != items[i]->common_table_expr->ctename) continue;
          for (size_t k = 0; k <= i && !s->with_clause->recursive; k++)
            found = found || mentions(items[k]->common_table_expr->ctequery, name);
          return false;
        }
      }
    }
    return !found;
  });
  return found;
}

class WithReader {
 public:
  WithReader(Scope& scope, const PgQuery__WithClause& with) : scope_(scope), with_(with) {
    for (const PgQuery__Node* n : nodes(with.n_ctes, with.ctes)) items_.push_back(n->common_table_expr);
  }

  Status run() {
    for (size_t i = 0; i < items_.size(); i++) {
      for (size_t k = 0; k < i; k++) {
        if (std::string_view(items_[k]->ctename) != items_[i]->ctename) continue;
        return scope_.error(sqlstate::kDuplicateAlias,
                            "WITH query name \"" + std::string(items_[i]->ctename) + "\" specified more than once",
                            items_[i]->location);
      }
      scope_.cte_names.push_back({});
      scope_.cte_names.back().name = items_[i]->ctename;
      INDIGO_TRY(check_item(*items_[i]));
    }
    INDIGO_ASSIGN(const std::vector<size_t> order, dependency_order());
    for (const size_t i : order) {
      if (recursive_.count(i) != 0) INDIGO_TRY(check_recursion(scope_, *items_[i]));
    }
    for (const size_t i : order) {
      INDIGO_TRY(analyze(i));
    }
    return {};
  }

 private:
  Status check_item(const PgQuery__CommonTableExpr& item) {
    // An action of a rule is a statement of its own, which the rule keeps.
    const bool action =
        scope_.a.changes == Analysis::Changes::kKept && scope_.parent != nullptr && scope_.parent->parent == nullptr;
    if (is(item.ctequery, PG_QUERY__NODE__NODE_MERGE_STMT))
      return scope_.error(sqlstate::kFeatureNotSupported, "MERGE not supported in WITH query", item.location);
    if (!is(item.ctequery, PG_QUERY__NODE__NODE_SELECT_STMT) && scope_.parent != nullptr && !action) {
      return scope_.error(sqlstate::kFeatureNotSupported,
                          "WITH clause containing a data-modifying statement must be at the top level", item.location);
    }
    return {};
  }

  // WITH RECURSIVE allows forward references: items in the order of their needs.
  Result<std::vector<size_t>> dependency_order() {
    std::vector<size_t> order;
    if (!with_.recursive) {
      for (size_t i = 0; i < items_.size(); i++) order.push_back(i);
      return order;
    }
    std::vector<std::set<size_t>> needs(items_.size());
    for (size_t i = 0; i < items_.size(); i++) {
      for (size_t k = 0; k < items_.size(); k++) {
        if (!mentions(items_[i]->ctequery, items_[k]->ctename)) continue;
        if (i == k) {
          recursive_.insert(i);
        } else {
          needs[i].insert(k);
        }
      }
    }
    std::vector<bool> done(items_.size());
    while (order.size() < items_.size()) {
      const size_t before = order.size();
      for (size_t i = 0; i < items_.size() && order.size() == before; i++) {
        const bool ready = !done[i] && std::all_of(needs[i].begin(), needs[i].end(), [&](size_t k) { return done[k]; });
        if (!ready) continue;
        done[i] = true;
        order.push_back(i);
      }
      if (order.size() == before) {
        const size_t first = static_cast<size_t>(std::find(done.begin(), done.end(), false) - done.begin());
        return scope_.error(sqlstate::kFeatureNotSupported, "mutual recursion between WITH items is not implemented",
                            items_[first]->location);
      }
    }
    return order;
  }

  Status analyze(size_t i) {
    const PgQuery__CommonTableExpr& item = *items_[i];
    const int number = static_cast<int>(scope_.query->ctes.size());
    CommonTable cte;
    cte.name = item.ctename;
    cte.column_aliases = strings_of(nodes(item.n_aliascolnames, item.aliascolnames));
    cte.recursive = recursive_.count(i) != 0;
    cte.materialize =
        item.ctematerialized == PG_QUERY__CTEMATERIALIZE__CTEMaterializeAlways  ? CommonTable::Materialize::kAlways
        : item.ctematerialized == PG_QUERY__CTEMATERIALIZE__CTEMaterializeNever ? CommonTable::Materialize::kNever
                                                                                : CommonTable::Materialize::kDefault;
    INDIGO_TRY(begin_search_cycle(scope_, item, cte));
    scope_.query->ctes.push_back(std::move(cte));
    std::shared_ptr<const Query> query;
    if (recursive_.count(i) != 0) {
      INDIGO_ASSIGN(query, analyze_recursive(i, number));
    } else {
      INDIGO_ASSIGN(query, analyze_subquery(scope_, item.ctequery, SubqueryOptions{}));
    }
    CteName& name = scope_.cte_names[i];
    name.recursive_self = false;
    name.index = number;
    name.column_names.clear();
    name.column_types.clear();
    columns_of(*query, name.column_names, name.column_types);
    INDIGO_TRY(rename_columns(item, name));
    CommonTable& table = scope_.query->ctes[number];
    INDIGO_TRY(finish_search_cycle(scope_, item, *query, name.column_names, table));
    add_search_cycle_columns(table, name.column_names, name.column_types);
    table.query = std::move(query);
    return {};
  }

  Status rename_columns(const PgQuery__CommonTableExpr& item, CteName& name) {
    const NodeList aliases = nodes(item.n_aliascolnames, item.aliascolnames);
    if (aliases.size() > name.column_names.size()) {
      return scope_.error(sqlstate::kInvalidColumnReference,
                          "WITH query \"" + name.name + "\" has " + std::to_string(name.column_names.size()) +
                              " columns available but " + std::to_string(aliases.size()) + " columns specified",
                          item.location);
    }
    for (size_t i = 0; i < aliases.size(); i++) name.column_names[i] = std::string(string_of(aliases[i]));
    return {};
  }

  // non-recursive term UNION [ALL] recursive term
  Result<std::shared_ptr<const Query>> analyze_recursive(size_t i, int number) {
    const PgQuery__CommonTableExpr& item = *items_[i];
    CteName& name = scope_.cte_names[i];
    name.recursive_self = true;
    name.index = number;
    SubqueryOptions options;
    options.recursive_cte = &name;
    options.recursive_aliases = nodes(item.n_aliascolnames, item.aliascolnames);
    INDIGO_ASSIGN(auto query, analyze_subquery(scope_, item.ctequery, options));
    return query;
  }

  Scope& scope_;
  const PgQuery__WithClause& with_;
  std::vector<CteItem> items_;
  std::set<size_t> recursive_;
};

}  // namespace

Status transform_with(Scope& scope, const PgQuery__WithClause& with) { return WithReader(scope, with).run(); }

Result<CteName*> find_cte(Scope& scope, std::string_view name, int* levels_up) {
  *levels_up = 0;
  for (Scope* level = &scope; level != nullptr; level = level->parent, ++*levels_up) {
    for (CteName& cte : level->cte_names) {
      if (cte.name != name || cte.index < 0) continue;
      return &cte;
    }
  }
  return static_cast<CteName*>(nullptr);
}

bool is_future_cte(const Scope& scope, std::string_view name) {
  for (const Scope* level = &scope; level != nullptr; level = level->parent) {
    for (const CteName& cte : level->cte_names) {
      if (cte.name == name && cte.index < 0) return true;
    }
  }
  return false;
}

Result<Entry> cte_entry(Scope& scope, const CteName& cte, int levels_up, const PgQuery__RangeVar& v) {
  Scope* owner = &scope;
  for (int i = 0; i < levels_up; i++) owner = owner->parent;
  CommonTable& table = owner->query->ctes[cte.index];
  table.references++;
  if (table.query && table.query->command != CommandKind::kSelect && table.query->returning.empty()) {
    return scope.error(sqlstate::kFeatureNotSupported,
                       "WITH query \"" + cte.name + "\" does not have a RETURNING clause", v.location);
  }
  Entry entry;
  entry.kind = EntryKind::kCte;
  entry.alias = cte.name;
  entry.cte = cte.index;
  entry.cte_levels_up = levels_up;
  entry.cte_self_reference = cte.recursive_self;
  entry.column_names = cte.column_names;
  entry.column_types = cte.column_types;
  if (cte.recursive_self) add_search_cycle_columns(table, entry.column_names, entry.column_types);
  INDIGO_TRY(apply_alias(scope, entry, v.alias));
  return entry;
}

}  // namespace indigo::sql
