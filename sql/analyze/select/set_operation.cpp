// UNION, INTERSECT, EXCEPT: leaves become subquery entries; the types of all columns are decided over the whole tree.
#include "sql/analyze/expression/overloads.h"
#include "sql/analyze/from/from.h"
#include "sql/analyze/make.h"
#include "sql/analyze/select/select.h"
#include "sql/analyze/select/sorting.h"
#include "sql/analyze/select/targets.h"
#include "sql/analyze/type/signature_text.h"
#include "sql/parse/node.h"
#include "types/oids.h"

namespace indigo::sql {
namespace {

struct Tree {
  std::shared_ptr<SetNode> node;
  ExprList columns;  // what each column is, for the choice of types
  int location = -1;
};

class SetReader {
 public:
  SetReader(Scope& scope, const SubqueryOptions& options) : scope_(scope), options_(options) {}

  Status run(const PgQuery__SelectStmt& top) {
    Query& q = *scope_.query;
    INDIGO_ASSIGN(Tree tree, operation(top, true));
    std::vector<TypeRef> types;
    for (const ExprPtr& e : tree.columns) types.push_back(e->type);
    INDIGO_TRY(give_types(*tree.node, types));
    const SetNode* leftmost = tree.node.get();
    while (leftmost->left) leftmost = leftmost->left.get();
    const Entry& first = q.entries[leftmost->entry];
    for (size_t i = 0; i < types.size(); i++) {
      TargetEntry target;
      target.name = first.column_names[i];
      target.expr = make_var(leftmost->entry, static_cast<int>(i), types[i], 0, expr_location(tree.columns[i]));
      q.targets.push_back(std::move(target));
    }
    q.set_operation = tree.node;
    return finish(top);
  }

 private:
  static bool is_leaf(const PgQuery__SelectStmt& s) {
    return s.op == PG_QUERY__SET_OPERATION__SETOP_NONE || s.larg == nullptr || s.n_sort_clause > 0 ||
           !absent(s.limit_offset) || !absent(s.limit_count) || s.n_locking_clause > 0 || s.with_clause != nullptr;
  }

  static const char* name_of(PgQuery__SetOperation op) {
    switch (op) {
      case PG_QUERY__SET_OPERATION__SETOP_UNION: return "UNION";
      case PG_QUERY__SET_OPERATION__SETOP_INTERSECT: return "INTERSECT";
      default: return "EXCEPT";
    }
  }

  // Of a star that is all that is selected: its columns stand there.
  static int star_location(const PgQuery__SelectStmt& s) {
    if (s.n_target_list != 1 || !is(s.target_list[0], PG_QUERY__NODE__NODE_RES_TARGET)) return -1;
    const PgQuery__Node* value = s.target_list[0]->res_target->val;
    if (!is(value, PG_QUERY__NODE__NODE_COLUMN_REF)) return -1;
    const PgQuery__ColumnRef& ref = *value->column_ref;
    return is(ref.fields[ref.n_fields - 1], PG_QUERY__NODE__NODE_A_STAR) ? ref.location : -1;
  }

  Result<Tree> side(const PgQuery__SelectStmt& s) { return is_leaf(s) ? leaf(s) : operation(s, false); }

  Result<Tree> leaf(const PgQuery__SelectStmt& s) {
    INDIGO_TRY(check_stack_depth());
    if (s.into_clause) {
      return scope_.error(sqlstate::kSyntaxError, "INTO is only allowed on first SELECT of UNION/INTERSECT/EXCEPT",
                          s.into_clause->rel ? s.into_clause->rel->location : -1);
    }
    SubqueryOptions options;
    options.resolve_unknown = false;
    options.set_operation_leaf = true;
    INDIGO_ASSIGN(auto query, analyze_subselect(scope_, s, options));
    Tree tree;
    tree.node = std::make_shared<SetNode>();
    const int star = star_location(s);
    for (const TargetEntry& t : query->targets) {
      if (t.hidden) continue;
      const auto* column = star >= 0 ? try_as<VarExpr>(t.expr) : nullptr;
      tree.columns.push_back(
          column == nullptr ? t.expr : make_var(column->entry, column->column, column->type, column->levels_up, star));
      if (tree.location < 0) tree.location = expr_location(tree.columns.back());
    }
    INDIGO_ASSIGN(Entry entry, subquery_entry(scope_, std::move(query), nullptr));
    entry.alias = "*SELECT* " + std::to_string(scope_.query->entries.size() + 1);
    tree.node->entry = add_entry(scope_, std::move(entry));
    return tree;
  }

