// Window: reads one partition at a time, computes each call's column for it, answers the input's rows with these columns.
//
// Where few rows are asked for and no call looks at what is behind a row and its peers, the calls are computed for the part of a
// partition that has been read, whenever that has doubled, and its rows are answered before more is read.
//
// With a run condition the calls are computed for the part of a partition that has been read, whenever that has doubled; once the
// condition is not true for its last row, no more of the partition is kept, and without PARTITION BY nothing more is read.
#include <algorithm>

#include "engine/exec/aggregate/window_call.h"
#include "engine/exec/operators.h"

namespace indigo::engine::exec {
namespace {

class WindowOperator final : public Operator {
 public:
  WindowOperator(QueryState& state, const std::vector<Phys>& input_columns, std::vector<Phys> stored,
                 ExpressionSet partition, KeyOps partition_ops, ExpressionSet order, KeyOps order_ops,
                 ExpressionSet arguments, WindowFrame frame, std::vector<std::unique_ptr<WindowCall>> calls,
                 Needed needed, Condition runs, OperatorPtr input)
      : state_(state),
        input_columns_(input_columns.size()),
        stored_(std::move(stored)),
        partition_(std::move(partition)),
        partition_ops_(std::move(partition_ops)),
        order_(std::move(order)),
        order_ops_(std::move(order_ops)),
        arguments_(std::move(arguments)),
        frame_(std::move(frame)),
        calls_(std::move(calls)),
        needed_(needed),
        runs_(std::move(runs)),
        input_(std::move(input)) {
    std::vector<Phys> results, keys;
    for (auto& call : calls_) results.push_back(call->result_phys());
    for (size_t i = 0; i < partition_.size(); i++) keys.push_back(partition_.node(i).phys);
    for (size_t i = 0; i < order_.size(); i++) keys.push_back(order_.node(i).phys);
    rows_.init(stored_);
    results_.init(std::move(results));
    last_.init(std::move(keys));
  }

  Status open(Open mode) override {
    chunk_ = nullptr;
    at_ = out_at_ = wanted_ = 0;
    batch_ = runs_ ? kFirstLook : kChunkRows;
    input_done_ = started_ = skipping_ = streams_ = unfinished_ = false;
    error_ = nullptr;
    rows_.clear();
    results_.clear();
    last_.clear();
    return input_->open(mode);
  }
  void close() override {
    input_->close();
    rows_.clear();
    results_.clear();
  }

  Result<Chunk*> next(uint32_t max_rows) override {
    if (!started_) {
      started_ = true;
      INDIGO_TRY(frame_.begin(state_));
      streams_ = !runs_ && needed_ != Needed::kPartition && max_rows < kChunkRows / 2;
      if (streams_) batch_ = std::max(kFirstLook, max_rows + 1);
    }
    while (out_at_ == wanted_) {
      if (error_ != nullptr) return std::move(error_);
      INDIGO_ASSIGN(bool more, next_partition());
      if (!more) {
        wanted_ = out_at_;
        return nullptr;
      }
    }
    view(out_at_, std::min(max_rows, wanted_ - out_at_));
    out_at_ += out_.selection.count;
    return &out_;
  }

 private:
  static constexpr uint32_t kFirstLook = 16;  // rows of a partition after which the run condition is first asked

  // out_: rows from `first` on with what has been computed for them.
  void view(uint32_t first, uint32_t n) {
    rows_.view(first, n, input_view_);
    results_.view(first, n, result_view_);
    out_.columns.resize(input_columns_ + calls_.size());
    for (size_t c = 0; c < input_columns_; c++) out_.columns[c].reference(input_view_.columns[c]);
    for (size_t c = 0; c < calls_.size(); c++) out_.columns[input_columns_ + c].reference(result_view_.columns[c]);
    out_.selection = result_view_.selection;
  }

  void begin_partition() {
    rows_.clear();
    out_at_ = 0;
    p_.peer_begin.clear();
    p_.peer_end.clear();
    p_.group.clear();
    p_.group_begin.clear();
    look_at_ = streams_ ? batch_ : kFirstLook;
  }

