// DELETE.
#include "engine/exec/change_target.h"
#include "engine/exec/claim_rows.h"
#include "engine/exec/operators.h"

namespace indigo::engine::exec {
namespace {

class DeleteOperator final : public Operator {
 public:
  DeleteOperator(QueryState& state, const sql::DeletePlan& plan, RowClaimer claimer, ExpressionSet returning,
                 OperatorPtr input)
      : state_(state),
        target_(state, plan.relation),
        claimer_(std::move(claimer)),
        returning_(std::move(returning)),
        input_(std::move(input)),
        counts_(state.statement().root.get() == &plan) {
    old_.columns.resize(target_.column_count());
    for (size_t c = 0; c < target_.column_count(); c++) wanted_.push_back(static_cast<uint16_t>(c));
  }

  Status open(Open mode) override {
    error_ = nullptr;
    return input_->open(mode);
  }
  void close() override { input_->close(); }

  Result<Chunk*> next(uint32_t) override {
    while (true) {
      if (error_ != nullptr) return std::move(error_);
      INDIGO_ASSIGN(Chunk * chunk, input_->next(kChunkRows));
      if (chunk == nullptr) return nullptr;
      if (chunk->selection.count > 1) INDIGO_TRY(state_.check());
      arena_.reset();
      ArenaScope scope(state_, arena_);
      const Chunk* source = chunk;
      Selection rows = claimer_.claim(state_, source, chunk->selection, storage::RowLockMode::kUpdate, error_);
      uint32_t done = 0;
      for (; done < rows.count; done++) {
        const storage::Claimed& claimed = claimer_.claimed()[rows[done]];
        Status status = target_.erase(claimed.key);
        if (status.ok()) status = target_.erased(claimed.row);
        if (!status.ok()) {
          error_ = status.take_error();
          break;
        }
      }
      if (counts_) state_.add_affected(done);
      if (returning_.empty() || done == 0) continue;
      load({rows.rows, done});
      std::unique_ptr<Error> failed;
      uint32_t good =
          returning_.evaluate(Frame{{source, &old_}, extent_of({rows.rows, done})}, {rows.rows, done}, failed);
      if (failed != nullptr) error_ = std::move(failed);
      if (good == 0) continue;
      out_.columns.resize(returning_.size());
      for (size_t i = 0; i < returning_.size(); i++) out_.columns[i].reference(returning_[i]);
      out_.selection = {rows.rows, good};
      return &out_;
    }
  }

 private:
  void load(Selection rows) {
    images_.assign(extent_of(rows), Bytes(claimer_.claimed()[rows[0]].row));
    for (uint32_t i = 0; i < rows.count; i++) images_[rows[i]] = claimer_.claimed()[rows[i]].row;
    target_.relation().layout.decode(images_, wanted_, old_.columns);
  }

  QueryState& state_;
  ChangeTarget target_;
  RowClaimer claimer_;
  ExpressionSet returning_;
  OperatorPtr input_;
  bool counts_;
  std::vector<uint16_t> wanted_;
  std::vector<Bytes> images_;
  Chunk old_, out_;
  Arena arena_;
  std::unique_ptr<Error> error_;
};

}  // namespace

Result<OperatorPtr> make_delete(Builder& b, const sql::DeletePlan& p) {
  INDIGO_ASSIGN(OperatorPtr input, b.build(p.inputs[0]));
  INDIGO_ASSIGN(RowClaimer claimer,
                RowClaimer::make(b, p.relation, p.key_column, p.recheck, p.refresh, is_joined_source(*p.inputs[0])));
  INDIGO_ASSIGN(ExpressionSet returning, b.compile_all(p.returning));
  return OperatorPtr(
      std::make_unique<DeleteOperator>(b.state(), p, std::move(claimer), std::move(returning), std::move(input)));
}

}  // namespace indigo::engine::exec
