#include "wire/net/stream.h"

#include <sys/epoll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

namespace indigo::wire {

namespace {
constexpr uint32_t kReadEvents = EPOLLIN | EPOLLRDHUP;
constexpr uint32_t kLossEvents = EPOLLHUP | EPOLLERR;
// The task is in the engine; the client's end alone is a loss, too; something that it has sent may have to be handled yet.
constexpr uint8_t kInEngine = 1, kEndIsLoss = 2, kHasInput = 4;
// Encrypted ahead of the socket.
constexpr size_t kSealedAtOnce = 256 * 1024;
}  // namespace

Stream::Stream(Socket socket, Task& task) : socket_(std::move(socket)), task_(task) {
  if (!task_.worker().watch(socket_.fd(), kReadEvents, *this)) broken_ = true;
}

// With the loop held: no other thread has an event of ours in its hands.
Stream::~Stream() { task_.worker().unwatch(socket_.fd()); }

void Stream::on_io(uint32_t epoll_events) {
  const bool away = task_.away();
  if (away) {
    heard_.fetch_or(epoll_events, std::memory_order_release);
  } else {
    note(epoll_events);
  }
  if (!away && waiting_) return task_.wake();
  const uint8_t busy = busy_.load(std::memory_order_relaxed);
  const bool loss = (epoll_events & (busy & kEndIsLoss ? kLossEvents | EPOLLRDHUP : kLossEvents)) != 0;
  // A client that has sent more before it left (Terminate at least) wanted its statement done.
  const auto more = [&] { return (away ? (busy & kHasInput) != 0 : has_input()) || socket_has_input(); };
  if (loss && (busy & kInEngine) && !more()) {
    task_.interrupt(InterruptReason::kDisconnect);
  } else if (away) {
    task_.wake();
  }
}

void Stream::note(uint32_t epoll_events) {
  if (epoll_events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR)) readable_ = true;
  if (epoll_events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) hung_up_ = true;
  if (epoll_events & (EPOLLOUT | EPOLLHUP | EPOLLERR)) writable_ = true;
}

void Stream::take_heard() {
  if (heard_.load(std::memory_order_relaxed) == 0) return;
  note(heard_.exchange(0, std::memory_order_acquire));
}

void Stream::start_busy(bool end_is_loss) {
  const bool more = has_input();
  busy_.store(kInEngine | (end_is_loss ? kEndIsLoss : 0) | (more ? kHasInput : 0), std::memory_order_relaxed);
  take_heard();
  if (end_is_loss && hung_up_ && !more && !socket_has_input()) task_.interrupt(InterruptReason::kDisconnect);
}

bool Stream::has_input() const { return !in_.unread().empty() || (tls_ && tls_->may_have_input()); }

bool Stream::socket_has_input() const {
  char byte;
  return recv(socket_.fd(), &byte, 1, MSG_DONTWAIT | MSG_PEEK) > 0;
}

StreamResult Stream::fill(Deadline deadline, InterruptReason lowest, const std::atomic<bool>* call) {
  if (!tls_) return receive(in_, deadline, lowest, call);
  while (true) {
    if (tls_->may_have_input()) {
      auto space = in_.prepare();
      size_t bytes = 0;
      switch (tls_->read(space.at, space.bytes, bytes)) {
        case TlsChannel::Step::kDone: in_.received(bytes); return StreamResult::kOk;
        case TlsChannel::Step::kWantsInput: break;
        case TlsChannel::Step::kClosed:
        case TlsChannel::Step::kFailed: broken_ = true; return StreamResult::kClosed;
      }
    }
    const StreamResult result = receive(tls_->in(), deadline, lowest, call);
    if (result != StreamResult::kOk) return result;
  }
}

