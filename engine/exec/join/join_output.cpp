#include "engine/exec/join/join_output.h"

namespace indigo::engine::exec {

Result<JoinOutput> JoinOutput::make(Builder& b, const sql::JoinPlan& join, const sql::Plan& left,
                                    const sql::Plan& right) {
  JoinOutput out;
  out.left_phys_ = b.phys_of(left.columns);
  out.right_phys_ = b.phys_of(right.columns);
  out.left_->columns.resize(out.left_phys_.size());
  out.right_->columns.resize(out.right_phys_.size());
  INDIGO_ASSIGN(out.condition_, b.compile_condition(join.condition));
  INDIGO_ASSIGN(out.projection_, b.compile_all(join.projection));
  out.only_left_ = join.type == sql::JoinType::kSemi || join.type == sql::JoinType::kAnti;
  return out;
}

void JoinOutput::prepare(uint32_t rows) {
  for (size_t c = 0; c < left_phys_.size(); c++) left_->columns[c].init(left_phys_[c], rows);
  for (size_t c = 0; c < right_phys_.size(); c++) right_->columns[c].init(right_phys_[c], rows);
}

void JoinOutput::set_left_null(uint32_t rows) {
  (void)rows;
  for (size_t c = 0; c < left_phys_.size(); c++) left_->columns[c].set_constant(Datum::make_null(left_phys_[c]));
}

Result<Chunk*> JoinOutput::finish(QueryState& state, const Chunk& left, const Chunk& right, Selection selection,
                                  std::unique_ptr<Error>& error) {
  if (!projection_.empty()) {
    uint32_t good = projection_.evaluate(Frame{{&left, &right}, extent_of(selection)}, selection, error);
    if (state.functions().failed()) return state.functions().take_error();
    if (good == 0) return std::move(error);
    out_->columns.resize(projection_.size());
    for (size_t i = 0; i < projection_.size(); i++) out_->columns[i].reference(projection_[i]);
    out_->selection = {selection.rows, good};
    return out_.get();
  }
  size_t n = left.columns.size();
  out_->columns.resize(n + (only_left_ ? 0 : right.columns.size()));
  for (size_t c = 0; c < n; c++) out_->columns[c].reference(left.columns[c]);
  if (!only_left_) {
    for (size_t c = 0; c < right.columns.size(); c++) out_->columns[n + c].reference(right.columns[c]);
  }
  out_->selection = selection;
  return out_.get();
}

}  // namespace indigo::engine::exec
