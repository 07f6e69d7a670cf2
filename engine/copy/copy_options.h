// The options of COPY, checked as PostgreSQL checks them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "engine/row_sink.h"
#include "sql/parse/tree_names.h"

namespace indigo::engine {

struct CopyOptions {
  CopyFormat format = CopyFormat::kText;
  char delimiter = '\t';
  std::string null_text = "\\N";
  char quote = '"', escape = '"';
  bool header = false;        // write or skip the first line
  bool header_match = false;  // and check its names (FROM)
  bool freeze = false;
  bool force_quote_all = false;
  std::vector<std::string> force_quote, force_not_null, force_null;  // column names
  std::string encoding;                                              // of the bytes; empty: client_encoding
  bool convert_selectively = false;  // only these columns are read, the others are null (FROM)
  std::vector<std::string> converted;
};

// `text`: the statement's, for errors' positions.
Result<CopyOptions> read_copy_options(std::string_view text, std::span<PgQuery__Node* const> options, bool is_from);

}  // namespace indigo::engine
