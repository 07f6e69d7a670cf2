// TableScan of WHERE CURRENT OF: the row that a cursor stands on, as the statement's snapshot sees it. A row whose key this
// transaction has changed since is followed to its new key.
#include "base/sqlstate.h"
#include "engine/exec/execution.h"
#include "engine/exec/operators.h"
#include "engine/exec/scan/cursor_rows.h"
#include "engine/exec/scan/row_decoder.h"
#include "storage/table.h"

namespace indigo::engine::exec {
namespace {

class CurrentRowOperator final : public Operator {
 public:
  CurrentRowOperator(QueryState& state, const sql::TableScanPlan& plan, Condition filter)
      : state_(state), plan_(plan), filter_(std::move(filter)), decoder_(*plan.relation, plan.scan_columns) {
    chunk_.columns.resize(plan.scan_columns.size());
  }

  Status open(Open) override {
    done_ = false;
    return {};
  }
  void close() override { done_ = true; }

  Result<Chunk*> next(uint32_t) override {
    if (done_) return nullptr;
    done_ = true;
    INDIGO_ASSIGN(const bool found, find());
    if (!found) return nullptr;
    arena_.reset();
    ArenaScope scope(state_, arena_);
    const storage::RowRef row{key_, row_};
    decoder_.decode({&row, 1}, chunk_, arena_);
    chunk_.selection = {nullptr, 1};
    if (!filter_) return &chunk_;
    std::unique_ptr<Error> error;
    chunk_.selection = filter_.filter(Frame{{&chunk_, nullptr}, 1}, chunk_.selection, error);
    if (error != nullptr) return error;
    return chunk_.selection.count == 0 ? nullptr : &chunk_;
  }

 private:
  Result<bool> find() {
    CursorRows* cursors = state_.context().cursors;
    if (cursors == nullptr) return Error(sqlstate::kFeatureNotSupported, "WHERE CURRENT OF is not supported here");
    INDIGO_ASSIGN(const std::string cursor, cursor_name());
    INDIGO_ASSIGN(auto row, cursors->current_row(cursor, *plan_.relation));
    if (!row) return false;
    key_ = std::move(row->key);
    storage::Claimed claimed;
    while (true) {
      INDIGO_ASSIGN(const bool found, get());
      if (found) return true;
      const storage::StorageStatus status = plan_.relation->table->lock_row(
          state_.transaction(), row->view, key_, storage::RowLockMode::kNoKeyUpdate, storage::LockWait::kWait, claimed);
      if (status != storage::StorageStatus::kOk && status != storage::StorageStatus::kNotFound)
        return storage_error(status, plan_.relation.get());
      if (claimed.key.empty() || claimed.key == key_) return false;
      key_ = std::move(claimed.key);
    }
  }

  Result<std::string> cursor_name() const {
    if (plan_.current_of_parameter < 0) return plan_.current_of;
    const Datum& given = state_.parameter(plan_.current_of_parameter);
    if (!given.null) return std::string(given.str);
    return Error(sqlstate::kUndefinedObject,
                 "no value found for parameter " + std::to_string(plan_.current_of_parameter + 1));
  }

  Result<bool> get() {
    const storage::StorageStatus status = plan_.relation->table->get(state_.transaction(), state_.view(), key_, row_);
    if (status == storage::StorageStatus::kNotFound) return false;
    if (status != storage::StorageStatus::kOk) return storage_error(status, plan_.relation.get());
    return true;
  }

  QueryState& state_;
  const sql::TableScanPlan& plan_;
  Condition filter_;
  RowDecoder decoder_;
  std::string key_, row_;
  Chunk chunk_;
  Arena arena_{256};
  bool done_ = false;
};

}  // namespace

Result<OperatorPtr> make_current_row(Builder& b, const sql::TableScanPlan& p) {
  INDIGO_ASSIGN(Condition filter, b.compile_condition(p.filter));
  return OperatorPtr(std::make_unique<CurrentRowOperator>(b.state(), p, std::move(filter)));
}

}  // namespace indigo::engine::exec
