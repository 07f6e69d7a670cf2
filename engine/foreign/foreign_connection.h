// The session's connections of postgres_fdw: one for each server and mapping, with a transaction there while one is open here.
//
// Invariants:
// 1. What is done within one transaction here is one transaction there, of REPEATABLE READ (or SERIALIZABLE, as here), which is
//    begun with the first use and ends with this one (remote/remote_connections.h), and has its savepoints.
// 2. A connection is asked one thing at a time; whatever is left of the statement before is taken first.
// Thread safety: belongs to a session.
#pragma once

#include <memory>
#include <string>

#include "base/error.h"
#include "engine/remote/remote_connections.h"
#include "engine/session/session_parts.h"

namespace indigo::engine {

// With a transaction there, and its savepoints. 42704 without a user mapping, 08001 where there is no connection, 08000 where it
// was lost within this transaction.
Result<std::shared_ptr<RemoteConnections::Foreign>> foreign_connection(SessionParts& session, Oid server, Oid role);

// The statement's last answer; its rows go to `take`. `shown`: what an error calls it, where that is not the statement itself.
// What runs is left where the wait for it is ended.
Result<RemoteAnswer> ask_foreign(SessionParts& session, const std::shared_ptr<RemoteConnections::Foreign>& f,
                                 const std::string& statement, const RemoteConnection::RowTaker& take = nullptr,
                                 const std::string& shown = {});

}  // namespace indigo::engine
