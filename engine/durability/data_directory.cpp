#include "engine/durability/data_directory.h"

#include "base/entropy.h"
#include "base/server_log.h"
#include "base/sqlstate.h"
#include "catalog/tables/static_tables.h"
#include "engine/durability/restorer.h"
#include "engine/replication/change_journal.h"
#include "log/file_error.h"
#include "storage/durability.h"
#include "types/value/collator.h"

namespace indigo::engine {

namespace {

constexpr log::DurableId kChangeTable = replication::ChangeJournal::kTable;

// As PostgreSQL's: 64 bits that no two directories share, positive as a bigint.
Result<uint64_t> new_system_identifier() {
  uint64_t identifier = 0;
  if (!fill_random(&identifier, sizeof identifier))
    return Error(sqlstate::kIoError, "the kernel gives no random bytes");
  return (identifier >> 1) | 1;
}

}  // namespace

std::unique_ptr<DataDirectory> DataDirectory::open(DataSource source, log::Durability level) {
  std::unique_ptr<DataDirectory> out(new DataDirectory);
  out->directory_ = std::move(source.directory);
  out->log_ = std::make_unique<log::WriteAheadLog>(*out->directory_, level, source.geometry);
  return out;
}

// What the directory says of itself against what this program reads.
Status DataDirectory::examine_format() {
  format_.catalog_layout = catalog::catalog_layout();
  format_.collations = types::Collator::library();
  INDIGO_ASSIGN(const auto found, log::read_data_format(*directory_));
  if (found) found_ = *found;
  format_.system_identifier = found_.system_identifier;
  if (format_.system_identifier == 0) {
    INDIGO_ASSIGN(format_.system_identifier, new_system_identifier());
  }
  if (!found_.catalog_layout.empty() && found_.catalog_layout != format_.catalog_layout) {
    return Error(sqlstate::kFeatureNotSupported,
                 "data directory \"" + directory_->path(".") + "\" is not compatible with this program")
        .with_detail("Its system tables have the layout " + found_.catalog_layout + ", this program's have " +
                     format_.catalog_layout + ".")
        .with_hint(
            "Start it with the program that wrote it, dump it with pg_dumpall, and restore the dump into a new "
            "directory.");
  }
  collations_changed_ = !found_.collations.empty() && found_.collations != format_.collations;
  return {};
}

Status DataDirectory::keep_format() {
  if (found_ == format_) return {};
  INDIGO_TRY(log::write_data_format(*directory_, format_));
  found_ = format_;
  return {};
}

Result<std::unique_ptr<catalog::Catalog>> DataDirectory::load(storage::Store& store, const InstanceOptions& options,
                                                              unsigned threads) {
  INDIGO_TRY(examine_format());
  Restorer restorer(store, threads);
  INDIGO_ASSIGN(recovered_, log::recover(*directory_, restorer));
  std::unique_ptr<catalog::Catalog> catalog;
  if (recovered_.fresh) {
    INDIGO_TRY(log_->start(recovered_.next));
    INDIGO_ASSIGN(catalog, catalog::Catalog::create(store, options.os_user, options.locale.value_or(types::Locale())));
    INDIGO_TRY(keep_format());
    change_table_ = storage::create_durable_table(store, kChangeTable);
    return catalog;
  }
  storage::start_clock(store, CommitStamp(recovered_.stamp + 1));
  INDIGO_ASSIGN(auto restored, restorer.finish());
  if (auto known = restored.tables.extract(kChangeTable)) change_table_ = std::move(known.mapped());
  if (change_table_ == nullptr) change_table_ = storage::create_durable_table(store, kChangeTable);
  INDIGO_ASSIGN(catalog, catalog::Catalog::restore(store, restored));
  if (!recovered_.prepared.empty()) other_sequences_ = std::move(restored.sequences);
  INDIGO_TRY(log_->start(recovered_.next));
  const auto took = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - begin_);
  log_info("recovered: checkpoint " + std::to_string(recovered_.checkpoint.number) + ", " +
           std::to_string(recovered_.transactions) + " transactions, " + std::to_string(recovered_.bytes) +
           " bytes in " + std::to_string(took.count()) + " ms");
  return catalog;
}

void DataDirectory::run(storage::Store& store, catalog::Catalog& catalog, const CheckpointLimits& limits) {
  CheckpointLimits own = limits;
  // Else each crash would add its log to what the next start reads, and each start without changes an empty one.
  own.at_once = recovered_.records > 0 || recovered_.next.epoch > recovered_.checkpoint.epoch + 2;
  const SnapshotSource source{*log_, store, catalog};
  checkpointer_ =
      std::make_unique<Checkpointer>(*directory_, source, recovered_.checkpoint, recovered_.newest_checkpoint, own);
  backups_ = std::make_unique<Backups>(source, format_);
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
  change_table_ = nullptr;
}

std::string DataDirectory::device_text() {
  if (log_->granularity() == log::Granularity::kCacheLine) return "persistent memory, flushed by cacheline";
  return log_->level() == log::Durability::kPower ? "file, mapped by page, flushed with fdatasync"
                                                  : "file, mapped by page, left to the kernel to write";
}

}  // namespace indigo::engine
