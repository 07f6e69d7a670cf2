// Makes a logical slot: from its place on, whoever reads it gets exactly what a snapshot of then does not show.
//
// How. The slot is reserved, so that changes begin to be gathered; who has a table locked for writing then may have changed rows
// before, and is waited for, table by table; then, with the stream's turn, nobody who has changed rows commits: the place is the
// stream's end, and a snapshot that is taken now fits it.
// Thread safety: one session.
#pragma once

#include <functional>
#include <string_view>

#include "base/error.h"
#include "engine/replication/change_stream.h"
#include "engine/session/session_parts.h"

namespace indigo::engine::replication {

// 42501 for who has no REPLICATION.
Status check_may_replicate(SessionParts& session);
// 55000 without wal_level = logical.
Status check_decodes(SessionParts& session);
// 42602 for a name that is none.
Status check_slot_name(std::string_view name);

// max_replication_slots.
size_t most_slots(SessionParts& session);

struct SlotWish {
  std::string_view name, plugin;
  bool temporary = false, two_phase = false;
};
// Answers the slot's place. `at_place`, if there is one, runs while nobody commits: it takes a snapshot. 25001 in a transaction
// that has changed something.
Result<uint64_t> make_slot(SessionParts& session, const SlotWish& wish, const std::function<Status()>& at_place);

}  // namespace indigo::engine::replication
