#include "engine/replication/change_stream.h"

#include <algorithm>
#include <charconv>
#include <cstdio>

#include <absl/cleanup/cleanup.h>

#include "base/exception_error.h"
#include "base/fiber/interrupt_error.h"
#include "base/server_log.h"
#include "base/sqlstate.h"

namespace indigo::engine::replication {

namespace {

constexpr uint64_t kCommitBytes = 48;   // of positions, beyond a transaction's own changes
constexpr uint64_t kPrepareBytes = 24;  // and before it of a PREPARE that has no place of its own
// Positions are reserved in the journal by so much, and skipped after a crash.
constexpr uint64_t kReservedPositions = uint64_t{1} << 20;
// Of changes that the journal has, too.
constexpr size_t kMostBytesInMemory = size_t{64} << 20;
// The journal is told of what is confirmed after so many transactions, or so long.
constexpr uint64_t kLetGoUnsaved = 1024;
constexpr auto kSaveInterval = std::chrono::seconds(1);

uint64_t aligned(uint64_t position) { return (position + 7) & ~uint64_t{7}; }

ChangeStream::PreparedKey key_of(const CommittedChanges& changes) {
  return {changes.prepared.name, changes.prepared.prepared_at};
}

Error no_slot(std::string_view name) {
  return Error(sqlstate::kUndefinedObject, "replication slot \"" + std::string(name) + "\" does not exist");
}

Error of_other_database(std::string_view name) {
  return Error(sqlstate::kObjectNotInPrerequisiteState,
               "replication slot \"" + std::string(name) + "\" was not created in this database");
}

Error slot_in_use(std::string_view name, int32_t pid) {
  return Error(sqlstate::kObjectInUse,
               "replication slot \"" + std::string(name) + "\" is active for PID " + std::to_string(pid));
}

}  // namespace

std::string position_text(uint64_t position) {
  char text[32];
  std::snprintf(text, sizeof text, "%X/%X", static_cast<unsigned>(position >> 32), static_cast<unsigned>(position));
  return text;
}

std::optional<uint64_t> read_position(std::string_view text) {
  const size_t slash = text.find('/');
  if (slash == std::string_view::npos) return std::nullopt;
  uint32_t parts[2];
  const std::string_view texts[] = {text.substr(0, slash), text.substr(slash + 1)};
  for (int i = 0; i < 2; i++) {
    const char* end = texts[i].data() + texts[i].size();
    const auto [at, error] = std::from_chars(texts[i].data(), end, parts[i], 16);
    if (error != std::errc() || at != end) return std::nullopt;
  }
  return uint64_t{parts[0]} << 32 | parts[1];
}

Status ChangeStream::count_gathered(size_t bytes) {
  if (gathered_bytes_.fetch_add(bytes, std::memory_order_relaxed) + bytes <= gathering_limit_bytes_) return {};
  forget_gathered(bytes);
  return Error(sqlstate::kOutOfMemory, "out of memory")
      .with_detail("Open transactions hold more changes for replication slots than " +
                   std::to_string(gathering_limit_bytes_) + " bytes.")
      .with_hint("Change less in one transaction, or increase \"memory_limit\".");
}

Status ChangeStream::take_turn() {
  const WaitResult waited = turn_free_.wait([this] { return !turn_taken_.exchange(true, std::memory_order_acquire); });
  if (waited == WaitResult::kInterrupted) return interrupt_error(Waiter::current().interrupted());
  return {};
}

void ChangeStream::give_turn() {
  turn_taken_.store(false, std::memory_order_release);
  turn_free_.notify_all();
}

Status ChangeStream::place(CommittedChanges& changes, storage::Transaction* txn) {
  if (lost_unsaved_.exchange(false, std::memory_order_relaxed)) (void)save(false);  // what a lost slot held back goes
  INDIGO_TRY(give_position(changes));
  return changes.journaled ? journal_->write(txn, changes) : Status();
}

// By the holder of the turn: behind the last changes, and below a bound that the journal has.
Status ChangeStream::give_position(CommittedChanges& changes) {
  {
    const std::lock_guard lock(mutex_);
    changes.begin = end_;
    changes.journaled = journal_wants(changes.database);
  }
  changes.commit = aligned(changes.begin + changes.bytes);
  PreparedPlace& prepared = changes.prepared;
  if (changes.kind == CommittedChanges::Kind::kCommitPrepared && prepared.begin == 0) {
    prepared.begin = changes.begin;
    prepared.prepare = changes.commit;
    prepared.end = changes.commit = prepared.prepare + kPrepareBytes;
  }
  changes.end = changes.commit + kCommitBytes;
  if (changes.kind == CommittedChanges::Kind::kPrepare) {
    prepared.begin = changes.begin;
    prepared.prepare = changes.commit;
    prepared.end = changes.end;
  }
  if (journal_ == nullptr || changes.end <= bound_) return {};
  const uint64_t bound = changes.end + kReservedPositions;
  INDIGO_TRY(journal_->keep_bound(bound));
  bound_ = bound;
  return {};
}

void ChangeStream::publish(const std::shared_ptr<CommittedChanges>& changes) {
  const std::lock_guard lock(mutex_);
  end_ = changes->end;
  bool wanted = false;
  for (auto& [name, slot] : slots_) {
    if (slot.info.database != changes->database || slot.info.lost) continue;
    wanted = true;
    if (slot.reader == nullptr) continue;
    slot.reader->called_.store(true, std::memory_order_release);
    slot.reader->waiter_.wake();
  }
  if (!wanted) return;
  keep({changes->begin, changes->end, changes->database, journal_ == nullptr ? Lsn() : journal_->appended(), changes});
  enforce_limit();
}

// Under the mutex.
void ChangeStream::keep(Kept kept) {
  const size_t bytes = kept.changes->bytes;
  if (kept.changes->journaled && bytes_in_memory_ + bytes > kMostBytesInMemory) {
    kept.changes = nullptr;
  } else {
    bytes_in_memory_ += bytes;
  }
  kept_.push_back(std::move(kept));
}

void ChangeStream::let_go_of_first() {
  if (const auto& changes = kept_.front().changes; changes != nullptr) bytes_in_memory_ -= changes->bytes;
  kept_.pop_front();
  let_go_++;
}

// Whether a slot that outlives the server is to be told of it. Under the mutex.
bool ChangeStream::journal_wants(Oid database) const {
  return journal_ != nullptr && std::any_of(slots_.begin(), slots_.end(), [&](const auto& s) {
           return s.second.info.database == database && !s.second.info.temporary && !s.second.info.lost;
         });
}

bool ChangeStream::decodes_at_prepare(Oid database) const {
  const std::lock_guard lock(mutex_);
  return std::any_of(slots_.begin(), slots_.end(), [&](const auto& s) {
    return s.second.info.database == database && s.second.info.two_phase && !s.second.info.lost;
  });
}

Status ChangeStream::place_prepare(CommittedChanges& prepare) {
  if (lost_unsaved_.exchange(false, std::memory_order_relaxed)) (void)save(false);
  INDIGO_TRY(give_position(prepare));
  if (prepare.journaled) INDIGO_TRY(journal_->write_prepare(prepare));
  const std::lock_guard lock(mutex_);
  CommittedChanges& head = told_prepares_[key_of(prepare)];
  head.database = prepare.database;
  head.transaction = prepare.transaction;
  head.prepared = prepare.prepared;
  return {};
}

// Its positions are not given again, so what cannot be erased now is in nobody's way, and is settled at the next start.
void ChangeStream::withdraw(const CommittedChanges& prepare) {
  if (prepare.journaled) (void)journal_->erase_prepare(prepare);
  if (journal_ != nullptr && prepare.end > bound_) return;  // nothing was written
  const std::lock_guard lock(mutex_);
  told_prepares_.erase(key_of(prepare));
  end_ = prepare.end;
}

Status ChangeStream::prepare(storage::Transaction& txn, std::shared_ptr<CommittedChanges> changes) {
  if (journal_ != nullptr) {
    INDIGO_TRY(journal_->write_prepared(txn, *changes));
    forget_gathered(changes->gathered);
    return {};
  }
  const std::lock_guard lock(mutex_);
  const PreparedKey key = key_of(*changes);
  prepared_[key] = std::move(changes);
  return {};
}

// What the journal has of prepared transactions is seen when they have committed.
bool ChangeStream::tells_prepared(const PreparedKey& key) const {
  const std::lock_guard lock(mutex_);
  return journal_ != nullptr || prepared_.contains(key);
}

void ChangeStream::publish_prepared(const PreparedKey& key, int64_t now) {
  if (journal_ != nullptr) return adopt_prepared(now);
  std::shared_ptr<CommittedChanges> changes;
  {
    const std::lock_guard lock(mutex_);
    const auto at = prepared_.find(key);
    if (at == prepared_.end()) return;
    changes = std::move(at->second);
    prepared_.erase(at);
    told_prepares_.erase(key);
  }
  forget_gathered(changes->gathered);
  changes->committed_at = now;
  (void)place(*changes, nullptr);  // without a journal it cannot fail
  publish(changes);
}

void ChangeStream::forget_prepared(const PreparedKey& key) {
  const std::lock_guard lock(mutex_);
  drop_prepared(key);
}

// Under the mutex.
void ChangeStream::drop_prepared(const PreparedKey& key) {
  const auto at = prepared_.find(key);
  if (at == prepared_.end()) return;
  forget_gathered(at->second->gathered);
  prepared_.erase(at);
}

bool ChangeStream::told_at_prepare(const PreparedKey& key) const {
  const std::lock_guard lock(mutex_);
  return told_prepares_.contains(key);
}

void ChangeStream::publish_rollback(const PreparedKey& key, int64_t now) {
  CommittedChanges prepare;
  {
    const std::lock_guard lock(mutex_);
    drop_prepared(key);
    const auto at = told_prepares_.find(key);
    if (at == told_prepares_.end()) return;
    prepare = std::move(at->second);
    told_prepares_.erase(at);
  }
  roll_back_told(prepare, now);
}

// By the holder of the turn. What cannot be kept now is told after the next start.
void ChangeStream::roll_back_told(const CommittedChanges& prepare, int64_t now) {
  const auto tell = [&]() -> Status {
    const auto rollback = std::make_shared<CommittedChanges>(prepare);
    rollback->kind = CommittedChanges::Kind::kRollbackPrepared;
    rollback->committed_at = now;
    rollback->bytes = 0;
    INDIGO_TRY(give_position(*rollback));
    if (journal_ != nullptr) INDIGO_TRY(journal_->write_rollback(*rollback));
    publish(rollback);
    return {};
  };
  const Status status = catch_exceptions(tell, [] {});
  if (!status.ok()) log_error("logical replication: ROLLBACK PREPARED is told later: " + status.error().message);
}

// Those that have committed get their place. By the holder of the turn. What cannot be kept now is told after the next one, or
// the next start.
void ChangeStream::adopt_prepared(int64_t now) {
  const auto adopt = [&]() -> Status {
    INDIGO_ASSIGN(const auto all, journal_->prepared());
    for (const ChangeJournal::Prepared& prepared : all) {
      CommittedChanges& changes = *prepared.changes;
      if (changes.committed_at == 0) changes.committed_at = now;
      INDIGO_TRY(give_position(changes));
      INDIGO_TRY(journal_->settle(prepared, changes.journaled));
      publish(prepared.changes);
      const std::lock_guard lock(mutex_);
      told_prepares_.erase(key_of(changes));
    }
    return {};
  };
  // They have committed: a lack of memory must not look as if they had not.
  const Status status = catch_exceptions(adopt, [] {});
  if (!status.ok()) log_error("logical replication: a prepared transaction is told later: " + status.error().message);
}

Status ChangeStream::restore(std::unique_ptr<ChangeJournal> journal, bool decodes, size_t most,
                             const Undecided& undecided, int64_t now) {
  INDIGO_ASSIGN(const auto contents, journal->contents());
  if (!contents.slots.empty() && !decodes) {
    return Error(sqlstate::kObjectNotInPrerequisiteState,
                 "logical replication slot \"" + contents.slots[0].name + "\" exists, but wal_level < logical")
        .with_hint("Change wal_level to be logical or higher.");
  }
  if (contents.slots.size() > most) {
    return Error(sqlstate::kObjectNotInPrerequisiteState, "too many replication slots active before shutdown")
        .with_hint("Increase max_replication_slots and try again.");
  }
  journal_ = std::move(journal);
  {
    const std::lock_guard lock(mutex_);
    bound_ = contents.bound;
    end_ = std::max(end_, contents.bound);
    for (const SlotInfo& info : contents.slots) slots_[info.name] = {info, false, nullptr};
    for (const CommittedChanges& head : contents.heads)
      kept_.push_back({head.begin, head.end, head.database, Lsn(), nullptr});
    trim();
  }
  slots_wanted_.fetch_add(static_cast<uint32_t>(contents.slots.size()), std::memory_order_seq_cst);
  INDIGO_ASSIGN(const auto prepared, journal_->prepared());
  if (!prepared.empty()) adopt_prepared(now);
  INDIGO_ASSIGN(const auto told, journal_->told_prepares());
  for (const CommittedChanges& prepare : told) {
    if (undecided.contains(key_of(prepare))) {
      const std::lock_guard lock(mutex_);
      told_prepares_[key_of(prepare)] = prepare;
    } else {
      roll_back_told(prepare, now);
    }
  }
  return {};
}

Status ChangeStream::save(bool durable) {
  if (journal_ == nullptr) return {};
  const auto free = [this] { return !saving_.exchange(true, std::memory_order_acquire); };
  if (saver_free_.wait(free) == WaitResult::kInterrupted) return interrupt_error(Waiter::current().interrupted());
  const absl::Cleanup next = [this] {
    saving_.store(false, std::memory_order_release);
    saver_free_.notify_all();
  };
  std::vector<SlotInfo> slots;
  uint64_t needed = 0;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [name, slot] : slots_) {
      if (!slot.reserved) slots.push_back(slot.info);
    }
    needed = kept_.empty() ? end_ : kept_.front().begin;
    saved_ = Clock::now();
    let_go_saved_ = let_go_;
  }
  return journal_->save(slots, needed, durable);
}

