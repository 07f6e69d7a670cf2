#include "engine/exec/join/join_output.h"

#include <algorithm>

namespace indigo::engine::exec {
namespace {

void add_columns(const sql::ExprPtr& e, std::vector<size_t>* used) {
  if (e == nullptr) return;
  if (const auto* column = sql::try_as<sql::ColumnExpr>(e))
    used[column->input].push_back(static_cast<size_t>(column->column));
  sql::for_each_child(*e, [&](const sql::ExprPtr& child) { add_columns(child, used); });
}

void add_all(size_t count, std::vector<size_t>& used) {
  for (size_t i = 0; i < count; i++) used.push_back(i);
}

}  // namespace

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
  std::vector<size_t> used[2];
  add_columns(join.condition, used);
  for (const sql::ExprPtr& e : join.projection) add_columns(e, used);
  if (join.projection.empty()) {
    add_all(out.left_phys_.size(), used[0]);
    if (!out.only_left_) add_all(out.right_phys_.size(), used[1]);
  }
  for (std::vector<size_t>& columns : used) {
    std::sort(columns.begin(), columns.end());
    columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
  }
  out.left_used_ = std::move(used[0]);
  out.right_used_ = std::move(used[1]);
  return out;
}

void JoinOutput::prepare(uint32_t rows) {
  for (size_t c = 0; c < left_phys_.size(); c++) left_->columns[c].init(left_phys_[c], rows);
  for (size_t c = 0; c < right_phys_.size(); c++) right_->columns[c].init(right_phys_[c], rows);
}

void JoinOutput::set_left_null() {
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
