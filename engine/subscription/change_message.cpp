#include "engine/subscription/change_message.h"

#include "base/bytes.h"
#include "base/sqlstate.h"

namespace indigo::engine::subscription {

namespace {

// Reads behind the end answer zeros and are remembered.
class MessageReader {
 public:
  explicit MessageReader(std::string_view bytes) : bytes_(bytes) {}

  template <class T>
  T number() {
    const std::string_view raw = bytes(sizeof(T));
    return raw.size() == sizeof(T) ? big_endian(load_unaligned<T>(raw.data())) : T{};
  }
  char letter() {
    const std::string_view raw = bytes(1);
    return raw.empty() ? '\0' : raw[0];
  }
  std::string text() {
    const size_t end = bytes_.find('\0', at_);
    if (end == std::string_view::npos) {
      ok_ = false;
      at_ = bytes_.size();
      return {};
    }
    std::string out(bytes_.substr(at_, end - at_));
    at_ = end + 1;
    return out;
  }
  std::string_view bytes(size_t size) {
    if (bytes_.size() - at_ < size) {
      ok_ = false;
      size = bytes_.size() - at_;
    }
    const std::string_view out = bytes_.substr(at_, size);
    at_ += size;
    return out;
  }
  Tuple tuple() {
    const auto count = number<uint16_t>();
    Tuple out;
    for (uint16_t i = 0; i < count && ok_; i++) {
      TupleValue& value = out.emplace_back();
      switch (const char kind = letter()) {
        case 'n':
        case 'u': value.kind = static_cast<TupleValue::Kind>(kind); break;
        case 't':
        case 'b':
          value.kind = static_cast<TupleValue::Kind>(kind);
          value.bytes = bytes(number<uint32_t>());
          break;
        default: ok_ = false;
      }
    }
    return out;
  }
  void refuse() { ok_ = false; }
  bool ok() const { return ok_; }
  std::string_view rest() const { return bytes_.substr(at_); }