  // How many rows of the partition have values that nothing behind them can change.
  uint32_t known_rows() const { return needed_ == Needed::kRow ? rows_.rows() : p_.group_begin.back(); }

  // The rows of the next partition, or some more of the one that is unfinished.
  Result<bool> next_partition() {
    results_.clear();
    if (unfinished_) {
      p_.group_begin.pop_back();
    } else {
      begin_partition();
    }
    unfinished_ = false;
    bool complete = false;
    while (!complete) {
      if (chunk_ == nullptr) {
        if (input_done_) break;
        INDIGO_TRY(read());
        if (chunk_ == nullptr) break;
      }
      if (skipping_) {
        skipping_ = !skip_rows();
        continue;
      }
      complete = take_rows();
      INDIGO_TRY(state_.check_memory(rows_.bytes()));
      if (complete || !(runs_ || streams_) || rows_.rows() < look_at_) continue;
      look_at_ = rows_.rows() * 2;
      if (streams_) {
        const uint32_t known = known_rows();
        if (known <= out_at_) continue;
        INDIGO_TRY(compute());
        wanted_ = known;
        unfinished_ = true;
        return true;
      }
      INDIGO_TRY(compute());
      INDIGO_ASSIGN(const uint32_t wanted, wanted_rows());
      if (wanted == rows_.rows()) {
        results_.clear();
        p_.group_begin.pop_back();
        continue;
      }
      skipping_ = true;
      if (partition_.empty()) {
        input_done_ = true;
        chunk_ = nullptr;
      }
      wanted_ = wanted;
      return true;
    }
    if (rows_.rows() == out_at_) {
      if (error_ != nullptr) return error_take();
      if (complete) return next_partition();  // all of this one has been answered
      return false;
    }
    INDIGO_TRY(compute());
    wanted_ = rows_.rows();
    if (runs_) {
      INDIGO_ASSIGN(wanted_, wanted_rows());
    }
    return true;
  }

  // The first rows of those that are there: up to the one for which the run condition is not true.
  Result<uint32_t> wanted_rows() {
    ArenaScope scope(state_, result_arena_);
    for (uint32_t at = 0; at < rows_.rows();) {
      view(at, std::min(rows_.rows() - at, kChunkRows));
      const uint32_t n = out_.selection.count;
      std::unique_ptr<Error> error;
      const Selection passed = runs_.filter(Frame{{&out_, nullptr}, extent_of(out_.selection)}, out_.selection, error);
      if (error != nullptr) return error;
      for (uint32_t i = 0; i < n; i++) {
        if (i == passed.count || passed[i] != out_.selection[i]) return at + i;
      }
      at += n;
    }
    return rows_.rows();
  }

  // Rows of this partition that nobody wants; true when the next one begins.
  bool skip_rows() {
    const auto partition = std::span<const Vector* const>(keys_).first(partition_.size());
    for (; at_ < selection_.count; at_++) {
      const uint32_t r = selection_[at_];
      const bool same = at_ == 0 ? last_.rows() > 0 && partition_ops_.equal(partition, r, last_, 0, 0)
                                 : partition_ops_.equal(partition, r, partition, selection_[at_ - 1]);
      if (!same) return true;
    }
    end_chunk();
    return false;
  }
  Result<bool> error_take() { return std::move(error_); }

