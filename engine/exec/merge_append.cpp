#include "engine/exec/merge_append.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/sqlstate.h"
#include "engine/exec/operators.h"
#include "engine/exec/row_keys.h"

namespace indigo::engine::exec {
namespace {

// What is first read of an input at once; then twice as much each time.
constexpr uint32_t kFirstRows = 8;

class MergeAppendOperator final : public Operator {
 public:
  MergeAppendOperator(QueryState& state, std::vector<Phys> columns, ExpressionSet keys, SortOps ops,
                      PrunedInputs inputs)
      : state_(state),
        columns_(std::move(columns)),
        keys_(std::move(keys)),
        ops_(std::move(ops)),
        inputs_(std::move(inputs)) {}

  Status open(Open mode) override {
    started_ = false;
    error_.reset();
    return inputs_.open(mode);
  }

  Result<Chunk*> next(uint32_t max_rows) override {
    if (!started_) INDIGO_TRY(start());
    INDIGO_TRY(state_.check());
    rows_.init(columns_);
    picked_.clear();
    if (error_ != nullptr) return *error_;
    while (picked_.size() < max_rows && !heap_.empty()) {
      const size_t first = heap_.front();
      std::pop_heap(heap_.begin(), heap_.end(), after_);
      heap_.pop_back();
      if (Status status = take_run(first, max_rows); !status.ok()) {  // the rows before it come first
        error_ = status.take_error();
        break;
      }
      if (heads_[first].chunk == nullptr) continue;
      heap_.push_back(first);
      std::push_heap(heap_.begin(), heap_.end(), after_);
    }
    if (picked_.empty() && error_ != nullptr) return *error_;
    if (picked_.empty()) return nullptr;
    out_.columns.resize(columns_.size());
    rows_.gather(picked_, out_);
    out_.selection = {nullptr, static_cast<uint32_t>(picked_.size())};
    return &out_;
  }

  void close() override {
    inputs_.close();
    rows_.clear();
    heads_.clear();
    heap_.clear();
    started_ = false;
  }

 private:
  // Where an input stands.
  struct Head {
    Chunk* chunk = nullptr;         // null: at its end
    uint32_t at = 0;                // into the chunk's selection
    uint32_t batch = kFirstRows;    // to be asked for next
    std::vector<std::string> keys;  // by place in the selection
    const std::string& key() const { return keys[at]; }
  };
  // The smaller key comes first; of equal ones, that of the input named first.
  struct After {
    const std::vector<Head>& heads;
    bool operator()(size_t a, size_t b) const {
      const int order = heads[a].key().compare(heads[b].key());
      return order != 0 ? order > 0 : a > b;
    }
  };

  Status start() {
    INDIGO_TRY(inputs_.prune());
    heads_.assign(inputs_.size(), Head());
    heap_.clear();
    for (size_t i = 0; i < heads_.size(); i++) {
      INDIGO_TRY(read(i));
      if (heads_[i].chunk != nullptr) heap_.push_back(i);
    }
    std::make_heap(heap_.begin(), heap_.end(), after_);
    started_ = true;
    return {};
  }

  // The next chunk of an input, with its keys.
  Status read(size_t input) {
    Head& head = heads_[input];
    INDIGO_ASSIGN(head.chunk, inputs_[input].next(is_volatile() ? 1 : head.batch));
    head.batch = std::min(head.batch * 2, kChunkRows);
    head.at = 0;
    if (head.chunk == nullptr) return {};
    const Selection rows = head.chunk->selection;
    arena_.reset();
    const ArenaScope scope(state_, arena_);
    std::unique_ptr<Error> error;
    if (keys_.evaluate(Frame{{head.chunk, nullptr}, extent_of(rows)}, rows, error) < rows.count) return *error;
    pointers_.clear();
    for (size_t i = 0; i < keys_.size(); i++) pointers_.push_back(&keys_[i]);
    if (head.keys.size() < rows.count) head.keys.resize(rows.count);
    for (uint32_t i = 0; i < rows.count; i++) {
      head.keys[i].clear();
      ops_.append(pointers_, rows[i], head.keys[i]);
    }
    return {};
  }

  // Takes of an input what comes before the others' next rows.
  Status take_run(size_t input, uint32_t max_rows) {
    Head& head = heads_[input];
    const Selection rows = head.chunk->selection;
    run_.clear();
    do {
      run_.push_back(static_cast<uint16_t>(rows[head.at++]));
    } while (head.at < rows.count && picked_.size() + run_.size() < max_rows &&
             (heap_.empty() || after_(heap_.front(), input)));
    point_at(*head.chunk, pointers_);
    const uint32_t first = rows_.append(pointers_, {run_.data(), static_cast<uint32_t>(run_.size())});
    for (uint32_t i = 0; i < run_.size(); i++) picked_.push_back(first + i);
    return head.at == rows.count ? read(input) : Status();
  }

  QueryState& state_;
  std::vector<Phys> columns_;
  ExpressionSet keys_;
  SortOps ops_;
  PrunedInputs inputs_;
  std::vector<Head> heads_;
  std::vector<size_t> heap_;  // of inputs that are not at their end
  const After after_{heads_};
  std::vector<uint16_t> run_;
  std::vector<const Vector*> pointers_;
  Arena arena_;
  RowStore rows_;  // of the chunk that is given
  std::vector<uint32_t> picked_;
  Chunk out_;
  std::unique_ptr<Error> error_;  // of a row that comes after what was given
  bool started_ = false;
};

}  // namespace

Result<OperatorPtr> make_merge_append(Builder& b, const sql::AppendPlan& p, PrunedInputs inputs) {
  sql::ExprList exprs;
  std::vector<types::TypeRef> types;
  std::vector<SortOps::Direction> directions;
  for (const sql::SortKey& k : p.order) {
    exprs.push_back(k.expr);
    types.push_back(k.expr->type);
    directions.push_back({k.descending, k.nulls_first});
  }
  INDIGO_ASSIGN(ExpressionSet keys, b.compile_all(exprs));
  INDIGO_ASSIGN(SortOps ops, SortOps::make(b, types, directions));
  if (!ops.encodable()) return Error(sqlstate::kInternalError, "Merge Append over a type without byte keys");
  return OperatorPtr(std::make_unique<MergeAppendOperator>(b.state(), b.phys_of(p.columns), std::move(keys),
                                                           std::move(ops), std::move(inputs)));
}

}  // namespace indigo::engine::exec
