// The write-ahead log's interface, as commit uses it. Levels: `none` (here); `process` and `power` come with -D.
// Redo only: a transaction is appended once, at commit, after its stamp is taken and before its commit point.
#pragma once

#include <memory>
#include <span>

#include "base/bytes.h"
#include "base/ids.h"

namespace indigo::log {

struct Operation {
  TableId table;
  Bytes key;
  Bytes row;  // empty for an erase
  bool erase = false;
};

class Log {
 public:
  virtual ~Log() = default;
  // Makes sure that a record of `bytes` can be appended without failing (commit step 1). False: the log is full.
  virtual bool reserve(size_t bytes) = 0;
  // Appends one transaction's record (commit step 3) and returns its LSN.
  virtual Lsn append(CommitStamp stamp, std::span<const Operation> operations) = 0;
  // Waits until everything up to `lsn` has the durability of this log's level (commit step 6).
  virtual void wait_durable(Lsn lsn) = 0;
  // Does append need the operations at all? False lets commit skip collecting them.
  virtual bool records() const = 0;

  static std::unique_ptr<Log> create_none();
};

}  // namespace indigo::log
