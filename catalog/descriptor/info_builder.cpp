#include "catalog/descriptor/info_builder.h"

#include <strings.h>

#include "catalog/access_method.h"
#include "catalog/catalog.h"
#include "catalog/descriptor/added_column.h"
#include "catalog/generated/columns.h"
#include "catalog/tables/overlay_table.h"
#include "catalog/tables/sequence_table.h"
#include "catalog/tables/system_indexes.h"
#include "types/builtin/builtins.h"
#include "types/extension/extension.h"
#include "types/oids.h"
#include "types/range/range_oids.h"
#include "types/value/array_format.h"
#include "types/value/collator.h"

namespace indigo::catalog {

namespace {

// `members`: Collator::members() of the instance.
KeyColumn column_of_key(const TypeRef& type, const InfoBuilder::TypeLookup& types,
                        const InfoBuilder::CollatorLookup& collators, const Collator* members,
                        const Collator* case_insensitive) {
  KeyColumn out;
  out.type = type.oid;
  out.collation = type.collation;
  out.collator = collators(type.collation);
  auto info = types(type.oid);
  while (info != nullptr && info->kind == 'd') {
    out.type = info->base;
    info = types(info->base);
  }
  out.phys = info != nullptr ? info->phys : Phys::kStr;
  // A range's image says what its bounds are: as keys, all ranges are alike.
  if (info != nullptr && (info->kind == 'r' || info->kind == 'm') && info->oid >= oid::kFirstUserOid) {
    out.type = info->kind == 'r' ? oid::kInt4Range : oid::kInt4Multirange;
    if (const types::Collator* own = collators(info->oid)) out.collator = own;  // the bounds' order
  }
  // So do the images of composite values and arrays.
  if (info != nullptr && info->kind == 'c' && info->comparison.empty()) {
    out.type = oid::kRecord;
    out.collator = members;
  }
  if (info != nullptr && info->is_array() && info->oid >= oid::kFirstUserOid) {
    out.type = oid::kInt4Array;
    const types::Collator* own = types::collator_of_own_order(info->oid, types);
    if (own != nullptr)
      out.collator = own == &Collator::case_insensitive() ? case_insensitive : own;
    else if (out.collator == nullptr || type.collation == oid::kDefaultCollation)
      out.collator = members;
  }
  if (info != nullptr && !info->comparison.empty()) {
    // Images of an extension's own form compare as bytes, unless it has a collator for them; integers as such.
    out.type = info->phys == Phys::kI64      ? Oid{oid::kInt8}
               : info->definition != nullptr ? Oid{oid::kBytea}
                                             : Oid{oid::kText};
    out.collator = types::collator_of_comparison(info->comparison);
    if (out.collator == &Collator::case_insensitive()) out.collator = case_insensitive;
    if (out.collator != nullptr) out.type = oid::kText;
  }
  return out;
}

// WITH CHECK OPTION too is among a view's options.
void add_view_options(const RowReader& row, RelationInfo& relation) {
  if (row.is_null(pg_class::c_reloptions)) return;
  for (const std::string& option : read_texts(row.str(pg_class::c_reloptions))) {
    const size_t equals = option.find('=');
    if (equals == std::string::npos) continue;
    const std::string name = option.substr(0, equals);
    const char* value = option.c_str() + equals + 1;
    if (name == "check_option") relation.check_option = strcasecmp(value, "local") == 0 ? 'l' : 'c';
    // Checked when it was set: any beginning of true and yes, on, 1.
    const bool on = *value == 't' || *value == 'T' || *value == 'y' || *value == 'Y' || *value == '1' ||
                    strcasecmp(value, "on") == 0;
    if (name == "security_invoker") relation.security_invoker = on;
    if (name == "security_barrier") relation.security_barrier = on;
  }
}

}  // namespace

KeyColumn key_column_of(const TypeRef& type, CatalogView& catalog) {
  return column_of_key(
      type, [&](Oid oid) { return catalog.type(oid); }, [&](Oid oid) { return catalog.collator(oid); },
      catalog.member_orders(), catalog.case_insensitive());
}

KeyColumn InfoBuilder::key_column(const TypeRef& type) const {
  return column_of_key(type, types_, collators_, database_.catalog().member_orders(), database_.case_insensitive());
}

void InfoBuilder::keep_member_order(const std::shared_ptr<const TypeInfo>& type) {
  if (type->kind == 'c' || type->kind == 'e') return;  // as they are held
  auto base = type;
  while (base != nullptr && base->kind == 'd') base = types_(base->base);
  const types::TypeOrder* order = base == nullptr ? nullptr : types::type_order(*base);
  if (order == nullptr) return;
  const auto types = [&](Oid oid) { return oid == type->oid ? type : types_(oid); };  // it is not among them yet
  // Texts within others are in the database's order, or in C order.
  const auto collators = [&](Oid collation) -> const Collator* {
    return collation == oid::kDefaultCollation ? database_.collator() : nullptr;
  };
  Catalog& catalog = database_.catalog();
  const KeyColumn key = column_of_key({type->oid, -1, type->collation}, types, collators, catalog.member_orders(),
                                      database_.case_insensitive());
  catalog.note_member_order(type->oid, {order, key.collator, key.type, key.phys});
}

KeyColumn InfoBuilder::key_column(const TypeRef& type, Oid opclass) const {
  KeyColumn out = key_column(type);
  if (opclass < oid::kFirstUserOid) return out;
  const types::Collator* order = collators_(opclass);
  if (order != nullptr && order->values() != nullptr) out.collator = order;
  return out;
}

std::string InfoBuilder::schema_name(Oid schema) {
  std::string row;
  const SystemTable& t = database_.table(pg_namespace::kOid);
  return t.find_oid(txn_, schema, row) ? std::string(t.reader(row).str(pg_namespace::c_nspname)) : std::string();
}

// A system table's descriptor needs none of its rows.
std::shared_ptr<const RelationInfo> InfoBuilder::system_relation(const StaticTable& table) {
  auto r = std::make_shared<RelationInfo>();
  const SystemTable& storage = database_.table(table.oid);
  r->oid = table.oid;
  r->name = table.name;
  r->schema = oid::kPgCatalogSchema;
  r->schema_name = "pg_catalog";
  r->owner = oid::kBootstrapSuperuser;
  r->row_type = table.row_type;
  r->layout = storage.layout();
  r->key = storage.key_layout();
  r->table = storage.storage();
  for (int i = 0; i < table.column_count; i++) {
    const StaticColumn& c = table.columns[i];
    ColumnInfo column;
    column.name = c.name;
    column.number = static_cast<int16_t>(i + 1);
    column.type = {c.type, -1, c.collation};
    column.not_null = c.not_null;
    r->columns.push_back(std::move(column));
  }
  IndexInfo primary;
  primary.oid = table.primary_index;
  primary.name = table.primary_index_name;
  primary.unique = primary.primary = true;
  primary.key = r->key;
  for (int i = 0; i < table.key_count; i++) {
    const int16_t number = static_cast<int16_t>(table.key_columns[i] + 1);
    r->key_columns.push_back(number);
    IndexColumn column;
    column.column = number;
    column.type = r->columns[table.key_columns[i]].type;
    column.opclass = database_.catalog().builtins().default_opclass(default_access_method().oid, column.type.oid);
    primary.columns.push_back(std::move(column));
  }
  if (primary.oid != kInvalidOid) r->indexes.push_back(std::move(primary));
  r->reltuples = static_cast<double>(storage.storage()->statistics().rows);
  return r;
}

std::shared_ptr<RelationInfo> InfoBuilder::class_of(const RowReader& row) {
  auto r = std::make_shared<RelationInfo>();
  add_class(*r, row);
  return r;
}

void InfoBuilder::add_class(RelationInfo& relation, const RowReader& row) {
  relation.oid = row.oid(pg_class::c_oid);
  relation.name = row.str(pg_class::c_relname);
  relation.schema = row.oid(pg_class::c_relnamespace);
  relation.schema_name = schema_name(relation.schema);
  relation.kind = static_cast<RelationKind>(row.chr(pg_class::c_relkind));
  relation.persistence = row.chr(pg_class::c_relpersistence);
  relation.owner = row.oid(pg_class::c_relowner);
  relation.row_type = row.oid(pg_class::c_reltype);
  relation.reltuples = row.f32(pg_class::c_reltuples);
}

std::shared_ptr<const RelationInfo> InfoBuilder::head(Oid oid) {
  if (const StaticTable* table = static_table(oid)) return system_relation(*table);
  std::string image;
  const SystemTable& classes = database_.table(pg_class::kOid);
  if (!classes.find_oid(txn_, oid, image)) return nullptr;
  const auto r = class_of(classes.reader(image));
  add_inheritance(*r, classes.reader(image));
  return r;
}

std::shared_ptr<const RelationInfo> InfoBuilder::relation(Oid oid) {
  if (const StaticTable* table = static_table(oid)) return system_relation(*table);
  std::string image;
  const SystemTable& classes = database_.table(pg_class::kOid);
  if (!classes.find_oid(txn_, oid, image)) return nullptr;
  const RowReader row = classes.reader(image);
  const auto r = class_of(row);
  const Oid filenode = row.oid(pg_class::c_relfilenode);
  add_columns(*r);
  if (row.flag(pg_class::c_relhastriggers)) add_triggers(*r);
  if (row.flag(pg_class::c_relhasrules)) add_rules(*r);
  switch (r->kind) {
    case RelationKind::kTable:
    case RelationKind::kMaterializedView:
      r->table = database_.physical(filenode).table;
      add_defaults(*r);
      add_indexes(*r);
      add_constraints(*r);
      add_statistics(*r);
      if (r->kind == RelationKind::kMaterializedView) add_view(*r);
      add_inheritance(*r, row);
      add_row_security(*r, row);
      break;
    case RelationKind::kPartitionedTable:
      add_defaults(*r);
      add_indexes(*r);
      add_constraints(*r);
      add_statistics(*r);
      add_partition_key(*r);
      add_inheritance(*r, row);
      add_row_security(*r, row);
      break;
    case RelationKind::kForeignTable:
      add_defaults(*r);
      add_constraints(*r);
      add_statistics(*r);
      add_foreign_source(*r);
      add_inheritance(*r, row);
      break;
    case RelationKind::kView:
      add_defaults(*r);
      add_view(*r);
      add_view_options(row, *r);
      break;
    case RelationKind::kSequence:
      if (auto sequence = database_.physical(filenode).sequence) {
        r->table = std::make_shared<SequenceTable>(std::move(sequence), sequence_options(oid), r->layout);
      }
      break;
    case RelationKind::kIndex:
    case RelationKind::kPartitionedIndex: add_inheritance(*r, row); break;
    case RelationKind::kComposite: break;
  }
  return r;
}

std::shared_ptr<const RelationInfo> InfoBuilder::renewed(const RelationInfo& before, RelationParts parts) {
  if (before.kind != RelationKind::kTable) return relation(before.oid);
  std::string image;
  const SystemTable& classes = database_.table(pg_class::kOid);
  if (!classes.find_oid(txn_, before.oid, image)) return nullptr;
  const RowReader row = classes.reader(image);
  const auto r = std::make_shared<RelationInfo>(before);
  add_class(*r, row);
  add_row_security_flags(*r, row);
  r->table = database_.physical(row.oid(pg_class::c_relfilenode)).table;
  if (includes(parts, RelationParts::kTriggers)) {
    r->triggers = nullptr;
    if (row.flag(pg_class::c_relhastriggers)) add_triggers(*r);
  }
  if (includes(parts, RelationParts::kDefaults)) {
    for (ColumnInfo& column : r->columns) column.default_expr.reset();
    add_defaults(*r);
  }
  if (includes(parts, RelationParts::kIndexes)) {
    r->indexes.clear();
    r->key_columns.clear();
    r->key = {};
    add_indexes(*r);
  }
  if (includes(parts, RelationParts::kConstraints | RelationParts::kIndexes)) add_constraints(*r);
  return r;
}

SequenceOptions InfoBuilder::sequence_options(Oid sequence) {
  SequenceOptions options;
  std::string image;
  const SystemTable& sequences = database_.table(pg_sequence::kOid);
  if (!sequences.find_oid(txn_, sequence, image)) return options;
  const RowReader row = sequences.reader(image);
  options.start = row.i64(pg_sequence::c_seqstart);
  options.increment = row.i64(pg_sequence::c_seqincrement);
  options.maximum = row.i64(pg_sequence::c_seqmax);
  options.minimum = row.i64(pg_sequence::c_seqmin);
  options.cache = row.i64(pg_sequence::c_seqcache);
  options.cycle = row.flag(pg_sequence::c_seqcycle);
  return options;
}

void InfoBuilder::add_columns(RelationInfo& relation) {
  std::vector<Phys> phys;
  std::vector<size_t> added;
  std::vector<OwnedDatum> missing;
  // System columns have negative numbers.
  const Datum oid = Datum::of_oid(relation.oid);
  const auto visit = [&](RowReader row) {
    const int16_t number = row.i16(pg_attribute::c_attnum);
    ColumnInfo c;
    c.name = row.str(pg_attribute::c_attname);
    c.number = number;
    c.type = {row.oid(pg_attribute::c_atttypid), row.i32(pg_attribute::c_atttypmod),
              row.oid(pg_attribute::c_attcollation)};
    c.not_null = row.flag(pg_attribute::c_attnotnull);
    c.dropped = row.flag(pg_attribute::c_attisdropped);
    c.identity = row.chr(pg_attribute::c_attidentity);
    c.generated = row.chr(pg_attribute::c_attgenerated);
    if (c.dropped) {
      // The type may be gone; DROP COLUMN leaves the width of its values in attlen (-1: strings).
      switch (row.i16(pg_attribute::c_attlen)) {
        case 1: phys.push_back(Phys::kBool); break;
        case 2: phys.push_back(Phys::kI16); break;
        case 4: phys.push_back(Phys::kI32); break;
        case 8: phys.push_back(Phys::kI64); break;
        case 16: phys.push_back(Phys::kB16); break;
        default: phys.push_back(Phys::kStr);
      }
    } else {
      const auto type = types_(c.type.oid);
      phys.push_back(type != nullptr ? type->phys : Phys::kStr);
    }
    if (row.i32(pg_attribute::c_attcacheoff) == kAddedColumn) added.push_back(relation.columns.size());
    missing.emplace_back(Datum::make_null(phys.back()));
    if (const Str value = row.str(pg_attribute::c_attmissingval); !value.empty()) {
      const ArrayView array(value);
      if (array.count() == 1 && array.element(0).phys == phys.back()) missing.back() = OwnedDatum(array.element(0));
    }
    relation.columns.push_back(std::move(c));
    return true;
  };
  database_.table(pg_attribute::kOid).scan_from(txn_, {oid}, {oid, Datum::of(int16_t{1})}, visit);
  relation.layout = RowLayout(std::move(phys), added, std::move(missing));
}

void InfoBuilder::add_defaults(RelationInfo& relation) {
  database_.table(pg_attrdef::kOid)
      .scan_index(txn_, system_index::kAttrdefColumn, {Datum::of_oid(relation.oid)}, [&](RowReader row) {
        const auto number = static_cast<size_t>(row.i16(pg_attrdef::c_adnum));
        if (number >= 1 && number <= relation.columns.size()) {
          relation.columns[number - 1].default_expr = std::string(row.str(pg_attrdef::c_adbin));
        }
        return true;
      });
  add_identity_defaults(relation);
}

// An identity column's sequence depends on it; by OID, so that it may be renamed.
void InfoBuilder::add_identity_defaults(RelationInfo& relation) {
  for (ColumnInfo& column : relation.columns) {
    if (column.identity == 0 || column.dropped) continue;
    database_.table(pg_depend::kOid)
        .scan_index(txn_, system_index::kDependReference, {Datum::of_oid(pg_class::kOid), Datum::of_oid(relation.oid)},
                    [&](RowReader row) {
                      if (row.i32(pg_depend::c_refobjsubid) != column.number || row.chr(pg_depend::c_deptype) != 'i' ||
                          row.oid(pg_depend::c_classid) != pg_class::kOid) {
                        return true;
                      }
                      const std::string sequence = std::to_string(row.oid(pg_depend::c_objid));
                      column.default_expr = "pg_catalog.nextval('" + sequence + "'::pg_catalog.regclass)";
                      return false;
                    });
  }
}

void InfoBuilder::add_row_security_flags(RelationInfo& relation, const RowReader& row) {
  relation.row_security = row.flag(pg_class::c_relrowsecurity);
  relation.force_row_security = row.flag(pg_class::c_relforcerowsecurity);
}

void InfoBuilder::add_row_security(RelationInfo& relation, RowReader row) {
  add_row_security_flags(relation, row);
  database_.table(pg_policy::kOid)
      .scan_index(txn_, system_index::kPolicyTable, {Datum::of_oid(relation.oid)}, [&](RowReader policy) {
        PolicyInfo out;
        out.oid = policy.oid(pg_policy::c_oid);
        out.name = policy.str(pg_policy::c_polname);
        out.command = policy.chr(pg_policy::c_polcmd);
        out.permissive = policy.flag(pg_policy::c_polpermissive);
        out.roles = read_oids(policy.str(pg_policy::c_polroles));
        if (!policy.is_null(pg_policy::c_polqual)) out.using_expression = policy.str(pg_policy::c_polqual);
        if (!policy.is_null(pg_policy::c_polwithcheck)) out.with_check = policy.str(pg_policy::c_polwithcheck);
        relation.policies.push_back(std::move(out));
        return true;
      });
}

}  // namespace indigo::catalog
