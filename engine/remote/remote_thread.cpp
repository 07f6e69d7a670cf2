#include "engine/remote/remote_thread.h"

#include <pthread.h>

#include <csignal>
#include <system_error>
#include <thread>

#include "base/exception_error.h"
#include "base/fiber/thread_start.h"
#include "base/sqlstate.h"
#include "engine/remote/remote_rows.h"

namespace indigo::engine {

Status start_remote_thread(std::function<void()> work, std::function<void(const Error&)> failed) {
  try {
    std::thread([work = std::move(work), failed = std::move(failed)] {
      sigset_t all;
      sigfillset(&all);
      pthread_sigmask(SIG_BLOCK, &all, nullptr);
      begin_thread("remote");
      const Status done = catch_exceptions(
          [&]() -> Status {
            work();
            return {};
          },
          [] {});
      if (done.ok()) return;
      const MustNotFail scope;
      failed(done.error());
    }).detach();
  } catch (const std::system_error& e) {
    return Error(SqlState("53000"), "could not start a thread: " + std::string(e.what()));
  }
  return {};
}

std::string without_line_end(const char* text) {
  std::string out = readable_text(text);
  while (!out.empty() && out.back() == '\n') out.pop_back();
  return out;
}

}  // namespace indigo::engine
