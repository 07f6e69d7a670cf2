#include "engine/foreign/remote_table.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "base/fiber/long_work.h"
#include "base/sqlstate.h"
#include "engine/foreign/foreign_options.h"
#include "engine/remote/remote_connections.h"
#include "engine/remote/remote_formats.h"
#include "engine/row_sink.h"
#include "engine/session/transaction_block.h"
#include "engine/system/catalog_rows.h"
#include "engine/system/families.h"
#include "types/io/domain_check.h"
#include "types/io/record.h"
#include "types/io/type_definition.h"
#include "types/text/strings.h"

namespace indigo::engine {

namespace {

using Foreign = RemoteConnections::Foreign;

constexpr const char* kSettings =
    "SET search_path = pg_catalog; SET timezone = 'UTC'; SET datestyle = ISO; SET intervalstyle = postgres; "
    "SET extra_float_digits = 3";

// The wrapper's own options, which libpq does not know.
constexpr std::string_view kOwnOptions[] = {"use_remote_estimate", "fdw_startup_cost", "fdw_tuple_cost",
                                            "extensions",          "updatable",        "truncatable",
                                            "fetch_size",          "batch_size",       "async_capable",
                                            "parallel_commit",     "keep_connections", "password_required"};

bool is_off(const std::string* value) { return value != nullptr && option_flag(*value) == false; }

Error remote_error(Foreign& f, const RemoteAnswer& answer, const std::string& statement) {
  Error e = answer.error(f.connection->error());
  e.add_context("remote SQL command: " + statement);
  return e;
}

// What runs is left where the wait for it is ended: its connection is none any more.
Result<RemoteAnswer> ask(SessionParts& session, const std::shared_ptr<Foreign>& f, const std::string& statement,
                         const RemoteConnection::RowTaker& take = nullptr) {
  const auto leave = [&] { std::erase_if(session.remote().foreign(), [&](const auto& e) { return e.second == f; }); };
  if (const Status drained = f->connection->drain(); !drained.ok()) {
    leave();
    return Error(drained.error());
  }
  if (f->open && !f->failed && !f->to_close.empty()) {
    const auto closed = f->connection->run(std::exchange(f->to_close, {}));
    if (!closed.ok()) {
      leave();
      return Error(closed.error());
    }
  }
  auto answer = f->connection->run(statement, take);
  if (!answer.ok()) {
    leave();
  } else if (!*answer) {
    Error e = remote_error(*f, *answer, statement);
    leave();
    return e;
  } else if (answer->failed()) {
    f->failed = true;
    return remote_error(*f, *answer, statement);
  }
  return answer;
}

Result<std::unique_ptr<RemoteConnection>> connect(SessionParts& session, const ForeignServer& server,
                                                  const std::string& options, Oid role) {
  const bool needs_password =
      !session.session_catalog().is_superuser(role) && !is_off(find_option(server.of_mapping, "password_required"));
  const auto refused = [](const char* detail) {
    return Error(SqlState("2F003"), "password is required").with_detail(detail);
  };
  const std::string* password = find_option(server.of_mapping, "password");
  if (needs_password && (password == nullptr || password->empty()))
    return refused("Non-superusers must provide a password in the user mapping.");
  auto made = RemoteConnection::open(options);
  if (!made.ok()) {
    auto e = made.take_error();
    if (e->state == SqlState("08001")) e->message = "could not connect to server \"" + server.name + "\"";
    return e;
  }
  if (needs_password && !(*made)->used_password()) {
    return refused("Non-superuser cannot connect if the server does not request a password.")
        .with_hint(
            "Target server's authentication method must be changed or password_required=false set in the user mapping "
            "attributes.");
  }
  return made;
}

// With a transaction there.
Result<std::shared_ptr<Foreign>> foreign_connection(SessionParts& session, Oid server_oid, Oid role) {
  INDIGO_ASSIGN(const ForeignServer server, foreign_server(session, server_oid, role));
  std::string options;
  for (const auto* part : {&server.of_wrapper, &server.of_server, &server.of_mapping}) {
    for (const ForeignOption& o : *part) {
      if (std::find(std::begin(kOwnOptions), std::end(kOwnOptions), o.name) == std::end(kOwnOptions))
        append_connection_option(o, options);
    }
  }
  options += "fallback_application_name='postgres_fdw'";
  auto& kept = session.remote().foreign()[{server.oid, server.mapping}];
  std::shared_ptr<Foreign> f = kept;
  if (f == nullptr || (!f->open && f->options != options)) {
    session.remote().foreign().erase({server.oid, server.mapping});
    f = std::make_shared<Foreign>();
    f->server = server.oid;
    f->options = options;
    INDIGO_ASSIGN(f->connection, connect(session, server, options, role));
    session.remote().foreign()[{server.oid, server.mapping}] = f;
    INDIGO_TRY(ask(session, f, kSettings));
  }
  f->keep = !is_off(find_option(server.of_server, "keep_connections"));
  if (f->open && f->failed) {
    f->open = false;
    INDIGO_TRY(ask(session, f, "ABORT TRANSACTION"));
  }
  if (!f->open) {
    const bool serializable = session.block().isolation() == storage::Isolation::kSerializable;
    INDIGO_TRY(ask(session, f,
                   std::string("START TRANSACTION ISOLATION LEVEL ") +
                       (serializable ? "SERIALIZABLE" : "REPEATABLE READ") + " READ ONLY"));
    f->open = true;
    f->failed = false;
    f->transaction++;
  }
  return f;
}

class RemoteRows final : public types::SetProducer {
 public:
  RemoteRows(SessionParts& session, std::shared_ptr<const catalog::RelationInfo> relation)
      : session_(session), relation_(std::move(relation)) {}
  RemoteRows(const RemoteRows&) = delete;
  RemoteRows& operator=(const RemoteRows&) = delete;
  ~RemoteRows() override {
    if (foreign_ == nullptr || cursor_.empty() || !in_its_transaction()) return;
    foreign_->to_close += "CLOSE " + cursor_ + "; ";
  }

