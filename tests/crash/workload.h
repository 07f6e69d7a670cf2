// The clients of one seed: their scripts, how far each has come and been acknowledged, running them on a server, and checking
// a server that has recovered.
// Thread safety: acknowledged() from any thread; the rest from one.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "tests/crash/clones.h"
#include "tests/crash/script.h"
#include "tests/crash/server.h"

namespace indigo::crash {

class Workload {
 public:
  // What had been acknowledged: the clients' transactions (ClientProgress), then what Clones knows.
  // Then which of their transactions had been prepared.
  static constexpr size_t kClones = kClientsMax + 1, kPrepared = kClones + Clones::kMost;
  using Progress = std::array<uint64_t, kPrepared + kClientsMax>;

  Workload(uint64_t seed, uint32_t clients, uint32_t steps);

  Progress acknowledged() const;
  // Every client goes on by up to `steps` transactions, each on a thread of its own; beside them one only reads, and what it was
  // shown counts as acknowledged, and so many databases are cloned. Empty, or the first error.
  std::string run(engine::Instance& instance, uint32_t steps, uint32_t clones, uint64_t& transactions);
  // `least` while a server is being checked, which decides on what is prepared.
  static Progress before_check(Progress least);
  // Empty, or what is wrong with what the server shows. Clients go on from there.
  std::string check(engine::Instance& instance, const Progress& least);

 private:
  std::deque<Script> scripts_;
  std::array<std::atomic<uint64_t>, kPrepared + kClientsMax> acknowledged_{};
  uint64_t checks_ = 0;
  ClientProgress next_{};
  Clones clones_;
};

}  // namespace indigo::crash
