// Memoize: remembers its input's rows by the values of the runtime slots that they depend on, for the inner side of a nested loop
// that asks with the same values again and again.
//
// Only what has been read to its end is remembered. When the rows outgrow the limit all are forgotten; nothing is remembered any
// more when the values hardly ever come again.
#include <algorithm>
#include <string>
#include <unordered_map>

#include "engine/exec/expression/subplan_cache.h"
#include "engine/exec/operators.h"

namespace indigo::engine::exec {
namespace {

class MemoizeOperator final : public Operator {
 public:
  MemoizeOperator(QueryState& state, std::vector<Phys> columns, std::vector<int> keys, OperatorPtr input)
      : state_(state), columns_(std::move(columns)), keys_(std::move(keys)), input_(std::move(input)) {
    for (const int slot : input_->slots()) {
      if (std::find(keys_.begin(), keys_.end(), slot) == keys_.end()) others_.push_back(slot);
    }
  }

  Status open(Open mode) override {
    const uint64_t generation = state_.generation(others_);
    if (mode == Open::kFresh) input_opened_ = false;
    if (mode == Open::kFresh || !opened_ || generation != generation_) forget();
    if (bytes() > kBytesMax) forget();
    opened_ = true;
    generation_ = generation;
    reading_ = false;
    first_ = kNone;  // rows of a reading that nobody has finished lie at the end unseen, and count for the limit
    if (input_->is_volatile() || (asked_ >= kTrial && hits_ * kWorthwhile < asked_)) {
      reading_ = true;
      return open_input();
    }
    asked_++;
    key_.clear();
    for (const int slot : keys_) append_value(state_.slot(slot), key_);
    const auto found = known_.find(key_);
    if (found != known_.end()) {
      counters().hits++;
      hits_++;
      at_ = found->second.first;
      end_ = at_ + found->second.count;
      return {};
    }
    counters().misses++;
    reading_ = true;
    first_ = rows_.rows();
    return open_input();
  }

  Result<Chunk*> next(uint32_t max_rows) override {
    if (!reading_) {
      if (at_ == end_) return nullptr;
      rows_.view(at_, std::min(max_rows, end_ - at_), out_);
      at_ += out_.selection.count;
      return &out_;
    }
    INDIGO_ASSIGN(Chunk * chunk, input_->next(max_rows));
    if (first_ == kNone) return chunk;  // nothing is remembered, or it has ended before
    if (chunk != nullptr) {
      rows_.append(*chunk);
      INDIGO_TRY(state_.check_memory(rows_.bytes()));
      return chunk;
    }
    known_.emplace(key_, Rows{first_, rows_.rows() - first_});
    key_bytes_ += key_.size() + kEntryBytes;
    counters().note_memory(bytes());
    first_ = kNone;
    return nullptr;
  }

  void close() override {
    input_->close();
    forget();
    opened_ = input_opened_ = false;
    asked_ = hits_ = 0;
  }

 private:
  struct Rows {
    uint32_t first, count;
  };
  static constexpr uint64_t kBytesMax = uint64_t{64} << 20, kEntryBytes = 80;
  static constexpr uint32_t kNone = UINT32_MAX;

  static constexpr uint64_t kTrial = 2048, kWorthwhile = 8;  // after so many, one in so many must have been known

  Status open_input() {
    const Open how = input_opened_ ? Open::kAgain : Open::kFresh;
    input_opened_ = true;
    return input_->open(how);
  }
  uint64_t bytes() const { return rows_.bytes() + key_bytes_; }
  void forget() {
    known_.clear();
    rows_.init(columns_);
    key_bytes_ = 0;
    first_ = kNone;
  }

  QueryState& state_;
  const std::vector<Phys> columns_;
  const std::vector<int> keys_;
  std::vector<int> others_;  // that the input reads, too
  OperatorPtr input_;
  RowStore rows_;
  std::unordered_map<std::string, Rows> known_;
  std::string key_;
  Chunk out_;
  uint64_t generation_ = 0, key_bytes_ = 0, asked_ = 0, hits_ = 0;
  uint32_t first_ = kNone, at_ = 0, end_ = 0;
  bool opened_ = false, input_opened_ = false;
  bool reading_ = false;  // the input; otherwise what is remembered
};

}  // namespace

Result<OperatorPtr> make_memoize(Builder& b, const sql::MaterializePlan& p) {
  INDIGO_ASSIGN(OperatorPtr input, b.build(p.inputs[0]));
  return OperatorPtr(std::make_unique<MemoizeOperator>(b.state(), b.phys_of(p.columns), p.slots, std::move(input)));
}

}  // namespace indigo::engine::exec
