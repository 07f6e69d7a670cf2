// DELETE.
#include "catalog/descriptor/trigger_info.h"
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
    const auto& named = static_cast<const sql::DeletePlan&>(statement).relation;
    target_.triggers().set_named(named);
    target_.triggers().prepare_conditions(catalog::kTriggerDelete);
    const bool locks = target_.triggers().before(catalog::kTriggerDelete);
    target_.foreign_spec().event = catalog::kTriggerDelete;
    if (target_.is_foreign() || locks || has_before_statement(*named, catalog::kTriggerDelete) || state.runs_routines())
      claimer_.watch_triggers("deleted", locks);
  }

 private:
  Status announce() override {
    claimer_.announce(state_);
    return target_.check_foreign();
  }
  bool one_by_one() const override { return state_.runs_routines(); }
  Selection change(const Chunk*& source, std::unique_ptr<Error>& error) override {
    if (claimer_.watches_triggers()) return change_each(source, error);
    Selection rows = claimer_.claim(state_, source, source->selection, storage::RowLockMode::kUpdate, error);
    for (uint32_t done = 0; done < rows.count; done++) {
      const storage::Claimed& claimed = claimer_.claimed()[rows[done]];
      Status status = target_.erase(claimed.key);
      if (status.ok()) status = target_.erased(claimed);
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

  // One row at a time: BEFORE triggers may change others. The claims of rows that are done stay where they are.
  Selection change_each(const Chunk*& source, std::unique_ptr<Error>& error) {
    done_.clear();
    const Selection all = source->selection;
    for (uint32_t i = 0; i < all.count && error == nullptr; i++) {
      const auto r = static_cast<uint16_t>(all[i]);
      const Selection row = claimer_.claim(state_, source, {&r, 1}, storage::RowLockMode::kUpdate, error);
      if (error != nullptr || row.count == 0) continue;
      auto erased = erase_one(r);
      if (!erased.ok()) {
        error = erased.take_error();
      } else if (*erased) {
        done_.push_back(r);
      }
    }
    return {done_.data(), static_cast<uint32_t>(done_.size())};
  }
  Result<bool> erase_one(uint32_t r) {
    const storage::Claimed& claimed = claimer_.claimed()[r];
    const uint64_t command = state_.transaction().command();
    std::string row;
    INDIGO_ASSIGN(const bool keeps, target_.triggers().fire(catalog::kTriggerBefore, catalog::kTriggerDelete,
                                                            claimed.row, row, {claimed.key, claimed.own}));
    const bool ran =
        state_.transaction().command() != command;  // statements of its own, of which some may have taken the row
    if (!keeps) {
      if (!ran && !target_.is_foreign()) target_.table().unclaim(state_.transaction(), claimed.key);
      return false;
    }
    if (ran) INDIGO_TRY(claimer_.check_untouched(state_, r, storage::RowLockMode::kUpdate));
    if (target_.is_foreign()) {
      INDIGO_ASSIGN(ForeignChange* const change, target_.foreign());
      INDIGO_ASSIGN(const bool erased, change->erase(claimed.key));
      if (!erased) return false;
    } else {
      INDIGO_TRY(target_.erase(claimed.key));
    }
    INDIGO_TRY(target_.erased(claimed));
    return true;
  }

  ChangeTarget target_;
  RowClaimer claimer_;
  std::vector<uint16_t> done_;
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
  const auto triggered = [&](Result<OperatorPtr> change) -> Result<OperatorPtr> {
    if (!change.ok()) return change;
    return with_statement_triggers(b.state(), p.relation, {catalog::kTriggerDelete}, {}, std::move(*change));
  };
  if (!p.dispatched) return triggered(delete_operator(b, p, p, std::move(input), joined));
  std::vector<DispatchedTable> tables;
  for (const auto& t : p.tables) {
    tables.push_back({t->relation->oid, [&state = b.state(), &p, t, joined](OperatorPtr feed) {
                        Builder late(state);
                        return delete_operator(late, p, *t, std::move(feed), joined);
                      }});
  }
  return triggered(make_dispatch(std::move(input), p.table_column, !p.columns.empty(), std::move(tables)));
}

}  // namespace indigo::engine::exec
