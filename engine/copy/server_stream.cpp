#include "engine/copy/server_stream.h"

#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>

#include "base/fiber/interrupt_error.h"

namespace indigo::engine {

namespace {

constexpr size_t kPieceBytes = size_t{1} << 16;

// Signals are the other threads' to take; a broken pipe is an errno.
void block_signals() {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
}

}  // namespace

ServerStream::ServerStream(int descriptor, bool reads, std::optional<ServerProgram> program)
    : descriptor_(descriptor), reads_(reads), program_(program), stop_event_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  try {
    thread_ = std::thread([this] { run(); });
  } catch (...) {
    ::close(stop_event_);
    ::close(descriptor_);
    throw;
  }
}

ServerStream::~ServerStream() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  eventfd_write(stop_event_, 1);
  thread_.join();
  ::close(stop_event_);
}

template <class Done>
Status ServerStream::wait(Done done) {
  const WaitResult result = ready_.wait([&] {
    const std::lock_guard lock(mutex_);
    return done();
  });
  if (result == WaitResult::kWoken) return {};
  return interrupt_error(Waiter::current().interrupted());
}

Result<bool> ServerStream::read(std::string& out) {
  INDIGO_TRY(wait([&] { return !buffer_.empty() || ended_; }));
  const std::lock_guard lock(mutex_);
  if (buffer_.empty()) return false;
  out += buffer_;
  buffer_.clear();
  changed_.notify_all();
  return true;
}

Status ServerStream::write(std::string_view bytes) {
  INDIGO_TRY(wait([&] { return buffer_.size() < kBufferBytes || ended_; }));
  const std::lock_guard lock(mutex_);
  if (!ended_) buffer_ += bytes;
  changed_.notify_all();
  return {};
}

Status ServerStream::finish() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  changed_.notify_all();
  return wait([&] { return ended_; });
}

bool ServerStream::ended() {
  const std::lock_guard lock(mutex_);
  return ended_;
}

bool ServerStream::poll_ready(int descriptor, short events) const {
  std::array<pollfd, 2> both = {pollfd{descriptor, events, 0}, pollfd{stop_event_, POLLIN, 0}};
  while (::poll(both.data(), both.size(), -1) < 0 && errno == EINTR) {
  }
  return both[1].revents == 0;
}

void ServerStream::publish_failure(int error) {
  const std::lock_guard lock(mutex_);
  failure_ = error;
}

void ServerStream::run_reader() {
  std::string piece(kPieceBytes, '\0');
  while (poll_ready(descriptor_, POLLIN)) {
    const ssize_t n = ::read(descriptor_, piece.data(), piece.size());
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (n < 0) publish_failure(errno);
    if (n <= 0) return;
    std::unique_lock lock(mutex_);
    buffer_.append(piece, 0, static_cast<size_t>(n));
    ready_.notify_all();
    changed_.wait(lock, [&] { return buffer_.size() < kBufferBytes || stopping_; });
    if (stopping_) return;
  }
}

void ServerStream::run_writer() {
  std::string piece;
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return !buffer_.empty() || closing_ || stopping_; });
      if (stopping_ || buffer_.empty()) return;
      piece.swap(buffer_);
      buffer_.clear();
    }
    ready_.notify_all();
    for (size_t written = 0; written < piece.size();) {
      if (!poll_ready(descriptor_, POLLOUT)) return;
      const ssize_t n = ::write(descriptor_, piece.data() + written, piece.size() - written);
      if (n < 0 && (errno == EINTR || errno == EAGAIN)) continue;
      if (n < 0) return publish_failure(errno);
      written += static_cast<size_t>(n);
    }
  }
}

void ServerStream::await_program() {
  if (!poll_ready(program_->end_descriptor(), POLLIN)) program_->kill();
  program_->reap();
}

void ServerStream::run() {
  block_signals();
  if (reads_) {
    run_reader();
  } else {
    run_writer();
  }
  if (::close(descriptor_) != 0 && !reads_ && failure_ == 0) publish_failure(errno);
  if (program_) await_program();
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  ready_.notify_all();
}

}  // namespace indigo::engine