  Status read() {
    INDIGO_ASSIGN(chunk_, input_->next(batch_));
    batch_ = std::min(batch_ * 2, kChunkRows);
    if (chunk_ == nullptr) {
      input_done_ = true;
      return {};
    }
    INDIGO_TRY(state_.check());
    arena_.reset();
    ArenaScope scope(state_, arena_);
    selection_ = chunk_->selection;
    at_ = 0;
    Frame frame{{chunk_, nullptr}, extent_of(selection_)};
    std::unique_ptr<Error> error;
    for (ExpressionSet* set : {&partition_, &order_, &arguments_}) {
      selection_.count = set->evaluate(frame, selection_, error);
      if (error != nullptr) return error;
    }
    keys_.clear();
    all_.clear();
    for (size_t i = 0; i < partition_.size(); i++) keys_.push_back(&partition_[i]);
    for (size_t i = 0; i < order_.size(); i++) keys_.push_back(&order_[i]);
    for (size_t c = 0; c < input_columns_; c++) all_.push_back(&chunk_->columns[c]);
    for (size_t i = 0; i < order_.size(); i++) all_.push_back(&order_[i]);
    for (size_t i = 0; i < arguments_.size(); i++) all_.push_back(&arguments_[i]);
    return {};
  }

  // Appends the chunk's rows of this partition; true when the partition has ended.
  bool take_rows() {
    std::span<const Vector* const> keys(keys_);
    std::span<const Vector*const> partition = keys.first(partition_.size()), order = keys.subspan(partition_.size());
    uint32_t first = at_;
    bool ended = false;
    for (; at_ < selection_.count; at_++) {
      uint32_t r = selection_[at_];
      bool same_partition, peer;
      if (at_ == 0) {  // the row before it is the last one of the chunk before
        same_partition = last_.rows() > 0 && partition_ops_.equal(partition, r, last_, 0, 0);
        peer = same_partition && order_ops_.equal(order, r, last_, 0, partition_.size());
      } else {
        uint32_t before = selection_[at_ - 1];
        same_partition = partition_ops_.equal(partition, r, partition, before);
        peer = same_partition && order_ops_.equal(order, r, order, before);
      }
      if (!same_partition && !p_.group.empty()) {
        ended = true;
        break;
      }
      auto row = static_cast<uint32_t>(p_.group.size());
      if (p_.group.empty() || !peer) p_.group_begin.push_back(row);
      p_.group.push_back(static_cast<uint32_t>(p_.group_begin.size() - 1));
    }
    if (at_ > first)
      rows_.append(all_, {selection_.rows == nullptr && first == 0 ? nullptr : part(first), at_ - first});
    if (!ended) end_chunk();
    return ended;
  }
  void end_chunk() {
    last_.clear();
    auto row = static_cast<uint16_t>(selection_[selection_.count - 1]);
    last_.append(keys_, {&row, 1});
    chunk_ = nullptr;
  }
  const uint16_t* part(uint32_t first) {
    if (selection_.rows != nullptr) return selection_.rows + first;
    uint16_t* rows = numbers_.reserve(selection_.count);
    for (uint32_t i = first; i < selection_.count; i++) rows[i] = static_cast<uint16_t>(i);
    return rows + first;
  }

  Status compute() {
    p_.rows = &rows_;
    p_.order_column = input_columns_;
    p_.group_begin.push_back(p_.size());
    p_.peer_begin.resize(p_.size());
    p_.peer_end.resize(p_.size());
    for (uint32_t i = 0; i < p_.size(); i++) {
      p_.peer_begin[i] = p_.group_begin[p_.group[i]];
      p_.peer_end[i] = p_.group_begin[p_.group[i] + 1];
    }
    result_arena_.reset();
    ArenaScope scope(state_, result_arena_);
    values_.resize(calls_.size());
    for (size_t c = 0; c < calls_.size(); c++) {
      values_[c].clear();
      values_[c].reserve(p_.size());
      INDIGO_TRY(calls_[c]->compute(state_, p_, frame_, result_arena_, values_[c]));
    }
    row_.resize(calls_.size());
    for (uint32_t i = 0; i < p_.size(); i++) {
      for (size_t c = 0; c < calls_.size(); c++) row_[c] = values_[c][i];
      results_.append(row_);
    }
    return {};
  }

