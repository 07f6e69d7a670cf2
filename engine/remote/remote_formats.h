// Another server's way of writing dates and intervals, for as long as its values are read.
// Thread safety: belongs to a session.
#pragma once

#include "engine/remote/remote_connection.h"
#include "engine/session/session_parts.h"
#include "engine/settings/settings.h"

namespace indigo::engine {

class RemoteFormats {
 public:
  RemoteFormats(SessionParts& session, RemoteConnection& connection)
      : settings_(session.settings()), mark_(settings_.mark()) {
    for (const char* name : {"DateStyle", "IntervalStyle"}) {
      const std::string value = connection.parameter(name);
      const Result<std::string> own = settings_.show(name);
      if (value.empty() || !own.ok() || *own == value) continue;
      // One that is not known here is left: its values are read as they come.
      if (const Status set = settings_.set(name, value, Settings::Scope::kLocal, false); !set.ok()) continue;
    }
  }
  ~RemoteFormats() { settings_.rollback_to(mark_); }
  RemoteFormats(const RemoteFormats&) = delete;
  RemoteFormats& operator=(const RemoteFormats&) = delete;

 private:
  Settings& settings_;
  const uint32_t mark_;
};

}  // namespace indigo::engine
