// An object in words, as pg_describe_object() and messages have it: "table t", "column a of view v".
// Thread safety: one session.
#pragma once

#include <string>

#include "base/ids.h"

namespace indigo::engine {

class SessionParts;

// Empty: there is no such object.
std::string object_in_words(SessionParts& session, Oid class_id, Oid object, int32_t sub);

}  // namespace indigo::engine
