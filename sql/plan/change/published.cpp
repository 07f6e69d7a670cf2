#include "sql/plan/change/published.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "base/sqlstate.h"
#include "catalog/generated/columns.h"
#include "catalog/tables/system_table.h"
#include "sql/analyze/analyzer.h"
#include "sql/expr.h"
#include "types/oids.h"
#include "types/value/array_format.h"

namespace indigo::sql::planning {

namespace {

using catalog::CatalogView;
using catalog::RelationInfo;
using catalog::RowReader;
namespace pg_class = catalog::pg_class;
namespace pg_index = catalog::pg_index;
namespace pg_publication = catalog::pg_publication;
namespace pg_publication_namespace = catalog::pg_publication_namespace;
namespace pg_publication_rel = catalog::pg_publication_rel;

struct Publication {
  Oid oid;
  bool all_tables, via_root;
};

// A table's place in a publication.
struct Member {
  Oid publication, relation;
  std::string filter;            // a tree; empty: none
  std::vector<int16_t> columns;  // empty: all
};

std::vector<Publication> publications_of_changes(CatalogView& catalog, bool update) {
  std::vector<Publication> out;
  catalog.system_table_rows(pg_publication::kOid, -1, {}, [&](const RowReader& row) {
    if (row.flag(update ? int{pg_publication::c_pubupdate} : int{pg_publication::c_pubdelete})) {
      out.push_back({row.oid(pg_publication::c_oid), row.flag(pg_publication::c_puballtables),
                     row.flag(pg_publication::c_pubviaroot)});
    }
    return true;
  });
  return out;
}

// The old row's columns that tell it from others.
struct Identity {
  bool full = false;             // all of them
  std::vector<int16_t> columns;  // of an index; empty: there is none
};

Identity identity_of(CatalogView& catalog, const RelationInfo& relation) {
  char kind = 'd';
  const Datum key[] = {Datum::of_oid(relation.oid)};
  catalog.system_table_rows(pg_class::kOid, -1, key, [&](const RowReader& row) {
    kind = row.chr(pg_class::c_relreplident);
    return false;
  });
  Identity out;
  out.full = kind == 'f';
  for (const catalog::IndexInfo& index : relation.indexes) {
    bool chosen = kind == 'd' && index.primary && index.immediate;
    if (kind == 'i') {
      const Datum of_index[] = {Datum::of_oid(index.oid)};
      catalog.system_table_rows(pg_index::kOid, -1, of_index, [&](const RowReader& row) {
        chosen = row.flag(pg_index::c_indisreplident);
        return false;
      });
    }
    if (!chosen) continue;
    for (const catalog::IndexColumn& column : index.columns) out.columns.push_back(column.column);
  }
  return out;
}

// The table and the partitioned tables above it, the topmost last.
std::vector<std::shared_ptr<const RelationInfo>> with_ancestors(CatalogView& catalog, const RelationInfo& relation) {
  std::vector<std::shared_ptr<const RelationInfo>> out{catalog.relation(relation.oid)};
  while (out.back() != nullptr && out.back()->is_partition && !out.back()->parents.empty()) {
    out.push_back(catalog.relation(out.back()->parents[0]));
  }
  std::erase(out, nullptr);
  return out;
}

std::vector<Member> members_of(CatalogView& catalog, const std::vector<std::shared_ptr<const RelationInfo>>& tables) {
  std::vector<Member> out;
  catalog.system_table_rows(pg_publication_rel::kOid, -1, {}, [&](const RowReader& row) {
    const Oid of = row.oid(pg_publication_rel::c_prrelid);
    if (std::none_of(tables.begin(), tables.end(), [&](const auto& t) { return t->oid == of; })) return true;
    out.push_back({row.oid(pg_publication_rel::c_prpubid), of, std::string(row.str(pg_publication_rel::c_prqual)), {}});
    if (!row.is_null(pg_publication_rel::c_prattrs))
      out.back().columns = read_i16s(row.str(pg_publication_rel::c_prattrs));
    return true;
  });
  return out;
}

// (schema, publication)
std::vector<std::pair<Oid, Oid>> published_schemas(CatalogView& catalog) {
  std::vector<std::pair<Oid, Oid>> out;
  catalog.system_table_rows(pg_publication_namespace::kOid, -1, {}, [&](const RowReader& row) {
    out.emplace_back(row.oid(pg_publication_namespace::c_pnnspid), row.oid(pg_publication_namespace::c_pnpubid));
    return true;
  });
  return out;
}

void add_columns(const Expr& e, const RelationInfo& relation, std::vector<int16_t>& out) {
  if (e.kind == ExprKind::kVar && as<VarExpr>(e).column >= 0)
    out.push_back(static_cast<int16_t>(as<VarExpr>(e).column + 1));
  if (e.kind == ExprKind::kWholeRow) {
    for (const types::ColumnInfo& column : relation.columns) out.push_back(column.number);
  }
  for_each_child(e, [&](const ExprPtr& child) {
    if (child) add_columns(*child, relation, out);
  });
}

// The columns that a row filter reads.
Result<std::vector<int16_t>> filter_columns(catalog::SessionContext& session, const std::string& filter,
                                            const std::shared_ptr<const RelationInfo>& relation) {
  std::vector<int16_t> out;
  if (filter.empty()) return out;
  INDIGO_ASSIGN(const ExprPtr e, analyze_expression(session, filter, relation, {kInvalidOid, -1, kInvalidOid}));
  add_columns(*e, *relation, out);
  return out;
}

Error refused(const RelationInfo& relation, bool update, const char* detail) {
  return Error(sqlstate::kInvalidColumnReference,
               std::string(update ? "cannot update table \"" : "cannot delete from table \"") + relation.name + "\"")
      .with_detail(detail);
}

// Is the column of `above` among those of `relation` that the numbers name? Partitions may number theirs in another order.
bool has_column(const RelationInfo& relation, const std::vector<int16_t>& numbers, const RelationInfo& above,
                int16_t column) {
  const types::ColumnInfo* own = relation.find_column(above.columns[static_cast<size_t>(column) - 1].name);
  return own != nullptr && std::find(numbers.begin(), numbers.end(), own->number) != numbers.end();
}

}  // namespace

Status check_published(catalog::SessionContext& session, const RelationInfo& relation, bool update) {
  CatalogView& catalog = session.catalog();
  if (relation.kind != catalog::RelationKind::kTable || relation.persistence != 'p' ||
      relation.oid < oid::kFirstUserOid)
    return {};
  const std::vector<Publication> publications = publications_of_changes(catalog, update);
  if (publications.empty()) return {};
  const auto tables = with_ancestors(catalog, relation);
  const std::vector<Member> members = members_of(catalog, tables);
  const auto schemas = published_schemas(catalog);
  const Identity identity = identity_of(catalog, relation);
  bool published = false;
  for (const Publication& p : publications) {
    const auto in_schema = [&](const RelationInfo& t) {
      return std::find(schemas.begin(), schemas.end(), std::pair(t.schema, p.oid)) != schemas.end();
    };
    const Member *own = nullptr, *topmost = nullptr;
    bool has = p.all_tables, topmost_by_schema = false;
    for (const auto& t : tables) {
      const auto found = std::find_if(members.begin(), members.end(),
                                      [&](const Member& m) { return m.publication == p.oid && m.relation == t->oid; });
      if (found != members.end()) {
        if (t->oid == relation.oid) own = &*found;
        topmost = &*found;
        topmost_by_schema = false;
      } else if (in_schema(*t)) {
        topmost_by_schema = true;
      } else {
        continue;
      }
      has = true;
    }
    if (!has) continue;
    published = true;
    const Member* member = p.via_root ? (topmost_by_schema ? nullptr : topmost) : own;
    if (member == nullptr) continue;
    const auto above = catalog.relation(member->relation);
    if (above == nullptr) continue;
    if (!identity.full) {
      INDIGO_ASSIGN(const std::vector<int16_t> read, filter_columns(session, member->filter, above));
      const bool covered = std::all_of(read.begin(), read.end(), [&](int16_t column) {
        return has_column(relation, identity.columns, *above, column);
      });
      if (!covered) {
        return refused(relation, update,
                       "Column used in the publication WHERE expression is not part of the replica identity.");
      }
    }
    if (!member->columns.empty()) {
      const bool covered =
          !identity.full && std::all_of(identity.columns.begin(), identity.columns.end(), [&](int16_t column) {
            return has_column(*above, member->columns, relation, column);
          });
      if (!covered) {
        return refused(relation, update, "Column list used by the publication does not cover the replica identity.");
      }
    }
  }
  if (!published || identity.full || !identity.columns.empty()) return {};
  const std::string name = "table \"" + relation.name + "\" because it does not have a replica identity and publishes ";
  if (update) {
    return Error(SqlState("55000"), "cannot update " + name + "updates")
        .with_hint("To enable updating the table, set REPLICA IDENTITY using ALTER TABLE.");
  }
  return Error(SqlState("55000"), "cannot delete from " + name + "deletes")
      .with_hint("To enable deleting from the table, set REPLICA IDENTITY using ALTER TABLE.");
}

}  // namespace indigo::sql::planning
