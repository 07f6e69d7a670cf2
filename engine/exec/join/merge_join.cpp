// MergeJoin: both inputs come sorted by the keys. The right rows of one key are kept together and joined with each left row of
// that key. All join types.
#include <algorithm>

#include "engine/exec/join/join_output.h"
#include "engine/exec/operators.h"
#include "engine/exec/row_keys.h"

namespace indigo::engine::exec {
namespace {

using sql::JoinType;

// An input with its keys, row by row.
class SortedInput {
 public:
  SortedInput(OperatorPtr input, ExpressionSet keys) : input_(std::move(input)), keys_(std::move(keys)) {}

  Status open(Open mode) {
    chunk_ = nullptr;
    done_ = false;
    batch_ = 32;
    return input_->open(mode);
  }
  void close() { input_->close(); }

  // Makes sure that there is a current row; false at the end.
  Result<bool> available(QueryState& state) {
    while (!done_ && (chunk_ == nullptr || at_ == selection_.count)) {
      INDIGO_ASSIGN(chunk_, input_->next(input_->is_volatile() ? 1 : batch_));
      batch_ = std::min(batch_ * 2, kChunkRows);
      if (chunk_ == nullptr) {
        done_ = true;
        break;
      }
      INDIGO_TRY(state.check());
      arena_.reset();
      ArenaScope scope(state, arena_);
      selection_ = chunk_->selection;
      at_ = 0;
      std::unique_ptr<Error> error;
      if (keys_.evaluate(Frame{{chunk_, nullptr}, extent_of(selection_)}, selection_, error) < selection_.count)
        return error;
      values_.clear();
      for (size_t i = 0; i < keys_.size(); i++) values_.push_back(&keys_[i]);
    }
    return !done_;
  }
  void advance() { at_++; }
  uint32_t row() const { return selection_[at_]; }
  const Chunk& chunk() const { return *chunk_; }
  const std::vector<const Vector*>& keys() const { return values_; }
  bool null_key() const {
    return std::any_of(values_.begin(), values_.end(), [this](const Vector* k) { return k->is_null(row()); });
  }
  size_t key_count() const { return keys_.size(); }
  Phys key_phys(size_t i) const { return keys_.node(i).phys; }

 private:
  OperatorPtr input_;
  ExpressionSet keys_;
  Chunk* chunk_ = nullptr;
  Selection selection_;
  std::vector<const Vector*> values_;
  Arena arena_;
  uint32_t at_ = 0, batch_ = 32;
  bool done_ = false;
};

class MergeJoinOperator final : public Operator {
 public:
  MergeJoinOperator(QueryState& state, const sql::MergeJoinPlan& plan, JoinOutput output, SortOps ops,
                    ExpressionSet left_keys, ExpressionSet right_keys, OperatorPtr left, OperatorPtr right)
      : state_(state),
        type_(plan.type),
        output_(std::move(output)),
        ops_(std::move(ops)),
        left_(std::move(left), std::move(left_keys)),
        right_(std::move(right), std::move(right_keys)) {
    std::vector<Phys> shape = output_.right_phys();
    key_column_ = shape.size();
    for (size_t i = 0; i < right_.key_count(); i++) shape.push_back(right_.key_phys(i));
    group_.init(std::move(shape));
    left_row_.columns.resize(output_.left_phys().size());
  }

  Status open(Open mode) override {
    group_.clear();
    matched_.clear();
    group_at_ = flush_at_ = 0;
    row_open_ = flushing_ = left_done_ = done_ = false;
    pending_ = {};
    error_ = nullptr;
    INDIGO_TRY(left_.open(mode));
    return right_.open(mode);
  }
  void close() override {
    left_.close();
    right_.close();
    group_.clear();
  }

  Result<Chunk*> next(uint32_t max_rows) override {
    if (error_ != nullptr) return std::move(error_);
    arena_.reset();
    ArenaScope scope(state_, arena_);
    output_.prepare(max_rows);
    n_ = 0;
    room_ = max_rows;
    while (n_ < room_ && !done_) {
      Status status = step();
      if (!status.ok()) {
        if (n_ == 0) return status.take_error();
        error_ = status.take_error();
        break;
      }
    }
    if (n_ == 0) return nullptr;
    return output_.finish(state_, output_.left(), output_.right(), {nullptr, n_}, error_);
  }

