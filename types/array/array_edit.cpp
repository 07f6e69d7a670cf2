#include "types/array/array_edit.h"

#include <cstring>

#include "base/bytes.h"
#include "base/fiber/long_work.h"
#include "types/value/array_format.h"

namespace indigo::types {

namespace {

constexpr size_t kLengthAt = 8;                     // of the first dimension
constexpr size_t kGreatestImage = size_t{1} << 29;  // what is larger is made anew, and meets the limits of values there
constexpr size_t kOffsetBytes = sizeof(uint32_t);

bool fits(const std::string& image, const ArrayView& array, const Datum& element) {
  if (element.null || element.phys != array.element_phys()) return false;
  return image.size() + (element.phys == Phys::kStr ? element.str.size() : 0) < kGreatestImage;
}

// Where the elements begin, behind the bitmap of nulls.
size_t values_at(const ArrayView& array) {
  const auto bitmap = array.has_nulls() ? static_cast<size_t>(array.count() + 7) / 8 : 0;
  return 8 + static_cast<size_t>(array.dimensions()) * 8 + bitmap;
}

// Those behind it first: most arrays are filled from the front.
bool has_other_null(const ArrayView& array, int32_t than) {
  for (int32_t i = than + 1; i < array.count(); i++) {
    if (array.is_null(i)) return true;
  }
  for (int32_t i = 0; i < than; i++) {
    if (array.is_null(i)) return true;
  }
  return false;
}

void store_fixed(std::string& image, size_t at, const Datum& element) {
  std::memcpy(image.data() + at, &element.block, phys_bytes(element.phys));
}

// The bytes of string `i`, whose end and all ends behind it move.
void store_string(std::string& image, size_t values, int32_t i, int32_t count, Str element) {
  const auto end_at = [&](int32_t k) { return image.data() + values + static_cast<size_t>(k) * kOffsetBytes; };
  const uint32_t begin = i == 0 ? 0 : load_unaligned<uint32_t>(end_at(i - 1));
  const uint32_t end = load_unaligned<uint32_t>(end_at(i));
  const auto moved = static_cast<uint32_t>(element.size()) - (end - begin);
  image.replace(values + static_cast<size_t>(count) * kOffsetBytes + begin, end - begin, element);
  if (moved == 0) return;
  for (int32_t k = i; k < count; k++) store_unaligned(end_at(k), load_unaligned<uint32_t>(end_at(k)) + moved);
}

// Before bytes move: some thirty in a nanosecond.
void note_move(const std::string& image) { note_work(image.size() / 32); }

bool is_within(const std::string& image, Str part) {
  return part.data() >= image.data() && part.data() < image.data() + image.size();
}

}  // namespace

bool append_in_place(std::string& image, const Datum& element) {
  const ArrayView array(image);
  if (array.dimensions() != 1 || array.has_nulls() || !fits(image, array, element)) return false;
  const int32_t count = array.count();
  if (count == 0 || count >= kMaxArrayElements || array.upper(0) >= INT32_MAX - 1) return false;
  const size_t values = values_at(array);
  if (element.phys == Phys::kStr) {
    note_move(image);
    const std::string kept = is_within(image, element.str) ? std::string(element.str) : std::string();
    const Str bytes = kept.empty() ? element.str : Str(kept);
    const size_t offsets_end = values + static_cast<size_t>(count) * kOffsetBytes;
    const auto end = static_cast<uint32_t>(image.size() - offsets_end + bytes.size());
    char offset[kOffsetBytes];
    store_unaligned(offset, end);
    image.insert(offsets_end, offset, kOffsetBytes);
    image.append(bytes);
  } else {
    const size_t at = image.size();
    image.resize(at + phys_bytes(element.phys));
    store_fixed(image, at, element);
  }
  store_unaligned(image.data() + kLengthAt, count + 1);
  return true;
}

bool store_in_place(std::string& image, std::span<const int32_t> subscripts, const Datum& element) {
  const ArrayView array(image);
  if (subscripts.empty() || static_cast<size_t>(array.dimensions()) != subscripts.size() ||
      !fits(image, array, element))
    return false;
  if (subscripts.size() == 1 && int64_t{subscripts[0]} == int64_t{array.upper(0)} + 1)
    return append_in_place(image, element);
  int64_t index = 0;
  for (size_t d = 0; d < subscripts.size(); d++) {
    const ArrayDimension dimension = array.dimension(static_cast<int>(d));
    const int64_t at = int64_t{subscripts[d]} - dimension.lower;
    if (at < 0 || at >= dimension.length) return false;
    index = index * dimension.length + at;
  }
  const auto i = static_cast<int32_t>(index);
  const size_t values = values_at(array);
  if (array.is_null(i)) {
    // The bitmap is there while there is a null.
    if (!has_other_null(array, i)) return false;
    const size_t bitmap = 8 + static_cast<size_t>(array.dimensions()) * 8;
    char& bits = image[bitmap + static_cast<size_t>(i) / 8];
    bits = static_cast<char>(static_cast<uint8_t>(bits) & ~(1U << (i & 7)));
  }
  if (element.phys == Phys::kStr) {
    note_move(image);
    const std::string kept = is_within(image, element.str) ? std::string(element.str) : std::string();
    store_string(image, values, i, array.count(), kept.empty() ? element.str : Str(kept));
  } else {
    store_fixed(image, values + static_cast<size_t>(i) * phys_bytes(element.phys), element);
  }
  return true;
}

}  // namespace indigo::types
