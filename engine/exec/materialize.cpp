// Materialize: remembers its input, so that a rescan whose slots have not changed replays it.
#include "engine/exec/operators.h"
#include "engine/exec/spill/row_spool.h"

namespace indigo::engine::exec {
namespace {

class MaterializeOperator final : public Operator {
 public:
  MaterializeOperator(QueryState& state, std::vector<Phys> columns, OperatorPtr input)
      : state_(state), columns_(std::move(columns)), input_(std::move(input)) {}

  Status open(Open mode) override {
    at_ = 0;
    uint64_t generation = state_.generation(slots());
    if (mode == Open::kAgain && opened_ && generation == generation_) return {};
    reader_.reset();
    rows_.init(columns_, state_.context().spill);
    generation_ = generation;
    complete_ = false;
    opened_ = true;
    return input_->open(mode);
  }

  Result<Chunk*> next(uint32_t max_rows) override {
    if (at_ == rows_.rows()) {
      if (complete_) return nullptr;
      INDIGO_ASSIGN(Chunk * chunk, input_->next(max_rows));
      if (chunk == nullptr) {
        complete_ = true;
        return nullptr;
      }
      INDIGO_TRY(rows_.append(*chunk));
      INDIGO_TRY(state_.check_memory(rows_.bytes()));
    }
    INDIGO_TRY(reader_.view(rows_, at_, max_rows, out_));
    at_ += out_.selection.count;
    return &out_;
  }

  void close() override {
    input_->close();
    reader_.reset();
    rows_.clear();
    opened_ = false;
  }

 private:
  QueryState& state_;
  std::vector<Phys> columns_;
  OperatorPtr input_;
  RowSpool rows_;
  RowSpool::Reader reader_;
  Chunk out_;
  uint64_t at_ = 0;
  uint64_t generation_ = 0;
  bool opened_ = false, complete_ = false;
};

}  // namespace

OperatorPtr remember_rows(Builder& b, std::vector<Phys> columns, OperatorPtr input) {
  return std::make_unique<MaterializeOperator>(b.state(), std::move(columns), std::move(input));
}

Result<OperatorPtr> make_materialize(Builder& b, const sql::MaterializePlan& p) {
  if (!p.slots.empty()) return make_memoize(b, p);
  INDIGO_ASSIGN(OperatorPtr input, b.build(p.inputs[0]));
  return remember_rows(b, b.phys_of(p.columns), std::move(input));
}

}  // namespace indigo::engine::exec
