// What a directory holds, read back at start: the newest checkpoint, then the records of the logs after it, in LSN order.
// The checkpoint before is kept, too, with the log after it: when the newest is damaged, recovery begins there.
//
// The last log ends at the first LSN that has no whole record. If everything below was known to be durable further than
// that, something was lost since: then the start is refused with file and offset (XX001), and nothing is changed. Records
// beyond the end are made void by the next epoch's header, which says where this one was cut.
// Recovery changes nothing: a crash during it loses nothing. What it has read of the last log it makes durable: a process that
// died may have left it in the kernel's memory only, and from the next epoch on all of it counts as acknowledged.
// Thread safety: one user at a time.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "log/reader.h"
#include "log/write_ahead_log.h"

namespace indigo::log {

// A checkpoint, and where the log continues from it.
struct CheckpointPlace {
  uint64_t number = 0;  // 0: there is none
  uint64_t epoch = 1;
  uint64_t horizon = 0;
};

struct Recovered {
  bool fresh = false;                                 // there was nothing: a new database begins
  EpochStart next;                                    // for WriteAheadLog::start
  uint64_t stamp = 0;                                 // the greatest seen
  CheckpointPlace checkpoint;                         // where it began
  uint64_t newest_checkpoint = 0;                     // a greater number: that one is damaged
  uint64_t records = 0, transactions = 0, bytes = 0;  // replayed
  // Streams of transactions that were prepared, and neither committed nor rolled back.
  std::vector<std::shared_ptr<const std::string>> prepared;
};

struct RecoverOptions {
  // How often the server's log tells how far it has come.
  std::chrono::milliseconds progress_interval = std::chrono::seconds(10);
  // Called with what is damaged or missing; recovery then goes on with what there is, to the first record that is not. Nothing
  // in the directory is written. Empty: damage is an error.
  std::function<void(std::string_view)> lost;
};

// Operations reach the sink in the order in which they took effect: first the checkpoint's, then the transactions'.
Result<Recovered> recover(Directory& directory, OperationSink& sink, const RecoverOptions& options = {});

// The file that marks a backup that is being made, or was never finished.
inline constexpr const char* kUnfinishedBackup = "unfinished-backup";
Status mark_unfinished(Directory& directory);

// Removes what a durable checkpoint has made needless: checkpoints before it and the logs of earlier epochs.
Status remove_before(Directory& directory, uint64_t checkpoint, uint64_t epoch);

}  // namespace indigo::log
