#include "sql/partition/lock_pruning.h"

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "base/memory/arena.h"
#include "sql/expr.h"
#include "sql/partition/partition_map.h"
#include "sql/partition/prune.h"
#include "types/function/context.h"
#include "types/function/phys_of.h"
#include "types/value/array_format.h"

namespace indigo::sql::partition {
namespace {

const Expr& unlabelled(const ExprPtr& e) {
  const Expr* at = e.get();
  while (at->kind == ExprKind::kRelabel) at = as<RelabelExpr>(*at).argument.get();
  return *at;
}

bool is_known_before(const ExprPtr& e) {
  const Expr& value = unlabelled(e);
  if (value.kind != ExprKind::kArray) return value.kind == ExprKind::kConst || value.kind == ExprKind::kParam;
  const auto& array = as<ArrayExpr>(value);
  return !array.multidimensional && std::all_of(array.elements.begin(), array.elements.end(), is_known_before);
}

bool are_known_before(const KeyBounds& bounds) {
  bool out = true;
  for_each_value(bounds, [&](const ExprPtr& e) { out = out && is_known_before(e); });
  return out;
}

const RelationInfo* scanned(const Plan& plan) {
  if (plan.kind == PlanKind::kTableScan) return static_cast<const TableScanPlan&>(plan).relation.get();
  if (plan.kind == PlanKind::kIndexScan) return static_cast<const IndexScanPlan&>(plan).relation.get();
  return nullptr;
}

// Who names a table: inputs of prunable Appends, or somebody else, too.
class Namings {
 public:
  explicit Namings(PlannedStatement& statement) : statement_(statement) {
    for (size_t i = 0; i < statement.relations.size(); i++) places_[statement.relations[i].relation->oid] = i;
    by_append_.resize(statement.relations.size());
    by_others_.resize(statement.relations.size());
  }

  void find() {
    walk(statement_.root, nullptr);
    for (const PlanPtr& p : statement_.subplans) walk(p, nullptr);
    for (const auto& cte : statement_.ctes) walk(cte.plan, nullptr);
    order();
  }

 private:
  using Tables = std::vector<uint32_t>;

  // `input`: of a prunable Append, that the plan is part of.
  void walk(const PlanPtr& plan, Tables* input) {
    if (plan == nullptr) return;
    if (const RelationInfo* r = scanned(*plan)) name(*r, input);
    switch (plan->kind) {
      // Rows of the tables that these have one by one come from a source that reads them.
      case PlanKind::kLockRows:
        for (const auto& lock : static_cast<const LockRowsPlan&>(*plan).locks) name(*lock.relation, nullptr);
        break;
      case PlanKind::kInsert: return change(static_cast<const InsertPlan&>(*plan), plan);
      case PlanKind::kUpdate: return change(static_cast<const UpdatePlan&>(*plan), plan);
      case PlanKind::kDelete: return change(static_cast<const DeletePlan&>(*plan), plan);
      case PlanKind::kMerge: return change(static_cast<const MergePlan&>(*plan), plan);
      case PlanKind::kNestedLoop:
        if (const auto& instead = static_cast<const NestedLoopPlan&>(*plan).instead) walk(instead->inputs[1], input);
        break;
      default: break;
    }
    if (input == nullptr && plan->kind == PlanKind::kAppend) {
      const auto append = std::static_pointer_cast<const AppendPlan>(plan);
      const bool prunes = std::any_of(append->prunings.begin(), append->prunings.end(),
                                      [](const PartitionPruning& p) { return are_known_before(p.bounds); });
      if (prunes) {
        PlannedStatement::LockPruning pruning{append, std::vector<Tables>(append->inputs.size())};
        for (size_t i = 0; i < append->inputs.size(); i++) walk(append->inputs[i], &pruning.dependencies[i]);
        statement_.lock_prunings.push_back(std::move(pruning));
        return;
      }
    }
    for (const PlanPtr& p : plan->inputs) walk(p, input);
  }

  void change(const ChangePlan& c, const PlanPtr& plan) {
    name(*c.relation, nullptr);
    for (const PlanPtr& p : plan->inputs) walk(p, nullptr);
  }

