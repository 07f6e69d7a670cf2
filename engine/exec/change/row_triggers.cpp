#include "engine/exec/change/row_triggers.h"

#include <algorithm>

#include "base/sqlstate.h"
#include "catalog/descriptor/trigger_info.h"
#include "engine/exec/change/foreign_key.h"
#include "engine/exec/change/statement_state.h"
#include "engine/exec/scan/row_decoder.h"
#include "sql/analyze/trigger_condition.h"

namespace indigo::engine::exec {

using catalog::TriggerInfo;

RowTriggers::RowTriggers(QueryState& state, Relation relation)
    : state_(state), relation_(std::move(relation)), named_(relation_), set_(relation_->triggers.get()) {
  captures_ = set_ != nullptr && set_->has_transitions;
}

void RowTriggers::set_named(Relation named) {
  if (named == nullptr || named->oid == named_->oid) return;
  named_ = std::move(named);
  captures_ = named_->triggers != nullptr && named_->triggers->has_transitions;
  if (captures_) column_of_ = matching_columns(*named_, *relation_);
}

Datum trigger_system_value(const catalog::RelationInfo& relation, Bytes row, const RowPlace& place, uint64_t own_id,
                           int column, Arena& arena) {
  if (!place.key.empty()) {
    if (column == sql::kXminColumn && place.own) return Datum::of_oid(static_cast<Oid>(own_id));
    return system_value(relation, {place.key, row}, column, arena);
  }
  if (column != sql::kCtidColumn) return Datum::of_oid(0);
  constexpr Str kNowhere("\xff\xff\xff\xff\0\0", 6);
  return Datum::of(arena.copy(kNowhere));
}

void show_row(const catalog::RelationInfo& relation, Bytes image, Chunk& out) {
  out.columns.resize(relation.columns.size());
  for (size_t c = 0; c < out.columns.size(); c++) out.columns[c].set_constant(relation.layout.column(image, c));
}

namespace {

bool updates_one_of(const TriggerInfo& t, const std::vector<int16_t>& updated) {
  if (t.columns.empty()) return true;
  return std::any_of(t.columns.begin(), t.columns.end(),
                     [&](int16_t c) { return std::find(updated.begin(), updated.end(), c) != updated.end(); });
}

// Event, state and columns of a trigger.
bool is_due(QueryState& state, const TriggerInfo& t, int16_t row, int16_t timing, int16_t event,
            const std::vector<int16_t>& updated) {
  if (t.internal || (t.type & catalog::kTriggerRow) != row || t.timing() != timing || !t.has_event(event)) return false;
  if (event == catalog::kTriggerUpdate && !updates_one_of(t, updated)) return false;
  const TriggerHost* host = state.context().triggers;
  return host != nullptr && host->fires(t.enabled);
}

Result<Condition> compile_when(QueryState& state, const catalog::RelationInfo& relation, const TriggerInfo& t,
                               bool* system_columns = nullptr) {
  INDIGO_ASSIGN(const sql::ExprPtr loaded, sql::load_trigger_condition(state.session(), t.condition, relation, false));
  if (system_columns != nullptr) *system_columns = sql::reads_system_columns(loaded);
  Builder b(state);
  return b.compile_condition(sql::over_old_and_new(loaded, relation));
}

}  // namespace

void RowTriggers::prepare_conditions(int16_t event) {
  if (!any(0, event)) return;
  for (size_t i = 0; i < set_->triggers.size(); i++) {
    const TriggerInfo& t = set_->triggers[i];
    if (t.internal || t.condition.empty() || (t.type & catalog::kTriggerRow) == 0 || t.timing() != 0 ||
        !t.has_event(event)) {
      continue;
    }
    (void)condition_of(i);  // one that cannot be compiled says so when a row asks for it
  }
}

Result<RowTriggers::When*> RowTriggers::condition_of(size_t trigger) {
  conditions_.resize(set_->triggers.size());
  if (conditions_[trigger] == nullptr) {
    auto made = std::make_unique<When>();
    INDIGO_ASSIGN(made->condition, compile_when(state_, *relation_, set_->triggers[trigger], &made->system_columns));
    conditions_[trigger] = std::move(made);
  }
  return conditions_[trigger].get();
}

Result<bool> RowTriggers::meets(size_t trigger, const Rows& rows) {
  if (set_->triggers[trigger].condition.empty()) return true;
  INDIGO_ASSIGN(When* const found, condition_of(trigger));
  When& when = *found;
  Arena arena;
  const auto show = [&](Bytes image, const RowPlace& place, Chunk& out) {
    if (image.empty()) return;
    show_row(*relation_, image, out);
    if (!when.system_columns) return;
    for (const sql::SystemColumn column : sql::kConditionSystemColumns) {
      out.columns.emplace_back().set_constant(
          trigger_system_value(*relation_, image, place, state_.transaction().id().value, column, arena));
    }
  };
  show(rows.old_row, rows.old_place, when.old_row);
  show(rows.new_row, rows.new_place, when.new_row);
  std::unique_ptr<Error> error;
  static constexpr uint16_t kRow = 0;
  const bool met = when.condition.filter(Frame{{&when.old_row, &when.new_row}, 1}, {&kRow, 1}, error).count == 1;
  if (error != nullptr) return error;
  return met;
}

Result<bool> RowTriggers::applies(size_t trigger, int16_t timing, int16_t event, const Rows& rows) {
  if (!is_due(state_, set_->triggers[trigger], catalog::kTriggerRow, timing, event, updated_)) return false;
  return meets(trigger, rows);
}

// A row that was routed here may not be sent elsewhere by a trigger that its partitioned table has given the partition.
Status RowTriggers::check_partition(const TriggerInfo& trigger, Bytes row) {
  if (trigger.parent == kInvalidOid) return {};
  if (partition_check_ == nullptr) {
    INDIGO_ASSIGN(partition_check_, PartitionCheck::make(state_, *relation_));
    if (partition_check_ == nullptr) return {};
  }
  show_row(*relation_, row, checked_);
  INDIGO_ASSIGN(const bool holds, partition_check_->holds(checked_, 0));
  if (holds) return {};
  return Error(sqlstate::kFeatureNotSupported,
               "moving row to another partition during a BEFORE FOR EACH ROW trigger is not supported")
      .with_detail("Before executing trigger \"" + trigger.name + "\", the row was to be in partition \"" +
                   relation_->schema_name + "." + relation_->name + "\".");
}

Result<bool> RowTriggers::fire(int16_t timing, int16_t event, Bytes old_row, std::string& row, RowPlace old_place) {
  if (set_ == nullptr) return true;
  if (relation_->is_foreign()) old_place = {};
  const bool erases = event == catalog::kTriggerDelete;
  for (size_t i = 0; i < set_->triggers.size(); i++) {
    INDIGO_ASSIGN(const bool due, applies(i, timing, event, {old_row, erases ? Bytes() : Bytes(row), old_place, {}}));
    if (!due) continue;
    TriggerCall call;
    call.relation = relation_;
    call.trigger = &set_->triggers[i];
    call.event = event;
    call.old_row = old_row;
    call.old_place = old_place;
    if (!erases) call.new_row = row;
    call.updated = updated_;
    INDIGO_ASSIGN(auto answer, state_.context().triggers->call(call));
    if (!answer) return false;
    if (erases || *answer == row) continue;
    row = std::move(*answer);
    if (event == catalog::kTriggerInsert && timing == catalog::kTriggerBefore) {
      INDIGO_TRY(check_partition(set_->triggers[i], row));
    }
  }
  return true;
}

Status RowTriggers::capture(int16_t event, Bytes old_row, Bytes new_row) {
  TransitionTables* tables = state_.changes().transitions(named_, event);
  if (tables == nullptr) return {};
  if (relation_->is_foreign())
    return Error(sqlstate::kFeatureNotSupported, "cannot collect transition tuples from child foreign tables");
  const auto add = [&](Bytes image, RowStore& to) {
    captured_.clear();
    for (size_t c = 0; c < named_->columns.size(); c++) {
      const int from = column_of_.empty() ? static_cast<int>(c) : column_of_[c];
      captured_.push_back(from < 0 ? Datum::make_null(named_->layout.phys(c))
                                   : relation_->layout.column(image, static_cast<size_t>(from)));
    }
    to.append(captured_);
  };
  if (tables->wants_old && !old_row.empty()) add(old_row, tables->old_rows);
  if (tables->wants_new && !new_row.empty()) add(new_row, tables->new_rows);
  return {};
}

Status RowTriggers::queue(int16_t event, Bytes old_row, Bytes new_row, int16_t capture_as, RowPlace old_place,
                          RowPlace new_place) {
  if (captures_) INDIGO_TRY(capture(capture_as, old_row, new_row));
  if (!any(0, event)) return {};
  if (relation_->is_foreign()) old_place = new_place = {};
  for (size_t i = 0; i < set_->triggers.size(); i++) {
    INDIGO_ASSIGN(const bool due, applies(i, 0, event, {old_row, new_row, old_place, new_place}));
    if (!due) continue;
    ConstraintEvent e{ConstraintEvent::Kind::kTrigger, relation_, i, std::string(old_row), std::string(new_row)};
    e.trigger_event = event;
    e.old_key = old_place.key;
    e.old_own = old_place.own;
    e.new_key = new_place.key;
    if (set_->triggers[i].uses_transition_tables()) e.transitions = state_.changes().shared_transitions(named_, event);
    state_.foreign_keys().add(std::move(e));
  }
  return {};
}

// ---- statement triggers

namespace {

// WHEN of a statement trigger reads no row.
Result<bool> statement_meets(QueryState& state, const catalog::RelationInfo& relation, const TriggerInfo& t) {
  if (t.condition.empty()) return true;
  INDIGO_ASSIGN(Condition condition, compile_when(state, relation, t));
  std::unique_ptr<Error> error;
  static constexpr uint16_t kRow = 0;
  const bool met = condition.filter(Frame{{nullptr, nullptr}, 1}, {&kRow, 1}, error).count == 1;
  if (error != nullptr) return error;
  return met;
}

}  // namespace

bool has_before_statement(const catalog::RelationInfo& relation, int16_t event) {
  return relation.triggers != nullptr && relation.triggers->any(0, catalog::kTriggerBefore, event);
}

Status fire_before_statement(QueryState& state, const RowTriggers::Relation& relation, int16_t event,
                             const std::vector<int16_t>& updated) {
  const catalog::TriggerSet* set = relation->triggers.get();
  if (set == nullptr || !set->any(0, catalog::kTriggerBefore, event)) return {};
  // Once for each kind of change, however often it is part of the statement.
  if (!state.changes().begins_statement(relation->oid, event)) return {};
  for (const TriggerInfo& t : set->triggers) {
    if (!is_due(state, t, 0, catalog::kTriggerBefore, event, updated)) continue;
    INDIGO_ASSIGN(const bool met, statement_meets(state, *relation, t));
    if (!met) continue;
    TriggerCall call;
    call.relation = relation;
    call.trigger = &t;
    call.event = event;
    INDIGO_ASSIGN(const auto answer, state.context().triggers->call(call));
    if (answer) {
      return Error(SqlState("39P01"), "BEFORE STATEMENT trigger cannot return a value");
    }
  }
  return {};
}

Status queue_after_statement(QueryState& state, const RowTriggers::Relation& relation, int16_t event,
                             const std::vector<int16_t>& updated) {
  const catalog::TriggerSet* set = relation->triggers.get();
  if (set == nullptr || !set->any(0, 0, event)) return {};
  state.foreign_keys().drop_statement_triggers(relation->oid, event);
  for (size_t i = 0; i < set->triggers.size(); i++) {
    const TriggerInfo& t = set->triggers[i];
    if (!is_due(state, t, 0, 0, event, updated)) continue;
    INDIGO_ASSIGN(const bool met, statement_meets(state, *relation, t));
    if (!met) continue;
    ConstraintEvent e{ConstraintEvent::Kind::kTrigger, relation, i, std::string(), std::string()};
    e.trigger_event = event;
    if (t.uses_transition_tables()) e.transitions = state.changes().shared_transitions(relation, event);
    state.foreign_keys().add(std::move(e));
  }
  return {};
}

namespace {

class StatementTriggersOperator final : public Operator {
 public:
  StatementTriggersOperator(QueryState& state, RowTriggers::Relation relation, std::vector<int16_t> events,
                            std::vector<int16_t> updated, OperatorPtr change)
      : state_(state),
        relation_(std::move(relation)),
        events_(std::move(events)),
        updated_(std::move(updated)),
        change_(std::move(change)) {}

