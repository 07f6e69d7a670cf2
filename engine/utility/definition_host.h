// The session as engine/ddl sees it.
// Thread safety: one call belongs to one session.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "catalog/descriptor/session_context.h"
#include "engine/ddl/ddl.h"
#include "engine/exec/execution.h"
#include "engine/foreign/foreign_analysis.h"
#include "engine/foreign/remote_table.h"
#include "engine/foreign/session_foreign_host.h"
#include "engine/programs/event_statement.h"
#include "engine/programs/programs.h"
#include "engine/replication/session_changes.h"
#include "engine/session/current_message.h"
#include "engine/session/session_parts.h"
#include "engine/session/session_roles.h"
#include "engine/session/signal.h"
#include "engine/session/statement_runner.h"
#include "engine/session/statement_scope.h"
#include "engine/session/transaction_block.h"
#include "engine/settings/settings.h"
#include "engine/statement/prepared.h"
#include "engine/utility/utility.h"
#include "sql/parse/tree_names.h"

namespace indigo::engine {

class DefinitionHost final : public DdlHost {
 public:
  // `statement` may be null (at the session's end).
  DefinitionHost(SessionParts& session, const ParsedStatement* statement, std::span<const Datum> parameters = {},
                 std::span<const types::TypeRef> parameter_types = {})
      : session_(session),
        outer_(std::exchange(session.scope().definition(), this)),
        statement_(statement),
        parameters_(parameters),
        parameter_types_(parameter_types) {}
  ~DefinitionHost() override { session_.scope().definition() = outer_; }
  DefinitionHost(const DefinitionHost&) = delete;
  DefinitionHost& operator=(const DefinitionHost&) = delete;

  // EXPLAIN ANALYZE CREATE TABLE AS: queries out of the statement are run with counters, and shown when they have ended.
  using Observer = std::function<Status(const PreparedPtr& prepared, Execution& execution)>;
  void observe(Observer observer) { observer_ = std::move(observer); }
  // What event triggers will be told.
  void report_to(programs::EventStatement* events) { events_ = events; }

  catalog::SessionContext& session() override { return session_.context(); }
  const sql::VariableScope* variables() override { return statement_ ? statement_->variables.get() : nullptr; }
  Result<TextRows> ask_server(Oid server, const std::string& statement) override {
    return ask_foreign_server(session_, server, session_.user(), statement);
  }
  void notice(Severity severity, const Error& text) override { session_.notice(severity, text); }
  bool has_loaded(std::string_view module) const override { return session_.settings().has_loaded(module); }
  Progress* progress() override { return &session_.message().activity().progress; }
  bool is_restricted() const override { return session_.roles().is_restricted(); }
  bool has_pending_checks(Oid relation) override { return session_.block().deferred_checks().pending(relation); }
  bool is_being_read(Oid relation) override;
  void uses(Oid relation) override { used_.push_back(relation); }
  // The statement has done its work: what event triggers do now may change what it used.
  void has_ended() { used_.clear(); }
  Status validate_routine(Oid routine) override { return session_.routines().validate(routine); }
  Status fire_truncate_triggers(std::span<const std::shared_ptr<const catalog::RelationInfo>> tables,
                                bool before) override {
    return session_.runner().fire_truncate_triggers(tables, before);
  }
  Status check_foreign_truncate(const catalog::RelationInfo& relation) override {
    return engine::check_foreign_truncate(session_, relation);
  }
  Status truncate_foreign(std::span<const std::shared_ptr<const catalog::RelationInfo>> tables, bool cascades,
                          bool restarts_sequences) override {
    return truncate_foreign_tables(session_, tables, cascades, restarts_sequences);
  }
  Result<bool> analyzes_foreign(const catalog::RelationInfo& relation) override {
    return analyzes_foreign_table(session_, relation);
  }
  Status read_foreign(const std::shared_ptr<const catalog::RelationInfo>& relation,
                      const std::function<Status(Bytes image)>& visit) override {
    return read_foreign_table(session_, relation, visit);
  }
  Result<uint64_t> foreign_size(const std::shared_ptr<const catalog::RelationInfo>& relation) override {
    return foreign_table_size(session_, relation);
  }
  void truncated(std::span<const std::shared_ptr<const catalog::RelationInfo>> tables, bool cascades,
                 bool restarts_sequences) override {
    session_.changes().truncated(tables, cascades, restarts_sequences);
  }
  Status inserted(const std::shared_ptr<const catalog::RelationInfo>& relation, Bytes row) override {
    if (!session_.changes().wanted(*relation)) return {};
    return session_.changes().inserted(relation, row);
  }
  void stored(const storage::Table& table) override { session_.block().note_new(table); }
  bool is_in_block() const override { return session_.block().in_block() || session_.block().in_several(); }
  Status change_subscriptions(Oid stopped) override;
  Status terminate_sessions(Oid database) override { return engine::terminate_sessions(session_, database); }
  void end_maintenance(Oid database) override;
  void analyzed(const catalog::RelationInfo& relation, uint64_t changes) override;
  void made(Oid class_id, Oid object, bool in_extension) override {
    if (events_ != nullptr) events_->made(class_id, object, in_extension);
  }
  void rewritten(Oid relation, int32_t reasons) override {
    if (events_ != nullptr) events_->rewritten(relation, reasons);
  }
  void dropped(Oid class_id, Oid object, int32_t sub, bool asked, bool needed) override {
    if (events_ != nullptr) events_->dropped(class_id, object, sub, asked, needed);
  }
  Status run_query(std::string_view sql, const Rows& rows) override;
  Status run_query_as(Oid role, std::string_view sql, const Rows& rows) override;
  std::shared_ptr<void> act_as(Oid role) override;
  Status run_query(const PgQuery__Node* select, std::string_view text, const Shape& shape, const Rows& rows) override;

 private:
  // Whose query it is: the statement's runs with the user's privileges and on the statement's snapshot, DDL's own (checks of
  // constraints) on the newest state.
  // kRole: a materialized view's, as its owner; otherwise as the statement's.
  enum class Source : uint8_t { kStatement, kDefinition, kRole };
  Status run_text(std::string_view sql, Source source, const Rows& rows);
  Status run(const ParsedStatement& outer, const PgQuery__Node* node, Source source, const Shape& shape,
             const Rows& rows);

  SessionParts& session_;
  DefinitionHost* const outer_;
  std::vector<Oid> used_;
  const ParsedStatement* statement_;
  std::span<const Datum> parameters_;
  std::span<const types::TypeRef> parameter_types_;
  Observer observer_;
  programs::EventStatement* events_ = nullptr;
};

// The handler of all definition statements.
Status run_definition(UtilityCall& call);

}  // namespace indigo::engine
