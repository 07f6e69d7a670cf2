#include "engine/durability/checkpointer.h"

#include "base/fiber/thread_start.h"
#include "base/server_log.h"
#include "engine/exec/errors.h"
#include "engine/exec/execution.h"
#include "log/file_error.h"

namespace indigo::engine {

namespace {

constexpr auto kLook = std::chrono::seconds(1);

}  // namespace

Checkpointer::Checkpointer(log::Directory& directory, const SnapshotSource& source, log::CheckpointPlace last,
                           uint64_t number, const CheckpointLimits& limits)
    : directory_(directory), log_(source.log), source_(source), limits_(limits), last_(last), number_(number) {
  if (limits.at_once) requested_ = 1;
  thread_ = std::thread([this] { run(); });
}

Checkpointer::~Checkpointer() { (void)stop(false); }

Status Checkpointer::checkpoint() {
  uint64_t wanted = 0;
  {
    std::lock_guard lock(mutex_);
    wanted = begun_ + 1;
    requested_ = std::max(requested_, wanted);
  }
  wake_.notify_all();
  bool failed = false;
  std::unique_ptr<Error> error;
  const WaitResult result = done_.wait([&] {
    std::lock_guard lock(mutex_);
    if (ended_ < wanted && !stop_) return false;
    failed = ended_ < wanted || error_ != nullptr;
    if (error_ != nullptr) error = std::make_unique<Error>(*error_);
    return true;
  });
  if (result != WaitResult::kWoken) return storage_error(storage::StorageStatus::kInterrupted, nullptr);
  if (!failed) return {};
  if (error != nullptr) return error;
  return Error(sqlstate::kAdminShutdown, "the server is shutting down");
}

Status Checkpointer::stop(bool last_one) {
  {
    std::lock_guard lock(mutex_);
    stop_ = true;
  }
  wake_.notify_all();
  done_.notify_all();
  if (thread_.joinable()) thread_.join();
  if (!last_one || log_.bytes_appended() == bytes_at_last_) return {};
  return write();
}

Checkpointer::Statistics Checkpointer::statistics() const {
  std::lock_guard lock(mutex_);
  return statistics_;
}

// Under mutex_.
bool Checkpointer::due(Clock::time_point last) const {
  if (requested_ > begun_) return true;
  const uint64_t bytes = log_.bytes_appended() - bytes_at_last_;
  if (bytes == 0) return false;
  // A third of the limit: the log since the checkpoint before is kept, too, and continues while this one is written.
  return bytes >= limits_.log_bytes / 3 || Clock::now() - last >= limits_.interval;
}

void Checkpointer::run() {
  begin_thread("checkpointer");
  name_log_thread("checkpointer");
  auto last = Clock::now();
  std::unique_lock lock(mutex_);
  while (!stop_) {
    // A full disk: blocks that a checkpoint frees may be enough.
    const Status failure = log_.failure();
    const bool full =
        log_.bytes_appended() != bytes_at_last_ && !failure.ok() && failure.error().state == sqlstate::kDiskFull;
    if (!full && !due(last)) {
      wake_.wait_for(lock, kLook, [&] { return stop_ || requested_ > begun_; });
      continue;
    }
    begun_++;
    lock.unlock();
    Status status = write();
    last = Clock::now();
    if (!status.ok()) log_error("checkpoint failed: " + status.error().message);
    lock.lock();
    error_ = status.take_error();
    ended_ = begun_;
    lock.unlock();
    done_.notify_all();
    lock.lock();
    if (error_ != nullptr) wake_.wait_for(lock, 10 * kLook, [&] { return stop_ || requested_ > begun_; });
  }
}

Status Checkpointer::write() {
  const auto begin = Clock::now();
  const uint64_t bytes_before = log_.bytes_appended();
  log::CheckpointHeader header;
  header.number = number_ + 1;
  header.epoch = log_.epoch();
  header.horizon = log_.horizon_candidate();
  auto snapshot = write_snapshot(source_, directory_, header, true, nullptr);
  if (!snapshot.ok() && snapshot.error().state == sqlstate::kDiskFull && last_.number != 0) {
    log_info("checkpoint: the disk is full, the one before the last makes room");
    log_.recycle(last_.horizon);
    INDIGO_TRY(log::remove_before(directory_, last_.number, last_.epoch));
    snapshot = write_snapshot(source_, directory_, header, true, nullptr);
  }
  if (!snapshot.ok()) return snapshot.take_error();
  const uint64_t bytes = *snapshot;
  number_ = header.number;
  const log::CheckpointPlace written{header.number, header.epoch, header.horizon};
  // What the one before needs stays, unless the disk is full: then room counts more than a second copy.
  const Status failure = log_.failure();
  const bool full = !failure.ok() && failure.error().state == sqlstate::kDiskFull;
  const log::CheckpointPlace kept = full || last_.number == 0 ? written : last_;
  last_ = written;
  log_.recycle(kept.horizon);
  INDIGO_TRY(log::remove_before(directory_, kept.number, kept.epoch));
  const auto took = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - begin);
  log_info("checkpoint " + std::to_string(number_) + ": " + std::to_string(bytes) + " bytes in " +
           std::to_string(took.count() / 1000) + " ms");
  std::lock_guard lock(mutex_);
  bytes_at_last_ = bytes_before;
  statistics_ = {statistics_.checkpoints + 1, bytes, static_cast<uint64_t>(took.count())};
  return {};
}

}  // namespace indigo::engine