  Status open(const std::string& condition) {
    INDIGO_ASSIGN(foreign_, foreign_connection(session_, relation_->foreign->server, session_.user()));
    transaction_ = foreign_->transaction;
    const auto of_table = split_options(relation_->foreign->options);
    INDIGO_TRY(choose_fetch_size(of_table));
    const std::string* schema = find_option(of_table, "schema_name");
    const std::string* name = find_option(of_table, "table_name");
    std::string columns;
    for (const auto& column : relation_->columns) {
      const size_t c = static_cast<size_t>(column.number - 1);
      types_.push_back(column.dropped ? types::TypeRef{} : column.type);
      phys_.push_back(relation_->layout.phys(c));
      const auto type = session_.session_catalog().type(column.type.oid);
      domains_.push_back(!column.dropped && type != nullptr && type->kind == 'd');
      if (column.dropped) continue;
      columns_.push_back(c);
      const auto of_column = column_options(session_, relation_->oid, column.number);
      const std::string* there = find_option(of_column, "column_name");
      columns += (columns.empty() ? "" : ", ") + types::quote_identifier(there != nullptr ? *there : column.name);
      if (there != nullptr && *there != column.name) columns += " AS " + types::quote_identifier(column.name);
    }
    statement_ = "SELECT " + (columns.empty() ? "NULL" : columns) + " FROM " +
                 types::quote_identifier(schema != nullptr ? *schema : relation_->schema_name) + "." +
                 types::quote_identifier(name != nullptr ? *name : relation_->name);
    if (!condition.empty()) statement_ = "SELECT * FROM (" + statement_ + ") r WHERE " + condition;
    const std::string cursor = "c" + std::to_string(++foreign_->cursors);
    INDIGO_TRY(in_statement(ask(session_, foreign_, "DECLARE " + cursor + " CURSOR FOR " + statement_)));
    cursor_ = cursor;
    return {};
  }

