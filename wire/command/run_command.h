// `indigo run`, after the command line has been read.
#pragma once

#include <string>
#include <vector>

#include "wire/command/running_server.h"

namespace indigo::wire {

struct RunOptions {
  ServeOptions serve;
  std::vector<std::string> init;  // --init: files of SQL, or programs, that make the databases
  std::string cache;              // --cache: a directory that keeps what they have made
  std::vector<std::string> command;
};

// Serves on a free port while the command runs with the server's address in its environment; answers the command's exit
// status (wire/command/exit_status.h has those that are not its own).
int run_command(RunOptions options);

}  // namespace indigo::wire
