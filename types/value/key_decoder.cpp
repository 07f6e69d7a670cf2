#include "types/value/key_decoder.h"

#include <cstring>

#include "base/bytes.h"
#include "types/io/type_definition.h"
#include "types/oids.h"
#include "types/value/collator.h"

namespace indigo::types {
namespace {

template <class U>
U read_unsigned(const char* at, bool descending) {
  const U value = big_endian(load_unaligned<U>(at));
  return descending ? static_cast<U>(~value) : value;
}
template <class U>
U read_signed(const char* at, bool descending) {
  return static_cast<U>(read_unsigned<U>(at, descending) ^ (U{1} << (sizeof(U) * 8 - 1)));
}

}  // namespace

KeyDecoder::Form KeyDecoder::form_of(const KeyColumn& column) {
  const TypeDefinition* definition = type_definition(column.type);
  if (column.collator != nullptr && column.collator->values() != nullptr) return Form::kNone;  // labels
  if (definition == nullptr || definition->phys != column.phys) return Form::kNone;
  switch (definition->key) {
    case KeyForm::kBool: return Form::kBool;
    case KeyForm::kI16: return Form::k16;
    case KeyForm::kI32: return Form::k32;
    case KeyForm::kI64: return Form::k64;
    case KeyForm::kU32: return Form::kUnsigned32;
    case KeyForm::kU64: return Form::kUnsigned64;
    case KeyForm::kUuid: return column.phys == Phys::kB16 ? Form::kUuid : Form::kNone;
    case KeyForm::kText: return column.phys == Phys::kStr && column.collator == nullptr ? Form::kText : Form::kNone;
    default: return Form::kNone;
  }
}

bool KeyDecoder::can_decode(const KeyLayout& layout, size_t column) {
  for (size_t i = 0; i <= column; i++) {
    if (form_of(layout.column(i)) == Form::kNone) return false;
  }
  return true;
}

KeyDecoder::KeyDecoder(const KeyLayout& layout, std::vector<size_t> wanted) : wanted_(std::move(wanted)) {
  if (wanted_.empty()) return;
  for (size_t i = 0; i <= wanted_.back(); i++) {
    const KeyColumn& c = layout.column(i);
    columns_.push_back({form_of(c), c.nullable, c.descending});
  }
}

// Up to 0x00 0x01, where 0x00 0xFF stands for 0x00; all bits inverted when descending.
Str KeyDecoder::read_text(Bytes key, size_t& at, bool descending, Arena& arena) {
  const char zero = descending ? '\xFF' : '\0', escaped = descending ? '\0' : '\xFF';
  const size_t from = at;
  size_t escapes = 0;
  for (;;) {
    const void* found = std::memchr(key.data() + at, zero, key.size() - at);
    if (found == nullptr) break;  // no key is like that
    at = static_cast<size_t>(static_cast<const char*>(found) - key.data()) + 2;
    if (at > key.size() || key[at - 1] != escaped) break;
    escapes++;
  }
  const Str raw(key.data() + from, at - from - 2);
  if (escapes == 0 && !descending) return raw;
  auto* out = static_cast<char*>(arena.allocate(raw.size() + 1, 1));
  size_t n = 0;
  for (size_t i = 0; i < raw.size(); i++) {
    out[n++] = descending ? static_cast<char>(~raw[i]) : raw[i];
    if (raw[i] == zero) i++;
  }
  return {out, n};
}

void KeyDecoder::decode(Bytes key, uint32_t row, Vector* const* outputs, Arena& arena) const {
  size_t at = 0, next = 0;
  for (size_t i = 0; i < columns_.size(); i++) {
    const Column& c = columns_[i];
    Vector* out = wanted_[next] == i ? outputs[next++] : nullptr;
    if (c.nullable && key[at++] != 1) {
      if (out != nullptr) out->set_null(row);
      continue;
    }
    if (out != nullptr) out->set_valid(row);
    const char* from = key.data() + at;
    switch (c.form) {
      case Form::kBool:
        if (out != nullptr) out->set<bool>(row, (c.descending ? static_cast<char>(~*from) : *from) != 0);
        at += 1;
        break;
      case Form::k16:
        if (out != nullptr) out->set(row, static_cast<int16_t>(read_signed<uint16_t>(from, c.descending)));
        at += 2;
        break;
      case Form::k32:
        if (out != nullptr) out->set(row, static_cast<int32_t>(read_signed<uint32_t>(from, c.descending)));
        at += 4;
        break;
      case Form::k64:
        if (out != nullptr) out->set(row, static_cast<int64_t>(read_signed<uint64_t>(from, c.descending)));
        at += 8;
        break;
      case Form::kUnsigned32:
        if (out != nullptr) out->set(row, static_cast<int32_t>(read_unsigned<uint32_t>(from, c.descending)));
        at += 4;
        break;
      case Form::kUnsigned64:
        if (out != nullptr) out->set(row, static_cast<int64_t>(read_unsigned<uint64_t>(from, c.descending)));
        at += 8;
        break;
      case Form::kUuid:
        if (out != nullptr) {
          char bytes[16];
          for (size_t b = 0; b < sizeof bytes; b++) bytes[b] = c.descending ? static_cast<char>(~from[b]) : from[b];
          std::memcpy(out->data<char>() + size_t{row} * sizeof bytes, bytes, sizeof bytes);
        }
        at += 16;
        break;
      case Form::kText: {
        const Str text = read_text(key, at, c.descending, arena);
        if (out != nullptr) out->set(row, text);
        break;
      }
      case Form::kNone: return;
    }
  }
}

}  // namespace indigo::types
