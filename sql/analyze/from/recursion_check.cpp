#include "sql/analyze/from/recursion_check.h"

#include <algorithm>

#include "sql/parse/node.h"

namespace indigo::sql {
namespace {

enum class Place { kAllowed, kNonRecursiveTerm, kSubquery, kOuterJoin, kIntersect, kExcept };

const char* text_of(Place place) {
  switch (place) {
    case Place::kNonRecursiveTerm: return "within its non-recursive term";
    case Place::kSubquery: return "within a subquery";
    case Place::kOuterJoin: return "within an outer join";
    case Place::kIntersect: return "within INTERSECT";
    case Place::kExcept: return "within EXCEPT";
    case Place::kAllowed: break;
  }
  return "more than once";
}

class Walk {
 public:
  Walk(const Scope& scope, std::string_view name) : scope_(scope), name_(name) {}

  Status in(Place place, const ProtobufCMessage* root) {
    below(place, root);
    return std::move(status_);
  }

 private:
  void below(Place place, const ProtobufCMessage* root) {
    if (root == nullptr) return;
    const Place outer = std::exchange(place_, place);
    walk_tree(root, [this](const ProtobufCMessage* m) { return visit(m); });
    place_ = outer;
  }
  void below(Place place, const PgQuery__Node* root) { below(place, root == nullptr ? nullptr : &root->base); }

  Place or_else(Place place) const { return place_ == Place::kAllowed ? place : place_; }

  bool visit(const ProtobufCMessage* m) {
    if (!status_.ok()) return false;
    if (m->descriptor == &pg_query__range_var__descriptor) {
      mention(*reinterpret_cast<const PgQuery__RangeVar*>(m));
      return false;
    }
    if (m->descriptor == &pg_query__select_stmt__descriptor) {
      select(*reinterpret_cast<const PgQuery__SelectStmt*>(m));
      return false;
    }
    if (m->descriptor == &pg_query__with_clause__descriptor) return false;  // read with its statement
    if (m->descriptor == &pg_query__join_expr__descriptor) {
      join(*reinterpret_cast<const PgQuery__JoinExpr*>(m));
      return false;
    }
    if (m->descriptor == &pg_query__sub_link__descriptor) {
      const auto& link = *reinterpret_cast<const PgQuery__SubLink*>(m);
      below(Place::kSubquery, link.subselect);
      below(place_, link.testexpr);
      return false;
    }
    return true;
  }

  void mention(const PgQuery__RangeVar& v) {
    if (has_text(v.schemaname) || name_ != v.relname) return;
    if (std::find(hidden_.begin(), hidden_.end(), name_) != hidden_.end()) return;
    if (place_ == Place::kAllowed && ++mentions_ == 1) return;
    status_ = scope_.error(
        sqlstate::kInvalidRecursion,
        "recursive reference to query \"" + std::string(name_) + "\" must not appear " + text_of(place_), v.location);
  }

  void join(const PgQuery__JoinExpr& j) {
    const bool left = j.jointype == PG_QUERY__JOIN_TYPE__JOIN_LEFT || j.jointype == PG_QUERY__JOIN_TYPE__JOIN_FULL;
    const bool right = j.jointype == PG_QUERY__JOIN_TYPE__JOIN_RIGHT || j.jointype == PG_QUERY__JOIN_TYPE__JOIN_FULL;
    below(right ? or_else(Place::kOuterJoin) : place_, j.larg);
    below(left ? or_else(Place::kOuterJoin) : place_, j.rarg);
    below(place_, j.quals);
  }

  // A WITH item of the same name inside hides this one there.
  void select(const PgQuery__SelectStmt& s) {
    const size_t hidden = hidden_.size();
    if (s.with_clause != nullptr) {
      const NodeList items = nodes(s.with_clause->n_ctes, s.with_clause->ctes);
      if (s.with_clause->recursive) {
        for (const PgQuery__Node* n : items) hidden_.emplace_back(n->common_table_expr->ctename);
      }
      for (const PgQuery__Node* n : items) {
        below(place_, n->common_table_expr->ctequery);
        if (!s.with_clause->recursive) hidden_.emplace_back(n->common_table_expr->ctename);
      }
    }
    if (place_ == Place::kAllowed && s.op == PG_QUERY__SET_OPERATION__SETOP_INTERSECT && s.all) {
      sides(s, Place::kIntersect, Place::kIntersect);
    } else if (place_ == Place::kAllowed && s.op == PG_QUERY__SET_OPERATION__SETOP_EXCEPT) {
      sides(s, s.all ? Place::kExcept : place_, Place::kExcept);
    } else {
      walk_tree(&s.base, [&](const ProtobufCMessage* m) { return m == &s.base || visit(m); });
    }
    hidden_.resize(hidden);
  }

  void sides(const PgQuery__SelectStmt& s, Place left, Place right) {
    below(left, s.larg != nullptr ? &s.larg->base : nullptr);
    below(right, s.rarg != nullptr ? &s.rarg->base : nullptr);
    for (const PgQuery__Node* n : nodes(s.n_sort_clause, s.sort_clause)) below(place_, n);
    below(place_, s.limit_offset);
    below(place_, s.limit_count);
  }

  const Scope& scope_;
  std::string_view name_;
  Place place_ = Place::kAllowed;
  int mentions_ = 0;
  std::vector<std::string_view> hidden_;
  Status status_;
};

}  // namespace

Status check_recursion(const Scope& scope, const PgQuery__CommonTableExpr& item) {
  const std::string name = item.ctename;
  if (!is(item.ctequery, PG_QUERY__NODE__NODE_SELECT_STMT)) {
    return scope.error(sqlstate::kInvalidRecursion,
                       "recursive query \"" + name + "\" must not contain data-modifying statements", item.location);
  }
  const PgQuery__SelectStmt& s = *item.ctequery->select_stmt;
  if (s.op != PG_QUERY__SET_OPERATION__SETOP_UNION) {
    return scope.error(
        sqlstate::kInvalidRecursion,
        "recursive query \"" + name + "\" does not have the form non-recursive-term UNION [ALL] recursive-term",
        item.location);
  }
  Walk walk(scope, name);
  INDIGO_TRY(walk.in(Place::kNonRecursiveTerm, &s.larg->base));
  INDIGO_TRY(walk.in(Place::kAllowed, &s.rarg->base));
  if (s.with_clause != nullptr) {
    for (const PgQuery__Node* n : nodes(s.with_clause->n_ctes, s.with_clause->ctes)) {
      INDIGO_TRY(walk.in(Place::kSubquery, &n->base));
    }
  }
  const auto not_implemented = [&](const char* what, const PgQuery__Node* at) {
    return scope.error(sqlstate::kFeatureNotSupported, std::string(what) + " in a recursive query is not implemented",
                       location_of(at));
  };
  if (s.n_sort_clause > 0) return not_implemented("ORDER BY", s.sort_clause[0]);
  if (!absent(s.limit_offset)) return not_implemented("OFFSET", s.limit_offset);
  if (!absent(s.limit_count)) return not_implemented("LIMIT", s.limit_count);
  if (s.n_locking_clause > 0) return not_implemented("FOR UPDATE/SHARE", nullptr);
  return {};
}

}  // namespace indigo::sql