void ChangeStream::close() {
  if (Status status = save(true); !status.ok())
    log_error("logical replication: what slots have confirmed is told again: " + status.error().message);
  const std::lock_guard lock(mutex_);
  journal_ = nullptr;
  slots_wanted_.store(0, std::memory_order_seq_cst);
  slots_.clear();
  kept_.clear();
  prepared_.clear();
  told_prepares_.clear();
}

uint64_t ChangeStream::end() const {
  const std::lock_guard lock(mutex_);
  return end_;
}

ChangeStream::Slot* ChangeStream::find(std::string_view name) {
  const auto at = slots_.find(name);
  return at == slots_.end() ? nullptr : &at->second;
}

Status ChangeStream::check_new(std::string_view name, size_t most) {
  if (find(name) != nullptr) {
    return Error(sqlstate::kDuplicateObject, "replication slot \"" + std::string(name) + "\" already exists");
  }
  if (slots_.size() >= most) {
    return Error(SqlState("53400"), "all replication slots are in use")
        .with_hint("Free one or increase max_replication_slots.");
  }
  return {};
}

Status ChangeStream::reserve(const SlotInfo& slot, size_t most) {
  const std::lock_guard lock(mutex_);
  INDIGO_TRY(check_new(slot.name, most));
  Slot made;
  made.info = slot;
  made.info.restart = made.info.confirmed = end_;
  slots_.emplace(slot.name, std::move(made));
  slots_wanted_.fetch_add(1, std::memory_order_seq_cst);
  return {};
}

