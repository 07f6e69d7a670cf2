// postgres_fdw: foreign tables whose rows another PostgreSQL has, read through cursors there.
// Thread safety: belongs to a session.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "catalog/descriptor/relation_info.h"
#include "engine/foreign/remote_condition_text.h"
#include "types/function/registry.h"

namespace indigo::engine {

class SessionParts;

// With a place or a key the rows are records.
struct RemoteQuery {
  MarkedCondition condition;                   // what the rows satisfy that are wanted
  std::string lock;                            // " FOR UPDATE", or nothing
  std::optional<std::vector<size_t>> columns;  // that are wanted, by number from 0; others may be null. None: all
  bool with_place = false;                     // behind the table's columns: ctid
  bool with_key = false;                       // behind these: exec::foreign_row_key
  Oid role = kInvalidOid;                      // whose connection it is; kInvalidOid: the session's user
};
// What is sent for it.
Result<std::string> remote_statement(SessionParts& session, const RemoteRelation& remote, const RemoteQuery& query);
Result<std::unique_ptr<types::SetProducer>> open_remote_table(
    SessionParts& session, const std::shared_ptr<const catalog::RelationInfo>& relation, const RemoteQuery& query);

// All rows that a server answers to the role, as texts.
Result<std::vector<std::vector<std::optional<std::string>>>> ask_foreign_server(SessionParts& session, Oid server,
                                                                                Oid role, const std::string& statement);

}  // namespace indigo::engine
