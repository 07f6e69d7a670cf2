// The executor's way to what changes foreign tables: the wrapper's handler says who does.
// Thread safety: belongs to a session.
#pragma once

#include <memory>
#include <span>

#include "engine/exec/change/foreign_host.h"

namespace indigo::engine {

class SessionParts;

std::unique_ptr<exec::ForeignHost> make_foreign_host(SessionParts& session);

// Which changes a foreign table takes, as bits of PostgreSQL's CmdType (UPDATE 4, INSERT 8, DELETE 16).
int32_t foreign_changes(SessionParts& session, const catalog::RelationInfo& relation);

// TRUNCATE: 55000 for a table that takes none, 0A000 for a wrapper that has none.
Status check_foreign_truncate(SessionParts& session, const catalog::RelationInfo& relation);
// Server by server; tables of others than foreign ones are left out.
Status truncate_foreign_tables(SessionParts& session,
                               std::span<const std::shared_ptr<const catalog::RelationInfo>> relations, bool cascade,
                               bool restart);

}  // namespace indigo::engine
