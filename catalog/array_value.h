// The byte form of an array value (also int2vector and oidvector, whose lower bound is 0): what Phys::kStr holds for
// every array type. Self-describing, so that arrays can be walked without the catalog.
//
//   bytes 0..3   element type OID
//   byte  4      number of dimensions (0: an empty array)
//   byte  5      flags: 1 = has nulls
//   byte  6      Phys of the elements
//   byte  7      zero
//   then         for each dimension int32 length, int32 lower bound
//   then         with nulls: a bitmap of (count + 7) / 8 bytes, bit 1 = null
//   then         fixed-width elements: count * phys_bytes(phys), nulls zero
//                strings: count uint32 end offsets relative to the byte area, then the byte area
// Integers are in host order and unaligned. Equal arrays have equal bytes only where their elements do.
//
// Thread safety: ArrayReader borrows the bytes and is immutable; ArrayWriter belongs to one owner.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "catalog/datum.h"

namespace indigo::catalog {

inline constexpr int kMaxArrayDimensions = 6;
inline constexpr size_t kArrayHeaderBytes = 8;

struct ArrayDimension {
  int32_t length = 0;
  int32_t lower = 1;
  friend bool operator==(const ArrayDimension&, const ArrayDimension&) = default;
};

// Reads array bytes made by ArrayWriter (trusted).
class ArrayReader {
 public:
  explicit ArrayReader(Bytes bytes);
  Oid element_type() const { return element_type_; }
  Phys phys() const { return phys_; }
  int dimension_count() const { return dimension_count_; }
  ArrayDimension dimension(int i) const {
    return load_unaligned<ArrayDimension>(base_ + kArrayHeaderBytes + sizeof(ArrayDimension) * static_cast<size_t>(i));
  }
  uint32_t count() const { return count_; }  // elements in all dimensions
  bool has_nulls() const { return nulls_ != nullptr; }
  bool is_null(uint32_t i) const { return nulls_ != nullptr && ((nulls_[i / 8] >> (i % 8)) & 1) != 0; }
  Datum element(uint32_t i) const;  // in storage (row-major) order; strings borrow from the bytes

 private:
  const char* base_;
  const char* nulls_ = nullptr;
  const char* elements_ = nullptr;
  uint32_t count_ = 0;
  Oid element_type_ = kInvalidOid;
  Phys phys_ = Phys::kI32;
  int dimension_count_ = 0;
};

// Builds array bytes. No elements or no dimensions give the empty array.
// one-dimensional, lower bound `lower`
std::string make_array(Oid element_type, Phys phys, std::span<const Datum> elements, int32_t lower = 1);
// the product of the dimensions' lengths must be elements.size()
std::string make_array(Oid element_type, Phys phys, std::span<const ArrayDimension> dimensions,
                       std::span<const Datum> elements);

}  // namespace indigo::catalog
