// UPDATE.
#include "engine/exec/update.h"

#include "engine/exec/claim_rows.h"
#include "engine/exec/operators.h"

namespace indigo::engine::exec {
namespace {

class UpdateOperator final : public Operator {
 public:
  UpdateOperator(QueryState& state, const sql::UpdatePlan& plan, RowClaimer claimer,
                 std::unique_ptr<RowUpdater> updater, ExpressionSet returning, OperatorPtr input)
      : state_(state),
        claimer_(std::move(claimer)),
        updater_(std::move(updater)),
        returning_(std::move(returning)),
        input_(std::move(input)),
        counts_(state.statement().root.get() == &plan) {
    mode_ = plan.key_columns_change || updater_->changes_key() ? storage::RowLockMode::kUpdate
                                                               : storage::RowLockMode::kNoKeyUpdate;
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
      Selection rows = claimer_.claim(state_, source, chunk->selection, mode_, error_);
      if (rows.count == 0) continue;
      updater_->load(claimer_.claimed(), rows);
      Selection written = updater_->update(source, claimer_.claimed(), rows, error_);
      if (counts_) state_.add_affected(written.count);
      if (returning_.empty() || written.count == 0) continue;
      std::unique_ptr<Error> failed;
      uint32_t good = returning_.evaluate(Frame{{source, &updater_->new_rows()}, extent_of(written)}, written, failed);
      if (failed != nullptr) error_ = std::move(failed);
      if (good == 0) continue;
      out_.columns.resize(returning_.size());
      for (size_t i = 0; i < returning_.size(); i++) out_.columns[i].reference(returning_[i]);
      out_.selection = {written.rows, good};
      return &out_;
    }
  }

 private:
  QueryState& state_;
  RowClaimer claimer_;
  std::unique_ptr<RowUpdater> updater_;
  ExpressionSet returning_;
  OperatorPtr input_;
  bool counts_;
  storage::RowLockMode mode_;
  Chunk out_;
  Arena arena_;
  std::unique_ptr<Error> error_;
};

}  // namespace

Result<OperatorPtr> make_update(Builder& b, const sql::UpdatePlan& p) {
  INDIGO_ASSIGN(OperatorPtr input, b.build(p.inputs[0]));
  INDIGO_ASSIGN(RowClaimer claimer,
                RowClaimer::make(b, p.relation, p.key_column, p.recheck, p.refresh, is_joined_source(*p.inputs[0])));
  INDIGO_ASSIGN(auto updater, RowUpdater::make(b, p, p.assignments, !p.returning.empty()));
  INDIGO_ASSIGN(ExpressionSet returning, b.compile_all(p.returning));
  return OperatorPtr(std::make_unique<UpdateOperator>(b.state(), p, std::move(claimer), std::move(updater),
                                                      std::move(returning), std::move(input)));
}

}  // namespace indigo::engine::exec
