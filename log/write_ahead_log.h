// The log of one epoch being written: appends from all workers into blocks of their own, one order of LSNs, and a flusher
// that makes the prefix of that order durable for many commits at once.
//
// How a record becomes durable depends on device and level:
//   process            when it is in its place (mapped memory outlives the process)
//   power, cacheline   when it is in its place: flushed and fenced there by its writer
//   power, page        when the flusher's next sync has ended
// Thread safety: as Log; start before, stop after all others.
// Source: Index-Organized 5.3; prefix-ordered durability and groups are ours (log/README.md).
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>

#include "base/fiber/wait_point.h"
#include "log/block_space.h"
#include "log/device.h"
#include "log/log.h"
#include "log/lsn_order.h"

namespace indigo::log {

struct EpochStart {
  uint64_t epoch = 1;
  uint64_t first_lsn = 0;     // zero: the first of all
  uint64_t previous_cut = 0;  // of the epoch before
};

class WriteAheadLog final : public Log {
 public:
  WriteAheadLog(Directory& directory, Durability level, const Geometry& geometry);
  ~WriteAheadLog() override;

  static std::string file_name(uint64_t epoch);

  // Makes the epoch's file and its header durable. From then on nothing of earlier epochs past the cut exists. A device without
  // room for blocks of the geometry's size gets smaller ones, down to kLeastBlockBytes; 53100 when it has no room for these.
  Status start(const EpochStart& start);
  // Flushes everything and ends the threads. There are no more appends.
  void stop();

  bool records() const override { return true; }
  size_t max_payload() const override { return std::min<size_t>(geometry_.block_bytes / 4, size_t{1} << 20); }
  Outcome reserve(size_t payload_bytes, Reservation& out) override;
  void release(Reservation& reservation) override;
  Lsn append(Reservation& reservation, RecordKind kind, CommitStamp stamp, Lsn first_part, Bytes payload) override;
  void parts_done(Lsn first_part) override;
  bool wait_durable(Lsn lsn) override;
  Lsn appended() const override { return Lsn(order_->next() - 1); }
  CommitStamp durable_stamp() const override { return CommitStamp(durable_stamp_.load(std::memory_order_acquire)); }
  void follow_commits(const std::function<CommitStamp()>& stable) override;

  // ---- for checkpoints
  // Each transaction with a record below has all of its records' stamps taken: a snapshot that covers every stamp taken
  // after this call needs nothing below.
  uint64_t horizon_candidate();
  // A checkpoint that needs nothing below `horizon` is durable.
  void recycle(uint64_t horizon) { space_->recycle(horizon); }
  uint64_t epoch() const { return start_.epoch; }
  uint64_t bytes_appended() const { return bytes_appended_.load(std::memory_order_relaxed); }

  // ---- to show
  Durability level() const { return level_; }
  Granularity granularity() const { return device_->granularity(); }
  Status failure() override;
  struct Statistics {
    uint64_t records = 0, bytes = 0, file_bytes = 0;  // of this epoch
    uint64_t flushes = 0, flush_microseconds = 0, flush_microseconds_max = 0, flushed_records = 0;
    uint64_t durable_end = 0, next_lsn = 0;
  };
  Statistics statistics() const;

 private:
  static constexpr uint32_t kAppenders = 16;
  static constexpr uint32_t kLeastBlockBytes = 1u << 20;  // has room for a table of a segment of the default size
  static constexpr uint64_t kMaxUnflushedBytes = 256u << 20;
  struct alignas(64) Appender {
    std::mutex mutex;  // guards both
    uint32_t block = 0, line = 0;
  };

  bool flushes() const { return level_ == Durability::kPower && device_->granularity() == Granularity::kPage; }
  bool place(Appender& appender, uint32_t lines, Reservation& out);
  void touch(const Reservation& place, uint32_t lines);
  Status make_file(const std::string& temporary);
  Status write_file_header();
  void write_watermark(uint64_t lsn);
  void run_flusher();
  void flush(std::unique_lock<std::mutex>& lock);
  void wake_flusher();
  bool sleep(std::unique_lock<std::mutex>& lock, Clock::duration time);
  void fail(const Error& error);

  Directory& directory_;
  const Durability level_;
  Geometry geometry_;  // as start() leaves it
  EpochStart start_;
  std::unique_ptr<Device> device_;
  std::unique_ptr<LsnOrder> order_;
  std::unique_ptr<BlockSpace> space_;
  std::array<Appender, kAppenders> appenders_;
  alignas(64) std::atomic<uint64_t> reserved_{0};  // records reserved and not appended
  std::atomic<uint64_t> bytes_appended_{0};
  std::atomic<uint64_t> bytes_flushed_{0};
  std::atomic<uint64_t> durable_end_{0};  // all below are durable; used when flushes()
  std::atomic<uint64_t> durable_stamp_{0};
  std::atomic<bool> failed_{false};
  std::atomic<uint64_t> void_from_{UINT64_MAX};  // LSN; without flushes: nothing from there on is acknowledged
  std::atomic<bool> flusher_sleeps_{false};
  WaitPoint durable_;

  std::mutex parts_mutex_;
  std::multiset<uint64_t> open_parts_;  // guarded by parts_mutex_

  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable wake_;
  std::unique_ptr<Error> failure_;
  std::function<CommitStamp()> stable_;
  // Commits up to this stamp lie below this LSN. A zero stamp: not asked yet.
  struct {
    CommitStamp stamp;
    uint64_t end = 0;
  } next_durable_;
  uint64_t watermark_lsn_ = 0, watermark_sequence_ = 0;
  uint64_t flush_count_ = 0, flush_microseconds_ = 0, flush_microseconds_max_ = 0, flushed_records_ = 0;
  bool stop_ = false;
  std::thread flusher_;
};

}  // namespace indigo::log
