#include "sql/plan/rewrite/prepare.h"

#include <algorithm>

#include "base/fiber/stack.h"
#include "base/sqlstate.h"
#include "sql/analyze/make.h"
#include "sql/dropped_columns.h"
#include "sql/plan/condition/security.h"
#include "sql/plan/rewrite/fold.h"
#include "types/oids.h"

namespace indigo::sql::planning {
namespace {

class Preparer {
 public:
  explicit Preparer(Level& level) : level_(level) {}

  Result<ExprPtr> run(const ExprPtr& e) {
    ExprPtr out = map(e);
    if (!status_.ok()) return status_.take_error();
    return out;
  }

 private:
  ExprPtr map(const ExprPtr& e) {
    if (!status_.ok()) return e;
    switch (e->kind) {
      case ExprKind::kConst:
      case ExprKind::kParam:
      case ExprKind::kRuntimeParam: return e;
      case ExprKind::kVar: return as<VarExpr>(*e).levels_up == 0 ? e : outer(e, as<VarExpr>(*e).levels_up);
      case ExprKind::kAggregate:
        if (as<AggregateExpr>(*e).levels_up > 0) return outer(e, as<AggregateExpr>(*e).levels_up);
        break;
      case ExprKind::kWholeRow: return whole_row(as<WholeRowExpr>(*e));
      case ExprKind::kSubLink: return sublink(as<SubLinkExpr>(*e));
      case ExprKind::kGrouping:
        // Plain GROUP BY groups by everything.
        if (level_.work.grouping_sets.empty()) return make_const(e->type, Datum::of(int32_t{0}));
        return e;
      default: break;
    }
    ExprPtr mapped = fold_children(e, [&](const ExprPtr& c) { return map(c); });
    return status_.ok() ? fold_node(level_.s.session, mapped) : e;
  }

  ExprPtr sublink(const SubLinkExpr& link) {
    for (const auto& [known, planned] : shared_) {
      if (known.query == link.query && known.form == link.form && equal(known.test, link.test)) return planned;
    }
    auto planned = plan_sublink(level_, link);
    if (!planned.ok()) {
      status_ = planned.take_error();
      return nullptr;
    }
    shared_.emplace_back(link, *planned);
    return *planned;
  }

  ExprPtr outer(const ExprPtr& e, int levels) {
    Level* owner = &level_;
    for (int i = 0; i < levels && owner; i++) owner = owner->parent;
    if (!owner) {
      status_ = Error(sqlstate::kInternalError, "planner: reference to a query level that does not exist");
      return e;
    }
    ExprPtr from = raise_levels(e, -levels);  // as its owner sees it
    // Sublinks and outer references inside an outer aggregate belong to its owner.
    if (from->kind != ExprKind::kVar) {
      auto prepared = prepare_expression(*owner, from);
      if (!prepared.ok()) {
        status_ = prepared.take_error();
        return e;
      }
      from = *prepared;
    }
    return request(level_.s, *owner, from);
  }

  ExprPtr whole_row(const WholeRowExpr& w) {
    if (w.levels_up > 0) {
      auto copy = std::make_shared<WholeRowExpr>(w);
      return outer(copy, w.levels_up);
    }
    const Entry& entry = level_.entry(w.entry);
    auto row = std::make_shared<RowExpr>();
    row->type = w.type;
    row->location = w.location;
    for (size_t i = 0; i < entry.column_names.size(); i++) {
      if (is_dropped(entry, i)) {
        // A composite value has a field for each column of its type, dropped ones too.
        row->fields.push_back(make_null(level_.s.catalog(), {oid::kInt4, -1, kInvalidOid}));
      } else {
        row->fields.push_back(make_var(w.entry, static_cast<int>(i), entry.column_types[i]));
      }
      row->names.push_back(entry.column_names[i]);
    }
    return row;
  }

  Level& level_;
  Status status_;
  // One subquery in several places (what a merged query computed, named twice; SET (a, b) = (SELECT ...)) is one subplan.
  std::vector<std::pair<SubLinkExpr, ExprPtr>> shared_;
};

bool needs_work(const Expr& e) {
  switch (e.kind) {
    case ExprKind::kVar: return as<VarExpr>(e).levels_up > 0;
    case ExprKind::kConst:
    case ExprKind::kParam:
    case ExprKind::kRuntimeParam: return false;
    default: return true;
  }
}

}  // namespace

ExprPtr request(Statement& s, Level& owner, const ExprPtr& from) {
  s.request_depth = std::min(s.request_depth, owner.depth);
  for (const Request& r : owner.requests) {
    if (equal(r.from, from)) {
      auto same = std::make_shared<RuntimeParamExpr>();
      same->slot = r.slot;
      same->type = from->type;
      same->location = from->location;
      return same;
    }
  }
  auto out = std::make_shared<RuntimeParamExpr>();
  out->slot = s.new_slot(from->type);
  out->type = from->type;
  out->location = from->location;
  owner.requests.push_back({from, out->slot});
  return out;
}

Result<ExprPtr> prepare_expression(Level& level, const ExprPtr& e) {
  if (!e || !needs_work(*e)) return e;
  return Preparer(level).run(e);
}

Status prepare(Level& level) {
  Status status;
  Preparer preparer(level);  // one for all: the parts of SET (a, b) = (SELECT ...) share their subplan
  // A subquery in ORDER BY, DISTINCT ON or GROUP BY is the target's own: it is not planned and run twice.
  const auto for_each_shared = [&](const std::function<void(ExprPtr&, int)>& f) {
    for (size_t i = 0; i < level.order_targets.size(); i++) f(level.work.order_by[i].expr, level.order_targets[i]);
    for (size_t i = 0; i < level.distinct_targets.size(); i++) f(level.work.distinct_on[i], level.distinct_targets[i]);
    for (size_t i = 0; i < level.group_targets.size(); i++) f(level.work.group_by[i], level.group_targets[i]);
  };
  for_each_shared([](ExprPtr& e, int target) {
    if (target >= 0) e = make_const({oid::kBool}, Datum::of(true));
  });
  for_each_expression(level, [&](ExprPtr& e) {
    if (!status.ok() || !needs_work(*e)) return;
    auto prepared = preparer.run(e);
    if (prepared.ok()) {
      e = std::move(*prepared);
    } else {
      status = prepared.take_error();
    }
  });
  if (status.ok()) status = prepare_security(level);
  for_each_shared([&](ExprPtr& e, int target) {
    if (target >= 0) e = level.work.targets[static_cast<size_t>(target)].expr;
  });
  return status;
}

}  // namespace indigo::sql::planning
