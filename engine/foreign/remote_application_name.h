// What connections of postgres_fdw call themselves.
// Thread safety: as the session's.
#pragma once

#include <string>

namespace indigo::engine {

class SessionParts;
struct ForeignServer;

// The setting postgres_fdw.application_name, else the option of the mapping, the server or the wrapper, with its escapes
// (%a %c %C %d %p %u %%) replaced: the first that does not come to nothing. Empty: none.
std::string remote_application_name(SessionParts& session, const ForeignServer& server);

}  // namespace indigo::engine
