// A transaction's way into the log: its operations as one byte stream (format.h), cut into records. What does not fit into
// one record goes out as parts while the transaction can still fail, so that its stamp is taken only for the last one.
//
// Life: put/erase ... -> prepare -> append, or abandon at any time before append. Then it can be used again.
// Thread safety: one user at a time.
#pragma once

#include <string>

#include "log/log.h"

namespace indigo::log {

// ---- operations, appended to `out`
void encode_put(DurableId table, Bytes key, Bytes row, std::string& out);
void encode_erase(DurableId table, Bytes key, std::string& out);
void encode_sequence(DurableId sequence, int64_t last_value, bool is_called, std::string& out);
void encode_oids(uint64_t below, std::string& out);
void encode_clone(DurableId clone, DurableId source, std::string& out);
// Of prepared transactions (format.h). Views.
struct PreparedHead {
  Bytes name;
  int64_t prepared_at = 0;
  uint32_t owner = 0, database = 0;
  bool serializable = false;
};
struct Hold {
  HoldKind kind;
  uint8_t mode = 0;
  uint64_t object = 0;
  Bytes key;
};
void encode_prepared(const PreparedHead& head, std::string& out);
std::string decision_of(Bytes name);  // what kCommitPrepared and kAbortPrepared have
void encode_hold(const Hold& hold, std::string& out);
void encode_moved(DurableId table, Bytes key, Bytes new_key, std::string& out);

class RecordStream {
 public:
  explicit RecordStream(Log& log) : log_(log) {}
  ~RecordStream() { abandon(); }
  RecordStream(const RecordStream&) = delete;
  RecordStream& operator=(const RecordStream&) = delete;

  Log::Outcome put(DurableId table, Bytes key, Bytes row);
  Log::Outcome erase(DurableId table, Bytes key);
  // Whole operations, or what a record of another kind has.
  Log::Outcome add(Bytes bytes);
  bool empty() const { return buffer_.empty() && !first_part_; }
  // Reserves the last record's place: append cannot fail after it.
  Log::Outcome prepare();
  Lsn append(CommitStamp stamp, RecordKind kind = RecordKind::kCommit);
  void abandon();

 private:
  Log::Outcome write_parts();

  Log& log_;
  std::string buffer_;
  Reservation reservation_;
  Lsn first_part_;
};

// One record outside any transaction.
Log::Outcome append_notes(Log& log, Bytes operations, Lsn& lsn);

}  // namespace indigo::log
