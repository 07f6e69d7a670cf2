#include "engine/ddl/object/materialized_view.h"

#include <algorithm>
#include <unordered_map>

#include "base/bytes.h"
#include "base/memory/arena.h"
#include "catalog/descriptor/settled.h"
#include "engine/ddl/object/access_method.h"
#include "engine/ddl/object/tablespace.h"
#include "engine/ddl/object/view.h"
#include "engine/ddl/rows.h"
#include "engine/ddl/table/index.h"
#include "engine/ddl/table/rewrite.h"
#include "engine/ddl/table/size_statistics.h"
#include "engine/ddl/table/storage_options.h"
#include "engine/ddl/tree.h"
#include "engine/exec/row_text.h"
#include "engine/row_sink.h"
#include "sql/analyze/analyzer.h"
#include "sql/query_walk.h"
#include "sql/stored/stored_tree.h"
#include "sql/view_text.h"
#include "storage/table.h"
#include "types/function/context.h"
#include "types/function/registry.h"

namespace indigo::engine::ddl {

namespace {

bool is_populated(DdlContext& c, Oid relation) {
  const SystemTable& t = table(c, pg_class::kOid);
  std::string image;
  return t.find_oid(c.txn, relation, image) && t.reader(image).flag(pg_class::c_relispopulated);
}

Status set_populated(DdlContext& c, Oid relation, bool populated) {
  c.catalog.changed({relation});
  return update_class(c, relation, [&](RowValues& v) { v.flag(pg_class::c_relispopulated, populated); });
}

std::string new_row_key(const RelationInfo& relation) {
  const uint64_t id = big_endian(relation.table->next_row_id());
  return {reinterpret_cast<const char*>(&id), sizeof id};
}

// Calls `each` with the values of every row that the query gives now.
Status run_definition(DdlContext& c, const RelationInfo& view,
                      const std::function<Status(std::span<const Datum>)>& each) {
  std::vector<std::string> names;
  for (const ColumnInfo& column : view.columns) names.push_back(column.name);
  const auto text = sql::print_view(c.host.session(), view.view_definition, names, false);
  if (!text) {
    return Error(sqlstate::kFeatureNotSupported,
                 "the query of materialized view " + quoted(view.name) + " cannot be printed");
  }
  std::vector<Datum> values;
  return c.host.run_query_as(view.owner, *text, [&](const ResultShape&, const Chunk& chunk) -> Status {
    for (uint32_t i = 0; i < chunk.rows(); i++) {
      values.clear();
      for (const Vector& column : chunk.columns) values.push_back(column.datum(chunk.selection[i]));
      INDIGO_TRY(each(values));
    }
    return {};
  });
}

// A unique index over plain columns and all rows: with it, CONCURRENTLY knows rows apart.
bool has_distinguishing_index(const RelationInfo& view) {
  return std::any_of(view.indexes.begin(), view.indexes.end(), [](const IndexInfo& index) {
    return index.unique && index.immediate && index.valid && index.predicate.empty() &&
           std::none_of(index.columns.begin(), index.columns.end(), [](const auto& k) { return k.column == 0; });
  });
}

Error duplicate_in_index(DdlContext& c, const RelationInfo& view, const storage::Duplicate& duplicate, Bytes row) {
  Error error(sqlstate::kUniqueViolation, "duplicate key value violates a unique constraint");
  for (const IndexInfo& index : view.indexes) {
    if (index.storage != duplicate.index) continue;
    std::vector<int16_t> columns;
    for (const auto& key : index.columns) columns.push_back(key.column);
    error.message = "duplicate key value violates unique constraint " + quoted(index.name);
    if (std::find(columns.begin(), columns.end(), 0) == columns.end()) {
      error.detail = "Key " + exec::index_columns_text(c.host.session(), view, columns, row) + " already exists.";
    }
    error.constraint = index.name;
  }
  error.schema = view.schema_name;
  error.table = view.name;
  return error;
}

std::string row_text(DdlContext& c, const RelationInfo& view, Bytes row) {
  types::FuncContext functions(c.host.session());
  Arena arena;
  functions.set_arena(&arena);
  std::string out = "(";
  for (size_t i = 0; i < view.columns.size(); i++) {
    if (i > 0) out += ",";
    const Datum value = view.layout.column(row, i);
    if (!value.null) types::type_output(functions, view.columns[i].type, value, out);
  }
  return out + ")";
}

// The rows that are new and those that are gone, changed in place: readers continue reading.
Status refresh_rows(DdlContext& c, const RelationInfo& view) {
  std::unordered_map<std::string, uint64_t> wanted;
  std::string image;
  INDIGO_TRY(run_definition(c, view, [&](std::span<const Datum> values) -> Status {
    image.clear();
    view.layout.encode(values, image);
    const bool has_null = std::any_of(values.begin(), values.end(), [](const Datum& d) { return d.null; });
    if (++wanted[image] == 1 || has_null) return {};
    return Error(sqlstate::kCardinalityViolation, "new data for materialized view " + quoted(view.name) +
                                                      " contains duplicate rows without any null columns")
        .with_detail("Row: " + row_text(c, view, image));
  }));
  std::vector<std::string> gone;
  INDIGO_TRY(for_each_row(c, view, [&](Bytes key, Bytes row) -> Status {
    const auto found = wanted.find(std::string(row));
    if (found == wanted.end()) {
      gone.emplace_back(key);
    } else if (--found->second == 0) {
      wanted.erase(found);
    }
    return {};
  }));
  for (const std::string& key : gone) {
    storage::Claimed claimed;
    INDIGO_TRY(check(view.table->claim(c.txn, c.txn.newest_view(), key, storage::RowLockMode::kUpdate,
                                       storage::LockWait::kWait, claimed),
                     &view));
    INDIGO_TRY(check(view.table->erase(c.txn, key), &view));
  }
  for (const auto& [row, count] : wanted) {
    for (uint64_t i = 0; i < count; i++) {
      storage::Duplicate duplicate;
      const StorageStatus status = view.table->insert(c.txn, new_row_key(view), row, &duplicate);
      if (status == StorageStatus::kDuplicateKey) return duplicate_in_index(c, view, duplicate, row);
      INDIGO_TRY(check(status, &view));
    }
  }
  return {};
}

Status check_query(DdlContext& c, const sql::Query& query, const References& references) {
  for (const sql::CommonTable& table : query.ctes) {
    if (table.query->command != sql::CommandKind::kSelect) {
      return Error(sqlstate::kFeatureNotSupported, "materialized views must not use data-modifying statements in WITH");
    }
  }
  for (const Address& a : references.addresses()) {
    if (a.class_id != pg_class::kOid || a.sub != 0) continue;
    const RelationPtr r = current(c, a.object);
    if (r != nullptr && r->persistence == 't') {
      return Error(sqlstate::kFeatureNotSupported, "materialized views must not use temporary tables or views");
    }
  }
  return check_constants(c, references);
}

// A program's statement: its variables end with it.
Status check_without_variables(DdlContext& c, const PgQuery__Node* query) {
  if (c.host.variables() == nullptr) return {};
  sql::AnalyzeInput input{query, c.text, {}, false, {}};
  input.inline_functions = false;
  input.variables = c.host.variables();
  INDIGO_ASSIGN(const sql::AnalyzedStatement analyzed,
                catalog::settled(c.catalog, [&] { return sql::analyze(c.host.session(), input); }));
  bool found = false;
  sql::visit_query(*analyzed.query,
                   [&](const sql::Expr& e, int) { return !(found |= e.kind == sql::ExprKind::kParam); });
  if (!found) return {};
  return Error(sqlstate::kFeatureNotSupported, "materialized views may not be defined using bound parameters");
}

}  // namespace

Status execute_create_materialized_view(DdlContext& c, const PgQuery__CreateTableAsStmt& s) {
  const PgQuery__IntoClause& into = *s.into;
  if (!is(s.query, PG_QUERY__NODE__NODE_SELECT_STMT)) return unsupported("a materialized view of this statement");
  if (std::string_view(into.rel->relpersistence) == "u") {
    return Error(sqlstate::kFeatureNotSupported, "materialized views cannot be unlogged");
  }
  INDIGO_TRY(check_without_variables(c, s.query));
  References references(c.catalog);
  INDIGO_ASSIGN(const sql::AnalyzedStatement analyzed, analyze_kept(c, s.query, references));
  INDIGO_TRY(check_query(c, *analyzed.query, references));
  INDIGO_ASSIGN(const std::string tree, sql::store_tree(analyzed.query));
  TableSpec spec;
  spec.kind = RelationKind::kMaterializedView;
  spec.name = truncated_name(into.rel->relname);
  spec.persistence = 'p';
  INDIGO_ASSIGN(spec.access_method, new_table_method(c, s.into->access_method));
  INDIGO_ASSIGN(spec.schema, creation_schema(c, *into.rel, false));
  INDIGO_ASSIGN(const bool free, check_relation_name(c, spec.name, spec.schema, s.if_not_exists));
  if (!free) return {};
  INDIGO_ASSIGN(spec.options, storage_options(OptionsOf::kTable, nodes(into.n_options, into.options)));
  INDIGO_ASSIGN(spec.tablespace, new_relation_tablespace(c, into.table_space_name, spec.persistence));
  const std::vector<std::string> names = sql::strings_of(nodes(into.n_col_names, into.col_names));
  INDIGO_ASSIGN(spec.columns, query_columns(c, *analyzed.query, names));
  if (names.size() > spec.columns.size()) {
    return Error(sqlstate::kSyntaxError, "too many column names were specified");
  }
  for (const NewColumn& column : spec.columns) INDIGO_TRY(check_column_name(column.name));
  INDIGO_ASSIGN(const Oid oid, create_table(c, spec));
  INDIGO_TRY(store_query(c, oid, tree, references));
  INDIGO_TRY(set_populated(c, oid, !into.skip_data));
  if (into.skip_data) return {};
  const RelationPtr view = current(c, oid);
  c.host.uses(oid);
  uint64_t rows = 0;
  std::string row;
  INDIGO_TRY(run_definition(c, *view, [&](std::span<const Datum> values) -> Status {
    row.clear();
    view->layout.encode(values, row);
    rows++;
    return check(view->table->insert(c.txn, new_row_key(*view), row, nullptr), view.get());
  }));
  c.tag = "SELECT " + std::to_string(rows);
  return {};
}

Status execute_refresh(DdlContext& c, const PgQuery__RefreshMatViewStmt& s) {
  const auto mode = s.concurrent ? TableLockMode::kExclusive : TableLockMode::kAccessExclusive;
  INDIGO_ASSIGN(const RelationPtr view, open_relation(c, s.relation, mode));
  INDIGO_TRY(check_owner(c, *view));
  if (view->kind != RelationKind::kMaterializedView) {
    return Error(sqlstate::kFeatureNotSupported, quoted(view->name) + " is not a materialized view");
  }
  if (s.concurrent && !is_populated(c, view->oid)) {
    return Error(sqlstate::kFeatureNotSupported,
                 "CONCURRENTLY cannot be used when the materialized view is not populated");
  }
  if (s.concurrent && s.skip_data) {
    return Error(sqlstate::kSyntaxError, "CONCURRENTLY and WITH NO DATA options cannot be used together");
  }
  INDIGO_TRY(check_not_in_use(c, *view, "REFRESH MATERIALIZED VIEW"));
  if (s.concurrent) {
    if (!has_distinguishing_index(*view)) {
      return Error(sqlstate::kObjectNotInPrerequisiteState,
                   "cannot refresh materialized view " + quoted(qualified(*view)) + " concurrently")
          .with_hint("Create a unique index with no WHERE clause on one or more columns of the materialized view.");
    }
    INDIGO_TRY(refresh_rows(c, *view));
    return {};
  }
  if (s.skip_data) {
    INDIGO_TRY(empty_table(c, view));
  } else {
    INDIGO_TRY(rewrite_table(c, view, [&](const RowWriter& write) { return run_definition(c, *view, write); }));
  }
  INDIGO_TRY(set_populated(c, view->oid, !s.skip_data));
  return {};
}

}  // namespace indigo::engine::ddl
