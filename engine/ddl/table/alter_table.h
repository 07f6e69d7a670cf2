// ALTER TABLE (and INDEX, VIEW, SEQUENCE through the same statement): its commands. Those on columns are in alter_column.cpp,
// alter_column_type.cpp and identity_column.cpp.
#pragma once

#include <map>
#include <set>
#include <span>

#include "engine/ddl/table/create_table.h"
#include "sql/parse/tree_names.h"

namespace indigo::engine::ddl {

Status execute_alter_table(DdlContext& c, const PgQuery__AlterTableStmt& s);

// What USING gives, by table and column, for each row in the tree's order: of expressions that read a column which another command
// of the statement drops or gives another type, computed before any has changed anything.
struct UsingValues {
  std::map<std::pair<Oid, std::string>, std::vector<OwnedDatum>> values;
  std::set<std::string> of_keys;  // those columns among them that are of some table's primary key
};
// `recurse`: in the tables below, too.
Result<UsingValues> using_values(DdlContext& c, const RelationPtr& relation,
                                 std::span<const PgQuery__AlterTableCmd* const> commands, bool recurse);

// Commands on columns. `relation` is the descriptor as of now.
Status add_column(DdlContext& c, const RelationPtr& relation, const PgQuery__AlterTableCmd& cmd);
Status drop_column(DdlContext& c, const RelationPtr& relation, const PgQuery__AlterTableCmd& cmd);
Status set_default(DdlContext& c, const RelationPtr& relation, const PgQuery__AlterTableCmd& cmd);
Status set_not_null(DdlContext& c, const RelationPtr& relation, const PgQuery__AlterTableCmd& cmd);
Status drop_not_null(DdlContext& c, const RelationPtr& relation, const PgQuery__AlterTableCmd& cmd);
Status drop_expression(DdlContext& c, const RelationPtr& relation, const PgQuery__AlterTableCmd& cmd);
Status alter_column_type(DdlContext& c, const RelationPtr& relation, const PgQuery__AlterTableCmd& cmd,
                         const UsingValues& computed);
Status add_identity(DdlContext& c, const RelationPtr& relation, const PgQuery__AlterTableCmd& cmd);
Status set_identity(DdlContext& c, const RelationPtr& relation, const PgQuery__AlterTableCmd& cmd);
Status drop_identity(DdlContext& c, const RelationPtr& relation, const PgQuery__AlterTableCmd& cmd);

// 42703 "column "x" of relation "t" does not exist".
Result<const ColumnInfo*> column_of(const RelationInfo& relation, std::string_view name);
// ALTER ... OWNER TO for a relation, with what belongs to it (indexes, sequences of its columns, row type).
Status change_owner(DdlContext& c, const RelationPtr& relation, Oid owner);
// Who gives something away must be a member of the new owner, who must be able to make it there. kInvalidOid: in no schema.
Status check_new_owner(DdlContext& c, Oid owner, Oid schema);
// In a row's access list what the owner before had and gave is now the new owner's.
void pass_on(RowValues& row, int acl_column, Oid before, Oid owner);

}  // namespace indigo::engine::ddl
