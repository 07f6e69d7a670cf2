#include "log/block_space.h"

#include <cstring>

#include "base/fiber/thread_start.h"
#include "log/crc32c.h"

namespace indigo::log {

BlockSpace::BlockSpace(Device& device, const Geometry& geometry, uint64_t epoch, const LsnOrder& order,
                       uint64_t first_lsn)
    : device_(device), geometry_(geometry), epoch_(epoch), order_(order), tables_end_(first_lsn) {}

BlockSpace::~BlockSpace() { stop(); }

Status BlockSpace::start() {
  std::unique_lock lock(mutex_);
  add_slots(0, kFirstTable);
  uint32_t block = 0;
  INDIGO_TRY(add_table(lock));
  INDIGO_TRY(add_block(lock, block));
  free_blocks_.push_back(block);
  thread_ = std::thread([this] { run(); });
  return {};
}

void BlockSpace::stop() {
  {
    std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  ready_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void BlockSpace::add_slots(uint32_t block, size_t offset) {
  for (; offset + geometry_.table_bytes() <= geometry_.block_bytes; offset += geometry_.table_bytes()) {
    free_slots_.push_back(device_.block(block) + offset);
  }
}

void BlockSpace::write_block_header(uint32_t block, BlockKind kind) {
  BlockHeader header;
  header.kind = kind;
  header.epoch = epoch_;
  header.number = block;
  header.crc = crc32c(&header, offsetof(BlockHeader, crc));
  device_.write(device_.block(block), &header, sizeof header);
  device_.fence();
}

// Called with the lock; growing is slow and goes without it. Only one thread grows: start(), then the space's own.
Status BlockSpace::add_block(std::unique_lock<std::mutex>& lock, uint32_t& block) {
  lock.unlock();
  Status status = device_.grow();
  lock.lock();
  INDIGO_TRY(std::move(status));
  block = device_.block_count() - 1;
  return {};
}

Status BlockSpace::add_table(std::unique_lock<std::mutex>& lock) {
  if (free_slots_.empty()) {
    uint32_t block = 0;
    INDIGO_TRY(add_block(lock, block));
    write_block_header(block, BlockKind::kTables);
    add_slots(block, kTableInBlock);
  }
  char* address = free_slots_.back();
  free_slots_.pop_back();
  uint64_t segment = tables_end_.load() >> geometry_.segment_bits;
  static const std::string zeros(size_t{1} << 16, '\0');
  size_t size = geometry_.table_bytes();
  for (size_t done = 0; done < size; done += zeros.size()) {
    device_.write(address + done, zeros.data(), std::min(zeros.size(), size - done));
  }
  TableHeader header;
  header.segment = segment;
  header.epoch = epoch_;
  header.crc = crc32c(&header.segment, 16);
  device_.write(address, &header, sizeof header);
  device_.fence();
  used_slots_.push_back({address, segment});
  tables_[segment % kTables].store(address, std::memory_order_release);  // pairs with table_entry_address
  tables_end_.store((segment + 1) << geometry_.segment_bits);
  return {};
}

bool BlockSpace::wants() const {
  return free_blocks_.size() < kSpareBlocks ||
         tables_end_.load() < order_.next() + (kTablesAhead << geometry_.segment_bits) / 2;
}

void BlockSpace::look() {
  if (wanted_.exchange(true)) return;
  { std::lock_guard lock(mutex_); }
  changed_.notify_all();
}

void BlockSpace::run() {
  begin_thread("log blocks");
  std::unique_lock lock(mutex_);
  while (!stop_) {
    wanted_.store(false);
    while (!stop_ && wants()) {
      Status status;
      if (tables_end_.load() < order_.next() + (kTablesAhead << geometry_.segment_bits) / 2) {
        status = add_table(lock);
      } else {
        uint32_t block = 0;
        status = add_block(lock, block);
        if (status.ok()) free_blocks_.push_back(block);
      }
      failure_ = status.take_error();
      lock.unlock();
      ready_.notify_all();
      lock.lock();
      if (failure_ != nullptr) break;
    }
    changed_.wait(lock, [this] { return stop_ || wanted_.load(); });
  }
}

uint32_t BlockSpace::take_block() {
  uint32_t block = 0;
  {
    std::lock_guard lock(mutex_);
    if (!free_blocks_.empty()) {
      block = free_blocks_.back();
      free_blocks_.pop_back();
      states_[block].open = true;
      states_[block].data = true;
      states_[block].newest.store(0);
    }
  }
  look();
  if (block != 0) write_block_header(block, BlockKind::kData);
  return block;
}

void BlockSpace::close_block(uint32_t block) {
  std::lock_guard lock(mutex_);
  states_[block].open = false;
}

bool BlockSpace::wait(uint64_t lsn) {
  bool enough = false, over = false;
  {
    std::lock_guard lock(mutex_);
    failure_ = nullptr;  // try once more: there may be room now
  }
  const auto done = [&] {
    std::lock_guard lock(mutex_);
    enough = !free_blocks_.empty() && tables_end_.load() > lsn;
    over = stop_ || failure_ != nullptr;
    return enough || over;
  };
  look();
  while (!done()) {
    if (ready_.wait(done) == WaitResult::kWoken) break;
    std::this_thread::yield();  // interrupted: a commit continues; growing ends soon, either way
  }
  return enough;
}

Status BlockSpace::failure() {
  std::lock_guard lock(mutex_);
  if (failure_ == nullptr) return {};
  return *failure_;
}

void BlockSpace::recycle(uint64_t horizon) {
  {
    std::lock_guard lock(mutex_);
    for (uint32_t i = 1; i < device_.block_count(); i++) {
      State& s = states_[i];
      if (!s.data || s.open || s.pending.load() != 0 || s.newest.load() >= horizon) continue;
      s.data = false;
      free_blocks_.push_back(i);
    }
    std::erase_if(used_slots_, [&](const Slot& slot) {
      if ((slot.segment + 1) << geometry_.segment_bits > horizon) return false;
      free_slots_.push_back(slot.address);
      return true;
    });
    failure_ = nullptr;
  }
  ready_.notify_all();
}

}  // namespace indigo::log
