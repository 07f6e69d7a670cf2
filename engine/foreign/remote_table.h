// postgres_fdw: foreign tables whose rows another PostgreSQL has, read through cursors there.
// Thread safety: belongs to a session.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "catalog/descriptor/relation_info.h"
#include "types/function/registry.h"

namespace indigo::engine {

class SessionParts;

struct RemoteQuery {
  std::string condition;  // over the table's column names: what the rows satisfy that are wanted; empty: all
  std::string lock;       // " FOR UPDATE", or nothing
  bool with_key = false;  // behind the table's columns: exec::foreign_row_key
};
Result<std::unique_ptr<types::SetProducer>> open_remote_table(
    SessionParts& session, const std::shared_ptr<const catalog::RelationInfo>& relation, const RemoteQuery& query);

// All rows that a server answers to the session's role, as texts.
Result<std::vector<std::vector<std::optional<std::string>>>> ask_foreign_server(SessionParts& session, Oid server,
                                                                                const std::string& statement);

}  // namespace indigo::engine