  QueryState& state_;
  size_t input_columns_;
  std::vector<Phys> stored_;  // input columns, ORDER BY values, the calls' arguments
  ExpressionSet partition_;
  KeyOps partition_ops_;
  ExpressionSet order_;
  KeyOps order_ops_;
  ExpressionSet arguments_;
  WindowFrame frame_;
  std::vector<std::unique_ptr<WindowCall>> calls_;
  const Needed needed_;  // by the call that needs the most
  Condition runs_;       // the run condition; null: there is none
  OperatorPtr input_;

  Chunk* chunk_ = nullptr;
  Selection selection_;
  uint32_t batch_ = kChunkRows;                // rows to read next
  uint32_t at_ = 0, out_at_ = 0, wanted_ = 0;  // wanted_: rows of the partition that are answered
  std::vector<const Vector*> keys_, all_;
  SelectionBuffer numbers_;
  RowStore rows_, results_, last_;
  std::vector<std::vector<Datum>> values_;  // by call, of the partition's rows
  std::vector<Datum> row_;
  WindowPartition p_;
  Chunk input_view_, result_view_, out_;
  Arena arena_, result_arena_;
  std::unique_ptr<Error> error_;
  bool input_done_ = false, started_ = false;
  bool skipping_ = false;    // what is left of the partition
  bool streams_ = false;     // rows are answered before their partition has ended
  bool unfinished_ = false;  // the partition: rows up to wanted_ have been answered, and more are read then
  uint32_t look_at_ = 0;     // rows of the partition when its calls are computed next
};

}  // namespace

namespace {

// A function of its own: windows nest as deep as a statement has different ones, and this one's frame is large.
[[gnu::noinline]] Result<OperatorPtr> make_window_over(Builder& b, const sql::WindowPlan& p, OperatorPtr input) {
  auto types_of = [](const sql::ExprList& list) {
    std::vector<types::TypeRef> types;
    for (const sql::ExprPtr& e : list) types.push_back(e->type);
    return types;
  };
  sql::ExprList order_exprs, argument_exprs;
  for (const sql::SortKey& k : p.window.order) order_exprs.push_back(k.expr);
  INDIGO_ASSIGN(ExpressionSet partition, b.compile_all(p.window.partition));
  INDIGO_ASSIGN(KeyOps partition_ops, KeyOps::make(b, types_of(p.window.partition)));
  INDIGO_ASSIGN(ExpressionSet order, b.compile_all(order_exprs));
  INDIGO_ASSIGN(KeyOps order_ops, KeyOps::make(b, types_of(order_exprs)));
  INDIGO_ASSIGN(WindowFrame frame, WindowFrame::make(b, p.window));
  std::vector<Phys> input_columns = b.phys_of(p.inputs[0]->columns), stored = input_columns;
  for (const sql::ExprPtr& e : order_exprs) stored.push_back(b.phys_of(e->type));
  std::vector<std::unique_ptr<WindowCall>> calls;
  Needed needed = Needed::kRow;
  for (const auto& e : p.calls) {
    INDIGO_ASSIGN(auto call, WindowCall::make(b, *e));
    needed = std::max(needed, WindowCall::needed(*e, p.window));
    call->set_first_column(stored.size());
    for (const sql::ExprPtr& a : call->arguments()) {
      stored.push_back(b.phys_of(a->type));
      argument_exprs.push_back(a);
    }
    calls.push_back(std::move(call));
  }
  INDIGO_ASSIGN(ExpressionSet arguments, b.compile_all(argument_exprs));
  INDIGO_ASSIGN(Condition runs, b.compile_condition(p.run_condition));
  return OperatorPtr(std::make_unique<WindowOperator>(b.state(), std::move(input_columns), std::move(stored),
                                                      std::move(partition), std::move(partition_ops), std::move(order),
                                                      std::move(order_ops), std::move(arguments), std::move(frame),
                                                      std::move(calls), needed, std::move(runs), std::move(input)));
}

}  // namespace

Result<OperatorPtr> make_window(Builder& b, const sql::WindowPlan& p) {
  INDIGO_ASSIGN(OperatorPtr input, b.build(p.inputs[0]));
  return make_window_over(b, p, std::move(input));
}

}  // namespace indigo::engine::exec
