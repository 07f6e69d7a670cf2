#include "engine/subscription/publisher.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "base/sqlstate.h"

namespace indigo::engine::subscription {

namespace {

// For poll(): rounded up, -1 for ever.
int milliseconds_until(Deadline deadline) {
  if (deadline == kNoDeadline) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
  return static_cast<int>(std::clamp<int64_t>(left, 0, 1'000'000));
}

}  // namespace

StopEvent::StopEvent() : descriptor_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}
StopEvent::~StopEvent() {
  if (descriptor_ >= 0) ::close(descriptor_);
}
void StopEvent::set() { eventfd_write(descriptor_, 1); }
bool StopEvent::is_set() const { return wait(Clock::now()); }
bool StopEvent::wait(Deadline deadline) const {
  pollfd event{descriptor_, POLLIN, 0};
  while (::poll(&event, 1, milliseconds_until(deadline)) < 0 && errno == EINTR) {
  }
  return event.revents != 0;
}

Error stopped_error() {
  return Error(SqlState("57P01"), "terminating logical replication worker due to administrator command");
}

// ---- the connection

struct Publisher::Answer {
  std::unique_ptr<Libpq::Answer, void (*)(Libpq::Answer*)> answer{nullptr, [](Libpq::Answer*) {}};
};

Publisher::~Publisher() { pq_.finish(connection_); }

Result<bool> Publisher::wait(short events, Deadline deadline) {
  std::array<pollfd, 2> both = {pollfd{pq_.socket(connection_), events, 0}, pollfd{stop_->descriptor(), POLLIN, 0}};
  int ready = 0;
  while ((ready = ::poll(both.data(), both.size(), milliseconds_until(deadline))) < 0 && errno == EINTR) {
  }
  if (both[1].revents != 0) return stopped_error();
  return ready > 0;
}

Result<std::unique_ptr<Publisher>> Publisher::connect(const std::string& connection, const std::string& name,
                                                      StopEventPtr stop) {
  INDIGO_ASSIGN(const Libpq* pq, libpq());
  const std::array names = {"dbname",          "replication", "fallback_application_name",
                            "client_encoding", "options",     static_cast<const char*>(nullptr)};
  const std::array values = {connection.c_str(),
                             "database",
                             name.c_str(),
                             "UTF8",
                             "-c datestyle=ISO -c intervalstyle=postgres -c extra_float_digits=3",
                             static_cast<const char*>(nullptr)};
  Libpq::Connection* made = pq->begin_connect(names.data(), values.data(), 1);
  if (made == nullptr) return Error(sqlstate::kOutOfMemory, "out of memory");
  auto out = std::unique_ptr<Publisher>(new Publisher(*pq, made, std::move(stop)));
  const auto failed = [&] { return Error(sqlstate::kConnectionFailure, without_line_end(pq->error(made))); };
  pq->ignore_notices(
      made, [](void*, const char*) {}, nullptr);
  if (pq->socket(made) < 0) return failed();
  Libpq::PollStatus status = Libpq::kPollWriting;
  while (status != Libpq::kPollOk) {
    if (status == Libpq::kPollFailed) return failed();
    INDIGO_TRY(out->wait(status == Libpq::kPollReading ? POLLIN : POLLOUT, kNoDeadline));
    status = pq->poll(made);
  }
  pq->set_nonblocking(made, 1);
  return out;
}

Error Publisher::failure(const Libpq::Answer* answer) const {
  const char* code = answer == nullptr ? nullptr : pq_.field(answer, Libpq::kSqlState);
  const char* message = answer == nullptr ? nullptr : pq_.field(answer, Libpq::kMessage);
  const SqlState state = remote_state(code, sqlstate::kConnectionFailure);
  if (message == nullptr) return Error(state, without_line_end(pq_.error(connection_)));
  return Error(state, "ERROR:  " + readable_text(message));
}

