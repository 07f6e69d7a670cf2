#include <random>

#include "log/reader.h"
#include "log/write_ahead_log.h"
#include "tests/crash/trial.h"
#include "tests/crash/workload.h"

namespace indigo::crash {

namespace {

constexpr uint32_t kSteps = 5;
constexpr int kDamagesOfEachFile = 40;

// Whether the log itself knows that all of it is durable; it follows when the log has been idle for a moment.
bool knows_its_end(log::SimulatedDirectory& disk, const std::string& name) {
  auto reader = log::EpochReader::open(disk, name);
  if (!reader.ok()) return false;
  const uint64_t known = (*reader)->watermark();
  return !(*reader)->read(known) && known > (*reader)->header().first_lsn;
}

}  // namespace

std::string run_damage(uint64_t seed, Counts& counts) {
  std::mt19937_64 random(seed);
  Machine machine;
  machine.geometry = {.block_bytes = 32 << 10, .segment_bits = 6};
  Workload workload(seed, 1, 4 * kSteps);
  auto disk = std::make_shared<log::SimulatedDirectory>(machine.granularity, seed);
  Disk damaged;
  const std::string log_name = log::WriteAheadLog::file_name(1);
  {
    auto instance = start(machine, disk);
    if (!instance.ok()) return instance.error().message;
    // One seed in two has a checkpoint to fall back to when the newest is damaged.
    std::string error = workload.run(**instance, kSteps, 0, counts.transactions);
    for (uint32_t i = 0; i < 1 + seed % 2 && error.empty(); i++) {
      error = Client(**instance).run("checkpoint");
      if (error.empty()) error = workload.run(**instance, kSteps, 1, counts.transactions);
    }
    if (error.empty())
      error = Client(**instance).run("set synchronous_commit = on; create table shared.at_the_end (a int)");
    if (!error.empty()) return error;
    do {
      damaged = disk->process_killed();
    } while (!knows_its_end(*damaged, log_name));
  }
  const auto names = damaged->list();
  const Workload::Progress all = workload.acknowledged();
  for (const std::string& name : *names) {
    if (name.ends_with(".tmp") || name == "format") continue;
    const std::string bytes = damaged->read_all(name);
    for (int i = 0; i < kDamagesOfEachFile;) {
      const size_t offset = random() % bytes.size();
      if (bytes[offset] == 0 && random() % 50 != 0) continue;
      i++;
      Disk copy = damaged->process_killed();
      const char flipped = static_cast<char>(bytes[offset] ^ (1 << random() % 8));
      copy->overwrite(name, offset, Bytes(&flipped, 1));
      counts.damages++;
      counts.recoveries++;
      auto instance = start(machine, copy);
      if (!instance.ok()) {
        counts.refusals++;
        if (instance.error().message.find(name) != std::string::npos) continue;
        return "byte " + std::to_string(offset) + " of " + name +
               " is refused without its name: " + instance.error().message;
      }
      std::string error = workload.check(**instance, all);
      if (error.empty() && Client(**instance).ask("select count(*) from shared.at_the_end") != "0")
        error = "the end is lost";
      if (!error.empty()) return "byte " + std::to_string(offset) + " of " + name + " damaged: " + error;
    }
  }
  return "";
}

}  // namespace indigo::crash
