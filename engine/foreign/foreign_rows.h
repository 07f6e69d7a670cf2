// The rows of foreign tables: the wrapper's handler says who reads them.
// Thread safety: belongs to a session.
#pragma once

#include <memory>
#include <string>

#include "base/error.h"
#include "types/function/registry.h"

namespace indigo::engine {

class SessionParts;

// Composite values of the relation's row type. `condition`: what may be asked where the rows are (remote_conditions.h); empty:
// nothing. 0A000 for a handler that is none of those built in.
Result<std::unique_ptr<types::SetProducer>> open_foreign_rows(SessionParts& session, Oid relation,
                                                              const std::string& condition);

}  // namespace indigo::engine
