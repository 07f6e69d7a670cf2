// The committed changes of all databases in the order of their commits, for logical replication, and the slots that hold them:
// what a slot has not confirmed stays. One for each instance; in memory, and with a data directory in the journal
// (change_journal.h).
//
// Data flow. Change operators tell SessionChanges what they write while a slot exists (wanted()). Before its commit a session
// takes the turn, commits, publishes and gives the turn back, so the stream has the order of commits. Readers (walsenders, the
// pg_logical_slot functions) take what follows their slot's place.
//
// Positions are log sequence numbers as clients know them: they grow with what is published. Without a journal they begin anew
// with the server.
//
// Invariants:
// 1. Transactions are in the order of their positions, and a transaction that has seen another's effects comes after it.
// 2. A transaction is kept while a slot of its database has not confirmed its end.
// 3. A slot's beginning is a place at which every transaction that has changed anything before has ended: what it is told is
//    whole transactions, and exactly those that a snapshot of then does not show (SlotMaker).
// 4. A slot has one user at a time.
// 5. With a journal, nobody is told of changes that a crash could take back.
// Thread safety: all functions, from any thread. A reader is woken under the mutex, which its end takes, too.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/fiber/wait_point.h"
#include "engine/replication/change_journal.h"
#include "engine/replication/row_change.h"
#include "engine/replication/slot_info.h"

namespace indigo::engine::replication {

inline constexpr uint64_t kFirstPosition = 0x1000028;  // 0/1000028: zero is no place

class ChangeStream {
 public:
  ChangeStream() = default;
  ChangeStream(const ChangeStream&) = delete;
  ChangeStream& operator=(const ChangeStream&) = delete;

  // ---- writers
  // Whether changes are to be told at all.
  bool wanted() const { return slots_wanted_.load(std::memory_order_seq_cst) > 0; }
  // What open and prepared transactions have gathered is no more than set_gathering_limit() says, all together. 53200.
  Status count_gathered(size_t bytes);
  void forget_gathered(size_t bytes) { gathered_bytes_.fetch_sub(bytes, std::memory_order_relaxed); }
  // Waits for the turn, suspending the session; an interrupt ends the wait.
  Status take_turn();
  void give_turn();
  // By the holder of the turn: gives the changes their place, and keeps them in the journal if there is one, by the
  // transaction that is about to commit; null: at once.
  Status place(CommittedChanges& changes, storage::Transaction* txn);
  // By the holder of the turn, after its commit: what was placed last.
  void publish(const std::shared_ptr<CommittedChanges>& changes);

  // ---- two-phase commit
  // Whether a slot of the database is told at PREPARE: who prepares takes the turn first.
  bool decodes_at_prepare(Oid database) const;
  // By the holder of the turn, who is about to prepare: gives the PREPARE its place. Then publish(), or withdraw() when it could
  // not be prepared.
  Status place_prepare(CommittedChanges& prepare);
  void withdraw(const CommittedChanges& prepare);
  // A transaction is about to be prepared with what it has gathered, of the kind kCommitPrepared, under the name that is in it.
  // The stream gives back what of it is counted (CommittedChanges::gathered) when the journal has it, or with its end; unless
  // this fails.
  Status prepare(storage::Transaction& txn, std::shared_ptr<CommittedChanges> changes);
  // Its name, which another one may have as soon as it has ended, and when it was prepared.
  using PreparedKey = std::pair<std::string, int64_t>;
  // Whether somebody may be told of the prepared transaction's commit: who decides it takes the turn first.
  bool tells_prepared(const PreparedKey& key) const;
  // It has committed, and the caller holds the turn.
  void publish_prepared(const PreparedKey& key, int64_t now);
  // Whether somebody is told of its PREPARE: who rolls it back takes the turn first.
  bool told_at_prepare(const PreparedKey& key) const;
  // It was rolled back, and the caller holds the turn if its PREPARE was told.
  void publish_rollback(const PreparedKey& key, int64_t now);
  // It could not be prepared.
  void forget_prepared(const PreparedKey& key);
  // The place behind everything that was published.
  uint64_t end() const;

  // ---- with a data directory
  using Undecided = std::set<PreparedKey>;
  // Before sessions are let in: what the journal has. 55000 when there are slots and `decodes` is false (wal_level), or more
  // than `most`.
  Status restore(std::unique_ptr<ChangeJournal> journal, bool decodes, size_t most, const Undecided& undecided,
                 int64_t now);
  // Slots, and how far they have come. `durable`: survives a crash when this returns.
  Status save(bool durable);
  // The server ends: keeps what is to be kept, and lets go of everything else. Nobody uses it any more.
  void close();

