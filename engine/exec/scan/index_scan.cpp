// IndexScan: rows through a secondary index, in its order. Lists of a unique index's keys are looked up many at once.
#include <algorithm>

#include "engine/exec/operators.h"
#include "engine/exec/scan/entry_decoder.h"
#include "engine/exec/scan/inverted_scan.h"
#include "engine/exec/scan/nearest_scan.h"
#include "engine/exec/scan/populated.h"
#include "engine/exec/scan/scan.h"
#include "engine/exec/scan/unique_index.h"
#include "storage/index_entries.h"
#include "storage/table.h"

namespace indigo::engine::exec {
namespace {

class IndexScanOperator final : public ScanOperator {
 public:
  IndexScanOperator(QueryState& state, const sql::IndexScanPlan& plan, KeyBoundsEvaluator bounds, Condition filter)
      : ScanOperator(state, plan, std::move(bounds), std::move(filter)),
        index_(plan.relation->indexes[static_cast<size_t>(plan.index)]) {}

  // Lists of whole keys that have at most one row each.
  bool looks_up_lists_ = false;
  // The entries have all that is asked for.
  std::unique_ptr<EntryDecoder> entries_;

 protected:
  Oid counted_as() const override { return index_.oid; }
  bool looks_up_lists() const override { return looks_up_lists_; }
  Status look_up_keys(std::span<const Bytes> keys, std::span<storage::RowRef> rows, std::span<bool> found) override {
    // A new one for each statement: it is part of the view whether the index is there.
    if (unique_ == nullptr) {
      INDIGO_ASSIGN(unique_, make_unique_lookup(state_, *plan_.relation, index_));
    }
    const storage::StorageStatus status = unique_->look_up(state_.transaction(), state_.view(), keys, rows, found);
    if (status != storage::StorageStatus::kOk) return storage_error(status, plan_.relation.get());
    return {};
  }
  void forget() override { unique_ = nullptr; }
  Result<std::unique_ptr<storage::Cursor>> make_cursor(const storage::KeyRange& range) override {
    INDIGO_TRY(check_index_usable(state_, *plan_.relation, index_.storage));
    storage::Table& table = *plan_.relation->table;
    if (entries_ != nullptr) {
      auto cursor = storage::scan_index_entries(table, state_.transaction(), state_.view(), index_.storage, range,
                                                plan_.direction);
      decoder().use_entries(cursor == nullptr ? nullptr : entries_.get());
      if (cursor != nullptr) return cursor;
    }
    return table.scan_index(state_.transaction(), state_.view(), index_.storage, range, plan_.direction);
  }

 private:
  const catalog::IndexInfo& index_;
  std::unique_ptr<storage::UniqueLookup> unique_;
};

// A unique index may have many rows of a key with nulls.
bool without_nulls(const sql::KeyBounds& bounds) {
  return bounds.nulls == 0 && std::all_of(bounds.any_of.begin(), bounds.any_of.end(), without_nulls);
}

}  // namespace

Result<OperatorPtr> make_index_scan(Builder& b, const sql::IndexScanPlan& p) {
  INDIGO_TRY(check_populated(b.state().session().catalog(), *p.relation));
  if (p.nearest) return make_nearest_scan(b, p);
  if (!p.inverted.empty()) return make_inverted_scan(b, p);
  const catalog::IndexInfo& index = p.relation->indexes[static_cast<size_t>(p.index)];
  INDIGO_ASSIGN(KeyBoundsEvaluator bounds, KeyBoundsEvaluator::make(b, p.bounds, index.key));
  const bool whole_keys = bounds.fixed_columns() > 0 && bounds.fixed_columns() == index.key.column_count();
  INDIGO_ASSIGN(Condition filter, b.compile_condition(p.filter));
  auto scan = std::make_unique<IndexScanOperator>(b.state(), p, std::move(bounds), std::move(filter));
  scan->looks_up_lists_ = whole_keys && without_nulls(p.bounds) && finds_one_row(*p.relation, index);
  if (!scan->looks_up_lists_) scan->entries_ = EntryDecoder::make(p);
  return OperatorPtr(std::move(scan));
}

}  // namespace indigo::engine::exec
