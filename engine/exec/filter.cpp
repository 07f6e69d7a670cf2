// Filter and SubqueryScan: rows for which a condition is true.
//
// The input may be asked for more rows than are wanted (chunks double while few pass), unless something below is volatile;
// what is left over waits for the next call.
#include <algorithm>

#include "engine/exec/operators.h"

namespace indigo::engine::exec {
namespace {

class FilterOperator final : public Operator {
 public:
  FilterOperator(QueryState& state, Condition condition, OperatorPtr input)
      : state_(state), condition_(std::move(condition)), input_(std::move(input)) {}

  Status open(Open mode) override {
    left_ = {};
    batch_ = 0;
    error_ = nullptr;
    return input_->open(mode);
  }

  Result<Chunk*> next(uint32_t max_rows) override {
    if (left_.count == 0) {
      do {
        if (error_ != nullptr) return std::move(error_);
        batch_ = is_volatile() ? max_rows : std::max(max_rows, std::min(batch_ * 2, kChunkRows));
        INDIGO_ASSIGN(chunk_, input_->next(batch_));
        if (chunk_ == nullptr) return nullptr;
        arena_.reset();
        ArenaScope scope(state_, arena_);
        uint32_t before = chunk_->selection.count;
        left_ = condition_.filter(Frame{{chunk_, nullptr}, extent_of(chunk_->selection)}, chunk_->selection, error_);
        counters().filtered += before - left_.count;
      } while (left_.count == 0);
    }
    uint32_t n = std::min(left_.count, max_rows);
    chunk_->selection = {left_.rows, n};
    left_ = {left_.rows + n, left_.count - n};
    return chunk_;
  }

  void close() override { input_->close(); }

 private:
  QueryState& state_;
  Condition condition_;
  OperatorPtr input_;
  Chunk* chunk_ = nullptr;
  Selection left_;
  uint32_t batch_ = 0;
  Arena arena_;
  std::unique_ptr<Error> error_;
};

Result<OperatorPtr> make(Builder& b, const sql::ExprPtr& condition, const sql::PlanPtr& input_plan) {
  INDIGO_ASSIGN(OperatorPtr input, b.build(input_plan));
  if (condition == nullptr) return input;
  INDIGO_ASSIGN(Condition compiled, b.compile_condition(condition));
  return OperatorPtr(std::make_unique<FilterOperator>(b.state(), std::move(compiled), std::move(input)));
}

}  // namespace

Result<OperatorPtr> make_filter(Builder& b, const sql::FilterPlan& p) { return make(b, p.condition, p.inputs[0]); }
Result<OperatorPtr> make_subquery_scan(Builder& b, const sql::SubqueryScanPlan& p) {
  return make(b, p.filter, p.inputs[0]);
}

}  // namespace indigo::engine::exec
