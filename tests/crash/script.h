// What one client does, as a list of transactions that follows from seed and client alone: what its schema holds after any
// number of them can be computed by running them on another server.
//
// Every client has a schema of its own (c0, c1 ...) with rows, definitions that come and go, partitions and triggers, a sequence,
// and a large object; `last` says how many transactions there were, and so does the one row of `marks`, which each transaction
// deletes to insert its own. All share a counter whose values, noted in shared.history, have one order.
// Thread safety: immutable.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "tests/crash/server.h"

namespace indigo::crash {

struct Step {
  std::string before;  // a transaction that is prepared as rolled_back, and then rolled back
  std::string rolled_back;
  std::string text;           // one transaction, or one that is rolled back before it
  std::string prepared;       // the name under which it is prepared, to be committed then; empty: it commits at once
  bool asynchronous = false;  // acknowledged before it is durable
  bool shared = false;        // takes a value of the shared counter
  bool checkpoint = false;    // a CHECKPOINT follows
};

class Script {
 public:
  Script(uint64_t seed, uint32_t client, uint32_t steps);

  uint32_t client() const { return client_; }
  const std::vector<Step>& steps() const { return steps_; }
  // Empty, or the first error. `on_prepared` is called between.
  static std::string run(Client& client, const Step& step, const std::function<void()>& on_prepared = {});
  // The name under which step n of this client, counted from 1, is prepared.
  std::string prepared_name(uint64_t n) const { return schema() + "_" + std::to_string(n); }
  // After a recovery: decides on what is prepared, `commit`ting what is to be committed or not. Empty, or what is wrong with it.
  // `prepared_least`: the last step whose preparation was acknowledged.
  std::string decide(Client& client, bool commit, uint64_t prepared_least) const;
  // What the client's schema holds, as text.
  std::string contents(Client& client) const;
  // contents() after 0, 1 ... steps.
  const std::vector<std::string>& expected() const { return expected_; }
  // How many transactions a question to a running server shows to have been, by `way` (of kWays): who was shown them may not lose
  // them. `known`: how many there were at least.
  static constexpr int kWays = 4;
  uint64_t shown(Client& client, int way, uint64_t known) const;
  // The same for what concerns the shared history: the numbers of the steps among the first n that took a value.
  std::string shared_steps(size_t n) const;

 private:
  friend class Writer;
  std::string large_object() const { return std::to_string(70000 + client_); }
  std::string schema() const { return "c" + std::to_string(client_); }
  void run_in_memory();

  const uint32_t client_;
  std::vector<Step> steps_;
  std::vector<std::string> expected_;
};

// The counter and its history, which the scripts share.
inline constexpr const char* kSharedSetup =
    "begin; create schema shared; create table shared.counter (n int); insert into shared.counter values (0);"
    "create table shared.history (n int primary key, client int, step int); commit";

}  // namespace indigo::crash
