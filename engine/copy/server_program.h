// A shell command on the server whose standard input or output is a pipe to us.
// Thread safety: one thread at a time.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "base/error.h"

namespace indigo::engine {

class ServerProgram {
 public:
  // Our end of the pipe is `pipe`, which does not block and which the caller closes. `reads`: we read what the program
  // writes. Nothing: it was not started, errno says why.
  static std::optional<ServerProgram> start(const std::string& command, bool reads, int& pipe);

  // A descriptor that is readable when the program has ended, or -1.
  int end_descriptor() const { return end_descriptor_; }
  // Takes note of the end; after kill() or when end_descriptor() is readable.
  void reap();
  // Ends the program and what it has started.
  void kill() const;
  bool reaped() const { return reaped_; }
  // 38000 "program "X" failed" when it has not ended well. Invariant: reaped().
  Status outcome(const std::string& command) const;

 private:
  pid_t pid_ = -1;  // and its process group
  int end_descriptor_ = -1;
  bool reaped_ = false;
  int status_ = 0;  // as of waitpid
};

}  // namespace indigo::engine
