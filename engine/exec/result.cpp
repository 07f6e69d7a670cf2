// Result: one row without input.
#include "engine/exec/operators.h"

namespace indigo::engine::exec {
namespace {

class ResultOperator final : public Operator {
 public:
  ResultOperator(QueryState& state, Condition condition, ExpressionSet projection, OperatorPtr input)
      : state_(state), condition_(std::move(condition)), projection_(std::move(projection)), input_(std::move(input)) {
    chunk_.columns.resize(projection_.size());
  }

  Status open(Open mode) override {
    done_ = false;
    checked_ = false;
    passes_ = true;
    error_ = nullptr;
    return input_ != nullptr ? input_->open(mode) : Status();
  }

  Result<Chunk*> next(uint32_t max_rows) override {
    if (error_ != nullptr) return std::move(error_);
    if (done_) return nullptr;
    arena_.reset();
    ArenaScope scope(state_, arena_);
    if (!checked_) {
      checked_ = true;
      if (condition_) {
        std::unique_ptr<Error> error;
        passes_ = condition_.filter(Frame{}, {nullptr, 1}, error).count == 1;
        if (error != nullptr) return error;
      }
    }
    if (!passes_) {
      done_ = true;
      return nullptr;
    }
    if (input_ != nullptr) return from_input(max_rows);
    done_ = true;
    INDIGO_TRY(projection_.evaluate_constant());
    publish({nullptr, 1});
    return &chunk_;
  }

  void close() override {
    if (input_ != nullptr) input_->close();
  }

 private:
  // A gate above an input: the condition reads no column of it.
  Result<Chunk*> from_input(uint32_t max_rows) {
    INDIGO_ASSIGN(Chunk * chunk, input_->next(max_rows));
    if (chunk == nullptr || projection_.empty()) return chunk;
    std::unique_ptr<Error> error;
    Frame frame{{chunk, nullptr}, extent_of(chunk->selection)};
    uint32_t good = projection_.evaluate(frame, chunk->selection, error);
    if (good == 0 && error != nullptr) return error;
    error_ = std::move(error);
    publish({chunk->selection.rows, good});
    return &chunk_;
  }
  void publish(Selection selection) {
    for (size_t i = 0; i < projection_.size(); i++) chunk_.columns[i].reference(projection_[i]);
    chunk_.selection = selection;
  }

  QueryState& state_;
  Condition condition_;
  ExpressionSet projection_;
  OperatorPtr input_;
  Chunk chunk_;
  Arena arena_{256};
  std::unique_ptr<Error> error_;
  bool done_ = false, checked_ = false, passes_ = true;
};

}  // namespace

Result<OperatorPtr> make_result(Builder& b, const sql::ResultPlan& p) {
  OperatorPtr input;
  if (!p.inputs.empty()) {
    INDIGO_ASSIGN(input, b.build(p.inputs[0]));
  }
  INDIGO_ASSIGN(Condition condition, b.compile_condition(p.condition));
  INDIGO_ASSIGN(ExpressionSet projection, b.compile_all(p.projection));
  return OperatorPtr(
      std::make_unique<ResultOperator>(b.state(), std::move(condition), std::move(projection), std::move(input)));
}

}  // namespace indigo::engine::exec
