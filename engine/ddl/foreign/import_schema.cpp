// IMPORT FOREIGN SCHEMA: the tables of another server's schema as foreign tables, whose definitions are made from its system
// tables and run as statements.
#include "engine/ddl/foreign/import_schema.h"

#include <map>
#include <utility>

#include "engine/ddl/rows.h"
#include "engine/remote/remote_rows.h"
#include "sql/parse/option_value.h"
#include "sql/parse/parse_tree.h"
#include "sql/parse/parser.h"
#include "storage/transaction.h"
#include "types/text/strings.h"

namespace indigo::engine::ddl {

namespace {

struct ImportOptions {
  bool defaults = false, collations = true, generated = true, not_null = true;
};

Result<ImportOptions> read_import_options(const PgQuery__ImportForeignSchemaStmt& s) {
  ImportOptions out;
  const std::map<std::string_view, bool*> known = {{"import_default", &out.defaults},
                                                   {"import_collate", &out.collations},
                                                   {"import_generated", &out.generated},
                                                   {"import_not_null", &out.not_null}};
  for (const PgQuery__Node* node : nodes(s.n_options, s.options)) {
    const auto found = known.find(node->def_elem->defname);
    if (found == known.end())
      return Error(SqlState("HV00D"), "invalid option \"" + std::string(node->def_elem->defname) + "\"");
    INDIGO_ASSIGN(*found->second, sql::option_boolean(*node->def_elem));
  }
  return out;
}

constexpr size_t kTablesColumns = 8;

std::string tables_query(const PgQuery__ImportForeignSchemaStmt& s) {
  std::string out =
      "SELECT relname, attname, format_type(atttypid, atttypmod), attnotnull, pg_get_expr(adbin, adrelid), "
      "attgenerated, "
      "collname, collnsp.nspname FROM pg_class c JOIN pg_namespace n ON relnamespace = n.oid "
      "LEFT JOIN pg_attribute a ON attrelid = c.oid AND attnum > 0 AND NOT attisdropped "
      "LEFT JOIN pg_attrdef ad ON adrelid = c.oid AND adnum = attnum "
      "LEFT JOIN pg_collation coll ON coll.oid = attcollation "
      "LEFT JOIN pg_namespace collnsp ON collnsp.oid = collnamespace "
      "WHERE c.relkind IN ('r', 'v', 'f', 'm', 'p') AND n.nspname = " +
      types::quote_literal(s.remote_schema);
  const bool limited = s.list_type == PG_QUERY__IMPORT_FOREIGN_SCHEMA_TYPE__FDW_IMPORT_SCHEMA_LIMIT_TO;
  if (!limited) out += " AND NOT c.relispartition";
  if (s.n_table_list > 0) {
    std::string names;
    for (const PgQuery__Node* node : nodes(s.n_table_list, s.table_list))
      names += (names.empty() ? "" : ", ") + types::quote_literal(node->range_var->relname);
    out += std::string(" AND c.relname ") + (limited ? "" : "NOT ") + "IN (" + names + ")";
  }
  return out + " ORDER BY c.relname, a.attnum";
}

using Row = std::vector<std::optional<std::string>>;

// The other server may be anything that speaks the protocol.
Result<std::vector<Row>> ask(DdlContext& c, Oid server, const std::string& statement, size_t columns) {
  INDIGO_ASSIGN(auto rows, c.host.ask_server(server, statement));
  for (const Row& row : rows) INDIGO_TRY(check_remote_columns(row.size(), columns));
  return rows;
}

std::string column_definition(const Row& row, const ImportOptions& options) {
  const bool generated = row[5] && !row[5]->empty();
  std::string out = types::quote_identifier(*row[1]) + " " + row[2].value_or("") + " OPTIONS (column_name " +
                    types::quote_literal(*row[1]) + ")";
  if (options.collations && row[6] && row[7])
    out += " COLLATE " + types::quote_identifier(*row[7]) + "." + types::quote_identifier(*row[6]);
  if (options.defaults && row[4] && !generated) out += " DEFAULT " + *row[4];
  if (options.generated && row[4] && generated) out += " GENERATED ALWAYS AS (" + *row[4] + ") STORED";
  if (options.not_null && row[3] == "t") out += " NOT NULL";
  return out;
}

// `schema`: where the table goes, which the text does not say.
Status create_imported(DdlContext& c, const std::string& table, char* schema, const std::string& text) {
  INDIGO_ASSIGN(const auto parsed, sql::parse(text));
  if (parsed->statements().size() != 1 ||
      parsed->statements()[0].node->node_case != PG_QUERY__NODE__NODE_CREATE_FOREIGN_TABLE_STMT)
    return Error(sqlstate::kSyntaxError, "a foreign table's definition is no statement");
  const PgQuery__Node& node = *parsed->statements()[0].node;
  PgQuery__RangeVar& name = *node.create_foreign_table_stmt->base_stmt->relation;
  DdlContext inner{c.catalog, c.txn, c.host, text, c.extension};
  char* const own = std::exchange(name.schemaname, schema);
  auto made = execute_ddl(inner, node);
  name.schemaname = own;
  c.txn.next_command();
  if (made.ok()) return {};
  auto e = made.take_error();
  if (e->position > 0) {
    e->internal_query = text;
    e->internal_position = std::exchange(e->position, 0);
  }
  e->add_context("importing foreign table \"" + table + "\"");
  return e;
}

}  // namespace

Status import_remote_schema(DdlContext& c, const PgQuery__ImportForeignSchemaStmt& s, Oid server) {
  INDIGO_ASSIGN(const ImportOptions options, read_import_options(s));
  INDIGO_ASSIGN(
      const auto present,
      ask(c, server, "SELECT 1 FROM pg_catalog.pg_namespace WHERE nspname = " + types::quote_literal(s.remote_schema),
          1));
  if (present.empty()) {
    return Error(SqlState("HV00Q"), "schema \"" + std::string(s.remote_schema) +
                                        "\" is not present on foreign server \"" + s.server_name + "\"");
  }
  INDIGO_ASSIGN(const auto rows, ask(c, server, tables_query(s), kTablesColumns));
  for (size_t at = 0; at < rows.size();) {
    const std::string table = rows[at][0].value_or("");
    std::string columns;
    for (; at < rows.size() && rows[at][0].value_or("") == table; at++) {
      if (rows[at][1]) columns += (columns.empty() ? "  " : ",\n  ") + column_definition(rows[at], options);
    }
    INDIGO_TRY(create_imported(c, table, s.local_schema,
                               "CREATE FOREIGN TABLE " + types::quote_identifier(table) + " (\n" + columns +
                                   "\n) SERVER " + types::quote_identifier(s.server_name) + "\nOPTIONS (schema_name " +
                                   types::quote_literal(s.remote_schema) + ", table_name " +
                                   types::quote_literal(table) + ");"));
  }
  return {};
}

}  // namespace indigo::engine::ddl
