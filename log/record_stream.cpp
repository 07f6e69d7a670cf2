#include "log/record_stream.h"

namespace indigo::log {

namespace {

constexpr size_t kKeepBytes = size_t{4} << 20;  // a buffer of this size is kept for the next transaction

template <class T>
void append_number(T v, std::string& out) {
  out.append(reinterpret_cast<const char*>(&v), sizeof v);
}

}  // namespace

void encode_put(DurableId table, Bytes key, Bytes row, std::string& out) {
  out.push_back(static_cast<char>(OperationKind::kPut));
  append_number(table.value, out);
  append_number(static_cast<uint32_t>(key.size()), out);
  append_number(static_cast<uint32_t>(row.size()), out);
  out.append(key);
  out.append(row);
}

void encode_erase(DurableId table, Bytes key, std::string& out) {
  out.push_back(static_cast<char>(OperationKind::kErase));
  append_number(table.value, out);
  append_number(static_cast<uint32_t>(key.size()), out);
  out.append(key);
}

void encode_sequence(DurableId sequence, int64_t last_value, bool is_called, std::string& out) {
  out.push_back(static_cast<char>(OperationKind::kSequence));
  append_number(sequence.value, out);
  append_number(last_value, out);
  append_number(static_cast<uint8_t>(is_called), out);
}

void encode_oids(uint64_t below, std::string& out) {
  out.push_back(static_cast<char>(OperationKind::kOids));
  append_number(below, out);
}

void encode_clone(DurableId clone, DurableId source, std::string& out) {
  out.push_back(static_cast<char>(OperationKind::kClone));
  append_number(clone.value, out);
  append_number(source.value, out);
}

void encode_prepared(const PreparedHead& head, std::string& out) {
  out.push_back(static_cast<char>(OperationKind::kPrepared));
  append_number(head.prepared_at, out);
  append_number(head.owner, out);
  append_number(head.database, out);
  append_number(static_cast<uint8_t>(head.serializable), out);
  append_number(static_cast<uint16_t>(head.name.size()), out);
  out.append(head.name);
}

std::string decision_of(Bytes name) {
  std::string out;
  encode_prepared({.name = name}, out);
  return out;
}

void encode_hold(const Hold& hold, std::string& out) {
  out.push_back(static_cast<char>(OperationKind::kHold));
  append_number(static_cast<uint8_t>(hold.kind), out);
  append_number(hold.mode, out);
  append_number(hold.object, out);
  append_number(static_cast<uint32_t>(hold.key.size()), out);
  out.append(hold.key);
}

void encode_moved(DurableId table, Bytes key, Bytes new_key, std::string& out) {
  out.push_back(static_cast<char>(OperationKind::kMoved));
  append_number(table.value, out);
  append_number(static_cast<uint32_t>(key.size()), out);
  append_number(static_cast<uint32_t>(new_key.size()), out);
  out.append(key);
  out.append(new_key);
}

Log::Outcome RecordStream::add(Bytes bytes) {
  buffer_.append(bytes);
  return buffer_.size() > log_.max_payload() ? write_parts() : Log::Outcome::kOk;
}

Log::Outcome RecordStream::put(DurableId table, Bytes key, Bytes row) {
  encode_put(table, key, row, buffer_);
  return buffer_.size() > log_.max_payload() ? write_parts() : Log::Outcome::kOk;
}

Log::Outcome RecordStream::erase(DurableId table, Bytes key) {
  encode_erase(table, key, buffer_);
  return buffer_.size() > log_.max_payload() ? write_parts() : Log::Outcome::kOk;
}

Log::Outcome RecordStream::write_parts() {
  const size_t size = log_.max_payload();
  size_t done = 0;
  Log::Outcome outcome = Log::Outcome::kOk;
  while (buffer_.size() - done > size) {
    Reservation place;
    outcome = log_.reserve(size, place);
    if (outcome != Log::Outcome::kOk) break;
    Bytes payload(buffer_.data() + done, size);
    Lsn lsn = log_.append(place, RecordKind::kPart, {}, first_part_, payload);
    if (!first_part_) first_part_ = lsn;
    done += size;
  }
  buffer_.erase(0, done);
  return outcome;
}

Log::Outcome RecordStream::prepare() { return log_.reserve(buffer_.size(), reservation_); }

Lsn RecordStream::append(CommitStamp stamp, RecordKind kind) {
  Lsn lsn = log_.append(reservation_, kind, stamp, first_part_, buffer_);
  reservation_ = {};
  abandon();
  return lsn;
}

void RecordStream::abandon() {
  if (reservation_.block != 0) log_.release(reservation_);
  reservation_ = {};
  if (first_part_) log_.parts_done(first_part_);
  first_part_ = {};
  if (buffer_.capacity() > kKeepBytes) buffer_ = {};
  buffer_.clear();
}

Log::Outcome append_notes(Log& log, Bytes operations, Lsn& lsn) {
  Reservation place;
  Log::Outcome outcome = log.reserve(operations.size(), place);
  if (outcome == Log::Outcome::kOk) lsn = log.append(place, RecordKind::kNotes, {}, {}, operations);
  return outcome;
}

}  // namespace indigo::log
