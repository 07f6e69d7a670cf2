// Descriptors: a table's indexes and constraints.
#include <algorithm>

#include "catalog/access_method.h"
#include "catalog/descriptor/exclusion_info.h"
#include "catalog/descriptor/info_builder.h"
#include "catalog/generated/columns.h"
#include "catalog/tables/system_indexes.h"
#include "types/builtin/function_text.h"
#include "types/oids.h"
#include "types/value/array_format.h"
#include "types/value/collator.h"

namespace indigo::catalog {

namespace {

// btree's text_pattern_ops, varchar_pattern_ops and bpchar_pattern_ops: keys in C order, under any collation.
bool is_pattern_class(Oid opclass) { return opclass >= 4217 && opclass <= 4219; }

}  // namespace

IndexInfo InfoBuilder::index(const RelationInfo& relation, RowReader row) {
  IndexInfo out;
  out.oid = row.oid(pg_index::c_indexrelid);
  out.unique = row.flag(pg_index::c_indisunique);
  out.primary = row.flag(pg_index::c_indisprimary);
  out.valid = row.flag(pg_index::c_indisvalid);
  out.ready = row.flag(pg_index::c_indisready);
  out.immediate = row.flag(pg_index::c_indimmediate);
  out.nulls_not_distinct = row.flag(pg_index::c_indnullsnotdistinct);
  out.predicate = row.str(pg_index::c_indpred);
  const auto keys = read_i16s(row.str(pg_index::c_indkey));
  const auto collations = read_oids(row.str(pg_index::c_indcollation));
  const auto classes = read_oids(row.str(pg_index::c_indclass));
  const auto options = read_i16s(row.str(pg_index::c_indoption));
  const auto expressions = types::split_default_texts(row.str(pg_index::c_indexprs));
  const auto key_count = static_cast<size_t>(row.i16(pg_index::c_indnkeyatts));
  // Expressions have no other types than those of the index's own columns.
  std::vector<TypeRef> types;
  if (!expressions.empty()) {
    database_.table(pg_attribute::kOid).scan(txn_, {Datum::of_oid(out.oid)}, [&](RowReader a) {
      types.push_back(
          {a.oid(pg_attribute::c_atttypid), a.i32(pg_attribute::c_atttypmod), a.oid(pg_attribute::c_attcollation)});
      return true;
    });
  }
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
    if (column.column > 0 && static_cast<size_t>(column.column) <= relation.columns.size()) {
      column.type = relation.columns[static_cast<size_t>(column.column) - 1].type;
    } else if (i < types.size()) {
      column.type = types[i];
    }
    if (i < collations.size()) column.type.collation = collations[i];
    if (i < classes.size()) column.opclass = classes[i];
    if (is_pattern_class(column.opclass) && collators_(column.type.collation) != nullptr)
      column.type.collation = oid::kCCollation;
    if (i < options.size()) {
      column.descending = (options[i] & 1) != 0;
      column.nulls_first = (options[i] & 2) != 0;
    }
    KeyColumn k = key_column(column.type, column.opclass);
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
    const PhysicalRelation physical = database_.physical(filenode);
    out.storage = physical.index;
    for (size_t i = 0; i < physical.orders.size() && i < key.size(); i++) {
      if (physical.orders[i] != nullptr) key[i].keep(physical.orders[i]);
    }
    const AccessMethod* method = access_method(c.oid(pg_class::c_relam));
    out.method = (method == nullptr ? default_access_method() : *method).name;
    // What keeps no entries needs no order: any bytes will do for a type that has none.
    if (method != nullptr && !method->searchable()) {
      for (KeyColumn& k : key) {
        if (!KeyLayout::encodable(k.type, k.phys)) k = key_column({oid::kBytea, -1, kInvalidOid});
      }
    }
  }
  // The primary key's own tree is the table, unless a function of users' own orders it: its columns are never null. (An index
  // that is about to be built has no storage yet either.)
  const bool defined = std::any_of(key.begin(), key.end(), [](const KeyColumn& k) {
    return k.collator != nullptr && k.collator->values() != nullptr;
  });
  if (out.primary && out.immediate && !defined) {
    for (KeyColumn& k : key) k.nullable = false;
  }
  out.key = KeyLayout(std::move(key));
  return out;
}

void InfoBuilder::add_indexes(RelationInfo& relation) {
  database_.table(pg_index::kOid)
      .scan_index(txn_, system_index::kIndexTable, {Datum::of_oid(relation.oid)}, [&](RowReader row) {
        relation.indexes.push_back(index(relation, row));
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

std::shared_ptr<const RelationInfo> InfoBuilder::with_index(const RelationInfo& relation, Oid oid) {
  auto out = std::make_shared<RelationInfo>(relation);
  std::string image;
  const SystemTable& indexes = database_.table(pg_index::kOid);
  if (indexes.find_oid(txn_, oid, image)) out->indexes.push_back(index(*out, indexes.reader(image)));
  return out;
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
  relation.constraints.clear();
  relation.referenced_by.clear();
  relation.referencing_relations.clear();
  const SystemTable& t = database_.table(pg_constraint::kOid);
  t.scan_index(txn_, system_index::kConstraintTable, {Datum::of_oid(relation.oid)}, [&](RowReader row) {
    relation.constraints.push_back(read(row));
    return true;
  });
  // The index gives them by name, the order of checks; foreign keys are looked at in the order in which they were made.
  const auto others = std::stable_partition(relation.constraints.begin(), relation.constraints.end(),
                                            [](const ConstraintInfo& c) { return c.kind != 'f'; });
  std::sort(others, relation.constraints.end(),
            [](const ConstraintInfo& a, const ConstraintInfo& b) { return a.oid < b.oid; });
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
  for (IndexInfo& i : relation.indexes) i.constraint = false;
  for (const ConstraintInfo& c : relation.constraints) {
    if (c.kind != 'p' && c.kind != 'u' && c.kind != 'x') continue;
    for (IndexInfo& i : relation.indexes) i.constraint |= i.oid == c.index;
  }
}

}  // namespace indigo::catalog
