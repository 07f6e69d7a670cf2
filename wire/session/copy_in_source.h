// COPY FROM STDIN: the client's CopyData messages, read while the statement that wants them is running.
// The message that the statement came in stays where it is meanwhile (InputBuffer::pin).
// Thread safety: none; the session's fiber.
#pragma once

#include "engine/row_sink.h"
#include "wire/net/stream.h"

namespace indigo::wire {

class CopyInSource final : public engine::CopySource {
 public:
  CopyInSource(Stream& stream, Task& task) : stream_(stream), task_(task) {}

  // After CopyInResponse has been written: sends it.
  Status begin();
  Result<bool> read(std::string& out) override;
  bool lost_synchronization() const { return lost_synchronization_; }

 private:
  Error lose(Error error);

  Stream& stream_;
  Task& task_;
  bool done_ = false;
  bool lost_synchronization_ = false;
};

}  // namespace indigo::wire
