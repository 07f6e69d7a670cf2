// The table here that a publisher's relation goes to, and the statements that change it: one for each kind of change and, for
// UPDATE, for each set of columns that the publisher sends. Rows to change are found by the replica identity or primary key here
// where the publisher sends its columns, else (REPLICA IDENTITY FULL there) by all columns, one row for each change.
// Thread safety: belongs to the worker's thread.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "base/ids.h"
#include "engine/subscription/apply_session.h"
#include "engine/subscription/change_message.h"

namespace indigo::engine::subscription {

// schema.name, quoted whenever.
std::string quoted_name(std::string_view schema, std::string_view name);

class TargetTable {
 public:
  // 55000 where there is no such table, or where it lacks columns; in the session's open transaction.
  static Result<TargetTable> find(ApplySession& session, const RelationChange& remote);

  Oid relation() const { return relation_; }
  std::string shown_name() const { return remote_.schema + "." + remote_.name; }
  // As TRUNCATE names it.
  std::string truncated_name() const { return only_ + quoted_name(remote_.schema, remote_.name); }

  // A row that is not there any more is passed over, as in PostgreSQL.
  Status apply(ApplySession& session, const RowChange& change);
  // Of what the session keeps.
  void forget(ApplySession& session);

 private:
  struct Call;
  Status insert(ApplySession& session, const Tuple& row);
  Status change(ApplySession& session, const RowChange& change);
  Result<std::string> condition(std::vector<size_t>& columns) const;
  Status run(ApplySession& session, const std::string& name, const Call& call);

  RelationChange remote_;
  Oid relation_ = kInvalidOid;
  bool partitioned_ = false;
  std::string only_;                  // "ONLY " but for partitioned tables
  std::vector<char> always_;          // for each remote column: GENERATED ALWAYS AS IDENTITY here
  std::vector<size_t> search_;        // remote columns; empty: all, when the identity there is FULL
  bool has_key_ = false;              // the table here has an identity or a primary key
  std::set<std::string> statements_;  // prepared in the session
};

}  // namespace indigo::engine::subscription
