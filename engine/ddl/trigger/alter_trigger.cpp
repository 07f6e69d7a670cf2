// Triggers that are there: found by name, renamed, enabled, disabled.
#include <algorithm>

#include "catalog/tables/system_table.h"
#include "engine/ddl/rows.h"
#include "engine/ddl/tree.h"
#include "engine/ddl/trigger/create_trigger.h"

namespace indigo::engine::ddl {

Result<std::optional<Address>> find_named_trigger(DdlContext& c, NodeList name, bool missing_ok, TableLockMode mode) {
  const NodeList table_name = name.first(name.size() - 1);
  INDIGO_ASSIGN(const RelationPtr found, existing_relation(c, table_name, missing_ok));
  if (found == nullptr) return std::optional<Address>();
  INDIGO_TRY(lock_object(c, found->oid, mode));
  const RelationPtr r = current(c, found->oid);
  const TriggerInfo* t = r == nullptr ? nullptr : find_trigger(*r, string_of(name.back()));
  if (t == nullptr) {
    const std::string where = missing_ok ? "relation " + quoted(sql::name_list_text(table_name))  // as it was written
                                         : "table " + quoted(found->name);
    const std::string message = "trigger " + quoted(string_of(name.back())) + " for " + where + " does not exist";
    if (!missing_ok) return Error(sqlstate::kUndefinedObject, message);
    notice(c, message + ", skipping");
    return std::optional<Address>();
  }
  INDIGO_TRY(check_owner(c, *r));
  return std::optional<Address>(Address{pg_trigger::kOid, t->oid, 0});
}

namespace {

Status rename_one(DdlContext& c, const RelationPtr& r, const TriggerInfo& t, const std::string& to) {
  INDIGO_TRY(check_trigger_name_free(*r, to));
  INDIGO_TRY(
      update_row(c, pg_trigger::kOid, {Datum::of_oid(t.oid)}, [&](RowValues& v) { v.str(pg_trigger::c_tgname, to); }));
  c.catalog.changed({r->oid});
  // The triggers made for its partitions go by its name.
  for (const Oid child : r->children) {
    INDIGO_TRY(lock_object(c, child, TableLockMode::kAccessExclusive));
    const RelationPtr partition = current(c, child);
    if (partition == nullptr || partition->triggers == nullptr) continue;
    for (const TriggerInfo& other : partition->triggers->triggers) {
      if (other.parent == t.oid && other.name != to) {
        if (other.name != t.name) {
          notice(c, "renamed trigger " + quoted(other.name) + " on relation " + quoted(partition->name));
        }
        INDIGO_TRY(rename_one(c, partition, other, to));
      }
    }
  }
  return {};
}

// With the triggers that partitions have for it.
Status set_trigger_state(DdlContext& c, const RelationPtr& relation, const TriggerInfo& t, char state, bool recurse) {
  if (t.enabled != state) {
    INDIGO_TRY(update_row(c, pg_trigger::kOid, {Datum::of_oid(t.oid)},
                          [&](RowValues& v) { v.chr(pg_trigger::c_tgenabled, state); }));
    c.catalog.changed({relation->oid});
  }
  if (!recurse || !relation->is_partitioned() || !t.for_row()) return {};
  for (const Oid child : relation->children) {
    const RelationPtr partition = current(c, child);
    if (partition == nullptr || partition->triggers == nullptr) continue;
    for (const TriggerInfo& below : partition->triggers->triggers) {
      if (below.parent == t.oid) INDIGO_TRY(set_trigger_state(c, partition, below, state, true));
    }
  }
  return {};
}

}  // namespace

Status rename_trigger(DdlContext& c, const PgQuery__RangeVar* table, std::string_view from, std::string_view to) {
  INDIGO_ASSIGN(const RelationPtr r, open_relation(c, table, TableLockMode::kAccessExclusive, false, check_definable));
  const TriggerInfo* t = find_trigger(*r, from);
  if (t == nullptr) return no_such_trigger(*r, from);
  if (t->parent != kInvalidOid) {
    const RelationPtr parent = r->parents.empty() ? nullptr : current(c, r->parents[0]);
    return Error(sqlstate::kInternalError, "cannot rename trigger " + quoted(from) + " on table " + quoted(r->name))
        .with_hint("Rename the trigger on the partitioned table " +
                   quoted(parent == nullptr ? std::string() : parent->name) + " instead.");
  }
  return rename_one(c, r, TriggerInfo(*t), truncated_name(to));
}

Status enable_triggers(DdlContext& c, const RelationPtr& relation, const PgQuery__AlterTableCmd& cmd, bool recurse) {
  const auto is_one_of = [&](std::initializer_list<PgQuery__AlterTableType> list) {
    return std::find(list.begin(), list.end(), cmd.subtype) != list.end();
  };
  char state = 'O';
  if (cmd.subtype == PG_QUERY__ALTER_TABLE_TYPE__AT_EnableAlwaysTrig) state = 'A';
  if (cmd.subtype == PG_QUERY__ALTER_TABLE_TYPE__AT_EnableReplicaTrig) state = 'R';
  if (is_one_of({PG_QUERY__ALTER_TABLE_TYPE__AT_DisableTrig, PG_QUERY__ALTER_TABLE_TYPE__AT_DisableTrigAll,
                 PG_QUERY__ALTER_TABLE_TYPE__AT_DisableTrigUser})) {
    state = 'D';
  }
  const bool all =
      is_one_of({PG_QUERY__ALTER_TABLE_TYPE__AT_EnableTrigAll, PG_QUERY__ALTER_TABLE_TYPE__AT_DisableTrigAll});
  const bool user =
      is_one_of({PG_QUERY__ALTER_TABLE_TYPE__AT_EnableTrigUser, PG_QUERY__ALTER_TABLE_TYPE__AT_DisableTrigUser});
  bool found = false;
  if (relation->triggers != nullptr) {
    for (const TriggerInfo& t : relation->triggers->triggers) {
      if (!all && !user && t.name != cmd.name) continue;
      if (user && t.internal) continue;
      found = true;
      if (t.internal && !c.catalog.is_superuser(c.catalog.user())) {
        return Error(sqlstate::kInsufficientPrivilege, "permission denied: " + quoted(t.name) + " is a system trigger");
      }
      INDIGO_TRY(set_trigger_state(c, relation, t, state, recurse));
    }
  }
  if (!found && !all && !user) return no_such_trigger(*relation, cmd.name);
  return {};
}

}  // namespace indigo::engine::ddl
