// Calls functions of users' own for keys of indexes (engine/exec/scan/index_routines.h).
#pragma once

#include <memory>

#include "engine/exec/scan/index_routines.h"

namespace indigo::engine {
class SessionParts;
}  // namespace indigo::engine

namespace indigo::engine::programs {

// For an index of the session's database. The session is not kept.
std::shared_ptr<exec::IndexRoutines> make_index_routines(SessionParts& session);

}  // namespace indigo::engine::programs
