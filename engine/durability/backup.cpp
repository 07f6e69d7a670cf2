#include "engine/durability/backup.h"

#include <algorithm>
#include <filesystem>

#include "base/fiber/thread_start.h"
#include "base/memory/memory_reserve.h"
#include "base/server_log.h"
#include "engine/exec/errors.h"
#include "engine/exec/execution.h"
#include "log/file_directory.h"
#include "log/file_error.h"
#include "log/recovery.h"
#include "storage/lock/lock_manager.h"

namespace indigo::engine {

namespace {

// How long a cancelled statement waits for its backup's files to be gone.
constexpr auto kPatience = std::chrono::seconds(1);

}  // namespace

Backups::Backups(const SnapshotSource& source, log::DataFormat format, OpenDirectory open)
    : source_(source), format_(std::move(format)), open_(std::move(open)) {}

Result<Backups::Written> Backups::make(const std::string& path) {
  auto task = std::make_shared<Task>();
  task->path = path;
  {
    std::lock_guard lock(mutex_);
    if (stop_) return Error(sqlstate::kAdminShutdown, "the server is shutting down");
    reap();
    task->thread = std::thread([this, task] {
      begin_thread("backup");
      auto written = write(*task);
      {
        std::lock_guard lock(mutex_);
        if (written.ok()) {
          task->written = *written;
        } else {
          task->error = written.take_error();
        }
        task->done = true;
      }
      done_.notify_all();
    });
    const MustNotFail scope;  // it has begun
    tasks_.push_back(task);
  }
  const WaitResult result = done_.wait([&] {
    std::lock_guard lock(mutex_);
    return task->done;
  });
  if (result != WaitResult::kWoken) return interrupted(task);
  std::lock_guard lock(mutex_);
  if (task->error == nullptr) return task->written;
  if (stop_ && task->cancelled) return Error(sqlstate::kAdminShutdown, "the server is shutting down");
  return *task->error;
}

// Why the wait was ended. What only ends the statement leaves time to see the files go, normally milliseconds.
Error Backups::interrupted(const std::shared_ptr<Task>& task) {
  task->cancelled = true;
  Waiter& waiter = Waiter::current();
  const InterruptReason reason = waiter.interrupted();
  if (reason <= InterruptReason::kStatementTimeout) {
    waiter.set_statement_deadline(kNoDeadline);
    waiter.clear_cancel();
    (void)done_.wait(
        [&] {
          std::lock_guard lock(mutex_);
          return task->done;
        },
        Clock::now() + kPatience);
  }
  return interrupt_error(reason);
}

// Those that have ended. Under mutex_.
void Backups::reap() {
  std::erase_if(tasks_, [](const auto& task) {
    if (!task->done) return false;
    task->thread.join();  // it has left the mutex, only its notification may be under way
    return true;
  });
}

void Backups::stop() {
  std::list<std::shared_ptr<Task>> tasks;
  {
    std::lock_guard lock(mutex_);
    stop_ = true;
    tasks.swap(tasks_);
    for (const auto& task : tasks) task->cancelled = true;
  }
  for (const auto& task : tasks) task->thread.join();
}

size_t Backups::running() const {
  std::lock_guard lock(mutex_);
  return static_cast<size_t>(std::count_if(tasks_.begin(), tasks_.end(), [](const auto& task) { return !task->done; }));
}

Result<uint64_t> Backups::copy(log::Directory& directory, const Task& task) const {
  INDIGO_TRY(log::mark_unfinished(directory));
  log::CheckpointHeader header;
  header.number = 1;
  header.epoch = 1;
  INDIGO_ASSIGN(const uint64_t bytes, write_snapshot(source_, directory, header, false, &task.cancelled));
  log::WriteAheadLog empty(directory, source_.log.level(), log::Geometry());
  INDIGO_TRY(empty.start({}));
  empty.stop();
  INDIGO_TRY(directory.remove(log::kUnfinishedBackup));
  INDIGO_TRY(log::write_data_format(directory, format_));  // last: without it this is no data directory
  return bytes;
}

Result<Backups::Written> Backups::write(const Task& task) const {
  const auto begin = Clock::now();
  std::error_code ignored;
  const bool existed = !open_ && std::filesystem::exists(task.path, ignored);
  const std::string lock_path = task.path + "/" + log::kLockName;
  const bool locked = !open_ && std::filesystem::exists(lock_path, ignored);
  INDIGO_ASSIGN(auto directory, open_ ? open_(task.path) : log::open_file_directory(task.path));
  // While it is still locked: no other server has taken it for a usable one.
  const auto leave_as_found = [&] {
    if (open_) return;
    if (!locked) std::filesystem::remove(lock_path, ignored);
    if (!existed) std::filesystem::remove(task.path, ignored);
  };
  auto found = directory->list();
  if (!found.ok() || !found->empty()) {
    leave_as_found();
    if (!found.ok()) return found.take_error();
    return Error(sqlstate::kObjectNotInPrerequisiteState, "directory \"" + task.path + "\" is not empty");
  }
  auto bytes = copy(*directory, task);
  if (!bytes.ok()) {
    if (auto left = directory->list(); left.ok()) {
      for (const std::string& name : *left) (void)directory->remove(name);
    }
    leave_as_found();
    log_info("backup \"" + task.path + "\" was not finished: " + bytes.error().message);
    return bytes.take_error();
  }
  const auto took = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - begin);
  log_info("backup \"" + task.path + "\": " + std::to_string(*bytes) + " bytes in " +
           std::to_string(took.count() / 1000) + " ms");
  return Written{*bytes, static_cast<uint64_t>(took.count())};
}

}  // namespace indigo::engine
