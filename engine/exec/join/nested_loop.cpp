// NestedLoop: for each left row the right input is scanned again, with runtime slots set from the left row.
//
// Output rows are copied into the join's own vectors until enough are together, so that many short inner scans (index
// look-ups) make few output chunks.
#include <algorithm>

#include "base/sqlstate.h"
#include "engine/exec/join/join_output.h"
#include "engine/exec/operators.h"

namespace indigo::engine::exec {
namespace {

using sql::JoinType;

class NestedLoopOperator final : public Operator {
 public:
  NestedLoopOperator(QueryState& state, const sql::NestedLoopPlan& plan, JoinOutput output, ExpressionSet passes,
                     std::vector<int> pass_slots, OperatorPtr left, OperatorPtr right)
      : state_(state),
        type_(plan.type),
        output_(std::move(output)),
        passes_(std::move(passes)),
        pass_slots_(std::move(pass_slots)),
        left_(std::move(left)),
        right_(std::move(right)) {
    left_row_.columns.resize(output_.left_phys().size());
    right_is_constant_ = passes_.empty() && !left_->is_volatile() && !right_->is_volatile();
    // What was read to look may have to be read again.
    looks_right_first_ =
        right_is_constant_ && needs_right() && plan.inputs[1]->total_cost * 10 < plan.inputs[0]->startup_cost;
  }

  Status open(Open mode) override {
    left_chunk_ = nullptr;
    left_at_ = 0;
    row_open_ = done_ = looked_ = false;
    pending_ = {};
    error_ = nullptr;
    batch_ = 0;
    right_mode_ = mode;
    return left_->open(mode);
  }
  void close() override {
    left_->close();
    right_->close();
    done_ = true;
  }

  Result<Chunk*> next(uint32_t max_rows) override {
    if (error_ != nullptr) return std::move(error_);
    arena_.reset();
    ArenaScope scope(state_, arena_);
    output_.prepare(max_rows);
    if (looks_right_first_ && !looked_) {
      INDIGO_TRY(look_right());
    }
    uint32_t n = 0;
    while (n < max_rows && !done_) {
      Status step = advance(n, max_rows);
      if (!step.ok()) {
        if (n == 0) return step.take_error();
        error_ = step.take_error();
        break;
      }
    }
    if (n == 0) return nullptr;
    return output_.finish(state_, output_.left(), output_.right(), {nullptr, n}, error_);
  }

 private:
  // One step: copy pending rows, or read more of the right side, or begin the next left row.
  Status advance(uint32_t& n, uint32_t max_rows) {
    if (pending_.count > 0) {
      uint32_t take = std::min(pending_.count, max_rows - n);
      emit_left(n, take);
      for (const size_t c : output_.right_used()) {
        copy_rows(output_.right().columns[c], n, right_chunk_->columns[c],
                  {pending_.rows == nullptr ? nullptr : pending_.rows, take}, &arena_);
      }
      pending_ = {pending_.rows == nullptr ? nullptr : pending_.rows + take, pending_.count - take};
      n += take;
      return {};
    }
    if (!row_open_) return next_left(max_rows);
    INDIGO_ASSIGN(right_chunk_, right_->next(wanted(max_rows - n)));
    if (right_chunk_ == nullptr) {
      row_open_ = false;
      if (right_empty_ && right_is_constant_ && needs_right()) {
        done_ = true;  // nor has any other left row a partner
        return {};
      }
      bool alone = !matched_ && (type_ == JoinType::kLeft || type_ == JoinType::kAnti);
      if (alone) {
        emit_left(n, 1);
        for (Vector& v : output_.right().columns) v.set_datum(n, Datum::make_null(v.phys()));
        n++;
      }
      return {};
    }
    right_empty_ = false;
    Selection passed = right_chunk_->selection;
    if (output_.condition()) {
      std::unique_ptr<Error> error;
      uint32_t before = passed.count;
      passed = output_.condition().filter(Frame{{&left_row_, right_chunk_}, extent_of(passed)}, passed, error);
      counters().filtered += before - passed.count;
      if (error != nullptr) return error;
    }
    if (passed.count == 0) return {};
    matched_ = true;
    if (type_ == JoinType::kSemi || type_ == JoinType::kAnti) {
      row_open_ = false;
      if (type_ == JoinType::kSemi) {
        emit_left(n, 1);
        for (Vector& v : output_.right().columns) v.set_datum(n, Datum::make_null(v.phys()));
        n++;
      }
      return {};
    }
    pending_ = numbers_.numbered(passed);  // taken in pieces
    return {};
  }

  uint32_t wanted(uint32_t room) {
    if (type_ == JoinType::kSemi || type_ == JoinType::kAnti) return output_.condition() ? kChunkRows : 1;
    return output_.condition() ? kChunkRows : room;
  }

