// The rows of definition statements: CREATE, ALTER, DROP and the like.
#include "engine/ddl/access/alter_settings.h"
#include "engine/ddl/access/default_privileges.h"
#include "engine/ddl/access/grant.h"
#include "engine/ddl/access/owned.h"
#include "engine/ddl/access/policy.h"
#include "engine/ddl/access/role.h"
#include "engine/ddl/analyze/analyze.h"
#include "engine/ddl/ddl.h"
#include "engine/ddl/drop/drop_statement.h"
#include "engine/ddl/event/event_trigger.h"
#include "engine/ddl/extension/extension.h"
#include "engine/ddl/foreign/foreign_table.h"
#include "engine/ddl/foreign/server.h"
#include "engine/ddl/foreign/wrapper.h"
#include "engine/ddl/function/routine.h"
#include "engine/ddl/object/access_method.h"
#include "engine/ddl/object/collation.h"
#include "engine/ddl/object/comment.h"
#include "engine/ddl/object/conversion.h"
#include "engine/ddl/object/database.h"
#include "engine/ddl/object/domain.h"
#include "engine/ddl/object/language.h"
#include "engine/ddl/object/materialized_view.h"
#include "engine/ddl/object/range_type.h"
#include "engine/ddl/object/rename.h"
#include "engine/ddl/object/schema.h"
#include "engine/ddl/object/sequence.h"
#include "engine/ddl/object/statistics.h"
#include "engine/ddl/object/tablespace.h"
#include "engine/ddl/object/type.h"
#include "engine/ddl/object/view.h"
#include "engine/ddl/operator/alter_operator_class.h"
#include "engine/ddl/operator/base_type.h"
#include "engine/ddl/operator/definition.h"
#include "engine/ddl/operator/operator_class.h"
#include "engine/ddl/replication/publication.h"
#include "engine/ddl/replication/subscription.h"
#include "engine/ddl/rule/rule.h"
#include "engine/ddl/table/alter_table.h"
#include "engine/ddl/table/create_table.h"
#include "engine/ddl/table/index.h"
#include "engine/ddl/table/reindex.h"
#include "engine/ddl/table/truncate.h"
#include "engine/ddl/text_search/text_search_object.h"
#include "engine/ddl/trigger/create_trigger.h"
#include "engine/statement/utility_statement.h"
#include "sql/parse/node.h"

