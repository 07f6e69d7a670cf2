// The bytes of an array value (also int2vector and oidvector: one dimension from 0, no nulls).
//
//   uint8   dimensions (0..6; an empty array has none)
//   uint8   1 when a null bitmap follows the dimensions
//   uint8   physical kind of the elements
//   uint8   0
//   uint32  element type
//   then for each dimension: int32 length, int32 lower bound
//   then    null bitmap, 1 bit an element, 1 = null (only when flagged, and only when there is a null)
//   then    fixed-width elements: packed values, zero for nulls
//           strings: one uint32 end offset for each, relative to the area that follows, then the bytes
//
// Everything is unaligned. Invariant: equal arrays have equal images, if equal elements have.
// Thread safety: a view borrows the image.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "types/value/datum.h"

namespace indigo {

inline constexpr int kMaxArrayDimensions = 6;
inline constexpr int64_t kMaxArrayElements = 134217727;

struct ArrayDimension {
  int32_t length = 0;
  int32_t lower = 1;
  friend bool operator==(const ArrayDimension&, const ArrayDimension&) = default;
};

class ArrayView {
 public:
  explicit ArrayView(Str image) : p_(image.data()), size_(image.size()) {
    const char* at = p_ + 8;
    count_ = dimensions() == 0 ? 0 : 1;
    for (int d = 0; d < dimensions(); d++) count_ *= dimension(d).length;
    at += dimensions() * 8;
    if (has_nulls()) {
      bitmap_ = at;
      at += (count_ + 7) / 8;
    }
    values_ = at;
  }

  int dimensions() const { return static_cast<uint8_t>(p_[0]); }
  bool has_nulls() const { return p_[1] != 0; }
  Phys element_phys() const { return static_cast<Phys>(p_[2]); }
  Oid element_type() const { return load_unaligned<uint32_t>(p_ + 4); }
  ArrayDimension dimension(int d) const {
    return {load_unaligned<int32_t>(p_ + 8 + d * 8), load_unaligned<int32_t>(p_ + 12 + d * 8)};
  }
  int32_t upper(int d) const { return dimension(d).lower + (dimension(d).length - 1); }
  int32_t count() const { return count_; }
  bool is_null(int32_t i) const { return bitmap_ && ((static_cast<uint8_t>(bitmap_[i >> 3]) >> (i & 7)) & 1); }

  // Element i in row-major order; strings borrow from the image.
  Datum element(int32_t i) const {
    Datum d = Datum::make_null(element_phys());
    if (is_null(i)) return d;
    d.null = false;
    if (element_phys() == Phys::kStr) {
      const uint32_t begin = i == 0 ? 0 : load_unaligned<uint32_t>(values_ + (int64_t{i} - 1) * 4);
      const uint32_t end = load_unaligned<uint32_t>(values_ + int64_t{i} * 4);
      d.str = Str(values_ + int64_t{count_} * 4 + begin, end - begin);
    } else {
      std::memcpy(&d.block, values_ + int64_t{i} * phys_bytes(element_phys()), phys_bytes(element_phys()));
    }
    return d;
  }

 private:
  const char* p_;
  size_t size_;
  int32_t count_ = 0;
  const char* bitmap_ = nullptr;
  const char* values_ = nullptr;
};

// The image of `elements` in row-major order; their number is the dimensions' product (both empty: the empty array).
std::string make_array(Oid element_type, Phys element_phys, std::span<const ArrayDimension> dimensions,
                       std::span<const Datum> elements);
// One dimension from 1.
std::string make_array(Oid element_type, Phys element_phys, std::span<const Datum> elements);

// The elements of an image that may be empty, which has none.
std::vector<Oid> read_oids(Bytes array);      // of oid[] and oidvector
std::vector<int16_t> read_i16s(Bytes array);  // of int2[] and int2vector
std::vector<std::string> read_texts(Bytes array);

}  // namespace indigo