Status Publisher::send_all() {
  while (true) {
    const int left = pq_.flush(connection_);
    if (left == 0) return {};
    if (left < 0) return failure(nullptr);
    INDIGO_TRY(wait(POLLIN | POLLOUT, kNoDeadline));
    if (pq_.consume(connection_) == 0) return failure(nullptr);
  }
}

// The next answer; null: there is none.
Result<Publisher::Answer> Publisher::answer() {
  while (pq_.busy(connection_) != 0) {
    INDIGO_TRY(wait(POLLIN, kNoDeadline));
    if (pq_.consume(connection_) == 0) return failure(nullptr);
  }
  return Answer{{pq_.answer(connection_), pq_.clear}};
}

Result<Publisher::Rows> Publisher::ask(const std::string& command, size_t columns) {
  return ask(command, std::optional(columns));
}

Status Publisher::tell(const std::string& command) {
  INDIGO_TRY(ask(command, std::nullopt));
  return {};
}

Result<Publisher::Rows> Publisher::ask(const std::string& command, std::optional<size_t> columns) {
  if (pq_.send(connection_, command.c_str()) == 0) return failure(nullptr);
  INDIGO_TRY(send_all());
  Rows out;
  std::optional<Error> error;
  while (true) {
    INDIGO_ASSIGN(const Answer one, answer());
    const Libpq::Answer* a = one.answer.get();
    if (a == nullptr) break;
    const int status = pq_.answer_status(a);
    if (status != Libpq::kRows && status != Libpq::kCommand && status != Libpq::kEmpty) {
      if (!error) error = failure(a);
      if (status == Libpq::kCopyIn || status == Libpq::kCopyOut || status == Libpq::kCopyBoth) break;
    }
    if (status != Libpq::kRows || !columns || error) continue;
    if (const Status taken = take_remote_rows(pq_, a, *columns, out); !taken.ok()) error = taken.error();
  }
  if (error) return *std::move(error);
  return out;
}

Status Publisher::begin_copy(const std::string& command) {
  if (pq_.send(connection_, command.c_str()) == 0) return failure(nullptr);
  INDIGO_TRY(send_all());
  INDIGO_ASSIGN(const Answer one, answer());
  const Libpq::Answer* a = one.answer.get();
  const int status = a == nullptr ? Libpq::kEmpty : pq_.answer_status(a);
  if (status != Libpq::kCopyOut && status != Libpq::kCopyBoth) return failure(a);
  return {};
}

Result<Publisher::Got> Publisher::receive(std::string& message, Deadline deadline) {
  if (stop_->is_set()) return stopped_error();
  while (true) {
    char* data = nullptr;
    const int size = pq_.get_copy(connection_, &data, 1);
    if (size > 0) {
      message.assign(data, static_cast<size_t>(size));
      pq_.free_memory(data);
      return Got::kMessage;
    }
    if (size == -1) {
      INDIGO_ASSIGN(const Answer one, answer());
      const Libpq::Answer* a = one.answer.get();
      const int status = a == nullptr ? Libpq::kCommand : pq_.answer_status(a);
      if (status != Libpq::kCommand && status != Libpq::kCopyIn) return failure(a);
      while (status == Libpq::kCommand) {
        INDIGO_ASSIGN(const Answer rest, answer());
        if (rest.answer == nullptr) break;
      }
      return Got::kEnd;
    }
    if (size < 0) return failure(nullptr);
    const int unsent = pq_.flush(connection_);
    if (unsent < 0) return failure(nullptr);
    INDIGO_ASSIGN(const bool ready, wait(static_cast<short>(unsent > 0 ? POLLIN | POLLOUT : POLLIN), deadline));
    if (!ready) return Got::kNothing;
    if (pq_.consume(connection_) == 0) return failure(nullptr);
  }
}

Status Publisher::send(std::string_view message) {
  while (true) {
    const int sent = pq_.put_copy(connection_, message.data(), static_cast<int>(message.size()));
    if (sent < 0) return failure(nullptr);
    if (sent > 0) break;
    INDIGO_TRY(send_all());
  }
  return send_all();
}

}  // namespace indigo::engine::subscription
