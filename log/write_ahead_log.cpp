#include "log/write_ahead_log.h"

#include <cstdio>

#include "base/fiber/thread_start.h"
#include "base/mutation.h"
#include "base/server_log.h"
#include "log/crc32c.h"
#include "log/file_error.h"

namespace indigo::log {

namespace {

constexpr auto kIdleBeforeWatermark = std::chrono::milliseconds(20);

uint32_t thread_number() {
  static std::atomic<uint32_t> next{0};
  thread_local const uint32_t number = next.fetch_add(1, std::memory_order_relaxed);
  return number;
}

}  // namespace

std::string WriteAheadLog::file_name(uint64_t epoch) {
  char name[32];
  std::snprintf(name, sizeof name, "log-%010llu", static_cast<unsigned long long>(epoch));
  return name;
}

WriteAheadLog::WriteAheadLog(Directory& directory, Durability level, const Geometry& geometry)
    : directory_(directory), level_(level), geometry_(geometry) {}

WriteAheadLog::~WriteAheadLog() { stop(); }

Status WriteAheadLog::start(const EpochStart& start) {
  start_ = start;
  if (start_.first_lsn == 0) start_.first_lsn = geometry_.segment_entries();
  const std::string name = file_name(start_.epoch), temporary = name + ".tmp";
  for (;;) {
    Status made = make_file(temporary);
    if (made.ok()) break;
    // What is left of the file would only take room from others.
    space_.reset();
    device_.reset();
    (void)directory_.remove(temporary);
    constexpr uint32_t kStep = 4;
    if (made.error().state != sqlstate::kDiskFull || geometry_.block_bytes / kStep < kLeastBlockBytes) return made;
    geometry_.block_bytes /= kStep;
    log_info("little room for a new log: it gets blocks of " + std::to_string(geometry_.block_bytes >> 20) + " MB");
  }
  INDIGO_TRY(directory_.rename(temporary, name));
  if (!mutated(Mutation::kUnsyncedNames)) INDIGO_TRY(directory_.sync());
  flusher_ = std::thread([this] { run_flusher(); });
  return {};
}

Status WriteAheadLog::make_file(const std::string& temporary) {
  INDIGO_ASSIGN(device_, directory_.create_device(temporary, geometry_.block_bytes));
  order_ = std::make_unique<LsnOrder>(start_.first_lsn);
  durable_end_ = start_.first_lsn;
  watermark_lsn_ = start_.first_lsn;
  INDIGO_TRY(device_->grow());
  INDIGO_TRY(write_file_header());
  space_ = std::make_unique<BlockSpace>(*device_, geometry_, start_.epoch, *order_, start_.first_lsn);
  INDIGO_TRY(space_->start());
  return device_->sync();
}

Status WriteAheadLog::write_file_header() {
  FileHeader header;
  header.block_bytes = geometry_.block_bytes;
  header.segment_bits = geometry_.segment_bits;
  header.epoch = start_.epoch;
  header.first_lsn = start_.first_lsn;
  header.previous_cut = start_.previous_cut;
  header.level = static_cast<uint32_t>(level_);
  header.crc = crc32c(&header, offsetof(FileHeader, crc));
  device_->write(device_->block(0), &header, sizeof header);
  return device_->sync();
}

void WriteAheadLog::stop() {
  if (flusher_.joinable()) {
    {
      std::lock_guard lock(mutex_);
      stop_ = true;
    }
    wake_.notify_all();
    flusher_.join();
  }
  if (space_ != nullptr) space_->stop();
}

// ---- appending

bool WriteAheadLog::place(Appender& appender, uint32_t lines, Reservation& out) {
  const uint32_t lines_per_block = geometry_.block_bytes / kLine;
  std::lock_guard lock(appender.mutex);
  if (appender.block == 0 || appender.line + lines > lines_per_block) {
    uint32_t fresh = space_->take_block();
    if (fresh == 0) return false;
    if (appender.block != 0) space_->close_block(appender.block);
    appender.block = fresh;
    appender.line = 1;
  }
  out.block = appender.block;
  out.line = appender.line;
  appender.line += lines;
  space_->reserved(out.block);
  return true;
}

// A page that must be read, or waits for its write-back, is waited for here, before there is a stamp, and not in append.
void WriteAheadLog::touch(const Reservation& place, uint32_t lines) {
  constexpr uint64_t kPage = 4096;
  if (device_->granularity() != Granularity::kPage) return;
  char* at = device_->block(place.block) + uint64_t{place.line} * kLine;
  const uint64_t bytes = uint64_t{lines} * kLine, zero = 0;
  for (uint64_t i = 0; i < bytes; i += kPage - (reinterpret_cast<uintptr_t>(at) + i) % kPage) {
    device_->write(at + i, &zero, sizeof zero);
  }
}

Log::Outcome WriteAheadLog::reserve(size_t payload_bytes, Reservation& out) {
  out.payload_bytes = static_cast<uint32_t>(payload_bytes);
  const auto lines = static_cast<uint32_t>(record_bytes(payload_bytes) / kLine);
  if (flushes() && bytes_appended_.load(std::memory_order_relaxed) - bytes_flushed_.load(std::memory_order_relaxed) >
                       kMaxUnflushedBytes) {
    wait_durable(Lsn(order_->filled_end() - 1));  // back-pressure: the device is slower than we are
  }
  // Counted before next() is read: a later one counts this one too, so tables last for all.
  uint64_t counted = reserved_.fetch_add(1) + 1;
  bool again = false;
  for (;;) {
    if (failed_.load(std::memory_order_relaxed)) break;
    uint64_t last = order_->next() + counted;
    if (last + geometry_.segment_entries() / 2 > space_->tables_end()) space_->look();
    if (last < space_->tables_end() && place(appenders_[thread_number() % kAppenders], lines, out)) {
      touch(out, lines);
      return Outcome::kOk;
    }
    if (again && !space_->failure().ok()) break;
    again = true;
    if (!space_->wait(last)) break;
    counted = reserved_.load();
  }
  reserved_.fetch_sub(1);
  out = {};
  return failed_.load() ? Outcome::kFailed : Outcome::kFull;
}

void WriteAheadLog::release(Reservation& reservation) {
  space_->released(reservation.block);
  reserved_.fetch_sub(1);
  reservation = {};
}

Lsn WriteAheadLog::append(Reservation& reservation, RecordKind kind, CommitStamp stamp, Lsn first_part, Bytes payload) {
  RecordHeader header;
  header.kind = kind;
  header.stamp = stamp.value;
  header.epoch = start_.epoch;
  header.first_part = first_part.value;
  header.watermark = flushes() ? durable_end_.load(std::memory_order_relaxed) : order_->filled_end();
  header.payload_bytes = static_cast<uint32_t>(payload.size());
  header.payload_crc = crc32c(payload.data(), payload.size());
  char* to = device_->block(reservation.block) + size_t{reservation.line} * kLine;
  device_->write(to + sizeof header, payload.data(), payload.size());
  Lsn lsn = order_->take();
  if (mutated(Mutation::kAcknowledgeAlone) && lsn.value % 4 == 0)
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  if (kind == RecordKind::kPart && !first_part) {
    std::lock_guard lock(parts_mutex_);
    open_parts_.insert(lsn.value);  // before it is filled: see horizon_candidate
  }
  header.lsn = lsn.value;
  header.crc = crc32c(&header, offsetof(RecordHeader, crc));
  device_->write(to, &header, sizeof header);
  uint64_t entry = table_entry(reservation.block, reservation.line);
  device_->write(space_->table_entry_address(lsn.value), &entry, sizeof entry);
  if (level_ == Durability::kPower && !mutated(Mutation::kOmitFences)) device_->fence();
  if (device_->faulted()) [[unlikely]] {  // before anyone can take it for written
    uint64_t from = void_from_.load();
    while (lsn.value < from && !void_from_.compare_exchange_weak(from, lsn.value)) {
    }
    if (Status failed = device_->sync(); !failed.ok() && !failed_.load()) fail(failed.error());
  }
  bytes_appended_.fetch_add(record_bytes(payload.size()), std::memory_order_relaxed);
  space_->appended(reservation.block, lsn.value);
  reserved_.fetch_sub(1);
  order_->fill(lsn);
  if (flusher_sleeps_.load()) wake_flusher();  // seq_cst, after fill: pairs with run_flusher
  return lsn;
}

void WriteAheadLog::parts_done(Lsn first_part) {
  std::lock_guard lock(parts_mutex_);
  open_parts_.erase(open_parts_.find(first_part.value));
}

uint64_t WriteAheadLog::horizon_candidate() {
  uint64_t horizon = order_->filled_end() + (mutated(Mutation::kHighHorizon) ? 8 : 0);
  std::lock_guard lock(parts_mutex_);
  if (!open_parts_.empty() && !mutated(Mutation::kForgetParts)) horizon = std::min(horizon, *open_parts_.begin());
  return horizon;
}

// ---- durability

bool WriteAheadLog::wait_durable(Lsn lsn) {
  if (mutated(Mutation::kAcknowledgeAtOnce)) return true;
  if (!flushes()) {
    if (lsn && !mutated(Mutation::kAcknowledgeAlone)) order_->wait_filled(lsn);
    return lsn.value < void_from_.load();
  }
  const auto done = [&] { return durable_end_.load() > lsn.value || failed_.load(); };
  while (!done()) {
    if (durable_.wait(done) == WaitResult::kWoken) break;
    // Interrupted: a commit that is in the log cannot be taken back, so it continues to wait, one flush at the most.
    std::this_thread::yield();
  }
  return durable_end_.load() > lsn.value;
}

void WriteAheadLog::fail(const Error& error) {
  log_error("the log has failed, no transaction commits any more: " + error.message);
  {
    std::lock_guard lock(mutex_);
    if (failure_ == nullptr) failure_ = std::make_unique<Error>(error);
  }
  failed_.store(true);
  durable_.notify_all();
}

Status WriteAheadLog::failure() {
  {
    std::lock_guard lock(mutex_);
    if (failure_ != nullptr) return *failure_;
  }
  return space_ == nullptr ? Status() : space_->failure();
}

void WriteAheadLog::write_watermark(uint64_t lsn) {
  Watermark mark;
  mark.lsn = lsn;
  mark.epoch = start_.epoch;
  mark.sequence = ++watermark_sequence_;
  mark.crc = crc32c(&mark, offsetof(Watermark, crc));
  device_->write(device_->block(0) + kWatermarkOffset[mark.sequence % 2], &mark, sizeof mark);
  device_->fence();
  watermark_lsn_ = lsn;
}

void WriteAheadLog::wake_flusher() {
  flusher_sleeps_.store(false);
  { std::lock_guard lock(mutex_); }
  wake_.notify_all();
}

void WriteAheadLog::follow_commits(const std::function<CommitStamp()>& stable) {
  const std::lock_guard lock(mutex_);
  stable_ = stable;
}

void WriteAheadLog::flush(std::unique_lock<std::mutex>& lock) {
  // In this order: what is decided was appended before.
  if (stable_ && flushes() && !next_durable_.stamp) next_durable_ = {stable_(), order_->next()};
  const uint64_t end = mutated(Mutation::kAcknowledgeAlone) ? order_->next() : order_->filled_end();
  const uint64_t bytes = bytes_appended_.load(std::memory_order_relaxed);
  if (!flushes()) {
    write_watermark(end);
    durable_end_.store(end);
    return;
  }
  // Records tell of it, too: only when none follow is it written by itself, and a group dirties one page less.
  if (end == durable_end_.load()) write_watermark(end);
  lock.unlock();
  const auto begin = Clock::now();
  Status status = mutated(Mutation::kOmitSyncs) ? Status() : device_->sync();
  const auto took = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - begin);
  const uint64_t group = end - durable_end_.load();
  if (status.ok()) {
    durable_end_.store(end);
    bytes_flushed_.store(bytes, std::memory_order_relaxed);
    if (next_durable_.stamp && next_durable_.end <= end) {
      durable_stamp_.store(next_durable_.stamp.value, std::memory_order_release);
      next_durable_ = {};
    }
    durable_.notify_all();
  } else {
    fail(status.error());
  }
  lock.lock();
  if (group == 0) return;  // the watermark's own
  flush_count_++;
  flushed_records_ += group;
  flush_microseconds_ += static_cast<uint64_t>(took.count());
  flush_microseconds_max_ = std::max(flush_microseconds_max_, static_cast<uint64_t>(took.count()));
}

