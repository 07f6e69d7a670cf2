// MERGE: each source row takes the first action whose condition it meets.
#include "base/sqlstate.h"
#include "catalog/descriptor/trigger_info.h"
#include "engine/exec/change/claim_rows.h"
#include "engine/exec/change/insert.h"
#include "engine/exec/change/update.h"
#include "engine/exec/operators.h"
#include "engine/exec/partition/dispatch.h"
#include "engine/exec/partition/partitioned_insert.h"

namespace indigo::engine::exec {
namespace {

struct MergeStep {
  bool matched = false;
  sql::CommandKind command = sql::CommandKind::kSelect;
  Condition condition;
  std::unique_ptr<RowInserter> inserter;
  std::unique_ptr<PartitionedInsert> partitioned;
  std::unique_ptr<RowUpdater> updater;
  RowChecks row_checks;  // of the row that is to be changed
};

class MergeOperator final : public Operator {
 public:
  MergeOperator(QueryState& state, const sql::Plan& statement, const sql::MergePlan& plan, std::vector<MergeStep> steps,
                RowClaimer claimer, OperatorPtr input)
      : state_(state),
        plan_(plan),
        target_(state, plan.relation),
        steps_(std::move(steps)),
        claimer_(std::move(claimer)),
        input_(std::move(input)),
        counts_(state.statement().root.get() == &statement) {
    target_row_.columns.resize(target_.column_count());
    target_.triggers().set_named(static_cast<const sql::MergePlan&>(statement).relation);
    const catalog::RelationInfo& named = *static_cast<const sql::MergePlan&>(statement).relation;
    bool locks = false;
    for (MergeStep& step : steps_) {
      if (step.updater != nullptr) {
        step.updater->target().triggers().set_named(static_cast<const sql::MergePlan&>(statement).relation);
        step.updater->target().triggers().prepare_conditions(catalog::kTriggerUpdate);
        locks |= step.updater->has_before_triggers();
      }
      locks |= step.command == sql::CommandKind::kDelete && target_.triggers().before(catalog::kTriggerDelete);
    }
    target_.triggers().prepare_conditions(catalog::kTriggerDelete);
    const bool watches = locks || state.runs_routines() || has_before_statement(named, catalog::kTriggerUpdate) ||
                         has_before_statement(named, catalog::kTriggerDelete);
    if (watches) claimer_.watch_triggers("updated or deleted", locks);
  }

  Status open(Open mode) override {
    claimer_.announce(state_);
    return input_->open(mode);
  }
  void close() override { input_->close(); }

  Result<Chunk*> next(uint32_t) override {
    while (true) {
      INDIGO_ASSIGN(Chunk * chunk, input_->next(state_.runs_routines() ? 1 : kChunkRows));
      if (chunk == nullptr) return nullptr;
      INDIGO_TRY(state_.check());
      for (uint32_t i = 0; i < chunk->selection.count; i++) {
        arena_.reset();
        ArenaScope scope(state_, arena_);
        INDIGO_TRY(merge(chunk, chunk->selection[i]));
      }
    }
  }

