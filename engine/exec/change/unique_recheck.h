// Deferrable PRIMARY KEY and UNIQUE: rows come in freely, and their keys are looked at when the statement or the transaction
// ends. Two transactions that look at the same key wait for each other through a lock on the key value (on the whole index
// when there are many), held to the transaction's end.
// Thread safety: none.
#pragma once

#include "engine/exec/change/deferred_checks.h"
#include "engine/exec/query_state.h"

namespace indigo::engine::exec {

// More keys than this in one go lock the index instead of each key.
inline constexpr size_t kKeyLocksMax = 4096;

// 23505 when another row has the key of the event's row now. `many`: lock the whole index.
Status recheck_key(QueryState& state, const ConstraintEvent& event, bool many);
// 23P01 when the event's row is excluded by another row now.
Status recheck_exclusion(QueryState& state, const ConstraintEvent& event);
// Whether a row can be in anybody's way (no null in its key).
bool key_can_conflict(const catalog::RelationInfo& relation, const catalog::ConstraintInfo& constraint, Bytes row);

}  // namespace indigo::engine::exec
