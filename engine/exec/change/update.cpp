// UPDATE.
#include "engine/exec/change/update.h"

#include "engine/exec/change/change_operator.h"
#include "engine/exec/change/claim_rows.h"
#include "engine/exec/operators.h"
#include "engine/exec/partition/dispatch.h"

namespace indigo::engine::exec {
namespace {

class UpdateOperator final : public ChangeOperator {
 public:
  UpdateOperator(QueryState& state, const sql::Plan& statement, const sql::UpdatePlan& plan, RowClaimer claimer,
                 std::unique_ptr<RowUpdater> updater, ExpressionSet returning, OperatorPtr input)
      : ChangeOperator(state, statement, std::move(returning), std::move(input)),
        claimer_(std::move(claimer)),
        updater_(std::move(updater)),
        mode_(plan.key_columns_change || updater_->changes_key() ? storage::RowLockMode::kUpdate
                                                                 : storage::RowLockMode::kNoKeyUpdate) {}

 private:
  Selection change(const Chunk*& source, std::unique_ptr<Error>& error) override {
    Selection rows = claimer_.claim(state_, source, source->selection, mode_, error);
    if (rows.count == 0) return rows;
    updater_->load(claimer_.claimed(), rows);
    return updater_->update(source, claimer_.claimed(), rows, error);
  }
  const Chunk& changed_rows(Selection) override { return updater_->new_rows(); }

  RowClaimer claimer_;
  std::unique_ptr<RowUpdater> updater_;
  const storage::RowLockMode mode_;
};

// `top`: the plan that the statement may be, whose changes are counted.
Result<OperatorPtr> update_operator(Builder& b, const sql::Plan& top, const sql::UpdatePlan& p, OperatorPtr input,
                                    bool joined) {
  INDIGO_ASSIGN(RowClaimer claimer, RowClaimer::make(b, p.relation, p.key_column, p.recheck, p.refresh, joined));
  INDIGO_ASSIGN(auto updater, RowUpdater::make(b, p, p.assignments, !p.returning.empty()));
  INDIGO_ASSIGN(ExpressionSet returning, b.compile_all(p.returning));
  return OperatorPtr(std::make_unique<UpdateOperator>(b.state(), top, p, std::move(claimer), std::move(updater),
                                                      std::move(returning), std::move(input)));
}

}  // namespace

Result<OperatorPtr> make_update(Builder& b, const sql::UpdatePlan& p) {
  INDIGO_ASSIGN(OperatorPtr input, b.build(p.inputs[0]));
  const bool joined = is_joined_source(*p.inputs[0]);
  if (!p.dispatched) return update_operator(b, p, p, std::move(input), joined);
  std::vector<DispatchedTable> tables;
  for (const auto& t : p.tables) {
    tables.push_back({t->relation->oid, [&b, &p, t, joined](OperatorPtr feed) {
                        return update_operator(b, p, *t, std::move(feed), joined);
                      }});
  }
  return make_dispatch(b, std::move(input), p.table_column, !p.columns.empty(), std::move(tables));
}

}  // namespace indigo::engine::exec
