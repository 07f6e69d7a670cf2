// The RowSink of a socket session: encodes answers into the stream's output buffer and sends when there is much of it.
// Thread safety: none; the session's fiber.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "engine/row_sink.h"
#include "engine/session.h"
#include "wire/net/stream.h"
#include "wire/session/client_text.h"
#include "wire/session/copy_both_channel.h"
#include "wire/session/copy_in_source.h"
#include "wire/session/row_encoder.h"

namespace indigo::wire {

// Output beyond this is sent before more is produced.
inline constexpr size_t kMaxBufferedBytes = 64 * 1024;

class ClientSink final : public engine::RowSink {
 public:
  ClientSink(Stream& stream, Task& task, ClientText& text)
      : stream_(stream), task_(task), text_(text), copy_in_(stream, task, text), copy_both_(stream, task) {}

  void set_session(engine::Session& session) { session_ = &session; }
  // The client broke the protocol inside COPY: the connection must end.
  bool lost_synchronization() const { return copy_in_.lost_synchronization() || copy_both_.lost_synchronization(); }

  // Writes the settings that have changed since the last time: as PostgreSQL, once and right before ReadyForQuery.
  void report_parameters();

  void row_description(const engine::ResultShape& shape) override;
  void no_data() override;
  void parameter_description(std::span<const Oid> types) override;
  Status rows(const engine::ResultShape& shape, const Chunk& chunk) override;
  void command_complete(std::string_view tag) override;
  void empty_query() override;
  void portal_suspended() override;
  void error(const Error& error) override;
  void notice(engine::Severity severity, const Error& text) override;
  void parameter_status(std::string_view name, std::string_view value) override;
  Result<engine::CopySource*> copy_in(engine::CopyFormat format, uint32_t column_count) override;
  void copy_out(engine::CopyFormat format, uint32_t column_count) override;
  Status copy_data(std::string_view bytes) override;
  void copy_done() override;
  Result<engine::CopyChannel*> copy_both() override;

 private:
  Status send_if_much();

  Stream& stream_;
  Task& task_;
  ClientText& text_;
  engine::Session* session_ = nullptr;
  RowEncoder encoder_;
  CopyInSource copy_in_;
  CopyBothChannel copy_both_;
  bool copies_text_ = true;  // COPY TO STDOUT in a form that is text
  std::vector<std::pair<std::string, std::string>> changed_parameters_;
};

}  // namespace indigo::wire
