// Definition statements: CREATE, ALTER, DROP, COMMENT, TRUNCATE, ANALYZE, GRANT ... from libpg_query's tree to rows of the
// system tables and physical objects, within the caller's transaction. Locks tables in PostgreSQL's modes, answers its
// command tags, notices, SQLSTATEs and messages.
//
// Queries that DDL needs (CREATE TABLE AS, rewriting with USING, validation of CHECK and foreign keys) run through the
// host, so that this folder needs no executor.
// Thread safety: one call belongs to one session.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/sqlstate.h"
#include "catalog/descriptor/session_catalog.h"
#include "catalog/descriptor/session_context.h"
#include "sql/parse/tree_names.h"

namespace indigo {
struct Chunk;
}
namespace indigo::sql {
struct Query;
class VariableScope;
}  // namespace indigo::sql
namespace indigo::storage {
class Store;
class Table;
class Transaction;
}  // namespace indigo::storage

namespace indigo::engine {

class Progress;
enum class Severity : uint8_t;
struct ResultShape;
struct UtilityStatement;

// Why a table's rows are written again (pg_event_trigger_table_rewrite_reason()); several add up.
namespace rewrite_reason {
inline constexpr int32_t kPersistence = 1, kDefault = 2, kColumnType = 4, kAccessMethod = 8;
}

// What DDL asks of the session that runs it.
class DdlHost {
 public:
  virtual ~DdlHost() = default;
  virtual catalog::SessionContext& session() = 0;
  // Of the program that the statement stands in; null: of none.
  virtual const sql::VariableScope* variables() { return nullptr; }
  virtual void notice(Severity severity, const Error& text) = 0;
  // Whether the session has loaded this module.
  virtual bool has_loaded(std::string_view /*module*/) const { return false; }
  // The statement is a role's, within a security-restricted operation of another.
  virtual bool is_restricted() const { return false; }
  // Constraint checks of this transaction wait for rows of the table: its rows must stay as they are.
  virtual bool has_pending_checks(Oid /*relation*/) { return false; }
  // An open cursor or portal of the session reads the table: its shape must stay as it is.
  virtual bool is_being_read(Oid /*relation*/) { return false; }
  // This statement works on the relation: to definitions inside the functions that it calls, the relation is being read.
  virtual void uses(Oid /*relation*/) {}
  // Ends the other sessions of a database, as far as the role may (42501). They are gone a little later.
  virtual Status terminate_sessions(Oid /*database*/) { return {}; }
  // Work in the background leaves the database, which is to be dropped. It is gone a little later.
  virtual void end_maintenance(Oid /*database*/) {}
  // Where the statement tells how far it is; null: nobody looks.
  virtual Progress* progress() { return nullptr; }
  // ANALYZE has read a table, of which so many records had been changed before (storage::changes_of).
  virtual void analyzed(const catalog::RelationInfo& /*relation*/, uint64_t /*changes*/) {}
  // CREATE FUNCTION: the language looks at the new routine's body.
  virtual Status validate_routine(Oid /*routine*/) { return {}; }
  // TRUNCATE's triggers of these tables: before the rows go, and when they are gone.
  virtual Status fire_truncate_triggers(std::span<const std::shared_ptr<const catalog::RelationInfo>> /*tables*/,
                                        bool /*before*/) {
    return {};
  }
  // TRUNCATE of foreign tables, on their servers. 0A000 for a wrapper that has none, 55000 for a table that takes none.
  virtual Status check_foreign_truncate(const catalog::RelationInfo& relation) = 0;
  virtual Status truncate_foreign(std::span<const std::shared_ptr<const catalog::RelationInfo>> tables, bool cascades,
                                  bool restarts_sequences) = 0;
  // ANALYZE of foreign tables (engine/foreign/foreign_analysis.h): whether it can, the rows, and their bytes.
  virtual Result<bool> analyzes_foreign(const catalog::RelationInfo& /*relation*/) { return false; }
  virtual Status read_foreign(const std::shared_ptr<const catalog::RelationInfo>& /*relation*/,
                              const std::function<Status(Bytes image)>& /*visit*/) {
    return {};
  }
  virtual Result<uint64_t> foreign_size(const std::shared_ptr<const catalog::RelationInfo>& /*relation*/) {
    return uint64_t{0};
  }
  // Where the statement stands its transaction goes on behind it: in a block, or with others in one message.
  virtual bool is_in_block() const { return false; }
  // pg_subscription changes in this transaction: the subscription's worker (kInvalidOid: none) has ended when this returns, and
  // does not run until the transaction has ended. An interrupt.
  virtual Status change_subscriptions(Oid /*stopped*/) { return {}; }
  // Logical replication hears of rows that definitions change: tables emptied by one TRUNCATE, a row of a new table.
  virtual void truncated(std::span<const std::shared_ptr<const catalog::RelationInfo>> /*tables*/, bool /*cascades*/,
                         bool /*restarts_sequences*/) {}
  virtual Status inserted(const std::shared_ptr<const catalog::RelationInfo>& /*relation*/, Bytes /*row*/) {
    return {};
  }
  // Event triggers hear of what has been made, and of what is about to go: `asked` for by name, or because it needs (`needed`)
  // something that goes, or as a part of it.
  virtual void made(Oid /*class_id*/, Oid /*object*/, bool /*in_extension*/) {}
  virtual void dropped(Oid /*class_id*/, Oid /*object*/, int32_t /*sub*/, bool /*asked*/, bool /*needed*/) {}
  // ... and of tables that ALTER TABLE and its kin write again. `reasons`: of rewrite_reason.
  virtual void rewritten(Oid /*relation*/, int32_t /*reasons*/) {}
  // A new table, or one that is emptied or written again, has its rows here.
  virtual void stored(const storage::Table& /*table*/) {}
  // Runs a SELECT in this transaction over the newest state, own changes included. Rows arrive in chunks.
  using Rows = std::function<Status(const ResultShape& shape, const Chunk& chunk)>;
  virtual Status run_query(std::string_view sql, const Rows& rows) = 0;
  // The same with the privileges of a role, which policies apply to as well, as a security-restricted operation.
  virtual Status run_query_as(Oid role, std::string_view sql, const Rows& rows) = 0;
  // While the answer lives, what runs has the privileges of that role, as a security-restricted operation, and what it sets
  // goes with it: functions that a superuser calls for a table's owner. Null: there is no session.
  virtual std::shared_ptr<void> act_as(Oid /*role*/) { return nullptr; }
  // Like run_query for a parse tree out of the running statement (CREATE TABLE AS). `shape` comes before the rows, once; it
  // may create the table. Parameters of the running execution are available to the query. Without `rows` it is not run.
  using Shape = std::function<Status(const ResultShape& shape)>;
  virtual Status run_query(const PgQuery__Node* select, std::string_view text, const Shape& shape,
                           const Rows& rows) = 0;
  // What a foreign server of postgres_fdw answers, as texts, in the transaction there. 0A000 where there is no session.
  using TextRows = std::vector<std::vector<std::optional<std::string>>>;
  virtual Result<TextRows> ask_server(Oid /*server*/, const std::string& /*statement*/) {
    return Error(sqlstate::kFeatureNotSupported, "foreign servers cannot be asked here");
  }
};

struct DdlContext {
  catalog::SessionCatalog& catalog;
  storage::Transaction& txn;
  DdlHost& host;
  std::string_view text;        // the whole text that `location`s of the tree count in
  Oid extension = kInvalidOid;  // whose definitions run: what they make is its own
  std::string tag;              // a command tag other than the statement's name ("SELECT 10")
  // What the statement does in a transaction of its own, once this one has been committed (DETACH ... CONCURRENTLY). Only where
  // it stands in no transaction block (UtilityStatement::refused_in_block).
  std::function<Status(DdlContext&)> next_transaction = {};
  // What is left when the statement fails (an index that is not valid), in a transaction of its own after this one has been
  // rolled back. Only where it stands in no transaction block.
  std::function<Status(DdlContext&)> after_failure = {};
  storage::Store& store() const;
};

// The rows of all definition statements.
std::span<const UtilityStatement> definition_statements();
// Null: not a definition statement.
const UtilityStatement* find_definition(const PgQuery__Node& statement);
// Runs a definition statement; answers the command tag ("CREATE TABLE", "SELECT 10" ...). The caller has checked what the
// statement's row asks for. It commits or rolls back, and starts the next command afterwards.
Result<std::string> execute_ddl(DdlContext& context, const PgQuery__Node& statement);

// Before COMMIT: ON COMMIT actions of temporary tables. At the session's end: drops its temporary objects.
Status before_commit(DdlContext& context);
Status drop_temporary_objects(DdlContext& context);

}  // namespace indigo::engine
