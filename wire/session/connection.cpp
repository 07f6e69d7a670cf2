#include "wire/session/connection.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "base/exception_error.h"
#include "base/memory/memory_reserve.h"
#include "base/server_log.h"
#include "base/sqlstate.h"
#include "engine/session/session_log.h"
#include "engine/settings/identifier_list.h"
#include "wire/messages/backend_key_data.h"
#include "wire/messages/error_response.h"
#include "wire/messages/negotiate_protocol_version.h"
#include "wire/messages/parameter_status.h"
#include "wire/messages/ready_for_query.h"
#include "wire/net/socket_address.h"
#include "wire/session/admission.h"
#include "wire/session/command_loop.h"
#include "wire/session/startup.h"
#include "wire/tls/handshake.h"

namespace indigo::wire {

namespace {

class Connection {
 public:
  Connection(SharedState& shared, Socket socket, const ClientAddress& address, Task& task)
      : shared_(shared), address_(address), task_(task), stream_(std::move(socket), task) {
    task_.set_before_wait([this] { stream_.try_flush(); });
    task_.set_on_idle([this] { stream_.release_buffers(true); });
  }
  ~Connection() {
    task_.set_before_wait(nullptr);
    task_.set_on_idle(nullptr);
  }

  void run() {
    Anteroom::Stay stay(shared_.anteroom, task_);
    Deadline deadline = Clock::now() + shared_.authentication_timeout;
    if (shared_.instance->setting("log_connections") == "on") log("connection received: " + from());
    const auto door = shared_.door->knowledge();
    Startup startup(stream_, deadline);
    if (door->tls && !address_.local()) startup.offer_tls([&] { return start_tls(door->tls, deadline); });
    Result<StartupOutcome> outcome = startup.run();
    if (!outcome.ok()) return startup.old_protocol() ? say_old(outcome.error()) : say(outcome.error());
    switch (outcome->kind) {
      case StartupOutcome::Kind::kClose: return;
      case StartupOutcome::Kind::kCancel: shared_.instance->cancel(outcome->cancel_pid, outcome->cancel_key); return;
      case StartupOutcome::Kind::kConnect: break;
    }
    user_ = outcome->request.options.user;
    database_ = outcome->request.options.database;
    negotiate(outcome->request);
    const Status admitted = admit(shared_, *door, stream_, task_, address_, outcome->request, deadline);
    if (!admitted.ok()) {
      wait_after_failure(admitted.error());
      return say(admitted.error());
    }
    stay.leave();
    if (task_.interrupted() == InterruptReason::kTerminate)
      return;  // another took its place in the anteroom at the last moment
    serve(outcome->request.options);
  }

  void give_up(const Error& error) {
    const MustNotFail scope;
    log_error("a connection ends: " + error.message);
    say(error);
  }

 private:
  void negotiate(const StartupRequest& request) {
    if (request.minor_version == 0 && request.unknown_options.empty()) return;
    NegotiateProtocolVersion message;
    message.unknown_options.assign(request.unknown_options.begin(), request.unknown_options.end());
    message.encode(stream_.out());
  }

  Status start_tls(const std::shared_ptr<const TlsContext>& context, Deadline deadline) {
    INDIGO_ASSIGN(auto channel, TlsChannel::make(context));
    stream_.start_tls(std::move(channel));
    return shake_hands(stream_, task_, *shared_.calls, deadline);
  }

  void serve(engine::ConnectOptions& options) {
    options.client_address = socket_address_text(address_.peer);
    options.client_port = socket_address_port(address_.peer);
    options.server_address = socket_address_text(address_.own);
    options.server_port = socket_address_port(address_.own);
    if (stream_.tls() != nullptr) options.tls = stream_.tls()->describe();
    SessionCount count(shared_.sessions);
    if (count.value() > shared_.max_connections) {
      return say(Error(sqlstate::kTooManyConnections, "sorry, too many clients already"));
    }
    Result<std::unique_ptr<engine::Session>> session = shared_.instance->connect(options, task_);
    if (!session.ok()) return say(session.error());
    task_.set_session((*session)->pid());
    const bool logs_end = shared_.instance->setting("log_disconnections") == "on";
    const auto began = Clock::now();
    if (shared_.instance->setting("log_connections") == "on") {
      engine::log_session(**session, LogLevel::kInfo, "connection authorized: " + who(options), "authentication");
    }
    OutputBuffer& out = stream_.out();
    for (const auto& [name, value] : (*session)->reported_settings()) ParameterStatus{name, value}.encode(out);
    BackendKeyData{(*session)->pid(), (*session)->cancel_key()}.encode(out);
    ReadyForQuery{(*session)->transaction_status()}.encode(out);
    CommandLoop(stream_, task_, **session).run();
    if (!logs_end) return;
    engine::log_session(**session, LogLevel::kInfo,
                        "disconnection: session time: " + session_time(began) + " " + who(options), "idle");
  }