 private:
  std::string_view bytes_;
  size_t at_ = 0;
  bool ok_ = true;
};

RelationChange read_relation(MessageReader& in) {
  RelationChange out;
  out.relation = in.number<uint32_t>();
  out.schema = in.text();
  if (out.schema.empty()) out.schema = "pg_catalog";
  out.name = in.text();
  out.identity = in.letter();
  const auto count = in.number<uint16_t>();
  for (uint16_t i = 0; i < count && in.ok(); i++) {
    RemoteColumn& column = out.columns.emplace_back();
    column.key = (in.letter() & 1) != 0;
    column.name = in.text();
    in.number<uint32_t>();  // type
    in.number<uint32_t>();  // its modifier
  }
  return out;
}

RowChange read_row(MessageReader& in, RowChange::Kind kind) {
  RowChange out;
  out.kind = kind;
  out.relation = in.number<uint32_t>();
  char part = in.letter();
  if (part == 'K' || part == 'O') {
    out.has_old = true;
    out.old_tuple = in.tuple();
    if (kind == RowChange::Kind::kDelete) return out;
    part = in.letter();
  }
  if (part != 'N' || kind == RowChange::Kind::kDelete || (kind == RowChange::Kind::kInsert && out.has_old)) in.refuse();
  out.new_tuple = in.tuple();
  return out;
}

BeginChange read_begin(MessageReader& in) {
  BeginChange out;
  out.final_lsn = in.number<uint64_t>();
  in.number<uint64_t>();  // time
  out.transaction = in.number<uint32_t>();
  return out;
}

CommitChange read_commit(MessageReader& in) {
  CommitChange out;
  in.letter();            // flags
  in.number<uint64_t>();  // of the commit
  out.end_lsn = in.number<uint64_t>();
  in.number<uint64_t>();  // time
  return out;
}

TruncateChange read_truncate(MessageReader& in) {
  TruncateChange out;
  const auto count = in.number<uint32_t>();
  out.restart_sequences = (in.letter() & 2) != 0;
  for (uint32_t i = 0; i < count && in.ok(); i++) out.relations.push_back(in.number<uint32_t>());
  return out;
}

StreamStartChange read_stream_start(MessageReader& in) {
  const StreamStartChange out{in.number<uint32_t>()};
  in.letter();  // whether it is the transaction's first
  return out;
}

StreamCommitChange read_stream_commit(MessageReader& in) {
  StreamCommitChange out;
  out.transaction = in.number<uint32_t>();
  in.letter();  // flags
  out.commit_lsn = in.number<uint64_t>();
  out.end_lsn = in.number<uint64_t>();
  in.number<uint64_t>();  // time
  return out;
}

StreamAbortChange read_stream_abort(MessageReader& in) {
  StreamAbortChange out;
  out.transaction = in.number<uint32_t>();
  out.subtransaction = in.number<uint32_t>();
  return out;
}

// The publisher's name of the transaction, which comes last in the messages of two-phase commit, is not the one that it has here.
BeginPrepareChange read_begin_prepare(MessageReader& in) {
  BeginPrepareChange out;
  out.prepare_lsn = in.number<uint64_t>();
  in.number<uint64_t>();  // the end
  in.number<uint64_t>();  // time
  out.transaction = in.number<uint32_t>();
  in.text();
  return out;
}

PrepareChange read_prepare(MessageReader& in, bool streamed) {
  PrepareChange out;
  out.streamed = streamed;
  in.letter();  // flags
  out.prepare_lsn = in.number<uint64_t>();
  out.end_lsn = in.number<uint64_t>();
  in.number<uint64_t>();  // time
  out.transaction = in.number<uint32_t>();
  in.text();
  return out;
}

CommitPreparedChange read_commit_prepared(MessageReader& in) {
  CommitPreparedChange out;
  in.letter();  // flags
  out.commit_lsn = in.number<uint64_t>();
  out.end_lsn = in.number<uint64_t>();
  in.number<uint64_t>();  // time
  out.transaction = in.number<uint32_t>();
  in.text();
  return out;
}

RollbackPreparedChange read_rollback_prepared(MessageReader& in) {
  RollbackPreparedChange out;
  in.letter();            // flags
  in.number<uint64_t>();  // the end of what prepared it
  out.end_lsn = in.number<uint64_t>();
  in.number<uint64_t>();  // time when it was prepared
  in.number<uint64_t>();  // and rolled back
  out.transaction = in.number<uint32_t>();
  in.text();
  return out;
}

}  // namespace

Result<ChangeMessage> read_change(std::string_view bytes) {
  MessageReader in(bytes);
  ChangeMessage out;
  switch (const char kind = in.letter()) {
    case 'B': out = read_begin(in); break;
    case 'C': out = read_commit(in); break;
    case 'R': out = read_relation(in); break;
    case 'I':
    case 'U':
    case 'D': out = read_row(in, static_cast<RowChange::Kind>(kind)); break;
    case 'T': out = read_truncate(in); break;
    case 'S': out = read_stream_start(in); break;
    case 'E': out = StreamStopChange(); break;
    case 'c': out = read_stream_commit(in); break;
    case 'A': out = read_stream_abort(in); break;
    case 'b': out = read_begin_prepare(in); break;
    case 'P':
    case 'p': out = read_prepare(in, kind == 'p'); break;
    case 'K': out = read_commit_prepared(in); break;
    case 'r': out = read_rollback_prepared(in); break;
    case 'O':
    case 'Y':
    case 'M': break;
    default:
      return Error(sqlstate::kProtocolViolation,
                   std::string("invalid logical replication message type \"") + kind + "\"");
  }
  if (!in.ok()) return Error(sqlstate::kProtocolViolation, "insufficient data left in message");
  return out;
}

Result<StreamedMessage> read_streamed(std::string_view bytes) {
  MessageReader in(bytes);
  StreamedMessage out;
  const char kind = in.letter();
  out.subtransaction = in.number<uint32_t>();
  if (!in.ok()) return Error(sqlstate::kProtocolViolation, "insufficient data left in message");
  out.message.reserve(1 + in.rest().size());
  out.message += kind;
  out.message += in.rest();
  return out;
}

Result<StreamMessage> read_stream_message(std::string_view bytes) {
  MessageReader in(bytes);
  StreamMessage out;
  const char kind = in.letter();
  if (kind == 'w') {
    in.number<uint64_t>();  // where the data begins
    out.end_lsn = in.number<uint64_t>();
    out.sent = static_cast<int64_t>(in.number<uint64_t>());
    out.payload = in.rest();
  } else if (kind == 'k') {
    out.keepalive = true;
    out.end_lsn = in.number<uint64_t>();
    out.sent = static_cast<int64_t>(in.number<uint64_t>());
    out.wants_reply = in.letter() != 0;
  } else {
    in.refuse();
  }
  if (!in.ok()) return Error(sqlstate::kProtocolViolation, "insufficient data left in message");
  return out;
}

std::string status_update(uint64_t applied_lsn, uint64_t flushed_lsn, int64_t now, bool wants_reply) {
  std::string out(1, 'r');
  const auto add = [&](uint64_t n) {
    char raw[sizeof n];
    store_unaligned(raw, big_endian(n));
    out.append(raw, sizeof raw);
  };
  for (const uint64_t lsn : {applied_lsn, flushed_lsn, applied_lsn}) add(lsn);  // the first: written
  add(static_cast<uint64_t>(now));
  out.push_back(wants_reply ? '\1' : '\0');
  return out;
}

}  // namespace indigo::engine::subscription
