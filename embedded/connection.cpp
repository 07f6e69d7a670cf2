// The part of indigo.h that runs statements.
#include <cstdlib>
#include <cstring>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/fiber/thread_waiter.h"
#include "base/sqlstate.h"
#include "base/version.h"
#include "embedded/indigo.h"
#include "embedded/result_sink.h"
#include "engine/instance.h"

using indigo::Error;
using indigo::Status;
using indigo::ThreadWaiter;
using indigo::Waiter;
using indigo::embedded::NoticeReceiver;
using indigo::embedded::ResultSink;
using indigo::engine::Instance;
using indigo::engine::Session;

struct indigo_database {
  std::unique_ptr<Instance> instance;
};

struct indigo_connection {
  ThreadWaiter waiter;  // outlives the session
  std::unique_ptr<Session> session;
  NoticeReceiver notices;
  std::string channel, payload;
};

namespace {

// What is answered when there is no memory for an answer; never freed.
indigo_result& out_of_memory() {
  static indigo_result& result = *[] {
    auto* made = new indigo_result;
    made->fail(Error(indigo::sqlstate::kOutOfMemory, "out of memory"));
    return made;
  }();
  return result;
}

// The calling thread waits as the connection does, so that the connection may move between threads.
class Calling {
 public:
  explicit Calling(indigo_connection& connection) { Waiter::set_current(&connection.waiter); }
  ~Calling() { Waiter::set_current(nullptr); }
  Calling(const Calling&) = delete;
  Calling& operator=(const Calling&) = delete;
};

// Runs `work(session, sink)`, whose error, if it has one, is the answer.
template <class Work>
indigo_result* answer(indigo_connection* connection, const std::string_view* input, const Work& work) {
  try {
    const Calling calling(*connection);
    ResultSink sink(*connection->session, connection->notices, input);
    if (std::optional<Error> end = connection->session->must_end()) {
      sink.error(*end);
      return sink.take().release();
    }
    const Status status = work(*connection->session, sink);
    if (!status.ok()) sink.error(status.error());
    std::optional<Error> end = connection->session->must_end();
    if (end && sink.last() != nullptr && sink.last()->error != nullptr) sink.last()->fail(*end);
    return sink.take().release();
  } catch (const std::bad_alloc&) {
    return &out_of_memory();
  }
}

Status run_bound(Session& session, ResultSink& sink, const char* name, int count, const char* const* values) {
  std::vector<std::optional<std::string_view>> texts;
  for (int i = 0; i < count; i++) {
    texts.push_back(values[i] == nullptr ? std::nullopt : std::optional<std::string_view>(values[i]));
  }
  Status status = session.bind({"", name, {}, texts, {}}, sink);
  if (status.ok()) status = session.describe_portal("", sink);
  if (status.ok()) status = session.execute("", 0, sink);
  return status;
}

// The end of what was sent as messages. A commit may fail where the statement has not.
Status synced(Session& session, ResultSink& sink, Status status) {
  if (!status.ok()) session.fail_transaction();
  Status end = session.sync(sink);
  return status.ok() ? std::move(end) : std::move(status);
}

void tell(char** error, const Error& why) {
  if (error == nullptr) return;
  const std::string text = why.detail.empty() ? why.message : why.message + ": " + why.detail;
  *error = static_cast<char*>(malloc(text.size() + 1));
  if (*error != nullptr) memcpy(*error, text.c_str(), text.size() + 1);
}

}  // namespace

const char* indigo_version(void) { return indigo::kVersion; }

void indigo_free(char* text) { free(text); }

indigo_database* indigo_open(const char* directory, const char* const* settings, char** error) {
  if (error != nullptr) *error = nullptr;
  try {
    indigo::engine::InstanceOptions options;
    if (directory != nullptr) options.data_directory = directory;
    for (; settings != nullptr && *settings != nullptr; settings++) {
      const std::string_view pair = *settings;
      const size_t equals = pair.find('=');
      if (equals == std::string_view::npos || equals == 0) {
        tell(error, Error(indigo::sqlstate::kInvalidParameterValue, std::string(pair) + " requires a value"));
        return nullptr;
      }
      options.settings[std::string(pair.substr(0, equals))] = pair.substr(equals + 1);
    }
    out_of_memory();  // made while there is some
    auto instance = Instance::open(options);
    if (instance.ok()) return new indigo_database{std::move(*instance)};
    tell(error, instance.error());
  } catch (const std::bad_alloc&) {
    tell(error, *out_of_memory().error);
  }
  return nullptr;
}

void indigo_close(indigo_database* database) { delete database; }

indigo_connection* indigo_connect(indigo_database* database, const char* user, const char* name, char** error) {
  if (error != nullptr) *error = nullptr;
  try {
    auto connection = std::make_unique<indigo_connection>();
    const Calling calling(*connection);
    indigo::engine::ConnectOptions options;
    if (user != nullptr) options.user = user;
    if (name != nullptr) options.database = name;
    auto session = database->instance->connect(options, connection->waiter);
    if (session.ok()) {
      connection->session = std::move(*session);
      return connection.release();
    }
    tell(error, session.error());
  } catch (const std::bad_alloc&) {
    tell(error, *out_of_memory().error);
  }
  return nullptr;
}

void indigo_disconnect(indigo_connection* connection) {
  if (connection == nullptr) return;
  {
    const Calling calling(*connection);
    connection->session.reset();
  }
  delete connection;
}

indigo_result* indigo_query(indigo_connection* connection, const char* sql) {
  return answer(connection, nullptr, [&](Session& session, ResultSink& sink) -> Status {
    session.query(sql, sink);
    return {};
  });
}

indigo_result* indigo_query_params(indigo_connection* connection, const char* sql, int count,
                                   const char* const* values) {
  return answer(connection, nullptr, [&](Session& session, ResultSink& sink) {
    Status status = session.parse("", sql, {}, sink);
    if (status.ok()) status = run_bound(session, sink, "", count, values);
    return synced(session, sink, std::move(status));
  });
}

indigo_result* indigo_prepare(indigo_connection* connection, const char* name, const char* sql) {
  return answer(connection, nullptr, [&](Session& session, ResultSink& sink) {
    return synced(session, sink, session.parse(name, sql, {}, sink));
  });
}

indigo_result* indigo_execute(indigo_connection* connection, const char* name, int count, const char* const* values) {
  return answer(connection, nullptr, [&](Session& session, ResultSink& sink) {
    return synced(session, sink, run_bound(session, sink, name, count, values));
  });
}

indigo_result* indigo_copy_in(indigo_connection* connection, const char* sql, const char* data, size_t size) {
  const std::string_view input(data, size);
  return answer(connection, &input, [&](Session& session, ResultSink& sink) -> Status {
    session.query(sql, sink);
    return {};
  });
}

void indigo_cancel(indigo_connection* connection) { connection->waiter.interrupt(indigo::InterruptReason::kCancel); }

char indigo_transaction_status(const indigo_connection* connection) {
  return connection->session->transaction_status();
}

void indigo_on_notice(indigo_connection* connection, indigo_notice_function function, void* context) {
  connection->notices = {function, context};
}

int indigo_next_notification(indigo_connection* connection, indigo_notification* notification) {
  const Calling calling(*connection);
  Session::Notification next;
  if (!connection->session->next_notification(next)) return 0;
  connection->channel = next.channel;
  connection->payload = next.payload;
  *notification = {next.sender, connection->channel.c_str(), connection->payload.c_str()};
  return 1;
}

void indigo_free_result(indigo_result* result) {
  if (result != &out_of_memory()) delete result;
}
