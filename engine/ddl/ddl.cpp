#include "engine/ddl/ddl.h"

#include "engine/ddl/access/alter_settings.h"
#include "engine/ddl/access/default_privileges.h"
#include "engine/ddl/access/grant.h"
#include "engine/ddl/access/owned.h"
#include "engine/ddl/access/policy.h"
#include "engine/ddl/access/role.h"
#include "engine/ddl/analyze.h"
#include "engine/ddl/drop/drop_statement.h"
#include "engine/ddl/extension/extension.h"
#include "engine/ddl/function/routine.h"
#include "engine/ddl/object/collation.h"
#include "engine/ddl/object/comment.h"
#include "engine/ddl/object/database.h"
#include "engine/ddl/object/domain.h"
#include "engine/ddl/object/materialized_view.h"
#include "engine/ddl/object/rename.h"
#include "engine/ddl/object/schema.h"
#include "engine/ddl/object/sequence.h"
#include "engine/ddl/object/type.h"
#include "engine/ddl/object/view.h"
#include "engine/ddl/table/alter_table.h"
#include "engine/ddl/table/create_table.h"
#include "engine/ddl/table/index.h"
#include "engine/ddl/table/reindex.h"
#include "engine/ddl/table/truncate.h"
#include "engine/ddl/trigger/create_trigger.h"

