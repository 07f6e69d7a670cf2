// The command line.
#include <functional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "log/check.h"
#include "log/dump.h"
#include "log/file_directory.h"
#include "log/log.h"
#include "wire/command/arenas.h"
#include "wire/command/backup_command.h"
#include "wire/command/serve_command.h"

// Read by jemalloc: its own thread gives freed memory back, also while the server is idle; address space, too (retain), which
// tables and stacks may need where it is limited.
extern "C" {
extern const char* malloc_conf;
const char* malloc_conf = "background_thread:true,dirty_decay_ms:5000,retain:false";
}

namespace {

// What both commands understand.
void add_options(CLI::App& command, indigo::wire::ServeOptions& options, std::vector<std::string>& settings) {
  command.set_help_flag("--help", "Print this help and exit");
  command.add_option("-D", options.data_directory, "Directory for the data (default: everything in memory)");
  command.add_option("-h", options.host, "Addresses to listen on, comma-separated; * for all (default: localhost)");
  command.add_option("-p", options.port, "Port; 0 for a free one");
  command.add_option("-k", options.socket_directory, "Directory of the unix socket");
  command.add_option("-c", settings, "A setting, name=value")->allow_extra_args(false);
}

bool read_settings(const std::vector<std::string>& words, std::map<std::string, std::string>& settings) {
  for (const auto& word : words) {
    size_t equals = word.find('=');
    if (equals == std::string::npos || equals == 0) {
      fprintf(stderr, "indigo: -c %s requires a value\n", word.c_str());
      return false;
    }
    std::string name = word.substr(0, equals);
    std::replace(name.begin(), name.end(), '-', '_');
    settings[name] = word.substr(equals + 1);
  }
  return true;
}

using Line = std::function<void(std::string_view)>;
using Inspection = indigo::Status (*)(indigo::log::Directory& directory, const Line& line);

// A command that reads a data directory and prints lines. The answer is the process's.
int inspect(const std::string& path, Inspection inspection) {
  auto directory = indigo::log::open_file_directory(path);
  const indigo::Status status = directory.ok() ? inspection(**directory,
                                                            [](std::string_view line) {
                                                              fwrite(line.data(), 1, line.size(), stdout);
                                                              fputc('\n', stdout);
                                                            })
                                               : indigo::Status(directory.take_error());
  if (status.ok()) return 0;
  fprintf(stderr, "indigo: %s\n", status.error().message.c_str());
  if (!status.error().hint.empty()) fprintf(stderr, "hint: %s\n", status.error().hint.c_str());
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  indigo::wire::make_arenas();
  CLI::App app("Indigo, a PostgreSQL-compatible in-memory database", "indigo");
  app.set_help_flag("--help", "Print this help and exit");
  app.require_subcommand(1);
  indigo::wire::ServeOptions options;
  std::vector<std::string> settings, command;
  std::string dumped;
  CLI::App* serve = app.add_subcommand("serve", "Serve until SIGTERM or SIGINT");
  add_options(*serve, options, settings);
  CLI::App* run = app.add_subcommand("run", "Serve on a free port while a command runs");
  add_options(*run, options, settings);
  run->add_option("command", command, "The command and its arguments, after --")->required();
  run->positionals_at_end();
  CLI::App* log = app.add_subcommand("log", "Look at the log of a data directory");
  log->require_subcommand(1);
  CLI::App* dump = log->add_subcommand("dump", "Print its files, records and operations; no server may use it");
  dump->add_option("directory", dumped, "The data directory")->required()->check(CLI::ExistingDirectory);
  CLI::App* check =
      app.add_subcommand("check", "Read all of a data directory that no server uses, and say whether it is whole");
  check->add_option("directory", dumped, "The data directory")->required()->check(CLI::ExistingDirectory);
  indigo::wire::BackupOptions copied;
  CLI::App* backup =
      app.add_subcommand("backup", "Copy everything that a running server keeps into a new data directory");
  backup->set_help_flag("--help", "Print this help and exit");
  backup->add_option("-h,--host", copied.host, "The server's host, or the directory of its socket");
  backup->add_option("-p,--port", copied.port, "The server's port");
  backup->add_option("-U,--username", copied.user, "A superuser");
  backup->add_option("-d,--dbname", copied.database, "Any database of the server (default: postgres)");
  backup->add_option("directory", copied.directory, "A new or empty directory on the server's machine")->required();
  CLI11_PARSE(app, argc, argv);
  if (!read_settings(settings, options.settings)) return 1;
  if (*dump) return inspect(dumped, indigo::log::dump);
  if (*check) return inspect(dumped, indigo::log::check_directory);
  if (*backup) return indigo::wire::backup_command(copied);
  if (*serve) return indigo::wire::serve(options);
  return indigo::wire::run_command(options, command);
}
