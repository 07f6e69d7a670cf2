// pg_get_publication_tables: the tables that subscribers of a publication see.
#include <algorithm>
#include <map>

#include "base/sqlstate.h"
#include "engine/system/catalog_rows.h"
#include "types/value/array_format.h"

namespace indigo::engine {

namespace {

namespace pg_class = catalog::pg_class;
namespace pg_publication = catalog::pg_publication;
namespace pg_publication_namespace = catalog::pg_publication_namespace;
namespace pg_publication_rel = catalog::pg_publication_rel;

struct Table {
  Oid oid, schema;
  bool partitioned, partition;
};

class PublishedTables {
 public:
  explicit PublishedTables(SessionParts& session) : view_(session.session_catalog()), rows_(session) {}

  Status list(std::string_view name, const SystemRowSink& sink) {
    rows_.scan(pg_publication::kOid, {}, [&](RowReader row) {
      if (row.str(pg_publication::c_pubname) != name) return true;
      oid_ = row.oid(pg_publication::c_oid);
      all_tables_ = row.flag(pg_publication::c_puballtables);
      via_root_ = row.flag(pg_publication::c_pubviaroot);
      return false;
    });
    if (oid_ == kInvalidOid)
      return Error(sqlstate::kUndefinedObject, "publication \"" + std::string(name) + "\" does not exist");
    read_members();
    for (const Oid table : tables()) {
      const auto relation = view_.relation(table);
      const auto member = members_.find(table);
      const bool whole = relation == nullptr || member == members_.end() ||
                         std::find(schemas_.begin(), schemas_.end(), relation->schema) != schemas_.end();
      const auto part = [&](const std::string& text) {
        return whole || text.empty() ? Datum::make_null(Phys::kStr) : Datum::of(Str(text));
      };
      static const std::string kNone;
      const Datum row[] = {Datum::of_oid(table), part(whole ? kNone : member->second.columns),
                           part(whole ? kNone : member->second.filter)};
      sink(row);
    }
    return {};
  }

 private:
  struct Member {
    std::string columns, filter;  // as pg_publication_rel has them; empty: null
  };

  void read_members() {
    rows_.scan(pg_publication_rel::kOid, {}, [&](RowReader row) {
      if (row.oid(pg_publication_rel::c_prpubid) != oid_) return true;
      members_[row.oid(pg_publication_rel::c_prrelid)] = {std::string(row.str(pg_publication_rel::c_prattrs)),
                                                          std::string(row.str(pg_publication_rel::c_prqual))};
      return true;
    });
    rows_.scan(pg_publication_namespace::kOid, {}, [&](RowReader row) {
      if (row.oid(pg_publication_namespace::c_pnpubid) == oid_)
        schemas_.push_back(row.oid(pg_publication_namespace::c_pnnspid));
      return true;
    });
  }

  // Tables of all schemas, or of those that the publication has.
  std::vector<Table> tables_in_schemas() {
    std::vector<Table> out;
    rows_.scan(pg_class::kOid, {}, [&](RowReader row) {
      const char kind = row.chr(pg_class::c_relkind);
      const Oid oid = row.oid(pg_class::c_oid), schema = row.oid(pg_class::c_relnamespace);
      if ((kind != 'r' && kind != 'p') || row.chr(pg_class::c_relpersistence) != 'p' || oid < oid::kFirstUserOid)
        return true;
      if (!all_tables_ && std::find(schemas_.begin(), schemas_.end(), schema) == schemas_.end()) return true;
      out.push_back({oid, schema, kind == 'p', row.flag(pg_class::c_relispartition)});
      return true;
    });
    return out;
  }

  // The table itself, or (when changes are those of partitions) the partitions that hold rows.
  void add(Oid table, std::vector<Oid>& out) {
    const auto relation = view_.relation(table);
    if (relation == nullptr) return;
    if (!relation->is_partitioned() || via_root_) {
      out.push_back(table);
      return;
    }
    for (const Oid child : relation->children) add(child, out);
  }

  bool below_one_of(Oid table, const std::vector<Oid>& all) {
    for (auto r = view_.relation(table); r != nullptr && r->is_partition && !r->parents.empty();) {
      const Oid parent = r->parents[0];
      if (std::binary_search(all.begin(), all.end(), parent)) return true;
      r = view_.relation(parent);
    }
    return false;
  }

  std::vector<Oid> tables() {
    std::vector<Oid> out;
    if (all_tables_) {
      for (const Table& t : tables_in_schemas()) {
        if (via_root_ ? !t.partition : !t.partitioned) out.push_back(t.oid);
      }
      return out;
    }
    for (const auto& [table, member] : members_) add(table, out);
    if (!schemas_.empty()) {
      for (const Table& t : tables_in_schemas()) add(t.oid, out);
    }
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    if (via_root_) {
      const std::vector<Oid> all = out;
      std::erase_if(out, [&](Oid table) { return below_one_of(table, all); });
    }
    return out;
  }

  catalog::SessionCatalog& view_;
  CatalogRows rows_;
  Oid oid_ = kInvalidOid;
  bool all_tables_ = false, via_root_ = false;
  std::map<Oid, Member> members_;
  std::vector<Oid> schemas_;
};

Status publication_tables(SessionParts& session, std::span<const Datum> arguments, const SystemRowSink& sink) {
  return PublishedTables(session).list(arguments[0].str, sink);
}

constexpr SystemRows kPublicationRows[] = {{"pg_get_publication_tables", publication_tables}};

}  // namespace

std::span<const SystemRows> publication_rows() { return kPublicationRows; }

}  // namespace indigo::engine
