// Values of expressions outside a query: EXECUTE's arguments and the like.
#pragma once

#include <vector>

#include "base/error.h"
#include "sql/expr.h"
#include "types/value/datum.h"

namespace indigo::engine {

class SessionParts;

// Within the session's open transaction. The expressions refer to no columns.
Result<std::vector<OwnedDatum>> evaluate(SessionParts& session, const sql::ExprList& expressions,
                                         std::span<const Datum> parameters);

}  // namespace indigo::engine
