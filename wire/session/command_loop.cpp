#include "wire/session/command_loop.h"

#include <algorithm>
#include <new>
#include <utility>

#include "base/exception_error.h"
#include "base/memory/memory_reserve.h"
#include "base/server_log.h"
#include "base/sqlstate.h"
#include "base/utf8.h"
#include "wire/messages/bind_complete.h"
#include "wire/messages/close.h"
#include "wire/messages/close_complete.h"
#include "wire/messages/describe.h"
#include "wire/messages/error_response.h"
#include "wire/messages/execute.h"
#include "wire/messages/flush.h"
#include "wire/messages/function_call.h"
#include "wire/messages/function_call_response.h"
#include "wire/messages/notification_response.h"
#include "wire/messages/parse_complete.h"
#include "wire/messages/query.h"
#include "wire/messages/ready_for_query.h"
#include "wire/messages/sync.h"
#include "wire/messages/terminate.h"

namespace indigo::wire {

namespace {

// Messages handled between looks at the clock.
constexpr uint32_t kMessagesPerYield = 16;

}  // namespace

CommandLoop::CommandLoop(Stream& stream, Task& task, engine::Session& session)
    : stream_(stream), task_(task), session_(session), sink_(stream, task, text_) {
  sink_.set_session(session);
  for (const auto& [name, value] : session.reported_settings()) {
    if (name == "client_encoding") text_.use(value);
  }
}

void CommandLoop::run() {
  send_wanted_ = true;  // the startup's answers
  stream_.mark_due();
  while (true) {
    if (must_end()) return;
    Frame frame{};
    switch (next_frame(stream_.in().unread(), frame)) {
      case FrameState::kComplete:
        // The bytes stay valid while the message is handled: only COPY reads more meanwhile, and it pins them.
        stream_.in().consume(frame.total_bytes());
        if (handle(frame) == Next::kEnd) return;
        if (stream_.out().size() >= kMaxBufferedBytes && stream_.flush() == StreamResult::kClosed) return;
        break;
      case FrameState::kIncomplete:
        if (wait_for_input() == Next::kEnd) return;
        break;
      case FrameState::kBadType:
        fatal(Error(
            sqlstate::kProtocolViolation,
            "invalid frontend message type " + std::to_string(static_cast<unsigned char>(stream_.in().unread()[0]))));
        return;
      case FrameState::kBadLength: fatal(Error(sqlstate::kProtocolViolation, "invalid message length")); return;
    }
  }
}

CommandLoop::Next CommandLoop::wait_for_input() {
  const Task::Movable between_messages(task_);
  if (send_wanted_ && !stream_.out().empty()) {
    if (stream_.flush() == StreamResult::kClosed) return Next::kEnd;
    send_wanted_ = false;
  }
  stream_.in().release(false);
  messages_at_once_ = 0;
  if (stream_.out().empty() && stream_.wants_to_move()) {
    if (Worker* peer = task_.worker().choose_peer()) stream_.move_to(*peer);
  }
  StreamResult result;
  try {
    // What arrives from other sessions is told at once, and does not count as the client's doing something.
    const Deadline deadline = session_.idle_deadline();
    const std::atomic<bool>* call = idle_ ? session_.has_notifications() : nullptr;
    while ((result = stream_.fill(deadline, InterruptReason::kIdleTimeout, call)) == StreamResult::kCalled) {
      if (!deliver_notifications() || stream_.flush() == StreamResult::kClosed) return Next::kEnd;
      if (task_.interrupted() >= InterruptReason::kIdleTimeout) return Next::kContinue;
    }
  } catch (const std::bad_alloc&) {
    return drop_message();
  }
  switch (result) {
    case StreamResult::kOk:
    case StreamResult::kCalled:
    case StreamResult::kInterrupted:  // must_end() sees it
      return Next::kContinue;
    case StreamResult::kTimeout: task_.interrupt(InterruptReason::kIdleTimeout); return Next::kContinue;
    case StreamResult::kClosed: return Next::kEnd;
  }
  return Next::kEnd;
}

CommandLoop::Next CommandLoop::drop_message() {
  const std::string_view unread = stream_.in().unread();
  if (unread.size() < 5) throw std::bad_alloc();
  const char type = unread[0];
  size_t left = 1 + size_t{big_endian(load_unaligned<uint32_t>(unread.data() + 1))};
  for (;;) {
    const size_t taken = std::min(left, stream_.in().unread().size());
    stream_.in().consume(taken);
    left -= taken;
    if (left == 0) break;
    if (stream_.fill(kNoDeadline, InterruptReason::kIdleTimeout) == StreamResult::kClosed) return Next::kEnd;
    if (must_end()) return Next::kEnd;
  }
  if (skip_until_sync_) return Next::kContinue;
  const Error error(sqlstate::kOutOfMemory, "out of memory");
  if (type == Query::kType || type == FunctionCall::kType) {
    refuse(error);
    ready();
  } else if (type == Parse::kType || type == Bind::kType) {
    extended(error);
  }
  return Next::kContinue;
}

bool CommandLoop::must_end() {
  if (sink_.lost_synchronization()) {
    fatal(Error(sqlstate::kProtocolViolation, "terminating connection because protocol synchronization was lost"));
    return true;
  }
  InterruptReason reason = task_.interrupted();
  if (reason < InterruptReason::kIdleTimeout) return false;
  if (reason == InterruptReason::kDisconnect) return true;
  auto error = session_.must_end();
  if (!error && reason == InterruptReason::kIdleTimeout) {
    task_.clear_interrupt();
    return false;
  }
  fatal(error ? *error : Error(sqlstate::kAdminShutdown, "terminating connection due to administrator command"));
  return true;
}

void CommandLoop::fatal(const Error& error) {
  ErrorResponse::encode(ErrorResponse::kError, "FATAL", text_.out(error), stream_.out());
  log_message(LogLevel::kDebug, error.message);
  stream_.farewell(Clock::now() + kFarewell);
}

CommandLoop::Next CommandLoop::handle(const Frame& frame) {
  stream_.start_busy(session_.checks_connection());
  // What was sent before this message came is told before it is obeyed: it may be UNLISTEN.
  if (idle_ && !deliver_notifications()) return Next::kEnd;
  idle_ = false;
  switch (frame.type) {
    case Query::kType:
      if (!skip_until_sync_) handle_query(frame.body);
      break;
    case Parse::kType:
      if (!skip_until_sync_) guarded([&] { return handle_parse(frame.body); });
      break;
    case Bind::kType:
      if (!skip_until_sync_) guarded([&] { return handle_bind(frame.body); });
      break;
    case Describe::kType:
      if (!skip_until_sync_) guarded([&] { return handle_describe(frame.body); });
      break;
    case Execute::kType:
      if (!skip_until_sync_) guarded([&] { return handle_execute(frame.body); });
      break;
    case Close::kType:
      if (!skip_until_sync_) guarded([&] { return handle_close(frame.body); });
      break;
    case Sync::kType: handle_sync(frame.body); break;
    case Flush::kType:
      if (!skip_until_sync_) extended(Flush::decode(frame.body));
      send_wanted_ = true;
      stream_.mark_due();
      break;
    case FunctionCall::kType:
      if (!skip_until_sync_) handle_function_call(frame.body);
      break;
    case Terminate::kType:  // behind what it asked before, and may still read
      (void)stream_.flush(Clock::now() + kFarewell, InterruptReason::kDisconnect);
      return Next::kEnd;
    default:  // COPY's messages after COPY has failed
      break;
  }
  stream_.end_busy();
  stream_.in().unpin();
  text_.forget();
  // A long pipeline: others may have waited long.
  if (++messages_at_once_ % kMessagesPerYield == 0) task_.yield_if_due();
  return Next::kContinue;
}

Status CommandLoop::read(std::string_view& text) {
  if (text.empty()) return {};  // most portals' and many statements' names
  INDIGO_ASSIGN(text, text_.in(text));
  return {};
}

void CommandLoop::handle_query(std::string_view body) {
  Query query;
  Status status = query.decode(body);
  if (status.ok()) status = read(query.text);
  if (status.ok()) {
    session_.query(query.text, sink_);
  } else {
    refuse(status.error());
  }
  ready();
}

void CommandLoop::refuse(const Error& error) {
  const MustNotFail scope;
  session_.fail_transaction();
  sink_.error(error);
  if (Status ended = session_.sync(sink_); !ended.ok()) sink_.error(ended.error());
}

Status CommandLoop::handle_parse(std::string_view body) {
  INDIGO_TRY(parse_.decode(body));
  INDIGO_TRY(read(parse_.statement));
  INDIGO_TRY(read(parse_.text));
  INDIGO_TRY(session_.parse(parse_.statement, parse_.text, parse_.parameter_types, sink_));
  ParseComplete::encode(stream_.out());
  return {};
}

Status CommandLoop::handle_bind(std::string_view body) {
  INDIGO_TRY(bind_.decode(body));
  for (size_t i = 0; i < bind_.values.size(); i++) {
    bool binary = !bind_.parameter_formats.empty() &&
                  bind_.parameter_formats[bind_.parameter_formats.size() == 1 ? 0 : i] == Format::kBinary;
    if (bind_.values[i] && !binary) INDIGO_TRY(read(*bind_.values[i]));
  }
  INDIGO_TRY(read(bind_.portal));
  INDIGO_TRY(read(bind_.statement));
  engine::BindMessage message{bind_.portal, bind_.statement, bind_.parameter_formats, bind_.values,
                              bind_.result_formats};
  INDIGO_TRY(session_.bind(message, sink_));
  BindComplete::encode(stream_.out());
  return {};
}

Status CommandLoop::handle_describe(std::string_view body) {
  Describe describe;
  INDIGO_TRY(describe.decode(body));
  INDIGO_TRY(read(describe.name));
  return describe.kind == 'S' ? session_.describe_statement(describe.name, sink_)
                              : session_.describe_portal(describe.name, sink_);
}

Status CommandLoop::handle_execute(std::string_view body) {
  Execute execute;
  INDIGO_TRY(execute.decode(body));
  INDIGO_TRY(read(execute.portal));
  return session_.execute(execute.portal, execute.max_rows > 0 ? static_cast<uint32_t>(execute.max_rows) : 0, sink_);
}

Status CommandLoop::handle_close(std::string_view body) {
  Close close;
  INDIGO_TRY(close.decode(body));
  INDIGO_TRY(read(close.name));
  INDIGO_TRY(close.kind == 'S' ? session_.close_statement(close.name) : session_.close_portal(close.name));
  CloseComplete::encode(stream_.out());
  return {};
}

void CommandLoop::handle_function_call(std::string_view body) {
  FunctionCall call;
  Status status = call.decode(body);
  for (size_t i = 0; i < call.arguments.size() && status.ok(); i++) {
    const auto& formats = call.argument_formats;
    const bool binary = !formats.empty() && formats[std::min(i, formats.size() - 1)] == Format::kBinary;
    if (call.arguments[i] && !binary) status = read(*call.arguments[i]);
  }
  if (status.ok()) {
    auto result =
        session_.call_function({call.function, call.argument_formats, call.arguments, call.result_format}, sink_);
    if (result.ok()) {
      if (*result && call.result_format == Format::kText) *result = text_.out(**result);
      FunctionCallResponse{*result}.encode(stream_.out());
    } else {
      status = std::move(result.error());
    }
  }
  if (!status.ok()) refuse(status.error());
  ready();
}

void CommandLoop::handle_sync(std::string_view body) {
  skip_until_sync_ = false;
  Status status = Sync::decode(body);
  if (!status.ok()) session_.fail_transaction();
  Status ended = session_.sync(sink_);
  if (!status.ok()) sink_.error(status.error());
  if (!ended.ok()) sink_.error(ended.error());
  ready();
}

template <class Handle>
void CommandLoop::guarded(Handle&& handle) {
  extended(catch_exceptions(std::forward<Handle>(handle), [] {}));
}

void CommandLoop::extended(const Status& status) {
  if (status.ok()) return;
  const MustNotFail scope;
  session_.fail_transaction();
  sink_.error(status.error());
  skip_until_sync_ = true;
  // Its client may wait for this before it sends Sync: an error goes out with what came before, as in PostgreSQL.
  send_wanted_ = true;
  stream_.mark_due();
}

bool CommandLoop::deliver_notifications() {
  engine::Session::Notification notification;
  while (session_.next_notification(notification)) {
    {
      const MustNotFail scope;  // it has been taken
      const std::string channel = text_.out(notification.channel), payload = text_.out(notification.payload);
      NotificationResponse{notification.sender, channel, payload}.encode(stream_.out());
    }
    stream_.mark_due();
    if (stream_.out().size() < kMaxBufferedBytes) continue;
    if (stream_.flush() == StreamResult::kClosed) return false;
    if (task_.interrupted() >= InterruptReason::kIdleTimeout) break;
  }
  return true;
}

void CommandLoop::ready() {
  deliver_notifications();
  const MustNotFail scope;
  // A session that is about to end is not ready for anything.
  if (sink_.lost_synchronization() || task_.interrupted() >= InterruptReason::kIdleTimeout) return;
  sink_.report_parameters();
  ReadyForQuery{session_.transaction_status()}.encode(stream_.out());
  idle_ = session_.transaction_status() == 'I';
  stream_.mark_due();
  send_wanted_ = true;
}

}  // namespace indigo::wire
