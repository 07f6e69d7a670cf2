#include "wire/tls/handshake.h"

#include "base/sqlstate.h"

namespace indigo::wire {

Status shake_hands(Stream& stream, Task& task, BlockingCalls& calls, Deadline deadline) {
  TlsChannel& channel = *stream.tls();
  const Error lost(sqlstate::kConnectionFailure, "could not accept SSL connection: EOF detected");
  while (true) {
    TlsChannel::Step step = TlsChannel::Step::kFailed;
    calls.run(task, [&] { step = channel.handshake(); });
    const StreamResult sent = stream.flush(deadline, InterruptReason::kIdleTimeout);
    if (step == TlsChannel::Step::kDone) return sent == StreamResult::kOk ? Status() : Status(lost);
    if (step != TlsChannel::Step::kWantsInput) {
      return Error(sqlstate::kProtocolViolation, "could not accept SSL connection: " + channel.error());
    }
    if (sent != StreamResult::kOk) return lost;
    if (stream.fill_channel(deadline, InterruptReason::kIdleTimeout) != StreamResult::kOk) return lost;
  }
}

}  // namespace indigo::wire
