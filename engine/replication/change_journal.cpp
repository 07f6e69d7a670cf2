#include "engine/replication/change_journal.h"

#include <array>
#include <functional>
#include <map>
#include <optional>

#include "base/entropy.h"
#include "base/sqlstate.h"
#include "engine/exec/execution.h"
#include "log/file_error.h"
#include "log/log.h"
#include "storage/durability.h"

namespace indigo::engine::replication {

namespace {

using storage::StorageStatus;

constexpr size_t kPieceBytes = size_t{256} << 10;
constexpr size_t kRowsAtOnce = 64;
// Rows that one transaction takes away.
constexpr size_t kErasedAtOnce = 4096;
constexpr char kBound = 'b', kCommitted = 'c', kPrepared = 'p', kSlot = 's', kTold = 't';
// Of a slot's row.
constexpr uint64_t kTwoPhase = 1, kLost = 2, kTwoPhaseAt = 4;

template <class T>
void append_big_endian(std::string& key, T number) {
  char raw[sizeof(T)];
  store_unaligned(raw, big_endian(number));
  key.append(raw, sizeof raw);
}

std::string key_at(char kind, uint64_t begin) {
  std::string key(1, kind);
  append_big_endian(key, begin);
  return key;
}

std::string committed_key(uint64_t begin) { return key_at(kCommitted, begin); }

uint32_t part_of(Bytes key) { return big_endian(load_unaligned<uint32_t>(key.data() + key.size() - sizeof(uint32_t))); }

std::string slot_row(const SlotInfo& slot) {
  std::string out;
  const uint64_t flags = (slot.two_phase ? kTwoPhase | kTwoPhaseAt : 0) | (slot.lost ? kLost : 0);
  for (const uint64_t number : {slot.confirmed, uint64_t{slot.database}, flags}) append_big_endian(out, number);
  if (slot.two_phase) append_big_endian(out, slot.two_phase_at);
  return out + slot.plugin;
}

std::optional<SlotInfo> read_slot(Bytes key, Bytes row) {
  size_t numbers = 3;
  if (row.size() < numbers * sizeof(uint64_t)) return std::nullopt;
  const auto number = [&](size_t i) { return big_endian(load_unaligned<uint64_t>(row.data() + i * sizeof(uint64_t))); };
  const uint64_t flags = number(2);
  if ((flags & kTwoPhaseAt) != 0 && row.size() < ++numbers * sizeof(uint64_t)) return std::nullopt;
  SlotInfo out;
  out.name = key.substr(1);
  out.plugin = row.substr(numbers * sizeof(uint64_t));
  out.confirmed = out.restart = number(0);
  out.database = static_cast<Oid>(number(1));
  out.two_phase = (flags & kTwoPhase) != 0;
  if ((flags & kTwoPhaseAt) != 0) out.two_phase_at = number(numbers - 1);
  out.lost = (flags & kLost) != 0;
  return out;
}

}  // namespace

// One transaction over the journal's table: somebody else's, or one of its own, which is rolled back unless it commits.
class ChangeJournal::Change {
 public:
  Change(ChangeJournal& journal, storage::Transaction* txn) : store_(journal.store_), table_(*journal.table_) {
    if (txn == nullptr) {
      own_ = store_.begin(storage::Isolation::kReadCommitted, 0, nullptr);
      own_->take_statement_snapshot();
      own_->next_command();
    }
    txn_ = txn == nullptr ? own_.get() : txn;
  }
  ~Change() {
    if (own_ != nullptr) store_.rollback(*own_);
  }
  Change(const Change&) = delete;
  Change& operator=(const Change&) = delete;

  Status put(Bytes key, Bytes row) { return result(table_.insert(*txn_, key, row, nullptr)); }
  // In the place of what is there, if there is something.
  Status replace(Bytes key, Bytes row) {
    INDIGO_ASSIGN(const bool there, claim(key));
    return there ? result(table_.update(*txn_, key, row, nullptr)) : put(key, row);
  }
  Status erase(Bytes key) {
    INDIGO_ASSIGN(const bool there, claim(key));
    return there ? result(table_.erase(*txn_, key)) : Status();
  }
  // The bytes in pieces, under the key and their number.
  Status put_pieces(const std::string& key, Bytes bytes) {
    for (uint32_t part = 0; part == 0 || !bytes.empty(); part++) {
      std::string own = key;
      append_big_endian(own, part);
      INDIGO_TRY(put(own, bytes.substr(0, kPieceBytes)));
      bytes.remove_prefix(std::min(kPieceBytes, bytes.size()));
    }
    return {};
  }
  // Until `row` answers false.
  Status scan(const storage::KeyRange& range, const std::function<Result<bool>(Bytes key, Bytes row)>& row) {
    const auto cursor = table_.scan(*txn_, txn_->newest_view(), range);
    std::array<storage::RowRef, kRowsAtOnce> rows;
    for (;;) {
      size_t count = 0;
      INDIGO_TRY(result(cursor->next(rows, count)));
      if (count == 0) return {};
      for (size_t i = 0; i < count; i++) {
        INDIGO_ASSIGN(const bool more, row(rows[i].key, rows[i].row));
        if (!more) return {};
      }
    }
  }
  // The first keys of the range, as many as one transaction takes away.
  Result<std::vector<std::string>> keys(const storage::KeyRange& range) {
    std::vector<std::string> out;
    INDIGO_TRY(scan(range, [&](Bytes key, Bytes) -> Result<bool> {
      out.emplace_back(key);
      return out.size() < kErasedAtOnce;
    }));
    return out;
  }
  Status commit(bool durable) {
    storage::set_asynchronous(*own_, !durable);
    const auto own = std::move(own_);
    return result(store_.commit(*own));
  }