  // Chains are deep to the left, so that side is walked by a loop.
  Result<Tree> operation(const PgQuery__SelectStmt& s, bool top) {
    INDIGO_TRY(check_stack_depth());
    std::vector<const PgQuery__SelectStmt*> chain{&s};
    while (!is_leaf(*chain.back()->larg)) chain.push_back(chain.back()->larg);
    INDIGO_ASSIGN(Tree tree, leaf(*chain.back()->larg));
    for (size_t i = chain.size(); i-- > 0;) {
      const bool recursive = top && i == 0 && options_.recursive_cte != nullptr;
      if (recursive) INDIGO_TRY(show_recursive_columns(tree));
      INDIGO_ASSIGN(const Tree right, side(*chain[i]->rarg));
      INDIGO_ASSIGN(tree, combine(*chain[i], tree, right, recursive));
    }
    return tree;
  }

  Result<Tree> combine(const PgQuery__SelectStmt& s, const Tree& left, const Tree& right, bool recursive) {
    const char* name = name_of(s.op);
    if (left.columns.size() != right.columns.size()) {
      return scope_.error(sqlstate::kSyntaxError,
                          std::string("each ") + name + " query must have the same number of columns", right.location);
    }
    Tree tree;
    tree.node = std::make_shared<SetNode>();
    tree.node->op = s.op == PG_QUERY__SET_OPERATION__SETOP_UNION       ? SetOperation::kUnion
                    : s.op == PG_QUERY__SET_OPERATION__SETOP_INTERSECT ? SetOperation::kIntersect
                                                                       : SetOperation::kExcept;
    tree.node->all = s.all;
    tree.node->left = left.node;
    tree.node->right = right.node;
    tree.location = left.location;
    for (size_t i = 0; i < left.columns.size(); i++) {
      ExprList pair{left.columns[i], right.columns[i]};
      INDIGO_ASSIGN(TypeRef type, unify(scope_.a, pair, name));
      if (type.collation == oid::kConflictingCollations && !(s.all && s.op == PG_QUERY__SET_OPERATION__SETOP_UNION))
        INDIGO_TRY(common_collation(scope_.a, pair));
      if (recursive && (type.oid != options_.recursive_cte->column_types[i].oid ||
                        type.typmod != options_.recursive_cte->column_types[i].typmod)) {
        return scope_
            .error(sqlstate::kDatatypeMismatch,
                   "recursive query \"" + options_.recursive_cte->name + "\" column " + std::to_string(i + 1) +
                       " has type " +
                       format_type(scope_.catalog(), options_.recursive_cte->column_types[i].oid,
                                   options_.recursive_cte->column_types[i].typmod) +
                       " in non-recursive term but type " + format_type(scope_.catalog(), type.oid, type.typmod) +
                       " overall",
                   expr_location(left.columns[i]))
            .with_hint("Cast the output of the non-recursive term to the correct type.");
      }
      if (recursive && type.collation != options_.recursive_cte->column_types[i].collation) {
        return scope_
            .error(sqlstate::kCollationMismatch,
                   "recursive query \"" + options_.recursive_cte->name + "\" column " + std::to_string(i + 1) +
                       " has collation \"" +
                       scope_.catalog().collation_name(options_.recursive_cte->column_types[i].collation) +
                       "\" in non-recursive term but collation \"" + scope_.catalog().collation_name(type.collation) +
                       "\" overall",
                   expr_location(left.columns[i]))
            .with_hint("Use the COLLATE clause to set the collation of the non-recursive term.");
      }
      if (!s.all || s.op != PG_QUERY__SET_OPERATION__SETOP_UNION) {
        INDIGO_TRY(sort_operators(scope_.a, type.oid, false, true, expr_location(left.columns[i])));
      }
      // Stands for the column in the operation around this one.
      tree.columns.push_back(make_const(type, Datum::make_null(Phys::kStr), expr_location(left.columns[i])));
    }
    return tree;
  }

  // The recursive term sees the columns of the non-recursive one; its unknown literals are text.
  Status show_recursive_columns(Tree& left) {
    CteName& cte = *options_.recursive_cte;
    const SetNode* leftmost = left.node.get();
    while (leftmost->left) leftmost = leftmost->left.get();
    cte.column_names = scope_.query->entries[leftmost->entry].column_names;
    for (size_t i = 0; i < options_.recursive_aliases.size() && i < cte.column_names.size(); i++) {
      cte.column_names[i] = std::string(string_of(options_.recursive_aliases[i]));
    }
    for (ExprPtr& e : left.columns) {
      if (e->type.oid == oid::kUnknown) {
        e = make_const({oid::kText, -1, oid::kDefaultCollation}, Datum::make_null(Phys::kStr), expr_location(e));
      }
      cte.column_types.push_back(e->type);
    }
    return {};
  }

