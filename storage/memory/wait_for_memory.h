// What must have memory (Need::kMust, inner nodes) follows the rule of operator new: in a MustNotFail scope it gets the reserve
// or waits for what others give back, elsewhere it throws (base/memory/memory_reserve.h).
// Thread safety: as the attempt.
#pragma once

#include "base/memory/memory_reserve.h"

namespace indigo::storage {

// Calls `attempt` until it answers an address, with whatever the caller holds.
template <class Attempt>
auto allocate_or_wait(Attempt attempt) {
  for (;;) {
    if (auto* block = attempt(); block != nullptr) return block;
    no_memory();
  }
}

}  // namespace indigo::storage