  // ---- slots
  // 42710 when there is one of this name, 53400 when there are `most`. It is reserved: nobody sees or uses it before begin_at.
  Status reserve(const SlotInfo& slot, size_t most);
  void begin_at(std::string_view name, uint64_t position);
  // Another one at the same place: `copy` has its name, plugin, kind and database. Answers the place. 42704, 42710, 53400;
  // 55000 for one that is lost or another database's.
  Result<uint64_t> copy(std::string_view name, SlotInfo copy, size_t most);
  // 42704; 55006 while somebody uses it. `wait`: until nobody does.
  Status drop(std::string_view name, bool wait, int32_t pid);
  void drop_temporary(int32_t creator);
  std::vector<SlotInfo> slots() const;
  bool any_of(Oid database) const;

  // What a slot's user reads. Thread safety: one session; its end gives the slot back.
  class Reader {
   public:
    ~Reader();
    Reader(const Reader&) = delete;
    Reader& operator=(const Reader&) = delete;

    SlotInfo slot() const;
    // The first transaction of the slot's database that ends behind `position`; null: none yet.
    Result<std::shared_ptr<const CommittedChanges>> after(uint64_t position);
    // Set, and the waiter woken, when something has been published.
    const std::atomic<bool>& called() const { return called_; }
    void clear_call() { called_.store(false, std::memory_order_relaxed); }
    // What lies before `position` is not needed again. The journal is told from time to time.
    void confirm(uint64_t position);
    // From this position on the slot is told of transactions when they are prepared, if it is not already. Survives a crash.
    Status enable_two_phase(uint64_t position);

   private:
    friend class ChangeStream;
    Reader(ChangeStream& stream, std::string name, Waiter& waiter)
        : stream_(stream), name_(std::move(name)), waiter_(waiter) {}

    ChangeStream& stream_;
    const std::string name_;
    Waiter& waiter_;
    std::atomic<bool> called_{false};
  };
  // 42704; 55006 when another session uses it; 55000 for another database's.
  Result<std::unique_ptr<Reader>> use(std::string_view name, Oid database, int32_t pid, Waiter& waiter);
  // Bytes that one slot may hold back; negative: no limit.
  void set_limit(int64_t bytes) { limit_bytes_.store(bytes, std::memory_order_relaxed); }
  void set_gathering_limit(uint64_t bytes) { gathering_limit_bytes_ = bytes; }
  int64_t limit() const { return limit_bytes_.load(std::memory_order_relaxed); }

 private:
  struct Slot {
    SlotInfo info;
    bool reserved = true;
    Reader* reader = nullptr;
  };
  // Changes that are published. Those that only the journal has are read from it.
  struct Kept {
    uint64_t begin, end;
    Oid database;
    Lsn lsn;  // of the log, behind their commit
    std::shared_ptr<const CommittedChanges> changes;
  };
  Slot* find(std::string_view name);
  std::deque<Kept>::const_iterator first_behind(Oid database, uint64_t position) const;
  uint64_t held_by(const SlotInfo& slot) const;
  Status check_new(std::string_view name, size_t most);
  bool journal_wants(Oid database) const;
  Status give_position(CommittedChanges& changes);
  void keep(Kept kept);
  void let_go_of_first();
  void adopt_prepared(int64_t now);
  void drop_prepared(const PreparedKey& key);
  void roll_back_told(const CommittedChanges& prepare, int64_t now);
  void trim();
  void enforce_limit();

  std::atomic<uint32_t> slots_wanted_{0};
  std::atomic<int64_t> limit_bytes_{-1};
  std::atomic<size_t> gathered_bytes_{0};
  uint64_t gathering_limit_bytes_ = UINT64_MAX;  // set before there are sessions
  std::atomic<bool> turn_taken_{false};
  WaitPoint turn_free_, slot_free_;

  mutable std::mutex mutex_;  // guards the members below, and `called_` of readers while they are set
  std::map<std::string, Slot, std::less<>> slots_;
  std::deque<Kept> kept_;
  size_t bytes_in_memory_ = 0;                                         // of kept_'s changes
  uint64_t let_go_ = 0;                                                // how many are gone from kept_ ...
  std::map<PreparedKey, std::shared_ptr<CommittedChanges>> prepared_;  // without a journal
  std::map<PreparedKey, CommittedChanges> told_prepares_;              // without changes, until their end
  uint64_t end_ = kFirstPosition;
  Clock::time_point saved_;    // when the journal was told ...
  uint64_t let_go_saved_ = 0;  // ... and of how many

  std::unique_ptr<ChangeJournal> journal_;  // set before there are sessions; null: everything in memory
  uint64_t bound_ = 0;                      // the turn's
  std::atomic<bool> saving_{false}, lost_unsaved_{false};
  WaitPoint saver_free_;
};

// The turn, while it lives.
class Turn {
 public:
  explicit Turn(ChangeStream& stream) : stream_(stream) {}
  ~Turn() {
    if (taken_) stream_.give_turn();
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  Status take() {
    INDIGO_TRY(stream_.take_turn());
    taken_ = true;
    return {};
  }

 private:
  ChangeStream& stream_;
  bool taken_ = false;
};

// "16/B374D848"
std::string position_text(uint64_t position);
std::optional<uint64_t> read_position(std::string_view text);

}  // namespace indigo::engine::replication
