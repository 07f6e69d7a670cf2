#include "engine/foreign/foreign_connection.h"

#include <algorithm>
#include <utility>

#include "base/sqlstate.h"
#include "engine/foreign/foreign_options.h"
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

Error remote_error(Foreign& f, const RemoteAnswer& answer, const std::string& statement) {
  Error e = answer.error(f.connection->error());
  e.add_context("remote SQL command: " + statement);
  return e;
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
    return remote_error(*f, *answer, shown);
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

Result<std::shared_ptr<Foreign>> connected(SessionParts& session, const ForeignServer& server,
                                           const std::string& options, Oid role) {
  auto f = std::make_shared<Foreign>();
  f->server = server.oid;
  f->name = server.name;
  f->options = options;
  INDIGO_ASSIGN(f->connection, connect(session, server, options, role));
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

Result<RemoteAnswer> ask_foreign(SessionParts& session, const std::shared_ptr<Foreign>& f, const std::string& statement,
                                 const RemoteConnection::RowTaker& take, const std::string& shown) {
  if (f->lost) return f->lost_error();
  if (const Status drained = f->connection->drain(); !drained.ok()) {
    leave(session, f);
    return Error(drained.error());
  }
  f->rolling_back = false;
  if (const std::string owed = f->open ? f->take_owed() : std::string(); !owed.empty())
    INDIGO_TRY(run(session, f, owed, owed, nullptr));
  return run(session, f, statement, shown.empty() ? statement : shown, take);
}

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
  auto& all = session.remote().foreign();
  const auto kept = all.find({server.oid, server.mapping});
  std::shared_ptr<Foreign> f = kept == all.end() ? nullptr : kept->second;
  const bool made = f == nullptr || (!f->open && f->options != options);
  if (made) {
    all.erase({server.oid, server.mapping});
    INDIGO_ASSIGN(f, connected(session, server, options, role));
  }
  f->keep = !is_off(find_option(server.of_server, "keep_connections"));
  if (f->lost) return f->lost_error();
  if (!f->open) {
    Status begun = begin(session, f);
    // One that was kept may have been closed there meanwhile.
    if (!begun.ok() && !made && !f->connection->is_connected()) {
      INDIGO_ASSIGN(f, connected(session, server, options, role));
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
