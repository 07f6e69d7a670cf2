// The sink of a utility statement inside a program: its rows go to the program, its notices to the client.
// Thread safety: none.
#pragma once

#include <cstdint>

#include "base/sqlstate.h"
#include "engine/programs/nested_statement.h"
#include "engine/row_sink.h"
#include "engine/session/session_parts.h"

namespace indigo::engine::programs {

inline Error no_copy_to_client() {
  return Error(sqlstate::kFeatureNotSupported, "cannot COPY to/from client in PL/pgSQL");
}

class RowCatcher final : public RowSink {
 public:
  RowCatcher(SessionParts& session, const NestedStatement::Rows& rows) : session_(session), rows_(rows) {}

  uint64_t row_count() const { return count_; }

  void row_description(const ResultShape&) override {}
  void no_data() override {}
  void parameter_description(std::span<const Oid>) override {}
  Status rows(const ResultShape& shape, const Chunk& chunk) override {
    count_ += chunk.rows();
    if (!rows_ || done_) return {};
    // A cursor's chunks may have columns behind those that it returns (PlannedStatement::cursor_columns).
    const bool wider = chunk.columns.size() > shape.columns.size();
    if (wider) {
      returned_.columns.resize(shape.columns.size());
      for (size_t c = 0; c < returned_.columns.size(); c++) returned_.columns[c].reference(chunk.columns[c]);
      returned_.selection = chunk.selection;
    }
    INDIGO_ASSIGN(const bool more, rows_(wider ? returned_ : chunk));
    done_ = !more;
    return {};
  }
  void command_complete(std::string_view) override {}
  void empty_query() override {}
  void portal_suspended() override {}
  void error(const Error&) override {}
  void notice(Severity severity, const Error& text) override { session_.notice(severity, text); }
  void parameter_status(std::string_view, std::string_view) override {}
  Result<CopySource*> copy_in(CopyFormat, uint32_t) override { return no_copy_to_client(); }
  void copy_out(CopyFormat, uint32_t) override {}
  Status copy_data(std::string_view) override { return no_copy_to_client(); }
  void copy_done() override {}

 private:
  SessionParts& session_;
  const NestedStatement::Rows& rows_;
  uint64_t count_ = 0;
  bool done_ = false;
  Chunk returned_;
};

}  // namespace indigo::engine::programs
