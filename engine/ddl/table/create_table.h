// CREATE TABLE, CREATE TABLE AS and SELECT INTO; the definition of single columns, shared with ALTER TABLE ADD COLUMN.
#pragma once

#include "engine/ddl/object/sequence.h"
#include "engine/ddl/table/constraint.h"
#include "engine/ddl/tree.h"
#include "sql/parse/tree_names.h"

namespace indigo::engine::ddl {

// One column of a definition before its expressions are analyzed.
struct ColumnSpec {
  NewColumn column;
  const PgQuery__Node* default_node = nullptr;
  const PgQuery__Node* generated_node = nullptr;
  std::optional<std::string> default_text;  // serial: SQL
  std::optional<std::string> default_tree;  // LIKE: default_source's default or generation expression
  RelationPtr default_source;
  bool serial = false;
  const PgQuery__Constraint* identity = nullptr;
  std::optional<SequenceDefinition> identity_like;
  std::vector<const PgQuery__Constraint*> keys;  // PRIMARY KEY, UNIQUE
  std::vector<const PgQuery__Constraint*> checks;
  std::vector<const PgQuery__Constraint*> foreign_keys;
  NodeList foreign_options;  // of a foreign table's column
  char compression = 0;      // pg_attribute.attcompression
  char storage = 0;          // pg_attribute.attstorage; 0: its type's
  int location = -1;
};
// Reads a ColumnDef: type, collation, NOT NULL, default, identity, constraints. 42601 for contradictions.
// `table_name` is for messages.
Result<ColumnSpec> column_spec(DdlContext& c, const PgQuery__ColumnDef& d, std::string_view table_name);
// The expressions and the sequence of a column whose attribute row exists: pg_attrdef, dependencies.
Status finish_column(DdlContext& c, const RelationPtr& relation, int16_t number, const ColumnSpec& spec);
// The sequence of a serial column, before the table exists ("" until attached). Answers its OID. `statement` is for the
// message that tells of it.
Result<Oid> make_serial_sequence(DdlContext& c, std::string_view statement, std::string_view table,
                                 const ColumnSpec& spec, Oid schema, char persistence);
// The column owns the sequence from now on. After finish_column: a serial column's default depends on it.
Status adopt_sequence(DdlContext& c, Oid sequence, Oid relation, int16_t column, bool serial);
Status add_column_constraints(DdlContext& c, ConstraintTarget& target, const ColumnSpec& spec);
// Of a column that is there.
char storage_of(DdlContext& c, Oid relation, int16_t column);
char compression_of(DdlContext& c, Oid relation, int16_t column);
// COMPRESSION method, as pg_attribute has it: "" and default are '\0'. 0A000 for a type that is not compressed, 22023.
Result<char> column_compression(DdlContext& c, const TypeRef& type, std::string_view method);

// A table without constraints: rows of pg_class, pg_attribute, pg_type, and storage. Answers its OID.
struct TableSpec {
  std::string name;
  Oid schema = kInvalidOid;
  char persistence = 'p';
  RelationKind kind = RelationKind::kTable;
  std::vector<NewColumn> columns;
  std::vector<std::string> options;
  Oid tablespace = kInvalidOid;
  Oid access_method = 2;  // pg_am: heap
};
Result<Oid> create_table(DdlContext& c, const TableSpec& spec);
// A free name there? 42P07; false (after a notice) with if_not_exists.
Result<bool> check_relation_name(DdlContext& c, std::string_view name, Oid schema, bool if_not_exists);

Status execute_create_table(DdlContext& c, const PgQuery__CreateStmt& s);
// `foreign`: CREATE FOREIGN TABLE, whose table `s` describes.
Status create_table_as_stated(DdlContext& c, const PgQuery__CreateStmt& s,
                              const PgQuery__CreateForeignTableStmt* foreign);
// What PostgreSQL asks before the query is planned, of EXPLAIN, too: the query's errors, then the name's. False, with a notice: it
// is taken, and IF NOT EXISTS.
Result<bool> check_table_to_be_made(DdlContext& c, const PgQuery__CreateTableAsStmt& s);
Status execute_create_table_as(DdlContext& c, const PgQuery__CreateTableAsStmt& s);

}  // namespace indigo::engine::ddl
