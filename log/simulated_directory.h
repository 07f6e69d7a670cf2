// A Directory in memory that loses what a crash may lose. For tests: it keeps what was written apart from what is durable,
// and can be copied as a crash would leave it, every write that was not made durable kept or dropped by seeded choice.
//
//   cacheline device   a write lies in flight until a fence of the thread that made it; a crash keeps a prefix of the
//                      writes in flight of each cacheline
//   page device        a write lies in flight until a sync begins after it; a crash keeps a prefix for each cacheline. A sync
//                      that fails ends that, too: the bytes are seen, a crash takes them, later syncs do not know them
//   file               a crash keeps what was synced and a part of what follows
//   directory          creations, renames and removals take effect in order; those since the last sync may be lost
//
// Every step at which something becomes durable is a persist point. At those asked for, before they take effect, a copy
// is made as a crash there would leave it.
// Thread safety: as Directory.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "log/device.h"

namespace indigo::log {

class SimulatedDirectory final : public Directory {
 public:
  explicit SimulatedDirectory(Granularity granularity, uint64_t seed = 0);
  ~SimulatedDirectory() override;

  // ---- faults
  // At persist point number n (from 1) take the crash's copy; `moment` runs then, while nothing else becomes durable.
  void crash_at(uint64_t n, std::function<void()> moment);
  // The same at every persist point for which `fault` names one: the machine's crash, or the process's death. It is called
  // with the point's number.
  enum class Fault : uint8_t { kNone, kCrash, kKill };
  void crash_when(std::function<Fault(uint64_t point)> fault);
  std::unique_ptr<SimulatedDirectory> take_crashed();  // the oldest copy; null: there is none (any more)
  std::unique_ptr<SimulatedDirectory> crash_now();     // a copy as a crash at this moment would leave it
  // A copy as the death of the process leaves it: everything that was written is seen, and a crash may still take it.
  std::unique_ptr<SimulatedDirectory> process_killed();
  uint64_t persist_points() const;
  void fail_syncs_after(uint64_t n) { failing_point_ = n; }             // every sync from that persist point on fails
  void set_capacity(uint64_t bytes) { capacity_ = bytes; }              // of all devices
  void set_total_capacity(uint64_t bytes) { total_capacity_ = bytes; }  // of devices and files together
  uint64_t total_used() const { return total_used_; }
  uint64_t capacity_used() const { return used_; }
  // Mutations, for tests of the tests: leave out every fence, or every sync of a device.
  bool omit_fences = false, omit_syncs = false;
  // The bytes of a file as they are now, to damage them.
  std::string read_all(const std::string& name);
  void overwrite(const std::string& name, uint64_t offset, Bytes bytes);

  // ---- Directory
  std::string path(const std::string& name) const override { return "simulated/" + name; }
  Result<std::vector<std::string>> list() override;
  Result<std::unique_ptr<Device>> create_device(const std::string& name, uint32_t block_bytes) override;
  Result<std::unique_ptr<Device>> open_device(const std::string& name, uint32_t block_bytes) override;
  Result<std::unique_ptr<OutputFile>> create_file(const std::string& name) override;
  Result<std::unique_ptr<InputFile>> open_file(const std::string& name) override;
  Status rename(const std::string& from, const std::string& to) override;
  Status remove(const std::string& name) override;
  Status sync() override;

 private:
  friend class SimulatedDevice;
  friend class SimulatedOutput;
  struct Node;
  using Names = std::map<std::string, std::shared_ptr<Node>>;

  // ---- under mutex_
  Status persist_point();
  std::unique_ptr<SimulatedDirectory> copy(bool crash);
  void free_space_of(const std::string& name);
  Status take_space(uint64_t bytes);
  std::shared_ptr<Node> crash_copy(const Node& node, bool crash);

  const Granularity granularity_;
  mutable std::mutex mutex_;  // guards everything below
  std::mt19937_64 random_;
  Names names_, durable_names_;
  std::vector<std::function<void(Names&)>> directory_changes_;  // since the last sync
  uint64_t point_ = 0, failing_point_ = UINT64_MAX, capacity_ = UINT64_MAX, used_ = 0;
  uint64_t total_capacity_ = UINT64_MAX, total_used_ = 0;
  std::function<Fault(uint64_t)> crash_when_;
  std::deque<std::unique_ptr<SimulatedDirectory>> crashed_;
};

}  // namespace indigo::log
