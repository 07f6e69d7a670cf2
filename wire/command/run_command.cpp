#include "wire/command/run_command.h"

#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/sqlstate.h"
#include "wire/command/cached_image.h"
#include "wire/command/exit_status.h"

namespace indigo::wire {

namespace {

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

// Its exit status. Signals to this process are the command's, but SIGHUP.
int run_beside(RunningServer& running, const std::vector<std::string>& command, const sigset_t& signals) {
  const pid_t child = fork();
  if (child < 0) {
    fprintf(stderr, "indigo: could not start a process: %s\n", strerror(errno));
    return kExitOwnFailure;
  }
  if (child == 0) become(command, *running.server, signals);
  int status = 0;
  while (true) {
    int number = 0;
    sigwait(&signals, &number);
    if (number == SIGHUP) {
      running.instance->reload_settings();
      running.server->reload();
    } else if (number != SIGCHLD) {
      kill(child, number);
    } else if (waitpid(child, &status, WNOHANG) == child) {
      break;
    }
  }
  return WIFSIGNALED(status) ? kExitSignal + WTERMSIG(status) : WEXITSTATUS(status);
}

// A file of SQL is psql's; any other is a program.
std::vector<std::string> init_command(const std::string& file) {
  if (file.ends_with(".sql")) return {"psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-f", file};
  return {file.find('/') == std::string::npos ? "./" + file : file};
}

// False, and said why, when one of them fails.
bool initialise(RunningServer& running, const std::vector<std::string>& files, const sigset_t& signals) {
  for (const std::string& file : files) {
    const int status = run_beside(running, init_command(file), signals);
    if (status == kExitDone) continue;
    fprintf(stderr, "indigo: --init %s failed with status %d%s\n", file.c_str(), status,
            status == kExitNotFound && file.ends_with(".sql") ? ": files of SQL need psql" : "");
    return false;
  }
  return true;
}

// A server that begins with what the initialisation makes: out of the cache, or made now, and into the cache.
Result<RunningServer> start_cached(const RunOptions& options, const sigset_t& signals) {
  INDIGO_ASSIGN(CachedImage image, CachedImage::of(options.cache, options.init, options.serve.locale_text()));
  ServeOptions serve = options.serve;
  if (image.usable()) {
    (image.has_file() ? serve.image_file : serve.image_directory) = image.has_file() ? image.file() : image.data();
    auto started = RunningServer::start(serve);
    if (started.ok()) return started;
    fprintf(stderr, "indigo: --cache %s is made again: %s\n", options.cache.c_str(), started.error().message.c_str());
  }
  INDIGO_TRY(image.begin());
  ServeOptions making = options.serve;
  making.data_directory = image.new_data();
  making.settings["durability"] = "process";
  INDIGO_ASSIGN(RunningServer maker, RunningServer::start(making));
  const bool made = initialise(maker, options.init, signals);
  maker.stop(kExitOwnFailure);
  if (!made) {
    image.give_up();
    return Error(sqlstate::kInternalError, "nothing was put into --cache " + options.cache);
  }
  // The server of this run reads the directory, and writes the file for the next ones.
  serve.image_directory = image.new_data();
  serve.image_file = image.new_file();
  auto started = RunningServer::start(serve);
  if (!started.ok()) {
    image.give_up();
    return started;
  }
  if (Status finished = image.finish(); !finished.ok()) {
    started->stop(kExitOwnFailure);
    return finished.take_error();
  }
  return started;
}

}  // namespace

int run_command(RunOptions options) {
  sigset_t signals = block_signals();
  sigaddset(&signals, SIGCHLD);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
  if (!options.serve.port) options.serve.port = 0;
  Result<RunningServer> running =
      options.cache.empty() ? RunningServer::start(options.serve) : start_cached(options, signals);
  if (!running.ok()) {
    complain(running.error());
    return kExitOwnFailure;
  }
  const bool ready = !options.cache.empty() || initialise(*running, options.init, signals);
  const int ended = ready ? run_beside(*running, options.command, signals) : static_cast<int>(kExitOwnFailure);
  running->stop(ended);
  return ended;
}

}  // namespace indigo::wire
