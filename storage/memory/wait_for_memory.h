// What must have memory (Need::kMust, index nodes) waits for the system as long as it takes: others give some back.
// Thread safety: as the attempt.
#pragma once

#include <chrono>
#include <thread>

namespace indigo::storage {

// Calls `attempt` until it answers an address; in between it sleeps, with whatever the caller holds.
template <class Attempt>
auto allocate_or_wait(Attempt attempt) {
  constexpr auto kPause = std::chrono::milliseconds(1);
  for (;;) {
    if (auto* block = attempt(); block != nullptr) return block;
    std::this_thread::sleep_for(kPause);
  }
}

}  // namespace indigo::storage
