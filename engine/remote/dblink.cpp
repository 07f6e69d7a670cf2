// dblink: connections by name or by a string for one call, statements, cursors and statements in the background. What asks for
// rows has their shape as its last argument.
#include <optional>

#include "base/exception_error.h"
#include "base/fiber/long_work.h"
#include "base/sqlstate.h"
#include "base/utf8.h"
#include "catalog/object_privileges.h"
#include "engine/foreign/foreign_options.h"
#include "engine/remote/remote_connections.h"
#include "engine/remote/remote_formats.h"
#include "engine/row_sink.h"
#include "engine/system/catalog_rows.h"
#include "engine/system/query_rows.h"
#include "types/oids.h"
#include "types/text/strings.h"
#include "types/value/acl.h"
#include "types/value/array_format.h"

namespace indigo::engine {

namespace {

using Arguments = std::span<const Datum>;
using query_rows::RowMaker;

constexpr SqlState kConnectionMissing{"08003"};

std::string text(const Datum& d) { return std::string(d.str); }

Error not_available(const std::string& name) {
  return {kConnectionMissing, name.empty() ? "connection not available" : "connection \"" + name + "\" not available"};
}

// ---- where to connect to

// The options of a foreign server of this name, and of the role's mapping; nothing: there is no such server.
Result<std::optional<std::string>> options_of_server(SessionParts& session, const std::string& name) {
  const Oid oid = foreign_server_named(session, name);
  if (oid == kInvalidOid) return std::optional<std::string>();
  catalog::SessionCatalog& all = session.session_catalog();
  INDIGO_ASSIGN(const ForeignServer server, foreign_server(session, oid, all.user()));
  if ((catalog::object_privileges(all, catalog::kServerAcl, oid, all.user()) & types::kPrivilegeUsage) == 0)
    return Error(sqlstate::kInsufficientPrivilege, "permission denied for foreign server " + name);
  std::string out;
  for (const auto* part : {&server.of_wrapper, &server.of_server, &server.of_mapping})
    for (const ForeignOption& option : *part) append_connection_option(option, out);
  return std::optional(std::move(out));
}

Result<std::unique_ptr<RemoteConnection>> connect(SessionParts& session, const std::string& name_or_options) {
  INDIGO_ASSIGN(const std::optional<std::string> of_server, options_of_server(session, name_or_options));
  const std::string options = of_server.value_or(name_or_options);
  const bool superuser = session.is_superuser();
  if (!superuser) INDIGO_TRY(check_password_given(options));
  INDIGO_ASSIGN(auto connection, RemoteConnection::open(options));
  if (!superuser && !connection->used_password()) {
    return Error(SqlState("2F003"), "password is required")
        .with_detail("Non-superuser cannot connect if the server does not request a password.")
        .with_hint("Target server's authentication method must be changed.");
  }
  return connection;
}

// A call's connection: one that the session has, or one for the call alone. One whose statement was left is none any more.
class Link {
 public:
  Link() = default;
  // By name, or by options where there is no such name.
  static Result<Link> to(SessionParts& session, const std::string& name_or_options) {
    Link out(session);
    out.named_ = session.remote().find(name_or_options);
    if (out.named_ != nullptr) {
      out.name_ = name_or_options;
    } else {
      INDIGO_ASSIGN(out.own_, connect(session, name_or_options));
    }
    return out;
  }
  static Result<Link> known(SessionParts& session, const std::string& name) {
    Link out(session);
    out.name_ = name;
    out.named_ = session.remote().find(name);
    if (out.named_ == nullptr) return not_available(name);
    return out;
  }

  RemoteConnection& operator*() const { return own_ != nullptr ? *own_ : *named_->connection; }
  RemoteConnection* operator->() const { return &**this; }
  RemoteConnections::Named& named() const { return *named_; }

  // An interrupt: what runs is left.
  template <class T>
  Result<T> kept(Result<T> result) {
    if (!result.ok() && own_ == nullptr) session_->remote().remove(name_);
    return result;
  }

