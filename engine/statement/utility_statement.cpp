#include "engine/statement/utility_statement.h"

#include "sql/parse/parse_tree.h"

namespace indigo::engine {

std::string_view object_type_name(PgQuery__ObjectType type) {
  switch (type) {
    case PG_QUERY__OBJECT_TYPE__OBJECT_TABLE: return "TABLE";
    case PG_QUERY__OBJECT_TYPE__OBJECT_INDEX: return "INDEX";
    case PG_QUERY__OBJECT_TYPE__OBJECT_VIEW: return "VIEW";
    case PG_QUERY__OBJECT_TYPE__OBJECT_MATVIEW: return "MATERIALIZED VIEW";
    case PG_QUERY__OBJECT_TYPE__OBJECT_SEQUENCE: return "SEQUENCE";
    case PG_QUERY__OBJECT_TYPE__OBJECT_SCHEMA: return "SCHEMA";
    case PG_QUERY__OBJECT_TYPE__OBJECT_TYPE: return "TYPE";
    case PG_QUERY__OBJECT_TYPE__OBJECT_DOMAIN: return "DOMAIN";
    case PG_QUERY__OBJECT_TYPE__OBJECT_DATABASE: return "DATABASE";
    case PG_QUERY__OBJECT_TYPE__OBJECT_ROLE: return "ROLE";
    case PG_QUERY__OBJECT_TYPE__OBJECT_FUNCTION: return "FUNCTION";
    case PG_QUERY__OBJECT_TYPE__OBJECT_PROCEDURE: return "PROCEDURE";
    case PG_QUERY__OBJECT_TYPE__OBJECT_ROUTINE: return "ROUTINE";
    case PG_QUERY__OBJECT_TYPE__OBJECT_AGGREGATE: return "AGGREGATE";
    case PG_QUERY__OBJECT_TYPE__OBJECT_EXTENSION: return "EXTENSION";
    case PG_QUERY__OBJECT_TYPE__OBJECT_TRIGGER: return "TRIGGER";
    case PG_QUERY__OBJECT_TYPE__OBJECT_RULE: return "RULE";
    case PG_QUERY__OBJECT_TYPE__OBJECT_POLICY: return "POLICY";
    case PG_QUERY__OBJECT_TYPE__OBJECT_COLLATION: return "COLLATION";
    case PG_QUERY__OBJECT_TYPE__OBJECT_CAST: return "CAST";
    case PG_QUERY__OBJECT_TYPE__OBJECT_OPERATOR: return "OPERATOR";
    case PG_QUERY__OBJECT_TYPE__OBJECT_STATISTIC_EXT: return "STATISTICS";
    case PG_QUERY__OBJECT_TYPE__OBJECT_FOREIGN_SERVER: return "SERVER";
    case PG_QUERY__OBJECT_TYPE__OBJECT_FDW: return "FOREIGN DATA WRAPPER";
    case PG_QUERY__OBJECT_TYPE__OBJECT_FOREIGN_TABLE: return "FOREIGN TABLE";
    case PG_QUERY__OBJECT_TYPE__OBJECT_PUBLICATION: return "PUBLICATION";
    case PG_QUERY__OBJECT_TYPE__OBJECT_SUBSCRIPTION: return "SUBSCRIPTION";
    case PG_QUERY__OBJECT_TYPE__OBJECT_EVENT_TRIGGER: return "EVENT TRIGGER";
    case PG_QUERY__OBJECT_TYPE__OBJECT_LANGUAGE: return "LANGUAGE";
    case PG_QUERY__OBJECT_TYPE__OBJECT_CONVERSION: return "CONVERSION";
    case PG_QUERY__OBJECT_TYPE__OBJECT_ACCESS_METHOD: return "ACCESS METHOD";
    case PG_QUERY__OBJECT_TYPE__OBJECT_TSCONFIGURATION: return "TEXT SEARCH CONFIGURATION";
    case PG_QUERY__OBJECT_TYPE__OBJECT_TSDICTIONARY: return "TEXT SEARCH DICTIONARY";
    case PG_QUERY__OBJECT_TYPE__OBJECT_TSPARSER: return "TEXT SEARCH PARSER";
    case PG_QUERY__OBJECT_TYPE__OBJECT_TSTEMPLATE: return "TEXT SEARCH TEMPLATE";
    case PG_QUERY__OBJECT_TYPE__OBJECT_OPCLASS: return "OPERATOR CLASS";
    case PG_QUERY__OBJECT_TYPE__OBJECT_OPFAMILY: return "OPERATOR FAMILY";
    case PG_QUERY__OBJECT_TYPE__OBJECT_LARGEOBJECT: return "LARGE OBJECT";
    case PG_QUERY__OBJECT_TYPE__OBJECT_TABLESPACE: return "TABLESPACE";
    case PG_QUERY__OBJECT_TYPE__OBJECT_TRANSFORM: return "TRANSFORM";
    default: return {};
  }
}

std::string statement_name(const UtilityStatement& statement, const PgQuery__Node& node) {
  return statement.full_name != nullptr ? statement.full_name(node) : std::string(statement.name);
}

std::string statement_name(const PgQuery__Node* node) {
  if (const UtilityStatement* utility = find_utility(node)) return statement_name(*utility, *node);
  switch (node->node_case) {
    case PG_QUERY__NODE__NODE_SELECT_STMT: return "SELECT";
    case PG_QUERY__NODE__NODE_INSERT_STMT: return "INSERT";
    case PG_QUERY__NODE__NODE_UPDATE_STMT: return "UPDATE";
    case PG_QUERY__NODE__NODE_DELETE_STMT: return "DELETE";
    case PG_QUERY__NODE__NODE_MERGE_STMT: return "MERGE";
    default: return "this statement";
  }
}

}  // namespace indigo::engine
