// Which changes of which tables a list of publications publishes: publications as the catalog has them now, tables as they were
// when they were changed. Tables, schemas, all tables; by themselves or as the partitioned table above them; columns and rows.
// Thread safety: none; one session, in a transaction.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/error.h"
#include "engine/replication/changed_table.h"
#include "engine/replication/row_filter.h"
#include "engine/session/session_parts.h"

namespace indigo::engine::replication {

struct PublishedTable {
  bool inserts = false, updates = false, deletes = false, truncates = false;
  TableThen as;                  // itself, or the partitioned table above it that changes are told of
  std::vector<int16_t> columns;  // of `as`, ascending; empty: all
  // Null: all rows.
  std::shared_ptr<RowFilter> inserted, updated, deleted;

  std::vector<TableThen> above;  // all of them that were asked about

  bool any() const { return inserts || updates || deletes || truncates; }
};

class PublishedTables {
 public:
  // 42704 for a publication that does not exist.
  Status read(SessionParts& session, const std::vector<std::string>& publications);
  // The table and those above it as they were then. The answer lives until the next find() or read().
  Result<const PublishedTable*> find(SessionParts& session, const TableThen& table,
                                     const std::vector<TableThen>& above);

 private:
  struct Publication {
    Oid oid = kInvalidOid;
    bool all_tables = false, via_root = false;
    bool inserts = false, updates = false, deletes = false, truncates = false;
  };
  struct Member {
    Oid publication = kInvalidOid;
    std::string filter;
    std::vector<int16_t> columns;
  };
  bool has(const Publication& p, const catalog::RelationInfo& relation) const;
  bool has_schema(const Publication& p, const catalog::RelationInfo& relation) const;
  const Member* member(const Publication& p, Oid relation) const;
  Result<PublishedTable> make(SessionParts& session, const TableThen& table,
                              const std::vector<TableThen>& parents) const;
  Status set_columns(PublishedTable& table, const std::vector<const Publication*>& from) const;
  Status set_filters(SessionParts& session, PublishedTable& table, const std::vector<const Publication*>& from) const;

  std::vector<Publication> publications_;
  std::unordered_multimap<Oid, Member> members_;  // by relation
  std::vector<std::pair<Oid, Oid>> schemas_;      // (schema, publication)
  // By what the table was then: one transaction may change it between two of its rows.
  std::unordered_map<std::shared_ptr<const catalog::RelationInfo>, PublishedTable> tables_;
};

}  // namespace indigo::engine::replication
