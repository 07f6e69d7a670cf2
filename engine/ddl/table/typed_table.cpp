#include "engine/ddl/table/typed_table.h"

#include <algorithm>

#include "catalog/tables/system_table.h"
#include "engine/ddl/rows.h"
#include "engine/ddl/tree.h"

namespace indigo::engine::ddl {

namespace {

Error mismatch(std::string message) { return Error(sqlstate::kDatatypeMismatch, std::move(message)); }

// The table's columns are the type's.
Status check_same_columns(const RelationInfo& table, const RelationInfo& type) {
  std::vector<const ColumnInfo*> columns;
  for (const ColumnInfo& column : table.columns) {
    if (!column.dropped) columns.push_back(&column);
  }
  size_t at = 0;
  for (const ColumnInfo& wanted : type.columns) {
    if (wanted.dropped) continue;
    if (at == columns.size()) return mismatch("table is missing column " + quoted(wanted.name));
    const ColumnInfo& column = *columns[at++];
    if (column.name != wanted.name) {
      return mismatch("table has column " + quoted(column.name) + " where type requires " + quoted(wanted.name));
    }
    if (!(column.type == wanted.type))
      return mismatch("table " + quoted(table.name) + " has different type for column " + quoted(column.name));
  }
  return at == columns.size() ? Status() : mismatch("table has extra column " + quoted(columns[at]->name));
}

const char* forbidden(PgQuery__AlterTableType command) {
  switch (command) {
    case PG_QUERY__ALTER_TABLE_TYPE__AT_AddColumn: return "cannot add column to typed table";
    case PG_QUERY__ALTER_TABLE_TYPE__AT_DropColumn: return "cannot drop column from typed table";
    case PG_QUERY__ALTER_TABLE_TYPE__AT_AlterColumnType: return "cannot alter column type of typed table";
    case PG_QUERY__ALTER_TABLE_TYPE__AT_AddInherit:
    case PG_QUERY__ALTER_TABLE_TYPE__AT_DropInherit: return "cannot change inheritance of typed table";
    default: return nullptr;
  }
}

}  // namespace

Oid type_of_table(DdlContext& c, Oid relation) {
  std::string image;
  const SystemTable& classes = table(c, pg_class::kOid);
  return classes.find_oid(c.txn, relation, image) ? classes.reader(image).oid(pg_class::c_reloftype) : kInvalidOid;
}

Result<RelationPtr> open_table_type(DdlContext& c, const PgQuery__TypeName* name) {
  auto found = usable_type(c, name);
  if (!found.ok()) return Error(std::move(*found.take_error())).at(0);
  const TypeRef type = *found;
  const TypePtr info = c.catalog.type(type.oid);
  const RelationPtr relation = info->relation == kInvalidOid ? nullptr : current(c, info->relation);
  if (relation == nullptr || relation->kind != RelationKind::kComposite)
    return Error(sqlstate::kWrongObjectType, "type " + type_text(c, type) + " is not a composite type");
  INDIGO_TRY(lock_object(c, relation->oid, TableLockMode::kAccessShare));
  const RelationPtr now = current(c, relation->oid);
  if (now == nullptr) return Error(sqlstate::kUndefinedObject, "type " + quoted(relation->name) + " does not exist");
  return now;
}

Status add_type_columns(const RelationInfo& type, std::vector<ColumnSpec>& columns) {
  std::vector<ColumnSpec> options = std::move(columns);
  columns.clear();
  for (const ColumnInfo& attribute : type.columns) {
    if (attribute.dropped) continue;
    ColumnSpec column;
    const auto same = [&](const ColumnSpec& option) { return option.column.name == attribute.name; };
    if (const auto given = std::find_if(options.begin(), options.end(), same); given != options.end()) {
      column = std::move(*given);
      options.erase(given);
    }
    column.column.name = attribute.name;
    column.column.type = attribute.type;
    columns.push_back(std::move(column));
  }
  if (options.empty()) return {};
  const std::string& name = options.front().column.name;
  const bool twice = type.find_column(name) != nullptr;
  return twice ? Error(sqlstate::kDuplicateColumn, "column " + quoted(name) + " specified more than once")
               : Error(sqlstate::kUndefinedColumn, "column " + quoted(name) + " does not exist");
}

Status record_table_type(DdlContext& c, Oid table, Oid type) {
  INDIGO_TRY(update_class(c, table, [&](RowValues& v) { v.oid(pg_class::c_reloftype, type); }));
  return record_dependency(c, {pg_class::kOid, table, 0}, {pg_type::kOid, type, 0}, 'n');
}

Status set_table_type(DdlContext& c, const RelationPtr& table, const PgQuery__TypeName* name) {
  INDIGO_ASSIGN(const RelationPtr type, open_table_type(c, name));
  if (!table->parents.empty()) return Error(sqlstate::kWrongObjectType, "typed tables cannot inherit");
  INDIGO_TRY(check_same_columns(*table, *type));
  if (const Oid before = type_of_table(c, table->oid); before != kInvalidOid)
    INDIGO_TRY(remove_dependency(c, {pg_class::kOid, table->oid, 0}, {pg_type::kOid, before, 0}));
  c.catalog.changed({table->oid});
  return record_table_type(c, table->oid, type->row_type);
}

Status clear_table_type(DdlContext& c, const RelationPtr& table) {
  const Oid type = type_of_table(c, table->oid);
  if (type == kInvalidOid) return Error(sqlstate::kWrongObjectType, quoted(table->name) + " is not a typed table");
  INDIGO_TRY(remove_dependency(c, {pg_class::kOid, table->oid, 0}, {pg_type::kOid, type, 0}));
  c.catalog.changed({table->oid});
  return update_class(c, table->oid, [](RowValues& v) { v.oid(pg_class::c_reloftype, kInvalidOid); });
}

Status check_alters_typed(DdlContext& c, const RelationInfo& table, const PgQuery__AlterTableCmd& command) {
  const char* message = forbidden(command.subtype);
  if (message == nullptr || table.kind != RelationKind::kTable || type_of_table(c, table.oid) == kInvalidOid) return {};
  return Error(sqlstate::kWrongObjectType, message);
}

Result<std::vector<RelationPtr>> tables_of_type(DdlContext& c, const RelationInfo& type, bool cascade) {
  std::vector<RelationPtr> out;
  for (const Dependent& d : dependents_of(c, {pg_type::kOid, type.row_type, 0})) {
    if (d.address.class_id != pg_class::kOid || d.address.sub != 0) continue;
    if (type_of_table(c, d.address.object) != type.row_type) continue;
    if (!cascade) {
      return Error(sqlstate::kDependentObjectsStillExist,
                   "cannot alter type " + quoted(type.name) + " because it is the type of a typed table")
          .with_hint("Use ALTER ... CASCADE to alter the typed tables too.");
    }
    INDIGO_TRY(lock_object(c, d.address.object, TableLockMode::kAccessExclusive));
    out.push_back(current(c, d.address.object));
  }
  return out;
}

}  // namespace indigo::engine::ddl
