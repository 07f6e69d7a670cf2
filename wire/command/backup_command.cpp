#include "wire/command/backup_command.h"

#include <dlfcn.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>

#include "base/static_process.h"

namespace indigo::wire {

namespace {

// What is used of libpq, loaded at run time: passwords, service files and so on are as with psql, and the server does not need
// it. The types are libpq's, opaque here; the numbers are part of its ABI.
struct Libpq {
  using Connection = void;
  using Answer = void;
  using Cancel = void;
  static constexpr int kConnectionOk = 0, kTuplesOk = 2;

  Connection* (*connect)(const char* const* keywords, const char* const* values, int expand) = nullptr;
  int (*status)(const Connection*) = nullptr;
  char* (*error)(const Connection*) = nullptr;
  int (*socket)(const Connection*) = nullptr;
  int (*send)(Connection*, const char* command, int count, const unsigned* types, const char* const* values,
              const int* lengths, const int* formats, int result_format) = nullptr;
  int (*consume)(Connection*) = nullptr;
  int (*busy)(Connection*) = nullptr;
  Answer* (*answer)(Connection*) = nullptr;
  int (*answer_status)(const Answer*) = nullptr;
  char* (*value)(const Answer*, int row, int column) = nullptr;
  char* (*answer_error)(const Answer*) = nullptr;
  void (*clear)(Answer*) = nullptr;
  Cancel* (*get_cancel)(Connection*) = nullptr;
  int (*cancel)(Cancel*, char* error, int error_size) = nullptr;
  void (*free_cancel)(Cancel*) = nullptr;
  void (*finish)(Connection*) = nullptr;

  bool load() {
    if (is_static_process()) return false;
    void* handle = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) return false;
    bool all = true;
    const auto find = [&](const char* name, auto& function) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(handle, name));
      all = all && function != nullptr;
    };
    find("PQconnectdbParams", connect);
    find("PQstatus", status);
    find("PQerrorMessage", error);
    find("PQsocket", socket);
    find("PQsendQueryParams", send);
    find("PQconsumeInput", consume);
    find("PQisBusy", busy);
    find("PQgetResult", answer);
    find("PQresultStatus", answer_status);
    find("PQgetvalue", value);
    find("PQresultErrorMessage", answer_error);
    find("PQclear", clear);
    find("PQgetCancel", get_cancel);
    find("PQcancel", cancel);
    find("PQfreeCancel", free_cancel);
    find("PQfinish", finish);
    return all;
  }
};

using Owner = std::unique_ptr<void, void (*)(void*)>;

int complain(const std::string& message) {
  std::fprintf(stderr, "indigo: %s%s", message.c_str(), message.ends_with('\n') ? "" : "\n");
  return 1;
}

// Waits for the answer; a signal asks the server to give up, and then the answer is that it has.
bool wait_for_answer(const Libpq& pq, void* connection, int signals) {
  while (pq.busy(connection) != 0) {
    pollfd descriptors[] = {{pq.socket(connection), POLLIN, 0}, {signals, POLLIN, 0}};
    if (poll(descriptors, 2, -1) < 0) continue;
    if (descriptors[1].revents != 0) {
      signalfd_siginfo taken;
      if (read(signals, &taken, sizeof taken) < 0) return false;
      const Owner cancel(pq.get_cancel(connection), pq.free_cancel);
      char error[256] = "";
      if (pq.cancel(cancel.get(), error, sizeof error) == 0) complain(error);
    }
    if (descriptors[0].revents != 0 && pq.consume(connection) == 0) return false;
  }
  return true;
}

}  // namespace

int backup_command(const BackupOptions& options) {
  Libpq pq;
  if (!pq.load()) {
    return complain(is_static_process()
                        ? "this executable is static and cannot load libpq: call indigo_backup by psql,\n"
                          "  psql -c \"select * from indigo_backup('/new/directory')\""
                        : "could not load libpq.so.5: install the package libpq5");
  }
  sigset_t mask;
  sigemptyset(&mask);
  sigaddset(&mask, SIGINT);
  sigaddset(&mask, SIGTERM);
  const char* const keywords[] = {"host", "port", "user", "dbname", "application_name", nullptr};
  const char* const values[] = {options.host.c_str(),     options.port.c_str(), options.user.c_str(),
                                options.database.c_str(), "indigo backup",      nullptr};
  const Owner connection(pq.connect(keywords, values, 0), pq.finish);
  if (pq.status(connection.get()) != Libpq::kConnectionOk) return complain(pq.error(connection.get()));
  // From here on signals are read, so that they end the backup and not only its client.
  sigprocmask(SIG_BLOCK, &mask, nullptr);
  const int signals = signalfd(-1, &mask, SFD_CLOEXEC);
  std::error_code failed;
  const std::string directory = std::filesystem::absolute(options.directory, failed).lexically_normal().string();
  const char* const arguments[] = {directory.c_str()};
  if (pq.send(connection.get(), "select bytes, time from indigo_backup($1)", 1, nullptr, arguments, nullptr, nullptr,
              0) == 0 ||
      !wait_for_answer(pq, connection.get(), signals)) {
    return complain(pq.error(connection.get()));
  }
  const Owner answer(pq.answer(connection.get()), pq.clear);
  if (pq.answer_status(answer.get()) != Libpq::kTuplesOk) return complain(pq.answer_error(answer.get()));
  std::printf("%s: %s bytes in %.0f ms\n", directory.c_str(), pq.value(answer.get(), 0, 0),
              std::atof(pq.value(answer.get(), 0, 1)));
  return 0;
}

}  // namespace indigo::wire