 private:
  bool keeps_left() const { return type_ == JoinType::kLeft || type_ == JoinType::kFull || type_ == JoinType::kAnti; }
  bool keeps_right() const { return type_ == JoinType::kRight || type_ == JoinType::kFull; }

  Status step() {
    if (pending_.count > 0) return emit_pending();
    if (flushing_) return flush_group();
    if (row_open_) return join_group();
    return next_left();
  }

  // Right rows of the group that no left row has met, then the next thing to do.
  Status flush_group() {
    while (flush_at_ < group_.rows() && n_ < room_) {
      if (keeps_right() && matched_[flush_at_] == 0) emit_right(flush_at_);
      flush_at_++;
    }
    if (flush_at_ < group_.rows()) return {};
    flushing_ = false;
    group_.clear();
    matched_.clear();
    if (left_done_) {
      INDIGO_ASSIGN(bool more, right_.available(state_));
      if (!more || !keeps_right()) {
        done_ = true;
        return {};
      }
      return load_group();
    }
    return {};
  }
  void start_flush() {
    flushing_ = true;
    flush_at_ = 0;
  }

  // Reads the right rows that have the current right row's key.
  Status load_group() {
    group_.clear();
    do {
      all_.clear();
      for (const Vector& v : right_.chunk().columns) all_.push_back(&v);
      all_.insert(all_.end(), right_.keys().begin(), right_.keys().end());
      auto row = static_cast<uint16_t>(right_.row());
      bool null = right_.null_key();
      group_.append(all_, {&row, 1});
      right_.advance();
      INDIGO_TRY(state_.check_memory(group_.bytes()));
      INDIGO_ASSIGN(bool more, right_.available(state_));
      if (!more || null) break;
    } while (ops_.compare(right_.keys(), right_.row(), group_, 0, key_column_) == 0);
    matched_.assign(group_.rows(), 0);
    if (left_done_) start_flush();
    return {};
  }

  Status next_left() {
    INDIGO_ASSIGN(bool more, left_.available(state_));
    if (!more) {
      left_done_ = true;
      if (keeps_right()) {
        start_flush();
      } else {
        done_ = true;
      }
      return {};
    }
    if (left_.null_key()) return unmatched_left();
    // Move the group up to the left row's key.
    while (true) {
      if (group_.rows() > 0) {
        int c = ops_.compare(left_.keys(), left_.row(), group_, 0, key_column_);
        if (c == 0 && !null_group()) {
          row_open_ = true;
          row_matched_ = false;
          group_at_ = 0;
          if (output_.condition()) {
            for (size_t i = 0; i < left_row_.columns.size(); i++) {
              left_row_.columns[i].set_constant(left_.chunk().columns[i].datum(left_.row()));
            }
          }
          return {};
        }
        if (c < 0) return unmatched_left();
        if (keeps_right()) {
          start_flush();
          return {};
        }
      }
      INDIGO_ASSIGN(bool right_more, right_.available(state_));
      if (!right_more) {
        group_.clear();
        return unmatched_left();
      }
      INDIGO_TRY(load_group());
    }
  }
  bool null_group() const {
    for (size_t i = 0; i < right_.key_count(); i++) {
      if (group_.is_null(0, key_column_ + i)) return true;
    }
    return false;
  }

  Status unmatched_left() {
    if (keeps_left()) {
      emit_left(1);
      for (Vector& v : output_.right().columns) v.set_datum(n_, Datum::make_null(v.phys()));
      n_++;
    }
    left_.advance();
    return {};
  }

