#include "wire/session/client_sink.h"

#include "base/sqlstate.h"
#include "wire/messages/command_complete.h"
#include "wire/messages/copy_data.h"
#include "wire/messages/copy_done.h"
#include "wire/messages/copy_response.h"
#include "wire/messages/empty_query_response.h"
#include "wire/messages/error_response.h"
#include "wire/messages/no_data.h"
#include "wire/messages/parameter_description.h"
#include "wire/messages/parameter_status.h"
#include "wire/messages/portal_suspended.h"
#include "wire/messages/row_description.h"

namespace indigo::wire {

namespace {

std::string_view severity_name(engine::Severity severity) {
  switch (severity) {
    case engine::Severity::kDebug: return "DEBUG";
    case engine::Severity::kLog: return "LOG";
    case engine::Severity::kInfo: return "INFO";
    case engine::Severity::kNotice: return "NOTICE";
    case engine::Severity::kWarning:
    case engine::Severity::kError: return "WARNING";
  }
  return "NOTICE";
}

engine::Format overall_format(engine::CopyFormat format) {
  return format == engine::CopyFormat::kBinary ? engine::Format::kBinary : engine::Format::kText;
}

}  // namespace

void ClientSink::row_description(const engine::ResultShape& shape) {
  if (text_.converter() == nullptr) {
    RowDescription::encode(shape, stream_.out());
  } else {
    RowDescription::encode(text_.out(shape), stream_.out());
  }
}

void ClientSink::no_data() { NoData::encode(stream_.out()); }

void ClientSink::parameter_description(std::span<const Oid> types) {
  ParameterDescription::encode(types, stream_.out());
}

Status ClientSink::rows(const engine::ResultShape& shape, const Chunk& chunk) {
  encoder_.begin(shape, chunk, session_->output_context(), text_.converter());
  OutputBuffer& out = stream_.out();
  uint32_t count = chunk.rows();
  for (uint32_t i = 0; i < count; i++) {
    INDIGO_TRY(encoder_.row(chunk.selection[i], out));
    if (out.size() >= kMaxBufferedBytes) INDIGO_TRY(send_if_much());
  }
  return {};
}

Status ClientSink::send_if_much() {
  if (stream_.out().size() < kMaxBufferedBytes) return {};
  if (stream_.flush() == StreamResult::kOk) {
    stream_.out().release(false);
    return {};
  }
  if (stream_.broken()) return Error(sqlstate::kConnectionFailure, "connection to client lost");
  return Error(sqlstate::kAdminShutdown, "terminating connection due to administrator command");
}

void ClientSink::command_complete(std::string_view tag) { CommandComplete{tag}.encode(stream_.out()); }

void ClientSink::empty_query() { EmptyQueryResponse::encode(stream_.out()); }

void ClientSink::portal_suspended() { PortalSuspended::encode(stream_.out()); }

void ClientSink::error(const Error& error) {
  // What ends the session is told once, as FATAL, by the command loop.
  if (task_.interrupted() >= InterruptReason::kIdleTimeout) return;
  ErrorResponse::encode(ErrorResponse::kError, "ERROR", text_.converter() ? text_.out(error) : error, stream_.out());
}

void ClientSink::notice(engine::Severity severity, const Error& text) {
  ErrorResponse::encode(ErrorResponse::kNotice, severity_name(severity), text_.converter() ? text_.out(text) : text,
                        stream_.out());
  stream_.mark_due();
}

void ClientSink::parameter_status(std::string_view name, std::string_view value) {
  if (name == "client_encoding") text_.use(value);
  for (auto& [known, last] : changed_parameters_) {
    if (known != name) continue;
    last = value;
    return;
  }
  changed_parameters_.emplace_back(name, value);
}

void ClientSink::report_parameters() {
  for (const auto& [name, value] : changed_parameters_) ParameterStatus{name, text_.out(value)}.encode(stream_.out());
  changed_parameters_.clear();
}

Result<engine::CopySource*> ClientSink::copy_in(engine::CopyFormat format, uint32_t column_count) {
  CopyResponse{overall_format(format), static_cast<uint16_t>(column_count)}.encode(CopyResponse::kIn, stream_.out());
  INDIGO_TRY(copy_in_.begin(format != engine::CopyFormat::kBinary));
  return static_cast<engine::CopySource*>(&copy_in_);
}

void ClientSink::copy_out(engine::CopyFormat format, uint32_t column_count) {
  copies_text_ = format != engine::CopyFormat::kBinary;
  CopyResponse{overall_format(format), static_cast<uint16_t>(column_count)}.encode(CopyResponse::kOut, stream_.out());
}

Status ClientSink::copy_data(std::string_view bytes) {
  if (copies_text_ && text_.converter() != nullptr) {
    std::string converted;
    INDIGO_TRY(text_.converter()->from_utf8(bytes, converted));
    CopyData{converted}.encode(stream_.out());
  } else {
    CopyData{bytes}.encode(stream_.out());
  }
  return send_if_much();
}

void ClientSink::copy_done() { CopyDone::encode(stream_.out()); }

Result<engine::CopyChannel*> ClientSink::copy_both() {
  INDIGO_TRY(copy_both_.begin());
  return static_cast<engine::CopyChannel*>(&copy_both_);
}

}  // namespace indigo::wire
