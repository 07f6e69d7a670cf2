// PostgreSQL's modules without SQL objects, and those parts of extensions, that LOAD or the preload settings bring into a session:
// auto_explain, passwordcheck, auth_delay and pg_stat_statements' settings.
// Thread safety: of one session.
#pragma once

#include <initializer_list>
#include <string_view>

namespace indigo::engine {

class SessionParts;

// False when there is no module of that name; those of extensions that are built in are there from the beginning.
bool load_module(SessionParts& session, std::string_view name);
// Loads those that one of these settings names: shared_preload_libraries and the like.
void preload_modules(SessionParts& session, std::initializer_list<const char*> settings);

}  // namespace indigo::engine
