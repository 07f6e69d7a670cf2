#include "base/sqlstate.h"
#include "engine/exec/change/change_target.h"

namespace indigo::engine::exec {

Result<ViewChecks> ViewChecks::make(Builder& b, const sql::ChangePlan& plan) {
  ViewChecks out;
  INDIGO_ASSIGN(out.checks_, b.compile_all(plan.view_checks));
  out.views_ = plan.view_check_names;
  return out;
}

uint32_t ViewChecks::run(const ChangeTarget& target, const Frame& frame, Selection selection,
                         std::span<const Vector* const> columns, std::unique_ptr<Error>& error) {
  if (checks_.empty()) return selection.count;
  std::unique_ptr<Error> failed;
  const uint32_t good = checks_.evaluate(frame, selection, failed);
  if (failed != nullptr) error = std::move(failed);
  for (uint32_t i = 0; i < good; i++) {
    const uint32_t row = selection[i];
    for (size_t c = 0; c < checks_.size(); c++) {
      if (!checks_[c].is_null(row) && checks_[c].get<bool>(row)) continue;
      Error violation(SqlState("44000"), "new row violates check option for view \"" + views_[c] + "\"");
      error = std::make_unique<Error>(target.failing_row(std::move(violation), columns, row));
      return i;
    }
  }
  return good;
}

}  // namespace indigo::engine::exec