namespace indigo::engine {

namespace {

using ddl::unsupported;

// What the statement would be called in "... is not supported"; null: not a definition statement.
const char* unsupported_definition(const PgQuery__Node& n) {
  switch (n.node_case) {
    case PG_QUERY__NODE__NODE_RULE_STMT: return "CREATE RULE";
    case PG_QUERY__NODE__NODE_CREATE_CAST_STMT: return "CREATE CAST";
    case PG_QUERY__NODE__NODE_DEFINE_STMT: return "CREATE AGGREGATE, OPERATOR, TYPE or TEXT SEARCH object";
    case PG_QUERY__NODE__NODE_CREATE_RANGE_STMT: return "CREATE TYPE AS RANGE";
    case PG_QUERY__NODE__NODE_CREATE_OP_CLASS_STMT: return "CREATE OPERATOR CLASS";
    case PG_QUERY__NODE__NODE_CREATE_OP_FAMILY_STMT: return "CREATE OPERATOR FAMILY";
    case PG_QUERY__NODE__NODE_CREATE_CONVERSION_STMT: return "CREATE CONVERSION";
    case PG_QUERY__NODE__NODE_CREATE_STATS_STMT: return "CREATE STATISTICS";
    case PG_QUERY__NODE__NODE_CREATE_TABLE_SPACE_STMT: return "CREATE TABLESPACE";
    case PG_QUERY__NODE__NODE_DROP_TABLE_SPACE_STMT: return "DROP TABLESPACE";
    case PG_QUERY__NODE__NODE_CREATE_FDW_STMT: return "CREATE FOREIGN DATA WRAPPER";
    case PG_QUERY__NODE__NODE_CREATE_FOREIGN_SERVER_STMT: return "CREATE SERVER";
    case PG_QUERY__NODE__NODE_CREATE_FOREIGN_TABLE_STMT: return "CREATE FOREIGN TABLE";
    case PG_QUERY__NODE__NODE_CREATE_PUBLICATION_STMT: return "CREATE PUBLICATION";
    case PG_QUERY__NODE__NODE_CREATE_SUBSCRIPTION_STMT: return "CREATE SUBSCRIPTION";
    case PG_QUERY__NODE__NODE_CREATE_EVENT_TRIG_STMT: return "CREATE EVENT TRIGGER";
    case PG_QUERY__NODE__NODE_CREATE_PLANG_STMT: return "CREATE LANGUAGE";
    case PG_QUERY__NODE__NODE_CREATE_TRANSFORM_STMT: return "CREATE TRANSFORM";
    case PG_QUERY__NODE__NODE_CREATE_AM_STMT: return "CREATE ACCESS METHOD";
    case PG_QUERY__NODE__NODE_ALTER_TYPE_STMT: return "this form of ALTER TYPE";
    default: return nullptr;
  }
}

bool is_supported(const PgQuery__Node& n) {
  switch (n.node_case) {
    case PG_QUERY__NODE__NODE_CREATE_STMT:
    case PG_QUERY__NODE__NODE_CREATE_TABLE_AS_STMT:
    case PG_QUERY__NODE__NODE_ALTER_TABLE_STMT:
    case PG_QUERY__NODE__NODE_DROP_STMT:
    case PG_QUERY__NODE__NODE_TRUNCATE_STMT:
    case PG_QUERY__NODE__NODE_COMMENT_STMT:
    case PG_QUERY__NODE__NODE_INDEX_STMT:
    case PG_QUERY__NODE__NODE_RENAME_STMT:
    case PG_QUERY__NODE__NODE_VIEW_STMT:
    case PG_QUERY__NODE__NODE_REFRESH_MAT_VIEW_STMT:
    case PG_QUERY__NODE__NODE_CREATE_DOMAIN_STMT:
    case PG_QUERY__NODE__NODE_ALTER_DOMAIN_STMT:
    case PG_QUERY__NODE__NODE_CREATE_ENUM_STMT:
    case PG_QUERY__NODE__NODE_ALTER_ENUM_STMT:
    case PG_QUERY__NODE__NODE_COMPOSITE_TYPE_STMT:
    case PG_QUERY__NODE__NODE_CREATEDB_STMT:
    case PG_QUERY__NODE__NODE_DROPDB_STMT:
    case PG_QUERY__NODE__NODE_ALTER_DATABASE_STMT:
    case PG_QUERY__NODE__NODE_ALTER_DATABASE_SET_STMT:
    case PG_QUERY__NODE__NODE_CREATE_SEQ_STMT:
    case PG_QUERY__NODE__NODE_ALTER_SEQ_STMT:
    case PG_QUERY__NODE__NODE_CREATE_SCHEMA_STMT:
    case PG_QUERY__NODE__NODE_CREATE_ROLE_STMT:
    case PG_QUERY__NODE__NODE_ALTER_ROLE_STMT:
    case PG_QUERY__NODE__NODE_ALTER_ROLE_SET_STMT:
    case PG_QUERY__NODE__NODE_DROP_ROLE_STMT:
    case PG_QUERY__NODE__NODE_GRANT_STMT:
    case PG_QUERY__NODE__NODE_ALTER_DEFAULT_PRIVILEGES_STMT:
    case PG_QUERY__NODE__NODE_GRANT_ROLE_STMT:
    case PG_QUERY__NODE__NODE_ALTER_OBJECT_SCHEMA_STMT:
    case PG_QUERY__NODE__NODE_ALTER_OWNER_STMT:
    case PG_QUERY__NODE__NODE_REASSIGN_OWNED_STMT:
    case PG_QUERY__NODE__NODE_DROP_OWNED_STMT:
    case PG_QUERY__NODE__NODE_ALTER_COLLATION_STMT:
    case PG_QUERY__NODE__NODE_CREATE_EXTENSION_STMT:
    case PG_QUERY__NODE__NODE_ALTER_EXTENSION_STMT:
    case PG_QUERY__NODE__NODE_ALTER_EXTENSION_CONTENTS_STMT:
    case PG_QUERY__NODE__NODE_CLUSTER_STMT:
    case PG_QUERY__NODE__NODE_CREATE_FUNCTION_STMT:
    case PG_QUERY__NODE__NODE_ALTER_FUNCTION_STMT:
    case PG_QUERY__NODE__NODE_CREATE_TRIG_STMT:
    case PG_QUERY__NODE__NODE_CREATE_POLICY_STMT:
    case PG_QUERY__NODE__NODE_ALTER_POLICY_STMT:
    case PG_QUERY__NODE__NODE_REINDEX_STMT: return true;
    default: return false;
  }
}

}  // namespace

bool is_ddl(const PgQuery__Node& statement) {
  return is_supported(statement) || unsupported_definition(statement) != nullptr;
}

Result<std::string> execute_ddl(DdlContext& c, const PgQuery__Node& n) {
  switch (n.node_case) {
    case PG_QUERY__NODE__NODE_CREATE_STMT: return ddl::execute_create_table(c, *n.create_stmt);
    case PG_QUERY__NODE__NODE_CREATE_TABLE_AS_STMT: return ddl::execute_create_table_as(c, *n.create_table_as_stmt);
    case PG_QUERY__NODE__NODE_ALTER_TABLE_STMT: return ddl::execute_alter_table(c, *n.alter_table_stmt);
    case PG_QUERY__NODE__NODE_DROP_STMT: return ddl::execute_drop(c, *n.drop_stmt);
    case PG_QUERY__NODE__NODE_TRUNCATE_STMT: return ddl::execute_truncate(c, *n.truncate_stmt);
    case PG_QUERY__NODE__NODE_COMMENT_STMT: return ddl::execute_comment(c, *n.comment_stmt);
    case PG_QUERY__NODE__NODE_INDEX_STMT: return ddl::execute_create_index(c, *n.index_stmt);
    case PG_QUERY__NODE__NODE_RENAME_STMT: return ddl::execute_rename(c, *n.rename_stmt);
    case PG_QUERY__NODE__NODE_REFRESH_MAT_VIEW_STMT: return ddl::execute_refresh(c, *n.refresh_mat_view_stmt);
    case PG_QUERY__NODE__NODE_VIEW_STMT: return ddl::execute_create_view(c, *n.view_stmt);
    case PG_QUERY__NODE__NODE_CREATE_DOMAIN_STMT: return ddl::execute_create_domain(c, *n.create_domain_stmt);
    case PG_QUERY__NODE__NODE_ALTER_DOMAIN_STMT: return ddl::execute_alter_domain(c, *n.alter_domain_stmt);
    case PG_QUERY__NODE__NODE_CREATE_ENUM_STMT: return ddl::execute_create_enum(c, *n.create_enum_stmt);
    case PG_QUERY__NODE__NODE_ALTER_ENUM_STMT: return ddl::execute_alter_enum(c, *n.alter_enum_stmt);
    case PG_QUERY__NODE__NODE_COMPOSITE_TYPE_STMT: return ddl::execute_create_composite(c, *n.composite_type_stmt);
    case PG_QUERY__NODE__NODE_CREATEDB_STMT: return ddl::execute_create_database(c, *n.createdb_stmt);
    case PG_QUERY__NODE__NODE_DROPDB_STMT: return ddl::execute_drop_database(c, *n.dropdb_stmt);
    case PG_QUERY__NODE__NODE_ALTER_DATABASE_STMT: return ddl::execute_alter_database(c, *n.alter_database_stmt);
    case PG_QUERY__NODE__NODE_ALTER_DATABASE_SET_STMT:
      return ddl::execute_alter_database_set(c, *n.alter_database_set_stmt);
    case PG_QUERY__NODE__NODE_CREATE_SEQ_STMT: return ddl::execute_create_sequence(c, *n.create_seq_stmt);
    case PG_QUERY__NODE__NODE_ALTER_SEQ_STMT: return ddl::execute_alter_sequence(c, *n.alter_seq_stmt);
    case PG_QUERY__NODE__NODE_CREATE_SCHEMA_STMT: return ddl::execute_create_schema(c, *n.create_schema_stmt);
    case PG_QUERY__NODE__NODE_CREATE_ROLE_STMT: return ddl::execute_create_role(c, *n.create_role_stmt);
    case PG_QUERY__NODE__NODE_ALTER_ROLE_STMT: return ddl::execute_alter_role(c, *n.alter_role_stmt);
    case PG_QUERY__NODE__NODE_ALTER_ROLE_SET_STMT: return ddl::execute_alter_role_set(c, *n.alter_role_set_stmt);
    case PG_QUERY__NODE__NODE_DROP_ROLE_STMT: return ddl::execute_drop_role(c, *n.drop_role_stmt);
    case PG_QUERY__NODE__NODE_GRANT_STMT: return ddl::execute_grant(c, *n.grant_stmt);
    case PG_QUERY__NODE__NODE_GRANT_ROLE_STMT: return ddl::execute_grant_role(c, *n.grant_role_stmt);
    case PG_QUERY__NODE__NODE_ALTER_DEFAULT_PRIVILEGES_STMT:
      return ddl::execute_alter_default_privileges(c, *n.alter_default_privileges_stmt);
    case PG_QUERY__NODE__NODE_ALTER_OBJECT_SCHEMA_STMT: return ddl::execute_set_schema(c, *n.alter_object_schema_stmt);
    case PG_QUERY__NODE__NODE_ALTER_OWNER_STMT: return ddl::execute_owner(c, *n.alter_owner_stmt);
    case PG_QUERY__NODE__NODE_REASSIGN_OWNED_STMT: return ddl::execute_reassign_owned(c, *n.reassign_owned_stmt);
    case PG_QUERY__NODE__NODE_DROP_OWNED_STMT: return ddl::execute_drop_owned(c, *n.drop_owned_stmt);
    case PG_QUERY__NODE__NODE_DEFINE_STMT:
      if (n.define_stmt->kind == PG_QUERY__OBJECT_TYPE__OBJECT_COLLATION)
        return ddl::execute_create_collation(c, *n.define_stmt);
      break;
    case PG_QUERY__NODE__NODE_ALTER_COLLATION_STMT: return ddl::execute_alter_collation(c, *n.alter_collation_stmt);
    case PG_QUERY__NODE__NODE_CREATE_POLICY_STMT: return ddl::execute_create_policy(c, *n.create_policy_stmt);
    case PG_QUERY__NODE__NODE_ALTER_POLICY_STMT: return ddl::execute_alter_policy(c, *n.alter_policy_stmt);
    case PG_QUERY__NODE__NODE_REINDEX_STMT: return ddl::execute_reindex(c, *n.reindex_stmt);
    case PG_QUERY__NODE__NODE_CREATE_EXTENSION_STMT: return ddl::execute_create_extension(c, *n.create_extension_stmt);
    case PG_QUERY__NODE__NODE_ALTER_EXTENSION_STMT: return ddl::execute_alter_extension(c, *n.alter_extension_stmt);
    case PG_QUERY__NODE__NODE_ALTER_EXTENSION_CONTENTS_STMT:
      return ddl::execute_alter_extension_contents(c, *n.alter_extension_contents_stmt);
    case PG_QUERY__NODE__NODE_CLUSTER_STMT: return ddl::execute_cluster(c, *n.cluster_stmt);
    case PG_QUERY__NODE__NODE_CREATE_FUNCTION_STMT: return ddl::execute_create_function(c, *n.create_function_stmt);
    case PG_QUERY__NODE__NODE_ALTER_FUNCTION_STMT: return ddl::execute_alter_function(c, *n.alter_function_stmt);
    case PG_QUERY__NODE__NODE_CREATE_TRIG_STMT: return ddl::execute_create_trigger(c, *n.create_trig_stmt);
    case PG_QUERY__NODE__NODE_VACUUM_STMT: return ddl::execute_analyze(c, *n.vacuum_stmt);
    default: break;
  }
  const char* name = unsupported_definition(n);
  return unsupported(name != nullptr ? name : "this statement");
}

}  // namespace indigo::engine
