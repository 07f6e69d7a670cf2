// `indigo serve` and `indigo run`, after the command line has been read.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace indigo::wire {

struct ServeOptions {
  std::string data_directory;                   // -D
  std::optional<std::string> host;              // -h
  std::optional<int> port;                      // -p
  std::optional<std::string> socket_directory;  // -k
  std::map<std::string, std::string> settings;  // -c
};

// Serves until SIGTERM or SIGINT. Answers the process's exit status; complaints are on stderr.
int serve(const ServeOptions& options);

// Serves on a free port while `command` runs with the server's address in its environment; answers the command's exit status
// (wire/command/exit_status.h has those that are not its own).
int run_command(ServeOptions options, const std::vector<std::string>& command);

}  // namespace indigo::wire