namespace indigo::engine {

namespace {

std::string of_object(std::string_view verb, PgQuery__ObjectType type) {
  const std::string_view kind = object_type_name(type);
  return kind.empty() ? std::string(verb) : std::string(verb) + " " + std::string(kind);
}

// ---- names that depend on what the statement says

std::string create_table_as_name(const PgQuery__Node& n) {
  const PgQuery__CreateTableAsStmt& s = *n.create_table_as_stmt;
  if (s.is_select_into) return "SELECT INTO";
  return s.objtype == PG_QUERY__OBJECT_TYPE__OBJECT_MATVIEW ? "CREATE MATERIALIZED VIEW" : "CREATE TABLE AS";
}
std::string alter_table_name(const PgQuery__Node& n) { return of_object("ALTER", n.alter_table_stmt->objtype); }
std::string drop_name(const PgQuery__Node& n) { return of_object("DROP", n.drop_stmt->remove_type); }
std::string define_name(const PgQuery__Node& n) { return of_object("CREATE", n.define_stmt->kind); }
std::string set_schema_name(const PgQuery__Node& n) {
  return of_object("ALTER", n.alter_object_schema_stmt->object_type);
}
std::string depends_name(const PgQuery__Node& n) {
  return of_object("ALTER", n.alter_object_depends_stmt->object_type);
}
std::string owner_name(const PgQuery__Node& n) { return of_object("ALTER", n.alter_owner_stmt->object_type); }
std::string grant_name(const PgQuery__Node& n) { return n.grant_stmt->is_grant ? "GRANT" : "REVOKE"; }
std::string grant_role_name(const PgQuery__Node& n) {
  return n.grant_role_stmt->is_grant ? "GRANT ROLE" : "REVOKE ROLE";
}
std::string function_name(const PgQuery__Node& n) {
  return n.create_function_stmt->is_procedure ? "CREATE PROCEDURE" : "CREATE FUNCTION";
}
std::string alter_function_name(const PgQuery__Node& n) { return of_object("ALTER", n.alter_function_stmt->objtype); }

// A part of an object is renamed by ALTER of the object.
std::string rename_name(const PgQuery__Node& n) {
  const PgQuery__RenameStmt& s = *n.rename_stmt;
  switch (s.rename_type) {
    case PG_QUERY__OBJECT_TYPE__OBJECT_COLUMN:
    case PG_QUERY__OBJECT_TYPE__OBJECT_ATTRIBUTE: return of_object("ALTER", s.relation_type);
    case PG_QUERY__OBJECT_TYPE__OBJECT_TABCONSTRAINT: return "ALTER TABLE";
    case PG_QUERY__OBJECT_TYPE__OBJECT_DOMCONSTRAINT: return "ALTER DOMAIN";
    default: return of_object("ALTER", s.rename_type);
  }
}

// ---- what cannot run in a transaction block

std::string whole_statement(const PgQuery__Node& n) { return statement_name(&n); }
std::string cluster_everything(const PgQuery__Node& n) { return n.cluster_stmt->relation == nullptr ? "CLUSTER" : ""; }
std::string create_index_concurrently(const PgQuery__Node& n) {
  return n.index_stmt->concurrent ? "CREATE INDEX CONCURRENTLY" : "";
}
std::string drop_concurrently(const PgQuery__Node& n) {
  return n.drop_stmt->concurrent ? "DROP INDEX CONCURRENTLY" : "";
}

std::string move_all_name(const PgQuery__Node& n) { return of_object("ALTER", n.alter_table_move_all_stmt->objtype); }

std::string move_database(const PgQuery__Node& n) {
  for (const PgQuery__Node* node : sql::nodes(n.alter_database_stmt->n_options, n.alter_database_stmt->options)) {
    if (std::string_view(node->def_elem->defname) == "tablespace") return "ALTER DATABASE SET TABLESPACE";
  }
  return "";
}

std::string detach_concurrently(const PgQuery__Node& n) {
  for (const PgQuery__Node* node : sql::nodes(n.alter_table_stmt->n_cmds, n.alter_table_stmt->cmds)) {
    const PgQuery__AlterTableCmd& command = *node->alter_table_cmd;
    if (command.subtype == PG_QUERY__ALTER_TABLE_TYPE__AT_DetachPartition && command.def->partition_cmd->concurrent)
      return "ALTER TABLE ... DETACH CONCURRENTLY";
  }
  return "";
}

// ---- rows

template <auto kMember, auto kExecute>
Status define(DdlContext& c, const PgQuery__Node& n) {
  return kExecute(c, *(n.*kMember));
}

// A definition of the tree's member kMember, which kExecute carries out.
template <auto kMember, auto kExecute>
constexpr UtilityStatement definition(PgQuery__Node__NodeCase node, std::string_view name,
                                      std::string (*full_name)(const PgQuery__Node&) = nullptr,
                                      std::string (*refused_in_block)(const PgQuery__Node&) = nullptr,
                                      InReadOnly in_read_only = InReadOnly::kRefused) {
  return {.node = node,
          .name = name,
          .full_name = full_name,
          .define = define<kMember, kExecute>,
          .in_read_only = in_read_only,
          .refused_in_block = refused_in_block};
}

Status execute_define(DdlContext& c, const PgQuery__DefineStmt& s) {
  switch (s.kind) {
    case PG_QUERY__OBJECT_TYPE__OBJECT_COLLATION: return ddl::execute_create_collation(c, s);
    case PG_QUERY__OBJECT_TYPE__OBJECT_OPERATOR: return ddl::execute_create_operator(c, s);
    case PG_QUERY__OBJECT_TYPE__OBJECT_AGGREGATE: return ddl::execute_create_aggregate(c, s);
    case PG_QUERY__OBJECT_TYPE__OBJECT_TYPE: return ddl::execute_create_base_type(c, s);
    case PG_QUERY__OBJECT_TYPE__OBJECT_TSPARSER: return ddl::execute_create_text_search_parser(c, s);
    case PG_QUERY__OBJECT_TYPE__OBJECT_TSTEMPLATE: return ddl::execute_create_text_search_template(c, s);
    case PG_QUERY__OBJECT_TYPE__OBJECT_TSDICTIONARY: return ddl::execute_create_text_search_dictionary(c, s);
    case PG_QUERY__OBJECT_TYPE__OBJECT_TSCONFIGURATION: return ddl::execute_create_text_search_configuration(c, s);
    default: return ddl::unsupported(of_object("CREATE", s.kind));
  }
}

// Labels belong to modules that are loaded into the server, and there are none.
Status execute_security_label(DdlContext&, const PgQuery__SecLabelStmt& s) {
  const bool named = sql::has_text(s.provider);
  return Error(sqlstate::kInvalidParameterValue,
               named ? "security label provider \"" + std::string(s.provider) + "\" is not loaded"
                     : "no security label providers have been loaded");
}

constexpr UtilityStatement kDefinitions[] = {
    definition<&PgQuery__Node::create_stmt, ddl::execute_create_table>(PG_QUERY__NODE__NODE_CREATE_STMT,
                                                                       "CREATE TABLE"),
    definition<&PgQuery__Node::create_table_as_stmt, ddl::execute_create_table_as>(
        PG_QUERY__NODE__NODE_CREATE_TABLE_AS_STMT, "CREATE TABLE AS", create_table_as_name),
    definition<&PgQuery__Node::alter_table_stmt, ddl::execute_alter_table>(
        PG_QUERY__NODE__NODE_ALTER_TABLE_STMT, "ALTER", alter_table_name, detach_concurrently),
    definition<&PgQuery__Node::drop_stmt, ddl::execute_drop>(PG_QUERY__NODE__NODE_DROP_STMT, "DROP", drop_name,
                                                             drop_concurrently),
    definition<&PgQuery__Node::truncate_stmt, ddl::execute_truncate>(PG_QUERY__NODE__NODE_TRUNCATE_STMT,
                                                                     "TRUNCATE TABLE"),
    definition<&PgQuery__Node::comment_stmt, ddl::execute_comment>(PG_QUERY__NODE__NODE_COMMENT_STMT, "COMMENT"),
    definition<&PgQuery__Node::index_stmt, ddl::execute_create_index>(PG_QUERY__NODE__NODE_INDEX_STMT, "CREATE INDEX",
                                                                      nullptr, create_index_concurrently),
    definition<&PgQuery__Node::rename_stmt, ddl::execute_rename>(PG_QUERY__NODE__NODE_RENAME_STMT, "ALTER",
                                                                 rename_name),
    definition<&PgQuery__Node::view_stmt, ddl::execute_create_view>(PG_QUERY__NODE__NODE_VIEW_STMT, "CREATE VIEW"),
    definition<&PgQuery__Node::refresh_mat_view_stmt, ddl::execute_refresh>(PG_QUERY__NODE__NODE_REFRESH_MAT_VIEW_STMT,
                                                                            "REFRESH MATERIALIZED VIEW"),
    definition<&PgQuery__Node::create_domain_stmt, ddl::execute_create_domain>(PG_QUERY__NODE__NODE_CREATE_DOMAIN_STMT,
                                                                               "CREATE DOMAIN"),
    definition<&PgQuery__Node::alter_domain_stmt, ddl::execute_alter_domain>(PG_QUERY__NODE__NODE_ALTER_DOMAIN_STMT,
                                                                             "ALTER DOMAIN"),
    definition<&PgQuery__Node::create_enum_stmt, ddl::execute_create_enum>(PG_QUERY__NODE__NODE_CREATE_ENUM_STMT,
                                                                           "CREATE TYPE"),
    definition<&PgQuery__Node::alter_enum_stmt, ddl::execute_alter_enum>(PG_QUERY__NODE__NODE_ALTER_ENUM_STMT,
                                                                         "ALTER TYPE"),
    definition<&PgQuery__Node::composite_type_stmt, ddl::execute_create_composite>(
        PG_QUERY__NODE__NODE_COMPOSITE_TYPE_STMT, "CREATE TYPE"),
    definition<&PgQuery__Node::create_range_stmt, ddl::execute_create_range>(PG_QUERY__NODE__NODE_CREATE_RANGE_STMT,
                                                                             "CREATE TYPE"),
    definition<&PgQuery__Node::create_table_space_stmt, ddl::execute_create_tablespace>(
        PG_QUERY__NODE__NODE_CREATE_TABLE_SPACE_STMT, "CREATE TABLESPACE", nullptr, whole_statement),
    definition<&PgQuery__Node::drop_table_space_stmt, ddl::execute_drop_tablespace>(
        PG_QUERY__NODE__NODE_DROP_TABLE_SPACE_STMT, "DROP TABLESPACE", nullptr, whole_statement),
    definition<&PgQuery__Node::alter_table_space_options_stmt, ddl::execute_alter_tablespace>(
        PG_QUERY__NODE__NODE_ALTER_TABLE_SPACE_OPTIONS_STMT, "ALTER TABLESPACE"),
    definition<&PgQuery__Node::alter_table_move_all_stmt, ddl::execute_move_all>(
        PG_QUERY__NODE__NODE_ALTER_TABLE_MOVE_ALL_STMT, "ALTER", move_all_name),
    definition<&PgQuery__Node::createdb_stmt, ddl::execute_create_database>(
        PG_QUERY__NODE__NODE_CREATEDB_STMT, "CREATE DATABASE", nullptr, whole_statement),
    definition<&PgQuery__Node::dropdb_stmt, ddl::execute_drop_database>(PG_QUERY__NODE__NODE_DROPDB_STMT,
                                                                        "DROP DATABASE", nullptr, whole_statement),
    definition<&PgQuery__Node::alter_database_stmt, ddl::execute_alter_database>(
        PG_QUERY__NODE__NODE_ALTER_DATABASE_STMT, "ALTER DATABASE", nullptr, move_database),
    definition<&PgQuery__Node::alter_database_refresh_coll_stmt, ddl::execute_refresh_database_collation>(
        PG_QUERY__NODE__NODE_ALTER_DATABASE_REFRESH_COLL_STMT, "ALTER DATABASE"),
    definition<&PgQuery__Node::alter_database_set_stmt, ddl::execute_alter_database_set>(
        PG_QUERY__NODE__NODE_ALTER_DATABASE_SET_STMT, "ALTER DATABASE"),
    definition<&PgQuery__Node::create_seq_stmt, ddl::execute_create_sequence>(PG_QUERY__NODE__NODE_CREATE_SEQ_STMT,
                                                                              "CREATE SEQUENCE"),
    definition<&PgQuery__Node::alter_seq_stmt, ddl::execute_alter_sequence>(PG_QUERY__NODE__NODE_ALTER_SEQ_STMT,
                                                                            "ALTER SEQUENCE"),
    definition<&PgQuery__Node::create_schema_stmt, ddl::execute_create_schema>(PG_QUERY__NODE__NODE_CREATE_SCHEMA_STMT,
                                                                               "CREATE SCHEMA"),
    definition<&PgQuery__Node::create_role_stmt, ddl::execute_create_role>(PG_QUERY__NODE__NODE_CREATE_ROLE_STMT,
                                                                           "CREATE ROLE"),
    definition<&PgQuery__Node::alter_role_stmt, ddl::execute_alter_role>(PG_QUERY__NODE__NODE_ALTER_ROLE_STMT,
                                                                         "ALTER ROLE"),
    definition<&PgQuery__Node::alter_role_set_stmt, ddl::execute_alter_role_set>(
        PG_QUERY__NODE__NODE_ALTER_ROLE_SET_STMT, "ALTER ROLE"),
    definition<&PgQuery__Node::drop_role_stmt, ddl::execute_drop_role>(PG_QUERY__NODE__NODE_DROP_ROLE_STMT,
                                                                       "DROP ROLE"),
    definition<&PgQuery__Node::grant_stmt, ddl::execute_grant>(PG_QUERY__NODE__NODE_GRANT_STMT, "GRANT", grant_name),
    definition<&PgQuery__Node::grant_role_stmt, ddl::execute_grant_role>(PG_QUERY__NODE__NODE_GRANT_ROLE_STMT,
                                                                         "GRANT ROLE", grant_role_name),
    definition<&PgQuery__Node::alter_default_privileges_stmt, ddl::execute_alter_default_privileges>(
        PG_QUERY__NODE__NODE_ALTER_DEFAULT_PRIVILEGES_STMT, "ALTER DEFAULT PRIVILEGES"),
    definition<&PgQuery__Node::alter_object_schema_stmt, ddl::execute_set_schema>(
        PG_QUERY__NODE__NODE_ALTER_OBJECT_SCHEMA_STMT, "ALTER", set_schema_name),
    definition<&PgQuery__Node::alter_object_depends_stmt, ddl::execute_depends_on_extension>(
        PG_QUERY__NODE__NODE_ALTER_OBJECT_DEPENDS_STMT, "ALTER", depends_name),
    definition<&PgQuery__Node::alter_owner_stmt, ddl::execute_owner>(PG_QUERY__NODE__NODE_ALTER_OWNER_STMT, "ALTER",
                                                                     owner_name),
    definition<&PgQuery__Node::reassign_owned_stmt, ddl::execute_reassign_owned>(
        PG_QUERY__NODE__NODE_REASSIGN_OWNED_STMT, "REASSIGN OWNED"),
    definition<&PgQuery__Node::drop_owned_stmt, ddl::execute_drop_owned>(PG_QUERY__NODE__NODE_DROP_OWNED_STMT,
                                                                         "DROP OWNED"),
    definition<&PgQuery__Node::define_stmt, execute_define>(PG_QUERY__NODE__NODE_DEFINE_STMT, "CREATE", define_name),
    definition<&PgQuery__Node::create_cast_stmt, ddl::execute_create_cast>(PG_QUERY__NODE__NODE_CREATE_CAST_STMT,
                                                                           "CREATE CAST"),
    definition<&PgQuery__Node::create_op_class_stmt, ddl::execute_create_operator_class>(
        PG_QUERY__NODE__NODE_CREATE_OP_CLASS_STMT, "CREATE OPERATOR CLASS"),
    definition<&PgQuery__Node::create_op_family_stmt, ddl::execute_create_operator_family>(
        PG_QUERY__NODE__NODE_CREATE_OP_FAMILY_STMT, "CREATE OPERATOR FAMILY"),
    definition<&PgQuery__Node::alter_op_family_stmt, ddl::execute_alter_operator_family>(
        PG_QUERY__NODE__NODE_ALTER_OP_FAMILY_STMT, "ALTER OPERATOR FAMILY"),
    definition<&PgQuery__Node::create_am_stmt, ddl::execute_create_access_method>(PG_QUERY__NODE__NODE_CREATE_AM_STMT,
                                                                                  "CREATE ACCESS METHOD"),
    definition<&PgQuery__Node::create_conversion_stmt, ddl::execute_create_conversion>(
        PG_QUERY__NODE__NODE_CREATE_CONVERSION_STMT, "CREATE CONVERSION"),
    definition<&PgQuery__Node::create_plang_stmt, ddl::execute_create_language>(PG_QUERY__NODE__NODE_CREATE_PLANG_STMT,
                                                                                "CREATE LANGUAGE"),
    definition<&PgQuery__Node::alter_operator_stmt, ddl::execute_alter_operator>(
        PG_QUERY__NODE__NODE_ALTER_OPERATOR_STMT, "ALTER OPERATOR"),
    definition<&PgQuery__Node::alter_collation_stmt, ddl::execute_alter_collation>(
        PG_QUERY__NODE__NODE_ALTER_COLLATION_STMT, "ALTER COLLATION"),
    definition<&PgQuery__Node::alter_tsdictionary_stmt, ddl::execute_alter_text_search_dictionary>(
        PG_QUERY__NODE__NODE_ALTER_TSDICTIONARY_STMT, "ALTER TEXT SEARCH DICTIONARY"),
    definition<&PgQuery__Node::alter_tsconfiguration_stmt, ddl::execute_alter_text_search_configuration>(
        PG_QUERY__NODE__NODE_ALTER_TSCONFIGURATION_STMT, "ALTER TEXT SEARCH CONFIGURATION"),
    definition<&PgQuery__Node::create_extension_stmt, ddl::execute_create_extension>(
        PG_QUERY__NODE__NODE_CREATE_EXTENSION_STMT, "CREATE EXTENSION"),
    definition<&PgQuery__Node::alter_extension_stmt, ddl::execute_alter_extension>(
        PG_QUERY__NODE__NODE_ALTER_EXTENSION_STMT, "ALTER EXTENSION"),
    definition<&PgQuery__Node::alter_extension_contents_stmt, ddl::execute_alter_extension_contents>(
        PG_QUERY__NODE__NODE_ALTER_EXTENSION_CONTENTS_STMT, "ALTER EXTENSION"),
    definition<&PgQuery__Node::create_function_stmt, ddl::execute_create_function>(
        PG_QUERY__NODE__NODE_CREATE_FUNCTION_STMT, "CREATE FUNCTION", function_name),
    definition<&PgQuery__Node::alter_function_stmt, ddl::execute_alter_function>(
        PG_QUERY__NODE__NODE_ALTER_FUNCTION_STMT, "ALTER", alter_function_name),
    definition<&PgQuery__Node::create_trig_stmt, ddl::execute_create_trigger>(PG_QUERY__NODE__NODE_CREATE_TRIG_STMT,
                                                                              "CREATE TRIGGER"),
    definition<&PgQuery__Node::create_event_trig_stmt, ddl::execute_create_event_trigger>(
        PG_QUERY__NODE__NODE_CREATE_EVENT_TRIG_STMT, "CREATE EVENT TRIGGER"),
    definition<&PgQuery__Node::alter_event_trig_stmt, ddl::execute_alter_event_trigger>(
        PG_QUERY__NODE__NODE_ALTER_EVENT_TRIG_STMT, "ALTER EVENT TRIGGER"),
    definition<&PgQuery__Node::rule_stmt, ddl::execute_create_rule>(PG_QUERY__NODE__NODE_RULE_STMT, "CREATE RULE"),
    definition<&PgQuery__Node::create_stats_stmt, ddl::execute_create_statistics>(
        PG_QUERY__NODE__NODE_CREATE_STATS_STMT, "CREATE STATISTICS"),
    definition<&PgQuery__Node::alter_stats_stmt, ddl::execute_alter_statistics>(PG_QUERY__NODE__NODE_ALTER_STATS_STMT,
                                                                                "ALTER STATISTICS"),
    definition<&PgQuery__Node::create_policy_stmt, ddl::execute_create_policy>(PG_QUERY__NODE__NODE_CREATE_POLICY_STMT,
                                                                               "CREATE POLICY"),
    definition<&PgQuery__Node::alter_policy_stmt, ddl::execute_alter_policy>(PG_QUERY__NODE__NODE_ALTER_POLICY_STMT,
                                                                             "ALTER POLICY"),
    definition<&PgQuery__Node::create_fdw_stmt, ddl::execute_create_wrapper>(PG_QUERY__NODE__NODE_CREATE_FDW_STMT,
                                                                             "CREATE FOREIGN DATA WRAPPER"),
    definition<&PgQuery__Node::alter_fdw_stmt, ddl::execute_alter_wrapper>(PG_QUERY__NODE__NODE_ALTER_FDW_STMT,
                                                                           "ALTER FOREIGN DATA WRAPPER"),
    definition<&PgQuery__Node::create_foreign_table_stmt, ddl::execute_create_foreign_table>(
        PG_QUERY__NODE__NODE_CREATE_FOREIGN_TABLE_STMT, "CREATE FOREIGN TABLE"),
    definition<&PgQuery__Node::create_foreign_server_stmt, ddl::execute_create_server>(
        PG_QUERY__NODE__NODE_CREATE_FOREIGN_SERVER_STMT, "CREATE SERVER"),
    definition<&PgQuery__Node::alter_foreign_server_stmt, ddl::execute_alter_server>(
        PG_QUERY__NODE__NODE_ALTER_FOREIGN_SERVER_STMT, "ALTER SERVER"),
    definition<&PgQuery__Node::create_user_mapping_stmt, ddl::execute_create_user_mapping>(
        PG_QUERY__NODE__NODE_CREATE_USER_MAPPING_STMT, "CREATE USER MAPPING"),
    definition<&PgQuery__Node::alter_user_mapping_stmt, ddl::execute_alter_user_mapping>(
        PG_QUERY__NODE__NODE_ALTER_USER_MAPPING_STMT, "ALTER USER MAPPING"),
    definition<&PgQuery__Node::drop_user_mapping_stmt, ddl::execute_drop_user_mapping>(
        PG_QUERY__NODE__NODE_DROP_USER_MAPPING_STMT, "DROP USER MAPPING"),
    definition<&PgQuery__Node::import_foreign_schema_stmt, ddl::execute_import_foreign_schema>(
        PG_QUERY__NODE__NODE_IMPORT_FOREIGN_SCHEMA_STMT, "IMPORT FOREIGN SCHEMA"),
    definition<&PgQuery__Node::create_publication_stmt, ddl::execute_create_publication>(
        PG_QUERY__NODE__NODE_CREATE_PUBLICATION_STMT, "CREATE PUBLICATION"),
    definition<&PgQuery__Node::alter_publication_stmt, ddl::execute_alter_publication>(
        PG_QUERY__NODE__NODE_ALTER_PUBLICATION_STMT, "ALTER PUBLICATION"),
    definition<&PgQuery__Node::create_subscription_stmt, ddl::execute_create_subscription>(
        PG_QUERY__NODE__NODE_CREATE_SUBSCRIPTION_STMT, "CREATE SUBSCRIPTION"),
    definition<&PgQuery__Node::alter_subscription_stmt, ddl::execute_alter_subscription>(
        PG_QUERY__NODE__NODE_ALTER_SUBSCRIPTION_STMT, "ALTER SUBSCRIPTION"),
    definition<&PgQuery__Node::drop_subscription_stmt, ddl::execute_drop_subscription>(
        PG_QUERY__NODE__NODE_DROP_SUBSCRIPTION_STMT, "DROP SUBSCRIPTION"),
    definition<&PgQuery__Node::sec_label_stmt, execute_security_label>(PG_QUERY__NODE__NODE_SEC_LABEL_STMT,
                                                                       "SECURITY LABEL"),
    definition<&PgQuery__Node::cluster_stmt, ddl::execute_cluster>(PG_QUERY__NODE__NODE_CLUSTER_STMT, "CLUSTER",
                                                                   nullptr, cluster_everything, InReadOnly::kAllowed),
    definition<&PgQuery__Node::reindex_stmt, ddl::execute_reindex>(
        PG_QUERY__NODE__NODE_REINDEX_STMT, "REINDEX", nullptr, ddl::reindex_in_block, InReadOnly::kAllowed),
};

}  // namespace

std::span<const UtilityStatement> definition_statements() { return kDefinitions; }

}  // namespace indigo::engine
