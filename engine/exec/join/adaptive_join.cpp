// A nested loop that becomes a hash join when it has cost more than the planner is ready to pay for it.
//
// Both joins read the same left input, one after the other: to the loop it seems to end where its cost has reached what
// NestedLoopPlan::patience allows; the left rows that it has read are answered as usual, and those that are left are the hash
// join's. So no row is answered twice, and the left rows' order stays. The hash join is made only when it is needed.
#include <algorithm>
#include <utility>

#include "engine/exec/operators.h"

namespace indigo::engine::exec {
namespace {

// What both joins share.
struct SharedInputs {
  SharedInputs(QueryState& the_state, const sql::NestedLoopPlan& the_plan, OperatorPtr the_left)
      : state(the_state), plan(the_plan), left(std::move(the_left)) {}

  QueryState& state;
  const sql::NestedLoopPlan& plan;
  OperatorPtr left;
  OperatorPtr right;  // null: a look-up join's
  // What the right input has counted; behind the clocks of EXPLAIN ANALYZE.
  const OperatorCounters* right_counters = nullptr;
  uint64_t left_rows = 0, right_rows = 0, filtered_before = 0;
  bool stopped = false;     // the left input seems to have ended
  bool taken_over = false;  // the hash join goes on where the loop has stopped

  void begin() {
    left_rows = right_rows = 0;
    filtered_before = right_counters == nullptr ? 0 : right_counters->filtered;
    stopped = taken_over = false;
  }

  double spent() const {
    const auto rows = static_cast<double>(left_rows);
    double met = static_cast<double>(right_rows);
    if (right_counters != nullptr) met += static_cast<double>(right_counters->filtered - filtered_before);
    const double expected = rows * plan.inputs[1]->rows;
    return rows * plan.left_row_cost + std::max(0.0, met - expected) * plan.right_row_cost;
  }

  // Left rows that the loop may still read, as far as those before them say.
  uint32_t allowed(uint32_t wanted) const {
    if (left_rows == 0) return std::min(wanted, kFirstRows);
    const double so_far = spent(), left_over = plan.patience - so_far;
    if (left_over <= 0) return 0;
    const double rows = left_over / (so_far / static_cast<double>(left_rows));
    return rows >= wanted ? wanted : std::max(1u, static_cast<uint32_t>(rows));
  }

  static constexpr uint32_t kFirstRows = 16;
};

// The nested loop's left input.
class MeasuredLeft final : public Operator {
 public:
  explicit MeasuredLeft(SharedInputs& shared) : shared_(shared) {}
  Status open(Open mode) override { return shared_.left->open(mode); }
  Result<Chunk*> next(uint32_t max_rows) override {
    const uint32_t rows = shared_.allowed(max_rows);
    shared_.stopped = rows == 0;
    if (shared_.stopped) return nullptr;
    INDIGO_ASSIGN(Chunk * chunk, shared_.left->next(rows));
    if (chunk != nullptr) shared_.left_rows += chunk->selection.count;
    return chunk;
  }
  void close() override { shared_.left->close(); }

 private:
  SharedInputs& shared_;
};

class MeasuredRight final : public Operator {
 public:
  explicit MeasuredRight(SharedInputs& shared) : shared_(shared) {}
  Status open(Open mode) override { return shared_.right->open(mode); }
  Result<Chunk*> next(uint32_t max_rows) override {
    INDIGO_ASSIGN(Chunk * chunk, shared_.right->next(max_rows));
    if (chunk != nullptr) shared_.right_rows += chunk->selection.count;
    return chunk;
  }
  void close() override { shared_.right->close(); }

 private:
  SharedInputs& shared_;
};

// The hash join's left input: the rows that the loop has left, or, when it is read again, all.
class RestOfLeft final : public Operator {
 public:
  explicit RestOfLeft(SharedInputs& shared) : shared_(shared) {}
  Status open(Open mode) override { return shared_.taken_over ? Status() : shared_.left->open(mode); }
  Result<Chunk*> next(uint32_t max_rows) override { return shared_.left->next(max_rows); }
  void close() override {}

 private:
  SharedInputs& shared_;
};

template <class T>
OperatorPtr stand_in(SharedInputs& shared, const Operator& for_operator) {
  auto made = std::make_unique<T>(shared);
  made->set_slots(for_operator.slots());
  made->set_volatile(for_operator.is_volatile());
  return made;
}

class AdaptiveJoinOperator final : public Operator {
 public:
  AdaptiveJoinOperator(std::unique_ptr<SharedInputs> shared, OperatorPtr loop)
      : shared_(std::move(shared)), loop_(std::move(loop)) {}

  Status open(Open mode) override {
    const bool again = mode == Open::kAgain && hashed_;
    shared_->begin();
    if (again) return hash_->open(mode);
    hashed_ = false;
    return loop_->open(mode);
  }

  Result<Chunk*> next(uint32_t max_rows) override {
    auto made = next_of(max_rows);
    counters().filtered = loop_->counters().filtered + (hash_ == nullptr ? 0 : hash_->counters().filtered);
    return made;
  }

  void close() override {
    loop_->close();
    if (hash_ != nullptr) hash_->close();
    hashed_ = false;
  }

 private:
  Result<Chunk*> next_of(uint32_t max_rows) {
    if (!hashed_) {
      INDIGO_ASSIGN(Chunk * chunk, loop_->next(max_rows));
      if (chunk != nullptr || !shared_->stopped) return chunk;
      INDIGO_TRY(take_over());
    }
    return hash_->next(max_rows);
  }

  Status take_over() {
    const sql::HashJoinPlan& plan = *shared_->plan.instead;
    if (hash_ == nullptr) {
      Builder builder(shared_->state);
      INDIGO_ASSIGN(OperatorPtr right, builder.build(plan.inputs[1]));
      INDIGO_ASSIGN(hash_,
                    make_hash_join(builder, plan, stand_in<RestOfLeft>(*shared_, *shared_->left), std::move(right)));
      if (shared_->state.analysis != nullptr) (*shared_->state.analysis)[&plan] = &hash_->counters();
    }
    shared_->taken_over = hashed_ = true;
    INDIGO_TRY(hash_->open(Open::kFresh));
    shared_->taken_over = false;
    if (counters().switched_after == 0) counters().switched_after = shared_->left_rows;
    return {};
  }

  std::unique_ptr<SharedInputs> shared_;
  OperatorPtr loop_, hash_;
  bool hashed_ = false;
};

}  // namespace

Result<OperatorPtr> make_adaptive_join(Builder& b, const sql::NestedLoopPlan& p) {
  INDIGO_ASSIGN(OperatorPtr left, b.build(p.inputs[0]));
  auto shared = std::make_unique<SharedInputs>(b.state(), p, std::move(left));
  OperatorPtr measured = stand_in<MeasuredLeft>(*shared, *shared->left), loop;
  if (is_lookup_join(p)) {
    INDIGO_ASSIGN(loop, make_lookup_join(b, p, std::move(measured)));
  } else {
    INDIGO_ASSIGN(shared->right, b.build(p.inputs[1]));
    const auto* analysis = b.state().analysis.get();
    shared->right_counters = analysis != nullptr ? analysis->at(p.inputs[1].get()) : &shared->right->counters();
    INDIGO_ASSIGN(loop, make_nested_loop(b, p, std::move(measured), stand_in<MeasuredRight>(*shared, *shared->right)));
  }
  return OperatorPtr(std::make_unique<AdaptiveJoinOperator>(std::move(shared), std::move(loop)));
}

}  // namespace indigo::engine::exec
