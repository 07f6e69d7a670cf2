// CTE scans, work-table scans and recursive unions.
#include <algorithm>

#include "engine/exec/aggregate/group_table.h"
#include "engine/exec/operators.h"
#include "storage/store.h"

namespace indigo::engine::exec {
namespace {

// A filter over chunks that views of a RowSpool make.
class StoreReader {
 public:
  explicit StoreReader(Condition filter) : filter_(std::move(filter)) {}
  void reset() {
    at_ = 0;
    rows_.reset();
    error_ = nullptr;
  }
  uint64_t position() const { return at_; }

  // The next rows that pass, of those the store has now; null when it has no more.
  Result<Chunk*> next(QueryState& state, const RowSpool& rows, uint32_t max_rows) {
    while (true) {
      if (error_ != nullptr) return std::move(error_);
      if (at_ >= rows.rows()) return nullptr;
      INDIGO_TRY(rows_.view(rows, at_, max_rows, out_));
      at_ += out_.selection.count;
      if (!filter_) return &out_;
      arena_.reset();
      ArenaScope scope(state, arena_);
      out_.selection = filter_.filter(Frame{{&out_, nullptr}, extent_of(out_.selection)}, out_.selection, error_);
      if (out_.selection.count > 0) return &out_;
    }
  }

 private:
  Condition filter_;
  RowSpool::Reader rows_;
  Chunk out_;
  Arena arena_;
  uint64_t at_ = 0;
  std::unique_ptr<Error> error_;
};

class CteScanOperator final : public Operator {
 public:
  CteScanOperator(QueryState& state, int cte, Condition filter)
      : state_(state), cte_(cte), reader_(std::move(filter)) {}
  Status open(Open) override {
    state_.rescan_cte(cte_);
    reader_.reset();
    return {};
  }
  void close() override {}
  Result<Chunk*> next(uint32_t max_rows) override {
    while (true) {
      INDIGO_ASSIGN(bool more, state_.fetch_cte(cte_, reader_.position()));
      if (!more) return nullptr;
      INDIGO_ASSIGN(Chunk * chunk, reader_.next(state_, state_.ctes()[static_cast<size_t>(cte_)].rows, max_rows));
      if (chunk != nullptr) return chunk;
    }
  }

 private:
  QueryState& state_;
  int cte_;
  StoreReader reader_;
};

class WorkTableScanOperator final : public Operator {
 public:
  WorkTableScanOperator(QueryState& state, int cte, Condition filter)
      : state_(state), cte_(cte), reader_(std::move(filter)) {}
  Status open(Open) override {
    reader_.reset();
    return {};
  }
  void close() override {}
  Result<Chunk*> next(uint32_t max_rows) override {
    const RowSpool* table = state_.ctes()[static_cast<size_t>(cte_)].work_table;
    if (table == nullptr) return nullptr;
    return reader_.next(state_, *table, max_rows);
  }

 private:
  QueryState& state_;
  int cte_;
  StoreReader reader_;
};

// The non-recursive term's rows are the first work table; the recursive term runs over each work table and makes the next.
class RecursiveUnionOperator final : public Operator {
 public:
  RecursiveUnionOperator(QueryState& state, const sql::RecursiveUnionPlan& plan, std::vector<Phys> columns, KeyOps ops,
                         OperatorPtr first, OperatorPtr again)
      : state_(state),
        cte_(plan.cte),
        all_(plan.all),
        columns_(std::move(columns)),
        first_(std::move(first)),
        again_(std::move(again)) {
    if (!all_) seen_.init(std::move(ops), columns_);
  }

  Status open(Open mode) override {
    work_->init(columns_, state_.context().spill);
    next_->init(columns_, state_.context().spill);
    if (!all_) seen_.clear();
    recursing_ = false;
    mode_ = mode;
    return first_->open(mode);
  }
  void close() override {
    first_->close();
    again_->close();
    work_->clear();
    next_->clear();
    if (!all_) seen_.clear();
  }

