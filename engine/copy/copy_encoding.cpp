#include "engine/copy/copy_encoding.h"

#include "base/sqlstate.h"

namespace indigo::engine {

Result<CopyConverter> open_copy_converter(const CopyOptions& options, std::string_view client_encoding,
                                          bool on_server) {
  if (options.format == CopyFormat::kBinary) return CopyConverter();
  const int32_t client = types::encoding_number(client_encoding);
  if (on_server || options.encoding.empty()) {
    if (!on_server) return CopyConverter();
    return types::TextConverter::open(options.encoding.empty() ? client_encoding : std::string_view(options.encoding));
  }
  if (types::encoding_number(options.encoding) == client) return CopyConverter();
  INDIGO_ASSIGN(const CopyConverter connection, types::TextConverter::open(client_encoding));
  if (connection != nullptr) {
    return Error(sqlstate::kFeatureNotSupported, "COPY encoding \"" + options.encoding +
                                                     "\" is not supported with client_encoding \"" +
                                                     std::string(client_encoding) + "\"");
  }
  return types::TextConverter::open(options.encoding);
}

// Line by line: no encoding has a character that contains the line's end.
Result<bool> EncodedCopySource::read(std::string& out) {
  for (;;) {
    const size_t searched = unfinished_.size();  // a line may be longer than many reads
    INDIGO_ASSIGN(const bool more, bytes_.read(unfinished_));
    size_t end = unfinished_.size();
    while (more && end > searched && unfinished_[end - 1] != '\n') end--;
    if (more && end == searched) continue;
    INDIGO_TRY(converter_.to_utf8(Str(unfinished_).substr(0, end), out));
    unfinished_.erase(0, end);
    return more || end > 0;
  }
}

Status EncodedCopyTarget::data(std::string_view text) {
  converted_.clear();
  INDIGO_TRY(converter_->from_utf8(text, converted_));
  return bytes_->data(converted_);
}

}  // namespace indigo::engine
