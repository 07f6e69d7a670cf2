// FunctionScan: functions in FROM; several (ROWS FROM) run side by side, the shorter ones filled up with nulls.
#include <algorithm>

#include "engine/exec/expression/set_call.h"
#include "engine/exec/operators.h"

namespace indigo::engine::exec {
namespace {

class FunctionScanOperator final : public Operator {
 public:
  FunctionScanOperator(QueryState& state, std::vector<Phys> columns, std::vector<std::unique_ptr<SetCall>> calls,
                       bool ordinality, Condition filter)
      : state_(state),
        columns_(std::move(columns)),
        calls_(std::move(calls)),
        ordinality_(ordinality),
        filter_(std::move(filter)) {
    out_.columns.resize(columns_.size());
  }

  Status open(Open) override {
    started_ = false;
    row_number_ = 0;
    error_ = nullptr;
    left_ = {};
    batch_ = 0;
    return {};
  }
  void close() override {
    for (auto& call : calls_) call->close();
  }

  Result<Chunk*> next(uint32_t max_rows) override {
    if (!started_) INDIGO_TRY(start());
    while (left_.count == 0) {
      if (error_ != nullptr) return std::move(error_);
      batch_ = filter_ ? std::max(max_rows, std::min(batch_ * 2, kChunkRows)) : max_rows;
      INDIGO_ASSIGN(uint32_t n, fill(batch_));
      if (n == 0) return nullptr;
      left_ = {nullptr, n};
      if (filter_) {
        ArenaScope scope(state_, arena_);
        left_ = filter_.filter(Frame{{&out_, nullptr}, n}, left_, error_);
        counters().filtered += n - left_.count;
      }
    }
    uint32_t n = std::min(left_.count, max_rows);
    out_.selection = {left_.rows, n};
    left_ = left_.rows == nullptr ? Selection{} : Selection{left_.rows + n, left_.count - n};
    return &out_;
  }

 private:
  Status start() {
    started_ = true;
    arena_.reset();
    ArenaScope scope(state_, arena_);
    for (auto& call : calls_) {
      INDIGO_TRY(call->arguments().evaluate_constant());
      INDIGO_TRY(call->open(state_, 0));
    }
    return {};
  }

  Result<uint32_t> fill(uint32_t capacity) {
    if (row_number_ > 0) INDIGO_TRY(state_.check());
    arena_.reset();
    uint32_t n = 0;
    for (auto& call : calls_) {
      INDIGO_ASSIGN(bool more, call->available(state_, capacity));
      if (more) n = n == 0 ? call->buffered() : std::min(n, call->buffered());
    }
    n = std::min(n, capacity);
    if (n == 0) return n;
    for (size_t c = 0; c < columns_.size(); c++) out_.columns[c].init(columns_[c], n);
    size_t column = 0;
    for (auto& call : calls_) {
      if (call->buffered() > 0) {
        call->take(n, out_.columns, column, 0, arena_);
      } else {
        for (size_t c = 0; c < call->column_count(); c++) {
          for (uint32_t i = 0; i < n; i++)
            out_.columns[column + c].set_datum(i, Datum::make_null(columns_[column + c]));
        }
      }
      column += call->column_count();
    }
    if (ordinality_) {
      for (uint32_t i = 0; i < n; i++) out_.columns[column].set(i, static_cast<int64_t>(row_number_ + i + 1));
    }
    row_number_ += n;
    return n;
  }

  QueryState& state_;
  std::vector<Phys> columns_;
  std::vector<std::unique_ptr<SetCall>> calls_;
  bool ordinality_;
  Condition filter_;
  Chunk out_;
  Arena arena_;
  Selection left_;
  std::unique_ptr<Error> error_;
  uint64_t row_number_ = 0;
  uint32_t batch_ = 0;
  bool started_ = false;
};

}  // namespace

Result<OperatorPtr> make_function_scan(Builder& b, const sql::FunctionScanPlan& p) {
  std::vector<Phys> columns = b.phys_of(p.columns);
  std::vector<std::unique_ptr<SetCall>> calls;
  size_t at = 0;
  for (const auto& f : p.functions) {
    auto n = static_cast<size_t>(f.column_count);
    std::vector<types::TypeRef> own;
    for (size_t i = at; i < at + n; i++) own.push_back(p.columns[i].type);
    INDIGO_ASSIGN(auto call, SetCall::make(b, f.call, std::move(own), false));
    calls.push_back(std::move(call));
    at += n;
  }
  INDIGO_ASSIGN(Condition filter, b.compile_condition(p.filter));
  OperatorPtr scan = std::make_unique<FunctionScanOperator>(b.state(), columns, std::move(calls), p.with_ordinality,
                                                            std::move(filter));
  // Who reads the rows again must not call a volatile function again for them.
  const bool once = std::any_of(p.functions.begin(), p.functions.end(),
                                [](const sql::Entry::Function& f) { return sql::contains_volatile(*f.call); });
  if (!once) return scan;
  return remember_rows(b, std::move(columns), std::move(scan));
}

}  // namespace indigo::engine::exec
