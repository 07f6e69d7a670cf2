#include "types/value/array_format.h"

#include "base/fiber/turns.h"
#include "base/raised_error.h"
#include "base/sqlstate.h"

namespace indigo {

std::string make_array(Oid element_type, Phys element_phys, std::span<const ArrayDimension> dimensions,
                       std::span<const Datum> elements) {
  if (elements.empty()) dimensions = {};
  bool nulls = false;
  size_t string_bytes = 0;
  Turns turns;
  for (const Datum& e : elements) {
    turns.work(4);
    nulls |= e.null;
    if (element_phys == Phys::kStr && !e.null) string_bytes += e.str.size();
  }
  const size_t count = elements.size();
  const size_t width = element_phys == Phys::kStr ? sizeof(uint32_t) : phys_bytes(element_phys);
  const size_t bitmap_at = 8 + dimensions.size() * 8;
  const size_t values_at = bitmap_at + (nulls ? (count + 7) / 8 : 0);
  // PostgreSQL's limit on a value. Offsets within an image have 32 bits.
  constexpr size_t kMaxImageBytes = 0x3fffffff;
  if (values_at + count * width + string_bytes > kMaxImageBytes) {
    throw RaisedError(Error(sqlstate::kProgramLimitExceeded,
                            "array size exceeds the maximum allowed (" + std::to_string(kMaxImageBytes) + ")"));
  }
  // Strings are appended one by one: the system gives memory for them when it is written, which takes long for much.
  std::string image;
  image.reserve(values_at + count * width + string_bytes);
  image.resize(values_at + count * width);
  char* p = image.data();
  p[0] = static_cast<char>(dimensions.size());
  p[1] = nulls;
  p[2] = static_cast<char>(element_phys);
  store_unaligned(p + 4, element_type);
  for (size_t d = 0; d < dimensions.size(); d++) {
    store_unaligned(p + 8 + d * 8, dimensions[d].length);
    store_unaligned(p + 12 + d * 8, dimensions[d].lower);
  }
  uint32_t end = 0;
  for (size_t i = 0; i < count; i++) {
    const Datum& e = elements[i];
    turns.work(8);
    if (e.null) p[bitmap_at + i / 8] = static_cast<char>(p[bitmap_at + i / 8] | (1 << (i & 7)));
    if (element_phys == Phys::kStr) {
      if (!e.null && !e.str.empty()) {
        turns.work(e.str.size());
        image.append(e.str);
        end += static_cast<uint32_t>(e.str.size());
      }
      store_unaligned(p + values_at + i * 4, end);
    } else if (!e.null) {
      std::memcpy(p + values_at + i * width, &e.block, width);
    }
  }
  return image;
}

std::string make_array(Oid element_type, Phys element_phys, std::span<const Datum> elements) {
  const ArrayDimension dimension{static_cast<int32_t>(elements.size()), 1};
  return make_array(element_type, element_phys, {&dimension, 1}, elements);
}

namespace {

template <class T, class F>
std::vector<T> read_array(Bytes array, F read) {
  std::vector<T> out;
  if (array.empty()) return out;
  const ArrayView view(array);
  for (int32_t i = 0; i < view.count(); i++) out.push_back(read(view.element(i)));
  return out;
}

}  // namespace

std::vector<Oid> read_oids(Bytes array) {
  return read_array<Oid>(array, [](const Datum& d) { return d.oid(); });
}
std::vector<int16_t> read_i16s(Bytes array) {
  return read_array<int16_t>(array, [](const Datum& d) { return d.i16; });
}
std::vector<std::string> read_texts(Bytes array) {
  return read_array<std::string>(array, [](const Datum& d) { return std::string(d.null ? Str() : d.str); });
}

}  // namespace indigo
