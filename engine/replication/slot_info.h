// What is known of a replication slot, as pg_replication_slots shows it.
// Thread safety: plain data.
#pragma once

#include <cstdint>
#include <string>

#include "base/ids.h"

namespace indigo::engine::replication {

struct SlotInfo {
  std::string name, plugin;
  Oid database = kInvalidOid;
  bool temporary = false, two_phase = false;
  int32_t creator = 0;     // of a temporary one: whose end it goes with
  int32_t active_pid = 0;  // 0: nobody uses it
  bool lost = false;       // what it needed was let go: max_slot_wal_keep_size
  uint64_t restart = 0, confirmed = 0;
  uint64_t two_phase_at = 0;  // what is prepared behind it is told then
  uint64_t held = 0;          // bytes of positions, as slots() found them
};

}  // namespace indigo::engine::replication
