#include "engine/durability/checkpointer.h"

#include <pthread.h>

#include <array>

#include "base/log.h"
#include "engine/exec/errors.h"
#include "engine/exec/executor.h"
#include "log/checkpoint.h"
#include "log/file_directory.h"
#include "log/file_error.h"
#include "log/recovery.h"
#include "storage/durability.h"

namespace indigo::engine {

namespace {

constexpr auto kLook = std::chrono::seconds(1);
constexpr size_t kRowsAtOnce = 256;

Status write_table(storage::Transaction& txn, const storage::DurableTable& table, log::CheckpointWriter& writer) {
  const auto cursor = table.table->scan(txn, txn.view(), storage::KeyRange::all());
  std::array<storage::RowRef, kRowsAtOnce> rows;
  for (;;) {
    size_t count = 0;
    const storage::StorageStatus status = cursor->next(rows, count);
    if (status != storage::StorageStatus::kOk) return storage_error(status, nullptr);
    if (count == 0) return {};
    for (size_t i = 0; i < count; i++) INDIGO_TRY(writer.put(table.id, rows[i].key, rows[i].row));
  }
}

}  // namespace

Checkpointer::Checkpointer(log::Directory& directory, log::WriteAheadLog& log, storage::Store& store,
                           catalog::Catalog& catalog, uint64_t last, const CheckpointLimits& limits)
    : directory_(directory), log_(log), store_(store), catalog_(catalog), limits_(limits), number_(last) {
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

Result<Checkpointer::Backup> Checkpointer::backup(const std::string& path) {
  auto request = std::make_shared<BackupRequest>();
  request->path = path;
  {
    std::lock_guard lock(mutex_);
    backups_.push_back(request);
  }
  wake_.notify_all();
  const WaitResult result = done_.wait([&] {
    std::lock_guard lock(mutex_);
    return request->done || stop_;
  });
  if (result != WaitResult::kWoken) return storage_error(storage::StorageStatus::kInterrupted, nullptr);
  std::lock_guard lock(mutex_);
  if (!request->done) return Error(sqlstate::kAdminShutdown, "the server is shutting down");
  if (request->error != nullptr) return *request->error;
  return request->written;
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
  // Half of the limit: while this one is written, the log goes on.
  return bytes >= limits_.log_bytes / 2 || Clock::now() - last >= limits_.interval;
}

void Checkpointer::run() {
  pthread_setname_np(pthread_self(), "checkpointer");
  auto last = Clock::now();
  std::unique_lock lock(mutex_);
  while (!stop_) {
    if (!backups_.empty()) {
      run_backup(lock);
      continue;
    }
    // A full disk: blocks that a checkpoint frees may be enough.
    const Status failure = log_.failure();
    const bool full =
        log_.bytes_appended() != bytes_at_last_ && !failure.ok() && failure.error().state == sqlstate::kDiskFull;
    if (!full && !due(last)) {
      wake_.wait_for(lock, kLook, [&] { return stop_ || requested_ > begun_ || !backups_.empty(); });
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
    if (error_ != nullptr && requested_ <= begun_) wake_.wait_for(lock, 10 * kLook, [&] { return stop_; });
  }
}

void Checkpointer::run_backup(std::unique_lock<std::mutex>& lock) {
  const auto request = backups_.front();
  backups_.pop_front();
  lock.unlock();
  auto written = write_backup(request->path);
  lock.lock();
  if (written.ok()) {
    request->written = *written;
  } else {
    request->error = written.take_error();
  }
  request->done = true;
  lock.unlock();
  done_.notify_all();
  lock.lock();
}

Result<uint64_t> Checkpointer::write_snapshot(log::Directory& directory, log::CheckpointHeader header) {
  // Invariant 2 of README.md: first the horizon, then the snapshot and everything else.
  storage::settle(store_);
  auto txn = store_.begin(storage::Isolation::kRepeatableRead, 0);
  txn->take_statement_snapshot();
  header.stamp = txn->view().stamp.value;
  INDIGO_ASSIGN(auto writer, log::CheckpointWriter::create(directory, header));
  INDIGO_TRY(writer->oids(catalog_.oid_bound()));
  for (const auto& sequence : catalog_.sequences()) {
    const auto state = sequence->logged_state();
    INDIGO_TRY(writer->sequence(sequence->durable_id(), state.last_value, state.is_called));
  }
  for (const auto& table : storage::durable_tables(store_)) INDIGO_TRY(write_table(*txn, table, *writer));
  store_.rollback(*txn);
  // The log must tell of everything that the checkpoint has, or it could be older than what it follows.
  if (!log_.wait_durable(log_.appended())) return log_.failure().take_error();
  INDIGO_TRY(writer->finish());
  return writer->bytes();
}

Status Checkpointer::write() {
  const auto begin = Clock::now();
  const uint64_t bytes_before = log_.bytes_appended();
  log::CheckpointHeader header;
  header.number = number_ + 1;
  header.epoch = log_.epoch();
  header.horizon = log_.horizon_candidate();
  INDIGO_ASSIGN(const uint64_t bytes, write_snapshot(directory_, header));
  number_ = header.number;
  log_.recycle(header.horizon);
  INDIGO_TRY(log::remove_before(directory_, header.number, header.epoch));
  const auto took = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - begin);
  log_info("checkpoint " + std::to_string(number_) + ": " + std::to_string(bytes) + " bytes in " +
           std::to_string(took.count() / 1000) + " ms");
  std::lock_guard lock(mutex_);
  bytes_at_last_ = bytes_before;
  statistics_ = {statistics_.checkpoints + 1, bytes, static_cast<uint64_t>(took.count())};
  return {};
}

Result<Checkpointer::Backup> Checkpointer::write_backup(const std::string& path) {
  const auto begin = Clock::now();
  INDIGO_ASSIGN(const auto directory, log::open_file_directory(path));
  INDIGO_ASSIGN(const auto found, directory->list());
  if (!found.empty()) {
    return Error(sqlstate::kObjectNotInPrerequisiteState, "directory \"" + path + "\" is not empty");
  }
  const auto copy = [&]() -> Result<uint64_t> {
    log::CheckpointHeader header;
    header.number = 1;
    header.epoch = 1;
    INDIGO_ASSIGN(const uint64_t bytes, write_snapshot(*directory, header));
    log::WriteAheadLog empty(*directory, log_.level(), log::Geometry());
    INDIGO_TRY(empty.start({}));
    empty.stop();
    INDIGO_TRY(log::mark_initialized(*directory));  // last: without it this is no data directory
    return bytes;
  };
  auto bytes = copy();
  if (!bytes.ok()) {
    if (auto left = directory->list(); left.ok()) {
      for (const std::string& name : *left) (void)directory->remove(name);
    }
    return bytes.take_error();
  }
  const auto took = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - begin);
  log_info("backup \"" + path + "\": " + std::to_string(*bytes) + " bytes in " + std::to_string(took.count() / 1000) +
           " ms");
  return Backup{*bytes, static_cast<uint64_t>(took.count())};
}

}  // namespace indigo::engine