void ChangeStream::begin_at(std::string_view name, uint64_t position) {
  const std::lock_guard lock(mutex_);
  Slot* slot = find(name);
  if (slot == nullptr) return;
  slot->reserved = false;
  slot->info.active_pid = slot->info.temporary ? slot->info.creator : 0;
  slot->info.restart = slot->info.confirmed = position;
  if (slot->info.two_phase) slot->info.two_phase_at = position;
  trim();
}

Result<uint64_t> ChangeStream::copy(std::string_view name, SlotInfo copy, size_t most) {
  const std::lock_guard lock(mutex_);
  const Slot* slot = find(name);
  if (slot == nullptr || slot->reserved) return no_slot(name);
  if (slot->info.lost) {
    return Error(sqlstate::kObjectNotInPrerequisiteState, "cannot copy a replication slot that doesn't reserve WAL");
  }
  if (slot->info.database != copy.database) return of_other_database(name);
  INDIGO_TRY(check_new(copy.name, most));
  copy.restart = slot->info.restart;
  copy.confirmed = slot->info.confirmed;
  copy.active_pid = copy.temporary ? copy.creator : 0;
  const uint64_t place = copy.confirmed;
  Slot made;
  made.reserved = false;
  made.info = std::move(copy);
  slots_.emplace(made.info.name, std::move(made));
  slots_wanted_.fetch_add(1, std::memory_order_seq_cst);
  return place;
}

