// Runs a PlannedStatement: instantiates operators (or resets those that the session kept), pulls chunks, applies changes.
//
// An Execution belongs to one session. Between next() calls it holds no latch or guard, so the session may suspend, and
// a portal may keep it open; its snapshot is pinned by the owner that keeps it across statements.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "base/error.h"
#include "catalog/descriptor/session_context.h"
#include "sql/explain/plan_counters.h"
#include "sql/plan.h"
#include "storage/transaction.h"
#include "types/value/vector.h"

namespace indigo::storage {
class Store;
}

namespace indigo::engine {

struct RowParameters;
namespace replication {
class SessionChanges;
}
namespace exec {
class CursorRows;
class DeferredChecks;
class ForeignHost;
class ScanCounts;
class TriggerHost;
struct SpillSpace;
}  // namespace exec

// What an execution works with. All outlive the execution.
struct ExecutionContext {
  storage::Store& store;
  storage::Transaction& transaction;
  storage::ReadView view;  // the statement's snapshot
  catalog::SessionContext& session;
  std::span<const Datum> parameters;               // PlannedStatement::parameter_types, coerced
  uint64_t work_memory_bytes = 0;                  // limit of one operator; over it 53200
  exec::DeferredChecks* deferred = nullptr;        // checks that wait for the transaction's end; null: none may
  exec::CursorRows* cursors = nullptr;             // WHERE CURRENT OF; null: refused
  exec::TriggerHost* triggers = nullptr;           // who runs trigger functions; null: no trigger fires
  const RowParameters* rows = nullptr;             // that a VALUES node is run for; null: its own
  exec::SpillSpace* spill = nullptr;               // where operators put what they cannot hold; null: nowhere
  exec::ScanCounts* scans = nullptr;               // who counts them; null: nobody
  exec::ForeignHost* foreign = nullptr;            // who changes foreign tables; null: nobody
  replication::SessionChanges* changes = nullptr;  // told of rows that change, for logical replication; null: nobody is
  std::string_view text = {};                      // the statement's as its client wrote it; empty: its own
};

class Execution {
 public:
  virtual ~Execution() = default;
  // Prepares for a (new) run; keeps operators and buffers of an earlier one.
  virtual Status open(const ExecutionContext& context) = 0;
  // The next chunk of result rows (visible columns, then PlannedStatement::cursor_tables'); nullptr at the end. Changes
  // without RETURNING run to the end in the first call and answer nullptr. At most max_rows rows (0: no limit).
  virtual Result<const Chunk*> next(uint32_t max_rows) = 0;
  // Rows changed (INSERT, UPDATE, DELETE, MERGE), for the command tag.
  virtual uint64_t affected_rows() const = 0;
  // Ends the run: drops cursors and locks of the executor's own; keeps buffers.
  virtual void close() = 0;
  // What it runs for has failed or is taken back: nobody is told of it when it is closed.
  virtual void abandon() {}

  // What the node has done so far; null unless made with `analyze`, and for nodes that were never built.
  virtual const sql::PlanCounters* counters(const sql::Plan& plan) const = 0;

  // What running it has left allocated, about, noted by who keeps it between runs (ExecutionPool).
  int64_t kept_bytes = 0;
  int64_t held_before = 0;  // of the session's, before this run

  // analyze: count rows and time of every node (EXPLAIN ANALYZE).
  static std::unique_ptr<Execution> create(std::shared_ptr<const sql::PlannedStatement> statement,
                                           bool analyze = false);
};

// One file maps storage's answers to SQLSTATE and message.
Error storage_error(storage::StorageStatus status, const catalog::RelationInfo* relation);

}  // namespace indigo::engine
