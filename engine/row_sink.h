// Where a session's answers go. engine owns the interface; wire implements it (rows into the socket's output buffer), the
// embedded library and tests implement their own.
//
// The order of calls for one statement is the protocol's: notices at any time; row_description (if any); rows ...;
// command_complete | portal_suspended | empty_query | error. Values are typed vectors; the sink encodes them.
// A sink may suspend the calling fiber (a slow client); it then holds nothing of the engine's.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/fiber/wait_point.h"
#include "base/sqlstate.h"
#include "types/type_info.h"
#include "types/value/vector.h"

namespace indigo::engine {

struct ResultColumn {
  std::string name;
  types::TypeRef type;      // a domain's base type
  types::TypeRef declared;  // the same, or the domain
  Oid table = kInvalidOid;  // origin, when the column is a plain column of a table
  int16_t column = 0;
  int16_t type_length = -1;  // pg_type.typlen
};

enum class Format : int16_t { kText = 0, kBinary = 1 };

struct ResultShape {
  std::vector<ResultColumn> columns;
  std::vector<Format> formats;  // one for each column
};

enum class Severity : uint8_t { kDebug, kLog, kInfo, kNotice, kWarning, kError };

enum class CopyFormat : uint8_t { kText, kCsv, kBinary };

// Input of COPY FROM STDIN: the client's CopyData messages.
class CopySource {
 public:
  virtual ~CopySource() = default;
  // Appends the next piece to `out`; false at CopyDone. CopyFail, a lost client or an interrupt: an error.
  virtual Result<bool> read(std::string& out) = 0;

  // Called by read() when the client has sent nothing more yet: what has come so far is worked on meanwhile. An error ends
  // the reading.
  void set_before_wait(std::function<Status()> call) { before_wait_ = std::move(call); }

 protected:
  Status before_wait() const { return before_wait_ ? before_wait_() : Status(); }

 private:
  std::function<Status()> before_wait_;
};

// Both sides send CopyData until one has enough: replication.
class CopyChannel {
 public:
  virtual ~CopyChannel() = default;
  // One CopyData message, kept until a flush. A flush waits until the client has taken all; it fails when that takes longer, when
  // the client is lost, or by an interrupt.
  virtual Status send(std::string_view data) = 0;
  virtual Status flush(Deadline deadline) = 0;
  virtual Status flush_if_much(Deadline deadline) = 0;
  enum class Event : uint8_t { kMessage, kDone, kNothing };
  // The next message of the client's (its bytes in `out`), or its end; nothing when the deadline has passed or `call` is true and
  // the session woken. A deadline in the past: what is there already.
  virtual Result<Event> receive(Deadline deadline, const std::atomic<bool>& call, std::string& out) = 0;
  // After the client's end.
  virtual Status end() = 0;
};

class RowSink {
 public:
  virtual ~RowSink() = default;
  virtual void row_description(const ResultShape& shape) = 0;
  virtual void no_data() = 0;  // Describe of a statement without rows
  virtual void parameter_description(std::span<const Oid> types) = 0;
  // The selected rows of the chunk. An error (lost client, interrupt) ends the statement.
  virtual Status rows(const ResultShape& shape, const Chunk& chunk) = 0;
  virtual void command_complete(std::string_view tag) = 0;
  virtual void empty_query() = 0;
  virtual void portal_suspended() = 0;
  virtual void error(const Error& error) = 0;
  virtual void notice(Severity severity, const Error& text) = 0;
  virtual void parameter_status(std::string_view name, std::string_view value) = 0;
  // COPY. copy_in answers the source that reads until the statement ends.
  virtual Result<CopySource*> copy_in(CopyFormat format, uint32_t column_count) = 0;
  virtual void copy_out(CopyFormat format, uint32_t column_count) = 0;
  virtual Status copy_data(std::string_view bytes) = 0;  // one CopyData message: one row
  virtual void copy_done() = 0;
  // The channel lives until the statement ends. 0A000 where there is none.
  virtual Result<CopyChannel*> copy_both() {
    return Error(sqlstate::kFeatureNotSupported, "replication needs a connection");
  }
};

}  // namespace indigo::engine
