// ANALYZE of foreign tables: their rows as the owners read them.
// Thread safety: belongs to a session.
#pragma once

#include <functional>
#include <memory>

#include "base/bytes.h"
#include "base/error.h"
#include "catalog/descriptor/relation_info.h"

namespace indigo::engine {

class SessionParts;

// False: the wrapper has no way to; what a program writes is not read for it. 55000 where there is no handler.
Result<bool> analyzes_foreign_table(SessionParts& session, const catalog::RelationInfo& relation);

// All rows, as images in the table's layout.
Status read_foreign_table(SessionParts& session, const std::shared_ptr<const catalog::RelationInfo>& relation,
                          const std::function<Status(Bytes image)>& visit);

// How many bytes they take where they are.
Result<uint64_t> foreign_table_size(SessionParts& session,
                                    const std::shared_ptr<const catalog::RelationInfo>& relation);

}  // namespace indigo::engine
