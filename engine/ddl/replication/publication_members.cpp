#include "engine/ddl/replication/publication_members.h"

#include <algorithm>

#include "catalog/tables/system_columns.h"
#include "catalog/tables/system_table.h"
#include "engine/ddl/partition/inherit.h"
#include "engine/ddl/replication/publication.h"
#include "engine/ddl/replication/row_filter.h"
#include "engine/ddl/rows.h"
#include "engine/ddl/tree.h"
#include "types/value/array_format.h"

namespace indigo::engine::ddl {

namespace pg_publication_rel = catalog::pg_publication_rel;
namespace pg_publication_namespace = catalog::pg_publication_namespace;

namespace {

constexpr std::string_view kViaRoot = "publish_via_partition_root";

// A row of pg_publication_rel or of pg_publication_namespace.
struct Member {
  Oid oid, published;  // the row's own; of the table or schema
  std::string filter;  // a tree; empty: none
  std::vector<int16_t> columns;
};

std::vector<Member> published_tables(DdlContext& c, Oid publication) {
  std::vector<Member> out;
  table(c, pg_publication_rel::kOid).scan(c.txn, {}, [&](RowReader row) {
    if (row.oid(pg_publication_rel::c_prpubid) != publication) return true;
    out.push_back({row.oid(pg_publication_rel::c_oid),
                   row.oid(pg_publication_rel::c_prrelid),
                   std::string(row.str(pg_publication_rel::c_prqual)),
                   {}});
    if (!row.is_null(pg_publication_rel::c_prattrs)) {
      out.back().columns = read_i16s(row.str(pg_publication_rel::c_prattrs));
    }
    return true;
  });
  return out;
}

std::vector<Member> published_schemas(DdlContext& c, Oid publication) {
  std::vector<Member> out;
  table(c, pg_publication_namespace::kOid).scan(c.txn, {}, [&](RowReader row) {
    if (row.oid(pg_publication_namespace::c_pnpubid) == publication) {
      out.push_back({row.oid(pg_publication_namespace::c_oid), row.oid(pg_publication_namespace::c_pnnspid), {}, {}});
    }
    return true;
  });
  return out;
}

Member* member_of(std::vector<Member>& members, Oid published) {
  const auto found =
      std::find_if(members.begin(), members.end(), [&](const Member& m) { return m.published == published; });
  return found == members.end() ? nullptr : &*found;
}

// ---- reading names

Status check_publishable(DdlContext& c, const RelationInfo& r) {
  INDIGO_TRY(check_owner(c, r));
  std::string what;
  if (r.kind != RelationKind::kTable && !r.is_partitioned()) {
    what = not_supported_for(r.kind);
  } else if (!check_not_system(r).ok()) {
    what = "This operation is not supported for system tables.";
  } else if (r.persistence == 't') {
    what = "This operation is not supported for temporary tables.";
  } else if (r.persistence == 'u') {
    what = "This operation is not supported for unlogged tables.";
  } else {
    return {};
  }
  return Error(sqlstate::kInvalidParameterValue, "cannot add relation " + quoted(r.name) + " to publication")
      .with_detail(what);
}

Status check_publishable_schema(DdlContext& c, Oid schema) {
  const std::string name = c.catalog.schema_name(schema);
  const Error refused(sqlstate::kInvalidParameterValue, "cannot add schema " + quoted(name) + " to publication");
  if (schema < oid::kFirstUserOid && schema != oid::kPublicSchema && name != "information_schema") {
    return Error(refused).with_detail("This operation is not supported for system schemas.");
  }
  if (name.starts_with("pg_temp_")) return Error(refused).with_detail("Temporary schemas cannot be replicated.");
  return {};
}

Result<std::vector<int16_t>> read_columns(const RelationInfo& r, NodeList names) {
  std::vector<int16_t> out;
  for (const PgQuery__Node* node : names) {
    const std::string_view name = string_of(node);
    const ColumnInfo* column = r.find_column(name);
    if (column == nullptr) {
      if (catalog::find_system_column(name) != nullptr) {
        return Error(sqlstate::kInvalidColumnReference,
                     "cannot use system column " + quoted(name) + " in publication column list");
      }
      return Error(sqlstate::kUndefinedColumn, column_text(r, name) + " does not exist");
    }
    if (column->generated != 0) {
      return Error(sqlstate::kInvalidColumnReference,
                   "cannot use generated column " + quoted(name) + " in publication column list");
    }
    if (std::find(out.begin(), out.end(), column->number) != out.end()) {
      return Error(sqlstate::kDuplicateObject, "duplicate column " + quoted(name) + " in publication column list");
    }
    out.push_back(column->number);
  }
  std::sort(out.begin(), out.end());
  return out;
}

// A table as the statement names it, and those that inherit from it.
struct NamedTable {
  RelationPtr relation;
  const PgQuery__PublicationTable* written;
};

class TableNames {
 public:
  TableNames(DdlContext& c, bool removed) : c_(c), removed_(removed) {}

