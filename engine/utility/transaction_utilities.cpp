// BEGIN, COMMIT, ROLLBACK, SAVEPOINT and SET TRANSACTION's options.
#include <algorithm>

#include "base/memory/memory_reserve.h"
#include "base/sqlstate.h"
#include "engine/row_sink.h"
#include "engine/session/current_message.h"
#include "engine/session/portal/portals.h"
#include "engine/session/session_parts.h"
#include "engine/session/transaction_block.h"
#include "engine/utility/families.h"
#include "engine/utility/prepared_transaction.h"
#include "engine/utility/transaction_modes.h"
#include "sql/parse/parse_tree.h"

namespace indigo::engine {

namespace {

Status warn(UtilityCall& call, SqlState state, const char* message) {
  call.session.notice(Severity::kWarning, Error(state, message));
  return {};
}

Status begin(UtilityCall& call, const PgQuery__TransactionStmt& stmt) {
  auto& block = call.session.block();
  INDIGO_ASSIGN(TransactionModes modes, read_transaction_modes({stmt.options, stmt.n_options}));
  if (block.state() == TransactionBlock::State::kBlock) {
    INDIGO_TRY(warn(call, sqlstate::kActiveSqlTransaction, "there is already a transaction in progress"));
    return block.set_modes(modes);
  }
  return block.begin(modes, call.session.message().timestamp());
}

Status commit(UtilityCall& call, const PgQuery__TransactionStmt& stmt) {
  auto& block = call.session.block();
  call.tag = block.state() == TransactionBlock::State::kFailed ? "ROLLBACK" : "COMMIT";
  if (!block.in_block()) {
    if (stmt.chain) {
      return Error(sqlstate::kNoActiveSqlTransaction, "COMMIT AND CHAIN can only be used in transaction blocks");
    }
    INDIGO_TRY(warn(call, sqlstate::kNoActiveSqlTransaction, "there is no transaction in progress"));
  }
  const TransactionModes modes = block.modes();
  if (block.state() == TransactionBlock::State::kFailed) {
    block.rollback();
  } else {
    INDIGO_TRY(block.commit());
  }
  const MustNotFail scope;  // the client learns of the end
  return stmt.chain ? block.begin(modes, call.session.message().timestamp()) : Status();
}

Status rollback(UtilityCall& call, const PgQuery__TransactionStmt& stmt) {
  auto& block = call.session.block();
  call.tag = "ROLLBACK";
  if (!block.in_block()) {
    if (stmt.chain) {
      return Error(sqlstate::kNoActiveSqlTransaction, "ROLLBACK AND CHAIN can only be used in transaction blocks");
    }
    INDIGO_TRY(warn(call, sqlstate::kNoActiveSqlTransaction, "there is no transaction in progress"));
  }
  const TransactionModes modes = block.modes();
  block.rollback();
  return stmt.chain ? block.begin(modes, call.session.message().timestamp()) : Status();
}

Status prepare(UtilityCall& call, const PgQuery__TransactionStmt& stmt) {
  auto& block = call.session.block();
  if (block.state() == TransactionBlock::State::kBlock) return prepare_transaction(call, stmt.gid);
  call.tag = "ROLLBACK";
  if (!block.in_block()) return warn(call, sqlstate::kNoActiveSqlTransaction, "there is no transaction in progress");
  block.rollback();
  return {};
}

Status finish_prepared(UtilityCall& call, const PgQuery__TransactionStmt& stmt) {
  if (call.session.block().state() == TransactionBlock::State::kFailed) return in_failed_block();
  INDIGO_TRY(prevent_in_block(call, call.tag));
  const bool commits = stmt.kind == PG_QUERY__TRANSACTION_STMT_KIND__TRANS_STMT_COMMIT_PREPARED;
  return commits ? commit_prepared(call, stmt.gid) : roll_back_prepared(call, stmt.gid);
}

Status savepoint_statement(UtilityCall& call, const PgQuery__TransactionStmt& stmt) {
  auto& block = call.session.block();
  const char* name = nullptr;
  switch (stmt.kind) {
    case PG_QUERY__TRANSACTION_STMT_KIND__TRANS_STMT_SAVEPOINT: name = "SAVEPOINT"; break;
    case PG_QUERY__TRANSACTION_STMT_KIND__TRANS_STMT_RELEASE: name = "RELEASE SAVEPOINT"; break;
    default: name = "ROLLBACK TO SAVEPOINT"; break;
  }
  if (!block.in_block()) {
    return Error(sqlstate::kNoActiveSqlTransaction, std::string(name) + " can only be used in transaction blocks");
  }
  if (stmt.kind == PG_QUERY__TRANSACTION_STMT_KIND__TRANS_STMT_ROLLBACK_TO) {
    call.tag = "ROLLBACK";
    return block.rollback_to(stmt.savepoint_name);
  }
  if (block.state() == TransactionBlock::State::kFailed) return in_failed_block();
  if (stmt.kind == PG_QUERY__TRANSACTION_STMT_KIND__TRANS_STMT_SAVEPOINT) {
    return block.savepoint(stmt.savepoint_name);
  }
  INDIGO_TRY(block.release(stmt.savepoint_name));
  call.session.portals().release(block.depth());
  return {};
}

Status run_transaction(UtilityCall& call) {
  const auto& stmt = *call.node->transaction_stmt;
  bool failed = call.session.block().state() == TransactionBlock::State::kFailed;
  switch (stmt.kind) {
    case PG_QUERY__TRANSACTION_STMT_KIND__TRANS_STMT_BEGIN:
    case PG_QUERY__TRANSACTION_STMT_KIND__TRANS_STMT_START: return failed ? in_failed_block() : begin(call, stmt);
    case PG_QUERY__TRANSACTION_STMT_KIND__TRANS_STMT_COMMIT: return commit(call, stmt);
    case PG_QUERY__TRANSACTION_STMT_KIND__TRANS_STMT_ROLLBACK: return rollback(call, stmt);
    case PG_QUERY__TRANSACTION_STMT_KIND__TRANS_STMT_SAVEPOINT:
    case PG_QUERY__TRANSACTION_STMT_KIND__TRANS_STMT_RELEASE:
    case PG_QUERY__TRANSACTION_STMT_KIND__TRANS_STMT_ROLLBACK_TO: return savepoint_statement(call, stmt);
    case PG_QUERY__TRANSACTION_STMT_KIND__TRANS_STMT_PREPARE: return prepare(call, stmt);
    case PG_QUERY__TRANSACTION_STMT_KIND__TRANS_STMT_COMMIT_PREPARED:
    case PG_QUERY__TRANSACTION_STMT_KIND__TRANS_STMT_ROLLBACK_PREPARED: return finish_prepared(call, stmt);
    default: return Error(sqlstate::kFeatureNotSupported, "this transaction statement is not supported");
  }
}

std::string transaction_name(const PgQuery__Node& n) {
  switch (n.transaction_stmt->kind) {
    case PG_QUERY__TRANSACTION_STMT_KIND__TRANS_STMT_BEGIN: return "BEGIN";
    case PG_QUERY__TRANSACTION_STMT_KIND__TRANS_STMT_START: return "START TRANSACTION";
    case PG_QUERY__TRANSACTION_STMT_KIND__TRANS_STMT_COMMIT: return "COMMIT";
    case PG_QUERY__TRANSACTION_STMT_KIND__TRANS_STMT_SAVEPOINT: return "SAVEPOINT";
    case PG_QUERY__TRANSACTION_STMT_KIND__TRANS_STMT_RELEASE: return "RELEASE";
    case PG_QUERY__TRANSACTION_STMT_KIND__TRANS_STMT_PREPARE: return "PREPARE TRANSACTION";
    case PG_QUERY__TRANSACTION_STMT_KIND__TRANS_STMT_COMMIT_PREPARED: return "COMMIT PREPARED";
    case PG_QUERY__TRANSACTION_STMT_KIND__TRANS_STMT_ROLLBACK_PREPARED: return "ROLLBACK PREPARED";
    default: return "ROLLBACK";
  }
}

constexpr UtilityStatement kTransactionStatements[] = {
    {.node = PG_QUERY__NODE__NODE_TRANSACTION_STMT,
     .name = "COMMIT",
     .full_name = transaction_name,
     .run = run_transaction,
     .needs_transaction = false,
     .in_failed_block = true},
};

}  // namespace

std::span<const UtilityStatement> transaction_utilities() { return kTransactionStatements; }

}  // namespace indigo::engine
