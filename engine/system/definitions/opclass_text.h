// The operator class of a key as a definition prints it.
// Thread safety: uses one session's catalog view.
#pragma once

#include <string>
#include <vector>

#include "engine/session/session_parts.h"

namespace indigo::engine {

// " name", with its schema where search_path does not find it; empty: the class is the type's default.
std::string opclass_suffix(SessionParts& session, Oid opclass, Oid type);
// The same with the parameters that an index's column has given it.
std::string opclass_suffix(SessionParts& session, Oid index, int16_t column, Oid opclass, Oid type);

// name='value', name='value': "name=value" texts as WITH (...) and an operator class take them.
std::string option_list(const std::vector<std::string>& options);

}  // namespace indigo::engine