  Status add(const PgQuery__PublicationTable& t) {
    if (removed_ && t.n_columns > 0) {
      return Error(sqlstate::kSyntaxError, "column list must not be specified in ALTER PUBLICATION ... DROP");
    }
    INDIGO_ASSIGN(const RelationPtr relation, open_relation(c_, t.relation, TableLockMode::kShareUpdateExclusive));
    INDIGO_TRY(add(relation, t, true));
    if (!t.relation->inh || relation->is_partitioned()) return {};
    INDIGO_ASSIGN(const std::vector<Oid> all,
                  with_descendants(c_, relation->oid, TableLockMode::kShareUpdateExclusive));
    for (const Oid child : all) {
      if (child == relation->oid) continue;
      if (const RelationPtr below = current(c_, child)) INDIGO_TRY(add(below, t, false));
    }
    return {};
  }
  const std::vector<NamedTable>& tables() const { return tables_; }

 private:
  // Of a table that two items name neither may say more than its name.
  Status add(const RelationPtr& relation, const PgQuery__PublicationTable& t, bool itself) {
    const auto found = std::find_if(tables_.begin(), tables_.end(),
                                    [&](const NamedTable& n) { return n.relation->oid == relation->oid; });
    if (found == tables_.end()) {
      tables_.push_back({relation, &t});
      return {};
    }
    if (!itself && found->written == &t) return {};
    const auto conflict = [&](std::string_view what) {
      return Error(sqlstate::kDuplicateObject,
                   "conflicting or redundant " + std::string(what) + " for table " + quoted(relation->name));
    };
    if (!sql::absent(t.where_clause) || !sql::absent(found->written->where_clause)) return conflict("WHERE clauses");
    if (t.n_columns > 0 || found->written->n_columns > 0) return conflict("column lists");
    return {};
  }

