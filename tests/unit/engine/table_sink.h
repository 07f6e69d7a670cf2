// The answers of a session without a socket, as texts. Thread safety: one user at a time.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/sqlstate.h"
#include "engine/session.h"
#include "types/function/registry.h"

namespace indigo::engine {

class TableSink : public RowSink {
 public:
  explicit TableSink(Session& session) : session_(session) {}

  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> table;
  std::vector<std::string> tags;
  std::optional<Error> failure;

  void row_description(const ResultShape& shape) override {
    for (const ResultColumn& column : shape.columns) columns.push_back(column.name);
  }
  Status rows(const ResultShape& shape, const Chunk& chunk) override {
    for (uint32_t i = 0; i < chunk.rows(); i++) {
      auto& row = table.emplace_back();
      for (size_t c = 0; c < shape.columns.size(); c++) {
        const Datum value = chunk.columns[c].datum(chunk.selection[i]);
        std::string& text = row.emplace_back("NULL");
        if (value.null) continue;
        text.clear();
        types::type_output(session_.output_context(), shape.columns[c].type, value, text);
      }
    }
    return {};
  }
  void command_complete(std::string_view tag) override { tags.emplace_back(tag); }
  void error(const Error& error) override { failure = error; }

  void no_data() override {}
  void parameter_description(std::span<const Oid>) override {}
  void empty_query() override {}
  void portal_suspended() override {}
  void notice(Severity, const Error&) override {}
  void parameter_status(std::string_view, std::string_view) override {}
  Result<CopySource*> copy_in(CopyFormat, uint32_t) override {
    return Error(sqlstate::kFeatureNotSupported, "there is no COPY input");
  }
  void copy_out(CopyFormat, uint32_t) override {}
  Status copy_data(std::string_view) override { return {}; }
  void copy_done() override {}

 private:
  Session& session_;
};

}  // namespace indigo::engine
