#include "wire/command/running_server.h"

#include <pwd.h>
#include <sys/resource.h>
#include <unistd.h>

#include <charconv>
#include <cstdio>

#include "base/server_log.h"
#include "base/sqlstate.h"
#include "types/value/collator.h"
#include "wire/net/listeners.h"
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

}  // namespace

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

Result<std::optional<types::Locale>> ServeOptions::chosen_locale() const {
  if (!locale && !lc_collate && !lc_ctype && !icu_locale && !locale_provider) return std::optional<types::Locale>();
  types::Locale out;
  out.collate = lc_collate.value_or(locale.value_or("C"));
  out.ctype = lc_ctype.value_or(locale.value_or("C"));
  for (const std::string& name : {out.collate, out.ctype}) {
    if (!types::libc_locale(name))
      return Error(sqlstate::kInvalidParameterValue, "invalid locale name \"" + name + "\"");
  }
  const std::string provider = locale_provider.value_or("libc");
  if (provider != "libc" && provider != "icu") {
    return Error(sqlstate::kInvalidParameterValue, "unrecognized locale provider: " + provider);
  }
  if (provider == "icu") {
    if (!icu_locale) return Error(sqlstate::kInvalidParameterValue, "ICU locale must be specified");
    out.provider = 'i';
    out.icu = *icu_locale;
    if (auto opened = types::Collator::open(out.icu, true); !opened.ok()) return opened.error();
  } else if (icu_locale) {
    return Error(sqlstate::kInvalidParameterValue,
                 "--icu-locale cannot be specified unless locale provider \"icu\" is chosen");
  }
  return std::optional(out);
}

std::string ServeOptions::locale_text() const {
  std::string out;
  for (const auto& given : {locale, lc_collate, lc_ctype, icu_locale, locale_provider})
    out += given ? "=" + *given + "\n" : "\n";
  return out;
}

Result<RunningServer> RunningServer::start(ServeOptions options) {
  raise_descriptor_limit();
  INDIGO_ASSIGN(ListenAddress address, listen_address(options));
  INDIGO_ASSIGN(Listeners listeners, Listeners::open(address));
  options.settings["port"] = std::to_string(listeners.port());
  engine::InstanceOptions instance_options;
  INDIGO_ASSIGN(instance_options.locale, options.chosen_locale());
  instance_options.settings = options.settings;
  instance_options.os_user = os_user();
  instance_options.data_directory = options.data_directory;
  instance_options.image_directory = options.image_directory;
  instance_options.image_file = options.image_file;
  RunningServer running;
  {
    std::optional<StartingUp> answers;
    if (!options.data_directory.empty()) answers.emplace(listeners);
    INDIGO_ASSIGN(running.instance, engine::Instance::open(instance_options));
  }
  INDIGO_ASSIGN(ServerOptions server_options, ServerOptions::from(*running.instance));
  INDIGO_ASSIGN(running.server, Server::start(*running.instance, std::move(listeners), server_options));
  return running;
}

void RunningServer::stop(int status) {
  if (server->stop(Clock::now() + kStopTimeout)) {
    server.reset();
    instance.reset();
    return;
  }
  log_error("some sessions did not end in time");
  fflush(nullptr);
  _exit(status);  // their stacks cannot be unwound
}

void complain(const Error& error) {
  fprintf(stderr, "indigo: %s\n", error.message.c_str());
  if (!error.detail.empty()) fprintf(stderr, "%s\n", error.detail.c_str());
  if (!error.hint.empty()) fprintf(stderr, "%s\n", error.hint.c_str());
}

}  // namespace indigo::wire
