// What names a table or sequence in the log and in checkpoints.
#pragma once

#include "base/ids.h"

namespace indigo::log {

// For ever: database << 32 | file number (or the system table's OID). Zero: not kept, as temporary tables.
using DurableId = StrongId<struct DurableIdTag, uint64_t>;

}  // namespace indigo::log
