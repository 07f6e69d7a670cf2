// The RowSink that makes indigo_results. Thread safety: one user at a time.
#pragma once

#include <string_view>

#include "embedded/indigo.h"
#include "embedded/stored_result.h"
#include "engine/session.h"

namespace indigo::embedded {

struct NoticeReceiver {
  indigo_notice_function function = nullptr;
  void* context = nullptr;
};

class ResultSink final : public engine::RowSink, private engine::CopySource {
 public:
  // `input`: of COPY FROM STDIN; nullptr: there is none.
  ResultSink(engine::Session& session, const NoticeReceiver& notices, const std::string_view* input)
      : session_(session), notices_(notices), input_(input) {}

  // The newest result that has ended; nullptr: there is none.
  indigo_result* last() const { return last_; }
  // The chain; a result is there for each statement that ended, and at least one.
  std::unique_ptr<indigo_result> take();

  void row_description(const engine::ResultShape& shape) override;
  void no_data() override {}
  void parameter_description(std::span<const Oid>) override {}
  Status rows(const engine::ResultShape& shape, const Chunk& chunk) override;
  void command_complete(std::string_view tag) override;
  void empty_query() override { complete(); }
  void portal_suspended() override { complete(); }
  void error(const Error& error) override;
  void notice(engine::Severity severity, const Error& text) override;
  void parameter_status(std::string_view, std::string_view) override {}
  Result<engine::CopySource*> copy_in(engine::CopyFormat format, uint32_t column_count) override;
  void copy_out(engine::CopyFormat, uint32_t) override {}
  Status copy_data(std::string_view bytes) override;
  void copy_done() override {}

 private:
  indigo_result& open();
  void complete();
  Result<bool> read(std::string& out) override;

  engine::Session& session_;
  const NoticeReceiver& notices_;
  const std::string_view* input_;
  bool input_read_ = false;
  std::unique_ptr<indigo_result> first_, current_;
  indigo_result* last_ = nullptr;
};

}  // namespace indigo::embedded
