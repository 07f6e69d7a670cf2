// Calls functions of users' own for keys of indexes (engine/exec/scan/index_routines.h).
#pragma once

#include <memory>

#include "engine/exec/scan/index_routines.h"
#include "types/value/defined_key.h"

namespace indigo::engine {
class InstanceImpl;
class SessionParts;
}  // namespace indigo::engine

namespace indigo::engine::programs {

// For an index of the session's database. The session is not kept.
std::shared_ptr<exec::IndexRoutines> make_index_routines(SessionParts& session);

// The comparisons and hashes of operator classes of users' own, called likewise.
std::unique_ptr<types::ClassCalls> make_class_calls(InstanceImpl& instance);

}  // namespace indigo::engine::programs
