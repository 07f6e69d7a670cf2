// COPY's text in another encoding than UTF-8: the option ENCODING, and client_encoding for files and programs on the server. What
// a client sends without the option is converted by the connection.
// Thread safety: none; one COPY.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/error.h"
#include "engine/copy/copy_options.h"
#include "engine/copy/copy_target.h"
#include "engine/row_sink.h"
#include "types/text/encodings.h"

namespace indigo::engine {

using CopyConverter = std::unique_ptr<types::TextConverter>;

// Null: the bytes are taken as they are. 0A000 for a client whose connection converts to yet another encoding.
Result<CopyConverter> open_copy_converter(const CopyOptions& options, std::string_view client_encoding, bool on_server);

class EncodedCopySource final : public CopySource {
 public:
  // Both outlive this.
  EncodedCopySource(CopySource& bytes, const types::TextConverter& converter) : bytes_(bytes), converter_(converter) {}
  Result<bool> read(std::string& out) override;

 private:
  CopySource& bytes_;
  const types::TextConverter& converter_;
  std::string unfinished_;  // the beginning of a line
};

class EncodedCopyTarget final : public CopyTarget {
 public:
  EncodedCopyTarget(std::unique_ptr<CopyTarget> bytes, CopyConverter converter)
      : bytes_(std::move(bytes)), converter_(std::move(converter)) {}
  void begin(CopyFormat format, uint32_t column_count) override { bytes_->begin(format, column_count); }
  Status data(std::string_view text) override;
  Status end() override { return bytes_->end(); }

 private:
  std::unique_ptr<CopyTarget> bytes_;
  CopyConverter converter_;
  std::string converted_;
};

}  // namespace indigo::engine
