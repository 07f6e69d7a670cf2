#include "engine/exec/change/change_operator.h"

namespace indigo::engine::exec {

Status ChangeOperator::open(Open mode) {
  error_ = nullptr;
  INDIGO_TRY(announce());
  return input_->open(mode);
}

Result<Chunk*> ChangeOperator::next(uint32_t) {
  while (true) {
    if (error_ != nullptr) return std::move(error_);
    INDIGO_ASSIGN(const Chunk* source, input_->next(one_by_one() ? 1 : kChunkRows));
    if (source == nullptr) return nullptr;
    if (source->selection.count > 1) INDIGO_TRY(state_.check());
    arena_.reset();
    ArenaScope scope(state_, arena_);
    Selection changed = change(source, error_);
    if (counts_) state_.add_affected(changed.count);
    if (returning_.empty() || changed.count == 0) continue;
    std::unique_ptr<Error> failed;
    uint32_t good = returning_.evaluate(Frame{{source, &changed_rows(changed)}, extent_of(changed)}, changed, failed);
    if (failed != nullptr) error_ = std::move(failed);
    if (good == 0) continue;
    out_.columns.resize(returning_.size());
    for (size_t i = 0; i < returning_.size(); i++) out_.columns[i].reference(returning_[i]);
    out_.selection = {changed.rows, good};
    return &out_;
  }
}

}  // namespace indigo::engine::exec