StreamResult Stream::receive(InputBuffer& into, Deadline deadline, InterruptReason lowest,
                             const std::atomic<bool>* call) {
  bool look = !hears_readable() && nearness_.look_at_once();
  while (true) {
    take_heard();
    if (broken_) return StreamResult::kClosed;
    if (readable_ || look) {
      auto space = into.prepare();
      ssize_t got = recv(socket_.fd(), space.at, space.bytes, MSG_DONTWAIT);
      if (got > 0) {
        into.received(static_cast<size_t>(got));
        if (const uint8_t busy = busy_.load(std::memory_order_relaxed))
          busy_.store(busy | kHasInput, std::memory_order_relaxed);
        if (look) nearness_.looked(true);
        readable_ = static_cast<size_t>(got) == space.bytes || hung_up_;
        return StreamResult::kOk;
      }
      if (got == 0) return StreamResult::kClosed;
      if (errno == EINTR) continue;
      if (errno != EAGAIN && errno != EWOULDBLOCK) {
        broken_ = true;
        return StreamResult::kClosed;
      }
      readable_ = false;
      if (look) nearness_.looked(false);
      look = false;
    }
    if (hung_up_) {  // and nothing left to read
      broken_ = true;
      return StreamResult::kClosed;
    }
    if (call != nullptr && call->load(std::memory_order_acquire)) return StreamResult::kCalled;
    waiting_ = true;
    WaitResult result = task_.sleep_through(lowest, deadline);
    waiting_ = false;
    if (result == WaitResult::kInterrupted) return StreamResult::kInterrupted;
    if (result == WaitResult::kTimeout && !hears_readable()) return StreamResult::kTimeout;
  }
}

bool Stream::send_bytes(const OutputBuffer& from, size_t& sent, size_t end) {
  while (sent < end) {
    ssize_t taken = send(socket_.fd(), from.data() + sent, end - sent, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (taken >= 0) {
      sent += static_cast<size_t>(taken);
      continue;
    }
    if (errno == EINTR) continue;
    if (errno != EAGAIN && errno != EWOULDBLOCK) broken_ = true;
    return false;
  }
  return true;
}

bool Stream::send_sealed() {
  if (!send_bytes(tls_->out(), sealed_sent_, tls_->out().size())) return false;
  tls_->out().clear();
  sealed_sent_ = 0;
  return true;
}

bool Stream::send_until(size_t end) {
  if (!tls_) {
    if (!send_bytes(out_, sent_, end)) return false;
  } else {
    if (!send_sealed()) return false;
    while (sent_ < end) {
      const size_t bytes = std::min(end - sent_, kSealedAtOnce);
      if (!tls_->write({out_.data() + sent_, bytes})) {
        broken_ = true;
        return false;
      }
      sent_ += bytes;
      if (!send_sealed()) return false;
    }
  }
  if (sent_ == out_.size()) {
    out_.clear();
    sent_ = due_ = 0;
  }
  return true;
}

void Stream::drop_output() {
  out_.clear();
  sent_ = due_ = 0;
  if (!tls_) return;
  tls_->out().clear();
  sealed_sent_ = 0;
}

void Stream::want_writable(bool want) {
  task_.worker().change(socket_.fd(), want ? kReadEvents | EPOLLOUT : kReadEvents, *this);
}

StreamResult Stream::flush(Deadline deadline, InterruptReason lowest) {
  if (broken_) {
    drop_output();
    return StreamResult::kClosed;
  }
  if (send_some()) return StreamResult::kOk;
  StreamResult result = StreamResult::kClosed;
  writable_ = false;
  want_writable(true);  // the edge comes at once if it has become writable meanwhile
  while (!broken_) {
    waiting_ = true;
    WaitResult waited = task_.sleep_through(lowest, deadline);
    waiting_ = false;
    take_heard();
    if (waited == WaitResult::kInterrupted || waited == WaitResult::kTimeout) {
      result = waited == WaitResult::kTimeout ? StreamResult::kTimeout : StreamResult::kInterrupted;
      break;
    }
    if (!writable_) continue;
    writable_ = false;
    if (send_some()) {
      result = StreamResult::kOk;
      break;
    }
  }
  want_writable(false);
  writable_ = true;
  if (broken_) drop_output();
  return result;
}

bool Stream::wants_to_move() { return !hears_readable() && !hung_up_ && nearness_.wants_to_move(); }

void Stream::move_to(Worker& target) {
  task_.hold_worker();  // no other thread of this worker has an event of ours in its hands
  task_.worker().unwatch(socket_.fd());
  task_.move_to(target);
  readable_ = true;  // what came meanwhile has had no edge
  if (!task_.worker().watch(socket_.fd(), kReadEvents, *this)) broken_ = true;
}

void Stream::farewell(Deadline deadline) {
  flush(deadline, InterruptReason::kDisconnect);
  if (!tls_ || broken_) return;
  tls_->close();
  send_sealed();
}

void Stream::try_flush() {
  if (!broken_ && (sent_ < due_ || (tls_ && !tls_->out().empty()))) send_until(due_);
}

void Stream::release_buffers(bool all) {
  in_.release(all);
  out_.release(all);
  if (!tls_) return;
  tls_->in().release(all);
  tls_->out().release(all);
}

}  // namespace indigo::wire
