// Custom or generic: whether an execution of a prepared statement is planned for its parameters' values.
#include <algorithm>

#include "engine/session/portal/preparation.h"

namespace indigo::engine {

namespace {

// PostgreSQL's: so many custom plans are made before their average is compared with the generic plan.
constexpr int64_t kCustomPlansFirst = 5;
constexpr double kCredible = 1.5;

// PostgreSQL's charge for planning, in the planner's units.
double planning_cost(const sql::PlannedStatement& plan) { return 2.5 * static_cast<double>(plan.relations.size() + 1); }

}  // namespace

bool Preparation::chooses_custom(const PlanCounts& counts, double generic_cost) {
  refresh_settings();
  if (plan_mode_ != PlanMode::kAuto) return plan_mode_ == PlanMode::kCustom;
  if (generic_cost < kTrialCost) return false;
  if (counts.custom == 0) return true;
  const double average = counts.custom_cost / static_cast<double>(counts.custom);
  if (std::max(generic_cost, average) < kCustomPlanCost) return false;
  if (counts.custom < kCustomPlansFirst) return true;
  // Where values make the same statement much dearer than it seems without them, it is not known what the generic plan does.
  return generic_cost >= average || generic_cost * kCredible < average;
}

Result<PreparedPtr> Preparation::for_values(const PreparedPtr& generic, std::span<const Datum> values,
                                            PlanCounts& counts) {
  if (generic->is_utility()) return generic;
  if (values.empty() || generic->rewritten || !chooses_custom(counts, generic->plan->root->total_cost)) {
    counts.generic++;
    return generic;
  }
  std::vector<Oid> types;
  for (const auto& type : generic->parameter_types) types.push_back(type.oid);
  INDIGO_ASSIGN(const PreparedPtr planned, prepare(generic->parsed, types, false, {}, values, generic->for_cursor));
  counts.custom++;
  counts.custom_cost += planned->plan->root->total_cost + planning_cost(*planned->plan);
  auto custom = std::make_shared<Prepared>(*planned);
  custom->custom = true;
  return PreparedPtr(std::move(custom));
}

}  // namespace indigo::engine
