#include "engine/ddl/table/alter_target.h"

#include <algorithm>

#include "sql/parse/parse_tree.h"

namespace indigo::engine::ddl {

namespace {

enum Target : uint8_t {
  kTable = 1u << 0,
  kView = 1u << 1,
  kMaterialized = 1u << 2,
  kIndex = 1u << 3,
  kSequence = 1u << 4,
  kComposite = 1u << 5,
  kPartitionedIndex = 1u << 6,
  kForeign = 1u << 7,
};

struct Action {
  PgQuery__AlterTableType type;
  const char* name;
  unsigned targets;
};

constexpr Action kActions[] = {
    {PG_QUERY__ALTER_TABLE_TYPE__AT_AddColumn, "ADD COLUMN", kTable | kForeign | kComposite},
    {PG_QUERY__ALTER_TABLE_TYPE__AT_ColumnDefault, "ALTER COLUMN ... SET DEFAULT", kTable | kForeign | kView},
    {PG_QUERY__ALTER_TABLE_TYPE__AT_AddIdentity, "ALTER COLUMN ... ADD IDENTITY", kTable | kForeign | kView},
    {PG_QUERY__ALTER_TABLE_TYPE__AT_SetIdentity, "ALTER COLUMN ... SET", kTable | kForeign | kView},
    {PG_QUERY__ALTER_TABLE_TYPE__AT_DropIdentity, "ALTER COLUMN ... DROP IDENTITY", kTable | kForeign | kView},
    {PG_QUERY__ALTER_TABLE_TYPE__AT_DropNotNull, "ALTER COLUMN ... DROP NOT NULL", kTable | kForeign},
    {PG_QUERY__ALTER_TABLE_TYPE__AT_SetNotNull, "ALTER COLUMN ... SET NOT NULL", kTable | kForeign},
    {PG_QUERY__ALTER_TABLE_TYPE__AT_DropExpression, "ALTER COLUMN ... DROP EXPRESSION", kTable | kForeign},
    {PG_QUERY__ALTER_TABLE_TYPE__AT_SetStatistics, "ALTER COLUMN ... SET STATISTICS",
     kTable | kForeign | kMaterialized | kIndex},
    {PG_QUERY__ALTER_TABLE_TYPE__AT_SetOptions, "ALTER COLUMN ... SET", kTable | kForeign | kMaterialized},
    {PG_QUERY__ALTER_TABLE_TYPE__AT_ResetOptions, "ALTER COLUMN ... RESET", kTable | kForeign | kMaterialized},
    {PG_QUERY__ALTER_TABLE_TYPE__AT_SetStorage, "ALTER COLUMN ... SET STORAGE", kTable | kForeign | kMaterialized},
    {PG_QUERY__ALTER_TABLE_TYPE__AT_SetCompression, "ALTER COLUMN ... SET COMPRESSION", kTable | kMaterialized},
    {PG_QUERY__ALTER_TABLE_TYPE__AT_DropColumn, "DROP COLUMN", kTable | kForeign | kComposite},
    {PG_QUERY__ALTER_TABLE_TYPE__AT_AlterColumnType, "ALTER COLUMN ... SET DATA TYPE", kTable | kForeign | kComposite},
    {PG_QUERY__ALTER_TABLE_TYPE__AT_AddConstraint, "ADD CONSTRAINT", kTable | kForeign},
    {PG_QUERY__ALTER_TABLE_TYPE__AT_AlterConstraint, "ALTER CONSTRAINT", kTable},
    {PG_QUERY__ALTER_TABLE_TYPE__AT_ValidateConstraint, "VALIDATE CONSTRAINT", kTable | kForeign},
    {PG_QUERY__ALTER_TABLE_TYPE__AT_DropConstraint, "DROP CONSTRAINT", kTable | kForeign},
    {PG_QUERY__ALTER_TABLE_TYPE__AT_ClusterOn, "CLUSTER ON", kTable | kMaterialized},
    {PG_QUERY__ALTER_TABLE_TYPE__AT_DropCluster, "SET WITHOUT CLUSTER", kTable | kMaterialized},
    {PG_QUERY__ALTER_TABLE_TYPE__AT_SetLogged, "SET LOGGED", kTable | kSequence},
    {PG_QUERY__ALTER_TABLE_TYPE__AT_SetUnLogged, "SET UNLOGGED", kTable | kSequence},
    {PG_QUERY__ALTER_TABLE_TYPE__AT_SetTableSpace, "SET TABLESPACE", kTable | kMaterialized | kIndex},
    {PG_QUERY__ALTER_TABLE_TYPE__AT_SetAccessMethod, "SET ACCESS METHOD", kTable | kMaterialized},
    {PG_QUERY__ALTER_TABLE_TYPE__AT_SetRelOptions, "SET", kTable | kView | kMaterialized | kIndex},
    {PG_QUERY__ALTER_TABLE_TYPE__AT_ResetRelOptions, "RESET", kTable | kView | kMaterialized | kIndex},
    {PG_QUERY__ALTER_TABLE_TYPE__AT_ReplicaIdentity, "REPLICA IDENTITY", kTable | kMaterialized},
    {PG_QUERY__ALTER_TABLE_TYPE__AT_EnableTrig, "ENABLE TRIGGER", kTable | kForeign},
    {PG_QUERY__ALTER_TABLE_TYPE__AT_EnableAlwaysTrig, "ENABLE ALWAYS TRIGGER", kTable | kForeign},
    {PG_QUERY__ALTER_TABLE_TYPE__AT_EnableReplicaTrig, "ENABLE REPLICA TRIGGER", kTable | kForeign},
    {PG_QUERY__ALTER_TABLE_TYPE__AT_DisableTrig, "DISABLE TRIGGER", kTable | kForeign},
    {PG_QUERY__ALTER_TABLE_TYPE__AT_EnableTrigAll, "ENABLE TRIGGER ALL", kTable | kForeign},
    {PG_QUERY__ALTER_TABLE_TYPE__AT_DisableTrigAll, "DISABLE TRIGGER ALL", kTable | kForeign},
    {PG_QUERY__ALTER_TABLE_TYPE__AT_EnableTrigUser, "ENABLE TRIGGER USER", kTable | kForeign},
    {PG_QUERY__ALTER_TABLE_TYPE__AT_DisableTrigUser, "DISABLE TRIGGER USER", kTable | kForeign},
    {PG_QUERY__ALTER_TABLE_TYPE__AT_EnableRule, "ENABLE RULE", kTable},
    {PG_QUERY__ALTER_TABLE_TYPE__AT_EnableAlwaysRule, "ENABLE ALWAYS RULE", kTable},
    {PG_QUERY__ALTER_TABLE_TYPE__AT_EnableReplicaRule, "ENABLE REPLICA RULE", kTable},
    {PG_QUERY__ALTER_TABLE_TYPE__AT_DisableRule, "DISABLE RULE", kTable},
    {PG_QUERY__ALTER_TABLE_TYPE__AT_EnableRowSecurity, "ENABLE ROW SECURITY", kTable},
    {PG_QUERY__ALTER_TABLE_TYPE__AT_DisableRowSecurity, "DISABLE ROW SECURITY", kTable},
    {PG_QUERY__ALTER_TABLE_TYPE__AT_ForceRowSecurity, "FORCE ROW SECURITY", kTable},
    {PG_QUERY__ALTER_TABLE_TYPE__AT_NoForceRowSecurity, "NO FORCE ROW SECURITY", kTable},
    {PG_QUERY__ALTER_TABLE_TYPE__AT_AddInherit, "INHERIT", kTable | kForeign},
    {PG_QUERY__ALTER_TABLE_TYPE__AT_AddOf, "OF", kTable},
    {PG_QUERY__ALTER_TABLE_TYPE__AT_DropOf, "NOT OF", kTable},
    {PG_QUERY__ALTER_TABLE_TYPE__AT_DropInherit, "NO INHERIT", kTable | kForeign},
    {PG_QUERY__ALTER_TABLE_TYPE__AT_AttachPartition, "ATTACH PARTITION", kTable | kPartitionedIndex},
    {PG_QUERY__ALTER_TABLE_TYPE__AT_DetachPartition, "DETACH PARTITION", kTable},
    {PG_QUERY__ALTER_TABLE_TYPE__AT_DetachPartitionFinalize, "DETACH PARTITION ... FINALIZE", kTable},
    {PG_QUERY__ALTER_TABLE_TYPE__AT_GenericOptions, "OPTIONS", kForeign},
    {PG_QUERY__ALTER_TABLE_TYPE__AT_AlterColumnGenericOptions, "ALTER COLUMN ... OPTIONS", kForeign},
};

unsigned target_of(RelationKind kind) {
  switch (kind) {
    case RelationKind::kView: return kView;
    case RelationKind::kMaterializedView: return kMaterialized;
    case RelationKind::kIndex: return kIndex;
    case RelationKind::kPartitionedIndex: return kIndex | kPartitionedIndex;
    case RelationKind::kSequence: return kSequence;
    case RelationKind::kComposite: return kComposite;
    case RelationKind::kForeignTable: return kForeign;
    default: return kTable;
  }
}

}  // namespace

Status check_alter_target(const RelationInfo& relation, PgQuery__AlterTableType action) {
  const auto* found =
      std::find_if(std::begin(kActions), std::end(kActions), [&](const Action& a) { return a.type == action; });
  if (found == std::end(kActions) || (found->targets & target_of(relation.kind)) != 0) return {};
  return Error(sqlstate::kWrongObjectType,
               std::string("ALTER action ") + found->name + " cannot be performed on relation " + quoted(relation.name))
      .with_detail(not_supported_for(relation.kind));
}

Status check_not_type(const RelationInfo& relation) {
  if (relation.kind != RelationKind::kComposite) return {};
  return Error(sqlstate::kWrongObjectType, quoted(relation.name) + " is a composite type")
      .with_hint("Use ALTER TYPE instead.");
}

}  // namespace indigo::engine::ddl