  // Converts the leaves' columns to the types of the whole operation.
  Status give_types(SetNode& node, const std::vector<TypeRef>& types) {
    INDIGO_TRY(check_stack_depth());
    SetNode* leftmost = &node;
    std::vector<SetNode*> chain;
    for (; leftmost->left; leftmost = const_cast<SetNode*>(leftmost->left.get())) chain.push_back(leftmost);
    INDIGO_TRY(convert_leaf(*leftmost, types));
    for (size_t i = chain.size(); i-- > 0;) {
      chain[i]->types = types;
      INDIGO_TRY(give_types(const_cast<SetNode&>(*chain[i]->right), types));
    }
    return {};
  }

  Status convert_leaf(SetNode& node, const std::vector<TypeRef>& types) {
    node.types = types;
    Entry& entry = scope_.query->entries[node.entry];
    bool same = true;
    for (size_t i = 0; i < types.size(); i++) same = same && entry.column_types[i].oid == types[i].oid;
    if (!same) {
      INDIGO_ASSIGN(entry.subquery, converted(entry.subquery, types));
    }
    for (size_t i = 0; i < types.size(); i++) entry.column_types[i] = types[i];
    return {};
  }

  Result<std::shared_ptr<const Query>> converted(const std::shared_ptr<const Query>& leaf,
                                                 const std::vector<TypeRef>& types) {
    auto copy = std::make_shared<Query>(*leaf);
    const bool sorted = leaf->distinct || !leaf->distinct_on.empty() || !leaf->order_by.empty() ||
                        leaf->set_operation || leaf->has_set_functions;
    if (sorted) {
      // What sorts or compares the old values stays below; literals that nothing was decided about are converted there.
      for (TargetEntry& t : copy->targets) {
        if (!t.hidden && t.expr->type.oid == oid::kUnknown) {
          INDIGO_ASSIGN(t.expr, unknown_to_text(scope_.a, t.expr));
        }
      }
      auto outer = std::make_shared<Query>();
      Entry entry;
      entry.kind = EntryKind::kSubquery;
      entry.alias = kConvertedLeaf;
      columns_of(*copy, entry.column_names, entry.column_types);
      entry.subquery = lower_levels(copy);
      outer->from = make_leaf(0);
      for (size_t i = 0; i < entry.column_names.size(); i++) {
        TargetEntry t;
        t.name = entry.column_names[i];
        t.expr = make_var(0, static_cast<int>(i), entry.column_types[i]);
        outer->targets.push_back(std::move(t));
      }
      outer->entries.push_back(std::move(entry));
      copy = std::move(outer);
    }
    size_t i = 0;
    for (TargetEntry& t : copy->targets) {
      if (t.hidden) continue;
      INDIGO_ASSIGN(t.expr, coerce_to_common(scope_.a, t.expr, types[i].oid, "UNION"));
      i++;
    }
    return std::shared_ptr<const Query>(std::move(copy));
  }

  // A query that moves one level down: references out of it reach one level further.
  static std::shared_ptr<const Query> lower_levels(std::shared_ptr<const Query> q) {
    auto link = std::make_shared<SubLinkExpr>();
    link->query = std::move(q);
    return as<SubLinkExpr>(*raise_levels(link, 1)).query;
  }

  Status finish(const PgQuery__SelectStmt& top) {
    Query& q = *scope_.query;
    const size_t visible = q.targets.size();
    // ORDER BY sees the output columns only.
    NamespaceItem output;
    for (const TargetEntry& t : q.targets) output.columns.push_back({t.name, t.expr});
    output.table_visible = false;
    std::vector<NamespaceItem> saved = std::move(scope_.names);
    scope_.names.clear();
    scope_.names.push_back(std::move(output));
    INDIGO_TRY(transform_order_by(scope_, nodes(top.n_sort_clause, top.sort_clause)));
    scope_.names = std::move(saved);
    if (q.targets.size() != visible) {
      return scope_
          .error(sqlstate::kFeatureNotSupported, "invalid UNION/INTERSECT/EXCEPT ORDER BY clause",
                 expr_location(q.targets[visible].expr))
          .with_detail("Only result column names can be used, not expressions or functions.")
          .with_hint("Add the expression/function to every SELECT, or move the UNION into a FROM clause.");
    }
    INDIGO_TRY(transform_limit(scope_, top));
    if (top.n_locking_clause > 0) {
      return scope_.error(sqlstate::kFeatureNotSupported,
                          std::string(lock_name(top.locking_clause[0]->locking_clause->strength)) +
                              " is not allowed with UNION/INTERSECT/EXCEPT");
    }
    return {};
  }

  Scope& scope_;
  const SubqueryOptions& options_;
};

}  // namespace

Status transform_set_operation(Scope& scope, const PgQuery__SelectStmt& node, const SubqueryOptions& options) {
  return SetReader(scope, options).run(node);
}

}  // namespace indigo::sql
