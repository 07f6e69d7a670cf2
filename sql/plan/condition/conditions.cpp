// Conditions to relations: where each conjunct of WHERE and ON may be evaluated, which joins restrict the join order, and
// which equalities make equivalence classes. The rules are those of PostgreSQL's deconstruct_jointree (README, "optimizer").
#include <utility>

#include "catalog/descriptor/class_order.h"
#include "sql/analyze/make.h"
#include "sql/plan/condition/clauses.h"
#include "sql/plan/condition/equivalence.h"
#include "sql/plan/condition/or_clauses.h"
#include "sql/plan/condition/security.h"
#include "sql/plan/rewrite/fold.h"
#include "sql/plan/rewrite/strictness.h"
#include "types/oids.h"
#include "types/value/collator.h"

namespace indigo::sql::planning {
namespace {

// Of an equality whose hashes functions of users' own make, that the hashes are equal: what joins can go by. Null: it is none.
ExprPtr hashed_alike(Level& level, const ExprPtr& e) {
  constexpr Oid kInt4Equal = 96;
  const auto* call = try_as<CallExpr>(e);
  if (!call || call->op < oid::kFirstUserOid || call->arguments.size() != 2 || contains_volatile(*e)) return nullptr;
  catalog::CatalogView& catalog = level.s.catalog();
  const auto* op = catalog.operator_by_oid(call->op);
  if (!op || !op->can_hash || catalog::hashes_as_type(catalog, *op)) return nullptr;
  const catalog::HashFunctions functions = catalog::hash_functions_of(catalog, *op);
  const auto* equal = catalog.operator_by_oid(kInt4Equal);
  if (functions.left == kInvalidOid || functions.right == kInvalidOid || !equal) return nullptr;
  // An operator that is asked about nulls, too: they hash to 0, as in PostgreSQL.
  const auto called = [&](Oid function, size_t argument) -> ExprPtr {
    auto out = std::make_shared<CallExpr>();
    out->type.oid = oid::kInt4;
    out->function = function;
    out->collation = call->collation;
    out->arguments = {call->arguments[argument]};
    if (call->strict) return out;
    auto known = std::make_shared<CoalesceExpr>();
    known->type.oid = oid::kInt4;
    known->arguments = {out, make_int4(0)};
    return known;
  };
  auto out = std::make_shared<CallExpr>();
  out->type.oid = oid::kBool;
  out->function = equal->function;
  out->op = equal->oid;
  out->form = CallExpr::Form::kOperator;
  out->arguments = {called(functions.left, 0), called(functions.right, 1)};
  return out;
}

struct Scope {
  RelSet all;
  RelSet inner_joined;  // rels of inner joins inside
};

class Distributor {
 public:
  explicit Distributor(Level& level) : level_(level) {
    // A single relation has use for classes only where columns fixed to constants matter for an order.
    const Query& q = level.work;
    use_classes_ = level.rels.size() > 1 || !q.order_by.empty() || !q.group_by.empty() || !q.windows.empty() ||
                   q.distinct || !q.distinct_on.empty();
  }

  Scope walk(FromNode& n, bool below_outer, bool top) {
    Scope out;
    if (n.kind == FromNode::Kind::kLeaf) {
      out.all = RelSet::one(level_.rel_of[static_cast<size_t>(n.entry)]);
      return out;
    }
    n.conditions = without_common_factors(n.conditions);
    if (n.kind == FromNode::Kind::kInner) {
      for (auto& c : n.children) {
        const Scope s = walk(*c, below_outer, top);
        out.all |= s.all;
        out.inner_joined |= s.inner_joined;
      }
      if (n.children.size() > 1) out.inner_joined |= out.all;
      for (const ExprPtr& e : n.conditions) distribute(e, below_outer, out.all, RelSet(), RelSet(), top, nullptr);
      return out;
    }
    const bool full = n.type == JoinType::kFull;
    const bool nulls_right = n.type == JoinType::kLeft || n.type == JoinType::kAnti || full;
    const Scope l = walk(*n.children[0], below_outer || full, false);
    const Scope r = walk(*n.children[1], below_outer || nulls_right, false);
    out.all = l.all | r.all;
    out.inner_joined = l.inner_joined | r.inner_joined;
    if (n.type == JoinType::kLeft || full) level_.nullable |= r.all;
    if (full) level_.nullable |= l.all;
    SpecialJoin join = special_join(n, l.all, r.all, out.inner_joined);
    const bool semi = n.type == JoinType::kSemi;
    const RelSet scope = semi ? RelSet() : join.min_left | join.min_right;
    const RelSet kept = semi ? RelSet() : full ? out.all : l.all;
    // What an outer join's own conditions say of its right side alone is not true above it, where nulls may stand instead.
    for (const ExprPtr& e : n.conditions) distribute(e, below_outer || nulls_right, out.all, scope, kept, false, &join);
    level_.special_joins.push_back(std::move(join));
    return out;
  }

