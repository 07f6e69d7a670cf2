// Append: the rows of its inputs, one after the other.
#include "engine/exec/operators.h"

namespace indigo::engine::exec {
namespace {

class AppendOperator final : public Operator {
 public:
  explicit AppendOperator(std::vector<OperatorPtr> inputs) : inputs_(std::move(inputs)) {}
  Status open(Open mode) override {
    at_ = 0;
    for (OperatorPtr& input : inputs_) INDIGO_TRY(input->open(mode));
    return {};
  }
  Result<Chunk*> next(uint32_t max_rows) override {
    for (; at_ < inputs_.size(); at_++) {
      INDIGO_ASSIGN(Chunk * chunk, inputs_[at_]->next(max_rows));
      if (chunk != nullptr) return chunk;
    }
    return nullptr;
  }
  void close() override {
    for (OperatorPtr& input : inputs_) input->close();
  }

 private:
  std::vector<OperatorPtr> inputs_;
  size_t at_ = 0;
};

}  // namespace

Result<OperatorPtr> make_append(Builder& b, const sql::AppendPlan& p) {
  std::vector<OperatorPtr> inputs;
  for (const sql::PlanPtr& input : p.inputs) {
    INDIGO_ASSIGN(OperatorPtr op, b.build(input));
    inputs.push_back(std::move(op));
  }
  return OperatorPtr(std::make_unique<AppendOperator>(std::move(inputs)));
}

}  // namespace indigo::engine::exec
