// DISTINCT and DISTINCT ON: the first row of each key, in order of arrival.
#include <algorithm>

#include "engine/exec/aggregate/group_table.h"
#include "engine/exec/operators.h"

namespace indigo::engine::exec {
namespace {

class DistinctOperator final : public Operator {
 public:
  DistinctOperator(QueryState& state, ExpressionSet on, KeyOps ops, std::vector<Phys> phys, bool sorted,
                   OperatorPtr input)
      : state_(state), on_(std::move(on)), ops_(ops), sorted_(sorted), input_(std::move(input)) {
    last_.init(phys);
    table_.init(std::move(ops), std::move(phys));
  }

  Status open(Open mode) override {
    table_.clear();
    last_.clear();
    error_ = nullptr;
    return input_->open(mode);
  }
  void close() override {
    input_->close();
    table_.clear();
    last_.clear();
  }

  Result<Chunk*> next(uint32_t max_rows) override {
    while (true) {
      if (error_ != nullptr) return std::move(error_);
      INDIGO_ASSIGN(Chunk * chunk, input_->next(max_rows));
      if (chunk == nullptr) return nullptr;
      INDIGO_TRY(state_.check());
      arena_.reset();
      ArenaScope scope(state_, arena_);
      Selection rows = chunk->selection;
      rows.count = on_.evaluate(Frame{{chunk, nullptr}, extent_of(rows)}, rows, error_);
      if (rows.count == 0) continue;
      keys_.clear();
      for (size_t i = 0; i < on_.size(); i++) keys_.push_back(&on_[i]);
      uint16_t* kept = kept_.reserve(rows.count);
      uint32_t n = sorted_ ? pick_sorted(rows, kept) : pick_hashed(rows, kept);
      if (!sorted_) {
        counters().note_memory(table_.bytes());
        INDIGO_TRY(state_.check_memory(table_.bytes()));
      }
      if (n == 0) continue;
      chunk->selection = {kept, n};
      return chunk;
    }
  }

 private:
  uint32_t pick_hashed(Selection rows, uint16_t* kept) {
    uint32_t n = 0, before = table_.size();
    table_.find_or_add(keys_, rows, groups_);
    for (uint32_t i = 0; i < rows.count; i++) {
      if (groups_[i] != before) continue;  // not the next new group: its first row was seen
      kept[n++] = static_cast<uint16_t>(rows[i]);
      before++;
    }
    return n;
  }
  uint32_t pick_sorted(Selection rows, uint16_t* kept) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < rows.count; i++) {
      bool same = i == 0 ? last_.rows() > 0 && ops_.equal(keys_, rows[i], last_, 0, 0)
                         : ops_.equal(keys_, rows[i], keys_, rows[i - 1]);
      if (!same) kept[n++] = static_cast<uint16_t>(rows[i]);
    }
    last_.clear();
    auto row = static_cast<uint16_t>(rows[rows.count - 1]);
    last_.append(keys_, {&row, 1});
    return n;
  }

  QueryState& state_;
  ExpressionSet on_;
  KeyOps ops_;
  bool sorted_;
  OperatorPtr input_;
  GroupTable table_;
  RowStore last_;
  std::vector<const Vector*> keys_;
  SelectionBuffer kept_;
  uint32_t groups_[kChunkRows];
  Arena arena_;
  std::unique_ptr<Error> error_;
};

}  // namespace

Result<OperatorPtr> make_distinct(Builder& b, const sql::DistinctPlan& p) {
  INDIGO_ASSIGN(OperatorPtr input, b.build(p.inputs[0]));
  std::vector<types::TypeRef> types;
  std::vector<Phys> phys;
  for (const sql::ExprPtr& e : p.on) {
    types.push_back(e->type);
    phys.push_back(b.phys_of(e->type));
  }
  INDIGO_ASSIGN(ExpressionSet on, b.compile_all(p.on));
  INDIGO_ASSIGN(KeyOps ops, KeyOps::make(b, types));
  return OperatorPtr(std::make_unique<DistinctOperator>(b.state(), std::move(on), std::move(ops), std::move(phys),
                                                        p.sorted, std::move(input)));
}

}  // namespace indigo::engine::exec