Status ChangeStream::drop(std::string_view name, bool wait, int32_t pid) {
  Status refused;
  const auto done = [&] {
    const std::lock_guard lock(mutex_);
    const auto at = slots_.find(name);
    refused = {};
    if (at == slots_.end()) {
      refused = no_slot(name);
      return true;
    }
    const int32_t user = at->second.info.active_pid;
    if (user != 0 && (user != pid || at->second.reader != nullptr)) {
      refused = slot_in_use(name, user);
      return !wait;
    }
    slots_.erase(at);
    slots_wanted_.fetch_sub(1, std::memory_order_seq_cst);
    trim();
    return true;
  };
  if (slot_free_.wait(done) == WaitResult::kInterrupted) return interrupt_error(Waiter::current().interrupted());
  return refused;
}

void ChangeStream::drop_temporary(int32_t creator) {
  {
    const std::lock_guard lock(mutex_);
    const auto gone = std::erase_if(
        slots_, [&](const auto& s) { return s.second.info.temporary && s.second.info.creator == creator; });
    if (gone == 0) return;
    slots_wanted_.fetch_sub(static_cast<uint32_t>(gone), std::memory_order_seq_cst);
    trim();
  }
  slot_free_.notify_all();
}

std::vector<SlotInfo> ChangeStream::slots() const {
  const std::lock_guard lock(mutex_);
  std::vector<SlotInfo> out;
  for (const auto& [name, slot] : slots_) {
    out.push_back(slot.info);
    out.back().held = held_by(slot.info);
  }
  return out;
}

