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

class RecordStream {
 public:
  explicit RecordStream(Log& log) : log_(log) {}
  ~RecordStream() { abandon(); }
  RecordStream(const RecordStream&) = delete;
  RecordStream& operator=(const RecordStream&) = delete;

  Log::Outcome put(DurableId table, Bytes key, Bytes row);
  Log::Outcome erase(DurableId table, Bytes key);
  bool empty() const { return buffer_.empty() && !first_part_; }
  // Reserves the last record's place: append cannot fail after it.
  Log::Outcome prepare();
  Lsn append(CommitStamp stamp);
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
