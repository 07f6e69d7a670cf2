#include "embedded/result_sink.h"

#include <utility>

#include "base/sqlstate.h"
#include "types/function/registry.h"

void indigo_result::fail(const indigo::Error& why) {
  error = std::make_unique<indigo::Error>(why);
  sqlstate = why.state.text();
}

indigo_result::~indigo_result() {
  while (next != nullptr) next = std::move(next->next);
}

namespace indigo::embedded {

namespace {

const char* name_of(engine::Severity severity) {
  switch (severity) {
    case engine::Severity::kDebug: return "DEBUG";
    case engine::Severity::kLog: return "LOG";
    case engine::Severity::kInfo: return "INFO";
    case engine::Severity::kNotice: return "NOTICE";
    case engine::Severity::kWarning: return "WARNING";
    case engine::Severity::kError: return "ERROR";
  }
  return "";
}

}  // namespace

indigo_result& ResultSink::open() {
  if (current_ == nullptr) current_ = std::make_unique<indigo_result>();
  return *current_;
}

void ResultSink::complete() {
  open();
  std::unique_ptr<indigo_result>& place = last_ == nullptr ? first_ : last_->next;
  place = std::move(current_);
  last_ = place.get();
}

std::unique_ptr<indigo_result> ResultSink::take() {
  if (current_ != nullptr || first_ == nullptr) complete();
  return std::move(first_);
}

void ResultSink::row_description(const engine::ResultShape& shape) {
  indigo_result& result = open();
  result.columns.clear();
  for (const engine::ResultColumn& column : shape.columns) {
    result.columns.push_back({column.name, static_cast<uint32_t>(column.type.oid)});
  }
}

Status ResultSink::rows(const engine::ResultShape& shape, const Chunk& chunk) {
  indigo_result& result = open();
  if (result.columns.empty()) row_description(shape);  // Execute alone does not tell them
  for (uint32_t i = 0; i < chunk.rows(); i++) {
    for (size_t c = 0; c < shape.columns.size(); c++) {
      const Datum value = chunk.columns[c].datum(chunk.selection[i]);
      indigo_result::Cell& cell = result.cells.emplace_back();
      if (value.null) continue;
      cell.begin = result.texts.size();
      types::type_output(session_.output_context(), shape.columns[c].type, value, result.texts);
      cell.size = static_cast<int64_t>(result.texts.size() - cell.begin);
      result.texts += '\0';
    }
  }
  return {};
}

void ResultSink::command_complete(std::string_view tag) {
  open().tag = tag;
  complete();
}

void ResultSink::error(const Error& error) {
  open().fail(error);
  complete();
}

void ResultSink::notice(engine::Severity severity, const Error& text) {
  if (notices_.function == nullptr) return;
  const std::string state(text.state.text());
  notices_.function(notices_.context, name_of(severity), state.c_str(), text.message.c_str());
}

Result<engine::CopySource*> ResultSink::copy_in(engine::CopyFormat, uint32_t) {
  if (input_ != nullptr) return static_cast<engine::CopySource*>(this);
  return Error(sqlstate::kProtocolViolation, "COPY FROM STDIN has no input").with_hint("Use indigo_copy_in.");
}

Result<bool> ResultSink::read(std::string& out) {
  if (std::exchange(input_read_, true)) return false;
  out += *input_;
  return true;
}

Status ResultSink::copy_data(std::string_view bytes) {
  open().copied += bytes;
  return {};
}

}  // namespace indigo::embedded
