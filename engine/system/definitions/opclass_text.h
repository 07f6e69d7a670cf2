// The operator class of a key as a definition prints it.
// Thread safety: uses one session's catalog view.
#pragma once

#include <string>

#include "engine/session/session_parts.h"

namespace indigo::engine {

// " name", with its schema where search_path does not find it; empty: the class is the type's default.
std::string opclass_suffix(SessionParts& session, Oid opclass, Oid type);

}  // namespace indigo::engine
