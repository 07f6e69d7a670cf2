// Append: the rows of its inputs, one after the other, but of those only that may hold any.
#include "engine/exec/merge_append.h"
#include "engine/exec/operators.h"
#include "engine/exec/pruned_inputs.h"

namespace indigo::engine::exec {
namespace {

class AppendOperator final : public Operator {
 public:
  explicit AppendOperator(PrunedInputs inputs) : inputs_(std::move(inputs)) {}

  Status open(Open mode) override {
    at_ = 0;
    return inputs_.open(mode);
  }

  Result<Chunk*> next(uint32_t max_rows) override {
    INDIGO_TRY(inputs_.prune());
    for (; at_ < inputs_.size(); at_++) {
      INDIGO_ASSIGN(Chunk * chunk, inputs_[at_].next(max_rows));
      if (chunk != nullptr) return chunk;
    }
    return nullptr;
  }

  void close() override { inputs_.close(); }

 private:
  PrunedInputs inputs_;
  size_t at_ = 0;
};

}  // namespace

Result<OperatorPtr> make_append(Builder& b, const sql::AppendPlan& p) {
  INDIGO_ASSIGN(PrunedInputs inputs, PrunedInputs::make(b, p));
  if (!p.order.empty()) return make_merge_append(b, p, std::move(inputs));
  return OperatorPtr(std::make_unique<AppendOperator>(std::move(inputs)));
}

}  // namespace indigo::engine::exec
