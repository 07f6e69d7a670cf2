// RANGE frames' tests: does a value lie within an interval of the current row's, on the side that `before` and `less` say?
#include "types/datetime/arithmetic.h"
#include "types/function/families.h"
#include "types/function/kernel.h"

namespace indigo::types {

namespace {

bool valid_offset(FuncContext& context, bool negative) {
  if (negative) context.fail(SqlState("22013"), "invalid preceding or following size in window function");
  return !negative;
}
bool valid_offset(FuncContext& context, const Interval& offset) {
  return valid_offset(context, compare_intervals(offset, Interval{}) < 0);
}
Interval moved(FuncContext& context, Interval offset, bool before) {
  return before ? interval_negate(context, offset) : offset;
}

bool timestamp_in_range(FuncContext& context, int64_t v, int64_t base, Interval offset, bool before, bool less) {
  if (!valid_offset(context, offset)) return false;
  const int64_t bound = timestamp_plus(context, base, moved(context, offset, before));
  return less ? v <= bound : v >= bound;
}
bool timestamptz_in_range(FuncContext& context, int64_t v, int64_t base, Interval offset, bool before, bool less) {
  if (!valid_offset(context, offset)) return false;
  const int64_t bound = timestamptz_plus(context, base, moved(context, offset, before), session_time_zone(context));
  return less ? v <= bound : v >= bound;
}
bool date_in_range(FuncContext& context, int32_t v, int32_t base, Interval offset, bool before, bool less) {
  const int64_t value = date_to_timestamp(context, v), from = date_to_timestamp(context, base);
  return !context.failed() && timestamp_in_range(context, value, from, offset, before, less);
}
// Months and days of the offset do not count, and midnight is not crossed.
template <class T>
bool time_in_range(FuncContext& context, T v, T base, Interval offset, bool before, bool less) {
  if (!valid_offset(context, offset.microseconds < 0)) return false;
  T bound = base;
  int64_t& time = [&bound]() -> int64_t& {
    if constexpr (std::is_same_v<T, TimeTz>) {
      return bound.microseconds;
    } else {
      return bound;
    }
  }();
  if (before) {
    time -= offset.microseconds;
  } else if (__builtin_add_overflow(time, offset.microseconds, &time)) {
    return less;
  }
  if constexpr (std::is_same_v<T, TimeTz>) {
    return less ? compare_timetz(v, bound) <= 0 : compare_timetz(v, bound) >= 0;
  } else {
    return less ? v <= bound : v >= bound;
  }
}
bool interval_in_range(FuncContext& context, Interval v, Interval base, Interval offset, bool before, bool less) {
  if (!valid_offset(context, offset)) return false;
  const Interval bound = before ? interval_subtract(context, base, offset) : interval_add(context, base, offset);
  return less ? compare_intervals(v, bound) <= 0 : compare_intervals(v, bound) >= 0;
}

const ScalarEntry kRangeFramesEntries[] = {
    {"in_range_date_interval", kernel<date_in_range>},
    {"in_range_timestamp_interval", kernel<timestamp_in_range>},
    {"in_range_timestamptz_interval", kernel<timestamptz_in_range>},
    {"in_range_time_interval", kernel<time_in_range<int64_t>>},
    {"in_range_timetz_interval", kernel<time_in_range<TimeTz>>},
    {"in_range_interval_interval", kernel<interval_in_range>},
};

}  // namespace

std::span<const ScalarEntry> datetime_range_frames() { return kRangeFramesEntries; }

}  // namespace indigo::types
