// The blocks of one log file: which are free, which belong to whom, and the tables of the segments. A thread of its own
// makes blocks and tables ahead of need, so that who appends finds them ready.
//
// Thread safety: all functions, from any thread.
// Invariants:
// 1. A block is given out again only when every record in it lies below the horizon of a durable checkpoint, and no
//    reservation in it is open.
// 2. tables_end() - 1 and every LSN below it (and not below the horizon) have a table.
#pragma once

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "base/fiber/wait_point.h"
#include "log/device.h"
#include "log/format.h"
#include "log/lsn_order.h"

namespace indigo::log {

class BlockSpace {
 public:
  BlockSpace(Device& device, const Geometry& geometry, uint64_t epoch, const LsnOrder& order, uint64_t first_lsn);
  ~BlockSpace();

  // The first table and the first free block; then starts the thread.
  Status start();
  void stop();

  // A zeroed or recycled data block; 0 when none is ready: then wait.
  uint32_t take_block();
  // No more reservations are made in it.
  void close_block(uint32_t block);
  uint64_t tables_end() const { return tables_end_.load(); }
  // Asks the thread to look whether something is wanted. Cheap.
  void look();
  // Waits until a block is free and `lsn` has a table. False: the device is full (or has failed): failure() says more.
  bool wait(uint64_t lsn);
  Status failure();

  char* table_entry_address(uint64_t lsn) const {
    char* table = tables_[(lsn >> geometry_.segment_bits) % kTables].load(std::memory_order_acquire);
    return table + kLine + (lsn & (geometry_.segment_entries() - 1)) * 8;  // pairs with the store in add_table
  }

  // ---- what lies in a block
  void reserved(uint32_t block) { states_[block].pending.fetch_add(1); }
  void released(uint32_t block) { states_[block].pending.fetch_sub(1); }
  void appended(uint32_t block, uint64_t lsn) {
    auto& newest = states_[block].newest;
    uint64_t seen = newest.load();
    while (seen < lsn && !newest.compare_exchange_weak(seen, lsn)) {
    }
    states_[block].pending.fetch_sub(1);
  }
  // Everything below `horizon` is in a durable checkpoint.
  void recycle(uint64_t horizon);
  uint64_t bytes() const { return uint64_t{device_.block_count()} * geometry_.block_bytes; }

 private:
  static constexpr size_t kTables = 256;
  static constexpr uint64_t kTablesAhead = 2;
  static constexpr size_t kSpareBlocks = 1;
  static constexpr uint32_t kMaxBlocks = 65536;
  struct State {
    std::atomic<uint32_t> pending{0};
    std::atomic<uint64_t> newest{0};  // LSN
    bool open = false, data = false;  // guarded by mutex_
  };
  struct Slot {
    char* address;
    uint64_t segment;
  };

  bool wants() const;  // under mutex_
  Status add_block(std::unique_lock<std::mutex>& lock, uint32_t& block);
  Status add_table(std::unique_lock<std::mutex>& lock);
  void add_slots(uint32_t block, size_t offset);
  void write_block_header(uint32_t block, BlockKind kind);
  void run();

  Device& device_;
  const Geometry geometry_;
  const uint64_t epoch_;
  const LsnOrder& order_;
  std::unique_ptr<State[]> states_ = std::make_unique<State[]>(kMaxBlocks);
  std::array<std::atomic<char*>, kTables> tables_{};
  std::atomic<uint64_t> tables_end_;
  std::atomic<bool> wanted_{false};

  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::vector<uint32_t> free_blocks_;
  std::vector<char*> free_slots_;
  std::vector<Slot> used_slots_;
  std::unique_ptr<Error> failure_;
  bool stop_ = false;
  WaitPoint ready_;
  std::thread thread_;
};

}  // namespace indigo::log