 private:
  Status merge(const Chunk* source, uint32_t row) {
    const Vector& keys = source->columns[static_cast<size_t>(plan_.key_column)];
    if (keys.is_null(row)) return not_matched(source, row);
    Str key = keys.get<Str>(row);
    storage::StorageStatus status = target_.table().get(state_.transaction(), state_.view(), key, image_);
    if (status == storage::StorageStatus::kNotFound) return not_matched(source, row);
    if (status != storage::StorageStatus::kOk) return storage_error(status, &target_.relation());
    load(image_, row);
    INDIGO_ASSIGN(MergeStep * step, choose(true, source, row));
    if (step == nullptr || step->command == sql::CommandKind::kSelect) return {};
    // Claim the row; one that changed meanwhile is judged again.
    auto r = static_cast<uint16_t>(row);
    bool erase = step->command == sql::CommandKind::kDelete;
    auto mode =
        erase || step->updater->may_change_key() ? storage::RowLockMode::kUpdate : storage::RowLockMode::kNoKeyUpdate;
    std::unique_ptr<Error> error;
    const Chunk* current = source;
    Selection claimed = claimer_.claim(state_, current, {&r, 1}, mode, error);
    if (error != nullptr) return error;
    if (claimer_.self_modified()) {
      return Error(sqlstate::kCardinalityViolation, "MERGE command cannot affect row a second time")
          .with_hint("Ensure that not more than one source row matches any one target row.");
    }
    if (claimed.count == 0) return not_matched(source, row);
    storage::Claimed& found = claimer_.claimed()[row];
    if (found.changed) {
      load(found.row, row);
      INDIGO_ASSIGN(step, choose(true, current, row));
      if (step == nullptr || step->command == sql::CommandKind::kSelect) {
        target_.table().unclaim(state_.transaction(), found.key);
        return {};
      }
      erase = step->command == sql::CommandKind::kDelete;
    }
    if (!step->row_checks.empty()) {
      load(found.row, row);
      step->row_checks.run(Frame{{current, &target_row_}, row + 1}, {&r, 1}, error);
      if (error != nullptr) return error;
    }
    if (erase) {
      INDIGO_ASSIGN(const bool erased, erase_row(found, row, mode));
      if (!erased) return {};
    } else {
      step->updater->load(claimer_.claimed(), {&r, 1});
      if (claimer_.watches_triggers()) step->updater->set_claimer(&claimer_, mode);
      const Selection done = step->updater->update(current, claimer_.claimed(), {&r, 1}, error);
      if (error != nullptr) return error;
      if (done.count == 0) return {};
    }
    if (counts_) state_.add_affected(1);
    return {};
  }

  // False: a BEFORE trigger keeps the row.
  Result<bool> erase_row(const storage::Claimed& found, uint32_t row, storage::RowLockMode mode) {
    const uint64_t command = state_.transaction().command();
    std::string returned;
    INDIGO_ASSIGN(const bool keeps, target_.triggers().fire(catalog::kTriggerBefore, catalog::kTriggerDelete, found.row,
                                                            returned, {found.key, found.own}));
    const bool ran = state_.transaction().command() != command;
    if (!keeps) {
      if (!ran) target_.table().unclaim(state_.transaction(), found.key);
      return false;
    }
    if (ran) INDIGO_TRY(claimer_.check_untouched(state_, row, mode));
    INDIGO_TRY(target_.erase(found.key));
    INDIGO_TRY(target_.erased(found));
    return true;
  }

  Status not_matched(const Chunk* source, uint32_t row) {
    INDIGO_ASSIGN(MergeStep * step, choose(false, source, row));
    if (step == nullptr || step->command != sql::CommandKind::kInsert) return {};
    auto r = static_cast<uint16_t>(row);
    std::unique_ptr<Error> error;
    uint64_t written = 0;
    if (step->partitioned != nullptr) {
      written = step->partitioned->insert(*source, {&r, 1}, error);
    } else {
      written = step->inserter->insert(*source, {&r, 1}, nullptr, error).count;
    }
    if (error != nullptr) return error;
    if (counts_ && written > 0) state_.add_affected(1);
    return {};
  }

  // The target's row as input 1, at the source row's number.
  void load(Bytes image, uint32_t row) {
    const types::RowLayout& layout = target_.relation().layout;
    for (size_t c = 0; c < target_row_.columns.size(); c++) {
      target_row_.columns[c].init(layout.phys(c), row + 1);
      target_row_.columns[c].set_datum(row, layout.column(image, c));
    }
  }

  Result<MergeStep*> choose(bool matched, const Chunk* source, uint32_t row) {
    auto r = static_cast<uint16_t>(row);
    for (MergeStep& step : steps_) {
      if (step.matched != matched) continue;
      if (step.condition) {
        std::unique_ptr<Error> error;
        Selection passed = step.condition.filter(Frame{{source, &target_row_}, row + 1}, {&r, 1}, error);
        if (error != nullptr) return error;
        if (passed.count == 0) continue;
      }
      return &step;
    }
    return nullptr;
  }

