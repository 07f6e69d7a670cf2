// A server of this process with its instance, from the command line's options to its end. `serve_command.h` and `run_command.h`
// are made of it. Thread safety: the main thread's.
#pragma once

#include <signal.h>

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "base/error.h"
#include "engine/instance.h"
#include "wire/server.h"

namespace indigo::wire {

struct ServeOptions {
  std::string data_directory;                   // -D
  std::optional<std::string> host;              // -h
  std::optional<int> port;                      // -p
  std::optional<std::string> socket_directory;  // -k
  std::map<std::string, std::string> settings;  // -c
  std::string image_directory, image_file;      // without -D: what it begins with (engine/instance.h)
  // --locale and its kin, as initdb has them; a name without a value is not there.
  std::optional<std::string> locale, lc_collate, lc_ctype, icu_locale, locale_provider;

  // Nothing: none was chosen. 22023 for names that are no locale's.
  Result<std::optional<types::Locale>> chosen_locale() const;
  // As they were given: what was made with others is another.
  std::string locale_text() const;
};

struct RunningServer {
  std::unique_ptr<engine::Instance> instance;
  std::unique_ptr<Server> server;

  static Result<RunningServer> start(ServeOptions options);
  // Sessions that do not end in time end with the process, whose status is `status`.
  void stop(int status);
};

// The signals that end the server or make it read its files again, blocked in every thread and taken by the main one.
sigset_t block_signals();

// To stderr.
void complain(const Error& error);

}  // namespace indigo::wire
