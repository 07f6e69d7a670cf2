#include "wire/command/serve_command.h"

#include <cstdio>

#include "base/server_log.h"
#include "wire/command/exit_status.h"

namespace indigo::wire {

int serve(const ServeOptions& options) {
  sigset_t signals = block_signals();
  Result<RunningServer> running = RunningServer::start(options);
  if (!running.ok()) {
    complain(running.error());
    return kExitFailed;
  }
  const Listeners& listeners = running->server->listeners();
  // Tools wait for either line: who has read the second finds the first in the log.
  log_info("database system is ready to accept connections");
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
  log_info(number == SIGTERM ? "received SIGTERM, shutting down" : "received fast shutdown request");
  running->stop(kExitFailed);
  log_info("database system is shut down");
  return kExitDone;
}

}  // namespace indigo::wire
