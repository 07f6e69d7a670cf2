#include "tests/crash/trial.h"

#include <chrono>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

#include "storage/txn/clock_source.h"
#include "tests/crash/workload.h"

namespace indigo::crash {

namespace {

using Fault = log::SimulatedDirectory::Fault;

constexpr uint32_t kSteps = 24, kStepsOfFirstLife = 12, kStepsOfLaterLives = 4;
constexpr size_t kCrashesOfOneLife = 20;
constexpr int kLaterLives = 2;
constexpr auto kStall = std::chrono::milliseconds(1);

// What a crash left, and what it may not have lost.
struct Crash {
  Disk disk;
  Workload::Progress least;
  std::string where;
};

class Trial {
 public:
  Trial(uint64_t seed, Counts& counts)
      : counts_(counts),
        random_(seed),
        machine_(choose_machine(seed)),
        disk_seed_(random_()),
        workload_(seed, 1 + static_cast<uint32_t>(random_() % kClientsMax), kSteps) {}

  std::string run() {
    std::vector<Crash> crashes;
    {
      auto disk = std::make_shared<log::SimulatedDirectory>(machine_.granularity, disk_seed_);
      const uint64_t stride = 2 + random_() % 30, first = random_() % stride;
      std::string error = live(
          disk, {}, kStepsOfFirstLife, [&](uint64_t point) { return point % stride == first; }, crashes);
      if (!error.empty()) return "first life: " + error;
    }
    for (const Crash& crash : crashes) {
      if (std::string error = follow(crash); !error.empty()) return crash.where + error;
    }
    return "";
  }

 private:
  // One life: starts on `disk`, checks, works. Collects the disks of the crashes at points that `chosen` names, and of one at the
  // end: of the machine, of the process, or a clean end.
  std::string live(const Disk& disk, const Workload::Progress& least, uint32_t steps,
                   const std::function<bool(uint64_t)>& chosen, std::vector<Crash>& crashes) {
    std::vector<Workload::Progress> progress;  // guarded by the disk's mutex
    std::vector<std::string> places;
    bool checked = false;
    std::mutex mutex;  // guards `checked`
    disk->crash_when([&](uint64_t point) {
      if (places.size() >= kCrashesOfOneLife || !chosen(point)) return Fault::kNone;
      std::this_thread::sleep_for(kStall);  // the reader has time to be shown what is not durable
      std::lock_guard lock(mutex);
      progress.push_back(checked ? workload_.acknowledged() : Workload::before_check(least));
      const bool kill = machine_.level == log::Durability::kProcess || fault_random_() % 4 == 0;
      places.push_back((kill ? "process killed at point " : "crash at point ") + std::to_string(point) + ": ");
      return kill ? Fault::kKill : Fault::kCrash;
    });
    std::string error;
    Crash end;
    {
      auto instance = start(machine_, disk);
      counts_.recoveries++;
      if (!instance.ok()) return "no start: " + instance.error().message;
      error = workload_.check(**instance, least);
      if (!error.empty()) return error;
      {
        std::lock_guard lock(mutex);
        checked = true;
      }
      const uint32_t clones = !clones_ || steps == 0 ? 0 : steps == kStepsOfFirstLife ? 3 : random_() % 2;
      error = workload_.run(**instance, steps, clones, counts_.transactions);
      if (!error.empty()) return error;
      end.least = workload_.acknowledged();
      if (const uint64_t kind = random_() % 3; kind == 0 && machine_.level == log::Durability::kPower) {
        end.disk = disk->crash_now();
        end.where = "crash at the end: ";
      } else if (kind != 2) {
        end.disk = disk->process_killed();
        end.where = "process killed at the end: ";
      }
    }
    disk->crash_when(nullptr);
    if (end.disk == nullptr) {
      end.disk = machine_.level == log::Durability::kPower ? disk->crash_now() : disk->process_killed();
      end.where = "clean end: ";
    }
    for (size_t i = 0; i < progress.size(); i++) {
      crashes.push_back({disk->take_crashed(), progress[i], places[i]});
    }
    crashes.push_back(std::move(end));
    return "";
  }

  std::string follow(const Crash& first) {
    Crash crash = first;
    for (int life = 0; life < kLaterLives; life++) {
      counts_.crashes++;
      const uint64_t point = 1 + random_() % (life == 0 ? 12 : 60);
      std::vector<Crash> next;
      const bool last = life + 1 == kLaterLives;
      std::string error = live(
          crash.disk, crash.least, last ? 0 : kStepsOfLaterLives, [&](uint64_t p) { return p == point; }, next);
      if (!error.empty()) return (life == 0 ? "" : "then " + crash.where) + error;
      crash = std::move(next.front());
    }
    return "";
  }

  Counts& counts_;
  std::mt19937_64 random_;
  std::mt19937_64 fault_random_{random_()};  // used under the disk's mutex
  const Machine machine_;
  const uint64_t disk_seed_;
  const bool clones_ = random_() % 3 == 0;  // they make each check longer
  Workload workload_;
};

}  // namespace

Machine choose_machine(uint64_t seed) {
  std::mt19937_64 random(seed * 77);
  Machine m;
  constexpr std::pair<log::Granularity, log::Durability> kKinds[] = {
      {log::Granularity::kPage, log::Durability::kPower},
      {log::Granularity::kCacheLine, log::Durability::kPower},
      {log::Granularity::kPage, log::Durability::kPower},
      {log::Granularity::kPage, log::Durability::kProcess},
  };
  std::tie(m.granularity, m.level) = kKinds[seed % 4];
  m.geometry.block_bytes = 32u << 10 << random() % 3;
  m.geometry.segment_bits = 6 + random() % 3;
  m.recovery_threads = 1 + random() % 3;
  if (random() % 4 == 0 && storage::clock_source_usable(storage::ClockSource::kTsc)) m.commit_clock = "tsc";
  return m;
}

std::string run_trial(uint64_t seed, Counts& counts) { return Trial(seed, counts).run(); }

}  // namespace indigo::crash