 private:
  Result<bool> claim(Bytes key) {
    storage::Claimed claimed;
    const StorageStatus status =
        table_.claim(*txn_, txn_->newest_view(), key, storage::RowLockMode::kUpdate, storage::LockWait::kWait, claimed);
    if (status == StorageStatus::kNotFound) return false;
    INDIGO_TRY(result(status));
    return true;
  }
  Status result(StorageStatus status) {
    if (status == StorageStatus::kOk) return {};
    if (status == StorageStatus::kLogFull || status == StorageStatus::kLogFailed)
      INDIGO_TRY(storage::log_of(store_).failure());  // names the file
    return storage_error(status, nullptr);
  }

  storage::Store& store_;
  storage::Table& table_;
  std::unique_ptr<storage::Transaction> own_;
  storage::Transaction* txn_ = nullptr;
};

Status ChangeJournal::write(storage::Transaction* txn, const CommittedChanges& changes) {
  std::string bytes;
  encode_changes(changes, bytes);
  Change change(*this, txn);
  INDIGO_TRY(change.put_pieces(committed_key(changes.begin), bytes));
  return txn == nullptr ? change.commit(true) : Status();
}

Status ChangeJournal::keep_bound(uint64_t bound) {
  std::string row;
  append_big_endian(row, bound);
  Change change(*this, nullptr);
  INDIGO_TRY(change.replace(std::string(1, kBound), row));
  return change.commit(false);  // what is told above it waits for its own record, which lies behind this one
}

Status ChangeJournal::write_prepare(const CommittedChanges& prepare) {
  CommittedChanges head = prepare;
  head.changes.clear();
  std::string bytes, mark;
  encode_changes(prepare, bytes);
  encode_changes(head, mark);
  Change change(*this, nullptr);
  INDIGO_TRY(change.put_pieces(committed_key(prepare.begin), bytes));
  INDIGO_TRY(change.put(key_at(kTold, prepare.begin), mark));
  return change.commit(false);  // the PREPARE's record lies behind it
}

Status ChangeJournal::erase_prepare(const CommittedChanges& prepare) {
  Change change(*this, nullptr);
  INDIGO_ASSIGN(const auto keys, change.keys(storage::KeyRange::prefix(committed_key(prepare.begin))));
  for (const std::string& key : keys) INDIGO_TRY(change.erase(key));
  INDIGO_TRY(change.erase(key_at(kTold, prepare.begin)));
  return change.commit(false);
}

Status ChangeJournal::write_rollback(const CommittedChanges& rollback) {
  std::string bytes;
  encode_changes(rollback, bytes);
  Change change(*this, nullptr);
  if (rollback.journaled) INDIGO_TRY(change.put_pieces(committed_key(rollback.begin), bytes));
  INDIGO_TRY(change.erase(key_at(kTold, rollback.prepared.begin)));
  return change.commit(true);
}

Result<std::vector<CommittedChanges>> ChangeJournal::told_prepares() {
  std::vector<CommittedChanges> out;
  INDIGO_TRY(Change(*this, nullptr)
                 .scan(storage::KeyRange::prefix(std::string(1, kTold)), [&](Bytes, Bytes row) -> Result<bool> {
                   INDIGO_ASSIGN(auto head, decode_changes_head(row));
                   out.push_back(std::move(head));
                   return true;
                 }));
  return out;
}

Status ChangeJournal::write_prepared(storage::Transaction& txn, const CommittedChanges& changes) {
  std::array<char, 16> number;
  if (!fill_random(number.data(), number.size()))
    return Error(sqlstate::kInternalError, "the kernel gives no random bytes");
  std::string bytes;
  encode_changes(changes, bytes);
  return Change(*this, &txn).put_pieces(kPrepared + std::string(number.data(), number.size()), bytes);
}

Result<std::vector<ChangeJournal::Prepared>> ChangeJournal::prepared() {
  std::vector<std::pair<std::string, std::string>> found;  // key without the part, bytes
  INDIGO_TRY(Change(*this, nullptr)
                 .scan(storage::KeyRange::prefix(std::string(1, kPrepared)), [&](Bytes key, Bytes row) -> Result<bool> {
                   key.remove_suffix(sizeof(uint32_t));
                   if (found.empty() || found.back().first != key) found.emplace_back(key, "");
                   found.back().second += row;
                   return true;
                 }));
  std::vector<Prepared> out;
  for (auto& [key, bytes] : found) {
    INDIGO_ASSIGN(auto changes, decoder_.decode(bytes));
    out.push_back({std::move(key), std::move(changes)});
  }
  return out;
}

Status ChangeJournal::settle(const Prepared& prepared, bool wanted) {
  Change change(*this, nullptr);
  if (wanted) {
    std::string bytes;
    encode_changes(*prepared.changes, bytes);
    INDIGO_TRY(change.put_pieces(committed_key(prepared.changes->begin), bytes));
  }
  INDIGO_ASSIGN(const auto keys, change.keys(storage::KeyRange::prefix(prepared.number)));
  for (const std::string& key : keys) INDIGO_TRY(change.erase(key));
  if (prepared.changes->prepared_before()) INDIGO_TRY(change.erase(key_at(kTold, prepared.changes->prepared.begin)));
  return change.commit(true);
}

Status ChangeJournal::save(std::span<const SlotInfo> slots, uint64_t needed, bool durable) {
  storage::KeyRange gone;
  gone.has_low = gone.has_high = true;
  gone.low = std::string(1, kCommitted);
  gone.high = committed_key(needed);
  gone.high_inclusive = false;
  std::map<std::string, std::string> rows;
  for (const SlotInfo& slot : slots) {
    if (!slot.temporary) rows[kSlot + slot.name] = slot_row(slot);
  }
  for (;;) {
    Change change(*this, nullptr);
    std::vector<std::string> erased;
    std::map<std::string, std::string> changed = rows;
    INDIGO_TRY(change.scan(storage::KeyRange::prefix(std::string(1, kSlot)), [&](Bytes key, Bytes row) -> Result<bool> {
      const auto at = changed.find(std::string(key));
      if (at == changed.end()) {
        erased.emplace_back(key);
      } else if (at->second == row) {
        changed.erase(at);
      }
      return true;
    }));
    INDIGO_ASSIGN(const auto keys, change.keys(gone));
    for (const std::string& key : erased) INDIGO_TRY(change.erase(key));
    for (const auto& [key, row] : changed) INDIGO_TRY(change.replace(key, row));
    for (const std::string& key : keys) INDIGO_TRY(change.erase(key));
    INDIGO_TRY(change.commit(durable));
    if (keys.size() < kErasedAtOnce) return {};
  }
}

Result<std::shared_ptr<CommittedChanges>> ChangeJournal::load(uint64_t begin) {
  std::string bytes;
  INDIGO_TRY(Change(*this, nullptr)
                 .scan(storage::KeyRange::prefix(committed_key(begin)), [&](Bytes, Bytes row) -> Result<bool> {
                   bytes += row;
                   return true;
                 }));
  if (bytes.empty()) return std::shared_ptr<CommittedChanges>();
  return decoder_.decode(bytes);
}

Result<ChangeJournal::Contents> ChangeJournal::contents() {
  Contents out;
  INDIGO_TRY(Change(*this, nullptr).scan(storage::KeyRange::all(), [&](Bytes key, Bytes row) -> Result<bool> {
    if (key[0] == kBound && row.size() == sizeof(uint64_t)) {
      out.bound = big_endian(load_unaligned<uint64_t>(row.data()));
    } else if (key[0] == kSlot) {
      const auto slot = read_slot(key, row);
      if (!slot)
        return Error(sqlstate::kDataCorrupted, "replication slot \"" + std::string(key.substr(1)) + "\" is malformed");
      out.slots.push_back(*slot);
    } else if (key[0] == kCommitted && part_of(key) == 0) {
      INDIGO_ASSIGN(auto head, decode_changes_head(row));
      out.heads.push_back(std::move(head));
    }
    return true;
  }));
  return out;
}

Lsn ChangeJournal::appended() const { return storage::log_of(store_).appended(); }

Status ChangeJournal::wait_durable(Lsn lsn) {
  log::Log& log = storage::log_of(store_);
  if (log.wait_durable(lsn)) return {};
  INDIGO_TRY(log.failure());
  return storage_error(StorageStatus::kLogFailed, nullptr);
}

}  // namespace indigo::engine::replication
