// Comparisons of dates, times, timestamps, intervals and uuids, also across date and timestamp types.
#include <cstring>

#include "types/datetime/arithmetic.h"
#include "types/function/compare.h"
#include "types/function/families.h"
#include "types/function/kernel.h"

namespace indigo::types {

int compare_timetz(TimeTz a, TimeTz b) {
  const auto utc = [](const TimeTz& v) { return v.microseconds + v.zone_seconds_west * kSecond; };
  const int c = three_way(utc(a), utc(b));
  return c != 0 ? c : three_way(a.zone_seconds_west, b.zone_seconds_west);
}
int compare_intervals(Interval a, Interval b) {
  const auto total = [](const Interval& v) {
    return static_cast<__int128>(v.microseconds) + (static_cast<__int128>(v.months) * 30 + v.days) * kDay;
  };
  return three_way(total(a), total(b));
}

namespace {

int compare_uuids(Uuid a, Uuid b) { return std::memcmp(a.bytes, b.bytes, sizeof a.bytes); }

// A date beyond the timestamps' range is above all of them but infinity.
int compare_date_timestamp(int32_t date, int64_t timestamp) {
  if (!is_finite_date(date)) return three_way(date > 0 ? kTimestampInfinity : kTimestampMinusInfinity, timestamp);
  if (!is_finite_timestamp(timestamp)) return timestamp > 0 ? -1 : 1;
  return three_way(static_cast<__int128>(date) * kDay, static_cast<__int128>(timestamp));
}
int compare_timestamp_date(int64_t timestamp, int32_t date) { return -compare_date_timestamp(date, timestamp); }

// Those that need the session's zone: the local side becomes UTC.
int compare_date_timestamptz(FuncContext& context, int32_t date, int64_t timestamp) {
  if (!is_finite_date(date) || !is_finite_timestamp(timestamp) || !is_timestamp_date(date))
    return compare_date_timestamp(date, timestamp);
  return three_way(session_time_zone(context).to_utc(date * kDay), timestamp);
}
int compare_timestamptz_date(FuncContext& context, int64_t timestamp, int32_t date) {
  return -compare_date_timestamptz(context, date, timestamp);
}
int compare_timestamp_timestamptz(FuncContext& context, int64_t local, int64_t timestamp) {
  return three_way(is_finite_timestamp(local) ? session_time_zone(context).to_utc(local) : local, timestamp);
}
int compare_timestamptz_timestamp(FuncContext& context, int64_t timestamp, int64_t local) {
  return -compare_timestamp_timestamptz(context, local, timestamp);
}

template <auto C, class F = decltype(C)>
struct CompareInZone;
template <auto C, class A, class B>
struct CompareInZone<C, int (*)(FuncContext&, A, B)> {
  static bool eq(FuncContext& x, A a, B b) { return C(x, a, b) == 0; }
  static bool ne(FuncContext& x, A a, B b) { return C(x, a, b) != 0; }
  static bool lt(FuncContext& x, A a, B b) { return C(x, a, b) < 0; }
  static bool le(FuncContext& x, A a, B b) { return C(x, a, b) <= 0; }
  static bool gt(FuncContext& x, A a, B b) { return C(x, a, b) > 0; }
  static bool ge(FuncContext& x, A a, B b) { return C(x, a, b) >= 0; }
  static int32_t cmp(FuncContext& x, A a, B b) { return C(x, a, b); }
};

const ScalarEntry kDatetimeCompareEntries[] = {
    {"date_eq", kernel<Compare<three_way<int32_t>>::eq>},
    {"date_ne", kernel<Compare<three_way<int32_t>>::ne>},
    {"date_lt", kernel<Compare<three_way<int32_t>>::lt>},
    {"date_le", kernel<Compare<three_way<int32_t>>::le>},
    {"date_gt", kernel<Compare<three_way<int32_t>>::gt>},
    {"date_ge", kernel<Compare<three_way<int32_t>>::ge>},
    {"date_cmp", kernel<Compare<three_way<int32_t>>::cmp>},
    {"date_larger", kernel<Compare<three_way<int32_t>>::larger>},
    {"date_smaller", kernel<Compare<three_way<int32_t>>::smaller>},
    {"time_eq", kernel<Compare<three_way<int64_t>>::eq>},
    {"time_ne", kernel<Compare<three_way<int64_t>>::ne>},
    {"time_lt", kernel<Compare<three_way<int64_t>>::lt>},
    {"time_le", kernel<Compare<three_way<int64_t>>::le>},
    {"time_gt", kernel<Compare<three_way<int64_t>>::gt>},
    {"time_ge", kernel<Compare<three_way<int64_t>>::ge>},
    {"time_cmp", kernel<Compare<three_way<int64_t>>::cmp>},
    {"time_larger", kernel<Compare<three_way<int64_t>>::larger>},
    {"time_smaller", kernel<Compare<three_way<int64_t>>::smaller>},
    {"timestamp_eq", kernel<Compare<three_way<int64_t>>::eq>},
    {"timestamp_ne", kernel<Compare<three_way<int64_t>>::ne>},
    {"timestamp_lt", kernel<Compare<three_way<int64_t>>::lt>},
    {"timestamp_le", kernel<Compare<three_way<int64_t>>::le>},
    {"timestamp_gt", kernel<Compare<three_way<int64_t>>::gt>},
    {"timestamp_ge", kernel<Compare<three_way<int64_t>>::ge>},
    {"timestamp_cmp", kernel<Compare<three_way<int64_t>>::cmp>},
    {"timestamp_larger", kernel<Compare<three_way<int64_t>>::larger>},
    {"timestamp_smaller", kernel<Compare<three_way<int64_t>>::smaller>},
    {"timetz_eq", kernel<Compare<compare_timetz>::eq>},
    {"timetz_ne", kernel<Compare<compare_timetz>::ne>},
    {"timetz_lt", kernel<Compare<compare_timetz>::lt>},
    {"timetz_le", kernel<Compare<compare_timetz>::le>},
    {"timetz_gt", kernel<Compare<compare_timetz>::gt>},
    {"timetz_ge", kernel<Compare<compare_timetz>::ge>},
    {"timetz_cmp", kernel<Compare<compare_timetz>::cmp>},
    {"timetz_larger", kernel<Compare<compare_timetz>::larger>},
    {"timetz_smaller", kernel<Compare<compare_timetz>::smaller>},
    {"interval_eq", kernel<Compare<compare_intervals>::eq>},
    {"interval_ne", kernel<Compare<compare_intervals>::ne>},
    {"interval_lt", kernel<Compare<compare_intervals>::lt>},
    {"interval_le", kernel<Compare<compare_intervals>::le>},
    {"interval_gt", kernel<Compare<compare_intervals>::gt>},
    {"interval_ge", kernel<Compare<compare_intervals>::ge>},
    {"interval_cmp", kernel<Compare<compare_intervals>::cmp>},
    {"interval_larger", kernel<Compare<compare_intervals>::larger>},
    {"interval_smaller", kernel<Compare<compare_intervals>::smaller>},
    {"uuid_eq", kernel<Compare<compare_uuids>::eq>},
    {"uuid_ne", kernel<Compare<compare_uuids>::ne>},
    {"uuid_lt", kernel<Compare<compare_uuids>::lt>},
    {"uuid_le", kernel<Compare<compare_uuids>::le>},
    {"uuid_gt", kernel<Compare<compare_uuids>::gt>},
    {"uuid_ge", kernel<Compare<compare_uuids>::ge>},
    {"uuid_cmp", kernel<Compare<compare_uuids>::cmp>},
    {"date_eq_timestamp", kernel<Compare<compare_date_timestamp>::eq>},
    {"date_ne_timestamp", kernel<Compare<compare_date_timestamp>::ne>},
    {"date_lt_timestamp", kernel<Compare<compare_date_timestamp>::lt>},
    {"date_le_timestamp", kernel<Compare<compare_date_timestamp>::le>},
    {"date_gt_timestamp", kernel<Compare<compare_date_timestamp>::gt>},
    {"date_ge_timestamp", kernel<Compare<compare_date_timestamp>::ge>},
    {"date_cmp_timestamp", kernel<Compare<compare_date_timestamp>::cmp>},
    {"timestamp_eq_date", kernel<Compare<compare_timestamp_date>::eq>},
    {"timestamp_ne_date", kernel<Compare<compare_timestamp_date>::ne>},
    {"timestamp_lt_date", kernel<Compare<compare_timestamp_date>::lt>},
    {"timestamp_le_date", kernel<Compare<compare_timestamp_date>::le>},
    {"timestamp_gt_date", kernel<Compare<compare_timestamp_date>::gt>},
    {"timestamp_ge_date", kernel<Compare<compare_timestamp_date>::ge>},
    {"timestamp_cmp_date", kernel<Compare<compare_timestamp_date>::cmp>},
    {"date_eq_timestamptz", kernel<CompareInZone<compare_date_timestamptz>::eq>},
    {"date_ne_timestamptz", kernel<CompareInZone<compare_date_timestamptz>::ne>},
    {"date_lt_timestamptz", kernel<CompareInZone<compare_date_timestamptz>::lt>},
    {"date_le_timestamptz", kernel<CompareInZone<compare_date_timestamptz>::le>},
    {"date_gt_timestamptz", kernel<CompareInZone<compare_date_timestamptz>::gt>},
    {"date_ge_timestamptz", kernel<CompareInZone<compare_date_timestamptz>::ge>},
    {"date_cmp_timestamptz", kernel<CompareInZone<compare_date_timestamptz>::cmp>},
    {"timestamptz_eq_date", kernel<CompareInZone<compare_timestamptz_date>::eq>},
    {"timestamptz_ne_date", kernel<CompareInZone<compare_timestamptz_date>::ne>},
    {"timestamptz_lt_date", kernel<CompareInZone<compare_timestamptz_date>::lt>},
    {"timestamptz_le_date", kernel<CompareInZone<compare_timestamptz_date>::le>},
    {"timestamptz_gt_date", kernel<CompareInZone<compare_timestamptz_date>::gt>},
    {"timestamptz_ge_date", kernel<CompareInZone<compare_timestamptz_date>::ge>},
    {"timestamptz_cmp_date", kernel<CompareInZone<compare_timestamptz_date>::cmp>},
    {"timestamp_eq_timestamptz", kernel<CompareInZone<compare_timestamp_timestamptz>::eq>},
    {"timestamp_ne_timestamptz", kernel<CompareInZone<compare_timestamp_timestamptz>::ne>},
    {"timestamp_lt_timestamptz", kernel<CompareInZone<compare_timestamp_timestamptz>::lt>},
    {"timestamp_le_timestamptz", kernel<CompareInZone<compare_timestamp_timestamptz>::le>},
    {"timestamp_gt_timestamptz", kernel<CompareInZone<compare_timestamp_timestamptz>::gt>},
    {"timestamp_ge_timestamptz", kernel<CompareInZone<compare_timestamp_timestamptz>::ge>},
    {"timestamp_cmp_timestamptz", kernel<CompareInZone<compare_timestamp_timestamptz>::cmp>},
    {"timestamptz_eq_timestamp", kernel<CompareInZone<compare_timestamptz_timestamp>::eq>},
    {"timestamptz_ne_timestamp", kernel<CompareInZone<compare_timestamptz_timestamp>::ne>},
    {"timestamptz_lt_timestamp", kernel<CompareInZone<compare_timestamptz_timestamp>::lt>},
    {"timestamptz_le_timestamp", kernel<CompareInZone<compare_timestamptz_timestamp>::le>},
    {"timestamptz_gt_timestamp", kernel<CompareInZone<compare_timestamptz_timestamp>::gt>},
    {"timestamptz_ge_timestamp", kernel<CompareInZone<compare_timestamptz_timestamp>::ge>},
    {"timestamptz_cmp_timestamp", kernel<CompareInZone<compare_timestamptz_timestamp>::cmp>},
};

}  // namespace

std::span<const ScalarEntry> datetime_comparisons() { return kDatetimeCompareEntries; }

}  // namespace indigo::types