  QueryState& state_;
  const sql::MergePlan& plan_;
  ChangeTarget target_;
  std::vector<MergeStep> steps_;
  RowClaimer claimer_;
  OperatorPtr input_;
  bool counts_;
  std::string image_;
  Chunk target_row_;
  Arena arena_;
};

// `top`: the plan that the statement may be, whose changes are counted.
Result<OperatorPtr> merge_operator(Builder& b, const sql::Plan& top, const sql::MergePlan& p, OperatorPtr input) {
  std::vector<MergeStep> steps;
  for (const sql::MergeAction& action : p.actions) {
    MergeStep step;
    step.matched = action.match == sql::MergeAction::Match::kMatched;
    step.command = action.command;
    INDIGO_ASSIGN(step.condition, b.compile_condition(action.condition));
    if (action.command == sql::CommandKind::kUpdate) {
      INDIGO_ASSIGN(step.row_checks, RowChecks::make(b, p, sql::RowCheck::Kind::kMergeUpdate));
    } else if (action.command == sql::CommandKind::kDelete) {
      INDIGO_ASSIGN(step.row_checks, RowChecks::make(b, p, sql::RowCheck::Kind::kMergeDelete));
    }
    if (action.command == sql::CommandKind::kInsert) {
      const sql::MergePlan& into = p.inserts != nullptr ? *p.inserts : p;
      if (into.relation->is_partitioned()) {
        step.partitioned = std::make_unique<PartitionedInsert>(b.state(), into, nullptr);
        INDIGO_TRY(step.partitioned->prepare(b, action.assignments));
      } else {
        INDIGO_ASSIGN(step.inserter, RowInserter::make(b, into, action.assignments));
      }
    } else if (action.command == sql::CommandKind::kUpdate && p.relation->table != nullptr) {
      INDIGO_ASSIGN(step.updater, RowUpdater::make(b, p, action.assignments, false));
    }
    steps.push_back(std::move(step));
  }
  INDIGO_ASSIGN(RowClaimer claimer, RowClaimer::make(b, p.relation, p.key_column, p.recheck, p.refresh, false));
  return OperatorPtr(
      std::make_unique<MergeOperator>(b.state(), top, p, std::move(steps), std::move(claimer), std::move(input)));
}

// Statement triggers of the kinds of change that some action makes.
OperatorPtr with_merge_triggers(QueryState& state, const sql::MergePlan& p, OperatorPtr change) {
  bool inserts = false, updates = false, erases = false;
  std::vector<int> assigned;
  for (const sql::MergeAction& action : p.actions.empty() && p.inserts != nullptr ? p.inserts->actions : p.actions) {
    inserts |= action.command == sql::CommandKind::kInsert;
    erases |= action.command == sql::CommandKind::kDelete;
    if (action.command != sql::CommandKind::kUpdate) continue;
    updates = true;
    for (const sql::Assignment& a : action.assignments) assigned.push_back(a.column);
  }
  std::vector<int16_t> events;
  if (inserts) events.push_back(catalog::kTriggerInsert);
  if (updates) events.push_back(catalog::kTriggerUpdate);
  if (erases) events.push_back(catalog::kTriggerDelete);
  return with_statement_triggers(state, p.relation, std::move(events), updated_columns(*p.relation, assigned),
                                 std::move(change));
}

}  // namespace

Result<OperatorPtr> make_merge(Builder& b, const sql::MergePlan& p) {
  INDIGO_ASSIGN(OperatorPtr input, b.build(p.inputs[0]));
  const auto triggered = [&](Result<OperatorPtr> change) -> Result<OperatorPtr> {
    if (!change.ok() || p.relation->triggers == nullptr) return change;
    return with_merge_triggers(b.state(), p, std::move(*change));
  };
  if (!p.dispatched) return triggered(merge_operator(b, p, p, std::move(input)));
  std::vector<DispatchedTable> tables;
  const auto add = [&](Oid relation, std::shared_ptr<const sql::MergePlan> t) {
    tables.push_back({relation, [&state = b.state(), &p, t = std::move(t)](OperatorPtr feed) {
                        Builder late(state);
                        return merge_operator(late, p, *t, std::move(feed));
                      }});
  };
  for (const auto& t : p.tables) add(t->relation->oid, t);
  add(kInvalidOid, p.inserts);
  return triggered(make_dispatch(std::move(input), p.table_column, true, std::move(tables)));
}

}  // namespace indigo::engine::exec
