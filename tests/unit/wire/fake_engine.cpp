#include "tests/unit/wire/fake_engine.h"

#include <charconv>
#include <thread>
#include <utility>

#include "base/sqlstate.h"
#include "catalog/descriptor/session_context.h"
#include "types/oids.h"

namespace indigo::wire {

namespace {

constexpr int32_t kKey = 4711;

int64_t number_after(std::string_view text, size_t at) {
  int64_t value = 0;
  std::from_chars(text.data() + std::min(at, text.size()), text.data() + text.size(), value);
  return value;
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

engine::ResultShape shape_of(std::initializer_list<Oid> types, engine::Format format) {
  engine::ResultShape shape;
  for (Oid type : types) {
    engine::ResultColumn column;
    column.name = "c" + std::to_string(shape.columns.size() + 1);
    column.type.oid = type;
    shape.columns.push_back(column);
    shape.formats.push_back(format);
  }
  return shape;
}

// Settings and names that no test here asks for.
class NoContext final : public catalog::SessionContext {
 public:
  const types::FormatSettings& format() override { return format_; }
  catalog::CatalogView& catalog() override { std::abort(); }
  int64_t transaction_timestamp() override { return 0; }
  int64_t statement_timestamp() override { return 0; }
  std::string current_user() override { return "postgres"; }
  std::string session_user() override { return "postgres"; }
  int32_t backend_pid() override { return 0; }
  bool setting(std::string_view, std::string&) override { return false; }
  Status set_setting(std::string_view, std::string_view, bool) override { return {}; }
  Result<int64_t> nextval(Oid) override { return int64_t{0}; }
  Result<int64_t> currval(Oid) override { return int64_t{0}; }
  Result<int64_t> lastval() override { return int64_t{0}; }
  Status setval(Oid, int64_t, bool) override { return {}; }
  Status sleep(double) override { return {}; }
  Status system_rows(std::string_view, std::span<const Datum>,
                     const std::function<void(std::span<const Datum>)>&) override {
    return {};
  }
  Result<OwnedDatum> system_value(std::string_view, std::span<const Datum>) override { return OwnedDatum(); }

 private:
  types::FormatSettings format_;
};

}  // namespace

class FakeSession final : public engine::Session {
 public:
  FakeSession(FakeInstance& instance, Waiter& waiter)
      : instance_(instance), waiter_(waiter), thread_(std::this_thread::get_id()), pid_(instance.next_pid_++) {
    std::lock_guard lock(instance_.mutex_);
    instance_.waiters_[pid_] = &waiter_;
    instance_.sessions_open++;
  }
  ~FakeSession() override {
    std::lock_guard lock(instance_.mutex_);
    instance_.waiters_.erase(pid_);
    instance_.sessions_open--;
  }

  int32_t pid() const override { return pid_; }
  int32_t cancel_key() const override { return kKey; }
  std::vector<std::pair<std::string, std::string>> reported_settings() const override {
    return {{"server_version", "15.20"}};
  }
  char transaction_status() const override { return status_; }

  void query(std::string_view text, engine::RowSink& sink) override {
    waiter_.clear_cancel();
    if (std::exchange(thread_, std::this_thread::get_id()) != std::this_thread::get_id()) instance_.thread_changes++;
    if (trim(text).empty()) return sink.empty_query();
    while (!text.empty()) {
      size_t end = text.find(';');
      std::string_view command = trim(text.substr(0, end));
      text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
      if (command.empty()) continue;
      if (Status status = run(command, engine::Format::kText, true, 0, sink); !status.ok()) {
        fail_transaction();
        return sink.error(status.error());
      }
    }
  }

  Result<std::optional<std::string>> call_function(const engine::FunctionCallMessage& message,
                                                   engine::RowSink&) override {
    return std::optional<std::string>(std::to_string(message.arguments.size()));
  }