  // The current left row with the rest of the group.
  Status join_group() {
    if (group_at_ == group_.rows()) {
      row_open_ = false;
      if (!row_matched_) return unmatched_left();
      left_.advance();
      return {};
    }
    first_ = group_at_;
    group_.view(group_at_, group_.rows() - group_at_, view_);
    group_at_ += view_.selection.count;
    Selection passed = view_.selection;
    if (output_.condition()) {
      std::unique_ptr<Error> error;
      uint32_t before = passed.count;
      passed = output_.condition().filter(Frame{{&left_row_, &view_}, extent_of(passed)}, passed, error);
      counters().filtered += before - passed.count;
      if (error != nullptr) return error;
    }
    if (passed.count == 0) return {};
    row_matched_ = true;
    if (type_ == JoinType::kSemi || type_ == JoinType::kAnti) {
      row_open_ = false;
      if (type_ == JoinType::kSemi) {
        emit_left(1);
        for (Vector& v : output_.right().columns) v.set_datum(n_, Datum::make_null(v.phys()));
        n_++;
      }
      left_.advance();
      return {};
    }
    uint16_t* rows = numbers_.reserve(passed.count);
    for (uint32_t i = 0; i < passed.count; i++) {
      rows[i] = static_cast<uint16_t>(passed[i]);
      if (keeps_right()) matched_[first_ / kChunkRows * kChunkRows + passed[i]] = 1;
    }
    pending_ = {rows, passed.count};
    return {};
  }

  Status emit_pending() {
    uint32_t take = std::min(pending_.count, room_ - n_);
    emit_left(take);
    for (size_t c = 0; c < output_.right_phys().size(); c++) {
      copy_rows(output_.right().columns[c], n_, view_.columns[c], {pending_.rows, take}, &arena_);
    }
    pending_ = {pending_.rows + take, pending_.count - take};
    n_ += take;
    return {};
  }

  void emit_left(uint32_t count) {
    for (size_t c = 0; c < output_.left_phys().size(); c++) {
      Datum d = left_.chunk().columns[c].datum(left_.row());
      if (d.phys == Phys::kStr && !d.null) d.str = arena_.copy(d.str);
      for (uint32_t i = 0; i < count; i++) output_.left().columns[c].set_datum(n_ + i, d);
    }
  }
  void emit_right(uint32_t row) {
    for (Vector& v : output_.left().columns) v.set_datum(n_, Datum::make_null(v.phys()));
    for (size_t c = 0; c < output_.right_phys().size(); c++) {
      Datum d = group_.datum(row, c);
      if (d.phys == Phys::kStr && !d.null) d.str = arena_.copy(d.str);
      output_.right().columns[c].set_datum(n_, d);
    }
    n_++;
  }

  QueryState& state_;
  JoinType type_;
  JoinOutput output_;
  SortOps ops_;
  SortedInput left_, right_;
  RowStore group_;  // right rows of one key, then their keys
  size_t key_column_ = 0;
  std::vector<uint8_t> matched_;
  std::vector<const Vector*> all_;
  Chunk left_row_, view_;
  Selection pending_;
  SelectionBuffer numbers_;
  Arena arena_;
  std::unique_ptr<Error> error_;
  uint32_t group_at_ = 0, flush_at_ = 0, first_ = 0, n_ = 0, room_ = 0;
  bool row_open_ = false, row_matched_ = false, flushing_ = false, left_done_ = false, done_ = false;
};

}  // namespace

Result<OperatorPtr> make_merge_join(Builder& b, const sql::MergeJoinPlan& p) {
  INDIGO_ASSIGN(OperatorPtr left, b.build(p.inputs[0]));
  INDIGO_ASSIGN(OperatorPtr right, b.build(p.inputs[1]));
  INDIGO_ASSIGN(JoinOutput output, JoinOutput::make(b, p, *p.inputs[0], *p.inputs[1]));
  INDIGO_ASSIGN(ExpressionSet left_keys, b.compile_all(p.left_keys));
  INDIGO_ASSIGN(ExpressionSet right_keys, b.compile_all(p.right_keys));
  std::vector<types::TypeRef> types;
  std::vector<SortOps::Direction> directions;
  for (size_t i = 0; i < p.left_keys.size(); i++) {
    types.push_back(p.left_keys[i]->type);
    directions.push_back(i < p.order.size() ? SortOps::Direction{p.order[i].descending, p.order[i].nulls_first}
                                            : SortOps::Direction{});
  }
  INDIGO_ASSIGN(SortOps ops, SortOps::make(b, types, directions));
  return OperatorPtr(std::make_unique<MergeJoinOperator>(b.state(), p, std::move(output), std::move(ops),
                                                         std::move(left_keys), std::move(right_keys), std::move(left),
                                                         std::move(right)));
}

}  // namespace indigo::engine::exec
