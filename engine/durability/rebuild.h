// What a restored catalog still lacks: secondary indexes, and the end of the sessions of the life before.
// Thread safety: before any other session.
#pragma once

#include "engine/instance_impl.h"

namespace indigo::engine {

// Builds the secondary indexes of every user's table of every database, each on one of so many threads, and drops temporary
// schemas.
Status rebuild_after_recovery(InstanceImpl& instance, unsigned threads);

}  // namespace indigo::engine
