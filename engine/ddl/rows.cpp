#include "engine/ddl/rows.h"

#include <algorithm>

#include "base/name.h"
#include "base/utf8.h"
#include "catalog/catalog.h"
#include "catalog/tables/system_columns.h"
#include "engine/ddl/access/default_privileges.h"
#include "engine/ddl/extension/extension.h"
#include "engine/ddl/type_names.h"
#include "types/builtin/builtins.h"

namespace indigo::engine::ddl {

namespace {

// The one built-in function of that name (type input and output functions are not overloaded).
Oid function_oid(DdlContext& c, std::string_view name) {
  if (name.empty()) return kInvalidOid;
  std::vector<std::shared_ptr<const types::FunctionInfo>> found;
  c.catalog.catalog().builtins().functions_named(oid::kPgCatalogSchema, name, found);
  return found.empty() ? kInvalidOid : found.front()->oid;
}

// The column with the name of what a system table's row stands for, where plans depend on names; -1: none.
int name_column(Oid system_table) {
  if (system_table == pg_class::kOid) return pg_class::c_relname;
  return system_table == pg_type::kOid ? pg_type::c_typname : -1;
}

// The columns that name the relations and types whose descriptors are made of a system table's rows, where its own key does not.
std::vector<int> owner_columns(Oid system_table) {
  switch (system_table) {
    case pg_constraint::kOid: return {pg_constraint::c_conrelid, pg_constraint::c_confrelid, pg_constraint::c_contypid};
    case pg_index::kOid: return {pg_index::c_indrelid};
    case catalog::pg_policy::kOid: return {catalog::pg_policy::c_polrelid};
    case pg_trigger::kOid: return {pg_trigger::c_tgrelid};
    default: return {};
  }
}

// What such a row is a part of in their descriptors.
RelationParts parts_of(Oid system_table) {
  switch (system_table) {
    case pg_constraint::kOid: return RelationParts::kConstraints;
    case pg_index::kOid: return RelationParts::kIndexes;
    case pg_trigger::kOid: return RelationParts::kTriggers;
    default: return RelationParts::kAll;
  }
}

}  // namespace

Status update_row(DdlContext& c, Oid table_oid, std::initializer_list<Datum> key,
                  const std::function<void(RowValues&)>& change) {
  SystemTable& t = table(c, table_oid);
  std::string image;
  INDIGO_TRY(check(t.claim(c.txn, t.key(key), image)));
  RowValues row(t.definition(), t.layout(), image);
  const int named = name_column(table_oid);
  const std::string name(named < 0 ? std::string_view() : row.get(named).str);
  change(row);
  std::vector<Oid> owners;
  for (const int column : owner_columns(table_oid)) {
    const Datum& owner = row.get(column);
    if (!owner.null && owner.oid() != kInvalidOid) owners.push_back(owner.oid());
  }
  INDIGO_TRY(check(t.update_claimed(c.txn, row, image)));
  if (!owners.empty()) c.catalog.changed(std::move(owners), parts_of(table_oid));
  if (named >= 0 && row.get(named).str != name) c.catalog.named(row.get(0).oid(), row.get(named).str);
  return {};
}

Status insert_class(DdlContext& c, const NewRelation& r) {
  SystemTable& t = table(c, pg_class::kOid);
  const bool stored = r.kind == RelationKind::kTable || r.kind == RelationKind::kMaterializedView;
  const bool rows = stored || r.kind == RelationKind::kPartitionedTable;
  RowValues row(t.definition());
  row.oid(pg_class::c_oid, r.oid)
      .str(pg_class::c_relname, r.name)
      .oid(pg_class::c_relnamespace, r.schema)
      .oid(pg_class::c_reltype, r.row_type)
      .oid(pg_class::c_reloftype, kInvalidOid)
      .oid(pg_class::c_relowner, r.owner)
      .oid(pg_class::c_relam, r.access_method)
      .oid(pg_class::c_relfilenode, r.filenode)
      .oid(pg_class::c_reltablespace, r.tablespace)
      .i32(pg_class::c_relpages, 0)
      .f32(pg_class::c_reltuples, rows || r.kind == RelationKind::kForeignTable ? -1.0F : 0.0F)
      .i32(pg_class::c_relallvisible, 0)
      .oid(pg_class::c_reltoastrelid, kInvalidOid)
      .flag(pg_class::c_relhasindex, false)
      .flag(pg_class::c_relisshared, false)
      .chr(pg_class::c_relpersistence, r.persistence)
      .chr(pg_class::c_relkind, static_cast<char>(r.kind))
      .i16(pg_class::c_relnatts, r.column_count)
      .i16(pg_class::c_relchecks, 0)
      .flag(pg_class::c_relhasrules, r.kind == RelationKind::kView || r.kind == RelationKind::kMaterializedView)
      .flag(pg_class::c_relhastriggers, false)
      .flag(pg_class::c_relhassubclass, false)
      .flag(pg_class::c_relrowsecurity, false)
      .flag(pg_class::c_relforcerowsecurity, false)
      .flag(pg_class::c_relispopulated, true)
      .chr(pg_class::c_relreplident, rows ? 'd' : 'n')
      .flag(pg_class::c_relispartition, false)
      .oid(pg_class::c_relrewrite, kInvalidOid)
      .i32(pg_class::c_relfrozenxid, stored ? 3 : 0)
      .i32(pg_class::c_relminmxid, stored ? 1 : 0);
  if (!r.options.empty()) row.texts(pg_class::c_reloptions, r.options);
  if (r.kind != RelationKind::kIndex && r.kind != RelationKind::kPartitionedIndex &&
      r.kind != RelationKind::kComposite) {
    const char kind = r.kind == RelationKind::kSequence ? 'S' : 'r';
    if (const auto acl = default_privileges(c, kind, r.owner, r.schema)) {
      row.str(pg_class::c_relacl, types::acl_array(*acl));
    }
  }
  const StorageStatus status = t.insert(c.txn, row);
  if (status == StorageStatus::kDuplicateKey) {
    return Error(sqlstate::kDuplicateTable, "relation " + quoted(r.name) + " already exists");
  }
  c.catalog.named(r.oid, r.name);
  if (status == StorageStatus::kOk) c.host.made(pg_class::kOid, r.oid, c.extension != kInvalidOid);
  return check(status);
}

Status insert_attribute(DdlContext& c, Oid relation, int16_t number, const NewColumn& column) {
  SystemTable& t = table(c, pg_attribute::kOid);
  const TypePtr type = c.catalog.type(column.type.oid);
  if (type == nullptr) return gone_error();
  RowValues row(t.definition());
  row.oid(pg_attribute::c_attrelid, relation)
      .str(pg_attribute::c_attname, column.name)
      .oid(pg_attribute::c_atttypid, column.type.oid)
      .i32(pg_attribute::c_attstattarget, number < 0 ? 0 : -1)
      .i16(pg_attribute::c_attlen, type->length)
      .i16(pg_attribute::c_attnum, number)
      .i32(pg_attribute::c_attndims, column.dimensions)
      .i32(pg_attribute::c_attcacheoff, -1)
      .i32(pg_attribute::c_atttypmod, column.type.typmod)
      .flag(pg_attribute::c_attbyval, type->by_value)
      .chr(pg_attribute::c_attalign, type->alignment)
      .chr(pg_attribute::c_attstorage, type->storage)
      .chr(pg_attribute::c_attcompression, '\0')
      .flag(pg_attribute::c_attnotnull, column.not_null)
      .flag(pg_attribute::c_atthasdef, column.has_default)
      .flag(pg_attribute::c_atthasmissing, false)
      .chr(pg_attribute::c_attidentity, column.identity)
      .chr(pg_attribute::c_attgenerated, column.generated)
      .flag(pg_attribute::c_attisdropped, false)
      .flag(pg_attribute::c_attislocal, column.is_local)
      .i32(pg_attribute::c_attinhcount, column.inherit_count)
      .oid(pg_attribute::c_attcollation, column.type.collation);
  if (!column.options.empty()) row.texts(pg_attribute::c_attoptions, column.options);
  return check(t.insert(c.txn, row));
}

Status update_attribute(DdlContext& c, Oid relation, int16_t number, const std::function<void(RowValues&)>& change) {
  c.catalog.changed({relation});
  return update_row(c, pg_attribute::kOid, {Datum::of_oid(relation), Datum::of(number)}, change);
}

Status check_column_name(std::string_view name) {
  if (catalog::find_system_column(name) == nullptr) return {};
  return Error(sqlstate::kDuplicateColumn, "column name " + quoted(name) + " conflicts with a system column name");
}

Status insert_system_attributes(DdlContext& c, Oid relation) {
  for (const auto& s : catalog::kSystemColumns) {
    NewColumn column;
    column.name = s.name;
    column.type.oid = s.type;
    column.not_null = true;
    INDIGO_TRY(insert_attribute(c, relation, s.number, column));
  }
  return {};
}

// ---- types

namespace {

Status free_name(DdlContext& c, const NewType& n) {
  Status free = free_type_name(c, n.name, n.schema);
  if (free.ok() || n.relation == kInvalidOid) return free;
  return Error(std::move(*free.take_error()))
      .with_hint(
          "A relation has an associated type of the same name, so you must use a name that doesn't conflict with any "
          "existing type.");
}

}  // namespace

Status insert_type(DdlContext& c, const NewType& n) {
  if (n.category != 'A') INDIGO_TRY(free_name(c, n));
  SystemTable& t = table(c, pg_type::kOid);
  RowValues row(t.definition());
  row.oid(pg_type::c_oid, n.oid)
      .str(pg_type::c_typname, n.name)
      .oid(pg_type::c_typnamespace, n.schema)
      .oid(pg_type::c_typowner, n.owner)
      .i16(pg_type::c_typlen, n.length)
      .flag(pg_type::c_typbyval, n.by_value)
      .chr(pg_type::c_typtype, n.kind)
      .chr(pg_type::c_typcategory, n.category)
      .flag(pg_type::c_typispreferred, false)
      .flag(pg_type::c_typisdefined, true)
      .chr(pg_type::c_typdelim, ',')
      .oid(pg_type::c_typrelid, n.relation)
      .oid(pg_type::c_typsubscript, function_oid(c, n.subscript))
      .oid(pg_type::c_typelem, n.element)
      .oid(pg_type::c_typarray, n.array)
      .oid(pg_type::c_typinput, function_oid(c, n.input))
      .oid(pg_type::c_typoutput, function_oid(c, n.output))
      .oid(pg_type::c_typreceive, function_oid(c, n.receive))
      .oid(pg_type::c_typsend, function_oid(c, n.send))
      .oid(pg_type::c_typmodin, function_oid(c, n.modifier_in))
      .oid(pg_type::c_typmodout, function_oid(c, n.modifier_out))
      .oid(pg_type::c_typanalyze, function_oid(c, n.analyze))
      .chr(pg_type::c_typalign, n.alignment)
      .chr(pg_type::c_typstorage, n.storage)
      .flag(pg_type::c_typnotnull, n.not_null)
      .oid(pg_type::c_typbasetype, n.base)
      .i32(pg_type::c_typtypmod, n.typmod)
      .i32(pg_type::c_typndims, n.dimensions)
      .oid(pg_type::c_typcollation, n.collation);
  // Arrays and tables' row types have none of their own.
  if (n.relation == kInvalidOid && n.category != 'A') {
    if (const auto acl = default_privileges(c, 'T', n.owner, n.schema)) {
      row.str(pg_type::c_typacl, types::acl_array(*acl));
    }
  }
  if (n.default_expr) row.str(pg_type::c_typdefaultbin, *n.default_expr).str(pg_type::c_typdefault, n.default_text);
  const StorageStatus status = t.insert(c.txn, row);
  if (status == StorageStatus::kDuplicateKey) {
    return Error(sqlstate::kDuplicateObject, "type " + quoted(n.name) + " already exists");
  }
  const bool own = n.relation == kInvalidOid && n.category != 'A' && n.kind != 'm' && n.kind != 'p';
  if (own && status == StorageStatus::kOk) INDIGO_TRY(record_membership(c, {pg_type::kOid, n.oid, 0}));
  c.catalog.named(n.oid, n.name);
  return check(status);
}

Status insert_array_type(DdlContext& c, Oid oid, std::string_view element_name, Oid schema, Oid owner, Oid element,
                         char element_alignment, Oid element_collation) {
  const std::string name = array_type_name(c, element_name, schema);
  NewType array;
  array.oid = oid;
  array.name = name;
  array.schema = schema;
  array.owner = owner;
  array.category = 'A';
  array.element = element;
  array.input = "array_in";
  array.output = "array_out";
  array.receive = "array_recv";
  array.send = "array_send";
  array.analyze = "array_typanalyze";
  array.subscript = "array_subscript_handler";
  array.collation = element_collation;
  array.alignment = element_alignment == 'd' ? 'd' : 'i';
  return insert_type(c, array);
}

Result<RowType> insert_row_type(DdlContext& c, std::string_view name, Oid schema, Oid relation, Oid owner,
                                bool with_array) {
  RowType out;
  if (with_array) out.array = next_oid(c);
  out.type = next_oid(c);
  NewType row;
  row.oid = out.type;
  row.name = name;
  row.schema = schema;
  row.owner = owner;
  row.kind = 'c';
  row.category = 'C';
  row.relation = relation;
  row.array = out.array;
  row.alignment = 'd';
  INDIGO_TRY(insert_type(c, row));
  if (with_array) INDIGO_TRY(insert_array_type(c, out.array, name, schema, owner, out.type, 'd'));
  return out;
}

// ---- defaults and sequences

Result<Oid> insert_default(DdlContext& c, Oid relation, int16_t column, std::string_view tree) {
  SystemTable& t = table(c, pg_attrdef::kOid);
  const Oid oid = next_oid(c);
  RowValues row(t.definition());
  row.oid(pg_attrdef::c_oid, oid)
      .oid(pg_attrdef::c_adrelid, relation)
      .i16(pg_attrdef::c_adnum, column)
      .str(pg_attrdef::c_adbin, tree);
  INDIGO_TRY(check(t.insert(c.txn, row)));
  c.catalog.changed({relation}, RelationParts::kDefaults);
  INDIGO_TRY(update_row(c, pg_attribute::kOid, {Datum::of_oid(relation), Datum::of(column)},
                        [](RowValues& a) { a.flag(pg_attribute::c_atthasdef, true); }));
  return oid;
}

Status insert_sequence_row(DdlContext& c, Oid relation, Oid type, const catalog::SequenceOptions& o) {
  SystemTable& t = table(c, pg_sequence::kOid);
  RowValues row(t.definition());
  row.oid(pg_sequence::c_seqrelid, relation)
      .oid(pg_sequence::c_seqtypid, type)
      .i64(pg_sequence::c_seqstart, o.start)
      .i64(pg_sequence::c_seqincrement, o.increment)
      .i64(pg_sequence::c_seqmax, o.maximum)
      .i64(pg_sequence::c_seqmin, o.minimum)
      .i64(pg_sequence::c_seqcache, o.cache)
      .flag(pg_sequence::c_seqcycle, o.cycle);
  return check(t.insert(c.txn, row));
}

// ---- names

namespace {

// first_second_suffix within 63 bytes: the longer of the two names yields, as PostgreSQL does.
std::string object_name(std::string_view first, std::string_view second, std::string_view suffix) {
  size_t overhead = 0;
  if (!second.empty()) overhead += 1;
  if (!suffix.empty()) overhead += suffix.size() + 1;
  size_t a = first.size(), b = second.size();
  while (a + b + overhead > kMaxNameBytes) {
    if (a > b) {
      a--;
    } else {
      b--;
    }
  }
  std::string out(utf8_clip(first, a));
  if (!second.empty()) out.append("_").append(utf8_clip(second, b));
  if (!suffix.empty()) out += "_" + std::string(suffix);
  return out;
}

bool constraint_name_taken(DdlContext& c, std::string_view name, Oid schema) {
  bool taken = false;
  table(c, pg_constraint::kOid).scan(c.txn, {}, [&](RowReader row) {
    taken = row.oid(pg_constraint::c_connamespace) == schema && row.str(pg_constraint::c_conname) == name;
    return !taken;
  });
  return taken;
}

template <class Taken>
std::string choose(std::string_view first, std::string_view second, std::string_view suffix,
                   std::span<const std::string> also_taken, Taken taken) {
  std::string numbered(suffix);
  for (int i = 1;; i++) {
    std::string name = object_name(first, second, numbered);
    if (!taken(name) && std::find(also_taken.begin(), also_taken.end(), name) == also_taken.end()) return name;
    numbered = std::string(suffix) + std::to_string(i);
  }
}

}  // namespace

std::string choose_relation_name(DdlContext& c, std::string_view first, std::string_view second,
                                 std::string_view suffix, Oid schema, std::span<const std::string> also_taken) {
  return choose(first, second, suffix, also_taken, [&](const std::string& name) {
    return c.catalog.relation_oid(schema, name) != kInvalidOid || constraint_name_taken(c, name, schema);
  });
}

std::string choose_constraint_name(DdlContext& c, std::string_view first, std::string_view second,
                                   std::string_view suffix, Oid schema, std::span<const std::string> also_taken) {
  return choose(first, second, suffix, also_taken,
                [&](const std::string& name) { return constraint_name_taken(c, name, schema); });
}

}  // namespace indigo::engine::ddl