  // auth_delay, the module: whoever has not been let in waits.
  void wait_as_asked() {
    const auto modules = engine::split_identifier_list(shared_.instance->setting("shared_preload_libraries"));
    if (!modules || std::find(modules->begin(), modules->end(), "auth_delay") == modules->end()) return;
    const auto delay = std::chrono::milliseconds(
        std::strtoll(shared_.instance->setting("auth_delay.milliseconds").c_str(), nullptr, 10));
    sleep_until(Clock::now() + delay);
  }
  void sleep_until(Deadline until) {
    while (Clock::now() < until) {
      if (task_.sleep_through(InterruptReason::kIdleTimeout, until) == WaitResult::kInterrupted) return;
    }
  }
  // Guessing passwords from another machine is slowed down; clients of this one are not.
  void wait_after_failure(const Error& error) {
    wait_as_asked();
    const bool guess = error.state == sqlstate::kInvalidPassword || error.state == sqlstate::kInvalidAuthorization;
    if (!guess || address_.local() || address_.loopback()) return;
    sleep_until(Clock::now() + shared_.anteroom.failed(socket_address_text(address_.peer)));
  }

  std::string from() const {
    if (address_.local()) return "host=[local]";
    return "host=" + socket_address_text(address_.peer) + " port=" + std::to_string(socket_address_port(address_.peer));
  }
  std::string who(const engine::ConnectOptions& options) const {
    std::string text = "user=" + options.user + " database=" + options.database + " " + from();
    if (!options.tls) return text;
    return text + " SSL enabled (protocol=" + options.tls->version + ", cipher=" + options.tls->cipher +
           ", bits=" + std::to_string(options.tls->bits) + ")";
  }
  static std::string session_time(Deadline began) {
    const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - began).count();
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), "%lld:%02lld:%02lld.%03lld", static_cast<long long>(ms / 3600000),
                  static_cast<long long>(ms / 60000 % 60), static_cast<long long>(ms / 1000 % 60),
                  static_cast<long long>(ms % 1000));
    return text.data();
  }

  // Of what the log says before there is a session, or when there is none.
  LogSource source() {
    LogSource out;
    out.client = true;
    out.line = ++lines_;
    if (user_.empty()) out.backend_type = "not initialized";
    if (!user_.empty()) out.activity = "startup";
    out.user = user_;
    out.database = database_;
    out.remote_host = address_.local() ? "[local]" : socket_address_text(address_.peer);
    out.remote_port = address_.local() ? 0 : socket_address_port(address_.peer);
    return out;
  }
  void log(std::string_view text) { log_record({.message = text}, source()); }

  // The last words, as FATAL; not sent when the client is lost.
  void say(const Error& error) {
    log_record({.level = LogLevel::kFatal,
                .message = error.message,
                .state = error.state.text(),
                .detail = error.detail,
                .hint = error.hint},
               source());
    if (error.state == sqlstate::kConnectionFailure) return;
    ErrorResponse::encode(ErrorResponse::kError, "FATAL", error, stream_.out());
    stream_.farewell(Clock::now() + kFarewell);
  }
  void say_old(const Error& error) {
    stream_.out().put_byte('E');
    stream_.out().put_string("FATAL:  " + error.message + "\n");
    stream_.farewell(Clock::now() + kFarewell);
  }

  // Counts this session while it lives.
  class SessionCount {
   public:
    explicit SessionCount(std::atomic<uint32_t>& sessions)
        : sessions_(sessions), value_(sessions.fetch_add(1, std::memory_order_relaxed) + 1) {}
    ~SessionCount() { sessions_.fetch_sub(1, std::memory_order_relaxed); }
    uint32_t value() const { return value_; }

   private:
    std::atomic<uint32_t>& sessions_;
    uint32_t value_;
  };

  SharedState& shared_;
  const ClientAddress& address_;
  Task& task_;
  Stream stream_;
  std::string user_, database_;  // that the client has asked for
  uint64_t lines_ = 0;           // of the log
};

}  // namespace

bool ClientAddress::loopback() const {
  static const sockaddr_storage kNetwork = *parse_socket_address("127.0.0.0"), kMask = *prefix_mask(AF_INET, 8);
  return in_network(peer, kNetwork, kMask) || socket_address_text(peer) == "::1";
}

void run_connection(SharedState& shared, Socket socket, const ClientAddress& address, Task& task) {
  Connection connection(shared, std::move(socket), address, task);
  try {
    connection.run();
  } catch (...) {  // outside of all messages: of this connection nothing is left, the others continue
    connection.give_up(exception_error());
  }
  task.hold_worker();  // what the worker hears goes to the stream as long as it is there
}

}  // namespace indigo::wire
