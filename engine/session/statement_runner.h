// Runs portals: privileges, table locks, operators, rows, tags; and utility statements through their handlers.
// Thread safety: none; belongs to a session.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "base/error.h"
#include "engine/row_sink.h"
#include "engine/session/portal/preparation.h"
#include "engine/statement/prepared.h"

namespace indigo::engine {

class SessionParts;
struct Portal;

class StatementRunner {
 public:
  explicit StatementRunner(SessionParts& session) : session_(session) {}

  // Snapshot, locks and operators of a ready portal.
  using Columns = Preparation::Columns;
  Status open_plan(Portal& portal, Columns columns = Columns::kTold);
  // Runs a planned portal: at most max_rows rows into the sink (0: all), then sets portal.status and portal.tag.
  Status run_plan(Portal& portal, uint32_t max_rows, RowSink& sink);
  // Fetches from a portal's buffer or operators without a tag; returns rows sent.
  // `as`: formats that differ from the portal's own (FETCH in the extended protocol).
  Result<uint64_t> fetch_rows(Portal& portal, uint64_t max_rows, RowSink& sink, const ResultShape* as = nullptr);
  // Everything that is left of the portal's rows goes into its buffer.
  Status materialise(Portal& portal);
  // What programs' loops read outlives the transaction that the program is about to end. 55000 where it cannot.
  Status hold_pinned();
  Status run_utility(Portal& portal, RowSink& sink);
  // Its rows go to the portal's buffer.
  Status keep_utility_rows(Portal& portal);

  // Result columns of a prepared statement in the given formats; null when it has none.
  Result<std::shared_ptr<const ResultShape>> shape_of(const Prepared& prepared, std::span<const Format> formats);
  // Table locks of a plan, and its re-check against the catalog; replaces `prepared` when it had to be planned again.
  // `parameters`: with which alone it is run after this; partitions that they leave out are not locked.
  Status lock_relations(PreparedPtr& prepared, std::span<const Datum> parameters, Columns columns = Columns::kTold);
  // Of the tables whose locks do not depend on parameters: what PREPARE locks.
  Status lock_named(const Prepared& prepared);
  // Runs queries that rules have added to a statement, each after a new command has begun. `sink`: of their SELECTs' rows.
  Status run_rule_queries(std::span<const PreparedPtr> queries, std::span<const Datum> parameters, RowSink* sink);
  // The privileges that it needs, as they are now.
  Status check_rights(const Prepared& prepared);
  // And whether a read-only transaction may run it.
  Status check_allowed(const Prepared& prepared);

  // Constraint checks that need not wait any more: at COMMIT all, by SET CONSTRAINTS those that became immediate.
  Status run_deferred_checks(bool commit);
  // TRUNCATE's triggers of these tables, before the rows go or (`before` false) when they are gone.
  Status fire_truncate_triggers(std::span<const std::shared_ptr<const catalog::RelationInfo>> tables, bool before);
  // What must be done or checked before a commit: deferred checks, cursors WITH HOLD, ON COMMIT actions.
  Status finish_transaction(bool to_prepare = false);

 private:
  Status lock(const sql::PlannedStatement::Dependency& dependency);
  Status lock_all(const sql::PlannedStatement& plan);
  // At the transaction's end: what cursors WITH HOLD have not given yet is kept.
  Status hold_cursors(bool to_prepare);
  // In a block: a serializable transaction that cannot commit any more fails with the statement that has just ended.
  Status check_transaction_open(bool changes);

  SessionParts& session_;
};

}  // namespace indigo::engine
