// An instance's data directory: recovery at start, the log and checkpoints while it runs, shutdown. See README.md.
// Thread safety: open and close before and after all sessions; the rest from any thread.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <unordered_map>

#include "catalog/catalog.h"
#include "engine/durability/backup.h"
#include "engine/durability/checkpointer.h"
#include "engine/instance.h"
#include "log/data_format.h"
#include "log/device.h"
#include "log/recovery.h"
#include "log/write_ahead_log.h"
#include "storage/store.h"

namespace indigo::engine {

// A directory that somebody else has opened: a simulated one in tests, which may want a small log, too.
struct DataSource {
  std::shared_ptr<log::Directory> directory;
  log::Geometry geometry;
};

class DataDirectory {
 public:
  // The log is there, but appends only after load().
  static std::unique_ptr<DataDirectory> open(DataSource source, log::Durability level);

  log::WriteAheadLog& log() { return *log_; }
  // What was kept, as a catalog over `store`; a fresh one in a fresh directory. Then the log's new epoch has begun.
  Result<std::unique_ptr<catalog::Catalog>> load(storage::Store& store, const InstanceOptions& options,
                                                 unsigned threads);
  bool fresh() const { return recovered_.fresh; }
  // After load(): the table of engine/replication/change_journal.h.
  const std::shared_ptr<storage::Table>& change_table() const { return change_table_; }
  // Whether sort keys were made by another version of the library of collations.
  bool collations_changed() const { return collations_changed_; }
  // What was kept has been brought to this program's form: from now on the directory says so.
  Status keep_format();
  // Checkpoints begin, backups can be made.
  void run(storage::Store& store, catalog::Catalog& catalog, const CheckpointLimits& limits);
  Checkpointer& checkpointer() { return *checkpointer_; }
  Backups& backups() { return *backups_; }
  uint64_t system_identifier() const { return format_.system_identifier; }
  const log::Recovered& recovered() const { return recovered_; }
  // What was kept of sequences that no committed row names: prepared transactions may have made them.
  const std::unordered_map<log::DurableId, catalog::Sequence::State>& other_sequences() const {
    return other_sequences_;
  }
  uint64_t recovery_microseconds() const { return recovery_microseconds_; }
  // A last checkpoint, and the end of the log. Before the store goes.
  void close();

  // "page-granular file, flushed with fdatasync" ...
  std::string device_text();

 private:
  DataDirectory() = default;
  Status examine_format();

  std::shared_ptr<log::Directory> directory_;
  std::unique_ptr<log::WriteAheadLog> log_;
  log::Recovered recovered_;
  std::unordered_map<log::DurableId, catalog::Sequence::State> other_sequences_;
  std::shared_ptr<storage::Table> change_table_;
  log::DataFormat format_, found_;  // this program's; the directory's, until keep_format()
  bool collations_changed_ = false;
  uint64_t recovery_microseconds_ = 0;  // until sessions are let in
  Clock::time_point begin_ = Clock::now();
  std::unique_ptr<Checkpointer> checkpointer_;
  std::unique_ptr<Backups> backups_;
};

}  // namespace indigo::engine