  uint32_t next(types::FuncContext& context, std::span<Vector> columns, uint32_t capacity) override {
    uint32_t n = 0;
    while (n < capacity && !ended_) {
      if (at_ == rows_.size()) {
        if (n > 0) return n;
        if (Status got = fetch(); !got.ok()) {
          ended_ = true;
          context.fail(std::move(*got.take_error()));
          return 0;
        }
        continue;
      }
      const RemoteFormats formats(session_, *foreign_->connection);
      for (; n < capacity && at_ < rows_.size(); n++, at_++) {
        if (!read_row(context)) return 0;
        const std::string image = types::make_record(relation_->row_type, types_, values_);
        columns[0].set_datum(n, Datum::of(context.arena().copy(Str(image))));
      }
    }
    return n;
  }

 private:
  bool in_its_transaction() const { return foreign_->open && foreign_->transaction == transaction_; }

  Status choose_fetch_size(const std::vector<ForeignOption>& of_table) {
    INDIGO_ASSIGN(const ForeignServer server, foreign_server(session_, relation_->foreign->server, session_.user()));
    for (const auto* options : {&server.of_server, &of_table}) {
      const std::string* size = find_option(*options, "fetch_size");
      if (size != nullptr) std::from_chars(size->data(), size->data() + size->size(), fetch_size_);
    }
    fetch_size_ = std::clamp(fetch_size_, 1, kMostFetched);
    return {};
  }

  // An error names the whole statement, not the cursor's.
  Status in_statement(Result<RemoteAnswer> result) const {
    if (result.ok()) return {};
    auto e = result.take_error();
    if (const size_t at = e->where.find("remote SQL command: "); at != std::string::npos)
      e->where = e->where.substr(0, at) + "remote SQL command: " + statement_;
    return e;
  }

  Status fetch() {
    if (fetched_ && rows_.size() < static_cast<size_t>(fetch_size_)) {
      ended_ = true;
      return {};
    }
    if (!in_its_transaction()) {
      return Error(sqlstate::kInvalidCursorState, "the transaction on the other server has ended");
    }
    rows_.clear();
    at_ = 0;
    bool fits = true;
    // The rows are the session's memory, and count as that.
    const auto take = [&](const RemoteAnswer& row) {
      fits = fits && row.column_count() == std::max<size_t>(columns_.size(), 1);
      if (!fits) return;
      note_work(row.bytes());
      rows_.push_back(row.row(0));
    };
    auto got = ask(session_, foreign_, "FETCH " + std::to_string(fetch_size_) + " FROM " + cursor_, take);
    if (!got.ok()) return in_statement(std::move(got));
    if (!fits) return Error(SqlState("HV021"), "remote query result does not match the foreign table");
    fetched_ = true;
    ended_ = rows_.empty();
    return {};
  }

  bool read_row(types::FuncContext& context) {
    const RemoteRow& texts = rows_[at_];
    values_.clear();
    for (const Phys phys : phys_) values_.push_back(Datum::make_null(phys));
    for (size_t i = 0; i < columns_.size(); i++) {
      const size_t c = columns_[i];
      if (texts[i] && types::check_encoding(context, *texts[i]))
        values_[c] = types::type_input(context, types_[c], *texts[i]);
      if (!context.failed() && domains_[c]) types::check_domain(context, types_[c], values_[c]);
      if (!context.failed()) continue;
      auto e = context.take_error();
      e->add_context("column \"" + relation_->columns[c].name + "\" of foreign table \"" + relation_->name + "\"");
      context.fail(std::move(*e));
      return false;
    }
    return true;
  }

  static constexpr int kMostFetched = 100000;

