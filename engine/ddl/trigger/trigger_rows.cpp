#include "engine/ddl/trigger/trigger_rows.h"

#include <algorithm>

#include "catalog/tables/system_table.h"
#include "engine/ddl/rows.h"
#include "engine/ddl/table/constraint.h"
#include "engine/ddl/trigger/trigger_condition.h"

namespace indigo::engine::ddl {

const TriggerInfo* find_trigger(const RelationInfo& relation, std::string_view name) {
  if (relation.triggers == nullptr) return nullptr;
  for (const TriggerInfo& t : relation.triggers->triggers) {
    if (t.name == name) return &t;
  }
  return nullptr;
}

Error no_such_trigger(const RelationInfo& relation, std::string_view name) {
  return Error(sqlstate::kUndefinedObject,
               "trigger " + quoted(name) + " for table " + quoted(relation.name) + " does not exist");
}

Status check_trigger_name_free(const RelationInfo& relation, std::string_view name) {
  if (find_trigger(relation, name) == nullptr) return {};
  return Error(sqlstate::kDuplicateObject,
               "trigger " + quoted(name) + " for relation " + quoted(relation.name) + " already exists");
}

namespace {

std::string argument_bytes(const std::vector<std::string>& arguments) {
  std::string out;
  for (const std::string& a : arguments) {
    out += a;
    out += '\0';
  }
  return out;
}

// `index`: of a foreign key's trigger, the referenced key's.
Status write_row(DdlContext& c, Oid relation, const TriggerInfo& t, bool replaces, Oid index = kInvalidOid) {
  SystemTable& triggers = table(c, pg_trigger::kOid);
  RowValues row(triggers.definition());
  row.oid(pg_trigger::c_oid, t.oid)
      .oid(pg_trigger::c_tgrelid, relation)
      .oid(pg_trigger::c_tgparentid, t.parent)
      .str(pg_trigger::c_tgname, t.name)
      .oid(pg_trigger::c_tgfoid, t.function)
      .i16(pg_trigger::c_tgtype, t.type)
      .chr(pg_trigger::c_tgenabled, t.enabled)
      .flag(pg_trigger::c_tgisinternal, t.internal)
      .oid(pg_trigger::c_tgconstrrelid, t.constraint_relation)
      .oid(pg_trigger::c_tgconstrindid, index)
      .oid(pg_trigger::c_tgconstraint, t.constraint)
      .flag(pg_trigger::c_tgdeferrable, t.deferrable)
      .flag(pg_trigger::c_tginitdeferred, t.deferred)
      .i16(pg_trigger::c_tgnargs, static_cast<int16_t>(t.arguments.size()))
      .i16_vector(pg_trigger::c_tgattr, t.columns)
      .str(pg_trigger::c_tgargs, argument_bytes(t.arguments));
  if (!t.condition.empty()) row.str(pg_trigger::c_tgqual, t.condition);
  if (!t.old_table.empty()) row.str(pg_trigger::c_tgoldtable, t.old_table);
  if (!t.new_table.empty()) row.str(pg_trigger::c_tgnewtable, t.new_table);
  const StorageStatus status = replaces ? triggers.update(c.txn, row) : triggers.insert(c.txn, row);
  if (status == StorageStatus::kDuplicateKey) {
    const RelationPtr r = current(c, relation);
    return Error(sqlstate::kDuplicateObject, "trigger " + quoted(t.name) + " for relation " +
                                                 quoted(r == nullptr ? std::string() : r->name) + " already exists");
  }
  INDIGO_TRY(check(status));
  c.catalog.changed({relation}, RelationParts::kTriggers);
  return update_class(c, relation, [](RowValues& v) { v.flag(pg_class::c_relhastriggers, true); });
}

}  // namespace

Status insert_trigger(DdlContext& c, const RelationInfo& relation, TriggerInfo t, const TriggerReferences& references,
                      bool replace) {
  const bool replaces = t.oid != kInvalidOid;
  if (!replaces) t.oid = next_oid(c);
  const Address self{pg_trigger::kOid, t.oid, 0};
  if (replaces) INDIGO_TRY(remove_dependencies_of(c, self));
  INDIGO_TRY(write_row(c, relation.oid, t, replaces));
  if (!t.internal && t.parent == kInvalidOid) c.host.made(pg_trigger::kOid, t.oid, c.extension != kInvalidOid);
  INDIGO_TRY(record_dependency(c, self, {pg_proc::kOid, t.function, 0}, 'n'));
  const Address own_table{pg_class::kOid, relation.oid, 0};
  INDIGO_TRY(record_dependency(c, self, own_table, 'a'));
  if (t.constraint != kInvalidOid) {
    INDIGO_TRY(record_dependency(c, {pg_constraint::kOid, t.constraint, 0}, self, 'i'));
  }
  if (t.constraint_relation != kInvalidOid) {
    INDIGO_TRY(record_dependency(c, self, {pg_class::kOid, t.constraint_relation, 0}, 'a'));
  }
  if (t.parent != kInvalidOid) {
    INDIGO_TRY(record_dependency(c, self, {pg_trigger::kOid, t.parent, 0}, 'P'));
    INDIGO_TRY(record_dependency(c, self, own_table, 'S'));
  }
  INDIGO_TRY(record_column_dependencies(c, self, relation.oid, t.columns, 'n'));
  INDIGO_TRY(record_column_dependencies(c, self, relation.oid, references.columns, 'n'));
  for (const Address& a : references.addresses) INDIGO_TRY(record_dependency(c, self, a, 'n'));
  if (!relation.is_partitioned() || !t.for_row()) return {};
  for (const Oid partition : relation.children) {
    INDIGO_TRY(lock_object(c, partition, TableLockMode::kShareRowExclusive));
    INDIGO_TRY(clone_trigger(c, relation, t, partition, replace));
  }
  return {};
}

Status clone_trigger(DdlContext& c, const RelationInfo& parent, const TriggerInfo& trigger, Oid partition,
                     bool replace) {
  const RelationPtr child = current(c, partition);
  TriggerInfo t = trigger;
  t.oid = kInvalidOid;
  if (const TriggerInfo* own = find_trigger(*child, t.name)) {
    // The parent's definition was replaced, or the partition has a trigger of its own by that name.
    const bool gives_way = replace && own->parent == kInvalidOid && !own->internal;
    if (own->parent != trigger.oid && !gives_way) {
      return Error(sqlstate::kDuplicateObject,
                   "trigger " + quoted(t.name) + " for relation " + quoted(child->name) + " already exists");
    }
    t.oid = own->oid;
  }
  t.parent = trigger.oid;
  t.constraint = kInvalidOid;
  for (int16_t& column : t.columns) {
    column = child->find_column(parent.columns[static_cast<size_t>(column) - 1].name)->number;
  }
  TriggerReferences references;
  if (!t.condition.empty()) {
    INDIGO_ASSIGN(StoredExpression e, copy_trigger_condition(c, t.condition, parent, child));
    t.condition = e.tree;
    references.columns = std::move(e.columns);
    references.addresses = std::move(e.references);
  }
  if (trigger.constraint != kInvalidOid) {
    INDIGO_ASSIGN(t.constraint, insert_trigger_constraint(c, *child, t.name, t.deferrable, t.deferred));
  }
  return insert_trigger(c, *child, std::move(t), references, replace);
}

Status check_may_be_child(const RelationInfo& table, bool partition) {
  if (table.triggers == nullptr) return {};
  for (const TriggerInfo& t : table.triggers->triggers) {
    if (!t.for_row() || !t.uses_transition_tables()) continue;
    return Error(sqlstate::kFeatureNotSupported, "trigger " + quoted(t.name) + " prevents table " + quoted(table.name) +
                                                     " from becoming " +
                                                     (partition ? "a partition" : "an inheritance child"))
        .with_detail(partition ? "ROW triggers with transition tables are not supported on partitions."
                               : "ROW triggers with transition tables are not supported in inheritance hierarchies.");
  }
  return {};
}

Status inherit_triggers(DdlContext& c, Oid partition, const RelationInfo& parent) {
  if (parent.triggers == nullptr) return {};
  for (const TriggerInfo& t : parent.triggers->triggers) {
    if (t.for_row() && !t.internal) INDIGO_TRY(clone_trigger(c, parent, t, partition));
  }
  return {};
}

Status drop_inherited_triggers(DdlContext& c, const RelationInfo& partition, const RelationInfo& parent) {
  if (partition.triggers == nullptr || parent.triggers == nullptr) return {};
  std::vector<Address> gone;
  for (const TriggerInfo& t : partition.triggers->triggers) {
    if (t.parent == kInvalidOid || t.internal) continue;
    const Address self{pg_trigger::kOid, t.oid, 0};
    for (const Dependent& r : references_of(c, self)) {
      if (r.type == 'S' || r.type == 'P') INDIGO_TRY(remove_dependency(c, self, r.address));
    }
    if (t.constraint != kInvalidOid) {
      INDIGO_TRY(remove_dependency(c, {pg_constraint::kOid, t.constraint, 0}, self));
      gone.push_back({pg_constraint::kOid, t.constraint, 0});
    }
    gone.push_back(self);
  }
  return gone.empty() ? Status() : drop_objects(c, gone, true, true);
}

Result<Oid> insert_trigger_constraint(DdlContext& c, const RelationInfo& relation, const std::string& name,
                                      bool deferrable, bool deferred) {
  NewConstraint n;
  n.oid = next_oid(c);
  n.name = name;
  n.schema = relation.schema;
  n.kind = 't';
  n.relation = relation.oid;
  n.deferrable = deferrable;
  n.deferred = deferred;
  n.no_inherit = true;
  INDIGO_TRY(check_constraint_name_free(relation, n.name));
  INDIGO_TRY(insert_constraint(c, n));
  return n.oid;
}

// ---- foreign keys

namespace {

constexpr Oid kCheckInsert{1644}, kCheckUpdate{1645};
// RI_FKey_*_del and _upd of an action.
Oid action_function(char action, bool update) {
  switch (action) {
    case 'c': return update ? Oid{1647} : Oid{1646};
    case 'r': return update ? Oid{1649} : Oid{1648};
    case 'n': return update ? Oid{1651} : Oid{1650};
    case 'd': return update ? Oid{1653} : Oid{1652};
    default: return update ? Oid{1655} : Oid{1654};
  }
}

}  // namespace

namespace {

bool is_action(const TriggerInfo& t) { return t.function != kCheckInsert && t.function != kCheckUpdate; }

// The trigger of a foreign key on `table` for this event; a table that references itself has both kinds.
Oid foreign_key_trigger(DdlContext& c, Oid table, Oid constraint, int16_t event, bool action) {
  const RelationPtr relation = table == kInvalidOid ? nullptr : current(c, table);
  if (relation == nullptr || relation->triggers == nullptr) return kInvalidOid;
  for (const TriggerInfo& t : relation->triggers->triggers) {
    if (t.internal && t.constraint == constraint && t.has_event(event) && is_action(t) == action) return t.oid;
  }
  return kInvalidOid;
}

Status add_foreign_key_trigger(DdlContext& c, const NewConstraint& n, bool action, int16_t event, Oid function,
                               bool may_wait, Oid parent) {
  TriggerInfo t;
  t.oid = next_oid(c);
  t.name = std::string("RI_ConstraintTrigger_") + (action ? 'a' : 'c') + "_" + std::to_string(t.oid);
  t.function = function;
  t.type = static_cast<int16_t>(catalog::kTriggerRow | event);
  t.internal = true;
  t.parent = parent;
  t.constraint = n.oid;
  t.constraint_relation = action ? n.relation : n.foreign_relation;
  t.deferrable = may_wait && n.deferrable;
  t.deferred = may_wait && n.deferred;
  INDIGO_TRY(write_row(c, action ? n.foreign_relation : n.relation, t, false, n.index));
  return record_dependency(c, {pg_trigger::kOid, t.oid, 0}, {pg_constraint::kOid, n.oid, 0}, 'i');
}

}  // namespace

Status add_action_triggers(DdlContext& c, const NewConstraint& n, Oid parent_constraint, Oid parent_table) {
  const auto above = [&](int16_t event) {
    return foreign_key_trigger(c, parent_table, parent_constraint, event, true);
  };
  INDIGO_TRY(add_foreign_key_trigger(c, n, true, catalog::kTriggerDelete, action_function(n.on_delete, false),
                                     n.on_delete == 'a', above(catalog::kTriggerDelete)));
  return add_foreign_key_trigger(c, n, true, catalog::kTriggerUpdate, action_function(n.on_update, true),
                                 n.on_update == 'a', above(catalog::kTriggerUpdate));
}

Status add_check_triggers(DdlContext& c, const NewConstraint& n, Oid parent_constraint, Oid parent_table) {
  const auto above = [&](int16_t event) {
    return foreign_key_trigger(c, parent_table, parent_constraint, event, false);
  };
  INDIGO_TRY(add_foreign_key_trigger(c, n, false, catalog::kTriggerInsert, kCheckInsert, true,
                                     above(catalog::kTriggerInsert)));
  return add_foreign_key_trigger(c, n, false, catalog::kTriggerUpdate, kCheckUpdate, true,
                                 above(catalog::kTriggerUpdate));
}

Status drop_action_triggers(DdlContext& c, Oid foreign, Oid constraint) {
  const RelationPtr relation = current(c, foreign);
  if (relation == nullptr || relation->triggers == nullptr) return {};
  std::vector<Address> gone;
  for (const TriggerInfo& t : relation->triggers->triggers) {
    if (!t.internal || t.constraint != constraint || !is_action(t)) continue;
    const Address self{pg_trigger::kOid, t.oid, 0};
    INDIGO_TRY(remove_dependency(c, self, {pg_constraint::kOid, constraint, 0}));
    gone.push_back(self);
  }
  return gone.empty() ? Status() : drop_objects(c, gone, true, true);
}

Status link_check_triggers(DdlContext& c, Oid relation, Oid constraint, Oid parent_constraint, Oid parent_table) {
  const RelationPtr table = current(c, relation);
  if (table->triggers == nullptr) return {};
  for (const TriggerInfo& t : table->triggers->triggers) {
    if (!t.internal || t.constraint != constraint || is_action(t)) continue;
    const int16_t event = t.has_event(catalog::kTriggerInsert) ? catalog::kTriggerInsert : catalog::kTriggerUpdate;
    const Oid above = foreign_key_trigger(c, parent_table, parent_constraint, event, false);
    INDIGO_TRY(update_row(c, pg_trigger::kOid, {Datum::of_oid(t.oid)},
                          [&](RowValues& v) { v.oid(pg_trigger::c_tgparentid, above); }));
  }
  c.catalog.changed({relation});
  return {};
}

Status defer_foreign_key_triggers(DdlContext& c, Oid table, Oid constraint, bool deferrable, bool deferred) {
  const RelationPtr relation = current(c, table);
  if (relation == nullptr || relation->triggers == nullptr) return {};
  for (const TriggerInfo& t : relation->triggers->triggers) {
    if (!t.internal || t.constraint != constraint) continue;
    if (is_action(t) && t.function != action_function('a', true) && t.function != action_function('a', false)) continue;
    INDIGO_TRY(update_row(c, pg_trigger::kOid, {Datum::of_oid(t.oid)}, [&](RowValues& v) {
      v.flag(pg_trigger::c_tgdeferrable, deferrable).flag(pg_trigger::c_tginitdeferred, deferred);
    }));
  }
  c.catalog.changed({table});
  return {};
}

Status add_key_trigger(DdlContext& c, Oid constraint, Oid relation, bool primary, bool deferred) {
  constexpr Oid kUniqueKeyRecheck{1250};
  TriggerInfo t;
  t.oid = next_oid(c);
  t.name = std::string(primary ? "PK" : "Unique") + "_ConstraintTrigger_" + std::to_string(t.oid);
  t.function = kUniqueKeyRecheck;
  t.type = catalog::kTriggerRow | catalog::kTriggerInsert | catalog::kTriggerUpdate;
  t.internal = true;
  t.constraint = constraint;
  t.deferrable = true;
  t.deferred = deferred;
  INDIGO_TRY(write_row(c, relation, t, false));
  return record_dependency(c, {pg_trigger::kOid, t.oid, 0}, {pg_constraint::kOid, constraint, 0}, 'i');
}

}  // namespace indigo::engine::ddl
