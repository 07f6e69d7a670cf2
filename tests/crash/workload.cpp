#include "tests/crash/workload.h"

#include <cstdlib>
#include <mutex>
#include <thread>

namespace indigo::crash {

Workload::Workload(uint64_t seed, uint32_t clients, uint32_t steps) {
  for (uint32_t c = 0; c < clients; c++) scripts_.emplace_back(seed, c, steps);
}

Workload::Progress Workload::acknowledged() const {
  Progress out{};
  for (size_t i = 0; i < out.size(); i++) out[i] = acknowledged_[i].load();
  return out;
}

std::string Workload::run(engine::Instance& instance, uint32_t steps, uint64_t& transactions) {
  if (next_[kClientsMax] == 0) {
    Client client(instance);
    if (std::string error = client.run(kSharedSetup); !error.empty()) return "setup: " + error;
    acknowledged_[kClientsMax] = next_[kClientsMax] = 1;
  }
  std::mutex mutex;  // guards `first`
  std::string first;
  std::vector<std::thread> threads;
  std::atomic<uint64_t> done{0};
  for (const Script& script : scripts_) {
    threads.emplace_back([&] {
      Client client(instance);
      uint64_t& next = next_[script.client()];
      for (uint32_t i = 0; i < steps && next < script.steps().size(); i++) {
        const Step& step = script.steps()[next];
        const char* level = step.asynchronous ? "set synchronous_commit = off" : "set synchronous_commit = on";
        std::string error = client.run(level);
        if (error.empty()) error = client.run(step.text);
        if (error.empty()) {
          next++;
          done++;
          if (!step.asynchronous) acknowledged_[script.client()] = next;
          if (step.checkpoint) error = client.run("checkpoint");
        }
        if (error.empty()) continue;
        std::lock_guard lock(mutex);
        if (first.empty()) first = "client " + std::to_string(script.client()) + ", " + step.text + ": " + error;
        return;
      }
    });
  }
  for (auto& thread : threads) thread.join();
  transactions += done;
  return first;
}

std::string Workload::check_client(Client& client, const Script& script, uint64_t least, uint64_t& found) const {
  const std::string schema = "c" + std::to_string(script.client());
  const std::string last = client.ask("select to_regclass('" + schema + ".last') is null");
  found = 0;
  if (last == "f") found = std::strtoull(client.ask("select n from " + schema + ".last").c_str(), nullptr, 10);
  // The first transaction makes `last` and sets it to 1.
  const std::string who = "client " + std::to_string(script.client()) + ": ";
  if (found < least) {
    return who + std::to_string(least) + " transactions were acknowledged, " + std::to_string(found) + " are there";
  }
  if (found > script.steps().size()) return who + "more transactions than there ever were";
  const std::string contents = script.contents(client);
  if (contents != script.expected()[found]) {
    return who + "after " + std::to_string(found) + " transactions expected\n" + script.expected()[found] +
           "\nfound\n" + contents + "\n(the last was " + (found == 0 ? "none" : script.steps()[found - 1].text) + ")";
  }
  if (found == 0) return "";
  const std::string fresh =
      client.ask("select nextval('" + schema + ".s') > (select coalesce(max(v), 0) from " + schema + ".numbered)");
  return fresh == "t" ? "" : who + "the sequence repeats itself: " + fresh;
}

std::string Workload::check_shared(Client& client) const {
  const std::string gaps = client.ask(
      "select (select n from shared.counter) - count(*), count(*) - coalesce(max(n), 0), coalesce(min(n), 1) from "
      "shared.history");
  if (gaps != "0|0|1") return "the shared history has gaps: " + gaps;
  for (const Script& script : scripts_) {
    const std::string id = std::to_string(script.client());
    const std::string steps = client.ask("select step from shared.history where client = " + id + " order by n");
    if (steps != script.shared_steps(next_[script.client()])) {
      return "the shared history of client " + id + " has steps " + steps + " after " +
             std::to_string(next_[script.client()]) + " transactions";
    }
  }
  return "";
}

std::string Workload::check(engine::Instance& instance, const Progress& least) {
  Client client(instance);
  const std::string missing = client.ask("select to_regclass('shared.history') is null");
  if (missing != "f" && missing != "t") return "the server shows nothing: " + missing;
  const bool shared = missing == "f";
  if (!shared && least[kClientsMax] != 0) return "the shared tables are lost";
  next_[kClientsMax] = shared ? 1 : 0;
  for (const Script& script : scripts_) {
    uint64_t found = 0;
    if (std::string error = check_client(client, script, least[script.client()], found); !error.empty()) return error;
    next_[script.client()] = found;
  }
  if (shared) {
    if (std::string error = check_shared(client); !error.empty()) return error;
  }
  // What has been seen here is durable.
  for (size_t i = 0; i < next_.size(); i++) acknowledged_[i] = next_[i];
  return "";
}

}  // namespace indigo::crash
