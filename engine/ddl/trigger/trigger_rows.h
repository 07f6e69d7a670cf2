// Rows of pg_trigger: what a trigger's definition leaves in the system tables.
//
// Invariants:
// 1. A row trigger of a partitioned table has one trigger of the same name in each partition, whose tgparentid leads up and
//    which goes with it; so has each level below.
// 2. A foreign key has four internal triggers: two of the referencing table (its rows' parents are looked for), two of the
//    referenced one (its actions). That of a partition has two of its side. A deferrable key has
//    one. They hold no code: their tgenabled says whether the executor looks.
// Thread safety: as the DdlContext.
#pragma once

#include "catalog/descriptor/trigger_info.h"
#include "engine/ddl/drop/dependency.h"
#include "engine/ddl/table/constraint.h"

namespace indigo::engine::ddl {

using catalog::TriggerInfo;

// What a trigger refers to beside its table and function.
struct TriggerReferences {
  std::vector<int16_t> columns;        // of the WHEN condition
  std::vector<Address> addresses;      // the same
  Oid constraint_table = kInvalidOid;  // FROM
};

// Writes the row and what it depends on; `t.oid` is the row that it replaces, if not kInvalidOid.
Status insert_trigger(DdlContext& c, const RelationInfo& relation, TriggerInfo t, const TriggerReferences& references,
                      bool replace = false);
// 42710 when the table has a trigger of that name.
Status check_trigger_name_free(const RelationInfo& relation, std::string_view name);
const TriggerInfo* find_trigger(const RelationInfo& relation, std::string_view name);
// 42704 "trigger "x" for table "y" does not exist".
Error no_such_trigger(const RelationInfo& relation, std::string_view name);

// The trigger for a partition of its table. `replace`: it may take the place of the partition's own of that name.
Status clone_trigger(DdlContext& c, const RelationInfo& parent, const TriggerInfo& trigger, Oid partition,
                     bool replace = false);
// 0A000 for a table whose row triggers read transition tables: it cannot come below another.
Status check_may_be_child(const RelationInfo& table, bool partition);
// All row triggers of a partitioned table, for a new partition (CREATE, ATTACH).
Status inherit_triggers(DdlContext& c, Oid partition, const RelationInfo& parent);
// DETACH: a partition's triggers that came from its parent go.
Status drop_inherited_triggers(DdlContext& c, const RelationInfo& partition, const RelationInfo& parent);

// The triggers of a foreign key that has just been made: of the referenced table (actions), of the referencing one (checks).
// `parent_constraint` on `parent_table` has those that they belong to; kInvalidOid: none.
Status add_action_triggers(DdlContext& c, const NewConstraint& n, Oid parent_constraint, Oid parent_table);
Status add_check_triggers(DdlContext& c, const NewConstraint& n, Oid parent_constraint, Oid parent_table);
Status drop_action_triggers(DdlContext& c, Oid foreign, Oid constraint);
// ATTACH and DETACH: what the constraint's check triggers belong to now.
Status link_check_triggers(DdlContext& c, Oid relation, Oid constraint, Oid parent_constraint, Oid parent_table);
// ALTER CONSTRAINT: of one of the two tables.
Status defer_foreign_key_triggers(DdlContext& c, Oid table, Oid constraint, bool deferrable, bool deferred);
// The trigger of a deferrable key, which looks for other rows with the same values.
Status add_key_trigger(DdlContext& c, Oid constraint, Oid relation, bool primary, bool deferred);

}  // namespace indigo::engine::ddl
