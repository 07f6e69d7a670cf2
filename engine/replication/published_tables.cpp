#include "engine/replication/published_tables.h"

#include <algorithm>
#include <optional>

#include "base/sqlstate.h"
#include "engine/system/catalog_rows.h"
#include "types/value/array_format.h"

namespace indigo::engine::replication {

namespace {

namespace pg_publication = catalog::pg_publication;
namespace pg_publication_namespace = catalog::pg_publication_namespace;
namespace pg_publication_rel = catalog::pg_publication_rel;

// All go when there are more.
constexpr size_t kMostTables = 4096;

bool are_same(const std::vector<TableThen>& a, const std::vector<TableThen>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const TableThen& x, const TableThen& y) { return x.relation == y.relation; });
}

}  // namespace

Status PublishedTables::read(SessionParts& session, const std::vector<std::string>& publications) {
  tables_.clear();
  members_.clear();
  schemas_.clear();
  publications_.clear();
  CatalogRows rows(session);
  for (const std::string& name : publications) {
    Publication found;
    rows.scan(pg_publication::kOid, {}, [&](const RowReader& row) {
      if (row.str(pg_publication::c_pubname) != name) return true;
      found = {row.oid(pg_publication::c_oid),         row.flag(pg_publication::c_puballtables),
               row.flag(pg_publication::c_pubviaroot), row.flag(pg_publication::c_pubinsert),
               row.flag(pg_publication::c_pubupdate),  row.flag(pg_publication::c_pubdelete),
               row.flag(pg_publication::c_pubtruncate)};
      return false;
    });
    if (found.oid == kInvalidOid)
      return Error(sqlstate::kUndefinedObject, "publication \"" + name + "\" does not exist");
    publications_.push_back(found);
  }
  rows.scan(pg_publication_rel::kOid, {}, [&](const RowReader& row) {
    Member member{row.oid(pg_publication_rel::c_prpubid), std::string(row.str(pg_publication_rel::c_prqual)), {}};
    if (!row.is_null(pg_publication_rel::c_prattrs)) member.columns = read_i16s(row.str(pg_publication_rel::c_prattrs));
    std::sort(member.columns.begin(), member.columns.end());
    members_.emplace(row.oid(pg_publication_rel::c_prrelid), std::move(member));
    return true;
  });
  rows.scan(pg_publication_namespace::kOid, {}, [&](const RowReader& row) {
    schemas_.emplace_back(row.oid(pg_publication_namespace::c_pnnspid), row.oid(pg_publication_namespace::c_pnpubid));
    return true;
  });
  return {};
}

const PublishedTables::Member* PublishedTables::member(const Publication& p, Oid relation) const {
  const auto [begin, end] = members_.equal_range(relation);
  for (auto at = begin; at != end; ++at) {
    if (at->second.publication == p.oid) return &at->second;
  }
  return nullptr;
}

bool PublishedTables::has_schema(const Publication& p, const catalog::RelationInfo& relation) const {
  return std::find(schemas_.begin(), schemas_.end(), std::pair(relation.schema, p.oid)) != schemas_.end();
}

bool PublishedTables::has(const Publication& p, const catalog::RelationInfo& relation) const {
  return member(p, relation.oid) != nullptr || has_schema(p, relation);
}

Result<const PublishedTable*> PublishedTables::find(SessionParts& session, const TableThen& table,
                                                    const std::vector<TableThen>& above) {
  const auto known = tables_.find(table.relation);
  if (known != tables_.end() && are_same(known->second.above, above)) return &known->second;
  INDIGO_ASSIGN(PublishedTable made, make(session, table, above));
  made.above = above;
  if (tables_.size() >= kMostTables) tables_.clear();
  return &(tables_[table.relation] = std::move(made));
}

// Of several publications that tell the changes as those of different tables above, the topmost counts.
Result<PublishedTable> PublishedTables::make(SessionParts& session, const TableThen& table,
                                             const std::vector<TableThen>& parents) const {
  PublishedTable out;
  out.as = table;
  const catalog::RelationInfo& relation = *table.relation;
  std::vector<const Publication*> from;
  size_t level = 0;
  for (const Publication& p : publications_) {
    bool published = p.all_tables || has(p, relation);
    size_t own_level = 0;
    if (p.all_tables) {
      if (p.via_root) own_level = parents.size();
    } else {
      for (size_t i = parents.size(); i > 0; i--) {
        if (!has(p, *parents[i - 1].relation)) continue;
        published = true;
        if (p.via_root) own_level = i;
        break;
      }
    }
    if (!published || (relation.is_partitioned() && !p.via_root)) continue;
    out.inserts |= p.inserts;
    out.updates |= p.updates;
    out.deletes |= p.deletes;
    out.truncates |= p.truncates;
    if (level > own_level) continue;
    if (level < own_level) from.clear();
    level = own_level;
    out.as = level == 0 ? table : parents[level - 1];
    from.push_back(&p);
  }
  if (!out.any()) return out;
  INDIGO_TRY(set_filters(session, out, from));
  INDIGO_TRY(set_columns(out, from));
  return out;
}

Status PublishedTables::set_columns(PublishedTable& table, const std::vector<const Publication*>& from) const {
  bool first = true;
  for (const Publication* p : from) {
    std::vector<int16_t> columns;
    if (const Member* own = p->all_tables ? nullptr : member(*p, table.as.relation->oid); own != nullptr)
      columns = own->columns;
    const auto live = std::count_if(table.as.relation->columns.begin(), table.as.relation->columns.end(),
                                    [](const types::ColumnInfo& c) { return !c.dropped && c.generated == 0; });
    if (static_cast<std::ptrdiff_t>(columns.size()) == live) columns.clear();
    if (first) {
      table.columns = std::move(columns);
    } else if (table.columns != columns) {
      return Error(sqlstate::kFeatureNotSupported, "cannot use different column lists for table \"" +
                                                       table.as.relation->schema_name + "." + table.as.relation->name +
                                                       "\" in different publications");
    }
    first = false;
  }
  return {};
}

Status PublishedTables::set_filters(SessionParts& session, PublishedTable& table,
                                    const std::vector<const Publication*>& from) const {
  struct Action {
    bool Publication::*has;
    std::shared_ptr<RowFilter> PublishedTable::*filter;
  };
  for (const Action action : {Action{&Publication::inserts, &PublishedTable::inserted},
                              Action{&Publication::updates, &PublishedTable::updated},
                              Action{&Publication::deletes, &PublishedTable::deleted}}) {
    std::vector<std::string> conditions;
    bool all = false;
    for (const Publication* p : from) {
      if (!(p->*action.has)) continue;
      const Member* own =
          p->all_tables || has_schema(*p, *table.as.relation) ? nullptr : member(*p, table.as.relation->oid);
      if (own == nullptr || own->filter.empty()) {
        all = true;
      } else {
        conditions.push_back(own->filter);
      }
    }
    if (all || conditions.empty()) continue;
    INDIGO_ASSIGN(table.*action.filter, RowFilter::make(session, *table.as.relation, conditions));
  }
  return {};
}

}  // namespace indigo::engine::replication
