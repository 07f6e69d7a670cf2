#include "engine/ddl/type_names.h"

#include <set>

#include "base/fiber/stack.h"
#include "catalog/tables/system_table.h"
#include "engine/ddl/rows.h"

namespace indigo::engine::ddl {

namespace {

Oid type_named(DdlContext& c, std::string_view name, Oid schema) {
  Oid found = kInvalidOid;
  table(c, pg_type::kOid)
      .scan_index(c.txn, system_index::kTypeName, {Datum::of(Str(name)), Datum::of_oid(schema)}, [&](RowReader row) {
        found = row.oid(pg_type::c_oid);
        return false;
      });
  return found;
}

struct TypeRow {
  std::string name;
  Oid schema = kInvalidOid, element = kInvalidOid, array = kInvalidOid;
};

TypeRow row_of(DdlContext& c, Oid type) {
  std::string image;
  const SystemTable& types = table(c, pg_type::kOid);
  if (!types.find_oid(c.txn, type, image)) return {};
  const RowReader row = types.reader(image);
  return {std::string(row.str(pg_type::c_typname)), row.oid(pg_type::c_typnamespace), row.oid(pg_type::c_typelem),
          row.oid(pg_type::c_typarray)};
}

bool is_made_for_element(DdlContext& c, Oid type) {
  const TypeRow row = row_of(c, type);
  return row.element != kInvalidOid && row_of(c, row.element).array == type;
}

Status set_name(DdlContext& c, Oid type, std::string_view name) {
  INDIGO_TRY(
      update_row(c, pg_type::kOid, {Datum::of_oid(type)}, [&](RowValues& v) { v.str(pg_type::c_typname, name); }));
  c.catalog.named(type, std::string(name));
  c.catalog.changed({type});
  return {};
}

Error already_exists(std::string_view name) {
  return Error(sqlstate::kDuplicateObject, "type " + quoted(name) + " already exists");
}

class MemberSearch {
 public:
  MemberSearch(DdlContext& c, Oid row_type) : c_(c), row_type_(row_type) {}

  Status look(Oid type) {
    INDIGO_TRY(check_stack_depth());
    if (type == row_type_) {
      return Error(sqlstate::kInvalidTableDefinition,
                   "composite type " + type_text(c_, {type, -1, kInvalidOid}) + " cannot be made a member of itself");
    }
    if (type < oid::kFirstUserOid || !seen_.insert(type).second) return {};
    const TypePtr info = c_.catalog.type(type);
    if (info == nullptr) return {};
    if (info->kind == 'd') return look(info->base);
    if (info->is_array()) return look(info->element);
    if (info->range_subtype != kInvalidOid) return look(info->range_subtype);
    const RelationPtr row = info->relation == kInvalidOid ? nullptr : current(c_, info->relation);
    if (row == nullptr) return {};
    for (const ColumnInfo& column : row->columns) {
      if (!column.dropped) INDIGO_TRY(look(column.type.oid));
    }
    return {};
  }

 private:
  DdlContext& c_;
  const Oid row_type_;
  std::set<Oid> seen_;
};

}  // namespace

std::string array_type_name(DdlContext& c, std::string_view element_name, Oid schema) {
  std::string name = truncated_name("_" + std::string(element_name));
  while (type_named(c, name, schema) != kInvalidOid) {
    std::string next = truncated_name("_" + name);
    if (next == name) break;  // underscores alone, all of them taken
    name = std::move(next);
  }
  return name;
}

Status free_type_name(DdlContext& c, std::string_view name, Oid schema) {
  const Oid taken = type_named(c, name, schema);
  if (taken == kInvalidOid) return {};
  if (!is_made_for_element(c, taken)) return already_exists(name);
  return set_name(c, taken, array_type_name(c, name, schema));
}

Status rename_type(DdlContext& c, Oid type, std::string_view name) {
  const TypeRow row = row_of(c, type);
  // Its own array may have that name: then it is renamed already.
  const bool array_moves = row.array != kInvalidOid && type_named(c, name, row.schema) == row.array;
  INDIGO_TRY(free_type_name(c, name, row.schema));
  INDIGO_TRY(set_name(c, type, name));
  if (row.array == kInvalidOid || array_moves) return {};
  return set_name(c, row.array, array_type_name(c, name, row.schema));
}

Status check_type_may_move(DdlContext& c, Oid type, Oid schema) {
  const std::string name = row_of(c, type).name;
  if (type_named(c, name, schema) == kInvalidOid) return {};
  return Error(sqlstate::kDuplicateObject,
               "type " + quoted(name) + " already exists in schema " + quoted(c.catalog.schema_name(schema)));
}

Status check_not_in_itself(DdlContext& c, Oid row_type, Oid type) {
  return row_type == kInvalidOid ? Status() : MemberSearch(c, row_type).look(type);
}

}  // namespace indigo::engine::ddl
