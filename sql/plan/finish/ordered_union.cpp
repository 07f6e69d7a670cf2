#include "sql/plan/finish/ordered_union.h"

#include <algorithm>

#include "base/fiber/stack.h"
#include "sql/analyze/make.h"
#include "sql/plan/finish/ordering.h"
#include "sql/plan/path/append_paths.h"
#include "sql/plan/path/cost.h"
#include "sql/plan/resolve.h"
#include "types/oids.h"

namespace indigo::sql::planning {
namespace {

// Beyond this each branch would keep too much for itself.
constexpr int64_t kLimitMax = 100'000;

class OrderedUnion {
 public:
  explicit OrderedUnion(Level& level) : level_(level) {}

  Result<bool> plan(Stage& out) {
    INDIGO_ASSIGN(const bool fits, matches());
    if (!fits) return false;
    auto append = std::make_shared<AppendPlan>();
    const double row = merge_cost(branches_.size());
    for (const int entry : branches_) {
      INDIGO_ASSIGN(PlanPtr p, plan_query(level_.s, &level_, first_rows(entry), limit_rows(level_)));
      append->startup_cost += p->startup_cost + row;
      append->total_cost += p->total_cost + row + p->rows * row;
      append->rows += p->rows;
      append->inputs.push_back(std::move(p));
    }
    const SetNode& root = *level_.work.set_operation;
    append->columns = append->inputs[0]->columns;
    for (size_t i = 0; i < append->columns.size() && i < root.types.size(); i++)
      append->columns[i].type = root.types[i];
    for (size_t i = 0; i < keys_.size(); i++) {
      SortKey key = level_.work.order_by[i];
      key.expr = make_column(0, keys_[i], root.types[static_cast<size_t>(keys_[i])]);
      append->order.push_back(std::move(key));
    }
    for (size_t i = 0; i < append->columns.size(); i++) {
      out.built.layout.outputs.push_back(make_var(branches_[0], static_cast<int>(i), append->columns[i].type));
    }
    out.built.plan = std::move(append);
    bool plain;
    out.order = path_keys(level_, level_.work.order_by, plain);
    return true;
  }

 private:
  Result<bool> matches() {
    const Query& q = level_.work;
    if (q.order_by.empty() || !q.limit || is_null_const(q.limit) || q.with_ties) return false;
    if (!find_limit()) return false;
    INDIGO_ASSIGN(const bool flat, collect(*q.set_operation));
    if (!flat) return false;
    bool plain;
    path_keys(level_, q.order_by, plain);
    return plain && find_keys() &&
           std::all_of(branches_.begin(), branches_.end(), [&](int entry) { return may_be_sorted(entry); });
  }

  // How many rows of a branch may be wanted.
  bool find_limit() {
    const Query& q = level_.work;
    const bool skips = q.offset && !is_null_const(q.offset);
    if (!skips && q.limit->kind == ExprKind::kParam) {
      limit_ = q.limit;
      return true;
    }
    const auto number = [](const ExprPtr& e) -> int64_t {
      const auto* c = try_as<ConstExpr>(e);
      if (c == nullptr || c->value.get().null || c->value.get().phys != Phys::kI64) return -1;
      return c->value.get().i64;
    };
    const int64_t limit = number(q.limit), offset = skips ? number(q.offset) : 0;
    if (limit < 0 || offset < 0 || limit > kLimitMax || offset > kLimitMax) return false;
    limit_ = make_const(q.limit->type, Datum::of(limit + offset));
    return true;
  }

  // The branches of UNION ALLs of UNION ALLs.
  Result<bool> collect(const SetNode& n) {
    INDIGO_TRY(check_stack_depth());
    if (!n.left) {
      branches_.push_back(n.entry);
      return true;
    }
    if (n.op != SetOperation::kUnion || !n.all) return false;
    INDIGO_ASSIGN(const bool left, collect(*n.left));
    if (!left) return false;
    return collect(*n.right);
  }

  // Which columns of the union the order is by.
  bool find_keys() {
    const SetNode& root = *level_.work.set_operation;
    for (const SortKey& k : level_.work.order_by) {
      const auto* v = try_as<VarExpr>(k.expr);
      if (v == nullptr || v->entry != branches_[0] || v->column < 0 ||
          static_cast<size_t>(v->column) >= root.types.size() ||
          !merges_by_key(root.types[static_cast<size_t>(v->column)])) {
        return false;
      }
      keys_.push_back(v->column);
    }
    return true;
  }

  // The query's targets that its rows show.
  static std::vector<const TargetEntry*> shown(const Query& q) {
    std::vector<const TargetEntry*> out;
    for (const TargetEntry& t : q.targets) {
      if (!t.hidden) out.push_back(&t);
    }
    return out;
  }

  bool may_be_sorted(int entry) const {
    const Query& q = *level_.entry(entry).subquery;
    if (q.command != CommandKind::kSelect || q.set_operation || !q.order_by.empty() || q.limit || q.offset ||
        !q.distinct_on.empty() || !q.row_locks.empty()) {
      return false;
    }
    const auto targets = shown(q);
    const SetNode& root = *level_.work.set_operation;
    return std::all_of(keys_.begin(), keys_.end(), [&](int key) {
      const auto at = static_cast<size_t>(key);
      return at < targets.size() && targets[at]->expr->type.oid == root.types[at].oid &&
             targets[at]->expr->type.collation == root.types[at].collation && !has_set_function(targets[at]->expr);
    });
  }

  std::shared_ptr<const Query> first_rows(int entry) const {
    auto q = std::make_shared<Query>(*level_.entry(entry).subquery);
    const auto targets = shown(*q);
    std::vector<SortKey> order;
    for (size_t i = 0; i < keys_.size(); i++) {
      SortKey key = level_.work.order_by[i];
      key.expr = targets[static_cast<size_t>(keys_[i])]->expr;
      order.push_back(std::move(key));
    }
    q->order_by = std::move(order);
    q->limit = limit_;
    return q;
  }

  Level& level_;
  ExprPtr limit_;
  std::vector<int> branches_;  // entries
  std::vector<int> keys_;      // by key of ORDER BY: the column
};

}  // namespace

Result<bool> plan_ordered_union(Level& level, Stage& out) { return OrderedUnion(level).plan(out); }

}  // namespace indigo::sql::planning
