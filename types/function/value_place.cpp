#include "types/function/value_place.h"

#include <cmath>
#include <limits>

#include "types/datetime/calendar.h"
#include "types/oids.h"

namespace indigo::types {

namespace {

using Where = ValuePlace::Where;

// Clocks differ from UTC by at most 15 hours either way.
constexpr int kNearDays = 2;

bool is_text(Oid t) { return t == oid::kText || t == oid::kVarchar || t == oid::kName; }
bool is_integer(Oid t) { return t == oid::kInt2 || t == oid::kInt4 || t == oid::kInt8; }
bool is_float(Oid t) { return t == oid::kFloat4 || t == oid::kFloat8; }
bool is_time(Oid t) { return t == oid::kDate || t == oid::kTimestamp || t == oid::kTimestampTz; }

template <class T>
ValuePlace among_integers(int64_t v) {
  if (v < std::numeric_limits<T>::min()) return {Where::kBelow, {}};
  if (v > std::numeric_limits<T>::max()) return {Where::kAbove, {}};
  return {Where::kAt, Datum::of(static_cast<T>(v))};
}

ValuePlace among_integers(int64_t v, Oid to) {
  if (to == oid::kInt2) return among_integers<int16_t>(v);
  if (to == oid::kInt4) return among_integers<int32_t>(v);
  return {Where::kAt, Datum::of(v)};
}

ValuePlace among_floats(double v) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity(), kMax = std::numeric_limits<float>::max();
  if (std::isnan(v)) return {Where::kAt, Datum::of(std::numeric_limits<float>::quiet_NaN())};
  if (std::isinf(v)) return {Where::kAt, Datum::of(v > 0 ? kInfinity : -kInfinity)};
  if (v > kMax) return {Where::kAfter, Datum::of(kMax)};
  if (v < -static_cast<double>(kMax)) return {Where::kAfter, Datum::of(-kInfinity)};
  const float f = static_cast<float>(v);
  if (static_cast<double>(f) == v) return {Where::kAt, Datum::of(f)};
  return {Where::kAfter, Datum::of(static_cast<double>(f) < v ? f : std::nextafterf(f, -kInfinity))};
}

int64_t to_utc(int64_t local, const TimeZone* zone) { return zone != nullptr ? zone->to_utc(local) : local; }

// Timestamps with and without zone are one kind of number. A date beyond their range is above all but infinity.
ValuePlace date_among_timestamps(int32_t date, bool zoned, const TimeZone* zone) {
  if (!is_finite_date(date)) return {Where::kAt, Datum::of(date > 0 ? kTimestampInfinity : kTimestampMinusInfinity)};
  if (!is_timestamp_date(date)) return {Where::kAfter, Datum::of(kTimestampInfinity - 1)};
  const int64_t local = date * kDay;
  return {Where::kAt, Datum::of(zoned ? to_utc(local, zone) : local)};
}

ValuePlace timestamp_among_dates(int64_t timestamp) {
  if (!is_finite_timestamp(timestamp))
    return {Where::kAt, Datum::of(timestamp > 0 ? kDateInfinity : kDateMinusInfinity)};
  const auto date = static_cast<int32_t>(date_part_of(timestamp));
  return {time_part_of(timestamp) == 0 ? Where::kAt : Where::kAfter, Datum::of(date)};
}

// A zoned timestamp's local time, moved outwards.
int64_t near_local(int64_t utc, ValueEdge edge) {
  return utc + (edge == ValueEdge::kLow ? -kNearDays : kNearDays) * kDay;
}

ValuePlace among_times(Oid from, const Datum& value, Oid to, ValueEdge edge, const TimeZone* zone) {
  if (from == oid::kDate) return date_among_timestamps(value.i32, to == oid::kTimestampTz, zone);
  int64_t timestamp = value.i64;
  if (is_finite_timestamp(timestamp)) {
    if (to == oid::kTimestampTz) timestamp = to_utc(timestamp, zone);
    if (from == oid::kTimestampTz) timestamp = near_local(timestamp, edge);
  }
  if (to == oid::kDate) return timestamp_among_dates(timestamp);
  return {Where::kAt, Datum::of(timestamp)};
}

}  // namespace

ValuePlacement value_placement(Oid from, Oid to) {
  if (from == to || (is_text(from) && is_text(to))) return ValuePlacement::kSame;
  if (is_integer(from) && is_integer(to)) return ValuePlacement::kExact;
  if (is_float(from) && is_float(to)) return ValuePlacement::kExact;
  if (is_time(from) && is_time(to)) return from == oid::kTimestampTz ? ValuePlacement::kNear : ValuePlacement::kExact;
  return ValuePlacement::kNone;
}

ValuePlace place_among(Oid from, const Datum& value, Oid to, ValueEdge edge, const TimeZone* zone) {
  if (from == to || is_text(from)) return {Where::kAt, value};
  if (is_integer(from)) {
    return among_integers(from == oid::kInt2 ? value.i16 : from == oid::kInt4 ? value.i32 : value.i64, to);
  }
  if (is_float(from)) {
    return from == oid::kFloat4 ? ValuePlace{Where::kAt, Datum::of(static_cast<double>(value.f32))}
                                : among_floats(value.f64);
  }
  return among_times(from, value, to, edge, zone);
}

}  // namespace indigo::types
