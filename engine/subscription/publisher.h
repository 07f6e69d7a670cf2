// A replication connection to a publisher, by libpq. Its functions block the calling thread, which is one of its own (a
// worker's, or one that aside() has started for a session), until the publisher answers or the connection is told to stop.
// Thread safety: StopEvent: any thread; a Publisher belongs to one thread at a time.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/fiber/interrupt_error.h"
#include "base/fiber/wait_point.h"
#include "engine/remote/libpq.h"
#include "engine/remote/remote_rows.h"
#include "engine/remote/remote_thread.h"

namespace indigo::engine::subscription {

// Once it is set it stays set.
class StopEvent {
 public:
  StopEvent();
  ~StopEvent();
  StopEvent(const StopEvent&) = delete;
  StopEvent& operator=(const StopEvent&) = delete;

  void set();
  bool is_set() const;
  // False: the deadline has passed.
  bool wait(Deadline deadline) const;
  int descriptor() const { return descriptor_; }

 private:
  const int descriptor_;
};
using StopEventPtr = std::shared_ptr<StopEvent>;

// What is told when a StopEvent has ended a call: 57P01.
Error stopped_error();

class Publisher {
 public:
  // `connection`: as in CREATE SUBSCRIPTION; `name`: application_name, unless it says another. 08006 with libpq's reason.
  static Result<std::unique_ptr<Publisher>> connect(const std::string& connection, const std::string& name,
                                                    StopEventPtr stop);
  ~Publisher();
  Publisher(const Publisher&) = delete;
  Publisher& operator=(const Publisher&) = delete;

  using Rows = std::vector<RemoteRow>;
  // An SQL statement or a replication command that answers rows of so many columns (take_remote_rows). The publisher's error with
  // its SQLSTATE.
  Result<Rows> ask(const std::string& command, size_t columns);
  // One whose rows, if there are any, nobody reads.
  Status tell(const std::string& command);

  // A command that answers with CopyOut or CopyBoth; then receive(), and for CopyBoth send().
  Status begin_copy(const std::string& command);
  enum class Got : uint8_t { kMessage, kNothing, kEnd };
  // One CopyData message; nothing when the deadline has passed.
  Result<Got> receive(std::string& message, Deadline deadline);
  Status send(std::string_view message);

  int server_version() const { return pq_.server_version(connection_); }

 private:
  Publisher(const Libpq& pq, Libpq::Connection* connection, StopEventPtr stop)
      : pq_(pq), connection_(connection), stop_(std::move(stop)) {}
  // Until the socket is ready for `events`: false when the deadline has passed.
  Result<bool> wait(short events, Deadline deadline);
  Status send_all();
  Result<Rows> ask(const std::string& command, std::optional<size_t> columns);
  struct Answer;
  Result<Answer> answer();
  Error failure(const Libpq::Answer* answer) const;

  const Libpq& pq_;
  Libpq::Connection* const connection_;
  const StopEventPtr stop_;
};

// Runs `work` on a thread of its own while the calling session waits. An interrupt of the session sets `stop` and is the answer;
// the thread ends by itself. What `work` refers to it must own.
template <class T>
Result<T> aside(const StopEventPtr& stop, std::function<Result<T>()> work) {
  struct Shared {
    std::mutex mutex;
    WaitPoint ready;
    std::optional<Result<T>> answer;
  };
  const auto shared = std::make_shared<Shared>();
  const auto end = [shared](Result<T> answer) {
    const std::lock_guard lock(shared->mutex);
    shared->answer.emplace(std::move(answer));
    shared->ready.notify_all();
  };
  INDIGO_TRY(
      start_remote_thread([end, work = std::move(work)] { end(work()); }, [end](const Error& error) { end(error); }));
  const WaitResult result = shared->ready.wait([&] {
    const std::lock_guard lock(shared->mutex);
    return shared->answer.has_value();
  });
  if (result != WaitResult::kWoken) {
    stop->set();
    return interrupt_error(Waiter::current().interrupted());
  }
  return *std::move(shared->answer);
}

}  // namespace indigo::engine::subscription
