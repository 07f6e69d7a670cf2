// The fields of an interval's type modifier: INTERVAL YEAR TO MONTH and so on, with PostgreSQL's bit numbers, which are
// also what the grammar delivers as the modifier's first argument.
// Thread safety: constants.
#pragma once

#include <cstdint>

namespace indigo::types {

inline constexpr int32_t kIntervalMonth = 1 << 1, kIntervalYear = 1 << 2, kIntervalDay = 1 << 3,
                         kIntervalHour = 1 << 10, kIntervalMinute = 1 << 11, kIntervalSecond = 1 << 12,
                         kIntervalFullRange = 0x7fff, kIntervalFullPrecision = 0xffff;

constexpr int32_t interval_typmod(int32_t precision, int32_t range) {
  return static_cast<int32_t>(static_cast<uint32_t>(range & 0x7fff) << 16 | static_cast<uint32_t>(precision & 0xffff));
}
// " year to month"; "" for the full range, null when there is no such range.
const char* interval_fields_text(int32_t range);

}  // namespace indigo::types
