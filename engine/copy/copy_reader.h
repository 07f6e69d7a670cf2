// COPY's input formats: bytes in pieces to rows of fields.
//
// A row is a list of fields; a null field has no text. Text and CSV fields are the values' text forms, binary ones their
// binary forms. Field views are valid until the next call of next().
// Thread safety: none.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "engine/copy/copy_options.h"
#include "engine/row_sink.h"

namespace indigo::engine {

class CopyReader {
 public:
  CopyReader(CopySource& source, const CopyOptions& options) : source_(source), options_(options) {}
  virtual ~CopyReader() = default;
  static std::unique_ptr<CopyReader> create(CopySource& source, const CopyOptions& options,
                                            std::vector<bool> force_not_null, std::vector<bool> force_null);

  // False at the end of the input.
  virtual Result<bool> next(std::vector<std::optional<std::string_view>>& fields) = 0;
  uint64_t line_number() const { return line_number_; }
  // The input line, for error contexts; empty in binary mode, and when the reader looked for the next one and failed. Until
  // the next call of next().
  std::string_view line() const { return line_; }

 protected:
  // Gets more input behind what is unread; false at its end. Moves the buffer: positions stay relative to pos_.
  Result<bool> fill();

  CopySource& source_;
  const CopyOptions& options_;
  std::string buffer_;
  size_t pos_ = 0;  // first unread byte
  bool ended_ = false;
  uint64_t line_number_ = 0;
  std::string_view line_;
};

}  // namespace indigo::engine
