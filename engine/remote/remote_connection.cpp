#include "engine/remote/remote_connection.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <condition_variable>
#include <mutex>
#include <utility>
#include <vector>

#include "base/fiber/interrupt_error.h"
#include "base/fiber/wait_point.h"
#include "base/memory/outside_account.h"
#include "base/sqlstate.h"
#include "engine/remote/remote_thread.h"

namespace indigo::engine {

namespace {

constexpr size_t kQueuedBytes = size_t{1} << 20;

}  // namespace

struct RemoteConnection::State {
  explicit State(const Libpq& functions) : pq(functions), stop_event(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}
  ~State() {
    const OutsideAccount scope;
    for (auto* all : {&answers, &taken}) std::vector<RemoteAnswer>().swap(*all);
    if (connection != nullptr) pq.finish(connection);
    if (stop_event >= 0) ::close(stop_event);
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  template <class Done>
  Status wait(Done done) {
    const WaitResult result = ready.wait([&] {
      const std::lock_guard lock(mutex);
      return done();
    });
    return result == WaitResult::kWoken ? Status() : Status(interrupt_error(Waiter::current().interrupted()));
  }

  // False: to stop.
  bool poll_socket(short events) const {
    std::array<pollfd, 2> both = {pollfd{pq.socket(connection), events, 0}, pollfd{stop_event, POLLIN, 0}};
    while (::poll(both.data(), both.size(), -1) < 0 && errno == EINTR) {
    }
    return both[1].revents == 0;
  }

  void ask_to_stop() const {
    Libpq::Cancel* request = pq.get_cancel(connection);
    if (request == nullptr) return;
    char error[256];
    pq.cancel(request, error, sizeof error);
    pq.free_cancel(request);
  }

  // The statement's thread.
  void read() {
    while (read_some()) {
    }
    {
      const std::lock_guard lock(mutex);
      reading = false;
      if (!stopping) {
        ready.notify_all();
        return;
      }
    }
    ask_to_stop();
  }
  // The thread has come to an exception: the statement has no more answers, and the error is the last one.
  void fail(const Error& error) {
    const std::lock_guard lock(mutex);
    failure = error;
    reading = false;
    ready.notify_all();
  }
  bool read_some() {
    std::unique_lock lock(mutex);
    const bool unsent = pq.flush(connection) > 0;
    const bool busy = pq.busy(connection) != 0;
    if (unsent || busy) {
      lock.unlock();
      if (!poll_socket(static_cast<short>(unsent ? POLLIN | POLLOUT : POLLIN))) return false;
      lock.lock();
      if (stopping) return false;
      pq.consume(connection);
      return true;
    }
    Libpq::Answer* answer = pq.answer(connection);
    if (answer == nullptr) return false;
    RemoteAnswer made(pq, answer);
    const bool copies = made.status() == Libpq::kCopyIn || made.status() == Libpq::kCopyOut;
    queued_bytes += made.bytes();
    answers.push_back(std::move(made));
    if (answers.size() == 1) ready.notify_all();  // else the session has been called
    changed.wait(lock, [&] { return queued_bytes < kQueuedBytes || stopping; });
    return !stopping && !copies;  // COPY would be answered for ever
  }

  const Libpq& pq;
  const int stop_event;
  Libpq::Connection* connection = nullptr;
  std::mutex mutex;                 // guards what follows, and the connection while `reading`
  std::condition_variable changed;  // wakes the statement's thread
  WaitPoint ready;                  // wakes the session
  std::vector<RemoteAnswer> answers;
  size_t queued_bytes = 0;
  bool connected = false;  // or failed to
  bool reading = false;
  bool stopping = false;
  std::optional<Error> failure;  // of the thread that has read

  // The session's.
  std::vector<RemoteAnswer> taken;
  size_t next_taken = 0;
};

// ---- answers

RemoteAnswer::RemoteAnswer(const Libpq& pq, Libpq::Answer* answer)
    : pq_(&pq), answer_(answer, ClearRemoteAnswer{&pq}), bytes_(256) {
  const int columns = pq.column_count(answer);
  for (int r = 0; r < pq.row_count(answer); r++) {
    for (int c = 0; c < columns; c++) bytes_ += static_cast<size_t>(pq.length(answer, r, c));
  }
}

void ClearRemoteAnswer::operator()(Libpq::Answer* answer) const {
  const OutsideAccount scope;
  pq->clear(answer);
}

RemoteRow RemoteAnswer::row(size_t i) const {
  RemoteRow out(column_count());
  const int row = static_cast<int>(i);
  for (int c = 0; c < static_cast<int>(out.size()); c++) {
    if (pq_->is_null(answer_.get(), row, c) != 0) continue;
    out[static_cast<size_t>(c)].emplace(pq_->value(answer_.get(), row, c),
                                        static_cast<size_t>(pq_->length(answer_.get(), row, c)));
  }
  return out;
}

Status RemoteAnswer::add_rows(std::vector<RemoteRow>& out) const {
  return take_remote_rows(*pq_, answer_.get(), column_count(), out);
}

Error RemoteAnswer::error(const std::string& otherwise) const {
  const auto field = [&](int code) {
    const char* text = answer_ == nullptr ? nullptr : pq_->field(answer_.get(), code);
    return readable_text(text);
  };
  const SqlState state = remote_state(field(Libpq::kSqlState).c_str(), sqlstate::kConnectionFailure);
  std::string message = field(Libpq::kMessage);
  if (message.empty()) message = otherwise;
  if (message.empty()) message = "could not obtain message string for remote error";
  Error out(state, std::move(message));
  out.detail = field(Libpq::kDetail);
  out.hint = field(Libpq::kHint);
  if (const std::string where = field(Libpq::kContext); !where.empty()) out.add_context(where);
  return out;
}

// ---- the connection

RemoteConnection::RemoteConnection(std::shared_ptr<State> state) : state_(std::move(state)) {
  used_password_ = state_->pq.used_password(state_->connection) != 0;
}

RemoteConnection::~RemoteConnection() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->stopping = true;
  }
  state_->changed.notify_all();
  eventfd_write(state_->stop_event, 1);
}

