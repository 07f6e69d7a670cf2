// LIMIT, OFFSET, FETCH FIRST ... WITH TIES.
#include <algorithm>

#include "base/sqlstate.h"
#include "engine/exec/operators.h"
#include "engine/exec/row_keys.h"

namespace indigo::engine::exec {
namespace {

class LimitOperator final : public Operator {
 public:
  LimitOperator(QueryState& state, ExpressionSet limit, ExpressionSet offset, ExpressionSet ties, KeyOps tie_ops,
                OperatorPtr input, bool with_ties)
      : state_(state),
        limit_(std::move(limit)),
        offset_(std::move(offset)),
        ties_(std::move(ties)),
        tie_ops_(std::move(tie_ops)),
        input_(std::move(input)),
        with_ties_(with_ties) {}

  Status open(Open mode) override {
    started_ = finished_ = false;

    return input_->open(mode);
  }
  void close() override { input_->close(); }

  Result<Chunk*> next(uint32_t max_rows) override {
    if (!started_) INDIGO_TRY(start());
    if (finished_) return nullptr;
    while (skip_ > 0) {
      INDIGO_TRY(state_.check());
      INDIGO_ASSIGN(Chunk * chunk, input_->next(static_cast<uint32_t>(std::min<uint64_t>(skip_, kChunkRows))));
      if (chunk == nullptr) return end();
      skip_ -= chunk->selection.count;
    }
    if (wanted_ == 0) return with_ties_ && tie_row_ ? next_tie() : end();
    INDIGO_ASSIGN(Chunk * chunk, input_->next(static_cast<uint32_t>(std::min<uint64_t>(wanted_, max_rows))));
    if (chunk == nullptr) return end();
    if (wanted_ != kAll) {
      wanted_ -= chunk->selection.count;
      if (wanted_ == 0 && with_ties_) INDIGO_TRY(remember(*chunk));
    }
    return chunk;
  }

 private:
  static constexpr uint64_t kAll = UINT64_MAX;

  Status start() {
    started_ = true;
    tie_row_ = false;
    skip_ = 0;
    wanted_ = kAll;
    arena_.reset();
    ArenaScope scope(state_, arena_);
    if (!offset_.empty()) {
      INDIGO_TRY(offset_.evaluate_constant());
      if (!offset_[0].is_null(0)) {
        int64_t n = offset_[0].get<int64_t>(0);
        if (n < 0) return Error(sqlstate::kInvalidRowCountInOffset, "OFFSET must not be negative");
        skip_ = static_cast<uint64_t>(n);
      }
    }
    if (!limit_.empty()) {
      INDIGO_TRY(limit_.evaluate_constant());
      if (!limit_[0].is_null(0)) {
        int64_t n = limit_[0].get<int64_t>(0);
        if (n < 0) return Error(sqlstate::kInvalidRowCountInLimit, "LIMIT must not be negative");
        wanted_ = static_cast<uint64_t>(n);
      } else if (with_ties_) {
        return Error(sqlstate::kInvalidRowCountInLimit, "row count cannot be null in FETCH FIRST ... WITH TIES clause");
      }
    }
    if (wanted_ == 0) skip_ = 0;
    return {};
  }

  Result<Chunk*> end() {
    finished_ = true;
    return nullptr;
  }

  // Evaluates the tie keys of the chunk's rows.
  Status keys_of(const Chunk& chunk) {
    std::unique_ptr<Error> error;
    if (ties_.evaluate(Frame{{&chunk, nullptr}, extent_of(chunk.selection)}, chunk.selection, error) <
        chunk.selection.count) {
      return error;
    }
    keys_.clear();
    for (size_t i = 0; i < ties_.size(); i++) keys_.push_back(&ties_[i]);
    return {};
  }
  Status remember(const Chunk& chunk) {
    ArenaScope scope(state_, arena_);
    INDIGO_TRY(keys_of(chunk));
    std::vector<Phys> phys;
    for (const Vector* k : keys_) phys.push_back(k->phys());
    last_.init(phys);
    auto row = static_cast<uint16_t>(chunk.selection[chunk.selection.count - 1]);
    last_.append(keys_, {&row, 1});
    tie_row_ = true;
    return {};
  }
  Result<Chunk*> next_tie() {
    INDIGO_ASSIGN(Chunk * chunk, input_->next(1));
    if (chunk == nullptr) return end();
    ArenaScope scope(state_, arena_);
    INDIGO_TRY(keys_of(*chunk));
    if (!tie_ops_.equal(keys_, chunk->selection[0], last_, 0, 0)) return end();
    return chunk;
  }

  QueryState& state_;
  ExpressionSet limit_, offset_, ties_;
  KeyOps tie_ops_;
  OperatorPtr input_;
  bool with_ties_;
  bool started_ = false, finished_ = false, tie_row_ = false;
  uint64_t skip_ = 0, wanted_ = 0;
  RowStore last_;
  std::vector<const Vector*> keys_;
  Arena arena_{256};
};

}  // namespace

Result<OperatorPtr> make_limit(Builder& b, const sql::LimitPlan& p) {
  INDIGO_ASSIGN(OperatorPtr input, b.build(p.inputs[0]));
  INDIGO_ASSIGN(ExpressionSet limit, b.compile_all(p.limit != nullptr ? sql::ExprList{p.limit} : sql::ExprList{}));
  INDIGO_ASSIGN(ExpressionSet offset, b.compile_all(p.offset != nullptr ? sql::ExprList{p.offset} : sql::ExprList{}));
  sql::ExprList ties;
  std::vector<types::TypeRef> types;
  if (p.with_ties) {
    for (const sql::SortKey& k : p.ties) {
      ties.push_back(k.expr);
      types.push_back(k.expr->type);
    }
  }
  INDIGO_ASSIGN(ExpressionSet tie_keys, b.compile_all(ties));
  INDIGO_ASSIGN(KeyOps tie_ops, KeyOps::make(b, types));
  return OperatorPtr(std::make_unique<LimitOperator>(b.state(), std::move(limit), std::move(offset),
                                                     std::move(tie_keys), std::move(tie_ops), std::move(input),
                                                     p.with_ties));
}

}  // namespace indigo::engine::exec