  Status parse(std::string_view name, std::string_view text, std::span<const Oid>, engine::RowSink&) override {
    if (text == "fail parse") return Error(sqlstate::kSyntaxError, "cannot parse");
    statements_[std::string(name)] = text;
    return {};
  }
  Status bind(const engine::BindMessage& bind, engine::RowSink&) override {
    auto found = statements_.find(std::string(bind.statement));
    if (found == statements_.end()) return Error(sqlstate::kInvalidSqlStatementName, "no such statement");
    Portal& portal = portals_[std::string(bind.portal)];
    portal = {found->second, "", engine::Format::kText, 0};
    if (!bind.values.empty() && bind.values[0]) portal.parameter = *bind.values[0];
    if (!bind.result_formats.empty()) portal.format = bind.result_formats[0];
    return {};
  }
  Status describe_statement(std::string_view name, engine::RowSink& sink) override {
    auto found = statements_.find(std::string(name));
    if (found == statements_.end()) return Error(sqlstate::kInvalidSqlStatementName, "no such statement");
    Oid text = oid::kText;
    if (found->second == "echo") {
      sink.parameter_description({&text, 1});
    } else {
      sink.parameter_description({});
    }
    describe(found->second, engine::Format::kText, sink);
    return {};
  }
  Status describe_portal(std::string_view name, engine::RowSink& sink) override {
    auto found = portals_.find(std::string(name));
    if (found == portals_.end()) return Error(sqlstate::kInvalidCursorName, "no such portal");
    describe(found->second.text, found->second.format, sink);
    return {};
  }
  Status execute(std::string_view name, uint32_t max_rows, engine::RowSink& sink) override {
    waiter_.clear_cancel();
    auto found = portals_.find(std::string(name));
    if (found == portals_.end()) return Error(sqlstate::kInvalidCursorName, "no such portal");
    portal_ = &found->second;
    Status status = run(portal_->text, portal_->format, false, max_rows, sink);
    portal_ = nullptr;
    return status;
  }
  Status close_statement(std::string_view name) override {
    statements_.erase(std::string(name));
    return {};
  }
  Status close_portal(std::string_view name) override {
    portals_.erase(std::string(name));
    return {};
  }
  Status sync(engine::RowSink&) override { return {}; }
  void fail_transaction() override {
    if (status_ == 'T') status_ = 'E';
  }
  types::FuncContext& output_context() override { return context_; }
  std::optional<Error> must_end() override {
    return Error(sqlstate::kAdminShutdown, "terminating connection due to administrator command");
  }

 private:
  struct Portal {
    std::string text, parameter;
    engine::Format format = engine::Format::kText;
    int64_t at = 0;
  };

  void describe(std::string_view text, engine::Format format, engine::RowSink& sink) {
    if (text.starts_with("select")) return sink.row_description(shape_of({oid::kInt4}, format));
    if (text.starts_with("rows")) return sink.row_description(shape_of({oid::kInt4, oid::kText}, format));
    if (text == "echo") return sink.row_description(shape_of({oid::kText}, format));
    sink.no_data();
  }

  Status run(std::string_view text, engine::Format format, bool with_description, uint32_t max_rows,
             engine::RowSink& sink) {
    if (text.starts_with("select ")) return select(number_after(text, 7), format, with_description, sink);
    if (text.starts_with("rows ")) return rows(number_after(text, 5), format, with_description, max_rows, sink);
    if (text == "echo") return echo(format, sink);
    if (text == "copy in") return copy_in(sink);
    if (text.starts_with("copy out ")) return copy_out(number_after(text, 9), sink);
    if (text == "sleep") return sleep(sink);
    if (text.starts_with("notice ")) {
      sink.notice(engine::Severity::kNotice, Error(sqlstate::kSuccessfulCompletion, std::string(text.substr(7))));
      sink.command_complete("NOTICE");
      return {};
    }
    if (text == "begin" || text == "commit") {
      status_ = text == "begin" ? 'T' : 'I';
      sink.command_complete(text == "begin" ? "BEGIN" : "COMMIT");
      return {};
    }
    if (text.starts_with("set ")) {
      sink.parameter_status("name", text.substr(4));
      sink.command_complete("SET");
      return {};
    }
    if (text == "fail") return Error(sqlstate::kDivisionByZero, "division by zero");
    return Error(sqlstate::kSyntaxError, "syntax error at or near \"" + std::string(text) + "\"");
  }

  Status select(int64_t value, engine::Format format, bool with_description, engine::RowSink& sink) {
    auto shape = shape_of({oid::kInt4}, format);
    if (with_description) sink.row_description(shape);
    Chunk chunk;
    chunk.columns.emplace_back(Phys::kI32, 1);
    chunk.columns[0].set(0, static_cast<int32_t>(value));
    chunk.selection.count = 1;
    INDIGO_TRY(sink.rows(shape, chunk));
    sink.command_complete("SELECT 1");
    return {};
  }

