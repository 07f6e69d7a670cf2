#include "wire/session/copy_both_channel.h"

#include "base/fiber/interrupt_error.h"
#include "base/sqlstate.h"
#include "wire/messages/copy_data.h"
#include "wire/messages/copy_done.h"
#include "wire/messages/copy_fail.h"
#include "wire/messages/copy_response.h"
#include "wire/messages/flush.h"
#include "wire/messages/frame.h"
#include "wire/messages/sync.h"
#include "wire/messages/terminate.h"
#include "wire/session/client_sink.h"

namespace indigo::wire {

Error CopyBothChannel::lose(Error error) {
  lost_ = true;
  return error;
}

Status CopyBothChannel::begin() {
  lost_ = false;
  stream_.in().pin();
  CopyResponse{engine::Format::kText, 0}.encode(CopyResponse::kBoth, stream_.out());
  return flush(kNoDeadline);
}

Status CopyBothChannel::send(std::string_view data) {
  CopyData{data}.encode(stream_.out());
  return {};
}

Status CopyBothChannel::flush(Deadline deadline) {
  switch (stream_.flush(deadline, InterruptReason::kIdleTimeout)) {
    case StreamResult::kOk:
    case StreamResult::kCalled: return {};
    case StreamResult::kInterrupted: return lose(interrupt_error(task_.interrupted()));
    case StreamResult::kTimeout:
      return lose(Error(sqlstate::kConnectionFailure, "terminating walsender process due to replication timeout"));
    case StreamResult::kClosed: break;
  }
  return lose(Error(sqlstate::kConnectionFailure, "connection to client lost"));
}

Status CopyBothChannel::flush_if_much(Deadline deadline) {
  return stream_.out().size() < kMaxBufferedBytes ? Status() : flush(deadline);
}

Result<engine::CopyChannel::Event> CopyBothChannel::receive(Deadline deadline, const std::atomic<bool>& call,
                                                            std::string& out) {
  for (;;) {
    Frame frame{};
    switch (next_frame(stream_.in().unread(), frame)) {
      case FrameState::kComplete:
        if (frame.type == Terminate::kType) return Event::kDone;  // left where it is: the connection's end, too
        stream_.in().consume(frame.total_bytes());
        if (frame.type == CopyData::kType) {
          out = frame.body;
          return Event::kMessage;
        }
        if (frame.type == CopyDone::kType) return Event::kDone;
        if (frame.type == CopyFail::kType || frame.type == Flush::kType || frame.type == Sync::kType) continue;
        return lose(Error(sqlstate::kProtocolViolation, std::string("unexpected message type \"") + frame.type + "\""));
      case FrameState::kIncomplete: break;
      default: return lose(Error(sqlstate::kProtocolViolation, "invalid message length"));
    }
    if (deadline <= Clock::now() && !stream_.readable()) return Event::kNothing;
    switch (stream_.fill(deadline, InterruptReason::kCancel, &call)) {
      case StreamResult::kOk: break;
      case StreamResult::kCalled:
      case StreamResult::kTimeout: return Event::kNothing;
      case StreamResult::kInterrupted: return lose(interrupt_error(task_.interrupted()));
      case StreamResult::kClosed:
        return lose(Error(sqlstate::kConnectionFailure, "unexpected EOF on standby connection"));
    }
  }
}

Status CopyBothChannel::end() {
  CopyDone::encode(stream_.out());
  return {};
}

}  // namespace indigo::wire