Result<std::unique_ptr<RemoteConnection>> RemoteConnection::open(const std::string& options) {
  INDIGO_ASSIGN(const Libpq* pq, libpq());
  auto state = std::make_shared<State>(*pq);
  const auto connect = [state, options] {
    Libpq::Connection* made = state->pq.connect(options.c_str());
    if (made != nullptr && state->pq.status(made) == Libpq::kConnectionOk) {
      state->pq.ignore_notices(
          made, [](void*, const char*) {}, nullptr);
      state->pq.set_encoding(made, "UTF8");
      state->pq.set_nonblocking(made, 1);
    }
    const std::lock_guard lock(state->mutex);
    state->connection = made;
    state->connected = true;
    state->ready.notify_all();
  };
  INDIGO_TRY(start_remote_thread(connect, [state](const Error&) {
    const std::lock_guard lock(state->mutex);
    state->connected = true;
    state->ready.notify_all();
  }));
  INDIGO_TRY(state->wait([&] { return state->connected; }));
  if (state->connection == nullptr || pq->status(state->connection) != Libpq::kConnectionOk) {
    return Error(SqlState("08001"), "could not establish connection")
        .with_detail(state->connection == nullptr ? "out of memory" : without_line_end(pq->error(state->connection)));
  }
  return std::unique_ptr<RemoteConnection>(new RemoteConnection(std::move(state)));
}

Result<bool> RemoteConnection::send(const std::string& statement) {
  State& s = *state_;
  if (s.next_taken < s.taken.size()) return false;
  {
    const std::lock_guard lock(s.mutex);
    if (s.reading || !s.answers.empty()) return false;
    if (s.pq.send(s.connection, statement.c_str()) == 0) return false;
    s.pq.one_row_at_a_time(s.connection);
    s.reading = true;
  }
  const Status started = start_remote_thread([state = state_] { state->read(); },
                                             [state = state_](const Error& error) { state->fail(error); });
  if (!started.ok()) {
    const std::lock_guard lock(s.mutex);
    s.reading = false;
    return Error(started.error());
  }
  return true;
}

Result<RemoteAnswer> RemoteConnection::next() {
  State& s = *state_;
  if (s.next_taken == s.taken.size()) {
    s.taken.clear();
    s.next_taken = 0;
    INDIGO_TRY(s.wait([&] { return !s.answers.empty() || !s.reading; }));
    const std::lock_guard lock(s.mutex);
    if (s.answers.empty() && s.failure) return std::exchange(s.failure, std::nullopt).value();
    if (s.answers.empty()) return RemoteAnswer();
    s.taken.swap(s.answers);
    s.queued_bytes = 0;
    s.changed.notify_all();
  }
  return std::move(s.taken[s.next_taken++]);
}

