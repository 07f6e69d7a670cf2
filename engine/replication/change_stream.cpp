#include "engine/replication/change_stream.h"

#include <algorithm>
#include <charconv>
#include <cstdio>

#include "base/fiber/interrupt_error.h"
#include "base/sqlstate.h"

namespace indigo::engine::replication {

namespace {

constexpr uint64_t kCommitBytes = 48;  // of positions, beyond a transaction's own changes

uint64_t aligned(uint64_t position) { return (position + 7) & ~uint64_t{7}; }

Error no_slot(std::string_view name) {
  return Error(sqlstate::kUndefinedObject, "replication slot \"" + std::string(name) + "\" does not exist");
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

Status ChangeStream::take_turn() {
  const WaitResult waited = turn_free_.wait([this] { return !turn_taken_.exchange(true, std::memory_order_acquire); });
  if (waited == WaitResult::kInterrupted) return interrupt_error(Waiter::current().interrupted());
  return {};
}

void ChangeStream::give_turn() {
  turn_taken_.store(false, std::memory_order_release);
  turn_free_.notify_all();
}

void ChangeStream::publish(const std::shared_ptr<CommittedChanges>& changes) {
  const std::lock_guard lock(mutex_);
  changes->begin = end_;
  changes->commit = aligned(end_ + changes->bytes);
  changes->end = changes->commit + kCommitBytes;
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
  kept_.push_back(changes);
  enforce_limit();
}

uint64_t ChangeStream::end() const {
  const std::lock_guard lock(mutex_);
  return end_;
}

ChangeStream::Slot* ChangeStream::find(std::string_view name) {
  const auto at = slots_.find(name);
  return at == slots_.end() ? nullptr : &at->second;
}

Status ChangeStream::reserve(const SlotInfo& slot, size_t most) {
  const std::lock_guard lock(mutex_);
  if (find(slot.name) != nullptr) {
    return Error(sqlstate::kDuplicateObject, "replication slot \"" + slot.name + "\" already exists");
  }
  if (slots_.size() >= most) {
    return Error(SqlState("53400"), "all replication slots are in use")
        .with_hint("Free one or increase max_replication_slots.");
  }
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
  trim();
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
  for (const auto& [name, slot] : slots_) out.push_back(slot.info);
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
  if (slot->info.database != database) {
    return Error(sqlstate::kObjectNotInPrerequisiteState,
                 "replication slot \"" + std::string(name) + "\" was not created in this database");
  }
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
    const CommittedChanges& oldest = *kept_.front();
    const bool needed = std::any_of(slots_.begin(), slots_.end(), [&](const auto& s) {
      return s.second.info.database == oldest.database && !s.second.info.lost && s.second.info.confirmed < oldest.end;
    });
    if (needed) return;
    kept_.pop_front();
  }
}

void ChangeStream::enforce_limit() {
  const int64_t limit = limit_bytes_.load(std::memory_order_relaxed);
  if (limit < 0) return;
  bool lost = false;
  for (auto& [name, slot] : slots_) {
    if (slot.reserved || slot.info.lost || end_ - slot.info.confirmed <= static_cast<uint64_t>(limit)) continue;
    slot.info.lost = lost = true;
  }
  if (lost) trim();
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

void ChangeStream::prepared(const std::string& name, std::shared_ptr<CommittedChanges> changes) {
  const std::lock_guard lock(mutex_);
  prepared_[name] = std::move(changes);
}

std::shared_ptr<CommittedChanges> ChangeStream::take_prepared(const std::string& name) {
  const std::lock_guard lock(mutex_);
  const auto at = prepared_.find(name);
  if (at == prepared_.end()) return nullptr;
  auto changes = std::move(at->second);
  prepared_.erase(at);
  return changes;
}

std::shared_ptr<const CommittedChanges> ChangeStream::Reader::after(uint64_t position) {
  const std::lock_guard lock(stream_.mutex_);
  const Slot* slot = stream_.find(name_);
  if (slot == nullptr || slot->info.lost) return nullptr;
  auto at = std::upper_bound(stream_.kept_.begin(), stream_.kept_.end(), position,
                             [](uint64_t p, const auto& changes) { return p < changes->end; });
  while (at != stream_.kept_.end() && (*at)->database != slot->info.database) ++at;
  return at == stream_.kept_.end() ? nullptr : *at;
}

void ChangeStream::Reader::confirm(uint64_t position) {
  const std::lock_guard lock(stream_.mutex_);
  Slot* slot = stream_.find(name_);
  if (slot == nullptr || position <= slot->info.confirmed) return;
  slot->info.confirmed = slot->info.restart = std::min(position, stream_.end_);
  stream_.trim();
}

}  // namespace indigo::engine::replication