  // The other server's error, with where it comes from; a notice unless `fail`.
  Status report(const RemoteAnswer& answer, bool fail, const std::string& doing) {
    Error e = answer.error((*this)->error());
    e.add_context(doing +
                  (name_.empty() ? " on unnamed dblink connection" : " on dblink connection named \"" + name_ + "\""));
    if (fail) return e;
    session_->notice(Severity::kNotice, e);
    return {};
  }

 private:
  explicit Link(SessionParts& session) : session_(&session) {}

  SessionParts* session_ = nullptr;
  std::string name_;
  RemoteConnections::Named* named_ = nullptr;
  std::unique_ptr<RemoteConnection> own_;
};

// The arguments of calls that come with and without a connection, and with and without `fail`: texts are told from booleans by
// how they are held.
struct Call {
  std::optional<std::string> connection;
  std::vector<Datum> rest;
  bool fail = true;
};
Call read_call(Arguments arguments, size_t needed) {
  Call out;
  if (!arguments.empty() && arguments.back().phys == Phys::kBool) {
    out.fail = arguments.back().b;
    arguments = arguments.first(arguments.size() - 1);
  }
  if (arguments.size() > needed) {
    out.connection = text(arguments[0]);
    arguments = arguments.subspan(1);
  }
  out.rest.assign(arguments.begin(), arguments.end());
  return out;
}
Result<Link> known_link(SessionParts& session, const Call& call) {
  return Link::known(session, call.connection.value_or(""));
}
Result<Link> any_link(SessionParts& session, const Call& call) {
  return call.connection ? Link::to(session, *call.connection) : Link::known(session, "");
}

// ---- rows

Status check_columns(const RowMaker& maker, size_t columns) {
  if (maker.types().size() == columns) return {};
  return Error(sqlstate::kDatatypeMismatch,
               "remote query result rowtype does not match the specified FROM clause rowtype");
}

Status add_rows(RowMaker& maker, const RemoteAnswer& answer) {
  INDIGO_TRY(check_columns(maker, answer.column_count()));
  const auto add = [&]() -> Status {
    note_work(answer.bytes());  // looks whether the session may hold more
    for (size_t i = 0; i < answer.row_count(); i++) INDIGO_TRY(maker.add(answer.row(i)));
    return {};
  };
  return catch_exceptions(add, [] {});
}

// Of the statement that runs: the rows of its first result (`all`: of the last one) or its tag.
Status take_answers(SessionParts& session, Link& link, RowMaker& maker, bool fail, const std::string& doing, bool all) {
  const RemoteFormats formats(session, *link);
  while (true) {
    INDIGO_ASSIGN(const RemoteAnswer answer, link.kept(link->next()));
    if (!answer) return {};
    Status done;
    if (answer.failed()) {
      done = link.report(answer, fail, doing);
    } else if (answer.has_rows()) {
      done = add_rows(maker, answer);
    } else {
      done = check_columns(maker, 1);
      if (done.ok()) done = maker.add({answer.tag()});
    }
    if (!done.ok()) {
      INDIGO_TRY(link.kept(Result<bool>(link->drain().ok())));
      return done;
    }
    if (!all && answer.status() != Libpq::kOneRow) return {};
  }
}

Status record(SessionParts& session, Arguments arguments, const SystemRowSink& sink) {
  RowMaker maker(session, arguments.back().str, sink);
  const Call call = read_call(arguments.first(arguments.size() - 1), 1);
  INDIGO_ASSIGN(Link link, any_link(session, call));
  INDIGO_ASSIGN(const bool sent, link->send(text(call.rest[0])));
  if (!sent) return link.report(RemoteAnswer(), call.fail, "while executing query");
  return take_answers(session, link, maker, call.fail, "while executing query", true);
}

Status fetch(SessionParts& session, Arguments arguments, const SystemRowSink& sink) {
  RowMaker maker(session, arguments.back().str, sink);
  const Call call = read_call(arguments.first(arguments.size() - 1), 2);
  INDIGO_ASSIGN(Link link, known_link(session, call));
  const std::string cursor = text(call.rest[0]);
  const std::string statement = "FETCH " + std::to_string(call.rest[1].i32) + " FROM " + cursor;
  Status added;
  const auto add = [&](const RemoteAnswer& row) {
    if (!added.ok()) return;
    const RemoteFormats formats(session, *link);
    added = add_rows(maker, row);
  };
  INDIGO_ASSIGN(const RemoteAnswer answer, link.kept(link->run(statement, add)));
  if (!answer || answer.failed())
    return link.report(answer, call.fail, "while fetching from cursor \"" + cursor + "\"");
  if (!answer.has_rows()) return Error(SqlState("34000"), "cursor \"" + cursor + "\" does not exist");
  if (!added.ok()) return added;
  return check_columns(maker, answer.column_count());
}

Status get_result(SessionParts& session, Arguments arguments, const SystemRowSink& sink) {
  RowMaker maker(session, arguments.back().str, sink);
  const bool fail = arguments.size() < 3 || arguments[1].b;
  INDIGO_ASSIGN(Link link, Link::known(session, text(arguments[0])));
  return take_answers(session, link, maker, fail, "while executing query", false);
}

Status get_notify(SessionParts& session, Arguments arguments, const SystemRowSink& sink) {
  const bool named = arguments.size() > 1;
  INDIGO_ASSIGN(const Link link, Link::known(session, named ? text(arguments[0]) : std::string()));
  for (const auto& n : link->notifications()) {
    INDIGO_TRY(check_client_text(n.channel));
    INDIGO_TRY(check_client_text(n.payload));
    const Datum row[] = {text_datum(n.channel), Datum::of(static_cast<int32_t>(n.pid)), text_datum(n.payload)};
    sink(row);
  }
  return {};
}

// ---- connections and statements

Result<OwnedDatum> connect_call(SessionParts& session, Arguments arguments) {
  const std::string name = arguments.size() > 1 ? text(arguments[0]) : std::string();
  if (!name.empty() && session.remote().find(name) != nullptr)
    return Error(sqlstate::kDuplicateObject, "duplicate connection name");
  INDIGO_ASSIGN(auto connection, connect(session, text(arguments.back())));
  session.remote().add(name, std::move(connection));
  return text_value("OK");
}

Result<OwnedDatum> disconnect(SessionParts& session, Arguments arguments) {
  const std::string name = arguments.empty() ? std::string() : text(arguments[0]);
  if (session.remote().find(name) == nullptr) return not_available(name);
  session.remote().remove(name);
  return text_value("OK");
}

Result<OwnedDatum> execute(SessionParts& session, Arguments arguments) {
  const Call call = read_call(arguments, 1);
  INDIGO_ASSIGN(Link link, any_link(session, call));
  INDIGO_ASSIGN(const RemoteAnswer answer, link.kept(link->run(text(call.rest[0]))));
  if (!answer || answer.failed()) {
    INDIGO_TRY(link.report(answer, call.fail, "while executing command"));
    return text_value("ERROR");
  }
  if (answer.has_rows()) return Error(SqlState("2F003"), "statement returning results not allowed");
  return text_value(answer.tag());
}

// A cursor needs a transaction: one is begun where there is none, and committed with the last cursor's end.
Result<OwnedDatum> open_cursor(SessionParts& session, Arguments arguments) {
  const Call call = read_call(arguments, 2);
  INDIGO_ASSIGN(Link link, known_link(session, call));
  if (!link->in_transaction()) {
    INDIGO_ASSIGN(const RemoteAnswer begun, link.kept(link->run("BEGIN")));
    if (!begun || begun.failed()) return Error(sqlstate::kInternalError, "begin error: " + link->error());
    link.named().began = true;
    link.named().cursors = 0;
  }
  if (link.named().began) link.named().cursors++;
  const std::string cursor = text(call.rest[0]);
  INDIGO_ASSIGN(const RemoteAnswer answer,
                link.kept(link->run("DECLARE " + cursor + " CURSOR FOR " + text(call.rest[1]))));
  if (answer && !answer.failed()) return text_value("OK");
  INDIGO_TRY(link.report(answer, call.fail, "while opening cursor \"" + cursor + "\""));
  return text_value("ERROR");
}

Result<OwnedDatum> close_cursor(SessionParts& session, Arguments arguments) {
  const Call call = read_call(arguments, 1);
  INDIGO_ASSIGN(Link link, known_link(session, call));
  const std::string cursor = text(call.rest[0]);
  INDIGO_ASSIGN(const RemoteAnswer answer, link.kept(link->run("CLOSE " + cursor)));
  if (!answer || answer.failed()) {
    INDIGO_TRY(link.report(answer, call.fail, "while closing cursor \"" + cursor + "\""));
    return text_value("ERROR");
  }
  if (link.named().began && --link.named().cursors == 0) {
    link.named().began = false;
    INDIGO_ASSIGN(const RemoteAnswer committed, link.kept(link->run("COMMIT")));
    if (!committed || committed.failed()) return Error(sqlstate::kInternalError, "commit error: " + link->error());
  }
  return text_value("OK");
}

Result<OwnedDatum> send_query(SessionParts& session, Arguments arguments) {
  INDIGO_ASSIGN(const Link link, Link::known(session, text(arguments[0])));
  INDIGO_ASSIGN(const bool sent, link->send(text(arguments[1])));
  if (!sent) {
    const std::string why = link->error();
    session.notice(Severity::kNotice,
                   Error(sqlstate::kSuccessfulCompletion,
                         "could not send query: " + (why.empty() ? "another command is already in progress" : why)));
  }
  return OwnedDatum(Datum::of(int32_t{sent ? 1 : 0}));
}

Result<OwnedDatum> is_busy(SessionParts& session, Arguments arguments) {
  INDIGO_ASSIGN(const Link link, Link::known(session, text(arguments[0])));
  return OwnedDatum(Datum::of(int32_t{link->busy() ? 1 : 0}));
}

Result<OwnedDatum> cancel_query(SessionParts& session, Arguments arguments) {
  INDIGO_ASSIGN(const Link link, Link::known(session, text(arguments[0])));
  INDIGO_ASSIGN(const std::string failure, link->cancel());
  return text_value(failure.empty() ? "OK" : failure);
}

Result<OwnedDatum> error_message(SessionParts& session, Arguments arguments) {
  INDIGO_ASSIGN(const Link link, Link::known(session, text(arguments[0])));
  const std::string message = link->error();
  return text_value(message.empty() ? "OK" : message);
}

Result<OwnedDatum> get_connections(SessionParts& session, Arguments) {
  std::vector<Datum> names;
  for (const auto& [name, connection] : session.remote().all())
    if (!name.empty()) names.push_back(text_datum(name));
  if (names.empty()) return text_null();
  return text_value(make_array(oid::kText, Phys::kStr, names));
}

constexpr SystemValue kValues[] = {
    {"dblink_connect", connect_call},
    {"dblink_disconnect", disconnect},
    {"dblink_exec", execute},
    {"dblink_open", open_cursor},
    {"dblink_close", close_cursor},
    {"dblink_send_query", send_query},
    {"dblink_is_busy", is_busy},
    {"dblink_cancel_query", cancel_query},
    {"dblink_error_message", error_message},
    {"dblink_get_connections", get_connections},
};
constexpr SystemRows kRows[] = {
    {"dblink_record", record},
    {"dblink_fetch", fetch},
    {"dblink_get_result", get_result},
    {"dblink_get_notify", get_notify},
};

}  // namespace

std::span<const SystemValue> dblink_values() { return kValues; }
std::span<const SystemRows> dblink_rows() { return kRows; }

}  // namespace indigo::engine
