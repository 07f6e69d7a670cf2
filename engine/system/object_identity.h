// What an object is called whatever the search path: pg_identify_object() and what event triggers tell.
// Thread safety: one session.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"

namespace indigo::engine {

class SessionParts;

struct ObjectIdentity {
  std::string type;                           // "table column"
  std::string schema, name;                   // as they are; empty: none
  std::string identity;                       // quoted where it must be
  std::vector<std::string> names, arguments;  // as pg_get_object_address() takes them
};

// Nothing: there is no such object, or no identity for its kind.
std::optional<ObjectIdentity> identify_object(SessionParts& session, Oid class_id, Oid object, int32_t sub);

}  // namespace indigo::engine