  SessionParts& session_;
  const std::shared_ptr<const catalog::RelationInfo> relation_;
  std::shared_ptr<Foreign> foreign_;
  uint64_t transaction_ = 0;
  int fetch_size_ = 100;
  std::vector<types::TypeRef> types_;  // of all columns
  std::vector<Phys> phys_;
  std::vector<bool> domains_;
  std::vector<size_t> columns_;  // those that are not dropped
  std::string statement_, cursor_;
  std::vector<RemoteRow> rows_;  // of the FETCH before
  size_t at_ = 0;
  std::vector<Datum> values_;
  bool fetched_ = false, ended_ = false;
};

// ---- functions

Status get_connections(SessionParts& session, std::span<const Datum>, const SystemRowSink& sink) {
  for (const auto& [key, f] : session.remote().foreign()) {
    std::string name;
    CatalogRows(session).find(catalog::pg_foreign_server::kOid, f->server,
                              [&](const RowReader& row) { name = row.str(catalog::pg_foreign_server::c_srvname); });
    const Datum row[] = {name.empty() ? null_text() : text_datum(name), Datum::of(!name.empty())};
    sink(row);
  }
  return {};
}

bool close_if(SessionParts& session, Oid server) {
  bool any = false;
  auto& all = session.remote().foreign();
  for (auto at = all.begin(); at != all.end();) {
    const Foreign& f = *at->second;
    if (server != kInvalidOid && f.server != server) {
      ++at;
    } else if (f.open) {
      std::string name;
      CatalogRows(session).find(catalog::pg_foreign_server::kOid, f.server,
                                [&](const RowReader& row) { name = row.str(catalog::pg_foreign_server::c_srvname); });
      session.notice(Severity::kWarning, Error(sqlstate::kWarning, "cannot close connection for server \"" + name +
                                                                       "\" because it is still in use"));
      ++at;
    } else {
      at = all.erase(at);
      any = true;
    }
  }
  return any;
}

Result<OwnedDatum> disconnect(SessionParts& session, std::span<const Datum> arguments) {
  const std::string name(arguments[0].str);
  const Oid server = foreign_server_named(session, name);
  if (server == kInvalidOid) return Error(sqlstate::kUndefinedObject, "server \"" + name + "\" does not exist");
  return value_of(close_if(session, server));
}
Result<OwnedDatum> disconnect_all(SessionParts& session, std::span<const Datum>) {
  return value_of(close_if(session, kInvalidOid));
}

constexpr SystemValue kRemoteTableValues[] = {{"postgres_fdw_disconnect", disconnect},
                                              {"postgres_fdw_disconnect_all", disconnect_all}};
constexpr SystemRows kRemoteTableRows[] = {{"postgres_fdw_get_connections", get_connections}};

}  // namespace

Result<std::unique_ptr<types::SetProducer>> open_remote_table(
    SessionParts& session, const std::shared_ptr<const catalog::RelationInfo>& relation, const std::string& condition) {
  auto rows = std::make_unique<RemoteRows>(session, relation);
  INDIGO_TRY(rows->open(condition));
  return std::unique_ptr<types::SetProducer>(std::move(rows));
}

Result<std::vector<std::vector<std::optional<std::string>>>> ask_foreign_server(SessionParts& session, Oid server,
                                                                                const std::string& statement) {
  INDIGO_ASSIGN(const auto f, foreign_connection(session, server, session.user()));
  std::vector<RemoteRow> out;
  Status taken;
  INDIGO_TRY(ask(session, f, statement, [&](const RemoteAnswer& row) {
    if (taken.ok()) taken = row.add_rows(out);
  }));
  if (!taken.ok()) return Error(taken.error());
  return out;
}

std::span<const SystemValue> remote_table_values() { return kRemoteTableValues; }
std::span<const SystemRows> remote_table_rows() { return kRemoteTableRows; }

}  // namespace indigo::engine
