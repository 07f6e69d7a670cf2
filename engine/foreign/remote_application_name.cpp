#include "engine/foreign/remote_application_name.h"

#include <cinttypes>
#include <cstdio>
#include <mutex>

#include "engine/foreign/foreign_options.h"
#include "engine/session/current_message.h"
#include "engine/session/session_activity.h"
#include "engine/session/session_parts.h"
#include "engine/settings/settings.h"

namespace indigo::engine {

namespace {

// PostgreSQL's session ID: when it began, and its process.
std::string session_id(const SessionActivity& session) {
  constexpr int64_t kSecondsFrom1970To2000 = 946684800, kMicroseconds = 1000000;
  char text[40];
  std::snprintf(text, sizeof text, "%" PRIx64 ".%x",
                static_cast<uint64_t>(session.backend_start / kMicroseconds + kSecondsFrom1970To2000),
                static_cast<unsigned>(session.pid));
  return text;
}

// An unknown escape, or a % at the end, is left out.
std::string escape_value(SessionParts& session, char escape) {
  if (escape == '%') return "%";
  if (escape == 'C') {
    auto name = session.settings().show("cluster_name");
    return name.ok() ? *name : std::string();
  }
  SessionActivity& activity = session.message().activity();
  const std::lock_guard lock(activity.mutex);
  switch (escape) {
    case 'a': return activity.application_name;
    case 'c': return session_id(activity);
    case 'd': return activity.database_name;
    case 'p': return std::to_string(activity.pid);
    case 'u': return activity.user_name;
    default: return {};
  }
}

std::string replaced(SessionParts& session, const std::string& name) {
  std::string out;
  for (size_t i = 0; i < name.size(); i++) {
    if (name[i] != '%') {
      out += name[i];
    } else if (++i < name.size()) {
      out += escape_value(session, name[i]);
    }
  }
  return out;
}

}  // namespace

std::string remote_application_name(SessionParts& session, const ForeignServer& server) {
  if (const auto set = session.settings().show("postgres_fdw.application_name"); set.ok()) {
    if (std::string name = replaced(session, *set); !name.empty()) return name;
  }
  for (const auto* options : {&server.of_mapping, &server.of_server, &server.of_wrapper}) {
    const std::string* option = find_option(*options, "application_name");
    if (option == nullptr) continue;
    if (std::string name = replaced(session, *option); !name.empty()) return name;
  }
  return {};
}

}  // namespace indigo::engine
