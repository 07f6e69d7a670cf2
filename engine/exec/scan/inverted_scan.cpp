#include "engine/exec/scan/inverted_scan.h"

#include <algorithm>

#include "base/sqlstate.h"
#include "catalog/descriptor/inverted_key.h"
#include "engine/exec/scan/candidate_finder.h"
#include "engine/exec/scan/scan.h"
#include "engine/exec/scan/unique_index.h"
#include "storage/table.h"

namespace indigo::engine::exec {
namespace {

// The records with these keys that the view sees, in their order.
class CandidateCursor final : public storage::Cursor {
 public:
  CandidateCursor(QueryState& state, storage::Table& table, std::vector<std::string> keys)
      : state_(state), table_(table), keys_(std::move(keys)), found_(std::make_unique<bool[]>(kBatch)) {
    rows_.resize(std::min(kBatch, keys_.size()));
  }

  storage::StorageStatus next(std::span<storage::RowRef> out, size_t& count) override {
    count = 0;
    while (count == 0 && at_ < keys_.size()) {
      const size_t n = std::min({kBatch, out.size(), keys_.size() - at_});
      batch_.assign(keys_.begin() + static_cast<std::ptrdiff_t>(at_),
                    keys_.begin() + static_cast<std::ptrdiff_t>(at_ + n));
      at_ += n;
      const storage::StorageStatus status = table_.get_many(state_.transaction(), state_.view(), batch_,
                                                            std::span(rows_).first(n), std::span(found_.get(), n));
      if (status != storage::StorageStatus::kOk) return status;
      for (size_t i = 0; i < n; i++) {
        if (found_[i]) out[count++] = {batch_[i], rows_[i]};
      }
    }
    return storage::StorageStatus::kOk;
  }
  // Scans of inverted indexes have one range, and make a cursor for each run.
  void rebind(const storage::KeyRange&, const storage::ReadView&, storage::Direction) override { at_ = 0; }

 private:
  static constexpr size_t kBatch = 128;

  QueryState& state_;
  storage::Table& table_;
  const std::vector<std::string> keys_;
  std::vector<Bytes> batch_;
  std::vector<std::string> rows_;
  std::unique_ptr<bool[]> found_;
  size_t at_ = 0;
};

class InvertedScanOperator final : public ScanOperator {
 public:
  InvertedScanOperator(QueryState& state, const sql::IndexScanPlan& plan, KeyBoundsEvaluator whole, Condition filter,
                       ExpressionSet values, std::vector<catalog::InvertedKey> keys)
      : ScanOperator(state, plan, std::move(whole), std::move(filter)),
        index_(plan.relation->indexes[static_cast<size_t>(plan.index)]),
        conditions_(plan.inverted),
        values_(std::move(values)),
        keys_(std::move(keys)) {}

  // Other values may ask for other keys.
  Status open(Open) override { return ScanOperator::open(Open::kFresh); }

 protected:
  Result<std::unique_ptr<storage::Cursor>> make_cursor(const storage::KeyRange& range) override {
    INDIGO_TRY(check_index_usable(state_, *plan_.relation, index_.storage));
    INDIGO_ASSIGN(const types::KeyQuery query, ask());
    storage::Table& table = *plan_.relation->table;
    INDIGO_ASSIGN(storage::Candidates found, CandidateFinder(state_, table, index_.storage).find(query));
    if (found.all) return table.scan(state_.transaction(), state_.view(), range, plan_.direction);
    return std::unique_ptr<storage::Cursor>(
        std::make_unique<CandidateCursor>(state_, table, std::move(found.primary_keys)));
  }

 private:
  // What this run's values ask for.
  Result<types::KeyQuery> ask() {
    INDIGO_TRY(values_.evaluate_constant());
    std::vector<types::KeyQuery> parts;
    for (size_t i = 0; i < conditions_.size(); i++) {
      const Datum value = values_[i].datum(0);
      if (value.null) return types::no_row();  // the operators are strict
      const catalog::InvertedKey& key = keys_[i];
      types::KeyQuery part = key.keys->query_of(state_.functions(), key.column, conditions_[i].strategy, value);
      if (state_.functions().failed()) return std::move(*state_.functions().take_error());
      types::put_before_keys(catalog::inverted_column_prefix(static_cast<size_t>(conditions_[i].column)), part);
      parts.push_back(std::move(part));
    }
    return types::with_all(std::move(parts));
  }

  const catalog::IndexInfo& index_;
  const std::vector<sql::InvertedCondition>& conditions_;
  ExpressionSet values_;
  std::vector<catalog::InvertedKey> keys_;  // of each condition's column
};

}  // namespace

Result<OperatorPtr> make_inverted_scan(Builder& b, const sql::IndexScanPlan& p) {
  static const sql::KeyBounds kWhole;
  const catalog::IndexInfo& index = p.relation->indexes[static_cast<size_t>(p.index)];
  INDIGO_ASSIGN(KeyBoundsEvaluator whole, KeyBoundsEvaluator::make(b, kWhole, index.key));
  INDIGO_ASSIGN(ExpressionSet values, b.compile_all(p.bounds.equal));
  INDIGO_ASSIGN(Condition filter, b.compile_condition(p.filter));
  std::vector<catalog::InvertedKey> keys;
  for (const sql::InvertedCondition& condition : p.inverted) {
    keys.push_back(
        catalog::inverted_key(b.state().session().catalog(), index.columns[static_cast<size_t>(condition.column)]));
    if (keys.back().keys == nullptr) return Error(sqlstate::kInternalError, "an inverted index without keys");
  }
  return OperatorPtr(std::make_unique<InvertedScanOperator>(b.state(), p, std::move(whole), std::move(filter),
                                                            std::move(values), std::move(keys)));
}

}  // namespace indigo::engine::exec
