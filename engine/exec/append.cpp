// Append: the rows of its inputs, one after the other, but of those only that may hold any.
#include <algorithm>

#include "engine/exec/operators.h"
#include "sql/partition/prune.h"

namespace indigo::engine::exec {
namespace {

// One table's partitions against values that are known when the plan is opened.
struct Pruning {
  const sql::PartitionPruning* plan;
  std::shared_ptr<const sql::partition::PartitionMap> map;
  ExpressionSet values;
  std::vector<types::TypeRef> types;
  std::vector<bool> concerned;  // inputs that the pruning decides about
};

class AppendOperator final : public Operator {
 public:
  AppendOperator(QueryState& state, std::vector<OperatorPtr> inputs, std::vector<Pruning> prunings)
      : state_(state), inputs_(std::move(inputs)), prunings_(std::move(prunings)) {
    for (size_t i = 0; i < inputs_.size(); i++) active_.push_back(i);
  }

  Status open(Open mode) override {
    at_ = 0;
    pruned_ = prunings_.empty();
    if (!pruned_) {
      active_.clear();
      mode_ = mode;
      return {};
    }
    for (const size_t i : active_) INDIGO_TRY(inputs_[i]->open(mode));
    return {};
  }

  Result<Chunk*> next(uint32_t max_rows) override {
    if (!pruned_) INDIGO_TRY(prune());
    for (; at_ < active_.size(); at_++) {
      INDIGO_ASSIGN(Chunk * chunk, inputs_[active_[at_]]->next(max_rows));
      if (chunk != nullptr) return chunk;
    }
    return nullptr;
  }

  void close() override {
    for (const size_t i : active_) inputs_[i]->close();
  }

 private:
  Status prune() {
    pruned_ = true;
    std::vector<bool> left(inputs_.size(), true);
    Arena arena;
    ArenaScope scope(state_, arena);
    for (Pruning& p : prunings_) {
      INDIGO_TRY(p.values.evaluate_constant());
      std::vector<Datum> values;
      for (size_t i = 0; i < p.values.size(); i++) values.push_back(p.values[i].datum(0));
      INDIGO_ASSIGN(const auto found,
                    sql::partition::prune(state_.functions(), *p.map, p.plan->bounds, p.types, values));
      std::vector<bool> kept(inputs_.size());
      for (const int partition : found) {
        for (const int i : p.plan->inputs[static_cast<size_t>(partition)]) kept[static_cast<size_t>(i)] = true;
      }
      for (size_t i = 0; i < left.size(); i++) {
        if (p.concerned[i] && !kept[i]) left[i] = false;
      }
    }
    for (size_t i = 0; i < left.size(); i++) {
      if (!left[i]) continue;
      // An input that was left out before has nothing to replay.
      if (opened_in_.size() < left.size()) opened_in_.resize(left.size());
      const Open mode = opened_in_[i] == state_.run() ? mode_ : Open::kFresh;
      opened_in_[i] = state_.run();
      active_.push_back(i);
      INDIGO_TRY(inputs_[i]->open(mode));
    }
    return {};
  }

  QueryState& state_;
  std::vector<OperatorPtr> inputs_;
  std::vector<Pruning> prunings_;
  std::vector<size_t> active_;
  std::vector<uint64_t> opened_in_;  // by input: the run
  Open mode_ = Open::kFresh;
  size_t at_ = 0;
  bool pruned_ = true;
};

}  // namespace

Result<OperatorPtr> make_append(Builder& b, const sql::AppendPlan& p) {
  std::vector<OperatorPtr> inputs;
  for (const sql::PlanPtr& input : p.inputs) {
    INDIGO_ASSIGN(OperatorPtr op, b.build(input));
    inputs.push_back(std::move(op));
  }
  std::vector<Pruning> prunings;
  for (const sql::PartitionPruning& from : p.prunings) {
    Pruning pruning{&from, nullptr, {}, {}, std::vector<bool>(inputs.size())};
    INDIGO_ASSIGN(pruning.map, sql::partition::PartitionMap::of(b.state().session(), *from.relation));
    const sql::ExprList expressions = sql::partition::bound_expressions(from.bounds);
    for (const sql::ExprPtr& e : expressions) pruning.types.push_back(e->type);
    INDIGO_ASSIGN(pruning.values, b.compile_all(expressions));
    for (const auto& of_partition : from.inputs) {
      for (const int i : of_partition) pruning.concerned[static_cast<size_t>(i)] = true;
    }
    prunings.push_back(std::move(pruning));
  }
  return OperatorPtr(std::make_unique<AppendOperator>(b.state(), std::move(inputs), std::move(prunings)));
}

}  // namespace indigo::engine::exec
