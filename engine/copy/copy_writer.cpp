#include "engine/copy/copy_writer.h"

#include "base/bytes.h"
#include "types/function/registry.h"

namespace indigo::engine {

CopyWriter::CopyWriter(CopyTarget& target, types::FuncContext& context, const CopyOptions& options,
                       const ResultShape& shape, std::vector<bool> force_quote)
    : target_(target), context_(context), options_(options), shape_(shape), force_quote_(std::move(force_quote)) {}

Status CopyWriter::begin() {
  target_.begin(options_.format, static_cast<uint32_t>(shape_.columns.size()));
  if (options_.format == CopyFormat::kBinary) {
    header_.assign("PGCOPY\n\377\r\n\0\0\0\0\0\0\0\0\0", 19);
    return {};
  }
  if (!options_.header) return {};
  line_.clear();
  for (size_t i = 0; i < shape_.columns.size(); i++) {
    if (i > 0) line_.push_back(options_.delimiter);
    if (options_.format == CopyFormat::kCsv) {
      csv_field(shape_.columns[i].name, false);
    } else {
      text_field(shape_.columns[i].name);
    }
  }
  line_.push_back('\n');
  return target_.data(line_);
}

void CopyWriter::text_field(std::string_view value) {
  for (char c : value) {
    char escape = 0;
    switch (c) {
      case '\b': escape = 'b'; break;
      case '\f': escape = 'f'; break;
      case '\n': escape = 'n'; break;
      case '\r': escape = 'r'; break;
      case '\t': escape = 't'; break;
      case '\v': escape = 'v'; break;
      case '\\': escape = '\\'; break;
      default: escape = c == options_.delimiter ? c : '\0';
    }
    if (escape != 0) {
      line_.push_back('\\');
      line_.push_back(escape);
    } else {
      line_.push_back(c);
    }
  }
}

void CopyWriter::csv_field(std::string_view value, bool force) {
  bool quote = force || value == options_.null_text || (shape_.columns.size() == 1 && value == "\\.");
  for (char c : value) quote |= c == options_.delimiter || c == options_.quote || c == '\n' || c == '\r';
  if (!quote) {
    line_.append(value);
    return;
  }
  line_.push_back(options_.quote);
  for (char c : value) {
    if (c == options_.quote || c == options_.escape) line_.push_back(options_.escape);
    line_.push_back(c);
  }
  line_.push_back(options_.quote);
}

void CopyWriter::binary_field(const types::TypeRef& type, const Datum& value) {
  char length[4];
  if (value.null) {
    store_unaligned(length, big_endian(uint32_t{0xffffffff}));
    line_.append(length, 4);
    return;
  }
  value_.clear();
  types::type_send(context_, type, value, value_);
  store_unaligned(length, big_endian(static_cast<uint32_t>(value_.size())));
  line_.append(length, 4);
  line_.append(value_);
}

Status CopyWriter::rows(const Chunk& chunk) {
  for (uint32_t i = 0; i < chunk.rows(); i++) {
    const uint32_t row = chunk.selection[i];
    line_.clear();
    if (options_.format == CopyFormat::kBinary) {
      line_.swap(header_);
      char count[2];
      store_unaligned(count, big_endian(static_cast<uint16_t>(shape_.columns.size())));
      line_.append(count, 2);
    }
    for (size_t c = 0; c < shape_.columns.size(); c++) {
      const Datum value = chunk.columns[c].datum(row);
      if (options_.format == CopyFormat::kBinary) {
        binary_field(shape_.columns[c].type, value);
        continue;
      }
      if (c > 0) line_.push_back(options_.delimiter);
      if (value.null) {
        line_.append(options_.null_text);
        continue;
      }
      value_.clear();
      types::type_output(context_, shape_.columns[c].type, value, value_);
      if (options_.format == CopyFormat::kCsv) {
        csv_field(value_, force_quote_[c]);
      } else {
        text_field(value_);
      }
    }
    if (options_.format != CopyFormat::kBinary) line_.push_back('\n');
    if (context_.failed()) return context_.take_error();
    INDIGO_TRY(target_.data(line_));
  }
  return {};
}

Status CopyWriter::end() {
  if (options_.format == CopyFormat::kBinary) INDIGO_TRY(target_.data(header_ + "\377\377"));
  return target_.end();
}

}  // namespace indigo::engine
