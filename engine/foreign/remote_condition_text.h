// The conditions that a scan asks another server, as it reads them.
// Thread safety: as the session's.
#pragma once

#include <span>
#include <string>

#include "base/error.h"
#include "types/type_info.h"
#include "types/value/datum.h"

namespace indigo::engine {

class RemoteRelation;
class SessionParts;

// As sql/plan/path/remote_conditions.h makes them, with the marks of catalog/descriptor/foreign_source.h.
struct MarkedCondition {
  Str text;                               // with marks for values and columns; empty: none
  std::span<const Datum> values;          // none: parameters stand for them, as EXPLAIN shows them
  std::span<const types::TypeRef> types;  // of the values
};
// With the columns' names there, and the values written as every server reads them.
Result<std::string> condition_text(SessionParts& session, const RemoteRelation& remote,
                                   const MarkedCondition& condition);

}  // namespace indigo::engine