bool RemoteConnection::busy() {
  if (state_->next_taken < state_->taken.size()) return false;
  const std::lock_guard lock(state_->mutex);
  return state_->answers.empty() && state_->reading;
}

Result<RemoteAnswer> RemoteConnection::run(const std::string& statement, const RowTaker& take) {
  INDIGO_ASSIGN(const bool sent, send(statement));
  RemoteAnswer last;
  while (sent) {
    INDIGO_ASSIGN(RemoteAnswer answer, next());
    if (!answer) break;
    if (answer.status() == Libpq::kOneRow) {
      if (take) take(answer);
      continue;
    }
    if (!last || !last.failed()) last = std::move(answer);
  }
  return last;
}

Result<std::string> RemoteConnection::cancel() {
  struct Outcome {
    std::mutex mutex;
    WaitPoint ready;
    bool done = false;
    std::string error;
  };
  const auto outcome = std::make_shared<Outcome>();
  Libpq::Cancel* request = nullptr;
  {
    const std::lock_guard lock(state_->mutex);
    request = state_->pq.get_cancel(state_->connection);
  }
  if (request == nullptr) return std::string("no connection to cancel");
  const Libpq& pq = state_->pq;
  const auto end = [outcome](std::string error) {
    const std::lock_guard lock(outcome->mutex);
    outcome->error = std::move(error);
    outcome->done = true;
    outcome->ready.notify_all();
  };
  const auto ask = [end, request, &pq] {
    char error[256] = "";
    const bool asked = pq.cancel(request, error, sizeof error) != 0;
    pq.free_cancel(request);
    end(asked ? "" : readable_text(error));
  };
  INDIGO_TRY(start_remote_thread(ask, [end](const Error& error) { end(error.message); }));
  const WaitResult result = outcome->ready.wait([&] {
    const std::lock_guard lock(outcome->mutex);
    return outcome->done;
  });
  if (result != WaitResult::kWoken) return interrupt_error(Waiter::current().interrupted());
  return outcome->error;
}

Status RemoteConnection::drain() {
  while (true) {
    INDIGO_ASSIGN(const RemoteAnswer answer, next());
    if (!answer) return {};
  }
}

std::string RemoteConnection::error() {
  const std::lock_guard lock(state_->mutex);
  return without_line_end(state_->pq.error(state_->connection));
}

bool RemoteConnection::in_transaction() {
  const std::lock_guard lock(state_->mutex);
  return state_->pq.transaction(state_->connection) != Libpq::kIdle;
}

bool RemoteConnection::is_connected() {
  const std::lock_guard lock(state_->mutex);
  return state_->pq.status(state_->connection) == Libpq::kConnectionOk;
}

std::string RemoteConnection::parameter(const char* name) {
  const std::lock_guard lock(state_->mutex);
  const char* value = state_->pq.parameter(state_->connection, name);
  return value == nullptr ? "" : value;
}

std::vector<RemoteConnection::Notified> RemoteConnection::notifications() {
  State& s = *state_;
  const std::lock_guard lock(s.mutex);
  std::vector<Notified> out;
  s.pq.consume(s.connection);
  while (Libpq::Notification* n = s.pq.notification(s.connection)) {
    out.push_back({n->channel, n->payload == nullptr ? "" : n->payload, n->pid});
    s.pq.free_memory(n);
  }
  return out;
}

Status check_password_given(const std::string& options) {
  INDIGO_ASSIGN(const Libpq* pq, libpq());
  Libpq::Option* all = pq->parse(options.c_str(), nullptr);
  bool given = false;
  for (const Libpq::Option* o = all; o != nullptr && o->keyword != nullptr; o++)
    given = given || (std::string_view(o->keyword) == "password" && o->value != nullptr && *o->value != '\0');
  if (all != nullptr) pq->free_options(all);
  if (given) return {};
  return Error(SqlState("2F003"), "password is required")
      .with_detail("Non-superusers must provide a password in the connection string.");
}

}  // namespace indigo::engine
