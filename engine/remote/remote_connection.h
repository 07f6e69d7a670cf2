// A connection to another server, by libpq. Whatever may wait for that server is done by threads of the connection's own, so that
// a slow one holds up no worker: the session's fiber waits at a WaitPoint, and interrupts end its wait.
//
// Invariants:
// 1. While a statement runs its thread reads; others touch libpq's connection under the mutex only.
// 2. Threads share the state with the connection and outlive it where they wait for what cannot be stopped (a name that is
//    being looked up). The last one who has it closes it.
// 3. At most kQueuedBytes of answers wait for the session, and as many that it has taken, all that waited at once.
// 4. What is left while its statement runs asks the other server to stop.
// 5. A session's memory is what it has taken less what it has freed: what the threads have taken is freed outside of its account.
// Thread safety: belongs to a session.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "engine/remote/libpq.h"
#include "engine/remote/remote_rows.h"

namespace indigo::engine {

struct ClearRemoteAnswer {
  const Libpq* pq = nullptr;
  void operator()(Libpq::Answer* answer) const;  // outside of the session's account
};

// One that libpq has made; empty: the statement has no more.
class RemoteAnswer {
 public:
  RemoteAnswer() = default;
  RemoteAnswer(const Libpq& pq, Libpq::Answer* answer);

  explicit operator bool() const { return answer_ != nullptr; }
  int status() const { return pq_->answer_status(answer_.get()); }
  bool has_rows() const { return status() == Libpq::kRows || status() == Libpq::kOneRow; }
  bool failed() const { return !has_rows() && status() != Libpq::kCommand; }
  size_t column_count() const { return static_cast<size_t>(pq_->column_count(answer_.get())); }
  size_t row_count() const { return static_cast<size_t>(pq_->row_count(answer_.get())); }
  // As it is, of whatever shape: whoever asks knows column_count(), and checks the encoding.
  RemoteRow row(size_t i) const;
  // All of them, in UTF-8 (take_remote_rows). Appends.
  Status add_rows(std::vector<RemoteRow>& out) const;
  std::string tag() const { return pq_->tag(answer_.get()); }
  std::string affected() const { return pq_->affected(answer_.get()); }
  // The other server's error. `otherwise`: what the connection says, where the answer says nothing.
  Error error(const std::string& otherwise) const;
  size_t bytes() const { return bytes_; }

 private:
  const Libpq* pq_ = nullptr;
  std::unique_ptr<Libpq::Answer, ClearRemoteAnswer> answer_;
  size_t bytes_ = 0;
};

class RemoteConnection {
 public:
  // 08001 "could not establish connection"; an interrupt.
  static Result<std::unique_ptr<RemoteConnection>> open(const std::string& options);
  ~RemoteConnection();
  RemoteConnection(const RemoteConnection&) = delete;
  RemoteConnection& operator=(const RemoteConnection&) = delete;

  bool used_password() const { return used_password_; }
  // False: the statement could not be sent, as error() says. One must have ended before the next is sent. Each row
  // is an answer, and one without rows ends them.
  Result<bool> send(const std::string& statement);
  // The running statement's next answer. Waits.
  Result<RemoteAnswer> next();
  // Would next() wait?
  bool busy();
  // Sends; the last answer, or the first that has failed. Empty: not sent. Rows come one by one, so that no more of them wait than
  // kQueuedBytes, and are not in the answer: `take` gets them.
  using RowTaker = std::function<void(const RemoteAnswer& row)>;
  Result<RemoteAnswer> run(const std::string& statement, const RowTaker& take = nullptr);
  // Asks the other server to stop what it does; what went wrong, or nothing.
  Result<std::string> cancel();
  // Ends what runs and takes its answers.
  Status drain();

  std::string error();  // libpq's last message, without its end of line
  bool in_transaction();
  bool is_connected();
  // "DateStyle", as the other server has told; empty: it has not.
  std::string parameter(const char* name);
  struct Notified {
    std::string channel, payload;
    int pid = 0;
  };
  std::vector<Notified> notifications();

 private:
  struct State;
  explicit RemoteConnection(std::shared_ptr<State> state);

  std::shared_ptr<State> state_;
  bool used_password_ = false;
};

// 2F003 unless a password is in these options: for who is no superuser.
Status check_password_given(const std::string& options);

}  // namespace indigo::engine
