#include "engine/exec/change/foreign_key.h"

#include <algorithm>

#include "base/sqlstate.h"
#include "catalog/descriptor/foreign_key_info.h"
#include "catalog/descriptor/trigger_info.h"
#include "engine/exec/change/change_target.h"
#include "engine/exec/change/foreign_key_action.h"
#include "engine/exec/change/moved_away.h"
#include "engine/exec/change/row_triggers.h"
#include "engine/exec/change/unique_recheck.h"
#include "engine/exec/partition/leaf_tables.h"
#include "engine/exec/row_text.h"
#include "engine/exec/scan/key_lookup.h"
#include "storage/table.h"
#include "types/function/registry.h"

namespace indigo::engine::exec {
namespace {

using catalog::ConstraintInfo;
using catalog::RelationInfo;

// Equal values in some columns: nothing that a foreign key looks at has changed. What only a column's own collation takes for
// equal may be another key for the parent.
bool same_columns(QueryState& state, const RelationInfo& relation, Bytes a, Bytes b, std::span<const int16_t> columns) {
  for (int16_t attribute : columns) {
    auto c = static_cast<size_t>(attribute) - 1;
    Datum x = relation.layout.column(a, c), y = relation.layout.column(b, c);
    types::TypeRef type = relation.columns[c].type;
    if (type.collation != kInvalidOid) type.collation = oid::kDefaultCollation;
    if (x.null != y.null || (!x.null && !values_equal(state, type, x, y))) return false;
  }
  return true;
}

// What looks different, though equal, is handed down to the rows that refer to it.
bool same_images(const RelationInfo& relation, Bytes a, Bytes b, std::span<const int16_t> columns) {
  return std::all_of(columns.begin(), columns.end(), [&](int16_t attribute) {
    const auto c = static_cast<size_t>(attribute) - 1;
    return same_bits(relation.layout.phys(c), relation.layout.column(a, c), relation.layout.column(b, c));
  });
}

bool waits(QueryState& state, const ConstraintInfo& constraint) {
  const DeferredChecks* deferred = state.context().deferred;
  return deferred != nullptr && deferred->waits(constraint);
}

// Is the foreign key looked at for this kind of change? ALTER TABLE ... DISABLE TRIGGER ALL and session_replication_role say.
bool is_enabled(QueryState& state, const RelationInfo& relation, const ConstraintInfo& constraint, int16_t event) {
  const TriggerHost* host = state.context().triggers;
  if (host == nullptr) return true;
  if (relation.triggers == nullptr || !relation.triggers->internal_changed) return host->fires('O');
  for (const catalog::TriggerInfo& t : relation.triggers->triggers) {
    if (t.internal && t.constraint == constraint.oid && t.has_event(event)) return host->fires(t.enabled);
  }
  return host->fires('O');
}

Error in_table(Error error, const RelationInfo& relation, const ConstraintInfo& constraint) {
  error.schema = relation.schema_name;
  error.table = relation.name;
  error.constraint = constraint.name;
  return error;
}

}  // namespace

Status ForeignKeyQueue::child_written(QueryState& state, const Relation& child, Bytes old_row, Bytes new_row) {
  for (size_t i = 0; i < child->constraints.size(); i++) {
    const ConstraintInfo& constraint = child->constraints[i];
    if (constraint.kind != 'f' || catalog::is_reference_to_partition(*child, constraint)) continue;
    if (!is_enabled(state, *child, constraint, old_row.empty() ? catalog::kTriggerInsert : catalog::kTriggerUpdate)) {
      continue;
    }
    if (!old_row.empty() && same_columns(state, *child, old_row, new_row, constraint.columns)) continue;
    if (waits(state, constraint)) {
      events_.push_back({Event::Kind::kChild, child, i, std::string(), std::string(new_row), 0, nullptr});
      continue;
    }
    bool mixed = false;
    INDIGO_ASSIGN(bool exists, parent_exists(state, child, constraint, new_row, mixed));
    if (!exists) events_.push_back({Event::Kind::kChild, child, i, std::string(), std::string(new_row), 0, nullptr});
  }
  return {};
}

Status ForeignKeyQueue::parent_updated(QueryState& state, const Relation& parent, Bytes old_row, Bytes new_row) {
  for (size_t i = 0; i < parent->referenced_by.size(); i++) {
    const ConstraintInfo& constraint = parent->referenced_by[i];
    if (!is_enabled(state, *parent, constraint, catalog::kTriggerUpdate)) continue;
    if (same_images(*parent, old_row, new_row, constraint.foreign_columns)) continue;
    events_.push_back({Event::Kind::kParentUpdated, parent, i, std::string(old_row), std::string(new_row), 0, nullptr});
  }
  return {};
}

Status ForeignKeyQueue::parent_erased(QueryState& state, const Relation& parent, Bytes old_row, bool moved) {
  for (size_t i = 0; i < parent->referenced_by.size(); i++) {
    if (moved && parent->referenced_by[i].parent != kInvalidOid) continue;
    if (!is_enabled(state, *parent, parent->referenced_by[i], catalog::kTriggerDelete)) continue;
    events_.push_back({Event::Kind::kParentErased, parent, i, std::string(old_row), std::string(), 0, nullptr});
  }
  return {};
}

Status ForeignKeyQueue::parent_moved(QueryState& state, const Relation& root, const RelationInfo& partition,
                                     Bytes old_row, Bytes new_row) {
  Oid above = partition.parents.empty() ? kInvalidOid : partition.parents[0];
  while (above != kInvalidOid && above != root->oid) {
    const Relation between = state.session().catalog().relation(above);
    if (between == nullptr) break;
    for (const ConstraintInfo& k : between->referenced_by) {
      if (k.parent != kInvalidOid) continue;
      return Error(sqlstate::kFeatureNotSupported,
                   "cannot move tuple across partitions when a non-root ancestor of the source partition is directly "
                   "referenced in a foreign key")
          .with_detail("A foreign key points to ancestor \"" + between->name + "\" but not the root ancestor \"" +
                       root->name + "\".")
          .with_hint("Consider defining the foreign key on table \"" + root->name + "\".");
    }
    above = between->parents.empty() ? kInvalidOid : between->parents[0];
  }
  return parent_updated(state, root, old_row, new_row);
}

// True also when the key has a null that makes the constraint hold. match_full_mix: MATCH FULL with some nulls.
Result<bool> ForeignKeyQueue::parent_exists(QueryState& state, const Relation& child, const ConstraintInfo& constraint,
                                            Bytes row, bool& match_full_mix) {
  std::vector<Datum> values;
  size_t nulls = 0;
  for (int16_t c : constraint.columns) {
    values.push_back(child->layout.column(row, static_cast<size_t>(c) - 1));
    nulls += values.back().null;
  }
  if (nulls > 0) {
    match_full_mix = constraint.match == 'f' && nulls < values.size();
    return !match_full_mix;
  }
  Relation parent = constraint.foreign_relation == child->oid
                        ? child
                        : state.session().catalog().relation(constraint.foreign_relation);
  if (parent == nullptr)
    return Error(sqlstate::kInternalError, "the table that \"" + constraint.name + "\" references is gone");
  for (size_t i = 0; i < values.size(); i++) {
    auto from = static_cast<size_t>(constraint.columns[i]) - 1,
         to = static_cast<size_t>(constraint.foreign_columns[i]) - 1;
    INDIGO_ASSIGN(bool fits, convert_key_value(state, child->columns[from].type, parent->columns[to].type,
                                               parent->layout.phys(to), values[i]));
    if (!fits) return false;
  }
  if (!parent->is_partitioned()) return lock_parent(state, *parent, constraint.foreign_columns, values);
  bool exists = false;
  INDIGO_TRY(for_each_leaf(state, parent, constraint.foreign_columns, values, false,
                           [&](const Relation& leaf) -> Result<bool> {
                             const auto columns = columns_by_name(*parent, constraint.foreign_columns, *leaf);
                             INDIGO_ASSIGN(exists, lock_parent(state, *leaf, columns, values));
                             return !exists;
                           }));
  return exists;
}

namespace {

// Whether the transaction's snapshot has the row, or the transaction itself has made it.
bool in_snapshot(QueryState& state, const RelationInfo& parent, Bytes key) {
  storage::Transaction& txn = state.transaction();
  storage::ReadView view = txn.view();
  view.command = txn.command() + 1;
  std::string row;
  return parent.table->get(txn, view, key, row) == storage::StorageStatus::kOk;
}

// A row that the snapshot has, and others have deleted since: no violation, but a conflict.
Status check_not_just_gone(QueryState& state, const RelationInfo& parent, Bytes key) {
  if (state.transaction().isolation() == storage::Isolation::kReadCommitted || !in_snapshot(state, parent, key))
    return {};
  return storage_error(storage::StorageStatus::kConflict, &parent);
}

// As in PostgreSQL a row that came after the snapshot is no parent under REPEATABLE READ, unless it is in a partition.
bool came_later(QueryState& state, const RelationInfo& parent, Bytes key) {
  return state.transaction().isolation() == storage::Isolation::kRepeatableRead && !parent.is_partition &&
         !in_snapshot(state, parent, key);
}

}  // namespace

// Locks the rows with these values; false: there is none.
Result<bool> ForeignKeyQueue::lock_parent(QueryState& state, const RelationInfo& parent,
                                          std::span<const int16_t> columns, std::span<const Datum> values) {
  storage::Transaction& txn = state.transaction();
  // A row that goes to another partition while it is waited for is told of; one that had gone before is just not there.
  const auto lock = [&](Bytes key) {
    const auto attempt = [&](storage::LockWait wait) {
      return parent.table->lock_row(txn, txn.newest_view(), key, storage::RowLockMode::kKeyShare, wait, claimed_);
    };
    const storage::StorageStatus status = attempt(storage::LockWait::kNoWait);
    if (status == storage::StorageStatus::kWouldBlock) return attempt(storage::LockWait::kWait);
    return moved_away(txn, status) ? storage::StorageStatus::kNotFound : status;
  };
  // The common case: the reference is to the primary key.
  const auto& pk = parent.key_columns;
  if (!pk.empty() && pk.size() == columns.size() && std::is_permutation(pk.begin(), pk.end(), columns.begin())) {
    key_.clear();
    for (size_t k = 0; k < pk.size(); k++) {
      const auto at = std::find(columns.begin(), columns.end(), pk[k]);
      parent.key.append_column(k, values[static_cast<size_t>(at - columns.begin())], key_);
    }
    const storage::StorageStatus status = lock(key_);
    if (status == storage::StorageStatus::kNotFound) {
      INDIGO_TRY(check_not_just_gone(state, parent, key_));
      return false;
    }
    if (moved_away(txn, status)) return claim_error(txn, status, parent);
    if (status != storage::StorageStatus::kOk) return storage_error(status, &parent);
    if (came_later(state, parent, key_)) return false;
    return row_matches(state, parent, claimed_.row, columns, values);
  }
  bool exists = false;
  std::vector<std::string> keys;
  INDIGO_TRY(find_rows(state, parent, columns, values, [&](Bytes key, Bytes) -> Result<bool> {
    keys.emplace_back(key);
    return true;
  }));
  for (const std::string& key : keys) {
    const storage::StorageStatus status = lock(key);
    if (status == storage::StorageStatus::kNotFound) continue;
    if (moved_away(txn, status)) return claim_error(txn, status, parent);
    if (status != storage::StorageStatus::kOk) return storage_error(status, &parent);
    exists |= !came_later(state, parent, key) && row_matches(state, parent, claimed_.row, columns, values);
  }
  return exists;
}

Status ForeignKeyQueue::key_written(QueryState& state, const Relation& relation, Bytes old_row, Bytes new_row) {
  for (size_t i = 0; i < relation->constraints.size(); i++) {
    const ConstraintInfo& constraint = relation->constraints[i];
    if (!constraint.deferrable) continue;
    if (constraint.kind != 'p' && constraint.kind != 'u' && constraint.kind != 'x') continue;
    if (!is_enabled(state, *relation, constraint,
                    old_row.empty() ? catalog::kTriggerInsert : catalog::kTriggerUpdate)) {
      continue;
    }
    if (constraint.kind == 'x') {
      events_.push_back({Event::Kind::kKey, relation, i, std::string(), std::string(new_row), 0, nullptr});
      continue;
    }
    if (!old_row.empty() && same_columns(state, *relation, old_row, new_row, constraint.columns)) continue;
    if (!key_can_conflict(*relation, constraint, new_row)) continue;
    events_.push_back({Event::Kind::kKey, relation, i, std::string(), std::string(new_row), 0, nullptr});
  }
  return {};
}

Result<bool> ForeignKeyQueue::row_with_same_columns(QueryState& state, const RelationInfo& relation, Bytes row,
                                                    std::span<const int16_t> columns) {
  std::vector<Datum> values;
  for (const int16_t c : columns) values.push_back(relation.layout.column(row, static_cast<size_t>(c) - 1));
  INDIGO_ASSIGN(const bool possible, referencing_.may_have(state, relation, columns, values));
  if (!possible) return false;
  bool found = false;
  if (std::none_of(values.begin(), values.end(), [](const Datum& d) { return d.null; })) {
    INDIGO_TRY(find_rows(state, relation, columns, values, [&](Bytes, Bytes) -> Result<bool> {
      found = true;
      return false;
    }));
    return found;
  }
  storage::Transaction& txn = state.transaction();
  auto cursor = relation.table->scan(txn, txn.newest_view(), storage::KeyRange::all());
  storage::RowRef refs[64];
  while (true) {
    size_t count = 0;
    storage::StorageStatus status = cursor->next(refs, count);
    if (status != storage::StorageStatus::kOk) return storage_error(status, &relation);
    if (count == 0) return false;
    INDIGO_TRY(state.check());
    for (size_t i = 0; i < count; i++) {
      if (same_columns(state, relation, refs[i].row, row, columns)) return true;
    }
  }
}

Status ForeignKeyQueue::child_event(QueryState& state, const Event& event, bool late) {
  const RelationInfo& child = *event.relation;
  const ConstraintInfo& constraint = child.constraints[event.constraint];
  bool mixed = false;
  INDIGO_ASSIGN(bool exists, parent_exists(state, event.relation, constraint, event.new_row, mixed));
  if (exists) return {};
  // The row may have been changed again or removed since: then it owes nothing any more. Later statements, or those of triggers,
  // may have changed its other columns.
  bool current = false;
  if (late || (child.triggers != nullptr && child.triggers->fires != 0)) {
    INDIGO_ASSIGN(current, row_with_same_columns(state, child, event.new_row, constraint.columns));
  } else {
    INDIGO_ASSIGN(current, row_is_current(state, child, event.new_row));
  }
  if (!current) return {};
  Error error(sqlstate::kForeignKeyViolation, "insert or update on table \"" + child.name +
                                                  "\" violates foreign key constraint \"" + constraint.name + "\"");
  if (mixed) {
    error.detail = "MATCH FULL does not allow mixing of null and nonnull key values.";
  } else {
    auto parent = state.session().catalog().relation(constraint.foreign_relation);
    error.detail = "Key" + key_text(state, child, constraint.columns, event.new_row) + " is not present in table \"" +
                   (parent != nullptr ? parent->name : "") + "\".";
  }
  return in_table(std::move(error), child, constraint);
}

Status ForeignKeyQueue::parent_event(QueryState& state, const Event& event) {
  const RelationInfo& parent = *event.relation;
  const ConstraintInfo& constraint = parent.referenced_by[event.constraint];
  Oid child_oid = parent.referencing_relations[event.constraint];
  Relation child = child_oid == parent.oid ? event.relation : state.session().catalog().relation(child_oid);
  if (child == nullptr) return {};
  std::vector<Datum> old_values, child_values;
  for (int16_t c : constraint.foreign_columns)
    old_values.push_back(parent.layout.column(event.old_row, static_cast<size_t>(c) - 1));
  for (const Datum& d : old_values) {
    if (d.null) return {};  // no row can refer to it
  }
  bool updated = event.kind == Event::Kind::kParentUpdated;
  char action = updated ? constraint.on_update : constraint.on_delete;
  if (action == 'a') {
    // Another parent row may have taken the key over.
    bool replaced = false;
    INDIGO_TRY(for_each_leaf(state, event.relation, constraint.foreign_columns, old_values, false,
                             [&](const Relation& leaf) -> Result<bool> {
                               const auto columns = columns_by_name(parent, constraint.foreign_columns, *leaf);
                               INDIGO_TRY(
                                   find_rows(state, *leaf, columns, old_values, [&](Bytes, Bytes) -> Result<bool> {
                                     replaced = true;
                                     return false;
                                   }));
                               return !replaced;
                             }));
    if (replaced) return {};
  }
  for (size_t i = 0; i < old_values.size(); i++) {
    auto from = static_cast<size_t>(constraint.foreign_columns[i]) - 1,
         to = static_cast<size_t>(constraint.columns[i]) - 1;
    Datum value = old_values[i];
    INDIGO_ASSIGN(bool fits, convert_key_value(state, parent.columns[from].type, child->columns[to].type,
                                               child->layout.phys(to), value));
    if (!fits) return {};
    child_values.push_back(value);
  }
  if (action != 'a' && action != 'r') {
    bool possible = false;
    INDIGO_TRY(
        for_each_leaf(state, child, constraint.columns, child_values, true, [&](const Relation& leaf) -> Result<bool> {
          const auto columns = columns_by_name(*child, constraint.columns, *leaf);
          INDIGO_ASSIGN(possible, referencing_.may_have(state, *leaf, columns, child_values));
          return !possible;
        }));
    if (!possible) return {};
    const bool only_removes = action == 'c' && !updated && child->triggers == nullptr && !child->is_partitioned();
    if (!only_removes) referencing_.forget();
    ForeignKeyAction run{state, child, constraint, parent, action, updated ? Bytes(event.new_row) : Bytes()};
    INDIGO_TRY(run.apply(child_values));
    // The default may be the very key that goes.
    if (action != 'd') return {};
  }
  bool referenced = false;
  INDIGO_TRY(
      for_each_leaf(state, child, constraint.columns, child_values, false, [&](const Relation& leaf) -> Result<bool> {
        const auto columns = columns_by_name(*child, constraint.columns, *leaf);
        INDIGO_ASSIGN(const bool possible, referencing_.may_have(state, *leaf, columns, child_values));
        if (!possible) return true;
        INDIGO_ASSIGN(referenced, child_exists(state, *leaf, columns, child_values));
        return !referenced;
      }));
  if (!referenced) return {};
  Error error(sqlstate::kForeignKeyViolation, "update or delete on table \"" + parent.name +
                                                  "\" violates foreign key constraint \"" + constraint.name +
                                                  "\" on table \"" + child->name + "\"");
  error.detail = "Key" + key_text(state, parent, constraint.foreign_columns, event.old_row) +
                 " is still referenced from table \"" + child->name + "\".";
  return in_table(std::move(error), *child, constraint);
}

Status ForeignKeyQueue::trigger_event(QueryState& state, const Event& event) {
  TriggerCall call;
  call.relation = event.relation;
  call.trigger = &event.trigger();
  call.event = event.trigger_event;
  call.old_row = event.old_row;
  call.new_row = event.new_row;
  call.old_place = {event.old_key, event.old_own};
  call.new_place = {event.new_key, true};
  call.transitions = event.transitions;
  INDIGO_TRY(state.context().triggers->call(call));
  return {};
}

bool ForeignKeyQueue::has(Oid relation) const {
  return std::any_of(events_.begin(), events_.end(), [&](const Event& e) { return e.relation->oid == relation; });
}

Status ForeignKeyQueue::run_all(QueryState& state, bool late) {
  const DeferredChecks::RunningEvents running(state.context().deferred, *this);
  const catalog::CatalogView& catalog = state.session().catalog();
  const uint64_t version = catalog.version();
  referencing_.forget();
  const bool many = events_.size() > kKeyLocksMax;
  while (true) {
    if (events_.empty()) {
      if (touched_.empty()) return {};
      for (const Touched& t : std::exchange(touched_, {})) {
        INDIGO_TRY(queue_after_statement(state, t.relation, t.event, t.updated));
      }
      if (events_.empty()) return {};
    }
    Event event = std::move(events_.front());
    events_.pop_front();
    INDIGO_TRY(state.check());
    if (!late && event.may_wait() && event.info() != nullptr && waits(state, *event.info())) {
      if (event.kind == Event::Kind::kTrigger && !state.context().triggers->allows_waiting()) {
        return Error(sqlstate::kInsufficientPrivilege,
                     "cannot fire deferred trigger within security-restricted operation");
      }
      state.context().deferred->add(std::move(event));
      continue;
    }
    const bool redefined = late || catalog.version() != version;
    if (redefined && !event.catch_up(state.session().catalog().relation(event.relation->oid))) continue;
    switch (event.kind) {
      case Event::Kind::kChild: INDIGO_TRY(child_event(state, event, late)); break;
      case Event::Kind::kTrigger:
        referencing_.forget();
        INDIGO_TRY(trigger_event(state, event));
        break;
      case Event::Kind::kKey:
        INDIGO_TRY(event.info()->kind == 'x' ? recheck_exclusion(state, event) : recheck_key(state, event, many));
        break;
      case Event::Kind::kParentUpdated:
      case Event::Kind::kParentErased: INDIGO_TRY(parent_event(state, event)); break;
    }
  }
  return {};
}

void ForeignKeyQueue::drop_statement_triggers(Oid relation, int16_t event) {
  std::erase_if(events_, [&](const Event& e) {
    return e.kind == Event::Kind::kTrigger && e.trigger_event == event && e.relation->oid == relation &&
           !e.trigger().for_row();
  });
}

void ForeignKeyQueue::touch(const Relation& relation, int16_t event, const std::vector<int16_t>& updated) {
  for (const Touched& t : touched_) {
    if (t.relation->oid == relation->oid && t.event == event) return;
  }
  drop_statement_triggers(relation->oid, event);
  touched_.push_back({relation, event, updated});
}

Status ForeignKeyQueue::finish(QueryState& state) { return run_all(state, false); }

}  // namespace indigo::engine::exec
