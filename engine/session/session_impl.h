// The one implementation of Session: protocol 3's messages over the parts of a session (session_parts.h).
//   session_impl.cpp     start, settings and interrupts as wire sees them
//   statement_edge.cpp   the messages, with exceptions caught
//   simple_query.cpp     Query
//   function_call.cpp    FunctionCall
//   extended_query.cpp   Parse, Bind, Describe, Execute, Close, Sync
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/instance.h"
#include "engine/replication/walsender.h"
#include "engine/session.h"
#include "engine/session/session_parts.h"
#include "engine/settings/system_settings.h"
#include "engine/statement/literal_scanner.h"
#include "engine/statement/prepared.h"
#include "engine/statement/repeated_rows.h"

namespace indigo::engine {

struct NamedStatement;
struct Portal;

class SessionImpl final : public Session {
 public:
  SessionImpl(InstanceImpl& instance, Waiter& waiter, std::shared_ptr<catalog::Database> database, int32_t pid,
              int32_t cancel_key)
      : registration_{instance, pid}, parts_(instance, waiter, std::move(database), pid), cancel_key_(cancel_key) {}

  // After construction: user and startup settings. `stored` ones (ALTER ROLE ... SET) that are not valid any more are left
  // out; those of `options` replace them.
  Status start(const ConnectOptions& options, std::span<const std::pair<std::string, std::string>> stored = {});

  SessionParts& parts() { return parts_; }

  int32_t pid() const override { return parts_.pid(); }
  int32_t cancel_key() const override { return cancel_key_; }
  std::vector<std::pair<std::string, std::string>> reported_settings() const override;
  char transaction_status() const override;
  void query(std::string_view text, RowSink& sink) override;
  Status parse(std::string_view name, std::string_view text, std::span<const Oid> parameter_types,
               RowSink& sink) override;
  Status bind(const BindMessage& bind, RowSink& sink) override;
  Status describe_statement(std::string_view name, RowSink& sink) override;
  Status describe_portal(std::string_view name, RowSink& sink) override;
  Status execute(std::string_view portal, uint32_t max_rows, RowSink& sink) override;
  Status close_statement(std::string_view name) override;
  Status close_portal(std::string_view name) override;
  Status sync(RowSink& sink) override;
  Result<std::optional<std::string>> call_function(const FunctionCallMessage& message, RowSink& sink) override;
  void fail_transaction() override;
  types::FuncContext& output_context() override { return parts_.output_context(); }
  Deadline idle_deadline() const override;
  bool checks_connection() const override;
  const std::atomic<bool>* has_notifications() const override;
  bool next_notification(Notification& out) override;
  std::optional<Error> must_end() override;

 private:
  // statement_edge.cpp
  template <class F>
  auto at_edge(F&& message) -> decltype(message());
  template <class F>
  Status in_time(F&& message);
  Status logged(Status status);
  // What each message does.
  void run_query(std::string_view text, RowSink& sink);
  Status make_statement(std::string_view name, std::string_view text, std::span<const Oid> parameter_types,
                        RowSink& sink);
  Status make_portal(const BindMessage& bind, RowSink& sink);
  Status send_statement_description(std::string_view name, RowSink& sink);
  Status send_portal_description(std::string_view name, RowSink& sink);
  Status run_portal(std::string_view name, uint32_t max_rows, RowSink& sink);
  Status end_pipeline(RowSink& sink);
  Result<std::optional<std::string>> run_function_call(const FunctionCallMessage& message, RowSink& sink);

  // What a reload has changed of the instance's settings, unless a transaction runs.
  void take_system_settings();
  Status run_one(const std::shared_ptr<const ParsedStatement>& parsed, bool last, RowSink& sink);
  Status run_simple(Portal& portal, bool last, RowSink& sink);
  Status run_text(std::string_view text, RowSink& sink);
  bool is_cached();
  Status run_cached(std::string_view text, RowSink& sink);
  bool types_changed_under_literals();
  void statement_error(const Error& error, RowSink& sink);
  Status prepare_new(NamedStatement& statement, std::string_view text);
  // The unnamed statement, without parameters, by a plan for any literals and names when there is one. It has no plan
  // afterwards when that is not its way.
  Status prepare_lifted(NamedStatement& statement, std::string_view text);
  // A plan of the statement's own text instead.
  Status make_own(NamedStatement& statement);
  // The same when its plan is outdated, or is for a cursor.
  Status settle_lifted(NamedStatement& statement, bool for_cursor);
  // The portal of a statement whose literals have got other types.
  Status prepare_again(Portal& portal);
  // The statement's plan for a named portal.
  Result<PreparedPtr> for_cursor(NamedStatement& statement);
  struct PartRun {
    std::string tag;
    bool done = true;
  };
  Result<PartRun> run_part(Portal& portal, uint32_t max_rows, RowSink& sink);
  Result<PartRun> run_utility_part(Portal& portal, uint32_t max_rows, RowSink& sink);

  // The instance waits at its end until no session is left.
  struct Registration {
    InstanceImpl& instance;
    int32_t pid;
    ~Registration();
  };
  Registration registration_;  // goes last
  SessionParts parts_;
  const int32_t cancel_key_;
  uint64_t settings_generation_ = UINT64_MAX;
  std::shared_ptr<const SystemSettings::Applied> system_settings_;
  std::unique_ptr<replication::Walsender> walsender_;  // null: an ordinary session
  ScannedText scanned_;
  FoldedText folded_;
};

}  // namespace indigo::engine