 private:
  SpecialJoin special_join(const FromNode& n, RelSet left, RelSet right, RelSet inner_joined) {
    SpecialJoin join;
    join.type = n.type;
    join.null_aware = n.null_aware;
    join.syn_left = left;
    join.syn_right = right;
    if (n.type == JoinType::kFull) {
      join.min_left = left;
      join.min_right = right;
      return join;
    }
    RelSet used, strict;
    for (const ExprPtr& e : n.conditions) {
      used |= level_.rels_of(e);
      strict |= nonnullable_rels(level_, e);
    }
    if (n.null_aware) strict = RelSet();
    join.left_strict = strict.overlaps(left);
    RelSet min_left = used & left, min_right = (used | inner_joined) & right;
    const bool unordered = n.type == JoinType::kSemi || n.type == JoinType::kAnti;
    for (const SpecialJoin& o : level_.special_joins) {
      const RelSet whole = o.syn_left | o.syn_right;
      if (o.type == JoinType::kFull) {
        if (left.overlaps(whole)) min_left |= whole;
        if (right.overlaps(whole)) min_right |= whole;
        continue;
      }
      if (left.overlaps(o.syn_right) && used.overlaps(o.syn_right) && (unordered || !strict.overlaps(o.min_right))) {
        min_left |= whole;
      }
      const bool o_unordered = o.type == JoinType::kSemi || o.type == JoinType::kAnti;
      if (right.overlaps(o.syn_right) && (used.overlaps(o.syn_right) || !used.overlaps(o.min_left) || unordered ||
                                          o_unordered || !o.left_strict || o.delays_upper)) {
        min_right |= whole;
      }
    }
    join.min_left = min_left.empty() ? left : min_left;
    join.min_right = min_right.empty() ? right : min_right;
    return join;
  }

  // Adds the outer joins below that null a relation the condition uses. Answers whether there are any.
  bool delay(RelSet& required, bool pushed_down) {
    bool delayed = false, more = true;
    while (more) {
      more = false;
      for (SpecialJoin& j : level_.special_joins) {
        const bool nulled =
            required.overlaps(j.min_right) || (j.type == JoinType::kFull && required.overlaps(j.min_left));
        if (!nulled || j.type == JoinType::kSemi) continue;
        const RelSet both = j.min_left | j.min_right;
        if (!required.contains(both)) {
          required |= both;
          more = true;
        }
        delayed = true;
        if (pushed_down && j.type != JoinType::kFull && required.overlaps(j.min_left)) j.delays_upper = true;
      }
    }
    return delayed;
  }

  void distribute(const ExprPtr& e, bool below_outer, RelSet scope, RelSet join_scope, RelSet kept, bool top,
                  SpecialJoin* join) {
    if (is_true(e)) return;
    const RelSet rels = level_.rels_of(e);
    if (const ExprPtr alike = rels.count() < 2 ? nullptr : hashed_alike(level_, e)) {
      // It says nothing that e does not say, so that no class comes of it.
      const bool classes = std::exchange(use_classes_, false);
      distribute(alike, below_outer, scope, join_scope, kept, top, join);
      level_.clauses.back().selectivity = 1;
      use_classes_ = classes;
    }
    RelSet required = rels;
    if (rels.empty()) {
      if (top && (scope.empty() || !contains_volatile(*e))) {  // a volatile one is asked for each row
        level_.constant_conditions.push_back(e);
        return;
      }
      required = join_scope.empty() ? scope : join_scope;
    }
    if (!join_scope.empty() && required.overlaps(kept)) {
      Clause& c = make_clause(level_, e, rels);
      c.pushed_down = false;
      delay(required, false);
      c.required = join_scope;
      if (join) {
        c.outer_join = join->syn_right;
        join->conditions.push_back(&c);
      }
      level_.join_clauses.push_back(&c);
      return;
    }
    const bool delayed = delay(required, true);
    if (!delayed && !below_outer && !rels.empty() && use_classes_ && add_equality(level_, e)) return;
    Clause& c = make_clause(level_, e, rels);
    c.required = required;
    attach_clause(level_, c);
  }