bool ChangeStream::any_of(Oid database) const {
  const std::lock_guard lock(mutex_);
  return std::any_of(slots_.begin(), slots_.end(), [&](const auto& s) { return s.second.info.database == database; });
}

Result<std::unique_ptr<ChangeStream::Reader>> ChangeStream::use(std::string_view name, Oid database, int32_t pid,
                                                                Waiter& waiter) {
  const std::lock_guard lock(mutex_);
  Slot* slot = find(name);
  if (slot == nullptr) return no_slot(name);
  const bool own = slot->info.active_pid == pid && !slot->reserved && slot->reader == nullptr;
  if (slot->info.active_pid != 0 && !own) return slot_in_use(name, slot->info.active_pid);
  if (slot->info.database != database) return of_other_database(name);
  if (slot->info.lost) {
    return Error(sqlstate::kObjectNotInPrerequisiteState,
                 "cannot read from logical replication slot \"" + std::string(name) + "\"")
        .with_detail("This slot has been invalidated because it exceeded the maximum reserved size.");
  }
  std::unique_ptr<Reader> reader(new Reader(*this, std::string(name), waiter));
  slot->info.active_pid = pid;
  slot->reader = reader.get();
  return reader;
}

// What no slot of its database needs any more goes. Under the mutex.
void ChangeStream::trim() {
  while (!kept_.empty()) {
    const Kept& oldest = kept_.front();
    const bool needed = std::any_of(slots_.begin(), slots_.end(), [&](const auto& s) {
      return s.second.info.database == oldest.database && !s.second.info.lost && s.second.info.confirmed < oldest.end;
    });
    if (needed) return;
    let_go_of_first();
  }
}

