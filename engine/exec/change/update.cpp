// UPDATE.
#include "engine/exec/change/update.h"

#include <algorithm>
#include <iterator>

#include "catalog/descriptor/trigger_info.h"
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
        returns_(!plan.returning.empty()),
        claimer_(std::move(claimer)),
        updater_(std::move(updater)),
        mode_(updater_->may_change_key() ? storage::RowLockMode::kUpdate : storage::RowLockMode::kNoKeyUpdate) {
    const auto& named = static_cast<const sql::UpdatePlan&>(statement).relation;
    updater_->target().triggers().set_named(named);
    updater_->target().triggers().prepare_conditions(catalog::kTriggerUpdate);
    if (plan.relation->is_foreign() || updater_->has_before_triggers() || updater_->move_fires_before() ||
        has_before_statement(*named, catalog::kTriggerUpdate) || state.runs_routines()) {
      claimer_.watch_triggers("updated", true);
    }
  }

 private:
  Status announce() override {
    claimer_.announce(state_);
    return updater_->target().check_foreign();
  }
  bool one_by_one() const override { return state_.runs_routines(); }
  Selection change(const Chunk*& source, std::unique_ptr<Error>& error) override {
    if (claimer_.watches_triggers()) return change_each(source, error);
    Selection rows = claimer_.claim(state_, source, source->selection, storage::RowLockMode::kNoKeyUpdate, error);
    updater_->strengthen_with(claimer_);
    while (rows.count > 0) {
      updater_->load(claimer_.claimed(), rows);
      const Selection updated = updater_->update(source, claimer_.claimed(), rows, error);
      if (error != nullptr || updater_->blocked().empty()) return updated;
      rows = claim_blocked(source, rows, error);
    }
    return rows;
  }
  // Lets go of the rows whose keys others have locked, waits for them, and answers all that are claimed then. Each turn makes
  // at least one row's claim the strong one.
  Selection claim_blocked(const Chunk*& source, Selection rows, std::unique_ptr<Error>& error) {
    const std::vector<uint16_t> blocked = updater_->blocked();
    std::vector<uint16_t> kept;
    for (uint32_t i = 0; i < rows.count; i++) {
      if (!std::binary_search(blocked.begin(), blocked.end(), rows[i])) kept.push_back(static_cast<uint16_t>(rows[i]));
    }
    for (const uint16_t r : blocked) claimer_.unclaim(state_, r);
    const Selection again = claimer_.claim(state_, source, {blocked.data(), static_cast<uint32_t>(blocked.size())},
                                           storage::RowLockMode::kUpdate, error);
    done_.clear();
    std::merge(kept.begin(), kept.end(), again.rows, again.rows + again.count, std::back_inserter(done_));
    return {done_.data(), static_cast<uint32_t>(done_.size())};
  }
  const Chunk& changed_rows(Selection) override { return one_by_one_ ? changed_ : updater_->new_rows(); }

  // One row at a time: BEFORE triggers and functions may change others.
  Selection change_each(const Chunk*& source, std::unique_ptr<Error>& error) {
    one_by_one_ = true;
    done_.clear();
    const Selection all = source->selection;
    const uint32_t extent = extent_of(all);
    for (uint32_t i = 0; i < all.count && error == nullptr; i++) {
      const auto r = static_cast<uint16_t>(all[i]);
      const Selection row = claimer_.claim(state_, source, {&r, 1}, mode_, error);
      if (error != nullptr || row.count == 0) continue;
      updater_->load(claimer_.claimed(), row);
      updater_->set_claimer(&claimer_, mode_);
      if (updater_->update(source, claimer_.claimed(), row, error).count == 0) continue;
      done_.push_back(r);
      keep(r, extent);
    }
    return {done_.data(), static_cast<uint32_t>(done_.size())};
  }
  // The row for RETURNING, before the next one takes its place.
  void keep(uint32_t row, uint32_t extent) {
    if (!returns_) return;
    const Chunk& rows = updater_->new_rows();
    const bool first = done_.size() == 1;
    changed_.columns.resize(rows.columns.size());
    for (size_t c = 0; c < rows.columns.size(); c++) {
      if (first) changed_.columns[c].init(rows.columns[c].phys(), extent);
      Datum d = rows.columns[c].datum(row);
      if (d.phys == Phys::kStr && !d.null) d.str = state_.functions().arena().copy(d.str);
      changed_.columns[c].set_datum(row, d);
    }
  }

  bool one_by_one_ = false;
  const bool returns_;
  std::vector<uint16_t> done_;  // rows of the chunk
  Chunk changed_;
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

namespace {

std::vector<int> assigned_columns(const sql::UpdatePlan& p) {
  std::vector<int> out;
  for (const sql::Assignment& a : p.assignments) out.push_back(a.column);
  return out;
}

}  // namespace

Result<OperatorPtr> make_update(Builder& b, const sql::UpdatePlan& p) {
  INDIGO_ASSIGN(OperatorPtr input, b.build(p.inputs[0]));
  const bool joined = is_joined_source(*p.inputs[0]);
  std::vector<int16_t> updated = updated_columns(*p.relation, p.dispatched ? p.named_columns : assigned_columns(p));
  const auto triggered = [&](Result<OperatorPtr> change) -> Result<OperatorPtr> {
    if (!change.ok()) return change;
    return with_statement_triggers(b.state(), p.relation, {catalog::kTriggerUpdate}, std::move(updated),
                                   std::move(*change));
  };
  if (!p.dispatched) return triggered(update_operator(b, p, p, std::move(input), joined));
  std::vector<DispatchedTable> tables;
  for (const auto& t : p.tables) {
    tables.push_back({t->relation->oid, [&state = b.state(), &p, t, joined](OperatorPtr feed) {
                        Builder late(state);
                        return update_operator(late, p, *t, std::move(feed), joined);
                      }});
  }
  return triggered(make_dispatch(std::move(input), p.table_column, !p.columns.empty(), std::move(tables)));
}

}  // namespace indigo::engine::exec
