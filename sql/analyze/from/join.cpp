// JOIN with ON, USING and NATURAL: conditions, merged columns, and what stays visible of both sides.
#include <algorithm>
#include <iterator>
#include <optional>

#include "sql/analyze/expression/expressions.h"
#include "sql/analyze/expression/overloads.h"
#include "sql/analyze/from/from.h"
#include "sql/analyze/make.h"
#include "sql/parse/node.h"

namespace indigo::sql {
namespace {

using VisibleColumns = std::vector<const NamespaceColumn*>;

// The columns that a side of the join shows without qualification. They stay where they are while their items are moved.
VisibleColumns visible_columns(const std::vector<NamespaceItem>& names) {
  VisibleColumns out;
  for (const NamespaceItem& item : names) {
    if (!item.columns_visible) continue;
    for (const NamespaceColumn& column : item.columns) {
      if (!column.name.empty()) out.push_back(&column);
    }
  }
  return out;
}

Result<const NamespaceColumn*> side_column(Scope& scope, const VisibleColumns& columns, std::string_view name,
                                           const char* side) {
  const NamespaceColumn* found = nullptr;
  for (const NamespaceColumn* c : columns) {
    if (c->name != name) continue;
    if (found) {
      return scope.error(sqlstate::kAmbiguousColumn, "common column name \"" + std::string(name) +
                                                         "\" appears more than once in " + side + " table");
    }
    found = c;
  }
  if (!found) {
    return scope.error(
        sqlstate::kUndefinedColumn,
        "column \"" + std::string(name) + "\" specified in USING clause does not exist in " + side + " table");
  }
  return found;
}

JoinType join_type(PgQuery__JoinType type) {
  switch (type) {
    case PG_QUERY__JOIN_TYPE__JOIN_LEFT: return JoinType::kLeft;
    case PG_QUERY__JOIN_TYPE__JOIN_RIGHT: return JoinType::kRight;
    case PG_QUERY__JOIN_TYPE__JOIN_FULL: return JoinType::kFull;
    default: return JoinType::kInner;
  }
}

// The one column that USING makes of two.
Result<ExprPtr> merge_columns(Scope& scope, JoinType type, const ExprPtr& left, const ExprPtr& right) {
  ExprList both{left, right};
  INDIGO_ASSIGN(const TypeRef merged, unify(scope.a, both, "JOIN/USING"));
  for (ExprPtr& e : both) {
    if (e->type.typmod != merged.typmod) e = make_relabel(e, merged, true);
  }
  switch (type) {
    case JoinType::kLeft: return both[0];
    case JoinType::kRight: return both[1];
    case JoinType::kFull: {
      auto out = std::make_shared<CoalesceExpr>();
      out->type = merged;
      out->arguments = std::move(both);
      return ExprPtr(out);
    }
    default: return both[0]->kind == ExprKind::kVar || both[1]->kind != ExprKind::kVar ? both[0] : both[1];
  }
}

std::vector<std::string> natural_columns(const VisibleColumns& left, const VisibleColumns& right) {
  std::vector<std::string> out;
  for (const NamespaceColumn* l : left) {
    const bool common =
        std::any_of(right.begin(), right.end(), [&](const NamespaceColumn* r) { return r->name == l->name; });
    if (common) out.push_back(l->name);
  }
  return out;
}

class Joiner {
 public:
  Joiner(Scope& scope, const PgQuery__JoinExpr& join) : scope_(scope), join_(join), type_(join_type(join.jointype)) {}

  Result<FromItem> run() {
    INDIGO_ASSIGN(FromItem left, transform_from_item(scope_, join_.larg));
    INDIGO_ASSIGN(FromItem right, right_side(left));
    auto node = std::make_shared<JoinNode>();
    node->leaf = false;
    node->type = type_;
    node->written = true;
    node->left = left.node;
    node->right = right.node;
    const auto left_columns = visible_columns(left.names), right_columns = visible_columns(right.names);
    // No table name twice, on either side.
    FromItem out;
    INDIGO_TRY(combine(left, right, out.names));
    std::vector<std::string> using_columns = strings_of(nodes(join_.n_using_clause, join_.using_clause));
    if (join_.is_natural) using_columns = natural_columns(left_columns, right_columns);
    NamespaceItem merged;
    node->renames = left.node->renames || right.node->renames;
    if (!using_columns.empty()) {
      INDIGO_ASSIGN(node->condition, merge(using_columns, left_columns, right_columns, merged));
      if (!node->renames) {
        node->using_columns = using_columns;
        for (const NamespaceColumn& column : merged.columns) node->merged.push_back(column.expr);
        if (join_.join_using_alias) node->using_alias = join_.join_using_alias->aliasname;
      }
    } else if (!absent(join_.quals)) {
      INDIGO_ASSIGN(node->condition, on_condition(out.names));
    }
    const size_t merged_count = merged.columns.size();
    add_rest(left_columns, using_columns, merged);
    add_rest(right_columns, using_columns, merged);
    node->renames = node->renames || (join_.alias && join_.alias->n_colnames > 0);
    INDIGO_TRY(expose(std::move(merged), merged_count, out));
    if (join_.alias && has_text(join_.alias->aliasname)) {
      node->alias = join_.alias->aliasname;
      node->alias_has_columns = join_.alias->n_colnames > 0;
      for (const NamespaceColumn& column : out.names.front().columns) node->shown.push_back({column.name, column.expr});
    }
    out.node = std::move(node);
    return out;
  }

