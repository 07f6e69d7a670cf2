// Every utility statement's handler. A family of handlers is a table in its own file; this file joins them.
#include <unordered_map>

#include "base/sqlstate.h"
#include "engine/ddl/ddl.h"
#include "engine/session/session_parts.h"
#include "engine/session/transaction_block.h"
#include "engine/utility/families.h"
#include "engine/utility/utility.h"

namespace indigo::engine {

const UtilityHandler* find_utility(const PgQuery__Node* node) {
  static const auto table = [] {
    std::unordered_map<int, const UtilityHandler*> all;
    for (auto family :
         {transaction_utilities(), constraint_utilities(), setting_utilities(), prepared_utilities(),
          cursor_utilities(), copy_utilities(), explain_utilities(), maintenance_utilities(), program_utilities()}) {
      for (const UtilityHandler& handler : family) all.emplace(handler.node, &handler);
    }
    return all;
  }();
  auto at = table.find(node->node_case);
  if (at != table.end()) return at->second;
  return is_ddl(*node) ? &definition_utility() : nullptr;
}

namespace {

// Kinds of objects as DROP, ALTER and COMMENT name them.
const char* object_kind(PgQuery__ObjectType type) {
  switch (type) {
    case PG_QUERY__OBJECT_TYPE__OBJECT_TABLE: return "TABLE";
    case PG_QUERY__OBJECT_TYPE__OBJECT_VIEW: return "VIEW";
    case PG_QUERY__OBJECT_TYPE__OBJECT_MATVIEW: return "MATERIALIZED VIEW";
    case PG_QUERY__OBJECT_TYPE__OBJECT_INDEX: return "INDEX";
    case PG_QUERY__OBJECT_TYPE__OBJECT_SEQUENCE: return "SEQUENCE";
    case PG_QUERY__OBJECT_TYPE__OBJECT_SCHEMA: return "SCHEMA";
    case PG_QUERY__OBJECT_TYPE__OBJECT_TYPE: return "TYPE";
    case PG_QUERY__OBJECT_TYPE__OBJECT_DOMAIN: return "DOMAIN";
    case PG_QUERY__OBJECT_TYPE__OBJECT_FUNCTION: return "FUNCTION";
    case PG_QUERY__OBJECT_TYPE__OBJECT_PROCEDURE: return "PROCEDURE";
    case PG_QUERY__OBJECT_TYPE__OBJECT_ROUTINE: return "ROUTINE";
    case PG_QUERY__OBJECT_TYPE__OBJECT_AGGREGATE: return "AGGREGATE";
    case PG_QUERY__OBJECT_TYPE__OBJECT_COLLATION: return "COLLATION";
    case PG_QUERY__OBJECT_TYPE__OBJECT_EXTENSION: return "EXTENSION";
    case PG_QUERY__OBJECT_TYPE__OBJECT_TRIGGER: return "TRIGGER";
    case PG_QUERY__OBJECT_TYPE__OBJECT_RULE: return "RULE";
    case PG_QUERY__OBJECT_TYPE__OBJECT_POLICY: return "POLICY";
    case PG_QUERY__OBJECT_TYPE__OBJECT_CAST: return "CAST";
    case PG_QUERY__OBJECT_TYPE__OBJECT_OPERATOR: return "OPERATOR";
    case PG_QUERY__OBJECT_TYPE__OBJECT_ROLE: return "ROLE";
    case PG_QUERY__OBJECT_TYPE__OBJECT_DATABASE: return "DATABASE";
    case PG_QUERY__OBJECT_TYPE__OBJECT_STATISTIC_EXT: return "STATISTICS";
    case PG_QUERY__OBJECT_TYPE__OBJECT_FOREIGN_TABLE: return "FOREIGN TABLE";
    default: return nullptr;
  }
}

std::string of_object(const char* verb, PgQuery__ObjectType type) {
  const char* kind = object_kind(type);
  return kind == nullptr ? verb : std::string(verb) + " " + kind;
}

// The statements whose nodes do not have their names.
std::string irregular_name(const PgQuery__Node& node) {
  switch (node.node_case) {
    case PG_QUERY__NODE__NODE_CREATE_STMT: return "CREATE TABLE";
    case PG_QUERY__NODE__NODE_INDEX_STMT: return "CREATE INDEX";
    case PG_QUERY__NODE__NODE_VIEW_STMT: return "CREATE VIEW";
    case PG_QUERY__NODE__NODE_CREATE_SEQ_STMT: return "CREATE SEQUENCE";
    case PG_QUERY__NODE__NODE_ALTER_SEQ_STMT: return "ALTER SEQUENCE";
    case PG_QUERY__NODE__NODE_CREATE_ENUM_STMT:
    case PG_QUERY__NODE__NODE_COMPOSITE_TYPE_STMT: return "CREATE TYPE";
    case PG_QUERY__NODE__NODE_ALTER_ENUM_STMT: return "ALTER TYPE";
    case PG_QUERY__NODE__NODE_CREATEDB_STMT: return "CREATE DATABASE";
    case PG_QUERY__NODE__NODE_DROPDB_STMT: return "DROP DATABASE";
    case PG_QUERY__NODE__NODE_TRUNCATE_STMT: return "TRUNCATE TABLE";
    case PG_QUERY__NODE__NODE_CREATE_TRIG_STMT: return "CREATE TRIGGER";
    case PG_QUERY__NODE__NODE_RULE_STMT: return "CREATE RULE";
    case PG_QUERY__NODE__NODE_CREATE_TABLE_SPACE_STMT: return "CREATE TABLESPACE";
    case PG_QUERY__NODE__NODE_DROP_TABLE_SPACE_STMT: return "DROP TABLESPACE";
    case PG_QUERY__NODE__NODE_CREATE_STATS_STMT: return "CREATE STATISTICS";
    case PG_QUERY__NODE__NODE_CREATE_AM_STMT: return "CREATE ACCESS METHOD";
    case PG_QUERY__NODE__NODE_CREATE_FDW_STMT: return "CREATE FOREIGN DATA WRAPPER";
    case PG_QUERY__NODE__NODE_CREATE_FOREIGN_SERVER_STMT: return "CREATE SERVER";
    case PG_QUERY__NODE__NODE_CREATE_PLANG_STMT: return "CREATE LANGUAGE";
    case PG_QUERY__NODE__NODE_CREATE_EVENT_TRIG_STMT: return "CREATE EVENT TRIGGER";
    case PG_QUERY__NODE__NODE_CREATE_OP_CLASS_STMT: return "CREATE OPERATOR CLASS";
    case PG_QUERY__NODE__NODE_CREATE_OP_FAMILY_STMT: return "CREATE OPERATOR FAMILY";
    case PG_QUERY__NODE__NODE_DEFINE_STMT: return of_object("CREATE", node.define_stmt->kind);
    case PG_QUERY__NODE__NODE_DROP_STMT: return of_object("DROP", node.drop_stmt->remove_type);
    case PG_QUERY__NODE__NODE_ALTER_TABLE_STMT: return of_object("ALTER", node.alter_table_stmt->objtype);
    case PG_QUERY__NODE__NODE_RENAME_STMT: return of_object("ALTER", node.rename_stmt->rename_type);
    case PG_QUERY__NODE__NODE_ALTER_OWNER_STMT: return of_object("ALTER", node.alter_owner_stmt->object_type);
    case PG_QUERY__NODE__NODE_ALTER_OBJECT_SCHEMA_STMT:
      return of_object("ALTER", node.alter_object_schema_stmt->object_type);
    case PG_QUERY__NODE__NODE_CREATE_FUNCTION_STMT:
      return node.create_function_stmt->is_procedure ? "CREATE PROCEDURE" : "CREATE FUNCTION";
    case PG_QUERY__NODE__NODE_GRANT_STMT: return node.grant_stmt->is_grant ? "GRANT" : "REVOKE";
    case PG_QUERY__NODE__NODE_GRANT_ROLE_STMT: return node.grant_role_stmt->is_grant ? "GRANT ROLE" : "REVOKE ROLE";
    case PG_QUERY__NODE__NODE_CREATE_TABLE_AS_STMT:
      return node.create_table_as_stmt->is_select_into                                     ? "SELECT INTO"
             : node.create_table_as_stmt->objtype == PG_QUERY__OBJECT_TYPE__OBJECT_MATVIEW ? "CREATE MATERIALIZED VIEW"
                                                                                           : "CREATE TABLE AS";
    default: return "";
  }
}

}  // namespace

std::string statement_name(const PgQuery__Node* node) {
  if (std::string name = irregular_name(*node); !name.empty()) return name;
  const auto* field = protobuf_c_message_descriptor_get_field(&pg_query__node__descriptor, node->node_case);
  if (field == nullptr) return "this statement";
  std::string name = field->name;  // "vacuum_stmt"
  if (name.ends_with("_stmt")) name.resize(name.size() - 5);
  for (char& c : name) c = c == '_' ? ' ' : static_cast<char>(c >= 'a' && c <= 'z' ? c - 32 : c);
  return name;
}

Status prevent_in_block(UtilityCall& call, const char* statement) {
  if (call.session.block().in_block() || !call.top_level) {
    return Error(sqlstate::kActiveSqlTransaction, std::string(statement) + " cannot run inside a transaction block");
  }
  return {};
}

Status send_text_row(UtilityCall& call, std::span<const std::string> values) {
  Chunk chunk;
  for (const std::string& value : values) {
    chunk.columns.emplace_back(Phys::kStr, 1);
    chunk.columns.back().set(0, Str(value));
  }
  chunk.selection = {nullptr, 1};
  return call.shape == nullptr ? Status() : call.sink.rows(*call.shape, chunk);
}

}  // namespace indigo::engine
