#include "engine/ddl/drop/dependency.h"

#include <algorithm>

#include "catalog/tables/system_table.h"
#include "engine/ddl/foreign/server.h"
#include "engine/ddl/function/signature.h"
#include "engine/ddl/hold.h"
#include "engine/ddl/object/conversion.h"
#include "engine/ddl/operator/definition.h"
#include "engine/ddl/operator/operator_class.h"
#include "engine/ddl/replication/publication.h"
#include "engine/ddl/replication/publication_members.h"
#include "engine/ddl/replication/subscription.h"
#include "engine/ddl/text_search/text_search_object.h"

namespace indigo::engine::ddl {

Status record_dependency(DdlContext& c, const Address& depender, const Address& referenced, char type) {
  if (is_pinned(referenced)) return {};
  INDIGO_TRY(hold(c, referenced));
  SystemTable& t = table(c, pg_depend::kOid);
  RowValues row(t.definition());
  row.oid(pg_depend::c_classid, depender.class_id)
      .oid(pg_depend::c_objid, depender.object)
      .i32(pg_depend::c_objsubid, depender.sub)
      .oid(pg_depend::c_refclassid, referenced.class_id)
      .oid(pg_depend::c_refobjid, referenced.object)
      .i32(pg_depend::c_refobjsubid, referenced.sub)
      .chr(pg_depend::c_deptype, type);
  const StorageStatus status = t.insert(c.txn, row);
  if (status == StorageStatus::kDuplicateKey) return {};  // known already
  return check(status);
}

Status record_column_dependencies(DdlContext& c, const Address& depender, Oid relation,
                                  std::span<const int16_t> columns, char type) {
  for (const int16_t column : columns) {
    INDIGO_TRY(record_dependency(c, depender, {pg_class::kOid, relation, column}, type));
  }
  return {};
}

namespace {

struct DependRow {
  Address depender, referenced;
  char type;
};

DependRow read(RowReader r) {
  return {{r.oid(pg_depend::c_classid), r.oid(pg_depend::c_objid), r.i32(pg_depend::c_objsubid)},
          {r.oid(pg_depend::c_refclassid), r.oid(pg_depend::c_refobjid), r.i32(pg_depend::c_refobjsubid)},
          r.chr(pg_depend::c_deptype)};
}

// Rows of an object and, when sub is 0, of its columns.
std::vector<DependRow> rows_of_depender(DdlContext& c, const Address& a) {
  std::vector<DependRow> out;
  table(c, pg_depend::kOid).scan(c.txn, {Datum::of_oid(a.class_id), Datum::of_oid(a.object)}, [&](RowReader r) {
    DependRow row = read(r);
    if (a.sub == 0 || row.depender.sub == a.sub) out.push_back(row);
    return true;
  });
  return out;
}

Status erase_row(DdlContext& c, const DependRow& r) {
  return check(
      table(c, pg_depend::kOid)
          .erase(c.txn, {Datum::of_oid(r.depender.class_id), Datum::of_oid(r.depender.object),
                         Datum::of(r.depender.sub), Datum::of_oid(r.referenced.class_id),
                         Datum::of_oid(r.referenced.object), Datum::of(r.referenced.sub), Datum::of(Str(&r.type, 1))}));
}

}  // namespace

Status remove_dependencies_of(DdlContext& c, const Address& depender) {
  SystemTable& t = table(c, pg_depend::kOid);
  std::vector<std::string> keys;
  t.scan_keys(c.txn, {Datum::of_oid(depender.class_id), Datum::of_oid(depender.object)}, [&](RowReader r, Bytes key) {
    if (depender.sub == 0 || r.i32(pg_depend::c_objsubid) == depender.sub) keys.emplace_back(key);
    return true;
  });
  for (const std::string& key : keys) INDIGO_TRY(check(t.erase_key(c.txn, key)));
  return {};
}

Status remove_dependency(DdlContext& c, const Address& depender, const Address& referenced) {
  for (const DependRow& row : rows_of_depender(c, depender)) {
    if (row.referenced == referenced) INDIGO_TRY(erase_row(c, row));
  }
  return {};
}

Status change_dependency(DdlContext& c, const Address& depender, const Address& old_reference,
                         const Address& new_reference) {
  for (const DependRow& row : rows_of_depender(c, depender)) {
    if (row.referenced != old_reference) continue;
    INDIGO_TRY(erase_row(c, row));
    INDIGO_TRY(record_dependency(c, row.depender, new_reference, row.type));
  }
  return {};
}

std::vector<Dependent> dependents_of(DdlContext& c, const Address& referenced) {
  std::vector<Dependent> out;
  table(c, pg_depend::kOid)
      .scan_index(c.txn, system_index::kDependReference,
                  {Datum::of_oid(referenced.class_id), Datum::of_oid(referenced.object)}, [&](RowReader r) {
                    const DependRow row = read(r);
                    if (referenced.sub == 0 || row.referenced.sub == referenced.sub)
                      out.push_back({row.depender, row.type});
                    return true;
                  });
  return out;
}

std::vector<Dependent> references_of(DdlContext& c, const Address& depender) {
  std::vector<Dependent> out;
  for (const DependRow& row : rows_of_depender(c, depender)) out.push_back({row.referenced, row.type});
  return out;
}

// ---- names for messages

namespace {

std::string relation_text(DdlContext& c, Oid oid) {
  const RelationPtr r = current(c, oid);
  if (r == nullptr) return "relation " + std::to_string(oid);
  const RelationPtr visible = c.catalog.find_relation("", r->name);
  const bool plain = visible != nullptr && visible->oid == oid;
  return std::string(kind_name(r->kind)) + " " + (plain ? identifier(r->name) : qualified(*r));
}

std::string name_in_table(DdlContext& c, Oid table_oid, Oid object, int name_column) {
  std::string image;
  const SystemTable& t = table(c, table_oid);
  return t.find_oid(c.txn, object, image) ? std::string(t.reader(image).str(name_column)) : std::to_string(object);
}

// With the schema when search_path does not have it.
std::string name_in_schema(DdlContext& c, Oid table_oid, Oid object, int name_column, int schema_column) {
  std::string image;
  const SystemTable& t = table(c, table_oid);
  if (!t.find_oid(c.txn, object, image)) return std::to_string(object);
  const RowReader row = t.reader(image);
  const Oid schema = row.oid(schema_column);
  const std::vector<Oid> path = c.catalog.search_path();
  const bool seen = schema != c.catalog.temp_schema() && std::find(path.begin(), path.end(), schema) != path.end();
  const std::string_view name = row.str(name_column);
  return seen ? identifier(name) : qualified(c.catalog.schema_name(schema), name);
}

}  // namespace

std::string describe(DdlContext& c, const Address& a) {
  std::string image;
  switch (a.class_id) {
    case pg_class::kOid: {
      if (a.sub == 0) return relation_text(c, a.object);
      const RelationPtr r = current(c, a.object);
      const auto number = static_cast<size_t>(a.sub);
      const std::string column =
          r != nullptr && number <= r->columns.size() ? r->columns[number - 1].name : std::to_string(a.sub);
      const char* composite = r != nullptr && r->kind == RelationKind::kComposite ? "composite " : "";
      return "column " + column + " of " + composite + relation_text(c, a.object);
    }
    case pg_constraint::kOid: {
      const SystemTable& t = table(c, pg_constraint::kOid);
      if (!t.find_oid(c.txn, a.object, image)) return "constraint " + std::to_string(a.object);
      const RowReader row = t.reader(image);
      const std::string name(row.str(pg_constraint::c_conname));
      const Oid relation = row.oid(pg_constraint::c_conrelid);
      return "constraint " + name + (relation != kInvalidOid ? " on " + relation_text(c, relation) : "");
    }
    case pg_attrdef::kOid: {
      const SystemTable& t = table(c, pg_attrdef::kOid);
      if (!t.find_oid(c.txn, a.object, image)) return "default value";
      const RowReader row = t.reader(image);
      return "default value for " +
             describe(c, {pg_class::kOid, row.oid(pg_attrdef::c_adrelid), row.i16(pg_attrdef::c_adnum)});
    }
    case pg_rewrite::kOid: {
      const SystemTable& t = table(c, pg_rewrite::kOid);
      if (!t.find_oid(c.txn, a.object, image)) return "rule";
      const RowReader row = t.reader(image);
      return "rule " + std::string(row.str(pg_rewrite::c_rulename)) + " on " +
             relation_text(c, row.oid(pg_rewrite::c_ev_class));
    }
    case pg_trigger::kOid: {
      const SystemTable& t = table(c, pg_trigger::kOid);
      if (!t.find_oid(c.txn, a.object, image)) return "trigger " + std::to_string(a.object);
      const RowReader row = t.reader(image);
      return "trigger " + std::string(row.str(pg_trigger::c_tgname)) + " on " +
             relation_text(c, row.oid(pg_trigger::c_tgrelid));
    }
    case catalog::pg_policy::kOid: {
      const SystemTable& t = table(c, catalog::pg_policy::kOid);
      if (!t.find_oid(c.txn, a.object, image)) return "policy " + std::to_string(a.object);
      const RowReader row = t.reader(image);
      return "policy " + std::string(row.str(catalog::pg_policy::c_polname)) + " on " +
             relation_text(c, row.oid(catalog::pg_policy::c_polrelid));
    }
    case pg_type::kOid: return "type " + type_text(c, {a.object, -1, kInvalidOid});
    case pg_collation::kOid:
      return "collation " +
             name_in_schema(c, pg_collation::kOid, a.object, pg_collation::c_collname, pg_collation::c_collnamespace);
    case catalog::pg_statistic_ext::kOid:
      return "statistics object " + name_in_schema(c, a.class_id, a.object, catalog::pg_statistic_ext::c_stxname,
                                                   catalog::pg_statistic_ext::c_stxnamespace);
    case catalog::pg_ts_config::kOid:
    case catalog::pg_ts_dict::kOid:
    case catalog::pg_ts_parser::kOid:
    case catalog::pg_ts_template::kOid: return text_search_text(c, a);
    case catalog::pg_am::kOid:
      return "access method " + name_in_table(c, a.class_id, a.object, catalog::pg_am::c_amname);
    case catalog::pg_conversion::kOid: return "conversion " + conversion_text(c, a.object);
    case catalog::pg_event_trigger::kOid:
      return "event trigger " + name_in_table(c, a.class_id, a.object, catalog::pg_event_trigger::c_evtname);
    case catalog::pg_foreign_data_wrapper::kOid:
      return "foreign-data wrapper " + foreign_name(c, kWrapperKind, a.object);
    case catalog::pg_foreign_server::kOid: return "server " + foreign_name(c, kServerKind, a.object);
    case catalog::pg_user_mapping::kOid: return "user mapping for " + user_mapping_text(c, a.object);
    case catalog::pg_subscription::kOid: return "subscription " + subscription_name(c, a.object);
    case catalog::pg_publication::kOid: return "publication " + publication_name(c, a.object);
    case catalog::pg_publication_rel::kOid:
    case catalog::pg_publication_namespace::kOid: return published_text(c, a);
    case catalog::pg_largeobject::kOid: return "large object " + std::to_string(a.object);
    case catalog::pg_extension::kOid:
      return "extension " + name_in_table(c, a.class_id, a.object, catalog::pg_extension::c_extname);
    case pg_namespace::kOid: return "schema " + name_in_table(c, pg_namespace::kOid, a.object, pg_namespace::c_nspname);
    case pg_proc::kOid: {
      const auto f = c.catalog.function(a.object);
      if (f == nullptr) return "function " + std::to_string(a.object);
      return "function " + routine_text(c, *f);  // a procedure, too
    }
    case catalog::pg_operator::kOid: return "operator " + operator_object_text(c, a.object);
    case catalog::pg_opclass::kOid: return "operator class " + operator_group_text(c, a);
    case catalog::pg_opfamily::kOid: return "operator family " + operator_group_text(c, a);
    case catalog::pg_cast::kOid: {
      const SystemTable& t = table(c, catalog::pg_cast::kOid);
      if (!t.find_oid(c.txn, a.object, image)) return "cast " + std::to_string(a.object);
      const RowReader row = t.reader(image);
      return "cast from " + type_text(c, {row.oid(catalog::pg_cast::c_castsource), -1, kInvalidOid}) + " to " +
             type_text(c, {row.oid(catalog::pg_cast::c_casttarget), -1, kInvalidOid});
    }
    case catalog::pg_language::kOid:
      return "language " + name_in_table(c, catalog::pg_language::kOid, a.object, catalog::pg_language::c_lanname);
    case catalog::pg_tablespace::kOid:
      return "tablespace " +
             name_in_table(c, catalog::pg_tablespace::kOid, a.object, catalog::pg_tablespace::c_spcname);
    case catalog::pg_parameter_acl::kOid:
      return "parameter " +
             name_in_table(c, catalog::pg_parameter_acl::kOid, a.object, catalog::pg_parameter_acl::c_parname);
    case pg_database::kOid: return "database " + name_in_table(c, pg_database::kOid, a.object, pg_database::c_datname);
    case pg_authid::kOid: return "role " + name_in_table(c, pg_authid::kOid, a.object, pg_authid::c_rolname);
    default: return "object " + std::to_string(a.object);
  }
}

}  // namespace indigo::engine::ddl
