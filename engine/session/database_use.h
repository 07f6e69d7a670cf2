// Whether a session works in its database at this moment, so that the database can be put back between two messages
// (engine/session/database_hold.h).
//
//   kIdle --enter--> kBusy --leave--> kIdle        the session: from a message that finds no transaction to the end of one
//   kBusy --rest--> kInBlock --go_on--> kBusy      between the messages of a transaction block
//   kIdle --hold--> kHeld --release--> kIdle       who puts the database back
//
// Invariant: whoever holds a session sees all that it did, and the session sees all that was done while it was held: each
// change to and from kIdle is a release that the next change from it acquires.
// Thread safety: enter, leave, rest and go_on are the session's; hold, release and in_block are anybody's.
#pragma once

#include <atomic>
#include <cstdint>

namespace indigo::engine {

class DatabaseUse {
 public:
  // False while it is held.
  bool enter() { return from_idle(State::kBusy); }
  void leave() { state_.store(State::kIdle, std::memory_order_release); }  // pairs with hold()
  void rest() { state_.store(State::kInBlock, std::memory_order_relaxed); }
  void go_on() { state_.store(State::kBusy, std::memory_order_relaxed); }

  // False while the session works.
  bool hold() { return from_idle(State::kHeld); }
  void release() { state_.store(State::kIdle, std::memory_order_release); }  // pairs with enter()
  bool in_block() const { return state_.load(std::memory_order_relaxed) == State::kInBlock; }

 private:
  enum class State : uint8_t { kIdle, kBusy, kInBlock, kHeld };
  bool from_idle(State to) {
    State idle = State::kIdle;
    // Pairs with leave() and release().
    return state_.compare_exchange_strong(idle, to, std::memory_order_acquire, std::memory_order_relaxed);
  }

  std::atomic<State> state_{State::kIdle};
};

}  // namespace indigo::engine
