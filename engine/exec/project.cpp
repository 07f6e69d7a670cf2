// Project: computes columns from its input's.
#include <algorithm>

#include "engine/exec/operators.h"

namespace indigo::engine::exec {
namespace {

class ProjectOperator final : public Operator {
 public:
  ProjectOperator(QueryState& state, ExpressionSet projection, OperatorPtr input)
      : state_(state), projection_(std::move(projection)), input_(std::move(input)) {
    chunk_.columns.resize(projection_.size());
  }

  Status open(Open mode) override {
    error_ = nullptr;
    return input_->open(mode);
  }

  Result<Chunk*> next(uint32_t max_rows) override {
    if (error_ != nullptr) return std::move(error_);
    INDIGO_ASSIGN(Chunk * chunk, input_->next(max_rows));
    if (chunk == nullptr) return nullptr;
    arena_.reset();
    ArenaScope scope(state_, arena_);
    uint32_t good =
        projection_.evaluate(Frame{{chunk, nullptr}, extent_of(chunk->selection)}, chunk->selection, error_);
    if (good == 0) return std::move(error_);
    for (size_t i = 0; i < projection_.size(); i++) chunk_.columns[i].reference(projection_[i]);
    chunk_.selection = {chunk->selection.rows, good};
    return &chunk_;
  }

  void close() override { input_->close(); }

 private:
  QueryState& state_;
  ExpressionSet projection_;
  OperatorPtr input_;
  Chunk chunk_;
  Arena arena_;
  std::unique_ptr<Error> error_;
};

}  // namespace

Result<OperatorPtr> make_project(Builder& b, const sql::ProjectPlan& p) {
  INDIGO_ASSIGN(OperatorPtr input, b.build(p.inputs[0]));
  INDIGO_ASSIGN(ExpressionSet projection, b.compile_all(p.projection));
  return OperatorPtr(std::make_unique<ProjectOperator>(b.state(), std::move(projection), std::move(input)));
}

}  // namespace indigo::engine::exec
