// Where an object is, by the words of pg_get_object_address(): its system table, its OID, and a column's number.
// Thread safety: one session.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/ids.h"

namespace indigo::engine {

class SessionParts;

struct ObjectAddress {
  Oid class_id = kInvalidOid, object = kInvalidOid;
  int32_t sub = 0;
};

using ObjectNames = std::vector<std::optional<std::string>>;  // nothing: null

// PostgreSQL's errors for kinds that are none (22023), lists that are too short or too long, and names of nothing.
Result<ObjectAddress> find_object_address(SessionParts& session, std::string_view type, const ObjectNames& names,
                                          const ObjectNames& arguments);

}  // namespace indigo::engine
