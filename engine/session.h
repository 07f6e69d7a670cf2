// One client's session: transaction block, settings, prepared statements, portals. The functions below mirror protocol 3's
// messages; wire decodes, calls, and encodes what the RowSink is told.
//
// Interrupts: kCancel and kStatementTimeout end the statement; the session clears them (Waiter::clear_cancel) when one begins
// and when one ends. Higher reasons stay; the statement ends with an error, which wire replaces by must_end()'s FATAL.
//
// Thread safety: none; one fiber or thread uses a session at a time (cancel comes through the Waiter).
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "base/fiber/wait_point.h"
#include "base/ids.h"
#include "engine/row_sink.h"
#include "types/function/context.h"

namespace indigo::engine {

// One Bind message. Values borrow from the message; nullopt is NULL.
struct BindMessage {
  std::string_view portal, statement;
  std::span<const Format> parameter_formats;  // none: all text; one: all the same
  std::span<const std::optional<std::string_view>> values;
  std::span<const Format> result_formats;  // as above
};

// One FunctionCall message: formats as in BindMessage.
struct FunctionCallMessage {
  Oid function = kInvalidOid;
  std::span<const Format> argument_formats;
  std::span<const std::optional<std::string_view>> arguments;
  Format result_format = Format::kText;
};

class Session {
 public:
  virtual ~Session() = default;

  virtual int32_t pid() const = 0;
  virtual int32_t cancel_key() const = 0;
  // Parameters to report at connect (ParameterStatus), then through RowSink::parameter_status when they change.
  virtual std::vector<std::pair<std::string, std::string>> reported_settings() const = 0;
  // 'I' idle, 'T' in a transaction block, 'E' in a failed one: ReadyForQuery's byte.
  virtual char transaction_status() const = 0;

  // Query message: all statements in `text`, results and errors into `sink`. Never fails itself.
  virtual void query(std::string_view text, RowSink& sink) = 0;

  // The extended protocol. On an error the caller reports it and discards messages until Sync.
  virtual Status parse(std::string_view name, std::string_view text, std::span<const Oid> parameter_types,
                       RowSink& sink) = 0;
  virtual Status bind(const BindMessage& bind, RowSink& sink) = 0;
  virtual Status describe_statement(std::string_view name, RowSink& sink) = 0;
  virtual Status describe_portal(std::string_view name, RowSink& sink) = 0;
  virtual Status execute(std::string_view portal, uint32_t max_rows, RowSink& sink) = 0;  // 0: all rows
  virtual Status close_statement(std::string_view name) = 0;                              // unknown names are no error
  virtual Status close_portal(std::string_view name) = 0;
  // Ends the implicit transaction; a commit that fails now is an error to report before ReadyForQuery.
  virtual Status sync(RowSink& sink) = 0;
  // FunctionCall: the result in its format, nothing for null. An implicit transaction has been committed. On an error the caller
  // reports it and fails the transaction.
  virtual Result<std::optional<std::string>> call_function(const FunctionCallMessage& message, RowSink& sink) = 0;
  // An error outside the session's own functions (a malformed message) fails the transaction.
  virtual void fail_transaction() = 0;

  // Settings and memory for encoding this session's values (types/function/registry.h: type_output, type_send).
  virtual types::FuncContext& output_context() = 0;

  // When the session must end if no message comes (idle_session_timeout, idle_in_transaction_session_timeout). wire asks
  // before it waits for the client, and then calls Waiter::interrupt(kIdleTimeout): must_end() tells the error.
  virtual Deadline idle_deadline() const { return kNoDeadline; }

  // Whether a client that has ended its side of the connection has left, though it might still read: its statement ends
  // (client_connection_check_interval, any but 0; wire learns at once, so the interval itself does not matter).
  virtual bool checks_connection() const { return false; }

  // What other sessions (and this one) have sent by NOTIFY. The flag is set, and the session's Waiter woken, when something
  // arrives; wire takes it when the session is in no transaction: before ReadyForQuery, and while it waits for a message.
  virtual const std::atomic<bool>* has_notifications() const { return nullptr; }
  struct Notification {
    int32_t sender = 0;
    std::string_view channel, payload;  // valid until the next call
  };
  // False: none is left.
  virtual bool next_notification(Notification&) { return false; }

  // Whether the session must end, and why (terminate, shutdown, idle timeouts): FATAL error for the client.
  virtual std::optional<Error> must_end() = 0;
};

}  // namespace indigo::engine
