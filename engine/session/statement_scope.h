// Where statements run: the session's transaction with its snapshot, and the view that the innermost statement reads with.
// Thread safety: none; belongs to a session.
#pragma once

#include <span>

#include "base/error.h"
#include "engine/exec/execution.h"
#include "engine/programs/active_view.h"
#include "engine/session/transaction_block.h"

namespace indigo::engine {

class CurrentMessage;
class DefinitionHost;
class SessionFunctions;
struct AppliedSettings;
struct ParsedStatement;

class StatementScope {
 public:
  StatementScope(storage::Store& store, TransactionBlock& block, const CurrentMessage& message,
                 const AppliedSettings& settings, SessionFunctions& context, exec::CursorRows& cursors,
                 exec::TriggerHost& triggers, exec::ScanCounts& scans)
      : store_(store),
        block_(block),
        message_(message),
        settings_(settings),
        context_(context),
        cursors_(cursors),
        triggers_(triggers),
        scans_(scans) {}

  // Makes sure that a transaction is open with a snapshot; a new command begins unless one runs already.
  Status begin_statement();
  // Whether no definition has changed since the statement's snapshot: what the catalog of now lets it read is what it would read.
  bool follows_catalog() const;
  // Another snapshot for the statement, under READ COMMITTED, before it reads.
  void renew_snapshot();
  // A transaction, but no snapshot yet: for Parse and Bind.
  Status begin_transaction();
  // The next statement is a command of its own.
  void end_statement() { running_ = false; }
  // 25P02 unless the statement may run in a failed transaction block.
  Status check_failed_block(const ParsedStatement& parsed) const;

  const AppliedSettings& settings() const { return settings_; }
  storage::Store& store() { return store_; }
  storage::Transaction& transaction() { return *block_.transaction(); }

  // What the statement that runs now reads with.
  storage::ReadView current_view();
  // What a statement inside a program reads with. `fresh`: of a new command, and under READ COMMITTED of a new snapshot.
  storage::ReadView nested_view(bool fresh);
  // Of the innermost statement that runs; null outside.
  ActiveView*& active_view() { return active_view_; }
  // Of the innermost definition statement that runs; null outside.
  DefinitionHost*& definition() { return definition_; }

  void set_foreign(exec::ForeignHost* host) { foreign_ = host; }
  // What a plan runs in: this transaction, at that view.
  ExecutionContext execution_context(const storage::ReadView& view, std::span<const Datum> parameters);

 private:
  storage::Store& store_;
  TransactionBlock& block_;
  const CurrentMessage& message_;
  const AppliedSettings& settings_;
  SessionFunctions& context_;
  exec::CursorRows& cursors_;
  exec::TriggerHost& triggers_;
  exec::ScanCounts& scans_;
  exec::ForeignHost* foreign_ = nullptr;
  ActiveView* active_view_ = nullptr;
  DefinitionHost* definition_ = nullptr;
  bool running_ = false;
  uint64_t catalog_version_ = 0;  // when the snapshot was taken
};

}  // namespace indigo::engine
