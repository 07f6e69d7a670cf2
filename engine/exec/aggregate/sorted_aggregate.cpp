// SortedAggregate: the input comes sorted by the group columns, so a group is finished when the next one begins. Without
// group columns there is one group, also over no rows.
#include <algorithm>

#include "engine/exec/aggregate/aggregate_states.h"
#include "engine/exec/aggregate/grouping.h"
#include "engine/exec/operators.h"

namespace indigo::engine::exec {
namespace {

class SortedAggregateOperator final : public Operator {
 public:
  SortedAggregateOperator(QueryState& state, Grouping grouping, OperatorPtr input)
      : state_(state),
        groups_(std::move(grouping.columns)),
        ops_(std::move(grouping.ops)),
        calls_(std::move(grouping.calls)),
        input_(std::move(input)) {
    finished_keys_.init(grouping.phys);
    carried_keys_.init(std::move(grouping.phys));
    states_.init(calls_);
  }

  Status open(Open mode) override {
    drop();
    return input_->open(mode);
  }

  Result<Chunk*> next(uint32_t max_rows) override {
    while (at_ == finished_) {
      if (done_) return nullptr;
      INDIGO_TRY(advance(max_rows));
    }
    arena_.reset();
    ArenaScope scope(state_, arena_);
    uint32_t n = std::min(finished_ - at_, max_rows);
    picked_.resize(n);
    for (uint32_t i = 0; i < n; i++) picked_[i] = at_ + i;
    size_t keys = groups_.size();
    out_.columns.resize(keys + calls_.size());
    for (size_t k = 0; k < keys; k++) finished_keys_.gather(k, picked_, out_.columns[k]);
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
    finished_keys_.clear();
    carried_keys_.clear();
    at_ = finished_ = 0;
    done_ = open_group_ = false;
    batch_ = 0;
  }

  // Reads one chunk; sets finished_ to the number of groups that are complete.
  Status advance(uint32_t max_rows) {
    states_.drop_first(finished_);
    finished_keys_.clear();
    finished_ = at_ = 0;
    batch_ = groups_.empty() ? kChunkRows : std::max(std::min(max_rows, 32u), std::min(batch_ * 2, kChunkRows));
    INDIGO_ASSIGN(Chunk * chunk, input_->next(batch_));
    arena_.reset();
    ArenaScope scope(state_, arena_);
    if (chunk == nullptr) {
      done_ = true;
      if (!open_group_ && groups_.empty()) {
        states_.add();
        open_group_ = true;
      }
      if (open_group_) {
        append_carried();
        finished_ = 1;
      }
      for (AggregateCall& call : calls_) INDIGO_TRY(call.flush(state_, finished_, states_.data()));
      return {};
    }
    INDIGO_TRY(state_.check());
    std::unique_ptr<Error> error;
    Frame frame{{chunk, nullptr}, extent_of(chunk->selection)};
    if (groups_.evaluate(frame, chunk->selection, error) < chunk->selection.count) return error;
    keys_.clear();
    for (size_t i = 0; i < groups_.size(); i++) keys_.push_back(&groups_[i]);
    uint32_t group = 0;
    for (uint32_t i = 0; i < chunk->selection.count; i++) {
      uint32_t r = chunk->selection[i];
      bool fresh;
      if (i == 0) {
        fresh = !open_group_ || !ops_.equal(keys_, r, carried_keys_, 0, 0);
        if (fresh && open_group_) {
          append_carried();
          group++;
        }
      } else {
        fresh = !ops_.equal(keys_, r, keys_, chunk->selection[i - 1]);
        if (fresh) {
          append_key(finished_keys_, chunk->selection[i - 1]);
          group++;
        }
      }
      if (fresh) states_.add();
      group_of_[i] = group;
    }
    open_group_ = true;
    carried_keys_.clear();
    append_key(carried_keys_, chunk->selection[chunk->selection.count - 1]);
    finished_ = group;
    uint64_t bytes = states_.bytes();
    INDIGO_TRY(states_.accumulate(state_, frame, chunk->selection, group_of_));
    for (AggregateCall& call : calls_) {
      if (finished_ > 0) INDIGO_TRY(call.flush(state_, finished_, states_.data()));
      bytes += call.bytes();
    }
    return state_.check_memory(bytes);
  }

  void append_key(RowStore& to, uint32_t row) {
    if (groups_.empty()) return;
    auto r = static_cast<uint16_t>(row);
    to.append(keys_, {&r, 1});
  }
  void append_carried() {
    if (groups_.empty()) return;
    Chunk view;
    carried_keys_.view(0, 1, view);
    finished_keys_.append(view);
  }

  QueryState& state_;
  ExpressionSet groups_;
  KeyOps ops_;
  std::vector<AggregateCall> calls_;
  OperatorPtr input_;
  RowStore finished_keys_, carried_keys_;  // keys of complete groups; key of the open one
  AggregateStates states_;
  Arena arena_;
  Chunk out_;
  std::vector<const Vector*> keys_;
  std::vector<uint32_t> picked_;
  uint32_t group_of_[kChunkRows];
  uint32_t at_ = 0, finished_ = 0, batch_ = 0;
  bool open_group_ = false, done_ = false;
};

}  // namespace

Result<OperatorPtr> make_sorted_aggregate(Builder& b, const sql::SortedAggregatePlan& p) {
  INDIGO_ASSIGN(OperatorPtr input, b.build(p.inputs[0]));
  INDIGO_ASSIGN(Grouping grouping, Grouping::make(b, p));
  return OperatorPtr(std::make_unique<SortedAggregateOperator>(b.state(), std::move(grouping), std::move(input)));
}

}  // namespace indigo::engine::exec
