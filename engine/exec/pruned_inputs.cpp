#include "engine/exec/pruned_inputs.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "catalog/descriptor/foreign_source.h"
#include "engine/exec/change/statement_state.h"
#include "engine/exec/operators.h"
#include "sql/partition/prune.h"

namespace indigo::engine::exec {

namespace {

// Inputs that are seldom read are made when they are. Not where an operator above must know what they read of other rows'
// values (Operator::slots), nor where EXPLAIN looks at all of them.
bool makes_late(QueryState& state, const sql::AppendPlan& p) {
  return !p.prunings.empty() && state.analysis == nullptr && state.statement().runtime_slots == 0 &&
         state.statement().ctes.empty();
}

// The foreign table whose rows the plan reads to change them; kInvalidOid: none.
Oid changed_foreign_table(const sql::Plan& plan) {
  if (plan.kind == sql::PlanKind::kFunctionScan) {
    const auto& functions = static_cast<const sql::FunctionScanPlan&>(plan).functions;
    const auto* call = functions.size() == 1 ? sql::try_as<sql::CallExpr>(functions[0].call) : nullptr;
    if (call == nullptr || call->function != catalog::kForeignRows) return kInvalidOid;
    const auto value = [&](size_t i) { return sql::as<sql::ConstExpr>(*call->arguments[i]).value.get(); };
    const Str purpose = value(1).str.substr(0, 2);
    return purpose.find(catalog::kForeignUpdate) == Str::npos ? kInvalidOid : value(0).oid();
  }
  for (const auto& input : plan.inputs) {
    if (const Oid found = changed_foreign_table(*input); found != kInvalidOid) return found;
  }
  return kInvalidOid;
}

}  // namespace

Result<PrunedInputs> PrunedInputs::make(Builder& b, const sql::AppendPlan& p) {
  PrunedInputs out;
  out.state_ = &b.state();
  out.plan_ = &p;
  out.inputs_.resize(p.inputs.size());
  for (size_t i = 0; i < p.inputs.size(); i++) {
    if (const Oid foreign = changed_foreign_table(*p.inputs[i]); foreign != kInvalidOid)
      out.changed_.emplace_back(i, foreign);
  }
  // The first one tells whether conditions are volatile: all have the same.
  const size_t made = makes_late(b.state(), p) ? std::min<size_t>(1, p.inputs.size()) : p.inputs.size();
  for (size_t i = 0; i < made; i++) {
    INDIGO_ASSIGN(out.inputs_[i], b.build(p.inputs[i]));
  }
  if (p.prunings.empty()) {
    for (size_t i = 0; i < p.inputs.size(); i++) out.active_.push_back(i);
  }
  for (const sql::PartitionPruning& from : p.prunings) {
    Pruning pruning{&from, nullptr, {}, {}};
    INDIGO_ASSIGN(pruning.map, sql::partition::PartitionMap::of(b.state().session(), *from.relation));
    const sql::ExprList expressions = sql::partition::bound_expressions(from.bounds);
    for (const sql::ExprPtr& e : expressions) pruning.types.push_back(e->type);
    INDIGO_ASSIGN(pruning.values, b.compile_all(expressions));
    out.prunings_.push_back(std::move(pruning));
  }
  return out;
}

void PrunedInputs::note_changed(size_t input) const {
  for (const auto& [of, foreign] : changed_)
    if (of == input) state_->changes().will_change(foreign);
}

Status PrunedInputs::open(Open mode) {
  pruned_ = prunings_.empty();
  // Values of other rows may want an input later.
  if (pruned_ || state_->statement().runtime_slots > 0) {
    for (const auto& [input, foreign] : changed_) note_changed(input);
  }
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

// Those that no pruning leaves out.
Result<std::vector<size_t>> PrunedInputs::left() {
  std::vector<std::optional<sql::partition::PartitionSet>> found;
  Arena arena;
  const ArenaScope scope(*state_, arena);
  for (Pruning& p : prunings_) {
    INDIGO_TRY(p.values.evaluate_constant());
    std::vector<Datum> values;
    for (size_t i = 0; i < p.values.size(); i++) values.push_back(p.values[i].datum(0));
    INDIGO_ASSIGN(found.emplace_back(),
                  sql::partition::prune(state_->functions(), *p.map, p.plan->bounds, p.types, values));
  }
  return sql::partition::inputs_left(*plan_, found);
}

Status PrunedInputs::prune() {
  if (pruned_) return {};
  pruned_ = true;
  INDIGO_ASSIGN(const std::vector<size_t> wanted, left());
  opened_in_.resize(inputs_.size());
  for (const size_t i : wanted) {
    if (inputs_[i] == nullptr) {
      Builder b(*state_);
      INDIGO_ASSIGN(inputs_[i], b.build(plan_->inputs[i]));
    }
    // An input that was left out before has nothing to replay.
    const Open mode = opened_in_[i] == state_->run() ? mode_ : Open::kFresh;
    opened_in_[i] = state_->run();
    active_.push_back(i);
    note_changed(i);
    INDIGO_TRY(inputs_[i]->open(mode));
  }
  return {};
}

}  // namespace indigo::engine::exec
