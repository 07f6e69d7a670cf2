// tsvector_update_trigger() and tsvector_update_trigger_column(): before a row is written, one of its columns becomes the
// tsvector of others.
// Thread safety: one session.
#pragma once

#include <optional>
#include <string>

#include "engine/exec/change/trigger_host.h"

namespace indigo::engine {

class SessionParts;

// `by_column`: the configuration is a column of the row, not the trigger's argument.
Result<std::optional<std::string>> update_tsvector(SessionParts& session, const exec::TriggerCall& call,
                                                   bool by_column);

}  // namespace indigo::engine
