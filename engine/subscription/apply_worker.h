// One subscription at work: tables that are new to it are copied, then the publisher's stream is applied, transaction by
// transaction.
//
// Invariants:
// 1. *Once.* A transaction here applies one of the publisher's and writes how far the subscription has come, both or neither. The
//    stream is asked for from there on.
// 2. *Copies.* A table is copied in the snapshot of a temporary slot that is made for it, at a place that the worker's own
//    stream has not reached yet, because a worker copies before it begins to stream. What was committed up to that place is
//    passed over when the stream brings it.
// 3. *Told when kept.* The publisher is told of a place as flushed only when all before it is committed here and, with -D, durable.
//    Commits do not wait for the device one by one (the subscription's synchronous_commit is off unless it says otherwise).
// 4. *Two-phase commit.* What the publisher prepares is prepared here under the name pg_<subscription>_<transaction>, before the
//    place behind it is written: a PREPARE that comes again finds it, and does nothing. A COMMIT PREPARED is marked before it is
//    done, so one that comes again knows whether it may have been done. Decoding at PREPARE is asked of the publisher when all
//    tables are ready, because what is prepared before is told at COMMIT PREPARED, and a table must not miss it.
// 5. An error rolls the transaction back and ends the worker; it is started again later, or the subscription is switched off
//    (disable_on_error).
// Thread safety: runs on one thread; StopEvent and Waiter::interrupt end it from others. WorkerStatus: any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/subscription/apply_session.h"
#include "engine/subscription/change_message.h"
#include "engine/subscription/publisher.h"
#include "engine/subscription/streamed_transactions.h"
#include "engine/subscription/subscription_rows.h"
#include "engine/subscription/target_table.h"

namespace indigo::engine::subscription {

// What pg_stat_subscription shows; times in microseconds since 2000, 0: never.
struct WorkerStatus {
  std::atomic<uint64_t> received_lsn{0}, reported_lsn{0};
  std::atomic<int64_t> sent{0}, received{0}, reported{0};
};

class ApplyWorker {
 public:
  ApplyWorker(InstanceImpl& instance, Waiter& waiter, const Subscription& subscription, StopEventPtr stop,
              WorkerStatus& status);

  // Until it is told to stop, the publisher ends the stream, or something fails.
  Status run();

 private:
  Status open();
  Status copy_tables();
  Status copy_table(TableState table);
  Status connect();
  Status start_stream();
  Status start_stream_again();
  Status stream();  // ends without an error when it should be started again, with two-phase commit
  bool all_ready() const;
  bool may_enable_two_phase() const;
  Status apply(std::string_view message);
  Status apply(const BeginChange& begin);
  Status apply(const CommitChange& commit);
  Status apply(const RelationChange& relation);
  Status apply(const RowChange& row);
  Status apply(const TruncateChange& truncate);
  Status apply(const OtherChange&) { return {}; }
  // ---- transactions in progress
  Status apply(const StreamStartChange& start);
  Status apply(const StreamStopChange&);
  Status apply(const StreamCommitChange& commit);
  Status apply(const StreamAbortChange& abort);
  Status keep(std::string_view message);
  Status replay(uint32_t transaction);
  // ---- two-phase commit
  Status apply(const BeginPrepareChange& begin);
  Status apply(const PrepareChange& prepare);
  Status apply(const CommitPreparedChange& commit);
  Status apply(const RollbackPreparedChange& rollback);
  std::string prepared_name(uint32_t transaction) const;
  bool is_prepared(uint32_t transaction) const;
  Status end_at(uint64_t end_lsn);
  // Its changes are passed over: ALTER SUBSCRIPTION ... SKIP, or it is prepared already.
  bool is_skipped() const { return subscription_.skip_lsn != 0 && subscription_.skip_lsn == begin_.final_lsn; }
  bool passes_over() const { return prepared_before_ || is_skipped(); }
  // Null: it takes no part in this transaction.
  Result<TargetTable*> target(uint32_t remote);
  Status begin_if_needed();
  Status forget_skipped_lsn(DdlContext& c) const;
  void skipped();
  Status reached(uint64_t lsn);  // tables that the stream has caught up with are ready
  Status report(bool wants_reply);
  Status flush();
  Deadline next_event(Deadline heard, bool asked) const;
  Status in_transaction(const std::function<Status(DdlContext&)>& step);
  void disable();
  int64_t setting(const char* name) const;  // in its own unit

  InstanceImpl& instance_;
  Waiter& waiter_;
  Subscription subscription_;
  const StopEventPtr stop_;
  WorkerStatus& status_;
  std::unique_ptr<ApplySession> session_;
  std::unique_ptr<Publisher> publisher_;
  std::map<uint32_t, RelationChange> remote_;  // as the stream has described them
  std::map<uint32_t, TargetTable> targets_;
  std::map<Oid, TableState> tables_;
  uint64_t applied_ = 0;               // all of the stream up to here has been committed
  uint64_t flushed_ = 0;               // and up to here it is durable
  int unflushed_ = 0;                  // commits behind that
  Deadline told_{};                    // when the publisher was
  bool in_remote_ = false;             // between the publisher's begin and commit
  BeginChange begin_;                  // of that transaction
  bool prepared_before_ = false;       // it comes again
  uint64_t committing_ = 0;            // the place of a COMMIT PREPARED that may have been done before
  std::optional<uint32_t> streaming_;  // between the start and the stop of a stream: its transaction
  StreamedTransactions streamed_;
  std::string doing_;  // what an error happened at, for its context
};

}  // namespace indigo::engine::subscription
