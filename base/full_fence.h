// The fence between an announcement and a look at what others do: who announces by a sequentially consistent exchange, and then
// loads what is not sequentially consistent.
#pragma once

#include <atomic>

namespace indigo {

// After an atomic exchange, before loads: the exchange is visible to all before they take place. On x86-64 the exchange itself is
// such a fence, and the compiler alone is to be kept from moving them; elsewhere (64-bit Arm) loads may overtake its store.
inline void fence_after_exchange() {
#if defined(__x86_64__)
  std::atomic_signal_fence(std::memory_order_seq_cst);
#else
  std::atomic_thread_fence(std::memory_order_seq_cst);
#endif
}

}  // namespace indigo
