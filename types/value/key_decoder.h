// Columns of keys as KeyLayout encodes them, back to values: those whose bytes say all of the value. A numeric's key has lost its
// trailing zeros, a float's its sign of zero, a text's under an ICU collation the text: they have no way back.
// Thread safety: const members are safe from any thread.
#pragma once

#include <vector>

#include "base/bytes.h"
#include "base/memory/arena.h"
#include "types/value/key_codec.h"
#include "types/value/vector.h"

namespace indigo::types {

class KeyDecoder {
 public:
  // `wanted`: columns of the layout, ascending; each can_decode.
  KeyDecoder(const KeyLayout& layout, std::vector<size_t> wanted);
  KeyDecoder() = default;

  // Whether this column can be had: it has a way back, and so have those before it.
  static bool can_decode(const KeyLayout& layout, size_t column);

  // Row `row` of outputs[i], unless that is null, becomes the i-th wanted column's value. Strings borrow from the key, or lie in
  // `arena`.
  void decode(Bytes key, uint32_t row, Vector* const* outputs, Arena& arena) const;
  const std::vector<size_t>& wanted() const { return wanted_; }

 private:
  enum class Form : uint8_t { kNone, kBool, k16, k32, k64, kUnsigned32, kUnsigned64, kText, kUuid };
  struct Column {
    Form form;
    bool nullable, descending;
  };
  static Form form_of(const KeyColumn& column);
  static Str read_text(Bytes key, size_t& at, bool descending, Arena& arena);

  std::vector<Column> columns_;  // up to the last wanted one
  std::vector<size_t> wanted_;
};

}  // namespace indigo::types
