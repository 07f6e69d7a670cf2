// The write-ahead log's interface, as commit uses it. Redo only: a transaction is written once, at commit.
//
// A commit reserves its record's place while it may still fail, takes its stamp, and appends, which cannot fail. An LSN is
// given at append; records become durable in LSN order.
// Thread safety: all functions, from any thread; a Reservation belongs to one transaction.
// Invariants:
// 1. append never fails after reserve; its record is in its place before append returns.
// 2. LSNs ascend in the order of the appends; zero means "nothing to wait for".
// 3. wait_durable(lsn) answers true only when every record up to lsn has the durability of the log's level.
// 4. durable_stamp() never names a stamp whose commit a crash could take back, nor one above which there is such a commit.
// 5. Once a flush has failed nothing is ever durable again: wait_durable and reserve answer so from then on.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "base/bytes.h"
#include "base/error.h"
#include "base/ids.h"
#include "log/durable_id.h"
#include "log/format.h"

namespace indigo::log {

// What an acknowledged commit survives. Setting `durability`.
enum class Durability : uint8_t {
  kNone,     // nothing: no log is written
  kProcess,  // the death of the process
  kPower,    // power loss
};
constexpr const char* durability_name(Durability level) {
  constexpr const char* kNames[] = {"none", "process", "power"};
  return kNames[static_cast<int>(level)];
}

struct Reservation {
  uint32_t block = 0, line = 0;  // block 0: none
  uint32_t payload_bytes = 0;
};

class Log {
 public:
  virtual ~Log() = default;
  enum class [[nodiscard]] Outcome : uint8_t;
  enum class Outcome : uint8_t { kOk, kFull, kFailed };

  // Is anything written at all? False lets commit skip collecting its operations.
  virtual bool records() const = 0;
  // Takes room for one record of that many bytes, at most max_payload(). May wait for the device (Waiter::current()).
  virtual Outcome reserve(size_t payload_bytes, Reservation& out) = 0;
  // Gives up what was reserved and not appended.
  virtual void release(Reservation& reservation) = 0;
  // Writes the record into its place. `first_part` as in format.h.
  virtual Lsn append(Reservation& reservation, RecordKind kind, CommitStamp stamp, Lsn first_part, Bytes payload) = 0;
  // A transaction whose first part was written has ended, either way: checkpoints need not keep its parts.
  virtual void parts_done(Lsn first_part) = 0;
  // Waits until everything up to `lsn` has the durability of this log's level. False: the log has failed.
  virtual bool wait_durable(Lsn lsn) = 0;
  // All commits with stamps up to this are durable; zero: ask wait_durable.
  virtual CommitStamp durable_stamp() const { return {}; }
  // Who says which stamps are decided: commits at or below its answer have appended all that they will. Nobody, when empty:
  // it is not asked after this has returned.
  virtual void follow_commits(const std::function<CommitStamp()>& /*stable*/) {}
  // Why it has failed, or cannot grow (53100); ok while all is well.
  virtual Status failure() { return {}; }
  // Everything appended so far lies below or at this.
  virtual Lsn appended() const = 0;

  // The longest payload of a record.
  virtual size_t max_payload() const { return size_t{1} << 20; }
  static std::unique_ptr<Log> create_none();
};

}  // namespace indigo::log
