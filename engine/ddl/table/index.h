// Indexes: CREATE INDEX, and the indexes behind PRIMARY KEY and UNIQUE.
#pragma once

#include "catalog/access_method.h"
#include "engine/ddl/drop/dependency.h"
#include "engine/ddl/expression.h"
#include "engine/ddl/rows.h"
#include "sql/parse/tree_names.h"

namespace indigo::storage {
class Table;
}

namespace indigo::engine::ddl {

struct IndexColumnSpec {
  int16_t column = 0;  // attnum; 0: an expression
  std::string name;    // the index's own column name
  TypeRef type;        // with the collation of the index column
  Oid opclass = kInvalidOid;
  bool descending = false, nulls_first = false;
  std::string expression;                  // SQL text when column == 0
  std::vector<std::string> class_options;  // of the operator class, "name=value"
};

// Key columns and included ones together, as in PostgreSQL; also the columns of a foreign key.
inline constexpr size_t kMaxIndexColumns = 32;

struct IndexSpec {
  std::string name;
  bool unique = false, primary = false, nulls_not_distinct = false;
  bool immediate = true;   // false: deferrable
  bool exclusion = false;  // of an exclusion constraint
  std::vector<IndexColumnSpec> columns;
  std::vector<int16_t> included;
  std::string predicate;
  Oid method = catalog::default_access_method().oid;
  std::vector<std::string> options;
  std::optional<Oid> tablespace;  // none: what the settings say
  // The tree itself is this index (the table is or will be keyed by it): no physical index of its own.
  bool is_tree = false;
  // False: neither valid nor ready, and without storage, until REINDEX builds it.
  bool built = true;
};

// The pg_class, pg_attribute and pg_index rows; then, if it is to be built and no tree, the physical index, filled from the table.
// 23505 with the key when a unique one is violated. Answers the index's OID; dependencies are the caller's.
Result<Oid> create_index(DdlContext& c, const RelationPtr& relation, const IndexSpec& spec);
// The physical index of an existing pg_index entry over `table` (a rewritten table).
Status build_index(DdlContext& c, const RelationPtr& relation, const IndexInfo& index, Oid filenode,
                   const std::shared_ptr<storage::Table>& table);

// Plain key columns by name, in default order. 42703 for unknown ones; 0A000 for types that have no key encoding.
Result<std::vector<IndexColumnSpec>> plain_index_columns(DdlContext& c, const RelationInfo& relation, NodeList names);
// The class that serves an index column whose type changes: the default one for a default one; another stays, if it can (42804).
Result<Oid> retyped_class(DdlContext& c, const catalog::AccessMethod& method, Oid opclass, Oid from, Oid to);
Result<IndexColumnSpec> plain_index_column(DdlContext& c, const ColumnInfo& column);

// A key of an index statement or of an exclusion constraint; `expressions` takes what it computes.
Result<IndexColumnSpec> index_element(DdlContext& c, const RelationPtr& relation, const catalog::AccessMethod& method,
                                      const PgQuery__IndexElem& e, std::vector<StoredExpression>& expressions);

Status execute_create_index(DdlContext& c, const PgQuery__IndexStmt& s);

}  // namespace indigo::engine::ddl