  DdlContext& c_;
  bool removed_;
  std::vector<NamedTable> tables_;
};

Result<Oid> published_schema(DdlContext& c, const PgQuery__PublicationObjSpec& spec) {
  if (spec.pubobjtype == PG_QUERY__PUBLICATION_OBJ_SPEC_TYPE__PUBLICATIONOBJ_TABLES_IN_SCHEMA) {
    return existing_schema(c, spec.name);
  }
  if (const Oid schema = c.catalog.creation_schema(); schema != kInvalidOid) return schema;
  return Error(sqlstate::kInvalidSchemaName, "no schema has been selected for CURRENT_SCHEMA");
}

// ---- writing rows

Status insert_table(DdlContext& c, const Publication& p, const PublishedTable& t) {
  SystemTable& members = table(c, pg_publication_rel::kOid);
  const Oid oid = next_oid(c);
  RowValues row(members.definition());
  row.oid(pg_publication_rel::c_oid, oid)
      .oid(pg_publication_rel::c_prpubid, p.oid)
      .oid(pg_publication_rel::c_prrelid, t.relation->oid);
  if (t.filter) row.str(pg_publication_rel::c_prqual, t.filter->tree);
  if (!t.columns.empty()) row.i16_vector(pg_publication_rel::c_prattrs, t.columns);
  INDIGO_TRY(check(members.insert(c.txn, row)));
  c.host.made(pg_publication_rel::kOid, oid, false);
  const Address self{pg_publication_rel::kOid, oid, 0};
  INDIGO_TRY(record_dependency(c, self, {catalog::pg_publication::kOid, p.oid, 0}, 'a'));
  INDIGO_TRY(record_dependency(c, self, {pg_class::kOid, t.relation->oid, 0}, 'a'));
  INDIGO_TRY(record_column_dependencies(c, self, t.relation->oid, t.columns, 'n'));
  if (t.filter) INDIGO_TRY(record_expression(c, self, *t.filter, t.relation->oid, 'n'));
  return {};
}

Status insert_schema(DdlContext& c, const Publication& p, Oid schema) {
  SystemTable& members = table(c, pg_publication_namespace::kOid);
  const Oid oid = next_oid(c);
  RowValues row(members.definition());
  row.oid(pg_publication_namespace::c_oid, oid)
      .oid(pg_publication_namespace::c_pnpubid, p.oid)
      .oid(pg_publication_namespace::c_pnnspid, schema);
  INDIGO_TRY(check(members.insert(c.txn, row)));
  c.host.made(pg_publication_namespace::kOid, oid, false);
  const Address self{pg_publication_namespace::kOid, oid, 0};
  INDIGO_TRY(record_dependency(c, self, {catalog::pg_publication::kOid, p.oid, 0}, 'a'));
  return record_dependency(c, self, {pg_namespace::kOid, schema, 0}, 'a');
}

Status check_columns_fit(const Publication& p, const PublishedObjects& objects, bool has_schemas) {
  for (const PublishedTable& t : objects.tables) {
    if (t.filter && t.relation->is_partitioned() && !p.via_root) {
      return Error(sqlstate::kInvalidParameterValue,
                   "cannot use publication WHERE clause for relation " + quoted(t.relation->name))
          .with_detail("WHERE clause cannot be used for a partitioned table when " + std::string(kViaRoot) +
                       " is false.");
    }
    if (t.columns.empty()) continue;
    const Error refused(sqlstate::kInvalidParameterValue, "cannot use column list for relation " +
                                                              quoted(t.relation->schema_name + "." + t.relation->name) +
                                                              " in publication " + quoted(p.name));
    if (has_schemas || !objects.schemas.empty()) {
      return Error(refused).with_detail(
          "Column lists cannot be specified in publications containing FOR TABLES IN SCHEMA elements.");
    }
    if (t.relation->is_partitioned() && !p.via_root) {
      return Error(refused).with_detail("Column lists cannot be specified for partitioned tables when " +
                                        std::string(kViaRoot) + " is false.");
    }
  }
  return {};
}

Status check_no_column_lists(const Publication& p, const std::vector<Member>& tables) {
  for (const Member& m : tables) {
    if (m.columns.empty()) continue;
    return Error(sqlstate::kInvalidParameterValue, "cannot add schema to publication " + quoted(p.name))
        .with_detail(
            "Schemas cannot be added if any tables that specify a column list are already part of the publication.");
  }
  return {};
}

}  // namespace

Result<PublishedObjects> read_published(DdlContext& c, NodeList objects, bool removed) {
  PublishedObjects out;
  TableNames names(c, removed);
  for (const PgQuery__Node* node : objects) {
    const PgQuery__PublicationObjSpec& spec = *node->publication_obj_spec;
    if (spec.pubobjtype == PG_QUERY__PUBLICATION_OBJ_SPEC_TYPE__PUBLICATIONOBJ_TABLE) {
      INDIGO_TRY(names.add(*spec.pubtable));
      continue;
    }
    INDIGO_ASSIGN(const Oid schema, published_schema(c, spec));
    if (std::find(out.schemas.begin(), out.schemas.end(), schema) == out.schemas.end()) out.schemas.push_back(schema);
  }
  for (const NamedTable& n : names.tables()) {
    const PgQuery__PublicationTable& t = *n.written;
    if (removed) {
      if (!sql::absent(t.where_clause)) {
        return Error(sqlstate::kSyntaxError, "cannot use a WHERE clause when removing a table from a publication");
      }
      out.tables.push_back({n.relation, {}, {}});
      continue;
    }
    PublishedTable published{n.relation, {}, {}};
    if (!sql::absent(t.where_clause)) {
      INDIGO_ASSIGN(published.filter, read_row_filter(c, t.where_clause, n.relation));
    }
    INDIGO_TRY(check_publishable(c, *n.relation));
    INDIGO_ASSIGN(published.columns, read_columns(*n.relation, nodes(t.n_columns, t.columns)));
    out.tables.push_back(std::move(published));
  }
  return out;
}

Status add_published(DdlContext& c, const Publication& p, const PublishedObjects& objects) {
  std::vector<Member> tables = published_tables(c, p.oid), schemas = published_schemas(c, p.oid);
  INDIGO_TRY(check_columns_fit(p, objects, !schemas.empty()));
  if (!objects.schemas.empty()) INDIGO_TRY(check_no_column_lists(p, tables));
  for (const PublishedTable& t : objects.tables) {
    if (member_of(tables, t.relation->oid) != nullptr) {
      return Error(sqlstate::kDuplicateObject,
                   "relation " + quoted(t.relation->name) + " is already member of publication " + quoted(p.name));
    }
    INDIGO_TRY(insert_table(c, p, t));
  }
  for (const Oid schema : objects.schemas) {
    INDIGO_TRY(check_publishable_schema(c, schema));
    if (member_of(schemas, schema) != nullptr) {
      return Error(sqlstate::kDuplicateObject, "schema " + quoted(c.catalog.schema_name(schema)) +
                                                   " is already member of publication " + quoted(p.name));
    }
    INDIGO_TRY(insert_schema(c, p, schema));
  }
  return {};
}

Status remove_published(DdlContext& c, const PublishedObjects& objects, const Publication& p) {
  std::vector<Member> tables = published_tables(c, p.oid), schemas = published_schemas(c, p.oid);
  std::vector<Address> gone;
  for (const PublishedTable& t : objects.tables) {
    const Member* member = member_of(tables, t.relation->oid);
    if (member == nullptr) {
      return Error(sqlstate::kUndefinedObject,
                   "relation " + quoted(t.relation->name) + " is not part of the publication");
    }
    gone.push_back({pg_publication_rel::kOid, member->oid, 0});
  }
  for (const Oid schema : objects.schemas) {
    const Member* member = member_of(schemas, schema);
    if (member == nullptr) {
      return Error(sqlstate::kUndefinedObject,
                   "tables from schema " + quoted(c.catalog.schema_name(schema)) + " are not part of the publication");
    }
    gone.push_back({pg_publication_namespace::kOid, member->oid, 0});
  }
  return gone.empty() ? Status() : drop_objects(c, gone, true, true);
}

Status set_published(DdlContext& c, const Publication& p, const PublishedObjects& objects) {
  INDIGO_TRY(check_columns_fit(p, objects, false));
  std::vector<Member> tables = published_tables(c, p.oid), schemas = published_schemas(c, p.oid);
  PublishedObjects missing;
  std::vector<Address> gone;
  std::vector<Oid> kept;
  for (const PublishedTable& t : objects.tables) {
    const Member* member = member_of(tables, t.relation->oid);
    if (member != nullptr && member->filter == (t.filter ? t.filter->tree : "") && member->columns == t.columns) {
      kept.push_back(member->oid);
    } else {
      missing.tables.push_back(t);
    }
  }
  for (const Oid schema : objects.schemas) {
    if (const Member* member = member_of(schemas, schema)) {
      kept.push_back(member->oid);
    } else {
      missing.schemas.push_back(schema);
    }
  }
  const auto collect = [&](const std::vector<Member>& members, Oid class_id) {
    for (const Member& m : members) {
      if (std::find(kept.begin(), kept.end(), m.oid) == kept.end()) gone.push_back({class_id, m.oid, 0});
    }
  };
  collect(tables, pg_publication_rel::kOid);
  collect(schemas, pg_publication_namespace::kOid);
  if (!gone.empty()) INDIGO_TRY(drop_objects(c, gone, true, true));
  return add_published(c, p, missing);
}

bool publishes_schemas(DdlContext& c, Oid publication) { return !published_schemas(c, publication).empty(); }

Status check_publishes_partitions(DdlContext& c, const Publication& p) {
  for (const Member& m : published_tables(c, p.oid)) {
    const RelationPtr r = current(c, m.published);
    if (r == nullptr || !r->is_partitioned() || (m.filter.empty() && m.columns.empty())) continue;
    return Error(sqlstate::kInvalidParameterValue,
                 "cannot set parameter " + quoted(kViaRoot) + " to false for publication " + quoted(p.name))
        .with_detail(std::string("The publication contains a ") + (m.filter.empty() ? "column list" : "WHERE clause") +
                     " for partitioned table " + quoted(r->name) + ", which is not allowed when " + quoted(kViaRoot) +
                     " is false.");
  }
  return {};
}

std::string published_text(DdlContext& c, const Address& member) {
  std::string image;
  const SystemTable& t = table(c, member.class_id);
  if (!t.find_oid(c.txn, member.object, image)) return "publication of " + std::to_string(member.object);
  const RowReader row = t.reader(image);
  const bool schema = member.class_id == pg_publication_namespace::kOid;
  const Address of = schema ? Address{pg_namespace::kOid, row.oid(pg_publication_namespace::c_pnnspid), 0}
                            : Address{pg_class::kOid, row.oid(pg_publication_rel::c_prrelid), 0};
  const Oid publication =
      row.oid(schema ? int{pg_publication_namespace::c_pnpubid} : int{pg_publication_rel::c_prpubid});
  return "publication of " + describe(c, of) + " in publication " + publication_name(c, publication);
}

}  // namespace indigo::engine::ddl
