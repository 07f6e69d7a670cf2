// Transactions that were prepared when the instance ended, made again from their streams in the log or the checkpoint: their
// changes pending, their locks held, their definitions' tables, sequences and indexes there for them alone.
//
// Invariants:
// 1. It happens before any client is let in, when everything that is committed is in its place, indexes included; so nothing
//    that they change or lock is in anybody's way.
// 2. Rows of system tables come first: they say which tables of other rows the transaction itself has made.
// Thread safety: before any other session.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "catalog/tables/sequence.h"
#include "engine/instance_impl.h"
#include "log/durable_id.h"

namespace indigo::engine {

using RestoredSequences = std::unordered_map<log::DurableId, catalog::Sequence::State>;

// `sequences`: what is known of those that no committed row names. XX001 when one of the streams contradicts what is committed.
Status restore_prepared(InstanceImpl& instance, const std::vector<std::shared_ptr<const std::string>>& streams,
                        const RestoredSequences& sequences);

}  // namespace indigo::engine
