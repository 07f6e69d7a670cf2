// pgoutput's messages, protocol versions 1 to 3, as PostgreSQL's documentation has them ("Logical Replication Message Formats").
// Thread safety: pure functions; a message borrows from the bytes that it was read from.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/error.h"

namespace indigo::engine::subscription {

struct BeginChange {
  uint64_t final_lsn = 0;  // of the commit
  uint32_t transaction = 0;
};
struct CommitChange {
  uint64_t end_lsn = 0;
};
struct RemoteColumn {
  std::string name;
  bool key = false;  // of the replica identity
};
struct RelationChange {
  uint32_t relation = 0;
  std::string schema, name;
  char identity = 'd';
  std::vector<RemoteColumn> columns;
};
struct TupleValue {
  enum class Kind : char { kNull = 'n', kUnchanged = 'u', kText = 't', kBinary = 'b' };
  Kind kind = Kind::kNull;
  std::string_view bytes;
};
using Tuple = std::vector<TupleValue>;
// INSERT has a new tuple, DELETE an old one, UPDATE a new one, and an old one where the publisher told it.
struct RowChange {
  enum class Kind : char { kInsert = 'I', kUpdate = 'U', kDelete = 'D' };
  Kind kind = Kind::kInsert;
  uint32_t relation = 0;
  bool has_old = false;
  Tuple old_tuple, new_tuple;
};
struct TruncateChange {
  bool restart_sequences = false;
  std::vector<uint32_t> relations;
};
struct OtherChange {};  // origins, types, messages

// ---- transactions in progress (version 2): what comes between a start and a stop belongs to the transaction of the start.
struct StreamStartChange {
  uint32_t transaction = 0;
};
struct StreamStopChange {};
struct StreamCommitChange {
  uint32_t transaction = 0;
  uint64_t commit_lsn = 0, end_lsn = 0;
};
struct StreamAbortChange {
  uint32_t transaction = 0, subtransaction = 0;  // the same: the whole
};

// ---- two-phase commit (version 3)
struct BeginPrepareChange {
  uint64_t prepare_lsn = 0;
  uint32_t transaction = 0;
};
struct PrepareChange {
  bool streamed = false;  // its changes came in streams
  uint64_t prepare_lsn = 0, end_lsn = 0;
  uint32_t transaction = 0;
};
struct CommitPreparedChange {
  uint64_t commit_lsn = 0, end_lsn = 0;
  uint32_t transaction = 0;
};
struct RollbackPreparedChange {
  uint64_t end_lsn = 0;
  uint32_t transaction = 0;
};

using ChangeMessage = std::variant<OtherChange, BeginChange, CommitChange, RelationChange, RowChange, TruncateChange,
                                   StreamStartChange, StreamStopChange, StreamCommitChange, StreamAbortChange,
                                   BeginPrepareChange, PrepareChange, CommitPreparedChange, RollbackPreparedChange>;

// 08P01 for what is none.
Result<ChangeMessage> read_change(std::string_view bytes);

// A message between the start and the stop of a stream: the subtransaction that it belongs to, and itself as it would be outside.
struct StreamedMessage {
  uint32_t subtransaction = 0;
  std::string message;
};
Result<StreamedMessage> read_streamed(std::string_view bytes);

// The envelope of a walsender's CopyData message.
struct StreamMessage {
  bool keepalive = false;
  uint64_t end_lsn = 0;  // of what the publisher has written
  int64_t sent = 0;      // microseconds since 2000
  bool wants_reply = false;
  std::string_view payload;
};
Result<StreamMessage> read_stream_message(std::string_view bytes);
// "Standby status update": what has been applied, and what of it is kept for good.
std::string status_update(uint64_t applied_lsn, uint64_t flushed_lsn, int64_t now, bool wants_reply);

}  // namespace indigo::engine::subscription
