// The sessions that stream changes, for pg_stat_replication. One for each instance.
// Thread safety: all functions.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace indigo::engine::replication {

struct WalsenderState {
  int32_t pid = 0;
  bool streaming = false;  // it has caught up once
  uint64_t sent = 0, written = 0, flushed = 0, applied = 0;
  int64_t reply_time = 0;  // the client's clock, microseconds since 2000-01-01; 0: it has not answered yet
};

class Walsenders {
 public:
  void set(const WalsenderState& state) {
    const std::lock_guard lock(mutex_);
    states_[state.pid] = state;
  }
  void forget(int32_t pid) {
    const std::lock_guard lock(mutex_);
    states_.erase(pid);
  }
  std::vector<WalsenderState> list() const {
    const std::lock_guard lock(mutex_);
    std::vector<WalsenderState> out;
    for (const auto& [pid, state] : states_) out.push_back(state);
    return out;
  }

 private:
  mutable std::mutex mutex_;
  std::map<int32_t, WalsenderState> states_;
};

}  // namespace indigo::engine::replication