  Status rows(int64_t count, engine::Format format, bool with_description, uint32_t max_rows, engine::RowSink& sink) {
    auto shape = shape_of({oid::kInt4, oid::kText}, format);
    if (with_description) sink.row_description(shape);
    int64_t at = portal_ ? portal_->at : 0;
    int64_t begin = at;
    int64_t end = max_rows ? std::min<int64_t>(count, at + max_rows) : count;
    const std::string text(100, 'x');
    while (at < end) {
      auto size = static_cast<uint32_t>(std::min<int64_t>(kChunkRows, end - at));
      Chunk chunk;
      chunk.columns.emplace_back(Phys::kI32, size);
      chunk.columns.emplace_back(Phys::kStr, size);
      for (uint32_t i = 0; i < size; i++) {
        chunk.columns[0].set(i, static_cast<int32_t>(at + i));
        chunk.columns[1].set(i, Str(text));
      }
      chunk.selection.count = size;
      INDIGO_TRY(sink.rows(shape, chunk));
      at += size;
      waiter_.yield_if_due();
    }
    if (portal_) portal_->at = at;
    if (max_rows && at - begin == max_rows && at < count) {
      sink.portal_suspended();
    } else {
      sink.command_complete("SELECT " + std::to_string(at - begin));
    }
    return {};
  }

  Status echo(engine::Format format, engine::RowSink& sink) {
    auto shape = shape_of({oid::kText}, format);
    Chunk chunk;
    chunk.columns.emplace_back(Phys::kStr, 1);
    chunk.columns[0].set(0, Str(portal_->parameter));
    chunk.selection.count = 1;
    INDIGO_TRY(sink.rows(shape, chunk));
    sink.command_complete("SELECT 1");
    return {};
  }

  Status copy_in(engine::RowSink& sink) {
    INDIGO_ASSIGN(engine::CopySource * source, sink.copy_in(engine::CopyFormat::kText, 1));
    std::string piece;
    size_t total = 0;
    while (true) {
      piece.clear();
      INDIGO_ASSIGN(bool more, source->read(piece));
      if (!more) break;
      if (piece.find("bad") != std::string::npos) return Error(sqlstate::kBadCopyFileFormat, "bad data");
      total += piece.size();
    }
    sink.command_complete("COPY " + std::to_string(total));
    return {};
  }

  Status copy_out(int64_t count, engine::RowSink& sink) {
    sink.copy_out(engine::CopyFormat::kText, 1);
    for (int64_t i = 0; i < count; i++) INDIGO_TRY(sink.copy_data("row\n"));
    sink.copy_done();
    sink.command_complete("COPY " + std::to_string(count));
    return {};
  }

  Status sleep(engine::RowSink&) {
    instance_.sleeping++;
    while (waiter_.interrupted() == InterruptReason::kNone) waiter_.sleep(kNoDeadline);
    instance_.sleeping--;
    return Error(sqlstate::kQueryCanceled, "canceling statement due to user request");
  }

  FakeInstance& instance_;
  Waiter& waiter_;
  std::thread::id thread_;  // of the last query
  int32_t pid_;
  char status_ = 'I';
  NoContext no_context_;
  types::FuncContext context_{no_context_};
  std::map<std::string, std::string> statements_;
  std::map<std::string, Portal> portals_;
  Portal* portal_ = nullptr;
};

engine::RoleCredentials FakeInstance::credentials(const std::string& user) {
  auto found = roles.find(user);
  return found == roles.end() ? engine::RoleCredentials() : found->second;
}

Result<std::unique_ptr<engine::Session>> FakeInstance::connect(const engine::ConnectOptions& options, Waiter& waiter) {
  if (!roles.contains(options.user)) {
    return Error(sqlstate::kInvalidAuthorization, "role \"" + options.user + "\" does not exist");
  }
  if (options.database == "missing") return Error(sqlstate::kInvalidCatalogName, "database \"missing\" does not exist");
  last_connect = options;
  return std::unique_ptr<engine::Session>(std::make_unique<FakeSession>(*this, waiter));
}

void FakeInstance::cancel(int32_t pid, int32_t key) {
  std::lock_guard lock(mutex_);
  auto found = waiters_.find(pid);
  if (found != waiters_.end() && key == kKey) found->second->interrupt(InterruptReason::kCancel);
}

std::string FakeInstance::setting(const std::string& name) {
  auto found = settings.find(name);
  return found == settings.end() ? "" : found->second;
}

bool FakeInstance::shutdown(Deadline) {
  std::lock_guard lock(mutex_);
  for (auto& [pid, waiter] : waiters_) waiter->interrupt(InterruptReason::kShutdown);
  return true;
}

}  // namespace indigo::wire
