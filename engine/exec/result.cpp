// Result: one row without input. Values: rows of expressions.
#include <algorithm>

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

class ValuesOperator final : public Operator {
 public:
  ValuesOperator(QueryState& state, std::vector<Phys> columns, std::vector<ExpressionSet> rows)
      : state_(state), columns_(std::move(columns)), rows_(std::move(rows)) {
    chunk_.columns.resize(columns_.size());
  }
  Status open(Open) override {
    at_ = 0;
    error_ = nullptr;
    return {};
  }
  Result<Chunk*> next(uint32_t max_rows) override {
    if (error_ != nullptr) return std::move(error_);
    if (at_ == rows_.size()) return nullptr;
    arena_.reset();
    ArenaScope scope(state_, arena_);
    auto n = static_cast<uint32_t>(std::min<size_t>(rows_.size() - at_, max_rows));
    for (size_t c = 0; c < columns_.size(); c++) chunk_.columns[c].init(columns_[c], n);
    uint32_t row = 0;
    for (; row < n; row++, at_++) {
      Status status = rows_[at_].evaluate_constant();
      if (!status.ok()) {
        error_ = status.take_error();
        break;
      }
      for (size_t c = 0; c < columns_.size(); c++) chunk_.columns[c].copy_row(row, rows_[at_][c], 0);
    }
    if (row == 0) return std::move(error_);
    chunk_.selection = {nullptr, row};
    return &chunk_;
  }
  void close() override {}

 private:
  QueryState& state_;
  std::vector<Phys> columns_;
  std::vector<ExpressionSet> rows_;
  Chunk chunk_;
  Arena arena_;
  std::unique_ptr<Error> error_;
  size_t at_ = 0;
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

Result<OperatorPtr> make_values(Builder& b, const sql::ValuesPlan& p) {
  std::vector<ExpressionSet> rows;
  for (const sql::ExprList& row : p.rows_of) {
    INDIGO_ASSIGN(ExpressionSet set, b.compile_all(row));
    rows.push_back(std::move(set));
  }
  return OperatorPtr(std::make_unique<ValuesOperator>(b.state(), b.phys_of(p.columns), std::move(rows)));
}

}  // namespace indigo::engine::exec
