#include "engine/durability/data_directory.h"

#include "base/server_log.h"
#include "engine/durability/restorer.h"
#include "storage/durability.h"

namespace indigo::engine {

std::unique_ptr<DataDirectory> DataDirectory::open(DataSource source, log::Durability level) {
  std::unique_ptr<DataDirectory> out(new DataDirectory);
  out->directory_ = std::move(source.directory);
  out->log_ = std::make_unique<log::WriteAheadLog>(*out->directory_, level, source.geometry);
  return out;
}

Result<std::unique_ptr<catalog::Catalog>> DataDirectory::load(storage::Store& store, const std::string& os_user,
                                                              unsigned threads) {
  Restorer restorer(store, threads);
  INDIGO_ASSIGN(recovered_, log::recover(*directory_, restorer));
  std::unique_ptr<catalog::Catalog> catalog;
  if (recovered_.fresh) {
    INDIGO_TRY(log_->start(recovered_.next));
    INDIGO_ASSIGN(catalog, catalog::Catalog::create(store, os_user));
    INDIGO_TRY(log::mark_initialized(*directory_));
    return catalog;
  }
  storage::start_clock(store, CommitStamp(recovered_.stamp + 1));
  INDIGO_ASSIGN(auto restored, restorer.finish());
  INDIGO_ASSIGN(catalog, catalog::Catalog::restore(store, restored));
  INDIGO_TRY(log_->start(recovered_.next));
  const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - begin_);
  log_info("recovered: checkpoint " + std::to_string(recovered_.checkpoint) + ", " +
           std::to_string(recovered_.transactions) + " transactions, " + std::to_string(recovered_.bytes) +
           " bytes in " + std::to_string(took.count()) + " ms");
  return catalog;
}

void DataDirectory::run(storage::Store& store, catalog::Catalog& catalog, const CheckpointLimits& limits) {
  CheckpointLimits own = limits;
  own.at_once = recovered_.records > 0;  // else each crash would add its log to what the next start reads
  const SnapshotSource source{*log_, store, catalog};
  checkpointer_ = std::make_unique<Checkpointer>(*directory_, source, recovered_.checkpoint, own);
  backups_ = std::make_unique<Backups>(source);
  if (recovered_.fresh) return;
  const auto took = std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - begin_);
  recovery_microseconds_ = static_cast<uint64_t>(took.count());
}

void DataDirectory::close() {
  if (backups_ != nullptr) backups_->stop();
  if (checkpointer_ != nullptr) {
    if (Status status = checkpointer_->stop(true); !status.ok()) {
      log_error("no checkpoint at shutdown, the next start reads the log: " + status.error().message);
    }
  }
  log_->stop();
}

std::string DataDirectory::device_text() {
  if (log_->granularity() == log::Granularity::kCacheLine) return "persistent memory, flushed by cacheline";
  return log_->level() == log::Durability::kPower ? "file, mapped by page, flushed with fdatasync"
                                                  : "file, mapped by page, left to the kernel to write";
}

}  // namespace indigo::engine
