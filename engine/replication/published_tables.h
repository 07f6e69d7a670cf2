// Which changes of which tables a list of publications publishes, as the catalog says now: tables, schemas, all tables; by
// themselves or as the partitioned table above them; columns and rows.
// Thread safety: none; one session, in a transaction.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/error.h"
#include "catalog/descriptor/relation_info.h"
#include "engine/replication/row_filter.h"
#include "engine/session/session_parts.h"

namespace indigo::engine::replication {

struct PublishedTable {
  bool inserts = false, updates = false, deletes = false, truncates = false;
  std::shared_ptr<const catalog::RelationInfo>
      as;                        // itself, or the partitioned table above it that changes are told of
  std::vector<int16_t> columns;  // of `as`, ascending; empty: all
  // Null: all rows.
  std::shared_ptr<RowFilter> inserted, updated, deleted;

  bool any() const { return inserts || updates || deletes || truncates; }
};

class PublishedTables {
 public:
  // 42704 for a publication that does not exist.
  Status read(SessionParts& session, const std::vector<std::string>& publications);
  // The answer lives until the next read().
  Result<const PublishedTable*> find(SessionParts& session,
                                     const std::shared_ptr<const catalog::RelationInfo>& relation);

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
  using Relation = std::shared_ptr<const catalog::RelationInfo>;

  bool has(const Publication& p, const catalog::RelationInfo& relation) const;
  bool has_schema(const Publication& p, const catalog::RelationInfo& relation) const;
  const Member* member(const Publication& p, Oid relation) const;
  Result<PublishedTable> make(SessionParts& session, const Relation& relation) const;
  Status set_columns(PublishedTable& table, const std::vector<const Publication*>& from) const;
  Status set_filters(SessionParts& session, PublishedTable& table, const std::vector<const Publication*>& from) const;

  std::vector<Publication> publications_;
  std::unordered_multimap<Oid, Member> members_;  // by relation
  std::vector<std::pair<Oid, Oid>> schemas_;      // (schema, publication)
  std::unordered_map<Oid, PublishedTable> tables_;
};

}  // namespace indigo::engine::replication
