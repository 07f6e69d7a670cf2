// TableScan: the rows of a table by its primary key, or of one key.
#include "engine/exec/operators.h"
#include "engine/exec/scan/populated.h"
#include "engine/exec/scan/scan.h"
#include "storage/table.h"

namespace indigo::engine::exec {
namespace {

class TableScanOperator final : public ScanOperator {
 public:
  using ScanOperator::ScanOperator;

 protected:
  Oid counted_as() const override {
    const bool whole = plan_.bounds.whole() && plan_.direction == storage::Direction::kForward;
    const catalog::IndexInfo* key = whole ? nullptr : plan_.relation->primary_index();
    return key == nullptr ? plan_.relation->oid : key->oid;
  }
  bool has_look_up() const override { return look_up_; }
  Result<std::unique_ptr<storage::Cursor>> make_cursor(const storage::KeyRange& range) override {
    return plan_.relation->table->scan(state_.transaction(), state_.view(), range, plan_.direction);
  }

 public:
  bool look_up_ = false;
};

}  // namespace

Result<OperatorPtr> make_table_scan(Builder& b, const sql::TableScanPlan& p) {
  if (!p.current_of.empty()) return make_current_row(b, p);
  INDIGO_TRY(check_populated(b.state().session().catalog(), *p.relation));
  INDIGO_ASSIGN(KeyBoundsEvaluator bounds, KeyBoundsEvaluator::make(b, p.bounds, p.relation->key));
  const bool whole_keys = bounds.fixed_columns() > 0 && bounds.fixed_columns() == p.relation->key.column_count();
  INDIGO_ASSIGN(Condition filter, b.compile_condition(p.filter));
  auto scan = std::make_unique<TableScanOperator>(b.state(), p, std::move(bounds), std::move(filter));
  scan->look_up_ = whole_keys;
  return OperatorPtr(std::move(scan));
}

}  // namespace indigo::engine::exec
