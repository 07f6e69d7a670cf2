// A session's socket with its buffers, for use on the session's fiber: fill() and flush() suspend the task instead of
// blocking. In the steady state a round trip costs one recv and one send: a read that did not fill the buffer has
// emptied the socket, and the next edge of epoll tells when there is more. With TLS both go through a channel, whose buffers
// lie between the socket and in() and out(). Thread safety: none; the owning task's worker only. While the task is away
// (wire/runtime/task.h) the worker's on_io() leaves what it hears in `heard_` and wakes the task, which takes it from there.
#pragma once

#include <atomic>
#include <memory>

#include "wire/net/input_buffer.h"
#include "wire/net/nearness.h"
#include "wire/net/output_buffer.h"
#include "wire/net/socket.h"
#include "wire/runtime/task.h"
#include "wire/runtime/worker.h"
#include "wire/tls/tls_channel.h"

namespace indigo::wire {

enum class StreamResult : uint8_t { kOk, kClosed, kTimeout, kInterrupted, kCalled };

class Stream final : public IoHandler {
 public:
  Stream(Socket socket, Task& task);
  // The task holds its worker.
  ~Stream() override;

  int socket() const { return socket_.fd(); }
  InputBuffer& in() { return in_; }
  OutputBuffer& out() { return out_; }

  // Receives at least one byte. An interrupt of `lowest` or above ends the wait; so does `call` (kCalled) when it is true and the
  // task is woken.
  StreamResult fill(Deadline deadline, InterruptReason lowest, const std::atomic<bool>* call = nullptr);
  // Whether fill() would find bytes without waiting, as far as epoll has told.
  bool readable() { return hears_readable() || (tls_ && tls_->may_have_input()); }
  // What follows goes through `channel`, its handshake first. Call it with nothing unread and nothing to send.
  void start_tls(std::unique_ptr<TlsChannel> channel) { tls_ = std::move(channel); }
  const TlsChannel* tls() const { return tls_.get(); }
  TlsChannel* tls() { return tls_.get(); }
  // As fill(), into the channel's buffer: for the handshake.
  StreamResult fill_channel(Deadline deadline, InterruptReason lowest) {
    return receive(tls_->in(), deadline, lowest, nullptr);
  }
  // Sends all of out(). Cancel requests do not end the wait, terminate does.
  StreamResult flush() { return flush(kNoDeadline, InterruptReason::kIdleTimeout); }
  StreamResult flush(Deadline deadline, InterruptReason lowest);
  // Sends what it can of out() before the deadline, whatever interrupts are pending. The last thing that a session
  // says.
  void farewell(Deadline deadline);
  // What out() has now is to be sent even if the task sleeps in a statement after it: complete answers, and notices. The
  // beginning of an answer waits for its end, as in PostgreSQL: clients that have read a part of it block for the rest.
  void mark_due() { due_ = out_.size(); }
  // Sends what is due, as far as the socket takes it now.
  void try_flush();
  // The client is gone, or send() has failed: nothing more can be told.
  bool broken() const { return broken_; }
  // While busy (in the engine), a lost client interrupts the task; with `end_is_loss` also one that has only ended its side.
  void start_busy(bool end_is_loss);
  void end_busy() { busy_.store(0, std::memory_order_relaxed); }
  void release_buffers(bool all);

  // The client seems to run closer to another worker; asked between two statements.
  bool wants_to_move();
  // Moves the socket and its task there. Call it with nothing to send.
  void move_to(Worker& target);

  void on_io(uint32_t epoll_events) override;

 private:
  StreamResult receive(InputBuffer& into, Deadline deadline, InterruptReason lowest, const std::atomic<bool>* call);
  bool send_some() { return send_until(out_.size()); }
  bool send_until(size_t end);                                          // of out_; false: would block or broken
  bool send_bytes(const OutputBuffer& from, size_t& sent, size_t end);  // false: would block or broken
  bool send_sealed();                                                   // all that the channel wants sent
  void drop_output();
  void want_writable(bool want);
  bool has_input() const;  // received, or in the socket
  bool socket_has_input() const;
  void note(uint32_t epoll_events);
  // Notes what was heard while the task was away. Before each look at the flags below.
  void take_heard();
  bool hears_readable() {
    take_heard();
    return readable_;
  }

  Socket socket_;
  Task& task_;
  InputBuffer in_;
  OutputBuffer out_;
  std::unique_ptr<TlsChannel> tls_;
  size_t sealed_sent_ = 0;  // of tls_->out()
  size_t sent_ = 0;         // of out_: to the socket, or into the channel
  size_t due_ = 0;          // of out_
  bool readable_ = true;    // before the first edge we do not know
  bool hung_up_ = false;    // the peer has shut down: read until the end without waiting for edges
  bool writable_ = true;
  bool broken_ = false;
  bool waiting_ = false;  // the task sleeps in fill() or flush()
  // Of kInEngine and its kin; written by the task, read by on_io(), relaxed: either order of a loss and a statement's end is right.
  std::atomic<uint8_t> busy_{0};
  // epoll's events while the task is away. release by on_io(), acquire by the task.
  std::atomic<uint32_t> heard_{0};
  Nearness nearness_;
};

}  // namespace indigo::wire