  void name(const RelationInfo& relation, Tables* input) {
    const auto at = places_.find(relation.oid);
    if (at == places_.end()) return;
    if (input == nullptr) {
      by_others_[at->second] = true;
    } else {
      by_append_[at->second] = true;
      input->push_back(static_cast<uint32_t>(at->second));
    }
  }

  // Those that are always locked first, in the order in which they were.
  void order() {
    auto& all = statement_.relations;
    std::vector<PlannedStatement::Dependency> ordered;
    std::vector<uint32_t> moved(all.size());
    const auto take = [&](bool pruned) {
      for (size_t i = 0; i < all.size(); i++) {
        if ((by_append_[i] && !by_others_[i]) != pruned) continue;
        moved[i] = static_cast<uint32_t>(ordered.size());
        ordered.push_back(all[i]);
      }
    };
    take(false);
    statement_.always_locked = ordered.size();
    take(true);
    all = std::move(ordered);
    for (auto& pruning : statement_.lock_prunings) {
      for (Tables& tables : pruning.dependencies) {
        for (uint32_t& t : tables) t = moved[t];
        std::erase_if(tables, [&](uint32_t t) { return t < statement_.always_locked; });
      }
    }
  }

  PlannedStatement& statement_;
  std::unordered_map<Oid, size_t> places_;
  std::vector<bool> by_append_, by_others_;
};

// Values before a run, of what is_known_before().
class KnownValues {
 public:
  KnownValues(types::FuncContext& context, std::span<const Datum> parameters)
      : context_(context), parameters_(parameters) {}

  // Nothing when some are not there.
  std::optional<std::vector<Datum>> of(const ExprList& expressions) {
    std::vector<Datum> out;
    for (const ExprPtr& e : expressions) {
      const auto value = of(e);
      if (!value) return std::nullopt;
      out.push_back(*value);
    }
    return out;
  }

 private:
  std::optional<Datum> of(const ExprPtr& e) {
    const Expr& value = unlabelled(e);
    switch (value.kind) {
      case ExprKind::kConst: return as<ConstExpr>(value).value.get();
      case ExprKind::kParam: {
        const auto index = static_cast<size_t>(as<ParamExpr>(value).index);
        if (index >= parameters_.size()) return std::nullopt;
        return parameters_[index];
      }
      case ExprKind::kArray: return array(as<ArrayExpr>(value));
      default: return std::nullopt;
    }
  }

  std::optional<Datum> array(const ArrayExpr& e) {
    const auto elements = of(e.elements);
    if (!elements) return std::nullopt;
    const std::string made = make_array(e.element.oid, types::phys_of(context_, e.element.oid), *elements);
    return Datum::of(context_.arena().copy(Str(made)));
  }

  types::FuncContext& context_;
  const std::span<const Datum> parameters_;
};

}  // namespace

void find_lock_prunings(PlannedStatement& statement) { Namings(statement).find(); }

Result<std::vector<uint32_t>> pruned_dependencies(catalog::SessionContext& session, const PlannedStatement& statement,
                                                  std::span<const Datum> parameters) {
  std::vector<uint32_t> out;
  types::FuncContext context(session);
  Arena arena;
  context.set_arena(&arena);
  for (const auto& lock_pruning : statement.lock_prunings) {
    const AppendPlan& append = *lock_pruning.append;
    std::vector<std::optional<PartitionSet>> found(append.prunings.size());
    for (size_t k = 0; k < found.size(); k++) {
      const PartitionPruning& p = append.prunings[k];
      const ExprList expressions = bound_expressions(p.bounds);
      const auto values = KnownValues(context, parameters).of(expressions);
      if (!values) continue;
      std::vector<TypeRef> types;
      for (const ExprPtr& e : expressions) types.push_back(e->type);
      INDIGO_ASSIGN(const auto map, PartitionMap::of(session, *p.relation));
      INDIGO_ASSIGN(found[k], prune(context, *map, p.bounds, types, *values));
    }
    for (const size_t i : inputs_left(append, found)) {
      const auto& tables = lock_pruning.dependencies[i];
      out.insert(out.end(), tables.begin(), tables.end());
    }
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

}  // namespace indigo::sql::partition
