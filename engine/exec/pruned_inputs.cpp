#include "engine/exec/pruned_inputs.h"

#include <utility>

#include "engine/exec/operators.h"
#include "sql/partition/prune.h"

namespace indigo::engine::exec {

Result<PrunedInputs> PrunedInputs::make(Builder& b, const sql::AppendPlan& p) {
  PrunedInputs out;
  out.state_ = &b.state();
  for (const sql::PlanPtr& input : p.inputs) {
    INDIGO_ASSIGN(OperatorPtr op, b.build(input));
    out.active_.push_back(out.inputs_.size());
    out.inputs_.push_back(std::move(op));
  }
  for (const sql::PartitionPruning& from : p.prunings) {
    Pruning pruning{&from, nullptr, {}, {}, std::vector<bool>(out.inputs_.size())};
    INDIGO_ASSIGN(pruning.map, sql::partition::PartitionMap::of(b.state().session(), *from.relation));
    const sql::ExprList expressions = sql::partition::bound_expressions(from.bounds);
    for (const sql::ExprPtr& e : expressions) pruning.types.push_back(e->type);
    INDIGO_ASSIGN(pruning.values, b.compile_all(expressions));
    for (const auto& of_partition : from.inputs) {
      for (const int i : of_partition) pruning.concerned[static_cast<size_t>(i)] = true;
    }
    out.prunings_.push_back(std::move(pruning));
  }
  return out;
}

Status PrunedInputs::open(Open mode) {
  pruned_ = prunings_.empty();
  if (!pruned_) {
    active_.clear();
    mode_ = mode;
    return {};
  }
  for (const size_t i : active_) INDIGO_TRY(inputs_[i]->open(mode));
  return {};
}

void PrunedInputs::close() {
  for (const size_t i : active_) inputs_[i]->close();
}

// By input: no pruning leaves it out.
Result<std::vector<bool>> PrunedInputs::left() {
  std::vector<bool> out(inputs_.size(), true);
  Arena arena;
  const ArenaScope scope(*state_, arena);
  for (Pruning& p : prunings_) {
    INDIGO_TRY(p.values.evaluate_constant());
    std::vector<Datum> values;
    for (size_t i = 0; i < p.values.size(); i++) values.push_back(p.values[i].datum(0));
    INDIGO_ASSIGN(const auto found,
                  sql::partition::prune(state_->functions(), *p.map, p.plan->bounds, p.types, values));
    std::vector<bool> kept(inputs_.size());
    for (const int partition : found) {
      for (const int i : p.plan->inputs[static_cast<size_t>(partition)]) kept[static_cast<size_t>(i)] = true;
    }
    for (size_t i = 0; i < out.size(); i++) {
      if (p.concerned[i] && !kept[i]) out[i] = false;
    }
  }
  return out;
}

Status PrunedInputs::prune() {
  if (pruned_) return {};
  pruned_ = true;
  INDIGO_ASSIGN(const std::vector<bool> wanted, left());
  opened_in_.resize(wanted.size());
  for (size_t i = 0; i < wanted.size(); i++) {
    if (!wanted[i]) continue;
    // An input that was left out before has nothing to replay.
    const Open mode = opened_in_[i] == state_->run() ? mode_ : Open::kFresh;
    opened_in_[i] = state_->run();
    active_.push_back(i);
    INDIGO_TRY(inputs_[i]->open(mode));
  }
  return {};
}

}  // namespace indigo::engine::exec
