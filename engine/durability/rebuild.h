// What a restored catalog still lacks: secondary indexes, and the end of the sessions of the life before.
// Thread safety: before any other session.
#pragma once

#include <memory>
#include <unordered_set>

#include "engine/instance_impl.h"

namespace indigo::engine {

// Builds the secondary indexes of every user's table of every database, each on one of that many threads, and drops temporary
// schemas. An index that cannot be built since functions of users' own fail in it, do not end (engine/programs/call_limit.h) or
// give something else than they did is left unbuilt, with a line in the log: they keep no server from starting.
// `collations_changed`: tables whose key has text under an ICU collation are rewritten, as their keys are sort keys.
Status rebuild_after_recovery(InstanceImpl& instance, unsigned threads, bool collations_changed);

// So are those of the tables with these file numbers.
Status leave_unbuilt(InstanceImpl& instance, const std::shared_ptr<catalog::Database>& database,
                     const std::unordered_set<Oid>& filenodes, const Error& why);

}  // namespace indigo::engine
