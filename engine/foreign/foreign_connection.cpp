#include "engine/foreign/foreign_connection.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/sqlstate.h"
#include "engine/foreign/foreign_options.h"
#include "engine/foreign/remote_application_name.h"
#include "engine/row_sink.h"
#include "engine/session/transaction_block.h"
#include "engine/system/catalog_rows.h"
#include "engine/system/families.h"

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

Error in_statement(Error error, const std::string& statement) {
  error.add_context("remote SQL command: " + statement);
  return error;
}

// Where the other server has ended the connection, whatever it said of it, the connection's failure is the error.
Error remote_error(Foreign& f, const RemoteAnswer& answer, const std::string& statement) {
  const std::string of_connection = f.connection->error();
  if (answer && !f.connection->is_connected())
    return in_statement(Error(sqlstate::kConnectionFailure, of_connection), statement);
  return in_statement(answer.error(of_connection), statement);
}

// What was open there is out of reach; without that the connection is forgotten.
void leave(SessionParts& session, const std::shared_ptr<Foreign>& f) {
  if (f->open) f->lost = true;
  if (!f->open) std::erase_if(session.remote().foreign(), [&](const auto& e) { return e.second == f; });
}

// `shown`: what errors call the statement.
Result<RemoteAnswer> run(SessionParts& session, const std::shared_ptr<Foreign>& f, const std::string& statement,
                         const std::string& shown, const RemoteConnection::RowTaker& take) {
  auto answer = f->connection->run(statement, take);
  if (!answer.ok()) {
    leave(session, f);
  } else if (!*answer) {
    Error e = remote_error(*f, *answer, shown);
    leave(session, f);
    return e;
  } else if (answer->failed()) {
    f->failed = true;
    Error e = remote_error(*f, *answer, shown);
    if (!f->connection->is_connected()) leave(session, f);
    return e;
  }
  return answer;
}

std::string connection_string(SessionParts& session, const ForeignServer& server) {
  std::string out;
  for (const auto* part : {&server.of_wrapper, &server.of_server, &server.of_mapping}) {
    for (const ForeignOption& o : *part) {
      if (std::find(std::begin(kOwnOptions), std::end(kOwnOptions), o.name) == std::end(kOwnOptions) &&
          o.name != "application_name")
        append_connection_option(o, out);
    }
  }
  if (const std::string name = remote_application_name(session, server); !name.empty())
    append_connection_option({"application_name", name}, out);
  return out + "fallback_application_name='postgres_fdw'";
}

// All options that a connection was made with: it is valid for as long as they are the same.
std::string all_options(const ForeignServer& server) {
  std::string out;
  for (const auto* part : {&server.of_server, &server.of_mapping})
    for (const ForeignOption& o : *part) append_connection_option(o, out);
  return out;
}

