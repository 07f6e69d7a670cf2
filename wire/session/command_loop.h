// A session from ReadyForQuery to its end: takes messages out of the stream, calls the engine, answers.
//
// Rules of protocol 3 kept here: an error in an extended-query message makes the rest up to Sync be skipped; Query and
// FunctionCall end with ReadyForQuery of their own; answers are sent when ReadyForQuery or Flush was reached and the
// input has run dry, so a pipeline's answers leave in one send; a malformed body is an ERROR, a malformed frame is
// FATAL. Thread safety: none; the session's fiber.
#pragma once

#include <chrono>
#include <optional>

#include "engine/session.h"
#include "wire/messages/bind.h"
#include "wire/messages/frame.h"
#include "wire/messages/parse.h"
#include "wire/session/client_sink.h"

namespace indigo::wire {

// Time for a last message to a client that does not read.
inline constexpr std::chrono::seconds kFarewell{1};

class CommandLoop {
 public:
  CommandLoop(Stream& stream, Task& task, engine::Session& session);
  // Returns when the connection is to be closed; everything that the client should know has been sent.
  void run();

 private:
  enum class Next : uint8_t { kContinue, kEnd };

  Next handle(const Frame& frame);
  void handle_query(std::string_view body);
  Status handle_parse(std::string_view body);
  Status handle_bind(std::string_view body);
  Status handle_describe(std::string_view body);
  Status handle_execute(std::string_view body);
  Status handle_close(std::string_view body);
  void handle_function_call(std::string_view body);
  void handle_sync(std::string_view body);

  // A text of the client's, as UTF-8.
  Status read(std::string_view& text);
  void extended(const Status& status);
  template <class Handle>
  void guarded(Handle&& handle);    // as extended, for what gives a Status and may throw
  void refuse(const Error& error);  // of a message that ends with ReadyForQuery
  void ready();
  Next wait_for_input();
  // Tells the client what NOTIFY has sent, if the session is idle. False: the connection is lost.
  bool deliver_notifications();
  // There is no memory for the message that has begun: takes its bytes away, and answers with an error.
  Next drop_message();
  bool must_end();
  void fatal(const Error& error);

  Stream& stream_;
  Task& task_;
  engine::Session& session_;
  ClientText text_;
  ClientSink sink_;
  bool skip_until_sync_ = false;
  bool idle_ = true;               // nothing but ReadyForQuery was said since the last message
  bool send_wanted_ = false;       // ReadyForQuery or Flush since the last send
  uint32_t messages_at_once_ = 0;  // since the session waited for input
  // Decoded messages that keep their memory.
  Parse parse_;
  Bind bind_;
};

}  // namespace indigo::wire
