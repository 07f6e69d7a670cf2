#include "engine/subscription/apply_session.h"

#include <utility>

#include "base/sqlstate.h"
#include "catalog/catalog.h"
#include "engine/instance_impl.h"
#include "engine/session/session_impl.h"
#include "engine/session/transaction_block.h"
#include "engine/utility/definition_host.h"

namespace indigo::engine::subscription {

namespace {

// What a statement has answered: its first error.
class Answer final : public RowSink {
 public:
  explicit Answer(CopySource* source = nullptr) : source_(source) {}

  std::optional<Error> failure;

  void row_description(const ResultShape&) override {}
  void no_data() override {}
  void parameter_description(std::span<const Oid>) override {}
  Status rows(const ResultShape&, const Chunk&) override { return {}; }
  void command_complete(std::string_view) override {}
  void empty_query() override {}
  void portal_suspended() override {}
  void error(const Error& error) override {
    if (!failure) failure = error;
  }
  void notice(Severity, const Error&) override {}
  void parameter_status(std::string_view, std::string_view) override {}
  Result<CopySource*> copy_in(CopyFormat, uint32_t) override {
    if (source_ == nullptr) return Error(sqlstate::kInternalError, "COPY FROM STDIN has no source here");
    return source_;
  }
  void copy_out(CopyFormat, uint32_t) override {}
  Status copy_data(std::string_view) override { return {}; }
  void copy_done() override {}

  Status status() const { return failure ? Status(*failure) : Status(); }

 private:
  CopySource* const source_;
};

class FunctionSource final : public CopySource {
 public:
  explicit FunctionSource(std::function<Result<bool>(std::string&)> read) : read_(std::move(read)) {}
  Result<bool> read(std::string& out) override { return read_(out); }

 private:
  const std::function<Result<bool>(std::string&)> read_;
};

}  // namespace

ApplySession::ApplySession() = default;
ApplySession::~ApplySession() = default;

Result<std::unique_ptr<ApplySession>> ApplySession::open(InstanceImpl& instance, Waiter& waiter,
                                                         std::shared_ptr<catalog::Database> database, Oid owner,
                                                         const std::string& synchronous_commit) {
  const auto role = instance.catalog().role(owner);
  if (role == nullptr) return Error(sqlstate::kUndefinedObject, "role " + std::to_string(owner) + " does not exist");
  auto out = std::unique_ptr<ApplySession>(new ApplySession());
  out->session_ = std::make_unique<SessionImpl>(instance, waiter, std::move(database), 0, 0);
  ConnectOptions options;
  options.user = role->name;
  options.settings = {{"session_replication_role", "replica"},
                      {"search_path", ""},
                      {"statement_timeout", "0"},
                      {"lock_timeout", "0"},
                      {"row_security", "off"},
                      {"DateStyle", "ISO, MDY"},
                      {"IntervalStyle", "postgres"},
                      {"TimeZone", "GMT"},
                      {"synchronous_commit", synchronous_commit}};
  INDIGO_TRY(out->session_->start(options));
  instance.choose_method(out->session_->parts());
  return out;
}

Status ApplySession::begin() { return run("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"); }
Status ApplySession::commit() { return run("COMMIT"); }
void ApplySession::rollback() {
  session_->parts().waiter().clear_cancel();
  (void)run("ROLLBACK");
}
bool ApplySession::in_transaction() const { return session_->transaction_status() != 'I'; }

Status ApplySession::run(std::string_view text) {
  Answer answer;
  session_->query(text, answer);
  return answer.status();
}

Status ApplySession::copy_in(std::string_view text, std::function<Result<bool>(std::string&)> read) {
  FunctionSource source(std::move(read));
  Answer answer(&source);
  session_->query(text, answer);
  return answer.status();
}

Status ApplySession::prepare(std::string_view name, std::string_view text) {
  Answer answer;
  INDIGO_TRY(session_->parse(name, text, {}, answer));
  return answer.status();
}

void ApplySession::forget(std::string_view name) { (void)session_->close_statement(name); }

Status ApplySession::execute(std::string_view name, std::span<const std::optional<std::string_view>> values,
                             std::span<const Format> formats) {
  Answer answer;
  BindMessage bind;
  bind.statement = name;
  bind.values = values;
  bind.parameter_formats = formats;
  INDIGO_TRY(session_->bind(bind, answer));
  INDIGO_TRY(session_->execute("", 0, answer));
  return answer.status();
}

Status ApplySession::in_catalog(const std::function<Status(DdlContext&)>& step) {
  SessionParts& parts = session_->parts();
  INDIGO_TRY(parts.begin_statement());
  DefinitionHost host(parts, nullptr);
  DdlContext context{parts.session_catalog(), parts.transaction(), host, {}};
  return step(context);
}

}  // namespace indigo::engine::subscription
