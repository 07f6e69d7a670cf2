// COPY's output formats: chunks to bytes, a piece for each row.
// Thread safety: none.
#pragma once

#include <string>
#include <vector>

#include "engine/copy/copy_options.h"
#include "engine/copy/copy_target.h"
#include "engine/row_sink.h"
#include "types/function/context.h"
#include "types/function/registry.h"
#include "types/value/vector.h"

namespace indigo::engine {

class CopyWriter {
 public:
  // `force_quote` by column (CSV).
  CopyWriter(CopyTarget& target, types::FuncContext& context, const CopyOptions& options, const ResultShape& shape,
             std::vector<bool> force_quote);
  // Begins the target, writes the header.
  Status begin();
  Status rows(const Chunk& chunk);
  Status end();

 private:
  void text_field(std::string_view value);
  void csv_field(std::string_view value, bool force);
  void binary_field(const types::TypeRef& type, const Datum& value);

  CopyTarget& target_;
  types::FuncContext& context_;
  const CopyOptions& options_;
  const ResultShape& shape_;
  std::vector<bool> force_quote_;
  std::string header_;  // binary: goes out with the first row, as PostgreSQL sends it
  std::string line_, value_;
};

}  // namespace indigo::engine
