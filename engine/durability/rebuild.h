// What a restored catalog still lacks: secondary indexes, and the end of the sessions of the life before.
// Thread safety: before any other session.
#pragma once

#include "engine/instance_impl.h"

namespace indigo::engine {

// Builds the secondary indexes of every user's table of every database, each on one of that many threads, and drops temporary
// schemas. `collations_changed`: tables whose key has text under an ICU collation are rewritten, as their keys are sort keys.
Status rebuild_after_recovery(InstanceImpl& instance, unsigned threads, bool collations_changed);

}  // namespace indigo::engine