  Level& level_;
  bool use_classes_ = true;
};

int integer_width(Oid t) { return t == oid::kInt2 ? 2 : t == oid::kInt4 ? 4 : t == oid::kInt8 ? 8 : 0; }

// Hash joins compare keys of one type: the narrower of two integers is widened. Answers whether both sides have one type.
bool align_integers(Level& level, Clause& c) {
  const Oid l = c.left->type.oid, r = c.right->type.oid;
  if (l == r) return true;
  if (integer_width(l) == 0 || integer_width(r) == 0) return false;
  ExprPtr& narrow = integer_width(l) < integer_width(r) ? c.left : c.right;
  const Oid wide = integer_width(l) < integer_width(r) ? r : l;
  const auto* info = level.s.catalog().cast(narrow->type.oid, wide);
  if (!info || info->function == kInvalidOid) return false;
  auto cast = std::make_shared<CallExpr>();
  cast->type.oid = wide;
  cast->function = info->function;
  cast->form = CallExpr::Form::kImplicitCast;
  cast->arguments = {narrow};
  narrow = cast;
  return true;
}

}  // namespace

void attach_clause(Level& level, Clause& c) {
  if (c.required.count() == 1) {
    level.base(c.required.first()).restrictions.push_back(&c);
  } else {
    level.join_clauses.push_back(&c);
  }
}

Clause& make_clause(Level& level, const ExprPtr& e, RelSet rels) {
  level.clauses.emplace_back();
  Clause& c = level.clauses.back();
  c.expr = e;
  c.rels = c.required = rels;
  const auto* call = try_as<CallExpr>(e);
  const auto* distinct = try_as<DistinctExpr>(e);
  if (distinct && distinct->negated) {
    call = try_as<CallExpr>(distinct->equal);
    c.null_safe = true;
  }
  if (!call || call->op == kInvalidOid || call->arguments.size() != 2 || rels.count() < 2) return c;
  c.left = call->arguments[0];
  c.right = call->arguments[1];
  c.op = call->op;
  c.left_rels = level.rels_of(c.left);
  c.right_rels = level.rels_of(c.right);
  c.can_join = !c.left_rels.empty() && !c.right_rels.empty() && !c.left_rels.overlaps(c.right_rels);
  if (!c.can_join || contains_volatile(*e)) return c;
  const auto* op = level.s.catalog().operator_by_oid(call->op);
  const bool same = align_integers(level, c);
  const bool own = compared_under_own_collation(level.s.catalog(), *call);
  c.hashable = op && same && own && catalog::hashes_as_type(level.s.catalog(), *op);
  c.mergeable = op && op->can_merge && own && call->arguments[0]->type.oid == call->arguments[1]->type.oid &&
                level.s.catalog().btree_strategy(call->op) == 3 && !c.null_safe;
  return c;
}

bool compared_under_own_collation(catalog::CatalogView& catalog, const CallExpr& call) {
  return std::all_of(call.arguments.begin(), call.arguments.end(), [&](const ExprPtr& e) {
    return e->type.collation == call.collation ||
           (catalog.orders_by_bytes(e->type.collation) && catalog.orders_by_bytes(call.collation));
  });
}

Status distribute_conditions(Level& level) {
  Distributor(level).walk(*level.from, false, true);
  derive_restrictions(level);
  if (!level.classes.empty()) finish_equivalence(level);
  add_security_clauses(level);
  return {};
}

}  // namespace indigo::sql::planning
