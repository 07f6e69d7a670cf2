// ProjectSet: set-returning functions in a select list. For each input row the functions run side by side until the last one
// ends; the other columns repeat. A row whose functions answer nothing disappears.
#include <algorithm>

#include "engine/exec/expression/set_call.h"
#include "engine/exec/operators.h"

namespace indigo::engine::exec {
namespace {

class ProjectSetOperator final : public Operator {
 public:
  struct Column {
    std::unique_ptr<SetCall> call;  // null: the next plain expression
    size_t plain = 0;
  };
  ProjectSetOperator(QueryState& state, std::vector<Phys> columns, std::vector<Column> items, ExpressionSet plain,
                     OperatorPtr input)
      : state_(state),
        columns_(std::move(columns)),
        items_(std::move(items)),
        plain_(std::move(plain)),
        input_(std::move(input)) {
    out_.columns.resize(columns_.size());
  }

  Status open(Open mode) override {
    chunk_ = nullptr;
    at_ = 0;
    row_open_ = false;
    error_ = nullptr;
    return input_->open(mode);
  }
  void close() override { input_->close(); }

  Result<Chunk*> next(uint32_t max_rows) override {
    if (error_ != nullptr) return std::move(error_);
    arena_.reset();
    for (size_t c = 0; c < columns_.size(); c++) out_.columns[c].init(columns_[c], max_rows);
    uint32_t n = 0;
    INDIGO_TRY(state_.check());
    while (n < max_rows) {
      Result<bool> more = step(n, max_rows);
      if (!more.ok()) {
        if (n == 0) return more.take_error();
        error_ = more.take_error();
        break;
      }
      if (!*more) break;
    }
    if (n == 0) return nullptr;
    out_.selection = {nullptr, n};
    return &out_;
  }

 private:
  // Emits some rows or moves to the next input row; false at the end.
  Result<bool> step(uint32_t& n, uint32_t max_rows) {
    if (!row_open_) return next_row();
    uint32_t rows = 0;
    for (Column& item : items_) {
      if (item.call == nullptr) continue;
      INDIGO_ASSIGN(bool more, item.call->available(state_, max_rows - n));
      if (more) rows = rows == 0 ? item.call->buffered() : std::min(rows, item.call->buffered());
    }
    if (rows == 0) {
      row_open_ = false;
      return true;
    }
    rows = std::min(rows, max_rows - n);
    for (size_t c = 0; c < items_.size(); c++) {
      Column& item = items_[c];
      if (item.call != nullptr && item.call->buffered() > 0) {
        item.call->take(rows, out_.columns, c, n, arena_);
        continue;
      }
      Datum d = item.call != nullptr ? Datum::make_null(columns_[c]) : plain_[item.plain].datum(row_);
      if (d.phys == Phys::kStr && !d.null) d.str = arena_.copy(d.str);
      for (uint32_t i = 0; i < rows; i++) out_.columns[c].set_datum(n + i, d);
    }
    n += rows;
    return true;
  }

  Result<bool> next_row() {
    if (chunk_ == nullptr || at_ == chunk_->selection.count) {
      INDIGO_ASSIGN(chunk_, input_->next(is_volatile() ? 1 : 32));
      if (chunk_ == nullptr) return false;
      INDIGO_TRY(state_.check());
      at_ = 0;
      row_arena_.reset();
    }
    row_ = chunk_->selection[at_++];
    auto r = static_cast<uint16_t>(row_);
    Frame frame{{chunk_, nullptr}, row_ + 1};
    ArenaScope scope(state_, row_arena_);
    std::unique_ptr<Error> error;
    if (plain_.evaluate(frame, {&r, 1}, error) == 0) return error;
    for (Column& item : items_) {
      if (item.call == nullptr) continue;
      if (item.call->arguments().evaluate(frame, {&r, 1}, error) == 0) return error;
      INDIGO_TRY(item.call->open(state_, row_));
    }
    row_open_ = true;
    return true;
  }

  QueryState& state_;
  std::vector<Phys> columns_;
  std::vector<Column> items_;
  ExpressionSet plain_;
  OperatorPtr input_;
  Chunk* chunk_ = nullptr;
  Chunk out_;
  Arena arena_, row_arena_;
  std::unique_ptr<Error> error_;
  uint32_t at_ = 0, row_ = 0;
  bool row_open_ = false;
};

}  // namespace

Result<OperatorPtr> make_project_set(Builder& b, const sql::ProjectSetPlan& p) {
  INDIGO_ASSIGN(OperatorPtr input, b.build(p.inputs[0]));
  std::vector<Phys> columns = b.phys_of(p.columns);
  std::vector<ProjectSetOperator::Column> items;
  sql::ExprList plain;
  for (size_t i = 0; i < p.projection.size(); i++) {
    ProjectSetOperator::Column item;
    const auto* call = sql::try_as<sql::CallExpr>(p.projection[i]);
    if (call != nullptr && call->returns_set) {
      INDIGO_ASSIGN(item.call, SetCall::make(b, p.projection[i], {p.columns[i].type}, true));
    } else {
      item.plain = plain.size();
      plain.push_back(p.projection[i]);
    }
    items.push_back(std::move(item));
  }
  INDIGO_ASSIGN(ExpressionSet compiled, b.compile_all(plain));
  return OperatorPtr(std::make_unique<ProjectSetOperator>(b.state(), std::move(columns), std::move(items),
                                                          std::move(compiled), std::move(input)));
}

}  // namespace indigo::engine::exec
