// HashAggregate: groups in a hash table, answered in order of their first row.
#include <algorithm>

#include "engine/exec/aggregate/aggregate_states.h"
#include "engine/exec/aggregate/group_table.h"
#include "engine/exec/aggregate/grouping.h"
#include "engine/exec/operators.h"

namespace indigo::engine::exec {
namespace {

class HashAggregateOperator final : public Operator {
 public:
  HashAggregateOperator(QueryState& state, Grouping grouping, OperatorPtr input)
      : state_(state),
        groups_(std::move(grouping.columns)),
        calls_(std::move(grouping.calls)),
        input_(std::move(input)) {
    table_.init(std::move(grouping.ops), std::move(grouping.phys));
    states_.init(calls_);
  }

  Status open(Open mode) override {
    at_ = 0;
    uint64_t generation = state_.generation(slots());
    if (mode == Open::kAgain && built_ && generation == generation_) return {};
    generation_ = generation;
    drop();
    return input_->open(mode);
  }

  Result<Chunk*> next(uint32_t max_rows) override {
    if (!built_) INDIGO_TRY(build());
    if (at_ == states_.size()) return nullptr;
    arena_.reset();
    ArenaScope scope(state_, arena_);
    uint32_t n = std::min(states_.size() - at_, max_rows);
    picked_.resize(n);
    for (uint32_t i = 0; i < n; i++) picked_[i] = at_ + i;
    size_t keys = groups_.size();
    out_.columns.resize(keys + calls_.size());
    for (size_t k = 0; k < keys; k++) table_.keys().gather(k, picked_, out_.columns[k]);
    INDIGO_TRY(states_.finalize(state_, at_, n, out_.columns.data() + keys));
    at_ += n;
    out_.selection = {nullptr, n};
    return &out_;
  }

  void close() override {
    input_->close();
    drop();
  }

 private:
  void drop() {
    states_.clear();
    table_.clear();
    built_ = false;
  }

  Status build() {
    std::unique_ptr<Error> error;
    while (true) {
      INDIGO_ASSIGN(Chunk * chunk, input_->next(kChunkRows));
      if (chunk == nullptr) break;
      INDIGO_TRY(state_.check());
      arena_.reset();
      ArenaScope scope(state_, arena_);
      Frame frame{{chunk, nullptr}, extent_of(chunk->selection)};
      if (groups_.evaluate(frame, chunk->selection, error) < chunk->selection.count) return error;
      keys_.clear();
      for (size_t i = 0; i < groups_.size(); i++) keys_.push_back(&groups_[i]);
      table_.find_or_add(keys_, chunk->selection, group_of_);
      while (states_.size() < table_.size()) states_.add();
      uint64_t bytes = table_.bytes() + states_.bytes();
      for (AggregateCall& call : calls_) {
        INDIGO_TRY(call.accumulate(state_, frame, chunk->selection, group_of_, states_.data()));
        bytes += call.bytes();
      }
      counters().note_memory(bytes);
      INDIGO_TRY(state_.check_memory(bytes));
    }
    arena_.reset();
    ArenaScope scope(state_, arena_);
    if (groups_.empty() && states_.size() == 0) states_.add();
    for (AggregateCall& call : calls_) INDIGO_TRY(call.flush(state_, states_.size(), states_.data()));
    built_ = true;
    return {};
  }

  QueryState& state_;
  ExpressionSet groups_;
  std::vector<AggregateCall> calls_;
  OperatorPtr input_;
  GroupTable table_;
  AggregateStates states_;
  Arena arena_;
  Chunk out_;
  std::vector<const Vector*> keys_;
  std::vector<uint32_t> picked_;
  uint32_t group_of_[kChunkRows];
  uint32_t at_ = 0;
  uint64_t generation_ = 0;
  bool built_ = false;
};

}  // namespace

Result<OperatorPtr> make_hash_aggregate(Builder& b, const sql::HashAggregatePlan& p) {
  INDIGO_ASSIGN(OperatorPtr input, b.build(p.inputs[0]));
  INDIGO_ASSIGN(Grouping grouping, Grouping::make(b, p));
  return OperatorPtr(std::make_unique<HashAggregateOperator>(b.state(), std::move(grouping), std::move(input)));
}

}  // namespace indigo::engine::exec
