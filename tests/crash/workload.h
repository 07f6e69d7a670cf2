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

#include "tests/crash/script.h"
#include "tests/crash/server.h"

namespace indigo::crash {

inline constexpr uint32_t kClientsMax = 4;

class Workload {
 public:
  // Transactions that each client had seen acknowledged; [kClientsMax]: the shared setup.
  using Progress = std::array<uint64_t, kClientsMax + 1>;

  Workload(uint64_t seed, uint32_t clients, uint32_t steps);

  Progress acknowledged() const;
  // Every client goes on by up to `steps` transactions, each on a thread of its own. Empty, or the first error.
  std::string run(engine::Instance& instance, uint32_t steps, uint64_t& transactions);
  // Empty, or what is wrong with what the server shows. Clients go on from there.
  std::string check(engine::Instance& instance, const Progress& least);

 private:
  std::string check_client(Client& client, const Script& script, uint64_t least, uint64_t& found) const;
  std::string check_shared(Client& client) const;

  std::deque<Script> scripts_;
  std::array<std::atomic<uint64_t>, kClientsMax + 1> acknowledged_{};
  Progress next_{};
};

}  // namespace indigo::crash
