// record_image_eq and the like: composite values compared by their bytes. Equality is PostgreSQL's; the order is one that
// sorts by these bytes, which are this server's own for numeric, jsonb and arrays.
#include <cstring>

#include "types/function/compare.h"
#include "types/function/families.h"
#include "types/function/kernel.h"
#include "types/io/record_compare.h"

namespace indigo::types {

namespace {

// What passes by value compares as an unsigned word.
uint64_t word_of(const Datum& d, Phys phys) {
  switch (phys) {
    case Phys::kBool: return d.b ? 1 : 0;
    case Phys::kI16: return static_cast<uint64_t>(int64_t{d.i16});
    case Phys::kI32:
    case Phys::kF32: {
      int32_t bits = 0;
      std::memcpy(&bits, &d.block, sizeof bits);
      return static_cast<uint64_t>(int64_t{bits});
    }
    default: {
      uint64_t bits = 0;
      std::memcpy(&bits, &d.block, sizeof bits);
      return bits;
    }
  }
}
int compare_images(const Datum& a, const Datum& b, Oid) {
  const Phys phys = a.phys;
  if (phys == Phys::kStr) return three_way(a.str.compare(b.str), 0);
  if (phys == Phys::kB16) return std::memcmp(&a.block, &b.block, sizeof a.block);
  return three_way(word_of(a, phys), word_of(b, phys));
}

int compare_record_images(FuncContext& context, Str x, Str y) { return compare_fields(context, x, y, compare_images); }
bool image_eq(FuncContext& c, Str a, Str b) { return compare_record_images(c, a, b) == 0; }
bool image_ne(FuncContext& c, Str a, Str b) { return compare_record_images(c, a, b) != 0; }
bool image_lt(FuncContext& c, Str a, Str b) { return compare_record_images(c, a, b) < 0; }
bool image_le(FuncContext& c, Str a, Str b) { return compare_record_images(c, a, b) <= 0; }
bool image_gt(FuncContext& c, Str a, Str b) { return compare_record_images(c, a, b) > 0; }
bool image_ge(FuncContext& c, Str a, Str b) { return compare_record_images(c, a, b) >= 0; }
int32_t image_cmp(FuncContext& c, Str a, Str b) { return three_way(compare_record_images(c, a, b), 0); }

const ScalarEntry kRecordImageEntries[] = {
    {"record_image_eq", kernel<image_eq>},   {"record_image_ne", kernel<image_ne>},
    {"record_image_lt", kernel<image_lt>},   {"record_image_le", kernel<image_le>},
    {"record_image_gt", kernel<image_gt>},   {"record_image_ge", kernel<image_ge>},
    {"btrecordimagecmp", kernel<image_cmp>},
};

}  // namespace

std::span<const ScalarEntry> record_image_functions() { return kRecordImageEntries; }

}  // namespace indigo::types