// The first that ends behind this place. Under the mutex.
std::deque<ChangeStream::Kept>::const_iterator ChangeStream::first_behind(Oid database, uint64_t position) const {
  auto at =
      std::upper_bound(kept_.begin(), kept_.end(), position, [](uint64_t p, const Kept& kept) { return p < kept.end; });
  while (at != kept_.end() && at->database != database) ++at;
  return at;
}

// From the first changes that the slot needs on; positions that nothing was published at do not count before it. Under the mutex.
uint64_t ChangeStream::held_by(const SlotInfo& slot) const {
  const auto first = first_behind(slot.database, slot.confirmed);
  return first == kept_.end() ? 0 : end_ - first->begin;
}

void ChangeStream::enforce_limit() {
  const int64_t limit = limit_bytes_.load(std::memory_order_relaxed);
  if (limit < 0) return;
  bool lost = false;
  for (auto& [name, slot] : slots_) {
    if (slot.reserved || slot.info.lost || held_by(slot.info) <= static_cast<uint64_t>(limit)) continue;
    slot.info.lost = lost = true;
  }
  if (!lost) return;
  trim();
  lost_unsaved_.store(journal_ != nullptr, std::memory_order_relaxed);
}

ChangeStream::Reader::~Reader() {
  {
    const std::lock_guard lock(stream_.mutex_);
    if (Slot* slot = stream_.find(name_); slot != nullptr && slot->reader == this) {
      slot->reader = nullptr;
      slot->info.active_pid = slot->info.temporary ? slot->info.creator : 0;
    }
  }
  stream_.slot_free_.notify_all();
}

SlotInfo ChangeStream::Reader::slot() const {
  const std::lock_guard lock(stream_.mutex_);
  const Slot* slot = stream_.find(name_);
  return slot == nullptr ? SlotInfo() : slot->info;
}

Result<std::shared_ptr<const CommittedChanges>> ChangeStream::Reader::after(uint64_t position) {
  using Found = std::shared_ptr<const CommittedChanges>;
  Kept found{};
  {
    const std::lock_guard lock(stream_.mutex_);
    const Slot* slot = stream_.find(name_);
    if (slot == nullptr || slot->info.lost) return Found();
    const auto at = stream_.first_behind(slot->info.database, position);
    if (at == stream_.kept_.end()) return Found();
    found = *at;
  }
  if (stream_.journal_ == nullptr) return found.changes;
  INDIGO_TRY(stream_.journal_->wait_durable(found.lsn));
  if (found.changes != nullptr) return found.changes;
  INDIGO_ASSIGN(Found changes, stream_.journal_->load(found.begin));
  return changes;
}

void ChangeStream::Reader::confirm(uint64_t position) {
  bool due = false;
  {
    const std::lock_guard lock(stream_.mutex_);
    Slot* slot = stream_.find(name_);
    if (slot == nullptr || position <= slot->info.confirmed) return;
    slot->info.confirmed = slot->info.restart = std::min(position, stream_.end_);
    stream_.trim();
    due = stream_.journal_ != nullptr &&
          (stream_.let_go_ - stream_.let_go_saved_ >= kLetGoUnsaved || Clock::now() - stream_.saved_ >= kSaveInterval);
  }
  if (due) (void)stream_.save(false);  // else with the next one
}

Status ChangeStream::Reader::enable_two_phase(uint64_t position) {
  {
    const std::lock_guard lock(stream_.mutex_);
    Slot* slot = stream_.find(name_);
    if (slot == nullptr || slot->info.two_phase) return {};
    slot->info.two_phase = true;
    slot->info.two_phase_at = position;
  }
  return stream_.save(true);
}

}  // namespace indigo::engine::replication
