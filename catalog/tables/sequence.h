// A sequence's counter. nextval is not transactional: numbers that a rolled back transaction took stay taken.
// ALTER SEQUENCE and TRUNCATE ... RESTART IDENTITY make a new counter behind a new file number, so they are transactional.
//
// With a log, the counter is written there ahead of use: one note covers the next kAhead numbers, which a crash skips.
// Thread safety: all functions are safe from any thread; nextval and setval may wait for room in the log.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>

#include "base/error.h"
#include "base/ids.h"
#include "log/durable_id.h"

namespace indigo::log {
class Log;
struct Reservation;
}  // namespace indigo::log

namespace indigo::catalog {

struct SequenceOptions {  // a pg_sequence row
  int64_t start = 1, increment = 1, minimum = 1, maximum = INT64_MAX, cache = 1;
  bool cycle = false;
};

class Sequence {
 public:
  explicit Sequence(int64_t last_value, bool is_called = false) : state_{last_value, is_called}, logged_(state_) {}

  struct State {
    int64_t last_value;
    bool is_called;
  };
  static constexpr int kAhead = 32;

  // Before other threads know it: from now on its changes are logged. `log` outlives the counter.
  void attach(log::Log& log, log::DurableId id);
  // Logs its state now, if it has a log. 53100 when the log is full.
  Status note_state();
  log::DurableId durable_id() const { return id_; }

  // 2200H with PostgreSQL's message when the end is reached and it does not cycle. The number may be shown to others only
  // when the log is durable up to `needed`.
  Result<int64_t> next(const SequenceOptions& options, const std::string& name, Lsn& needed);
  // 22003 when out of bounds.
  Status set(int64_t value, bool is_called, const SequenceOptions& options, const std::string& name, Lsn& needed);
  // It may be shown to others only when the log is durable up to `needed`.
  State state(Lsn* needed = nullptr) const;
  // What the log knows: what is there after a crash.
  State logged_state() const;

 private:
  static Status step(State& state, const SequenceOptions& options, const std::string& name);
  // Waits for room for one note, if there is a log.
  Status reserve(log::Reservation& place) const;
  void note(log::Reservation& place, State state);  // under mutex_

  log::Log* log_ = nullptr;
  log::DurableId id_;
  mutable std::mutex mutex_;  // guards what follows; never held while waiting
  State state_;
  State logged_;
  int ahead_ = 0;  // numbers that may be given out before the next note
  Lsn lsn_;        // of the last note
};

}  // namespace indigo::catalog
