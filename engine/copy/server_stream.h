// The bytes of a file or pipe on the server, read or written by a thread of its own, so that a slow disk or program holds
// up no worker: the session's fiber waits at a WaitPoint, and a cancel request ends its wait.
//
// Invariants:
// 1. The thread touches the descriptor and the program; the session touches them after the thread has ended.
// 2. At most kBufferBytes wait between the two, and what the session hands over at once.
// 3. The destructor ends the thread at once and kills a program that still runs.
// Thread safety: read, write, finish and the destructor are the session's.
#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "base/error.h"
#include "base/fiber/wait_point.h"
#include "engine/copy/server_program.h"

namespace indigo::engine {

class ServerStream {
 public:
  static constexpr size_t kBufferBytes = size_t{1} << 20;

  // Takes the descriptor, which does not block, and the program at its other end, if there is one.
  ServerStream(int descriptor, bool reads, std::optional<ServerProgram> program);
  ~ServerStream();
  ServerStream(const ServerStream&) = delete;
  ServerStream& operator=(const ServerStream&) = delete;

  // Each waits; an error is an interrupt.
  Result<bool> read(std::string& out);  // false at the end, or when it has failed
  Status write(std::string_view bytes);
  // Everything is written and closed, the program has ended.
  Status finish();

  // The session may ask for what follows when this is true: nothing more will be read or written.
  bool ended();
  int failure() const { return failure_; }  // an errno, or 0
  const std::optional<ServerProgram>& program() const { return program_; }

 private:
  void run();
  void run_reader();
  void run_writer();
  void await_program();
  // False when the stream is to stop.
  bool poll_ready(int descriptor, short events) const;
  void publish_failure(int error);
  template <class Done>
  Status wait(Done done);

  int descriptor_;
  const bool reads_;
  std::optional<ServerProgram> program_;
  int stop_event_ = -1;
  std::mutex mutex_;                 // guards what follows
  std::condition_variable changed_;  // wakes the thread
  std::string buffer_;
  bool closing_ = false;  // no more will be written
  bool stopping_ = false;
  bool ended_ = false;  // the thread has done all that it will
  int failure_ = 0;     // the session reads it after ended_ or under the mutex
  WaitPoint ready_;     // wakes the session
  std::thread thread_;
};

}  // namespace indigo::engine