Result<std::unique_ptr<RemoteConnection>> connect(SessionParts& session, const ForeignServer& server, Oid role) {
  const bool needs_password =
      !session.session_catalog().is_superuser(role) && !is_off(find_option(server.of_mapping, "password_required"));
  const auto refused = [](const char* detail) {
    return Error(SqlState("2F003"), "password is required").with_detail(detail);
  };
  const std::string* password = find_option(server.of_mapping, "password");
  if (needs_password && (password == nullptr || password->empty()))
    return refused("Non-superusers must provide a password in the user mapping.");
  auto made = RemoteConnection::open(connection_string(session, server));
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

Result<std::shared_ptr<Foreign>> connected(SessionParts& session, const ForeignServer& server, Oid role) {
  auto f = std::make_shared<Foreign>();
  f->server = server.oid;
  f->name = server.name;
  f->options = all_options(server);
  INDIGO_ASSIGN(f->connection, connect(session, server, role));
  session.remote().foreign()[{server.oid, server.mapping}] = f;
  INDIGO_TRY(ask_foreign(session, f, kSettings));
  return f;
}

Status begin(SessionParts& session, const std::shared_ptr<Foreign>& f) {
  const bool serializable = session.block().isolation() == storage::Isolation::kSerializable;
  INDIGO_TRY(ask_foreign(
      session, f,
      std::string("START TRANSACTION ISOLATION LEVEL ") + (serializable ? "SERIALIZABLE" : "REPEATABLE READ")));
  f->open = true;
  f->failed = false;
  f->transaction++;
  f->depth = 0;
  f->open_cursors.clear();
  f->to_close.clear();
  f->to_release.clear();
  return {};
}

// ---- functions

// Of the server; none: it has been dropped.
std::optional<std::string> server_name(SessionParts& session, Oid server) {
  std::optional<std::string> out;
  CatalogRows(session).find(catalog::pg_foreign_server::kOid, server,
                            [&](const RowReader& row) { out = row.str(catalog::pg_foreign_server::c_srvname); });
  return out;
}

// False: the server or the mapping has been dropped, or has other options.
bool is_valid(SessionParts& session, const RemoteConnections::ForeignKey& key, const Foreign& f) {
  ForeignServer now;
  now.of_server = server_options(session, key.first);
  const bool there = CatalogRows(session).find(catalog::pg_user_mapping::kOid, key.second,
                                               [&](const RowReader& row) { now.of_mapping = mapping_options(row); });
  return there && server_name(session, key.first) && all_options(now) == f.options;
}

// Those that nobody can use any more.
void forget_invalid(SessionParts& session) {
  std::erase_if(session.remote().foreign(),
                [&](const auto& e) { return !e.second->open && !is_valid(session, e.first, *e.second); });
}

Status get_connections(SessionParts& session, std::span<const Datum>, const SystemRowSink& sink) {
  forget_invalid(session);
  for (const auto& [key, f] : session.remote().foreign()) {
    const auto name = server_name(session, f->server);
    const Datum row[] = {name ? text_datum(*name) : null_text(), Datum::of(is_valid(session, key, *f))};
    sink(row);
  }
  return {};
}

Error still_in_use(const std::optional<std::string>& server) {
  if (!server) return Error(sqlstate::kWarning, "cannot close dropped server connection because it is still in use");
  return Error(sqlstate::kWarning, "cannot close connection for server \"" + *server + "\" because it is still in use");
}

bool close_if(SessionParts& session, Oid server) {
  bool any = false;
  forget_invalid(session);
  auto& all = session.remote().foreign();
  for (auto at = all.begin(); at != all.end();) {
    const Foreign& f = *at->second;
    if (server != kInvalidOid && f.server != server) {
      ++at;
    } else if (f.open) {
      session.notice(Severity::kWarning, still_in_use(server_name(session, f.server)));
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

Result<RemoteAnswer> ask_foreign(SessionParts& session, const std::shared_ptr<Foreign>& f, const std::string& statement,
                                 const RemoteConnection::RowTaker& take, const std::string& shown) {
  const std::string& told = shown.empty() ? statement : shown;
  if (f->lost) return in_statement(Error(sqlstate::kConnectionFailure, "no connection to the server"), told);
  const Status drained = f->connection->drain();
  if (!drained.ok() || (f->rolling_back && !f->connection->is_connected())) {
    const bool cleaning = f->rolling_back && drained.ok();
    leave(session, f);
    return cleaning ? f->lost_error() : Error(drained.error());
  }
  f->rolling_back = false;
  if (const std::string owed = f->open ? f->take_owed() : std::string(); !owed.empty())
    INDIGO_TRY(run(session, f, owed, owed, nullptr));
  return run(session, f, statement, told, take);
}

Result<std::shared_ptr<Foreign>> foreign_connection(SessionParts& session, Oid server_oid, Oid role) {
  INDIGO_ASSIGN(const ForeignServer server, foreign_server(session, server_oid, role));
  auto& all = session.remote().foreign();
  const auto kept = all.find({server.oid, server.mapping});
  std::shared_ptr<Foreign> f = kept == all.end() ? nullptr : kept->second;
  const bool made = f == nullptr || (!f->open && f->options != all_options(server));
  if (made) {
    all.erase({server.oid, server.mapping});
    INDIGO_ASSIGN(f, connected(session, server, role));
  }
  f->keep = !is_off(find_option(server.of_server, "keep_connections"));
  if (f->lost) return f->lost_error();
  if (!f->open) {
    Status begun = begin(session, f);
    // One that was kept may have been closed there meanwhile.
    if (!begun.ok() && !made && !f->connection->is_connected()) {
      INDIGO_ASSIGN(f, connected(session, server, role));
      f->keep = !is_off(find_option(server.of_server, "keep_connections"));
      begun = begin(session, f);
    }
    INDIGO_TRY(std::move(begun));
  }
  while (f->depth < session.block().depth()) {
    INDIGO_TRY(ask_foreign(session, f, "SAVEPOINT s" + std::to_string(f->depth + 1)));
    f->depth++;
  }
  return f;
}

std::span<const SystemValue> remote_table_values() { return kRemoteTableValues; }
std::span<const SystemRows> remote_table_rows() { return kRemoteTableRows; }

}  // namespace indigo::engine
