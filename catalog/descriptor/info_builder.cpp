#include "catalog/descriptor/info_builder.h"

#include <strings.h>

#include <algorithm>
#include <cstdlib>

#include "catalog/access_method.h"
#include "catalog/catalog.h"
#include "catalog/descriptor/added_column.h"
#include "catalog/descriptor/exclusion_info.h"
#include "catalog/descriptor/trigger_info.h"
#include "catalog/generated/columns.h"
#include "catalog/tables/overlay_table.h"
#include "catalog/tables/sequence_table.h"
#include "catalog/tables/system_indexes.h"
#include "catalog/views/system_views.h"
#include "types/builtin/builtins.h"
#include "types/builtin/function_text.h"
#include "types/extension/extension.h"
#include "types/oids.h"
#include "types/range/range_oids.h"
#include "types/value/array_format.h"

namespace indigo::catalog {

KeyColumn key_column_of(const TypeRef& type, const InfoBuilder::TypeLookup& types,
                        const InfoBuilder::CollatorLookup& collators) {
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
  if (info != nullptr && (info->kind == 'r' || info->kind == 'm') && info->oid >= oid::kFirstUserOid)
    out.type = info->kind == 'r' ? oid::kInt4Range : oid::kInt4Multirange;
  if (info != nullptr && !info->comparison.empty()) {
    // Images of an extension's own form compare as bytes.
    out.type = info->definition != nullptr ? Oid{oid::kBytea} : Oid{oid::kText};
    out.collator = types::collator_of_comparison(info->comparison);
  }
  return out;
}

namespace {

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

KeyColumn InfoBuilder::key_column(const TypeRef& type) const { return key_column_of(type, types_, collators_); }

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

std::shared_ptr<const RelationInfo> InfoBuilder::relation(Oid oid) {
  if (const StaticTable* table = static_table(oid)) return system_relation(*table);
  std::string image;
  const SystemTable& classes = database_.table(pg_class::kOid);
  if (!classes.find_oid(txn_, oid, image)) return nullptr;
  const RowReader row = classes.reader(image);
  auto r = std::make_shared<RelationInfo>();
  r->oid = oid;
  r->name = row.str(pg_class::c_relname);
  r->schema = row.oid(pg_class::c_relnamespace);
  r->schema_name = schema_name(r->schema);
  r->kind = static_cast<RelationKind>(row.chr(pg_class::c_relkind));
  r->persistence = row.chr(pg_class::c_relpersistence);
  r->owner = row.oid(pg_class::c_relowner);
  r->row_type = row.oid(pg_class::c_reltype);
  r->reltuples = row.f32(pg_class::c_reltuples);
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
  database_.table(pg_attribute::kOid).scan(txn_, {Datum::of_oid(relation.oid)}, [&](RowReader row) {
    const int16_t number = row.i16(pg_attribute::c_attnum);
    if (number <= 0) return true;
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
  });
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

void InfoBuilder::add_row_security(RelationInfo& relation, RowReader row) {
  relation.row_security = row.flag(pg_class::c_relrowsecurity);
  relation.force_row_security = row.flag(pg_class::c_relforcerowsecurity);
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

IndexInfo InfoBuilder::index(RowReader row) {
  IndexInfo out;
  out.oid = row.oid(pg_index::c_indexrelid);
  out.unique = row.flag(pg_index::c_indisunique);
  out.primary = row.flag(pg_index::c_indisprimary);
  out.valid = row.flag(pg_index::c_indisvalid);
  out.immediate = row.flag(pg_index::c_indimmediate);
  out.nulls_not_distinct = row.flag(pg_index::c_indnullsnotdistinct);
  out.predicate = row.str(pg_index::c_indpred);
  const auto keys = read_i16s(row.str(pg_index::c_indkey));
  const auto collations = read_oids(row.str(pg_index::c_indcollation));
  const auto classes = read_oids(row.str(pg_index::c_indclass));
  const auto options = read_i16s(row.str(pg_index::c_indoption));
  const auto expressions = types::split_default_texts(row.str(pg_index::c_indexprs));
  const auto key_count = static_cast<size_t>(row.i16(pg_index::c_indnkeyatts));
  // Types of the index's own columns (expressions have no other).
  std::vector<TypeRef> types;
  database_.table(pg_attribute::kOid).scan(txn_, {Datum::of_oid(out.oid)}, [&](RowReader a) {
    types.push_back(
        {a.oid(pg_attribute::c_atttypid), a.i32(pg_attribute::c_atttypmod), a.oid(pg_attribute::c_attcollation)});
    return true;
  });
  std::vector<KeyColumn> key;
  size_t expression = 0;
  for (size_t i = 0; i < keys.size(); i++) {
    if (i >= key_count) {
      out.included.push_back(keys[i]);
      continue;
    }
    IndexColumn column;
    column.column = keys[i];
    if (column.column == 0 && expression < expressions.size()) column.expression = expressions[expression++];
    if (i < types.size()) column.type = types[i];
    if (i < collations.size()) column.type.collation = collations[i];
    if (i < classes.size()) column.opclass = classes[i];
    if (i < options.size()) {
      column.descending = (options[i] & 1) != 0;
      column.nulls_first = (options[i] & 2) != 0;
    }
    KeyColumn k = key_column(column.type);
    k.descending = column.descending;
    k.nulls_first = column.nulls_first;
    key.push_back(k);
    out.columns.push_back(std::move(column));
  }
  std::string image;
  const SystemTable& all = database_.table(pg_class::kOid);
  if (all.find_oid(txn_, out.oid, image)) {
    const RowReader c = all.reader(image);
    out.name = c.str(pg_class::c_relname);
    if (c.flag(pg_class::c_relispartition)) {
      database_.table(pg_inherits::kOid).scan(txn_, {Datum::of_oid(out.oid)}, [&](RowReader inherits) {
        out.parent = inherits.oid(pg_inherits::c_inhparent);
        return false;
      });
    }
    const Oid filenode = c.oid(pg_class::c_relfilenode);
    out.storage = database_.physical(filenode).index;
    const AccessMethod* method = access_method(c.oid(pg_class::c_relam));
    out.method = (method == nullptr ? default_access_method() : *method).name;
    // What keeps no entries needs no order: any bytes will do for a type that has none.
    if (method != nullptr && !method->searchable()) {
      for (KeyColumn& k : key) {
        if (!KeyLayout::encodable(k.type, k.phys)) k = key_column({oid::kBytea, -1, kInvalidOid});
      }
    }
  }
  // The primary key's own tree is the table: its columns are never null. (An index that is about to be built has no
  // storage yet either.)
  if (out.primary && out.immediate) {
    for (KeyColumn& k : key) k.nullable = false;
  }
  out.key = KeyLayout(std::move(key));
  return out;
}

void InfoBuilder::add_indexes(RelationInfo& relation) {
  database_.table(pg_index::kOid)
      .scan_index(txn_, system_index::kIndexTable, {Datum::of_oid(relation.oid)}, [&](RowReader row) {
        relation.indexes.push_back(index(row));
        return true;
      });
  std::stable_sort(relation.indexes.begin(), relation.indexes.end(),
                   [](const IndexInfo& a, const IndexInfo& b) { return a.primary > b.primary; });
  if (const IndexInfo* primary = relation.primary_index();
      primary != nullptr && !primary->storage && !relation.is_partitioned()) {
    for (const IndexColumn& c : primary->columns) relation.key_columns.push_back(c.column);
    relation.key = primary->key;
  }
}

void InfoBuilder::add_constraints(RelationInfo& relation) {
  const auto read = [](RowReader row) {
    ConstraintInfo c;
    c.oid = row.oid(pg_constraint::c_oid);
    c.name = row.str(pg_constraint::c_conname);
    c.kind = row.chr(pg_constraint::c_contype);
    c.columns = read_i16s(row.str(pg_constraint::c_conkey));
    c.index = row.oid(pg_constraint::c_conindid);
    c.foreign_relation = row.oid(pg_constraint::c_confrelid);
    c.foreign_columns = read_i16s(row.str(pg_constraint::c_confkey));
    if (c.kind == 'f') {
      c.on_update = row.chr(pg_constraint::c_confupdtype);
      c.on_delete = row.chr(pg_constraint::c_confdeltype);
      c.match = row.chr(pg_constraint::c_confmatchtype);
    }
    c.delete_set_columns = read_i16s(row.str(pg_constraint::c_confdelsetcols));
    c.deferrable = row.flag(pg_constraint::c_condeferrable);
    c.deferred = row.flag(pg_constraint::c_condeferred);
    c.validated = row.flag(pg_constraint::c_convalidated);
    c.no_inherit = row.flag(pg_constraint::c_connoinherit);
    c.is_local = row.flag(pg_constraint::c_conislocal);
    c.inherit_count = row.i32(pg_constraint::c_coninhcount);
    c.parent = row.oid(pg_constraint::c_conparentid);
    c.expression = c.kind == 'x' ? exclusion_text(read_oids(row.str(pg_constraint::c_conexclop)))
                                 : std::string(row.str(pg_constraint::c_conbin));
    return c;
  };
  const SystemTable& t = database_.table(pg_constraint::kOid);
  t.scan_index(txn_, system_index::kConstraintTable, {Datum::of_oid(relation.oid)}, [&](RowReader row) {
    relation.constraints.push_back(read(row));
    return true;
  });
  t.scan_index(txn_, system_index::kConstraintForeign, {Datum::of_oid(relation.oid)}, [&](RowReader row) {
    // Of a partition: the constraint of its partitioned table looks below.
    std::string above;
    const Oid parent = row.oid(pg_constraint::c_conparentid);
    if (parent != kInvalidOid && t.find_oid(txn_, parent, above) &&
        t.reader(above).oid(pg_constraint::c_conrelid) != row.oid(pg_constraint::c_conrelid)) {
      return true;
    }
    relation.referenced_by.push_back(read(row));
    relation.referencing_relations.push_back(row.oid(pg_constraint::c_conrelid));
    return true;
  });
  for (const ConstraintInfo& c : relation.constraints) {
    if (c.kind != 'p' && c.kind != 'u' && c.kind != 'x') continue;
    for (IndexInfo& i : relation.indexes) i.constraint |= i.oid == c.index;
  }
}

void InfoBuilder::add_inheritance(RelationInfo& relation, const RowReader& row) {
  relation.is_partition = row.flag(pg_class::c_relispartition);
  relation.partition_bound = row.str(pg_class::c_relpartbound);
  const SystemTable& t = database_.table(pg_inherits::kOid);
  t.scan(txn_, {Datum::of_oid(relation.oid)}, [&](RowReader inherits) {
    relation.parents.push_back(inherits.oid(pg_inherits::c_inhparent));
    return true;
  });
  if (!row.flag(pg_class::c_relhassubclass)) return;
  t.scan_index(txn_, system_index::kInheritsParent, {Datum::of_oid(relation.oid)}, [&](RowReader inherits) {
    relation.children.push_back(inherits.oid(pg_inherits::c_inhrelid));
    return true;
  });
  std::sort(relation.children.begin(), relation.children.end());
  if (!relation.is_partitioned()) return;
  const SystemTable& classes = database_.table(pg_class::kOid);
  std::string image;
  for (const Oid child : relation.children) {
    const bool found = classes.find_oid(txn_, child, image);
    relation.child_bounds.emplace_back(found ? classes.reader(image).str(pg_class::c_relpartbound) : Str());
  }
}

void InfoBuilder::add_partition_key(RelationInfo& relation) {
  relation.partition_map = std::make_shared<DerivedSlot>();
  std::string image;
  const SystemTable& t = database_.table(pg_partitioned_table::kOid);
  if (!t.find_oid(txn_, relation.oid, image)) return;
  const RowReader row = t.reader(image);
  auto key = std::make_shared<PartitionKey>();
  key->strategy = row.chr(pg_partitioned_table::c_partstrat);
  const auto columns = read_i16s(row.str(pg_partitioned_table::c_partattrs));
  const auto classes = read_oids(row.str(pg_partitioned_table::c_partclass));
  const auto collations = read_oids(row.str(pg_partitioned_table::c_partcollation));
  // The text has each expression's type before it: "23 (a + 1)".
  const auto expressions = types::split_default_texts(row.str(pg_partitioned_table::c_partexprs));
  std::vector<KeyColumn> layout;
  size_t expression = 0;
  for (size_t i = 0; i < columns.size(); i++) {
    PartitionKeyColumn column;
    column.column = columns[i];
    if (column.column > 0) {
      column.type = relation.columns[static_cast<size_t>(column.column) - 1].type;
    } else if (expression < expressions.size()) {
      const std::string& text = expressions[expression++];
      const size_t space = text.find(' ');
      column.type.oid = static_cast<Oid>(std::strtoul(text.c_str(), nullptr, 10));
      column.expression = text.substr(space + 1);
    }
    if (i < collations.size()) column.type.collation = collations[i];
    if (i < classes.size()) column.opclass = classes[i];
    KeyColumn k = key_column(column.type);
    k.nullable = false;
    layout.push_back(k);
    key->columns.push_back(std::move(column));
  }
  key->layout = KeyLayout(std::move(layout));
  relation.partition_key = std::move(key);
}

void InfoBuilder::add_view(RelationInfo& relation) {
  database_.table(pg_rewrite::kOid)
      .scan_index(txn_, system_index::kRewriteClass, {Datum::of_oid(relation.oid)}, [&](RowReader row) {
        if (row.str(pg_rewrite::c_rulename) == "_RETURN") relation.view_definition = row.str(pg_rewrite::c_ev_action);
        return true;
      });
  if (!relation.view_definition.empty()) return;
  if (const SystemView* view = system_view(relation.schema, relation.name)) relation.view_definition = view->sql;
}

void InfoBuilder::add_rules(RelationInfo& relation) {
  auto set = std::make_shared<RuleSet>();
  database_.table(pg_rewrite::kOid)
      .scan_index(txn_, system_index::kRewriteClass, {Datum::of_oid(relation.oid)}, [&](RowReader row) {
        RuleInfo rule;
        rule.event = row.chr(pg_rewrite::c_ev_type);
        if (rule.event == '1') return true;
        rule.oid = row.oid(pg_rewrite::c_oid);
        rule.name = row.str(pg_rewrite::c_rulename);
        rule.enabled = row.chr(pg_rewrite::c_ev_enabled);
        rule.instead = row.flag(pg_rewrite::c_is_instead);
        rule.conditional = row.str(pg_rewrite::c_ev_qual) != "<>";
        rule.tree = row.str(pg_rewrite::c_ev_action);
        set->rules.push_back(std::move(rule));
        return true;
      });
  std::sort(set->rules.begin(), set->rules.end(), [](const RuleInfo& a, const RuleInfo& b) { return a.name < b.name; });
  if (!set->rules.empty()) relation.rules = std::move(set);
}

void InfoBuilder::add_triggers(RelationInfo& relation) {
  auto set = std::make_shared<TriggerSet>();
  database_.table(pg_trigger::kOid)
      .scan_index(txn_, system_index::kTriggerRelation, {Datum::of_oid(relation.oid)}, [&](RowReader row) {
        TriggerInfo t;
        t.oid = row.oid(pg_trigger::c_oid);
        t.name = row.str(pg_trigger::c_tgname);
        t.parent = row.oid(pg_trigger::c_tgparentid);
        t.function = row.oid(pg_trigger::c_tgfoid);
        t.type = row.i16(pg_trigger::c_tgtype);
        t.enabled = row.chr(pg_trigger::c_tgenabled);
        t.internal = row.flag(pg_trigger::c_tgisinternal);
        t.constraint = row.oid(pg_trigger::c_tgconstraint);
        t.constraint_relation = row.oid(pg_trigger::c_tgconstrrelid);
        t.deferrable = row.flag(pg_trigger::c_tgdeferrable);
        t.deferred = row.flag(pg_trigger::c_tginitdeferred);
        // The arguments stand one after the other, each with a zero byte behind it.
        for (Str bytes = row.str(pg_trigger::c_tgargs); !bytes.empty();) {
          const size_t end = std::min(bytes.find('\0'), bytes.size() - 1);
          t.arguments.emplace_back(bytes.substr(0, end));
          bytes.remove_prefix(end + 1);
        }
        t.columns = read_i16s(row.str(pg_trigger::c_tgattr));
        t.condition = row.str(pg_trigger::c_tgqual);
        t.old_table = row.str(pg_trigger::c_tgoldtable);
        t.new_table = row.str(pg_trigger::c_tgnewtable);
        set->add(std::move(t));
        return true;
      });
  std::sort(set->triggers.begin(), set->triggers.end(),
            [](const TriggerInfo& a, const TriggerInfo& b) { return a.name < b.name; });
  if (!set->triggers.empty()) relation.triggers = std::move(set);
}

void InfoBuilder::add_statistics(RelationInfo& relation) {
  database_.table(pg_statistic::kOid).scan(txn_, {Datum::of_oid(relation.oid)}, [&](RowReader row) {
    const auto number = static_cast<size_t>(row.i16(pg_statistic::c_staattnum));
    if (number < 1 || number > relation.columns.size()) return true;
    relation.statistics.resize(relation.columns.size());
    ColumnStatistics& s = relation.statistics[number - 1];
    s.null_fraction = row.f32(pg_statistic::c_stanullfrac);
    s.average_width = row.i32(pg_statistic::c_stawidth);
    s.distinct = row.f32(pg_statistic::c_stadistinct);
    for (int slot = 0; slot < 5; slot++) {
      const int kind = row.i16(pg_statistic::c_stakind1 + slot);
      const auto values = row.str(pg_statistic::c_stavalues1 + slot);
      if ((kind != 1 && kind != 2) || values.empty()) continue;
      const ArrayView array(values);
      auto& into = kind == 1 ? s.common_values : s.histogram;
      for (int32_t i = 0; i < array.count(); i++) into.emplace_back(array.element(i));
      if (kind != 1) continue;
      const auto numbers = row.str(pg_statistic::c_stanumbers1 + slot);
      if (numbers.empty()) continue;
      const ArrayView frequencies(numbers);
      for (int32_t i = 0; i < frequencies.count(); i++) s.common_frequencies.push_back(frequencies.element(i).f32);
    }
    return true;
  });
}

std::shared_ptr<const TypeInfo> InfoBuilder::type(Oid oid) {
  if (oid < oid::kFirstUserOid) return database_.catalog().builtins().type(oid);
  std::string image;
  const SystemTable& table = database_.table(pg_type::kOid);
  if (!table.find_oid(txn_, oid, image)) return nullptr;
  const RowReader row = table.reader(image);
  auto t = std::make_shared<TypeInfo>();
  t->oid = oid;
  t->name = row.str(pg_type::c_typname);
  t->schema = row.oid(pg_type::c_typnamespace);
  t->owner = row.oid(pg_type::c_typowner);
  t->length = row.i16(pg_type::c_typlen);
  t->by_value = row.flag(pg_type::c_typbyval);
  t->kind = row.chr(pg_type::c_typtype);
  t->category = row.chr(pg_type::c_typcategory);
  t->preferred = row.flag(pg_type::c_typispreferred);
  t->delimiter = row.chr(pg_type::c_typdelim);
  t->alignment = row.chr(pg_type::c_typalign);
  t->storage = row.chr(pg_type::c_typstorage);
  t->relation = row.oid(pg_type::c_typrelid);
  t->element = row.oid(pg_type::c_typelem);
  t->array = row.oid(pg_type::c_typarray);
  t->input = row.oid(pg_type::c_typinput);
  t->output = row.oid(pg_type::c_typoutput);
  t->receive = row.oid(pg_type::c_typreceive);
  t->send = row.oid(pg_type::c_typsend);
  t->modifier_in = row.oid(pg_type::c_typmodin);
  t->modifier_out = row.oid(pg_type::c_typmodout);
  t->subscript = row.oid(pg_type::c_typsubscript);
  t->not_null = row.flag(pg_type::c_typnotnull);
  t->base = row.oid(pg_type::c_typbasetype);
  t->base_typmod = row.i32(pg_type::c_typtypmod);
  t->collation = row.oid(pg_type::c_typcollation);
  t->default_expr = row.str(pg_type::c_typdefaultbin);
  switch (t->kind) {
    case 'e':
      t->phys = Phys::kI32;
      database_.table(pg_enum::kOid)
          .scan_index(txn_, system_index::kEnumType, {Datum::of_oid(oid)}, [&](RowReader label) {
            t->enum_labels.emplace_back(label.str(pg_enum::c_enumlabel));
            t->enum_label_oids.push_back(label.oid(pg_enum::c_oid));
            return true;
          });
      break;
    case 'd':
      if (const auto base = types_(t->base)) t->phys = base->phys;
      database_.table(pg_constraint::kOid)
          .scan_index(txn_, system_index::kConstraintType, {Datum::of_oid(oid)}, [&](RowReader c) {
            t->checks.push_back(
                {std::string(c.str(pg_constraint::c_conname)), std::string(c.str(pg_constraint::c_conbin))});
            return true;
          });
      std::sort(t->checks.begin(), t->checks.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
      break;
    case 'r':
    case 'm':
      t->phys = Phys::kStr;
      add_range(*t);
      break;
    default:
      t->phys = Phys::kStr;
      if (t->kind == 'b' && !t->is_array()) add_base_type(*t);
  }
  return t;
}

std::shared_ptr<const FunctionInfo> InfoBuilder::function(Oid oid) {
  if (oid < oid::kFirstUserOid) return database_.catalog().builtins().function(oid);
  std::string image;
  const SystemTable& table = database_.table(pg_proc::kOid);
  if (!table.find_oid(txn_, oid, image)) return nullptr;
  const RowReader row = table.reader(image);
  auto f = std::make_shared<FunctionInfo>();
  f->oid = oid;
  f->name = row.str(pg_proc::c_proname);
  f->schema = row.oid(pg_proc::c_pronamespace);
  f->kind = static_cast<FunctionKind>(row.chr(pg_proc::c_prokind));
  f->volatility = static_cast<Volatility>(row.chr(pg_proc::c_provolatile));
  f->strict = row.flag(pg_proc::c_proisstrict);
  f->leakproof = row.flag(pg_proc::c_proleakproof);
  f->returns_set = row.flag(pg_proc::c_proretset);
  f->result = row.oid(pg_proc::c_prorettype);
  f->variadic = row.oid(pg_proc::c_provariadic);
  f->arguments = read_oids(row.str(pg_proc::c_proargtypes));
  f->default_count = static_cast<uint16_t>(row.i16(pg_proc::c_pronargdefaults));
  f->defaults = types::split_default_texts(row.str(pg_proc::c_proargdefaults));
  f->all_argument_types = read_oids(row.str(pg_proc::c_proallargtypes));
  for (const std::string& mode : read_texts(row.str(pg_proc::c_proargmodes))) f->argument_modes.push_back(mode[0]);
  f->argument_names = read_texts(row.str(pg_proc::c_proargnames));
  const Oid language = row.oid(pg_proc::c_prolang);
  f->language = language == oid::kSqlLanguage       ? "sql"
                : language == oid::kPlpgsqlLanguage ? "plpgsql"
                : language == oid::kCLanguage       ? "c"
                                                    : "internal";
  f->source = row.str(pg_proc::c_prosrc);
  if (!row.is_null(pg_proc::c_probin)) f->library = row.str(pg_proc::c_probin);
  f->statements = row.str(pg_proc::c_prosqlbody);
  f->owner = row.oid(pg_proc::c_proowner);
  f->security_definer = row.flag(pg_proc::c_prosecdef);
  f->settings = read_texts(row.str(pg_proc::c_proconfig));
  f->cost = row.f32(pg_proc::c_procost);
  f->rows = row.f32(pg_proc::c_prorows);
  return f;
}

}  // namespace indigo::catalog
