#include "wire/command/command_line.h"

#include <functional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "base/version.h"
#include "log/check.h"
#include "log/dump.h"
#include "log/file_directory.h"
#include "log/log.h"
#include "log/salvage.h"
#include "wire/command/backup_command.h"
#include "wire/command/completion.h"
#include "wire/command/exit_status.h"
#include "wire/command/manual.h"
#include "wire/command/run_command.h"
#include "wire/command/serve_command.h"

namespace indigo::wire {

namespace {

struct Arguments {
  ServeOptions serve;
  RunOptions run;
  std::vector<std::string> settings;
  std::string directory, new_directory, shell;
  BackupOptions backup;
};

// What both commands understand.
void add_options(CLI::App& command, Arguments& into) {
  ServeOptions& options = into.serve;
  command.add_option("-D", options.data_directory, "Directory for the data (default: everything in memory)")
      ->type_name("DIR");
  command.add_option("-h", options.host, "Addresses to listen on, comma-separated; * for all (default: localhost)")
      ->type_name("HOST");
  command.add_option("-p", options.port, "Port; 0 for a free one")->type_name("PORT");
  command.add_option("-k", options.socket_directory, "Directory of the unix socket")->type_name("DIR");
  command.add_option("--locale", options.locale, "Locale of the databases that a new server has (default: C)")
      ->type_name("LOCALE")
      ->take_last();
  command.add_option("--lc-collate", options.lc_collate, "The order of their texts")->type_name("LOCALE")->take_last();
  command.add_option("--lc-ctype", options.lc_ctype, "Their letters")->type_name("LOCALE")->take_last();
  command.add_option("--icu-locale", options.icu_locale, "Their locale, if ICU provides it")
      ->type_name("LOCALE")
      ->take_last();
  command.add_option("--locale-provider", options.locale_provider, "libc (the default) or icu")
      ->type_name("PROVIDER")
      ->take_last();
  command.add_option("-c", into.settings, "A setting, name=value")->allow_extra_args(false)->type_name("NAME=VALUE");
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
using Inspection = std::function<Status(log::Directory& directory, const Line& line)>;

// A command that reads a data directory and prints lines.
int inspect(const std::string& path, const Inspection& inspection) {
  auto directory = log::open_file_directory(path);
  const Status status = directory.ok() ? inspection(**directory,
                                                    [](std::string_view line) {
                                                      fwrite(line.data(), 1, line.size(), stdout);
                                                      fputc('\n', stdout);
                                                    })
                                       : Status(directory.take_error());
  if (status.ok()) return kExitDone;
  fprintf(stderr, "indigo: %s\n", status.error().message.c_str());
  if (!status.error().hint.empty()) fprintf(stderr, "hint: %s\n", status.error().hint.c_str());
  return kExitFailed;
}

int print(const std::string& text) {
  const bool written = fwrite(text.data(), 1, text.size(), stdout) == text.size() && fflush(stdout) == 0;
  return written ? kExitDone : kExitFailed;
}

int salvage(const Arguments& arguments) {
  return inspect(arguments.directory, [&](log::Directory& from, const Line& line) -> Status {
    auto to = log::open_file_directory(arguments.new_directory);
    if (!to.ok()) return to.take_error();
    return log::salvage_directory(from, **to, line);
  });
}

CLI::App* add_command(CLI::App& above, const char* name, const char* description) {
  CLI::App* command = above.add_subcommand(name, description);
  command->set_help_flag("--help", "Print this help and exit");
  return command;
}

void add_directory(CLI::App& command, Arguments& into, const char* description) {
  CLI::Validator exists = CLI::ExistingDirectory;
  command.add_option("directory", into.directory, description)
      ->required()
      ->check(exists.description(""))
      ->type_name("DIR");
}

// `command` is set to what is to be done once the line has been read.
void add_commands(CLI::App& app, Arguments& into, std::function<int()>& command) {
  CLI::App* serve_it = add_command(app, "serve", "Serve until SIGTERM or SIGINT");
  add_options(*serve_it, into);
  serve_it->final_callback([&] { command = [&] { return serve(into.serve); }; });

  CLI::App* run = add_command(app, "run", "Serve on a free port while a command runs");
  add_options(*run, into);
  run->add_option(
         "--init", into.run.init,
         "First run a file of SQL (by psql) or a program, which makes what the databases have; may be repeated")
      ->allow_extra_args(false)
      ->type_name("FILE");
  run->add_option("--cache", into.run.cache, "A directory that keeps what --init has made, for the next time")
      ->type_name("DIR");
  run->add_option("command", into.run.command, "The command and its arguments, after --")
      ->required()
      ->type_name("COMMAND");
  run->positionals_at_end();
  run->final_callback([&] {
    command = [&] {
      into.run.serve = into.serve;
      if (!into.run.cache.empty() && !into.serve.data_directory.empty()) {
        fprintf(stderr, "indigo: --cache and -D exclude each other\n");
        return static_cast<int>(kExitUsage);
      }
      return run_command(into.run);
    };
  });

  CLI::App* log = add_command(app, "log", "Look at the log of a data directory");
  log->require_subcommand(1);
  CLI::App* dump = add_command(*log, "dump", "Print its files, records and operations; no server may use it");
  add_directory(*dump, into, "The data directory");
  dump->final_callback([&] { command = [&] { return inspect(into.directory, indigo::log::dump); }; });

  CLI::App* check =
      add_command(app, "check", "Read all of a data directory that no server uses, and say whether it is whole");
  add_directory(*check, into, "The data directory");
  check->final_callback([&] { command = [&] { return inspect(into.directory, indigo::log::check_directory); }; });

  CLI::App* save = add_command(app, "salvage", "Save what can be read of a damaged data directory into a new one");
  add_directory(*save, into, "The damaged data directory");
  save->add_option("new-directory", into.new_directory, "A new or empty directory")->required()->type_name("DIR");
  save->final_callback([&] { command = [&] { return salvage(into); }; });

  CLI::App* backup =
      add_command(app, "backup", "Copy everything that a running server keeps into a new data directory");
  BackupOptions& copied = into.backup;
  backup->add_option("-h,--host", copied.host, "The server's host, or the directory of its socket")->type_name("HOST");
  backup->add_option("-p,--port", copied.port, "The server's port")->type_name("PORT");
  backup->add_option("-U,--username", copied.user, "A superuser")->type_name("NAME");
  backup->add_option("-d,--dbname", copied.database, "Any database of the server (default: postgres)")
      ->type_name("NAME");
  backup->add_option("directory", copied.directory, "A new or empty directory on the server's machine")
      ->required()
      ->type_name("DIR");
  backup->final_callback([&] { command = [&] { return backup_command(copied); }; });

  CLI::App* completion = add_command(app, "completion", "Print a completion script for a shell");
  completion->add_option("shell", into.shell, "bash, fish or zsh")
      ->required()
      ->check(CLI::IsMember(completed_shells()))
      ->type_name("SHELL");
  completion->final_callback(
      [&] { command = [&] { return print(*completion_script(outline_of(app, completed_shells()), into.shell)); }; });

  CLI::App* manual = add_command(app, "manual", "Print the manual page, for man -l -");
  manual->final_callback([&] { command = [&] { return print(manual_page(outline_of(app, completed_shells()))); }; });
}

}  // namespace

int command_line(int argc, char** argv) {
  CLI::App app("Indigo, a PostgreSQL-compatible in-memory database", "indigo");
  app.set_help_flag("--help", "Print this help and exit");
  app.set_version_flag("-V,--version", std::string("indigo ") + kVersion, "Print the version and exit");
  app.require_subcommand(1);
  Arguments arguments;
  std::function<int()> command;
  add_commands(app, arguments, command);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == kExitDone ? kExitDone : kExitUsage;
  }
  if (!read_settings(arguments.settings, arguments.serve.settings)) return kExitUsage;
  return command();
}

}  // namespace indigo::wire
