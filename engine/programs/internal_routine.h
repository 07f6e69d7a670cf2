// Languages internal and c: a built-in function, or one of a built-in extension, under a name and signature of the user's.
// Thread safety: none; belongs to a session.
#pragma once

#include "engine/programs/routine.h"

namespace indigo::engine::programs {

// 0A000 when the built-in function is not scalar or not built here.
Result<std::shared_ptr<Routine>> make_internal_routine(SessionParts& session,
                                                       std::shared_ptr<const types::FunctionInfo> info,
                                                       const TypeRef& result, std::span<const TypeRef> arguments,
                                                       Oid collation);

}  // namespace indigo::engine::programs
