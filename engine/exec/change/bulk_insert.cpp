#include "engine/exec/change/bulk_insert.h"

#include "catalog/descriptor/trigger_info.h"
#include "engine/exec/builder.h"
#include "engine/exec/change/insert.h"
#include "engine/exec/change/row_triggers.h"
#include "engine/exec/change/statement_state.h"
#include "engine/exec/partition/partitioned_insert.h"
#include "engine/exec/row_store.h"

namespace indigo::engine {
namespace {

using namespace exec;  // NOLINT(google-build-using-namespace): this file is the executor's other entrance

class BulkInsertImpl final : public BulkInsert {
 public:
  BulkInsertImpl(const ExecutionContext& context, BulkInsertPlan plan)
      : plan_(std::move(plan)), state_(std::make_shared<sql::PlannedStatement>()) {
    state_.begin(context);
  }
  ~BulkInsertImpl() override { state_.end(); }

  Status prepare() {
    state_.changes().use(state_.context().triggers, plan_.relation);
    Builder builder(state_);
    std::vector<sql::Assignment> assignments = plan_.defaults;
    std::vector<Phys> shape;
    for (size_t i = 0; i < plan_.columns.size(); i++) {
      auto column = std::make_shared<sql::ColumnExpr>();
      column->column = static_cast<int>(i);
      column->type = plan_.relation->columns[static_cast<size_t>(plan_.columns[i])].type;
      assignments.push_back({plan_.columns[i], column});
      shape.push_back(plan_.relation->layout.phys(static_cast<size_t>(plan_.columns[i])));
    }
    sql::ChangePlan& change = change_;
    change.relation = plan_.relation;
    change.named_columns = plan_.columns;
    change.generated = plan_.generated;
    change.checks = plan_.checks;
    change.check_names = plan_.check_names;
    INDIGO_ASSIGN(Condition where, builder.compile_condition(plan_.where));
    if (plan_.relation->is_partitioned()) {
      partitioned_ = std::make_unique<PartitionedInsert>(state_, change_, nullptr);
      INDIGO_TRY(partitioned_->prepare(builder, assignments));
      partitioned_->set_filter(std::move(where));
    } else {
      const bool view = plan_.relation->kind == catalog::RelationKind::kView;
      if (view) instead_ = std::make_unique<RowTriggers>(state_, plan_.relation);
      INDIGO_ASSIGN(inserter_, RowInserter::make(builder, change, assignments, view));
      inserter_->set_filter(std::move(where));
      INDIGO_TRY(inserter_->target().check_foreign());
    }
    gathered_.init(std::move(shape));
    return fire_before_statement(state_, plan_.relation, catalog::kTriggerInsert, {});
  }

  Status add(const Chunk& rows) override {
    INDIGO_TRY(flush());
    return write(rows);
  }

  Status add(std::span<const Datum> row) override {
    gathered_.append(row);
    if (gathered_.rows() == kChunkRows) return flush();
    return {};
  }

  Status flush() override {
    if (gathered_.rows() == 0) return {};
    gathered_.view(0, gathered_.rows(), view_);
    Status status = write(view_);
    gathered_.clear();
    return status;
  }

  Status finish() override {
    INDIGO_TRY(flush());
    INDIGO_TRY(queue_after_statement(state_, plan_.relation, catalog::kTriggerInsert, {}));
    return state_.finish_foreign_keys();
  }

  uint64_t inserted() const override { return inserted_; }
  uint64_t row_number() const override { return row_number_; }

 private:
  Status write(const Chunk& rows) {
    INDIGO_TRY(state_.check());
    arena_.reset();
    ArenaScope scope(state_, arena_);
    std::unique_ptr<Error> error;
    if (partitioned_ != nullptr) {
      inserted_ += partitioned_->insert(rows, rows.selection, error);
      row_number_ += error != nullptr ? partitioned_->consumed() + 1 : rows.selection.count;
      if (error != nullptr) return error;
      return {};
    }
    if (instead_ != nullptr) return hand_over(rows);
    inserter_->insert(rows, rows.selection, nullptr, error);
    inserted_ += inserter_->inserted();
    row_number_ += error != nullptr ? inserter_->consumed() + 1 : rows.selection.count;
    if (error != nullptr) return error;
    return {};
  }

  // A view's rows, to its INSTEAD OF triggers.
  Status hand_over(const Chunk& rows) {
    std::unique_ptr<Error> error;
    const Selection chosen = inserter_->compute(rows, rows.selection, error);
    if (error != nullptr) return error;
    for (uint32_t i = 0; i < chosen.count; i++) {
      image_.clear();
      plan_.relation->layout.encode(inserter_->columns(), chosen[i], image_);
      auto taken = instead_->fire(catalog::kTriggerInstead, catalog::kTriggerInsert, {}, image_);
      if (!taken.ok()) {
        row_number_ += chosen[i] + 1;
        return taken.take_error();
      }
      inserted_++;  // even when a trigger wants no row: PostgreSQL counts what was read
    }
    row_number_ += rows.selection.count;
    return {};
  }

  BulkInsertPlan plan_;
  QueryState state_;
  sql::ChangePlan change_;
  std::unique_ptr<RowInserter> inserter_;
  std::unique_ptr<PartitionedInsert> partitioned_;
  std::unique_ptr<RowTriggers> instead_;
  std::string image_;
  RowStore gathered_;
  Chunk view_;
  Arena arena_;
  uint64_t inserted_ = 0, row_number_ = 0;
};

}  // namespace

Result<std::unique_ptr<BulkInsert>> BulkInsert::create(const ExecutionContext& context, BulkInsertPlan plan) {
  auto bulk = std::make_unique<BulkInsertImpl>(context, std::move(plan));
  INDIGO_TRY(bulk->prepare());
  return std::unique_ptr<BulkInsert>(std::move(bulk));
}

}  // namespace indigo::engine
