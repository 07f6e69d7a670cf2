#include "tests/crash/workload.h"

#include <algorithm>
#include <cstdlib>
#include <mutex>
#include <thread>

namespace indigo::crash {

namespace {

void raise(std::atomic<uint64_t>& number, uint64_t to) {
  uint64_t known = number;
  while (known < to && !number.compare_exchange_weak(known, to)) {
  }
}

}  // namespace

Workload::Workload(uint64_t seed, uint32_t clients, uint32_t steps)
    : clones_(seed, scripts_, std::span(acknowledged_).subspan(kClones, Clones::kMost)) {
  for (uint32_t c = 0; c < clients; c++) scripts_.emplace_back(seed, c, steps);
}

Workload::Progress Workload::acknowledged() const {
  Progress out{};
  for (size_t i = 0; i < out.size(); i++) out[i] = acknowledged_[i].load();
  return out;
}

std::string Workload::run(engine::Instance& instance, uint32_t steps, uint32_t clones, uint64_t& transactions) {
  if (next_[kClientsMax] == 0) {
    Client client(instance);
    if (std::string error = client.run(kSharedSetup); !error.empty()) return "setup: " + error;
    acknowledged_[kClientsMax] = next_[kClientsMax] = 1;
  }
  std::mutex mutex;  // guards `first`
  std::string first;
  std::vector<std::thread> threads;
  std::atomic<uint64_t> done{0};
  if (clones > 0) {
    threads.emplace_back([&] {
      const std::string error = clones_.run(instance, clones, [&] {
        ClientProgress out{};
        for (size_t i = 0; i < out.size(); i++) out[i] = acknowledged_[i].load();
        return out;
      });
      std::lock_guard lock(mutex);
      if (first.empty()) first = error;
    });
  }
  for (const Script& script : scripts_) {
    threads.emplace_back([&] {
      Client client(instance);
      uint64_t& next = next_[script.client()];
      for (uint32_t i = 0; i < steps && next < script.steps().size(); i++) {
        const Step& step = script.steps()[next];
        const char* level = step.asynchronous ? "set synchronous_commit = off" : "set synchronous_commit = on";
        std::string error = client.run(level);
        if (error.empty()) {
          error = Script::run(client, step, [&] { raise(acknowledged_[kPrepared + script.client()], next + 1); });
        }
        if (error.empty()) {
          next++;
          done++;
          if (!step.asynchronous) raise(acknowledged_[script.client()], next);
          if (step.checkpoint) error = client.run("checkpoint");
        }
        if (error.empty()) continue;
        std::lock_guard lock(mutex);
        if (first.empty()) first = "client " + std::to_string(script.client()) + ", " + step.text + ": " + error;
        return;
      }
    });
  }
  std::atomic<bool> ended{false};
  std::thread reader([&] {
    Client client(instance);
    client.run("set enable_seqscan = off");  // a point is looked up: what else the table has is not shown
    for (uint64_t i = 0; !ended; i++) {
      const Script& script = scripts_[i % scripts_.size()];
      auto& acknowledged = acknowledged_[script.client()];
      raise(acknowledged, script.shown(client, static_cast<int>(i / scripts_.size() % Script::kWays), acknowledged));
    }
  });
  for (auto& thread : threads) thread.join();
  ended = true;
  reader.join();
  transactions += done;
  return first;
}

Workload::Progress Workload::before_check(Progress least) {
  std::fill(least.begin() + kPrepared, least.end(), 0);
  return least;
}

std::string Workload::check(engine::Instance& instance, const Progress& least) {
  Client client(instance);
  const std::string missing = client.ask("select to_regclass('shared.history') is null");
  if (missing != "f" && missing != "t") return "the server shows nothing: " + missing;
  const bool shared = missing == "f";
  if (!shared && least[kClientsMax] != 0) return "the shared tables are lost";
  next_[kClientsMax] = shared ? 1 : 0;
  checks_++;
  for (const Script& script : scripts_) {
    const uint64_t prepared = least[kPrepared + script.client()];
    if (std::string error = script.decide(client, (checks_ + script.client()) % 3 != 0, prepared); !error.empty()) {
      return error;
    }
  }
  for (const Script& script : scripts_) {
    uint64_t found = 0;
    if (std::string error = check_client(client, script, least[script.client()], found); !error.empty()) return error;
    next_[script.client()] = found;
  }
  if (shared) {
    if (std::string error = check_shared(client, scripts_, next_); !error.empty()) return error;
  }
  if (std::string error = clones_.check(instance, std::span(least).subspan(kClones, Clones::kMost)); !error.empty())
    return error;
  // What has been seen here is durable.
  for (size_t i = 0; i < next_.size(); i++) acknowledged_[i] = next_[i];
  for (size_t i = 0; i < kClientsMax; i++) acknowledged_[kPrepared + i] = 0;
  return "";
}

}  // namespace indigo::crash
