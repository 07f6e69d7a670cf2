#include "engine/exec/change/row_checks.h"

#include "base/sqlstate.h"

namespace indigo::engine::exec {

Result<RowChecks> RowChecks::make(Builder& b, const sql::ChangePlan& plan, sql::RowCheck::Kind kind) {
  RowChecks out;
  out.kind_ = kind;
  for (const sql::RowCheck& check : plan.row_checks) {
    if (check.kind != kind) continue;
    INDIGO_ASSIGN(ExpressionSet condition, b.compile_all({check.condition}));
    out.checks_.push_back({std::move(condition), check.policy, check.table});
  }
  return out;
}

uint32_t RowChecks::run(const Frame& frame, Selection selection, std::unique_ptr<Error>& error) {
  for (Check& check : checks_) {
    std::unique_ptr<Error> failed;
    const uint32_t good = check.condition.evaluate(frame, selection, failed);
    if (failed != nullptr) error = std::move(failed);
    selection.count = good;
    for (uint32_t i = 0; i < good; i++) {
      const Vector& holds = check.condition[0];
      if (!holds.is_null(selection[i]) && holds.get<bool>(selection[i])) continue;
      error = std::make_unique<Error>(violation(check));
      selection.count = i;
      break;
    }
    if (selection.count == 0) break;
  }
  return selection.count;
}

Error RowChecks::violation(const Check& check) const {
  using Kind = sql::RowCheck::Kind;
  const bool target = kind_ == Kind::kMergeUpdate || kind_ == Kind::kMergeDelete;
  const bool with_using = target || kind_ == Kind::kConflict;
  return Error(sqlstate::kInsufficientPrivilege,
               std::string(target ? "target" : "new") + " row violates row-level security policy" +
                   (check.policy.empty() ? "" : " \"" + check.policy + "\"") +
                   (with_using ? " (USING expression)" : "") + " for table \"" + check.table + "\"");
}

}  // namespace indigo::engine::exec