 private:
  // The left side is visible to LATERAL items of the right side meanwhile.
  Result<FromItem> right_side(FromItem& left) {
    const bool ok = type_ == JoinType::kInner || type_ == JoinType::kLeft;
    set_lateral(left.names, true, ok);
    const auto before = static_cast<std::ptrdiff_t>(scope_.names.size());
    // A name may be there twice for now: the join's alias may hide what is inside, and references would be ambiguous.
    std::move(left.names.begin(), left.names.end(), std::back_inserter(scope_.names));
    auto right = transform_from_item(scope_, join_.rarg);
    const auto begin = scope_.names.begin() + before;
    left.names.assign(std::make_move_iterator(begin), std::make_move_iterator(scope_.names.end()));
    scope_.names.erase(begin, scope_.names.end());
    return right;
  }

  Status combine(FromItem& left, FromItem& right, std::vector<NamespaceItem>& out) {
    std::vector<NamespaceItem> saved = std::move(scope_.names);
    scope_.names = std::move(left.names);
    Status status = add_names(scope_, std::move(right.names));
    out = std::move(scope_.names);
    scope_.names = std::move(saved);
    return status;
  }

  Result<ExprPtr> on_condition(std::vector<NamespaceItem>& names) {
    set_lateral(names, false, true);
    scope_.names.swap(names);
    auto condition = transform_condition(scope_, join_.quals, Clause::kJoinOn, "JOIN/ON");
    scope_.names.swap(names);
    return condition;
  }

  Result<ExprPtr> merge(const std::vector<std::string>& names, const VisibleColumns& left, const VisibleColumns& right,
                        NamespaceItem& merged) {
    ExprList conditions;
    for (size_t i = 0; i < names.size(); i++) {
      if (std::find(names.begin(), names.begin() + static_cast<ptrdiff_t>(i), names[i]) !=
          names.begin() + static_cast<ptrdiff_t>(i)) {
        return scope_.error(sqlstate::kDuplicateColumn,
                            "column name \"" + names[i] + "\" appears more than once in USING clause");
      }
      INDIGO_ASSIGN(const NamespaceColumn* l, side_column(scope_, left, names[i], "left"));
      INDIGO_ASSIGN(const NamespaceColumn* r, side_column(scope_, right, names[i], "right"));
      // Types that have none in common are told before the operator is missed.
      INDIGO_ASSIGN(ExprPtr column, merge_columns(scope_, type_, l->expr, r->expr));
      INDIGO_ASSIGN(const ExprPtr same, make_operator(scope_.a, "=", l->expr, r->expr, -1));
      INDIGO_ASSIGN(ExprPtr condition, coerce_to_boolean(scope_.a, same, "JOIN/USING"));
      conditions.push_back(std::move(condition));
      merged.columns.push_back({names[i], std::move(column)});
    }
    return make_and(std::move(conditions));
  }

  static void add_rest(const VisibleColumns& columns, const std::vector<std::string>& names, NamespaceItem& merged) {
    merged.columns.reserve(merged.columns.size() + columns.size());
    for (const NamespaceColumn* c : columns) {
      if (std::find(names.begin(), names.end(), c->name) == names.end()) merged.columns.push_back(*c);
    }
  }

  Status expose(NamespaceItem merged, size_t merged_count, FromItem& out) {
    if (join_.alias && has_text(join_.alias->aliasname)) {
      const NodeList names = nodes(join_.alias->n_colnames, join_.alias->colnames);
      if (names.size() > merged.columns.size()) {
        return scope_.error(sqlstate::kInvalidColumnReference,
                            "join expression \"" + std::string(join_.alias->aliasname) + "\" has " +
                                std::to_string(merged.columns.size()) + " columns available but " +
                                std::to_string(names.size()) + " columns specified");
      }
      for (size_t i = 0; i < names.size(); i++) merged.columns[i].name = std::string(string_of(names[i]));
      merged.name = join_.alias->aliasname;
      out.names.clear();  // an alias hides what is inside
    } else {
      merged.table_visible = false;
      set_columns_visible(out.names, false);
      // What joins without a name show is all in the new one.
      std::erase_if(out.names, [](const NamespaceItem& item) { return item.name.empty(); });
    }
    std::optional<NamespaceItem> using_alias;
    if (!out.names.empty() && join_.join_using_alias && has_text(join_.join_using_alias->aliasname)) {
      using_alias.emplace();
      using_alias->name = join_.join_using_alias->aliasname;
      using_alias->columns.assign(merged.columns.begin(),
                                  merged.columns.begin() + static_cast<ptrdiff_t>(merged_count));
      using_alias->columns_visible = false;
    }
    out.names.push_back(std::move(merged));
    if (using_alias) out.names.push_back(std::move(*using_alias));
    return {};
  }

  Scope& scope_;
  const PgQuery__JoinExpr& join_;
  JoinType type_;
};

}  // namespace

Result<FromItem> transform_join(Scope& scope, const PgQuery__JoinExpr& join) { return Joiner(scope, join).run(); }

}  // namespace indigo::sql
