// IndexScan: rows through a secondary index, in its order.
#include "base/sqlstate.h"
#include "engine/exec/operators.h"
#include "engine/exec/scan/populated.h"
#include "engine/exec/scan/scan.h"
#include "storage/table.h"

namespace indigo::engine::exec {
namespace {

class IndexScanOperator final : public ScanOperator {
 public:
  IndexScanOperator(QueryState& state, const sql::IndexScanPlan& plan, KeyBoundsEvaluator bounds, Condition filter)
      : ScanOperator(state, plan, std::move(bounds), std::move(filter)),
        index_(plan.relation->indexes[static_cast<size_t>(plan.index)].storage) {}

 protected:
  Result<std::unique_ptr<storage::Cursor>> make_cursor(const storage::KeyRange& range) override {
    if (!plan_.relation->table->index_usable(index_, state_.view())) {
      // Only a plan made from a newer catalog than the snapshot gets here.
      return Error(sqlstate::kSerializationFailure, "could not serialize access due to concurrent update")
          .with_detail("The index was created after the transaction's snapshot.");
    }
    return plan_.relation->table->scan_index(state_.transaction(), state_.view(), index_, range, plan_.direction);
  }

 private:
  IndexId index_;
};

}  // namespace

Result<OperatorPtr> make_index_scan(Builder& b, const sql::IndexScanPlan& p) {
  INDIGO_TRY(check_populated(b.state().session().catalog(), *p.relation));
  const catalog::IndexInfo& index = p.relation->indexes[static_cast<size_t>(p.index)];
  INDIGO_ASSIGN(KeyBoundsEvaluator bounds, KeyBoundsEvaluator::make(b, p.bounds, index.key));
  INDIGO_ASSIGN(Condition filter, b.compile_condition(p.filter));
  return OperatorPtr(std::make_unique<IndexScanOperator>(b.state(), p, std::move(bounds), std::move(filter)));
}

}  // namespace indigo::engine::exec
