#include "wire/command/serve_command.h"

#include <pwd.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "base/server_log.h"
#include "base/sqlstate.h"
#include "engine/instance.h"
#include "wire/command/exit_status.h"
#include "wire/server.h"
#include "wire/starting_up.h"

namespace indigo::wire {

namespace {

constexpr auto kStopTimeout = std::chrono::seconds(10);

std::string os_user() {
  const passwd* entry = getpwuid(geteuid());
  return entry ? entry->pw_name : "";
}

void raise_descriptor_limit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= limit.rlim_max) return;
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

// The signals that end the server or make it read its files again, blocked in every thread and taken by the main one.
sigset_t block_signals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (int number : {SIGTERM, SIGINT, SIGQUIT, SIGHUP}) sigaddset(&signals, number);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);  // a file at its limit is an error of the write
  return signals;
}

// "0770" is octal, as in PostgreSQL.
Result<mode_t> file_mode(const std::string& text) {
  const bool octal = text.starts_with('0');
  mode_t mode = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), mode, octal ? 8 : 10);
  if (failed == std::errc() && end == text.data() + text.size() && mode <= 0777) return mode;
  return Error(sqlstate::kInvalidParameterValue,
               "invalid value for parameter \"unix_socket_permissions\": \"" + text + "\"");
}

Result<ListenAddress> listen_address(ServeOptions& options) {
  ListenAddress address;
  auto& settings = options.settings;
  if (options.host) settings["listen_addresses"] = *options.host;
  if (options.port) settings["port"] = std::to_string(*options.port);
  if (options.socket_directory) settings["unix_socket_directories"] = *options.socket_directory;
  if (!settings.contains("unix_socket_directories")) settings["unix_socket_directories"] = default_socket_directory();
  if (settings.contains("listen_addresses")) address.listen_addresses = settings["listen_addresses"];
  address.socket_directories = settings["unix_socket_directories"];
  if (settings.contains("unix_socket_group")) address.socket_group = settings["unix_socket_group"];
  if (settings.contains("unix_socket_permissions")) {
    INDIGO_ASSIGN(address.socket_mode, file_mode(settings["unix_socket_permissions"]));
  }
  if (settings.contains("port")) {
    const std::string& text = settings["port"];
    auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), address.port);
    if (failed != std::errc{} || end != text.data() + text.size() || address.port < 0 || address.port > 65535) {
      return Error(sqlstate::kInvalidParameterValue, "invalid port \"" + text + "\"");
    }
  }
  return address;
}

// A running server with its instance.
struct Running {
  std::unique_ptr<engine::Instance> instance;
  std::unique_ptr<Server> server;

  static Result<Running> start(ServeOptions options) {
    raise_descriptor_limit();
    INDIGO_ASSIGN(ListenAddress address, listen_address(options));
    INDIGO_ASSIGN(Listeners listeners, Listeners::open(address));
    options.settings["port"] = std::to_string(listeners.port());
    engine::InstanceOptions instance_options;
    instance_options.settings = options.settings;
    instance_options.os_user = os_user();
    instance_options.data_directory = options.data_directory;
    Running running;
    {
      std::optional<StartingUp> answers;
      if (!options.data_directory.empty()) answers.emplace(listeners);
      INDIGO_ASSIGN(running.instance, engine::Instance::open(instance_options));
    }
    INDIGO_ASSIGN(ServerOptions server_options, ServerOptions::from(*running.instance));
    INDIGO_ASSIGN(running.server, Server::start(*running.instance, std::move(listeners), server_options));
    return running;
  }

  // Sessions that do not end in time end with the process, whose status is `status`.
  void stop(int status) {
    if (server->stop(Clock::now() + kStopTimeout)) {
      server.reset();
      instance.reset();
      return;
    }
    log_error("some sessions did not end in time");
    fflush(nullptr);
    _exit(status);  // their stacks cannot be unwound
  }
};

void complain(const Error& error) {
  fprintf(stderr, "indigo: %s\n", error.message.c_str());
  if (!error.detail.empty()) fprintf(stderr, "%s\n", error.detail.c_str());
  if (!error.hint.empty()) fprintf(stderr, "%s\n", error.hint.c_str());
}

[[noreturn]] void become(const std::vector<std::string>& command, const Server& server, const sigset_t& signals) {
  pthread_sigmask(SIG_UNBLOCK, &signals, nullptr);
  signal(SIGPIPE, SIG_DFL);
  signal(SIGHUP, SIG_DFL);
  signal(SIGXFSZ, SIG_DFL);
  std::string port = std::to_string(server.listeners().port());
  setenv("PGHOST", "localhost", 1);
  setenv("PGPORT", port.c_str(), 1);
  setenv("PGUSER", "postgres", 1);
  setenv("PGDATABASE", "postgres", 1);
  setenv("DATABASE_URL", ("postgresql://postgres@localhost:" + port + "/postgres").c_str(), 1);
  std::vector<char*> arguments;
  for (const auto& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  execvp(arguments[0], arguments.data());
  const int why = errno;
  fprintf(stderr, "indigo: could not run \"%s\": %s\n", arguments[0], strerror(why));
  _exit(why == ENOENT || why == ENOTDIR ? kExitNotFound : kExitNotExecutable);
}

}  // namespace

int serve(const ServeOptions& options) {
  sigset_t signals = block_signals();
  Result<Running> running = Running::start(options);
  if (!running.ok()) {
    complain(running.error());
    return kExitFailed;
  }
  const Listeners& listeners = running->server->listeners();
  printf("indigo: ready, port %d%s%s\n", listeners.port(), listeners.socket_directory().empty() ? "" : ", socket ",
         listeners.socket_directory().c_str());
  fflush(stdout);
  int number = 0;
  while (sigwait(&signals, &number) != 0 || number == SIGHUP) {
    if (number != SIGHUP) continue;
    log_info("received SIGHUP, reloading configuration files");
    running->instance->reload_settings();
    running->server->reload();
  }
  running->stop(kExitFailed);
  return kExitDone;
}

int run_command(ServeOptions options, const std::vector<std::string>& command) {
  sigset_t signals = block_signals();
  sigaddset(&signals, SIGCHLD);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  if (!options.port) options.port = 0;
  Result<Running> running = Running::start(options);
  if (!running.ok()) {
    complain(running.error());
    return kExitOwnFailure;
  }
  pid_t child = fork();
  if (child < 0) {
    fprintf(stderr, "indigo: could not start a process: %s\n", strerror(errno));
    running->stop(kExitOwnFailure);
    return kExitOwnFailure;
  }
  if (child == 0) become(command, *running->server, signals);
  int status = 0;
  while (true) {
    int number = 0;
    sigwait(&signals, &number);
    if (number == SIGHUP) {
      running->instance->reload_settings();
      running->server->reload();
    } else if (number != SIGCHLD) {
      kill(child, number);
    } else if (waitpid(child, &status, WNOHANG) == child) {
      break;
    }
  }
  const int ended = WIFSIGNALED(status) ? kExitSignal + WTERMSIG(status) : WEXITSTATUS(status);
  running->stop(ended);
  return ended;
}

}  // namespace indigo::wire
