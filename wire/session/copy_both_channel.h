// CopyBoth: CopyData in both directions, while a walsender streams.
// Thread safety: none; the session's fiber.
#pragma once

#include <string>
#include <string_view>

#include "engine/row_sink.h"
#include "wire/net/stream.h"

namespace indigo::wire {

class CopyBothChannel final : public engine::CopyChannel {
 public:
  CopyBothChannel(Stream& stream, Task& task) : stream_(stream), task_(task) {}

  // Sends CopyBothResponse. The message that the command came in stays where it is meanwhile (InputBuffer::pin).
  Status begin();
  Status send(std::string_view data) override;
  Status flush(Deadline deadline) override;
  Status flush_if_much(Deadline deadline) override;
  Result<Event> receive(Deadline deadline, const std::atomic<bool>& call, std::string& out) override;
  Status end() override;
  // The client broke the protocol, or the connection: it must end.
  bool lost_synchronization() const { return lost_; }

 private:
  Error lose(Error error);

  Stream& stream_;
  Task& task_;
  bool lost_ = false;
};

}  // namespace indigo::wire
