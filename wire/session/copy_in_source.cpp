#include "wire/session/copy_in_source.h"

#include <absl/strings/ascii.h>
#include <absl/strings/escaping.h>

#include "base/fiber/interrupt_error.h"
#include "base/sqlstate.h"
#include "base/utf8.h"
#include "wire/messages/copy_data.h"
#include "wire/messages/copy_done.h"
#include "wire/messages/copy_fail.h"
#include "wire/messages/flush.h"
#include "wire/messages/frame.h"
#include "wire/messages/sync.h"

namespace indigo::wire {

namespace {

// One read gathers this much if it is there.
constexpr size_t kGatherBytes = 64 * 1024;

std::string unexpected_type(char type) {
  const std::string code = absl::BytesToHexString(absl::string_view(&type, 1));
  return "unexpected message type 0x" + absl::AsciiStrToUpper(code) + " during COPY from stdin";
}

}  // namespace

Status CopyInSource::begin(bool text) {
  done_ = false;
  converts_ = text && text_.converter() != nullptr;
  unfinished_.clear();
  set_before_wait(nullptr);  // the reading before may have ended by an exception
  stream_.in().pin();
  if (stream_.flush() == StreamResult::kOk) return {};
  return Error(sqlstate::kConnectionFailure, "connection to client lost");
}

Error CopyInSource::lose(Error error) {
  lost_synchronization_ = true;
  return error;
}

// Line by line: no encoding has a character that contains the line's end.
Result<bool> CopyInSource::read(std::string& out) {
  if (!converts_) return read_bytes(out);
  for (;;) {
    INDIGO_ASSIGN(const bool more, read_bytes(unfinished_));
    const size_t end = more ? unfinished_.rfind('\n') + 1 : unfinished_.size();
    if (end == 0 && more) continue;
    INDIGO_TRY(text_.converter()->to_utf8(Str(unfinished_).substr(0, end), out));
    unfinished_.erase(0, end);
    return more || end > 0;
  }
}

Result<bool> CopyInSource::read_bytes(std::string& out) {
  bool gathered = false;
  size_t begin = out.size();
  while (!done_) {
    std::string_view unread = stream_.in().unread();
    // Only COPY's own messages are cut out of the stream here: the length of any other is not trusted.
    if (!unread.empty() && std::string_view("dcfHS").find(unread[0]) == std::string_view::npos) {
      if (gathered) return true;
      return lose(Error(sqlstate::kProtocolViolation, unexpected_type(unread[0])));
    }
    Frame frame{};
    FrameState state = next_frame(unread, frame);
    if (state == FrameState::kComplete) {
      if (gathered && (frame.type == CopyDone::kType || frame.type == CopyFail::kType)) return true;
      stream_.in().consume(frame.total_bytes());
      if (frame.type == CopyData::kType) {
        out.append(frame.body);
        gathered = true;
        if (out.size() - begin >= kGatherBytes) return true;
      } else if (frame.type == CopyDone::kType) {
        done_ = true;
      } else if (frame.type == CopyFail::kType) {
        done_ = true;
        CopyFail fail;
        INDIGO_TRY(fail.decode(frame.body));
        INDIGO_ASSIGN(const std::string_view reason, text_.in(fail.reason));
        return Error(sqlstate::kQueryCanceled, "COPY from stdin failed: " + std::string(reason));
      }  // Flush and Sync mean nothing here
      continue;
    }
    if (state != FrameState::kIncomplete) {
      return lose(Error(sqlstate::kProtocolViolation, "invalid message length"));
    }
    if (!stream_.readable()) {
      if (gathered) return true;
      INDIGO_TRY(before_wait());
    }
    switch (stream_.fill(kNoDeadline, InterruptReason::kCancel)) {
      case StreamResult::kCalled:
      case StreamResult::kOk:
      case StreamResult::kTimeout: break;
      case StreamResult::kInterrupted: return interrupt_error(task_.interrupted());
      case StreamResult::kClosed:
        return lose(
            Error(sqlstate::kConnectionFailure, "unexpected EOF on client connection with an open transaction"));
    }
  }
  return false;
}

}  // namespace indigo::wire
