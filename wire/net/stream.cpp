#include "wire/net/stream.h"

#include <sys/epoll.h>
#include <sys/socket.h>

#include <cerrno>

namespace indigo::wire {

namespace {
constexpr uint32_t kReadEvents = EPOLLIN | EPOLLRDHUP;
constexpr uint32_t kLossEvents = EPOLLHUP | EPOLLERR;
}  // namespace

Stream::Stream(Socket socket, Task& task) : socket_(std::move(socket)), task_(task) {
  if (!task_.worker().watch(socket_.fd(), kReadEvents, *this)) broken_ = true;
}

Stream::~Stream() { task_.worker().unwatch(socket_.fd()); }

void Stream::on_io(uint32_t epoll_events) {
  if (epoll_events & (EPOLLIN | EPOLLRDHUP | EPOLLHUP | EPOLLERR)) readable_ = true;
  if (epoll_events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) hung_up_ = true;
  if (epoll_events & (EPOLLOUT | EPOLLHUP | EPOLLERR)) writable_ = true;
  if (waiting_) {
    task_.wake();
  } else if (busy_ && (epoll_events & (end_is_loss_ ? kLossEvents | EPOLLRDHUP : kLossEvents)) && !has_more_input()) {
    task_.interrupt(InterruptReason::kDisconnect);
  }
}

void Stream::start_busy(bool end_is_loss) {
  busy_ = true;
  end_is_loss_ = end_is_loss;
  if (end_is_loss && hung_up_ && !has_more_input()) task_.interrupt(InterruptReason::kDisconnect);
}

// A client that has sent more before it left (Terminate at least) wanted its statement done.
bool Stream::has_more_input() const {
  char byte;
  return !in_.unread().empty() || recv(socket_.fd(), &byte, 1, MSG_DONTWAIT | MSG_PEEK) > 0;
}

StreamResult Stream::fill(Deadline deadline, InterruptReason lowest) {
  bool look = !readable_ && nearness_.look_at_once();
  while (true) {
    if (broken_) return StreamResult::kClosed;
    if (readable_ || look) {
      auto space = in_.prepare();
      ssize_t got = recv(socket_.fd(), space.at, space.bytes, MSG_DONTWAIT);
      if (got > 0) {
        in_.received(static_cast<size_t>(got));
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
    waiting_ = true;
    WaitResult result = task_.sleep_through(lowest, deadline);
    waiting_ = false;
    if (result == WaitResult::kInterrupted) return StreamResult::kInterrupted;
    if (result == WaitResult::kTimeout && !readable_) return StreamResult::kTimeout;
  }
}

bool Stream::send_until(size_t end) {
  while (sent_ < end) {
    ssize_t sent = send(socket_.fd(), out_.data() + sent_, end - sent_, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent >= 0) {
      sent_ += static_cast<size_t>(sent);
      continue;
    }
    if (errno == EINTR) continue;
    if (errno != EAGAIN && errno != EWOULDBLOCK) broken_ = true;
    return false;
  }
  if (sent_ == out_.size()) {
    out_.clear();
    sent_ = due_ = 0;
  }
  return true;
}

void Stream::want_writable(bool want) {
  task_.worker().change(socket_.fd(), want ? kReadEvents | EPOLLOUT : kReadEvents, *this);
}

StreamResult Stream::flush(Deadline deadline, InterruptReason lowest) {
  if (broken_) {
    out_.clear();
    sent_ = due_ = 0;
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
  if (broken_) {
    out_.clear();
    sent_ = due_ = 0;
  }
  return result;
}

bool Stream::wants_to_move() { return !readable_ && !hung_up_ && nearness_.wants_to_move(); }

void Stream::move_to(Worker& target) {
  task_.worker().unwatch(socket_.fd());
  task_.move_to(target);
  readable_ = true;  // what came meanwhile has had no edge
  if (!task_.worker().watch(socket_.fd(), kReadEvents, *this)) broken_ = true;
}

void Stream::farewell(Deadline deadline) { flush(deadline, InterruptReason::kDisconnect); }

void Stream::try_flush() {
  if (!broken_ && sent_ < due_) send_until(due_);
}

void Stream::release_buffers(bool all) {
  in_.release(all);
  out_.release(all);
}

}  // namespace indigo::wire
