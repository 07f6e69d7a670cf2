// Rows of a chunk as DataRow messages, straight into the output buffer. Integers, booleans and the text family are
// written here; every other type through types/'s type_output and type_send. Thread safety: none. A row allocates
// nothing once the buffers have grown.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/row_sink.h"
#include "types/function/context.h"
#include "types/text/encodings.h"
#include "wire/net/output_buffer.h"

namespace indigo::wire {

class RowEncoder {
 public:
  // How one column is written; see row_encoder.cpp.
  enum class Kind : uint8_t {
    kTextBool,
    kTextInt2,
    kTextInt4,
    kTextInt8,
    kTextOid,
    kRawBytes,       // the value's bytes are its text, or its binary form
    kConvertedText,  // the same, for the client's encoding
    kBinaryBool,
    kBinary2,
    kBinary4,
    kBinary8,
    kBinary16,
    kOutput,  // type_output
    kSend,    // type_send
  };

  // Chooses each column's kind for rows() that follow. `context` is the session's.
  // `converter`: to the client's encoding; null: it is UTF-8.
  void begin(const engine::ResultShape& shape, const Chunk& chunk, types::FuncContext& context,
             const types::TextConverter* converter = nullptr);
  // Writes row `row` (physical) of the chunk that begin() saw. A row of over 1 GB is an error (54000) and writes
  // nothing; an error of a type's output likewise.
  Status row(uint32_t row, OutputBuffer& out);

 private:
  Status converted_value(Str text, OutputBuffer& out);
  Status slow_value(size_t column, const Vector& vector, uint32_t row, OutputBuffer& out);

  const engine::ResultShape* shape_ = nullptr;
  const Chunk* chunk_ = nullptr;
  types::FuncContext* context_ = nullptr;
  const types::TextConverter* converter_ = nullptr;
  std::vector<Kind> kinds_;
  std::string scratch_, converted_;
};

// Which kind a column of this type, physical kind and format is.
RowEncoder::Kind encoding_of(Oid type, Phys phys, engine::Format format);

}  // namespace indigo::wire
