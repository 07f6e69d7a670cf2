// Databases made from others while those are in use: made, changed, cloned again and dropped beside the scripts' clients.
//
// What is checked in a clone that is there: every client's schema is what its script has after n transactions, with n at least
// what had been acknowledged when the clone was begun; the shared history is that of one moment; the clone's own changes are
// a prefix of those made, at least those acknowledged.
// Thread safety: run() beside other clients; the rest from one thread.
#pragma once

#include <array>
#include <atomic>
#include <deque>
#include <functional>
#include <map>
#include <random>
#include <span>
#include <string>

#include "tests/crash/script.h"
#include "tests/crash/server.h"

namespace indigo::crash {

inline constexpr uint32_t kClientsMax = 4;
// Transactions of each client; [kClientsMax]: the shared setup.
using ClientProgress = std::array<uint64_t, kClientsMax + 1>;

// Empty, or what is wrong with a client's schema; `found`: the number of its transactions. `expected` (may be null) in the
// place of what the script has after them.
std::string check_client(Client& client, const Script& script, uint64_t least, uint64_t& found,
                         const std::function<std::string(uint64_t found)>& expected = nullptr);
// The same for the shared history, in a database where the clients have come so far.
std::string check_shared(Client& client, const std::deque<Script>& scripts, const ClientProgress& found);

class Clones {
 public:
  static constexpr size_t kMost = 48;  // of one trial
  static constexpr uint64_t kGone = UINT64_MAX;

  // `acknowledged`: kMost numbers. 0: nothing is known; n: the clone is there, and n - 1 changes; kGone.
  Clones(uint64_t seed, const std::deque<Script>& scripts, std::span<std::atomic<uint64_t>> acknowledged)
      : random_(seed * 31), scripts_(scripts), acknowledged_(acknowledged) {}

  // Makes up to so many; empty, or the first error.
  std::string run(engine::Instance& instance, uint32_t count, const std::function<ClientProgress()>& progress);
  std::string check(engine::Instance& instance, std::span<const uint64_t> least);

 private:
  static std::string name(size_t clone) { return "clone" + std::to_string(clone); }
  std::string make(engine::Instance& instance, const std::function<ClientProgress()>& progress);
  std::string change(engine::Instance& instance, size_t clone);
  std::string drop(engine::Instance& instance, size_t clone);
  std::string check_one(engine::Instance& instance, size_t clone, uint64_t least, uint64_t& changes);
  std::string changed(uint64_t steps, uint64_t changes);

  std::mt19937_64 random_;
  const std::deque<Script>& scripts_;
  const std::span<std::atomic<uint64_t>> acknowledged_;
  std::array<ClientProgress, kMost> least_{};  // when each was begun
  size_t count_ = 0;
  std::map<std::pair<uint64_t, uint64_t>, std::string> changed_;  // what was computed
};

}  // namespace indigo::crash
