// postgres_fdw: foreign tables whose rows another PostgreSQL has, read through cursors there.
//
// Invariants:
// 1. What is read within one transaction here is of one snapshot there: a transaction of REPEATABLE READ (or SERIALIZABLE, as here)
//    is begun there with the first row and ends with this one. One that has failed there is begun again.
// 2. A connection is asked one thing at a time; whatever is left of the statement before is taken first.
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

// `condition`: over the table's column names, what the rows satisfy that are wanted; empty: all.
Result<std::unique_ptr<types::SetProducer>> open_remote_table(
    SessionParts& session, const std::shared_ptr<const catalog::RelationInfo>& relation, const std::string& condition);

// All rows that a server answers to the session's role, as texts.
Result<std::vector<std::vector<std::optional<std::string>>>> ask_foreign_server(SessionParts& session, Oid server,
                                                                                const std::string& statement);

}  // namespace indigo::engine
