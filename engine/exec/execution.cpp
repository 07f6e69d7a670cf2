// Execution: builds the operators at the first open and keeps them; runs the root, then what must run to its end.
//
// A statement that changes data runs to its end before its first row is answered (RETURNING's rows wait), so that errors of
// later rows and of foreign keys come before any row, as they do in PostgreSQL.
#include "engine/exec/execution.h"

#include <algorithm>

#include "base/raised_error.h"
#include "base/sqlstate.h"
#include "engine/exec/builder.h"
#include "engine/exec/operators.h"
#include "engine/exec/query_state.h"
#include "engine/exec/scan/index_key.h"

namespace indigo::engine {
namespace {

using exec::Open;

class ExecutionImpl final : public Execution {
 public:
  ExecutionImpl(std::shared_ptr<const sql::PlannedStatement> statement, bool analyze)
      : statement_(std::move(statement)), state_(statement_) {
    if (analyze) state_.analysis = std::make_unique<exec::QueryState::Counters>();
    changes_ = statement_->command != sql::CommandKind::kSelect;
    for (const auto& cte : statement_->ctes) changes_ |= cte.changes_data;
    visible_ = statement_->targets.size() + statement_->cursor_columns;
  }
  ~ExecutionImpl() override { close(); }

  Status open(const ExecutionContext& context) override {
    close();
    state_.begin(context);
    if (root_ == nullptr) {
      Status built = build();
      if (!built.ok()) {
        root_ = nullptr;
        return built;
      }
    }
    open_ = true;
    changed_ = ended_ = false;
    at_ = 0;
    return catch_raised([&] { return root_->open(Open::kFresh); });
  }

  Result<const Chunk*> next(uint32_t max_rows) override {
    auto rows = catch_raised([&] { return next_chunk(max_rows); });
    if (!rows.ok() && rows.error().state == sqlstate::kInternalError) {
      // Who reads an index computes keys, too: storage says only that it could not.
      if (auto failure = exec::noted_key_error(state_.session())) return *std::move(failure);
    }
    return rows;
  }

  uint64_t affected_rows() const override { return state_.affected(); }

  const sql::PlanCounters* counters(const sql::Plan& plan) const override {
    if (state_.analysis == nullptr) return nullptr;
    auto at = state_.analysis->find(&plan);
    return at == state_.analysis->end() ? nullptr : at->second;
  }

  void close() override {
    if (!open_) return;
    open_ = false;
    if (root_ != nullptr) root_->close();
    state_.end();
    constexpr uint64_t kKeptBytesMax = 8 << 20;
    if (state_.peak_memory_bytes() > kKeptBytesMax || state_.keeps_labels()) {
      root_.reset();
      state_.forget_operators();
      returned_.release();
    }
    returned_.clear();
  }

 private:
  Result<const Chunk*> next_chunk(uint32_t max_rows) {
    if (!open_ || ended_) return nullptr;
    uint32_t wanted = max_rows == 0 ? kChunkRows : std::min(max_rows, kChunkRows);
    if (changes_) {
      if (!changed_) INDIGO_TRY(run_changes());
      if (at_ == returned_.rows()) {
        ended_ = true;
        return nullptr;
      }
      returned_.view(at_, std::min(wanted, returned_.rows() - at_), out_);
      at_ += out_.selection.count;
      return &out_;
    }
    INDIGO_ASSIGN(Chunk * chunk, root_->next(wanted));
    if (chunk == nullptr) {
      ended_ = true;
      return nullptr;
    }
    if (chunk->columns.size() == visible_) return chunk;
    out_.columns.resize(visible_);
    for (size_t c = 0; c < visible_; c++) out_.columns[c].reference(chunk->columns[c]);
    out_.selection = chunk->selection;
    return &out_;
  }

  Status build() {
    exec::Builder builder(state_);
    for (size_t i = 0; i < statement_->initplans.size(); i++) {
      auto index = static_cast<size_t>(statement_->initplans[i].subplan);
      if (state_.subplans()[index] != nullptr) continue;
      INDIGO_ASSIGN(state_.subplans()[index], builder.build(statement_->subplans[index]));
    }
    for (size_t i = 0; i < statement_->ctes.size(); i++) INDIGO_TRY(exec::build_cte(state_, static_cast<int>(i)));
    INDIGO_ASSIGN(root_, builder.build(statement_->root));
    std::vector<Phys> columns = builder.phys_of(statement_->root->columns);
    columns.resize(std::min(columns.size(), visible_));
    returned_.init(std::move(columns));
    return {};
  }

  Status run_changes() {
    changed_ = true;
    returned_.clear();
    while (true) {
      INDIGO_ASSIGN(Chunk * chunk, root_->next(kChunkRows));
      if (chunk == nullptr) break;
      if (returned_.column_count() > 0) {
        chunk_columns_.clear();
        for (size_t c = 0; c < returned_.column_count(); c++) chunk_columns_.push_back(&chunk->columns[c]);
        returned_.append(chunk_columns_, chunk->selection);
      }
    }
    for (size_t i = 0; i < statement_->ctes.size(); i++) {
      if (!statement_->ctes[i].changes_data) continue;
      INDIGO_TRY(state_.fetch_cte(static_cast<int>(i), UINT32_MAX));
    }
    return state_.finish_foreign_keys();
  }

  std::shared_ptr<const sql::PlannedStatement> statement_;
  exec::QueryState state_;
  exec::OperatorPtr root_;
  exec::RowStore returned_;
  std::vector<const Vector*> chunk_columns_;
  Chunk out_;
  uint32_t at_ = 0;
  size_t visible_ = 0;
  bool changes_ = false, open_ = false, changed_ = false, ended_ = false;
};

}  // namespace

std::unique_ptr<Execution> Execution::create(std::shared_ptr<const sql::PlannedStatement> statement, bool analyze) {
  return std::make_unique<ExecutionImpl>(std::move(statement), analyze);
}

}  // namespace indigo::engine
