// The rows of foreign tables: the wrapper's handler says who reads them.
// Thread safety: belongs to a session.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "base/error.h"
#include "types/function/registry.h"

namespace indigo::sql {
struct CallExpr;
}

namespace indigo::engine {

class SessionParts;

// Composite values of the relation's row type. The arguments are those of catalog::kForeignRows. 0A000 for a handler that is none
// of those built in.
Result<std::unique_ptr<types::SetProducer>> open_foreign_rows(SessionParts& session, const types::CallInfo& call,
                                                              std::span<const Datum> arguments);

// EXPLAIN VERBOSE: what such a call sends to another server; empty: nothing.
std::string shown_foreign_statement(SessionParts& session, const sql::CallExpr& call);

}  // namespace indigo::engine
