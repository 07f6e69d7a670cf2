// COPY FROM STDIN: the client's CopyData messages, read while the statement that wants them is running.
// The message that the statement came in stays where it is meanwhile (InputBuffer::pin).
// Thread safety: none; the session's fiber.
#pragma once

#include "engine/row_sink.h"
#include "wire/net/stream.h"
#include "wire/session/client_text.h"

namespace indigo::wire {

class CopyInSource final : public engine::CopySource {
 public:
  CopyInSource(Stream& stream, Task& task, ClientText& text) : stream_(stream), task_(task), text_(text) {}

  // After CopyInResponse has been written: sends it. `text`: what comes is in the client's encoding.
  Status begin(bool text);
  Result<bool> read(std::string& out) override;
  bool lost_synchronization() const { return lost_synchronization_; }

 private:
  Result<bool> read_bytes(std::string& out);
  Error lose(Error error);

  Stream& stream_;
  Task& task_;
  ClientText& text_;
  bool converts_ = false;
  std::string unfinished_;  // a line that has not ended, in the client's encoding
  bool done_ = false;
  bool lost_synchronization_ = false;
};

}  // namespace indigo::wire
