// DELETE.
#include "engine/exec/change/change_operator.h"
#include "engine/exec/change/change_target.h"
#include "engine/exec/change/claim_rows.h"
#include "engine/exec/operators.h"
#include "engine/exec/partition/dispatch.h"

namespace indigo::engine::exec {
namespace {

class DeleteOperator final : public ChangeOperator {
 public:
  DeleteOperator(QueryState& state, const sql::Plan& statement, const sql::DeletePlan& plan, RowClaimer claimer,
                 ExpressionSet returning, OperatorPtr input)
      : ChangeOperator(state, statement, std::move(returning), std::move(input)),
        target_(state, plan.relation),
        claimer_(std::move(claimer)) {
    old_.columns.resize(target_.column_count());
    for (size_t c = 0; c < target_.column_count(); c++) wanted_.push_back(static_cast<uint16_t>(c));
  }

 private:
  Selection change(const Chunk*& source, std::unique_ptr<Error>& error) override {
    Selection rows = claimer_.claim(state_, source, source->selection, storage::RowLockMode::kUpdate, error);
    for (uint32_t done = 0; done < rows.count; done++) {
      const storage::Claimed& claimed = claimer_.claimed()[rows[done]];
      Status status = target_.erase(claimed.key);
      if (status.ok()) status = target_.erased(claimed.row);
      if (!status.ok()) {
        error = status.take_error();
        return {rows.rows, done};
      }
    }
    return rows;
  }
  const Chunk& changed_rows(Selection rows) override {
    images_.assign(extent_of(rows), Bytes(claimer_.claimed()[rows[0]].row));
    for (uint32_t i = 0; i < rows.count; i++) images_[rows[i]] = claimer_.claimed()[rows[i]].row;
    target_.relation().layout.decode(images_, wanted_, old_.columns);
    return old_;
  }

  ChangeTarget target_;
  RowClaimer claimer_;
  std::vector<uint16_t> wanted_;
  std::vector<Bytes> images_;
  Chunk old_;
};

// `top`: the plan that the statement may be, whose changes are counted.
Result<OperatorPtr> delete_operator(Builder& b, const sql::Plan& top, const sql::DeletePlan& p, OperatorPtr input,
                                    bool joined) {
  INDIGO_ASSIGN(RowClaimer claimer, RowClaimer::make(b, p.relation, p.key_column, p.recheck, p.refresh, joined));
  INDIGO_ASSIGN(ExpressionSet returning, b.compile_all(p.returning));
  return OperatorPtr(
      std::make_unique<DeleteOperator>(b.state(), top, p, std::move(claimer), std::move(returning), std::move(input)));
}

}  // namespace

Result<OperatorPtr> make_delete(Builder& b, const sql::DeletePlan& p) {
  INDIGO_ASSIGN(OperatorPtr input, b.build(p.inputs[0]));
  const bool joined = is_joined_source(*p.inputs[0]);
  if (!p.dispatched) return delete_operator(b, p, p, std::move(input), joined);
  std::vector<DispatchedTable> tables;
  for (const auto& t : p.tables) {
    tables.push_back({t->relation->oid, [&b, &p, t, joined](OperatorPtr feed) {
                        return delete_operator(b, p, *t, std::move(feed), joined);
                      }});
  }
  return make_dispatch(b, std::move(input), p.table_column, !p.columns.empty(), std::move(tables));
}

}  // namespace indigo::engine::exec