  Result<Chunk*> next(uint32_t max_rows) override {
    while (true) {
      INDIGO_ASSIGN(Chunk * chunk, (recursing_ ? again_ : first_)->next(max_rows));
      if (chunk == nullptr) {
        if (next_->rows() == 0) return nullptr;
        INDIGO_TRY(state_.check());
        std::swap(work_, next_);
        next_->clear();
        state_.ctes()[static_cast<size_t>(cte_)].work_table = work_.get();
        state_.touch_slot(state_.cte_slot(cte_));
        INDIGO_TRY(again_->open(recursing_ ? Open::kAgain : mode_));
        recursing_ = true;
        continue;
      }
      if (!all_ && !keep_new(*chunk)) continue;
      INDIGO_TRY(next_->append(*chunk));
      INDIGO_TRY(state_.check_memory(next_->bytes() + work_->bytes() + (all_ ? 0 : seen_.bytes())));
      return chunk;
    }
  }

 private:
  // UNION: only rows that were never seen.
  bool keep_new(Chunk& chunk) {
    point_at(chunk, keys_);
    uint32_t before = seen_.size(), n = 0;
    seen_.find_or_add(keys_, chunk.selection, groups_);
    uint16_t* kept = kept_.reserve(chunk.selection.count);
    for (uint32_t i = 0; i < chunk.selection.count; i++) {
      if (groups_[i] != before) continue;
      kept[n++] = static_cast<uint16_t>(chunk.selection[i]);
      before++;
    }
    chunk.selection = {kept, n};
    return n > 0;
  }

  QueryState& state_;
  int cte_;
  bool all_;
  std::vector<Phys> columns_;
  OperatorPtr first_, again_;
  std::unique_ptr<RowSpool> work_ = std::make_unique<RowSpool>(), next_ = std::make_unique<RowSpool>();
  GroupTable seen_;
  std::vector<const Vector*> keys_;
  SelectionBuffer kept_;
  uint32_t groups_[kChunkRows];
  bool recursing_ = false;
  Open mode_ = Open::kFresh;
};

}  // namespace

Status build_cte(QueryState& state, int number) {
  CteState& cte = state.ctes()[static_cast<size_t>(number)];
  if (cte.source != nullptr) return {};
  const sql::PlanPtr& plan = state.statement().ctes[static_cast<size_t>(number)].plan;
  Builder builder(state);
  INDIGO_ASSIGN(cte.source, builder.build(plan));
  cte.columns = builder.phys_of(plan->columns);
  for (int slot : cte.source->slots()) {
    if (slot >= state.statement().runtime_slots || !state.is_initplan_slot(slot)) cte.slots.push_back(slot);
  }
  return {};
}

Result<OperatorPtr> make_cte_scan(Builder& b, const sql::CteScanPlan& p) {
  INDIGO_ASSIGN(Condition filter, b.compile_condition(p.filter));
  INDIGO_TRY(build_cte(b.state(), p.cte));
  for (int slot : b.state().ctes()[static_cast<size_t>(p.cte)].slots) b.use_slot(slot);
  return OperatorPtr(std::make_unique<CteScanOperator>(b.state(), p.cte, std::move(filter)));
}

Result<OperatorPtr> make_work_table_scan(Builder& b, const sql::WorkTableScanPlan& p) {
  INDIGO_ASSIGN(Condition filter, b.compile_condition(p.filter));
  b.use_slot(b.state().cte_slot(p.cte));
  return OperatorPtr(std::make_unique<WorkTableScanOperator>(b.state(), p.cte, std::move(filter)));
}

Result<OperatorPtr> make_recursive_union(Builder& b, const sql::RecursiveUnionPlan& p) {
  INDIGO_ASSIGN(OperatorPtr first, b.build(p.inputs[0]));
  INDIGO_ASSIGN(OperatorPtr again, b.build(p.inputs[1]));
  b.own_slot(b.state().cte_slot(p.cte));
  KeyOps ops;
  if (!p.all) {
    std::vector<types::TypeRef> types;
    for (const sql::PlanColumn& c : p.columns) types.push_back(c.type);
    INDIGO_ASSIGN(ops, KeyOps::make(b, types));
  }
  return OperatorPtr(std::make_unique<RecursiveUnionOperator>(b.state(), p, b.phys_of(p.columns), std::move(ops),
                                                              std::move(first), std::move(again)));
}

}  // namespace indigo::engine::exec
