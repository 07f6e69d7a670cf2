#include "types/io/sound_image.h"

#include <algorithm>
#include <array>

#include "base/bytes.h"
#include "base/fiber/long_work.h"
#include "types/io/type_definition.h"
#include "types/oids.h"
#include "types/value/array_format.h"
#include "types/value/numeric_format.h"

namespace indigo::types {

namespace {

bool is_sound_numeric(Str image) {
  if (image.empty()) return false;
  const auto first = static_cast<uint8_t>(image[0]);
  if (numeric_is_special(image)) return image.size() == 1 && first <= kNumericNan;
  if (numeric_is_small(image)) {
    constexpr auto kEnd = UInt128{10'000'000'000'000'000'000ull} * 10'000'000'000'000'000'000ull;  // 10^38
    if (image.size() > 1 + sizeof(Int128)) return false;
    const Int128 mantissa = numeric_small_mantissa(image);
    return (mantissa < 0 ? -static_cast<UInt128>(mantissa) : static_cast<UInt128>(mantissa)) < kEnd;
  }
  constexpr size_t kHead = 3;
  if (first != kNumericBigPositive && first != kNumericBigNegative) return false;
  if (image.size() <= kHead || (image.size() - kHead) % sizeof(uint32_t) != 0) return false;
  for (size_t at = kHead; at < image.size(); at += sizeof(uint32_t)) {
    if (load_unaligned<uint32_t>(image.data() + at) >= kNumericLimbBase) return false;
  }
  return load_unaligned<uint32_t>(image.data() + image.size() - sizeof(uint32_t)) != 0;
}

// The parts of an array's image lie within it. Bytes are counted in 64 bits, which the largest counts do not overflow.
bool lies_within(Str image) {
  constexpr int64_t kHead = 8, kDimension = 8;
  const auto bytes = static_cast<int64_t>(image.size());
  if (bytes < kHead) return false;
  const auto dimensions = static_cast<uint8_t>(image[0]), phys = static_cast<uint8_t>(image[2]);
  if (dimensions > kMaxArrayDimensions || phys > static_cast<uint8_t>(Phys::kStr)) return false;
  if (bytes < kHead + dimensions * kDimension) return false;
  int64_t count = dimensions == 0 ? 0 : 1;
  for (int d = 0; d < dimensions; d++) {
    const auto length = load_unaligned<int32_t>(image.data() + kHead + d * kDimension);
    if (length <= 0 || length > kMaxArrayElements) return false;
    count *= length;
    if (count > kMaxArrayElements) return false;
  }
  const int64_t bitmap = image[1] != 0 ? (count + 7) / 8 : 0;
  const bool strings = phys == static_cast<uint8_t>(Phys::kStr);
  const int64_t width = strings ? int64_t{sizeof(uint32_t)} : phys_bytes(static_cast<Phys>(phys));
  const int64_t values_at = kHead + dimensions * kDimension + bitmap, strings_at = values_at + count * width;
  if (bytes < strings_at) return false;
  uint32_t before = 0;
  for (int64_t i = 0; strings && i < count; i++) {
    const auto end = load_unaligned<uint32_t>(image.data() + values_at + i * width);
    if (end < before || end > bytes - strings_at) return false;
    before = end;
  }
  return true;
}

bool is_sound_array(Str image) {
  if (!lies_within(image)) return false;
  const ArrayView array(image);
  if (is_array_type(array.element_type())) return false;
  for (int32_t i = 0; i < array.count(); i++) {
    note_work(8);
    if (!array.is_null(i) && !is_sound(array.element_type(), array.element(i))) return false;
  }
  return true;
}

}  // namespace

bool is_sound(Oid type, const Datum& value) {
  if (type >= oid::kFirstUserOid) return true;
  if (is_array_type(type)) return value.phys == Phys::kStr && is_sound_array(value.str);
  const TypeDefinition* definition = type_definition(type);
  if (definition == nullptr || definition->phys != value.phys) return false;
  if (value.phys != Phys::kStr) return true;
  if (definition->order == &kNumericOrder) return is_sound_numeric(value.str);
  constexpr std::array kAnyBytes{&kCollatedOrder, &kPaddedOrder, &kBytesOrder};
  return std::find(kAnyBytes.begin(), kAnyBytes.end(), definition->order) != kAnyBytes.end();
}

}  // namespace indigo::types
