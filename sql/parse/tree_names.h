// The names of libpg_query's parse tree, for headers: sources that read its structs include sql/parse/parse_tree.h.
#pragma once

#include <span>

struct ProtobufCMessage;
struct PgQuery__AArrayExpr;
struct PgQuery__Alias;
struct PgQuery__AlterCollationStmt;
struct PgQuery__AlterDatabaseSetStmt;
struct PgQuery__AlterDatabaseRefreshCollStmt;
struct PgQuery__AlterDatabaseStmt;
struct PgQuery__AlterDefaultPrivilegesStmt;
struct PgQuery__AlterDomainStmt;
struct PgQuery__AlterEnumStmt;
struct PgQuery__AlterExtensionContentsStmt;
struct PgQuery__AlterExtensionStmt;
struct PgQuery__AlterObjectSchemaStmt;
struct PgQuery__AlterOperatorStmt;
struct PgQuery__AlterOwnerStmt;
struct PgQuery__AlterRoleSetStmt;
struct PgQuery__AlterRoleStmt;
struct PgQuery__AlterSeqStmt;
struct PgQuery__AlterStatsStmt;
struct PgQuery__AlterTableCmd;
struct PgQuery__AlterTableStmt;
struct PgQuery__CallStmt;
struct PgQuery__ClusterStmt;
struct PgQuery__CollateClause;
struct PgQuery__ColumnDef;
struct PgQuery__CommonTableExpr;
struct PgQuery__CompositeTypeStmt;
struct PgQuery__Constraint;
struct PgQuery__CopyStmt;
struct PgQuery__CreateCastStmt;
struct PgQuery__CreateDomainStmt;
struct PgQuery__CreateEnumStmt;
struct PgQuery__CreateExtensionStmt;
struct PgQuery__CreateFunctionStmt;
struct PgQuery__CreateOpClassStmt;
struct PgQuery__CreateOpFamilyStmt;
struct PgQuery__CreateRoleStmt;
struct PgQuery__CreateSchemaStmt;
struct PgQuery__CreateSeqStmt;
struct PgQuery__CreateStatsStmt;
struct PgQuery__CreateStmt;
struct PgQuery__CreateTableAsStmt;
struct PgQuery__CreateTrigStmt;
struct PgQuery__CreatedbStmt;
struct PgQuery__DefElem;
struct PgQuery__DefineStmt;
struct PgQuery__DropOwnedStmt;
struct PgQuery__DropRoleStmt;
struct PgQuery__DropStmt;
struct PgQuery__DropdbStmt;
struct PgQuery__ExecuteStmt;
struct PgQuery__FuncCall;
struct PgQuery__GrantRoleStmt;
struct PgQuery__GrantStmt;
struct PgQuery__IndexElem;
struct PgQuery__IndexStmt;
struct PgQuery__JoinExpr;
struct PgQuery__List;
struct PgQuery__Node;
struct PgQuery__ObjectWithArgs;
struct PgQuery__ParseResult;
struct PgQuery__PartitionBoundSpec;
struct PgQuery__PartitionCmd;
struct PgQuery__PartitionSpec;
struct PgQuery__RangeFunction;
struct PgQuery__RangeVar;
struct PgQuery__ReassignOwnedStmt;
struct PgQuery__RefreshMatViewStmt;
struct PgQuery__ReindexStmt;
struct PgQuery__RenameStmt;
struct PgQuery__RoleSpec;
struct PgQuery__RuleStmt;
struct PgQuery__SelectStmt;
struct PgQuery__SortBy;
struct PgQuery__SubLink;
struct PgQuery__TruncateStmt;
struct PgQuery__TypeName;
struct PgQuery__VacuumStmt;
struct PgQuery__VariableSetStmt;
struct PgQuery__ViewStmt;
struct PgQuery__WindowDef;
struct PgQuery__WithClause;

namespace indigo::sql {

using NodeList = std::span<PgQuery__Node* const>;

}  // namespace indigo::sql
