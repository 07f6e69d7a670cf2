#include "wire/session/row_encoder.h"

#include <charconv>

#include "base/sqlstate.h"
#include "types/function/registry.h"
#include "types/oids.h"
#include "wire/messages/frame.h"

namespace indigo::wire {

namespace {

using Kind = RowEncoder::Kind;

constexpr size_t kMaxDigits = 20;  // of an int8, with its sign

template <class T>
void put_number(OutputBuffer& out, T value) {
  char* at = out.reserve(4 + kMaxDigits);
  char* end = std::to_chars(at + 4, at + 4 + kMaxDigits, value).ptr;
  store_unaligned(at, big_endian(static_cast<uint32_t>(end - at - 4)));
  out.advance(static_cast<size_t>(end - at));
}

template <class T>
void put_fixed(OutputBuffer& out, T big_endian_value) {
  char* at = out.reserve(4 + sizeof(T));
  store_unaligned(at, big_endian(static_cast<uint32_t>(sizeof(T))));
  store_unaligned(at + 4, big_endian_value);
  out.advance(4 + sizeof(T));
}

void put_sized(OutputBuffer& out, std::string_view bytes) {
  char* at = out.reserve(4 + bytes.size());
  store_unaligned(at, big_endian(static_cast<uint32_t>(bytes.size())));
  if (!bytes.empty()) std::memcpy(at + 4, bytes.data(), bytes.size());
  out.advance(4 + bytes.size());
}

bool is_text_family(Oid type) {
  switch (type) {
    case oid::kText:
    case oid::kVarchar:
    case oid::kBpchar:
    case oid::kName:
    case oid::kJson:
    case oid::kUnknown:
    case oid::kCstring: return true;
    default: return false;
  }
}

}  // namespace

Kind encoding_of(Oid type, Phys phys, engine::Format format) {
  bool binary = format == engine::Format::kBinary;
  switch (phys) {
    case Phys::kBool:
      if (type == oid::kBool) return binary ? Kind::kBinaryBool : Kind::kTextBool;
      break;
    case Phys::kI16:
      if (type == oid::kInt2) return binary ? Kind::kBinary2 : Kind::kTextInt2;
      break;
    case Phys::kI32:
      if (type == oid::kInt4) return binary ? Kind::kBinary4 : Kind::kTextInt4;
      if (type == oid::kOid || type == oid::kXid || type == oid::kCid) return binary ? Kind::kBinary4 : Kind::kTextOid;
      if (type == oid::kDate && binary) return Kind::kBinary4;
      break;
    case Phys::kI64:
      if (type == oid::kInt8) return binary ? Kind::kBinary8 : Kind::kTextInt8;
      if (binary && (type == oid::kTimestamp || type == oid::kTimestampTz || type == oid::kTime)) return Kind::kBinary8;
      break;
    case Phys::kF32:
      if (type == oid::kFloat4 && binary) return Kind::kBinary4;
      break;
    case Phys::kF64:
      if (type == oid::kFloat8 && binary) return Kind::kBinary8;
      break;
    case Phys::kB16:
      if (type == oid::kUuid && binary) return Kind::kBinary16;
      break;
    case Phys::kStr:
      if (is_text_family(type) || (type == oid::kBytea && binary)) return Kind::kRawBytes;
      break;
  }
  return binary ? Kind::kSend : Kind::kOutput;
}

void RowEncoder::begin(const engine::ResultShape& shape, const Chunk& chunk, types::FuncContext& context,
                       const types::TextConverter* converter) {
  converter_ = converter;
  shape_ = &shape;
  chunk_ = &chunk;
  context_ = &context;
  kinds_.resize(shape.columns.size());
  for (size_t i = 0; i < kinds_.size(); i++) {
    engine::Format format = i < shape.formats.size() ? shape.formats[i] : engine::Format::kText;
    kinds_[i] = encoding_of(shape.columns[i].type.oid, chunk.columns[i].phys(), format);
    if (converter != nullptr && kinds_[i] == Kind::kRawBytes && is_text_family(shape.columns[i].type.oid))
      kinds_[i] = Kind::kConvertedText;
  }
}

Status RowEncoder::row(uint32_t row, OutputBuffer& out) {
  size_t begin = out.size();
  size_t length_at = out.begin_message('D');
  out.put_int16(static_cast<int16_t>(kinds_.size()));
  for (size_t i = 0; i < kinds_.size(); i++) {
    const Vector& vector = chunk_->columns[i];
    if (vector.is_null(row)) {
      out.put_int32(-1);
      continue;
    }
    switch (kinds_[i]) {
      case Kind::kTextInt4: put_number(out, vector.get<int32_t>(row)); break;
      case Kind::kTextInt8: put_number(out, vector.get<int64_t>(row)); break;
      case Kind::kTextInt2: put_number(out, vector.get<int16_t>(row)); break;
      case Kind::kTextOid: put_number(out, vector.get<uint32_t>(row)); break;
      case Kind::kTextBool: put_fixed(out, vector.get<bool>(row) ? 't' : 'f'); break;
      case Kind::kRawBytes: put_sized(out, vector.get<Str>(row)); break;
      case Kind::kBinaryBool: put_fixed(out, static_cast<char>(vector.get<bool>(row))); break;
      case Kind::kBinary2: put_fixed(out, big_endian(vector.get<uint16_t>(row))); break;
      case Kind::kBinary4: put_fixed(out, big_endian(vector.get<uint32_t>(row))); break;
      case Kind::kBinary8: put_fixed(out, big_endian(vector.get<uint64_t>(row))); break;
      case Kind::kBinary16: put_fixed(out, vector.get<Block16>(row)); break;
      case Kind::kConvertedText:
        if (auto status = converted_value(vector.get<Str>(row), out); !status.ok()) {
          out.truncate(begin);
          return status;
        }
        break;
      case Kind::kOutput:
      case Kind::kSend:
        if (auto status = slow_value(i, vector, row, out); !status.ok()) {
          out.truncate(begin);
          return status;
        }
        break;
    }
    if (out.size() - length_at > kMaxMessageBytes) {
      out.truncate(begin);
      return Error(sqlstate::kProgramLimitExceeded, "out of memory").with_detail("A row of a result exceeds 1 GB.");
    }
  }
  out.end_message(length_at);
  return {};
}

Status RowEncoder::converted_value(Str text, OutputBuffer& out) {
  converted_.clear();
  INDIGO_TRY(converter_->from_utf8(text, converted_));
  put_sized(out, converted_);
  return {};
}

Status RowEncoder::slow_value(size_t column, const Vector& vector, uint32_t row, OutputBuffer& out) {
  scratch_.clear();
  const auto& type = shape_->columns[column].type;
  Datum value = vector.datum(row);
  if (kinds_[column] == Kind::kSend) {
    types::type_send(*context_, type, value, scratch_);
  } else {
    types::type_output(*context_, type, value, scratch_);
  }
  if (context_->failed()) return context_->take_error();
  if (converter_ != nullptr && kinds_[column] == Kind::kOutput) {
    INDIGO_TRY(converted_value(scratch_, out));
  } else {
    put_sized(out, scratch_);
  }
  constexpr size_t kKeptBytesMax = 1 << 20;
  if (scratch_.capacity() > kKeptBytesMax) std::string().swap(scratch_);
  return {};
}

}  // namespace indigo::wire
