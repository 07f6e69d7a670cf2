#include "engine/exec/scan/inverted_scan.h"

#include <memory>
#include <utility>
#include <vector>

#include "base/sqlstate.h"
#include "catalog/descriptor/inverted_key.h"
#include "engine/exec/scan/candidate_cursor.h"
#include "engine/exec/scan/candidate_finder.h"
#include "engine/exec/scan/inverted_query.h"
#include "engine/exec/scan/scan.h"
#include "engine/exec/scan/unique_index.h"
#include "storage/table.h"

namespace indigo::engine::exec {
namespace {

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
  Oid counted_as() const override { return index_.oid; }
  Result<std::unique_ptr<storage::Cursor>> make_cursor(const storage::KeyRange& range) override {
    INDIGO_TRY(check_index_usable(state_, *plan_.relation, index_.storage));
    INDIGO_ASSIGN(const types::KeyQuery query, ask());
    storage::Table& table = *plan_.relation->table;
    INDIGO_ASSIGN(storage::Candidates found, CandidateFinder(state_, table, index_.storage, state_.view()).find(query));
    if (found.all) return table.scan(state_.transaction(), state_.view(), range, plan_.direction);
    return std::unique_ptr<storage::Cursor>(
        std::make_unique<CandidateCursor>(table, state_.transaction(), state_.view(), std::move(found.primary_keys)));
  }

 private:
  // What this run's values ask for.
  Result<types::KeyQuery> ask() {
    INDIGO_TRY(values_.evaluate_constant());
    std::vector<InvertedQuestion> questions;
    for (size_t i = 0; i < conditions_.size(); i++) {
      questions.push_back({static_cast<size_t>(conditions_[i].column), conditions_[i].strategy, values_[i].datum(0)});
    }
    return inverted_query(state_.functions(), keys_, questions);
  }

  const catalog::IndexInfo& index_;
  const std::vector<sql::InvertedCondition>& conditions_;
  ExpressionSet values_;
  std::vector<catalog::InvertedKey> keys_;  // of the index's columns
};

}  // namespace

Result<OperatorPtr> make_inverted_scan(Builder& b, const sql::IndexScanPlan& p) {
  static const sql::KeyBounds kWhole;
  const catalog::IndexInfo& index = p.relation->indexes[static_cast<size_t>(p.index)];
  INDIGO_ASSIGN(KeyBoundsEvaluator whole, KeyBoundsEvaluator::make(b, kWhole, index.key));
  INDIGO_ASSIGN(ExpressionSet values, b.compile_all(p.bounds.equal));
  INDIGO_ASSIGN(Condition filter, b.compile_condition(p.filter));
  std::vector<catalog::InvertedKey> keys;
  for (const catalog::IndexColumn& column : index.columns) {
    keys.push_back(catalog::inverted_key(b.state().session().catalog(), column));
  }
  for (const sql::InvertedCondition& condition : p.inverted) {
    if (keys[static_cast<size_t>(condition.column)].keys == nullptr) {
      return Error(sqlstate::kInternalError, "an inverted index without keys");
    }
  }
  return OperatorPtr(std::make_unique<InvertedScanOperator>(b.state(), p, std::move(whole), std::move(filter),
                                                            std::move(values), std::move(keys)));
}

}  // namespace indigo::engine::exec
