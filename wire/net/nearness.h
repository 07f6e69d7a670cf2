// Whether a client seems to run on the core of the worker that serves it. Such a client preempts the worker when its
// answer is sent, and has asked its next question by the time send() returns: a look at the socket finds it. A client
// on another core is still being woken then. Wake-ups across cores cost both sides an interrupt, in a virtual machine
// several times what a point query costs, so a busy client's session had better move to a worker that is closer.
// Thread safety: none; the session's.
#pragma once

#include <algorithm>
#include <cstdint>

namespace indigo::wire {

class Nearness {
 public:
  static constexpr uint32_t kWaitsPerLook = 8;
  // Looks in a row that find something before the worker's other sessions have their turn.
  static constexpr uint32_t kInARow = 8;
  // Looks in vain before the session moves: at first, and at most.
  static constexpr uint32_t kLeastPatience = 16;
  static constexpr uint32_t kMostPatience = 16 * 1024;

  // Before a wait for input: whether to look at the socket at once. Nearly always where that mostly finds something,
  // else now and then.
  bool look_at_once() { return near() ? ++looks_ % kInARow != 0 : ++waits_ % kWaitsPerLook == 0; }

  // What the look found.
  void looked(bool found) {
    score_ += ((found ? kScale : 0) - score_) / 8;
    if (near()) {
      patience_ = kLeastPatience;
      misses_ = 0;
    } else {
      misses_++;
    }
  }

  // Whether the session should try another worker now: the client was far away for a while. Each try that has not
  // helped makes the next one wait twice as long.
  bool wants_to_move() {
    if (misses_ < patience_) return false;
    misses_ = 0;
    patience_ = std::min(patience_ * 2, kMostPatience);
    return true;
  }

 private:
  static constexpr int kScale = 1024;
  bool near() const { return score_ >= kScale / 4; }

  int score_ = 0;  // a moving average of the looks' success, kScale: always
  uint32_t waits_ = 0;
  uint32_t looks_ = 0;
  uint32_t misses_ = 0;
  uint32_t patience_ = kLeastPatience;
};

}  // namespace indigo::wire