  Status open(Open mode) override {
    begun_ = ended_ = false;
    return change_->open(mode);
  }
  void close() override { change_->close(); }

  Result<Chunk*> next(uint32_t max_rows) override {
    if (!begun_) {
      begun_ = true;
      for (const int16_t event : events_) INDIGO_TRY(fire_before_statement(state_, relation_, event, updated_));
    }
    if (ended_) return nullptr;
    INDIGO_ASSIGN(Chunk * out, change_->next(max_rows));
    if (out != nullptr) return out;
    ended_ = true;
    for (auto event = events_.rbegin(); event != events_.rend(); ++event) {
      INDIGO_TRY(queue_after_statement(state_, relation_, *event, updated_));
    }
    return nullptr;
  }

 private:
  QueryState& state_;
  const RowTriggers::Relation relation_;
  const std::vector<int16_t> events_, updated_;
  OperatorPtr change_;
  bool begun_ = false, ended_ = false;
};

}  // namespace

OperatorPtr with_statement_triggers(QueryState& state, const RowTriggers::Relation& relation,
                                    std::vector<int16_t> events, std::vector<int16_t> updated, OperatorPtr change) {
  const catalog::TriggerSet* set = relation->triggers.get();
  const bool any = set != nullptr && std::any_of(events.begin(), events.end(), [&](int16_t event) {
                     return set->any(0, catalog::kTriggerBefore, event) || set->any(0, 0, event);
                   });
  if (!any) return change;
  return std::make_unique<StatementTriggersOperator>(state, relation, std::move(events), std::move(updated),
                                                     std::move(change));
}

}  // namespace indigo::engine::exec