// Until something is appended, the log stops, or the time has passed: then true.
bool WriteAheadLog::sleep(std::unique_lock<std::mutex>& lock, Clock::duration time) {
  flusher_sleeps_.store(true);  // seq_cst, before filled_end is read: pairs with append
  const auto news = [this] { return stop_ || !flusher_sleeps_.load() || order_->filled_end() > durable_end_.load(); };
  bool woken = time == Clock::duration::max() ? (wake_.wait(lock, news), true) : wake_.wait_for(lock, time, news);
  flusher_sleeps_.store(false);
  return !woken;
}

void WriteAheadLog::run_flusher() {
  begin_thread("log flusher");
  name_log_thread("walwriter");
  std::unique_lock lock(mutex_);
  for (;;) {
    if (failed_.load()) {
      wake_.wait(lock, [this] { return stop_; });
      return;
    }
    if (order_->filled_end() > durable_end_.load()) {
      flush(lock);
      // Persistent memory and level `process` need no flush; the watermark follows from time to time.
      if (!flushes()) wake_.wait_for(lock, kIdleBeforeWatermark, [this] { return stop_; });
    } else if (watermark_lsn_ < durable_end_.load()) {
      // Idle for a moment: notes what is durable, so that damage to it is not taken for a torn tail.
      if (stop_ || sleep(lock, kIdleBeforeWatermark)) flush(lock);
    } else if (stop_) {
      return;
    } else {
      sleep(lock, Clock::duration::max());
    }
  }
}

WriteAheadLog::Statistics WriteAheadLog::statistics() const {
  Statistics s;
  s.next_lsn = order_->next();
  s.records = s.next_lsn - start_.first_lsn;
  s.bytes = bytes_appended();
  s.file_bytes = space_->bytes();
  s.durable_end = flushes() ? durable_end_.load() : order_->filled_end();
  std::lock_guard lock(mutex_);
  s.flushes = flush_count_;
  s.flush_microseconds = flush_microseconds_;
  s.flush_microseconds_max = flush_microseconds_max_;
  s.flushed_records = flushed_records_;
  return s;
}

}  // namespace indigo::log
