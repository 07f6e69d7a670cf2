// postgres_fdw: rows of foreign tables that are inserted, updated and deleted on the other server.
// Thread safety: belongs to a session.
#pragma once

#include <memory>
#include <span>

#include "engine/exec/change/foreign_host.h"

namespace indigo::engine {

class SessionParts;

Result<std::unique_ptr<exec::ForeignChange>> open_remote_change(SessionParts& session,
                                                                std::shared_ptr<const catalog::RelationInfo> relation,
                                                                exec::ForeignChangeSpec spec);

// TRUNCATE of tables of one server.
Status truncate_remote_tables(SessionParts& session,
                              std::span<const std::shared_ptr<const catalog::RelationInfo>> relations, bool cascade,
                              bool restart);

}  // namespace indigo::engine
