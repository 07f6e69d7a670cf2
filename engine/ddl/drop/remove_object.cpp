#include "engine/ddl/drop/remove_object.h"

#include "catalog/database.h"
#include "catalog/tables/system_table.h"
#include "engine/ddl/access/default_privileges.h"
#include "engine/ddl/access/policy.h"
#include "engine/ddl/analyze/extended_statistics.h"
#include "engine/ddl/foreign/foreign_table.h"
#include "engine/ddl/object/large_object.h"
#include "engine/ddl/operator/definition.h"
#include "engine/ddl/partition/partition_key.h"
#include "engine/ddl/rows.h"
#include "engine/ddl/rule/rule.h"
#include "engine/ddl/text_search/text_search_object.h"
#include "storage/index_drop.h"
#include "storage/store.h"
#include "storage/table.h"

namespace indigo::engine::ddl {

void adopt_physical(DdlContext& c, Oid filenode, catalog::PhysicalRelation relation) {
  const auto database = c.catalog.database_pointer();
  database->add_physical(filenode, std::move(relation));
  c.store().on_end(
      c.txn, [] {}, [database, filenode] { database->remove_physical(filenode); });
}

Status adopt_sequence(DdlContext& c, Oid filenode, catalog::Sequence::State state, char persistence) {
  const auto database = c.catalog.database_pointer();
  c.store().on_end(
      c.txn, [] {}, [database, filenode] { database->remove_physical(filenode); });
  return database->add_sequence(filenode, state, persistence != 't');
}

void release_physical(DdlContext& c, Oid filenode) {
  if (filenode == kInvalidOid) return;
  const auto database = c.catalog.database_pointer();
  c.store().on_end(
      c.txn, [database, filenode] { database->remove_physical(filenode); }, [] {});
}

Status remove_comments(DdlContext& c, const Address& a) {
  SystemTable& t = table(c, pg_description::kOid);
  std::vector<int32_t> subs;
  t.scan(c.txn, {Datum::of_oid(a.object), Datum::of_oid(a.class_id)}, [&](RowReader row) {
    const int32_t sub = row.i32(pg_description::c_objsubid);
    if (a.sub == 0 || sub == a.sub) subs.push_back(sub);
    return true;
  });
  for (const int32_t sub : subs) {
    INDIGO_TRY(check_erased(t.erase(c.txn, {Datum::of_oid(a.object), Datum::of_oid(a.class_id), Datum::of(sub)})));
  }
  return {};
}

namespace {

// Erases every row whose key begins with `prefix` and for which `wanted` holds; the key is (prefix, column values).
Status erase_keys(DdlContext& c, SystemTable& t, std::initializer_list<Datum> prefix,
                  const std::function<bool(RowReader)>& wanted) {
  std::vector<std::string> keys;
  t.scan_keys(c.txn, prefix, [&](RowReader row, Bytes key) {
    if (!wanted || wanted(row)) keys.emplace_back(key);
    return true;
  });
  for (const std::string& key : keys) INDIGO_TRY(check_erased(t.erase_key(c.txn, key)));
  return {};
}

Status remove_default(DdlContext& c, Oid oid) {
  SystemTable& t = table(c, pg_attrdef::kOid);
  std::string image;
  if (!t.find_oid(c.txn, oid, image)) return {};
  const Oid relation = t.reader(image).oid(pg_attrdef::c_adrelid);
  const int16_t number = t.reader(image).i16(pg_attrdef::c_adnum);
  INDIGO_TRY(check_erased(t.erase(c.txn, {Datum::of_oid(oid)})));
  std::string attribute;
  if (table(c, pg_attribute::kOid).find(c.txn, {Datum::of_oid(relation), Datum::of(number)}, attribute)) {
    INDIGO_TRY(update_attribute(c, relation, number, [](RowValues& a) {
      a.flag(pg_attribute::c_atthasdef, false).chr(pg_attribute::c_attgenerated, '\0');
    }));
  }
  return {};
}

Status remove_column(DdlContext& c, Oid relation, int16_t number) {
  const RelationPtr r = current(c, relation);
  if (r == nullptr || static_cast<size_t>(number) > r->columns.size()) return {};
  const Phys phys = r->layout.phys(static_cast<size_t>(number) - 1);
  // attlen keeps the width of old values (catalog/README.md).
  const int16_t width = phys == Phys::kStr ? int16_t{-1} : static_cast<int16_t>(phys_bytes(phys));
  INDIGO_TRY(update_attribute(c, relation, number, [&](RowValues& a) {
    a.str(pg_attribute::c_attname, "........pg.dropped." + std::to_string(number) + "........")
        .oid(pg_attribute::c_atttypid, kInvalidOid)
        .i16(pg_attribute::c_attlen, width)
        .i32(pg_attribute::c_attstattarget, 0)
        .flag(pg_attribute::c_attnotnull, false)
        .flag(pg_attribute::c_atthasdef, false)
        .flag(pg_attribute::c_atthasmissing, false)
        .set_null(pg_attribute::c_attmissingval)
        .chr(pg_attribute::c_attidentity, '\0')
        .chr(pg_attribute::c_attgenerated, '\0')
        .flag(pg_attribute::c_attisdropped, true);
  }));
  return erase_keys(c, table(c, pg_statistic::kOid), {Datum::of_oid(relation), Datum::of(number)}, nullptr);
}

// Its place below other tables (or partitioned indexes).
Status remove_inheritance(DdlContext& c, Oid oid) {
  namespace pg_inherits = catalog::pg_inherits;
  SystemTable& t = table(c, pg_inherits::kOid);
  std::vector<Oid> parents;
  t.scan(c.txn, {Datum::of_oid(oid)}, [&](RowReader row) {
    parents.push_back(row.oid(pg_inherits::c_inhparent));
    return true;
  });
  if (parents.empty()) return {};
  INDIGO_TRY(erase_keys(c, t, {Datum::of_oid(oid)}, nullptr));
  for (const Oid parent : parents) {
    std::string image;
    const SystemTable& keys = table(c, catalog::pg_partitioned_table::kOid);
    if (!keys.find_oid(c.txn, parent, image)) continue;
    if (keys.reader(image).oid(catalog::pg_partitioned_table::c_partdefid) == oid)
      INDIGO_TRY(set_default_partition(c, parent, kInvalidOid));
  }
  c.catalog.changed(std::move(parents));
  return {};
}

Status remove_relation(DdlContext& c, Oid oid) {
  SystemTable& classes = table(c, pg_class::kOid);
  std::string image;
  if (!classes.find_oid(c.txn, oid, image)) return {};
  const RowReader row = classes.reader(image);
  const Oid filenode = row.oid(pg_class::c_relfilenode);
  const char kind = row.chr(pg_class::c_relkind);
  INDIGO_TRY(remove_inheritance(c, oid));
  if (kind == 'p') INDIGO_TRY(remove_partition_key(c, oid));
  if (kind == 'p' || kind == 'r')
    INDIGO_TRY(erase_keys(c, table(c, catalog::pg_subscription_rel::kOid), {Datum::of_oid(oid)}, nullptr));
  if (kind == 'f') INDIGO_TRY(remove_foreign_table(c, oid));
  if (kind == 'i' || kind == 'I') {
    SystemTable& indexes = table(c, pg_index::kOid);
    std::string index_image;
    Oid owner = kInvalidOid;
    if (indexes.find_oid(c.txn, oid, index_image)) {
      owner = indexes.reader(index_image).oid(pg_index::c_indrelid);
      INDIGO_TRY(check_erased(indexes.erase(c.txn, {Datum::of_oid(oid)})));
    }
    if (owner != kInvalidOid) {
      std::string owner_image;
      c.catalog.changed({owner}, RelationParts::kIndexes);
      if (classes.find_oid(c.txn, owner, owner_image)) {
        const Oid table_filenode = classes.reader(owner_image).oid(pg_class::c_relfilenode);
        const auto physical = c.catalog.database_object().physical(table_filenode);
        const IndexId index = c.catalog.database_object().physical(filenode).index;
        if (index && physical.table != nullptr) {
          storage::set_index_leaving(*physical.table, index, true);
          c.store().on_end(
              c.txn, [table = physical.table, index] { table->drop_index(index); },
              [table = physical.table, index] { storage::set_index_leaving(*table, index, false); });
        }
        if (filenode != table_filenode) release_physical(c, filenode);
      }
    }
  } else {
    if (kind == 'S') INDIGO_TRY(erase_keys(c, table(c, pg_sequence::kOid), {Datum::of_oid(oid)}, nullptr));
    release_physical(c, filenode);
  }
  c.catalog.changed({oid});
  INDIGO_TRY(erase_keys(c, table(c, pg_attribute::kOid), {Datum::of_oid(oid)}, nullptr));
  INDIGO_TRY(erase_keys(c, table(c, pg_statistic::kOid), {Datum::of_oid(oid)}, nullptr));
  return check_erased(classes.erase(c.txn, {Datum::of_oid(oid)}));
}

Status remove_constraint(DdlContext& c, Oid oid) {
  SystemTable& t = table(c, pg_constraint::kOid);
  std::string image;
  if (!t.find_oid(c.txn, oid, image)) return {};
  const RowReader row = t.reader(image);
  const Oid relation = row.oid(pg_constraint::c_conrelid), foreign = row.oid(pg_constraint::c_confrelid);
  const Oid type = row.oid(pg_constraint::c_contypid);
  const char kind = row.chr(pg_constraint::c_contype);
  INDIGO_TRY(check_erased(t.erase(c.txn, {Datum::of_oid(oid)})));
  std::vector<Oid> touched;
  for (const Oid o : {relation, foreign, type}) {
    if (o != kInvalidOid) touched.push_back(o);
  }
  c.catalog.changed(std::move(touched), RelationParts::kConstraints);
  std::string owner;
  if (kind == 'c' && relation != kInvalidOid && table(c, pg_class::kOid).find_oid(c.txn, relation, owner)) {
    INDIGO_TRY(update_class(c, relation, [](RowValues& r) {
      const int16_t checks = r.get(pg_class::c_relchecks).i16;
      r.i16(pg_class::c_relchecks, static_cast<int16_t>(checks > 0 ? checks - 1 : 0));
    }));
  }
  return {};
}

Status remove_trigger(DdlContext& c, Oid oid) {
  SystemTable& t = table(c, pg_trigger::kOid);
  std::string image;
  if (!t.find_oid(c.txn, oid, image)) return {};
  const Oid relation = t.reader(image).oid(pg_trigger::c_tgrelid);
  c.catalog.changed({relation}, RelationParts::kTriggers);
  return check_erased(t.erase(c.txn, {Datum::of_oid(oid)}));
}

Status remove_type(DdlContext& c, Oid oid) {
  SystemTable& t = table(c, pg_type::kOid);
  std::string image;
  if (!t.find_oid(c.txn, oid, image)) return {};
  c.catalog.changed({oid});
  std::vector<Oid> labels;
  table(c, pg_enum::kOid).scan_index(c.txn, system_index::kEnumType, {Datum::of_oid(oid)}, [&](RowReader row) {
    labels.push_back(row.oid(pg_enum::c_oid));
    return true;
  });
  namespace pg_range = catalog::pg_range;
  INDIGO_TRY(erase_keys(c, table(c, pg_range::kOid), {Datum::of_oid(oid)}, nullptr));
  for (const Oid label : labels) INDIGO_TRY(check_erased(table(c, pg_enum::kOid).erase(c.txn, {Datum::of_oid(label)})));
  return check_erased(t.erase(c.txn, {Datum::of_oid(oid)}));
}

}  // namespace

Status remove_object(DdlContext& c, const Address& a) {
  switch (a.class_id) {
    case pg_class::kOid:
      if (a.sub != 0) {
        INDIGO_TRY(remove_column(c, a.object, static_cast<int16_t>(a.sub)));
      } else {
        INDIGO_TRY(remove_relation(c, a.object));
      }
      break;
    case pg_constraint::kOid: INDIGO_TRY(remove_constraint(c, a.object)); break;
    case pg_attrdef::kOid: INDIGO_TRY(remove_default(c, a.object)); break;
    case pg_type::kOid: INDIGO_TRY(remove_type(c, a.object)); break;
    case pg_trigger::kOid: INDIGO_TRY(remove_trigger(c, a.object)); break;
    case catalog::pg_policy::kOid: INDIGO_TRY(remove_policy(c, a.object)); break;
    case pg_rewrite::kOid: INDIGO_TRY(remove_rule(c, a.object)); break;
    case catalog::pg_operator::kOid: INDIGO_TRY(remove_operator(c, a.object)); break;
    case pg_proc::kOid: {
      SystemTable& aggregates = table(c, catalog::pg_aggregate::kOid);
      const auto f = c.catalog.function(a.object);
      const bool part_of_types = f == nullptr || f->language == "internal" || f->language == "c";
      std::string image;
      if (aggregates.find_oid(c.txn, a.object, image))
        INDIGO_TRY(check_erased(aggregates.erase(c.txn, {Datum::of_oid(a.object)})));
      if (table(c, a.class_id).find_oid(c.txn, a.object, image))
        INDIGO_TRY(check_erased(table(c, a.class_id).erase(c.txn, {Datum::of_oid(a.object)})));
      if (part_of_types) {
        c.catalog.changed({kInvalidOid});
      } else {
        c.catalog.changed_function(a.object, f->name);
      }
      break;
    }
    case catalog::pg_ts_config::kOid:
    case catalog::pg_ts_dict::kOid:
    case catalog::pg_ts_parser::kOid:
    case catalog::pg_ts_template::kOid: INDIGO_TRY(remove_text_search(c, a)); break;
    case catalog::pg_largeobject::kOid: INDIGO_TRY(remove_large_object(c, a.object)); break;
    case catalog::pg_am::kOid:
    case catalog::pg_cast::kOid:
    case catalog::pg_conversion::kOid:
    case catalog::pg_language::kOid:
    case catalog::pg_opclass::kOid:
    case catalog::pg_opfamily::kOid:
    case catalog::pg_amop::kOid:
    case catalog::pg_amproc::kOid:
    case catalog::pg_event_trigger::kOid:
    case catalog::pg_extension::kOid:
    case catalog::pg_foreign_data_wrapper::kOid:
    case catalog::pg_foreign_server::kOid:
    case catalog::pg_publication::kOid:
    case catalog::pg_publication_namespace::kOid:
    case catalog::pg_publication_rel::kOid:
    case catalog::pg_user_mapping::kOid:
    case catalog::pg_statistic_ext::kOid:
    case pg_collation::kOid:
    case pg_namespace::kOid: {
      SystemTable& t = table(c, a.class_id);
      std::string image;
      if (t.find_oid(c.txn, a.object, image)) INDIGO_TRY(check_erased(t.erase(c.txn, {Datum::of_oid(a.object)})));
      if (a.class_id == catalog::pg_statistic_ext::kOid) INDIGO_TRY(forget_gathered(c, a.object));
      if (a.class_id == pg_namespace::kOid) INDIGO_TRY(forget_default_privileges(c, kInvalidOid, a.object));
      if (a.class_id == pg_namespace::kOid && a.object == c.catalog.temp_schema()) {
        c.catalog.changed_temporary();
      } else {
        c.catalog.changed({kInvalidOid});
      }
      break;
    }
    default: return unsupported("dropping " + describe(c, a));
  }
  INDIGO_TRY(remove_dependencies_of(c, a));
  if (a.sub == 0 && (a.class_id == pg_proc::kOid || a.class_id == pg_class::kOid || a.class_id == pg_type::kOid)) {
    INDIGO_TRY(erase_keys(c, table(c, catalog::pg_init_privs::kOid),
                          {Datum::of_oid(a.object), Datum::of_oid(a.class_id)}, nullptr));
  }
  return remove_comments(c, a);
}

}  // namespace indigo::engine::ddl