  // Without right rows there is no answer, whatever the left side has.
  Status look_right() {
    looked_ = true;
    INDIGO_TRY(right_->open(right_mode_));
    right_mode_ = Open::kAgain;
    INDIGO_ASSIGN(const Chunk* chunk, right_->next(kChunkRows));
    done_ = chunk == nullptr;
    return {};
  }

  bool needs_right() const { return type_ == JoinType::kInner || type_ == JoinType::kSemi; }

  Status next_left(uint32_t max_rows) {
    if (left_chunk_ == nullptr || left_at_ == left_chunk_->selection.count) {
      batch_ = left_->is_volatile() ? 1 : std::max(std::min(max_rows, 16u), std::min(batch_ * 2, kChunkRows));
      INDIGO_ASSIGN(left_chunk_, left_->next(batch_));
      left_at_ = 0;
      if (left_chunk_ == nullptr) {
        done_ = true;
        return {};
      }
      INDIGO_TRY(state_.check());
    }
    uint32_t r = left_chunk_->selection[left_at_++];
    if (!passes_.empty()) INDIGO_TRY(pass(r));
    if (output_.condition()) {
      for (const size_t c : output_.left_used()) left_row_.columns[c].set_constant(left_chunk_->columns[c].datum(r));
    }
    left_current_ = r;
    matched_ = false;
    row_open_ = right_empty_ = true;
    INDIGO_TRY(right_->open(right_mode_));
    right_mode_ = Open::kAgain;
    return {};
  }

  Status pass(uint32_t row) {
    auto r = static_cast<uint16_t>(row);
    std::unique_ptr<Error> error;
    if (passes_.evaluate(Frame{{left_chunk_, nullptr}, row + 1}, {&r, 1}, error) == 0) return error;
    for (size_t i = 0; i < pass_slots_.size(); i++) state_.set_slot(pass_slots_[i], passes_[i].datum(row));
    return {};
  }

  void emit_left(uint32_t at, uint32_t count) {
    for (const size_t c : output_.left_used()) {
      Datum d = left_chunk_->columns[c].datum(left_current_);
      if (d.phys == Phys::kStr && !d.null) d.str = arena_.copy(d.str);
      Vector& to = output_.left().columns[c];
      for (uint32_t i = 0; i < count; i++) to.set_datum(at + i, d);
    }
  }

  QueryState& state_;
  JoinType type_;
  JoinOutput output_;
  ExpressionSet passes_;
  std::vector<int> pass_slots_;
  OperatorPtr left_, right_;
  Chunk left_row_;
  Chunk* left_chunk_ = nullptr;
  Chunk* right_chunk_ = nullptr;
  Selection pending_;
  SelectionBuffer numbers_;
  Arena arena_;
  std::unique_ptr<Error> error_;
  Open right_mode_ = Open::kFresh;
  uint32_t left_at_ = 0, left_current_ = 0, batch_ = 0;
  bool row_open_ = false, matched_ = false, done_ = false;
  bool right_is_constant_ = false;  // the same rows for every left row
  bool looks_right_first_ = false;  // all of the right side is much cheaper than the first left row
  bool looked_ = false;
  bool right_empty_ = false;  // no right row came for this left row
};

}  // namespace

Result<OperatorPtr> make_nested_loop(Builder& b, const sql::NestedLoopPlan& p) {
  if (p.type == JoinType::kRight || p.type == JoinType::kFull) {
    return Error(sqlstate::kFeatureNotSupported,
                 "FULL JOIN is only supported with merge-joinable or hash-joinable join conditions");
  }
  if (p.instead != nullptr) return make_adaptive_join(b, p);
  INDIGO_ASSIGN(OperatorPtr left, b.build(p.inputs[0]));
  if (is_lookup_join(p)) return make_lookup_join(b, p, std::move(left));
  INDIGO_ASSIGN(OperatorPtr right, b.build(p.inputs[1]));
  return make_nested_loop(b, p, std::move(left), std::move(right));
}

Result<OperatorPtr> make_nested_loop(Builder& b, const sql::NestedLoopPlan& p, OperatorPtr left, OperatorPtr right) {
  INDIGO_ASSIGN(JoinOutput output, JoinOutput::make(b, p, *p.inputs[0], *p.inputs[1]));
  sql::ExprList exprs;
  std::vector<int> slots;
  for (const auto& pass : p.passes) {
    exprs.push_back(pass.from);
    slots.push_back(pass.to);
    b.own_slot(pass.to);
  }
  INDIGO_ASSIGN(ExpressionSet passes, b.compile_all(exprs));
  return OperatorPtr(std::make_unique<NestedLoopOperator>(b.state(), p, std::move(output), std::move(passes),
                                                          std::move(slots), std::move(left), std::move(right)));
}

}  // namespace indigo::engine::exec
