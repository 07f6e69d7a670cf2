#include "catalog/array_value.h"

#include <cassert>

namespace indigo::catalog {
namespace {

Datum load_fixed(Phys phys, const char* p) {
  switch (phys) {
    case Phys::kBool: return Datum::of(*p != 0);
    case Phys::kI16: return Datum::of(load_unaligned<int16_t>(p));
    case Phys::kI32: return Datum::of(load_unaligned<int32_t>(p));
    case Phys::kI64: return Datum::of(load_unaligned<int64_t>(p));
    case Phys::kF32: return Datum::of(load_unaligned<float>(p));
    case Phys::kF64: return Datum::of(load_unaligned<double>(p));
    case Phys::kB16: return Datum::of(load_unaligned<Block16>(p));
    case Phys::kStr: break;
  }
  return Datum::make_null(phys);
}

template <class T>
void append_raw(std::string& out, const T& v) {
  out.append(reinterpret_cast<const char*>(&v), sizeof v);
}

void append_fixed(Phys phys, const Datum& d, std::string& out) {
  if (d.null) {
    out.append(phys_bytes(phys), '\0');
    return;
  }
  switch (phys) {
    case Phys::kBool: out.push_back(d.b ? 1 : 0); break;
    case Phys::kI16: append_raw(out, d.i16); break;
    case Phys::kI32: append_raw(out, d.i32); break;
    case Phys::kI64: append_raw(out, d.i64); break;
    case Phys::kF32: append_raw(out, d.f32); break;
    case Phys::kF64: append_raw(out, d.f64); break;
    case Phys::kB16: append_raw(out, d.block); break;
    case Phys::kStr: break;
  }
}

}  // namespace

ArrayReader::ArrayReader(Bytes bytes) : base_(bytes.data()) {
  assert(bytes.size() >= kArrayHeaderBytes);
  element_type_ = load_unaligned<uint32_t>(base_);
  dimension_count_ = static_cast<uint8_t>(base_[4]);
  const bool nulls = (base_[5] & 1) != 0;
  phys_ = static_cast<Phys>(base_[6]);
  if (dimension_count_ == 0) return;
  count_ = 1;
  for (int i = 0; i < dimension_count_; i++) count_ *= static_cast<uint32_t>(dimension(i).length);
  elements_ = base_ + kArrayHeaderBytes + sizeof(ArrayDimension) * static_cast<size_t>(dimension_count_);
  if (nulls) {
    nulls_ = elements_;
    elements_ += (count_ + 7) / 8;
  }
}

Datum ArrayReader::element(uint32_t i) const {
  if (is_null(i)) return Datum::make_null(phys_);
  if (phys_ != Phys::kStr) return load_fixed(phys_, elements_ + size_t{i} * phys_bytes(phys_));
  const uint32_t begin = i == 0 ? 0 : load_unaligned<uint32_t>(elements_ + 4 * (size_t{i} - 1));
  const uint32_t end = load_unaligned<uint32_t>(elements_ + 4 * size_t{i});
  return Datum::of(Str(elements_ + 4 * size_t{count_} + begin, end - begin));
}

std::string make_array(Oid element_type, Phys phys, std::span<const ArrayDimension> dimensions,
                       std::span<const Datum> elements) {
  std::string out;
  append_raw(out, element_type);
  const bool empty = elements.empty() || dimensions.empty();
  bool nulls = false;
  for (const Datum& d : elements) nulls |= d.null;
  out.push_back(empty ? 0 : static_cast<char>(dimensions.size()));
  out.push_back(!empty && nulls ? 1 : 0);
  out.push_back(static_cast<char>(phys));
  out.push_back(0);
  if (empty) return out;
  for (const ArrayDimension& d : dimensions) append_raw(out, d);
  if (nulls) {
    const size_t at = out.size();
    out.append((elements.size() + 7) / 8, '\0');
    for (size_t i = 0; i < elements.size(); i++) {
      if (elements[i].null) out[at + i / 8] = static_cast<char>(out[at + i / 8] | (1 << (i % 8)));
    }
  }
  if (phys != Phys::kStr) {
    for (const Datum& d : elements) append_fixed(phys, d, out);
    return out;
  }
  uint32_t end = 0;
  for (const Datum& d : elements) {
    if (!d.null) end += static_cast<uint32_t>(d.str.size());
    append_raw(out, end);
  }
  for (const Datum& d : elements) {
    if (!d.null) out.append(d.str);
  }
  return out;
}

std::string make_array(Oid element_type, Phys phys, std::span<const Datum> elements, int32_t lower) {
  const ArrayDimension dimension{static_cast<int32_t>(elements.size()), lower};
  return make_array(element_type, phys, std::span(&dimension, 1), elements);
}

}  // namespace indigo::catalog
