// What storage answers. Storage knows no SQL: one file in engine/ maps these to SQLSTATE and message.
#pragma once

#include <cstdint>

namespace indigo::storage {

// An answer that is dropped is a lost error: the compiler refuses it.
enum class [[nodiscard]] StorageStatus : uint8_t;
enum class StorageStatus : uint8_t {
  kOk,
  kNotFound,        // no version of the record is visible / nothing to claim: the record is gone
  kDuplicateKey,    // unique violation (primary key or unique index)
  kConflict,        // first updater won and the isolation level does not allow to go on (40001, concurrent update)
  kConflictDelete,  // the same, the winner deleted it (40001, concurrent delete)
  kSerialization,   // Index-SSN's exclusion window or a gap (40001, read/write dependencies)
  kDeadlock,        // this transaction was chosen as the victim (40P01)
  kLockTimeout,     // lock_timeout ran out (55P03)
  kWouldBlock,      // NOWAIT or SKIP LOCKED met a lock
  kInterrupted,     // the Waiter was interrupted: the caller reads the reason there
  kOutOfMemory,     // memory_limit reached (53200)
  kLogFull,         // the log has no room, and the device neither (53100): nothing was written
  kLogFailed,       // the log's device has failed (58030): nothing becomes durable any more, and what did is unknown
  kTooLarge,        // key or row over its limit (54000)
  kKeyError,        // a KeyExtractor failed; its error is with the extractor's owner
};

}  // namespace indigo::storage
