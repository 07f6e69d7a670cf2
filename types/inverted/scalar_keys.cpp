// btree_gin and btree_gist: a value is its own only key, in its type's order.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "types/inverted/inverted_class.h"
#include "types/oids.h"

namespace indigo::types {

namespace {

enum ScalarStrategy : uint8_t {
  kScalarLess = 1,
  kScalarLessEqual = 2,
  kScalarGreaterEqual = 4,
  kScalarGreater = 5,
  kScalarDistance = 15
};

std::string key_of(const InvertedColumn& column, const Datum& value) {
  std::string out;
  column.element.append_column(0, value, out);
  if (out.size() > kMaxInvertedKeyBytes) out.resize(kMaxInvertedKeyBytes);
  return out;
}

void scalar_keys_of(const InvertedColumn& column, const Datum& value, std::vector<std::string>& keys) {
  keys.push_back(key_of(column, value));
}

KeyQuery scalar_query_of(FuncContext&, const InvertedColumn& column, int strategy, const Datum& value) {
  std::string key = key_of(column, value);
  switch (strategy) {
    case kScalarLess:
    case kScalarLessEqual: return with_key_between({}, std::move(key), true);
    case kScalarEqual: return with_key(std::move(key));
    case kScalarGreaterEqual:
    case kScalarGreater: return with_key_between(std::move(key), {}, false);
    default: return every_row();
  }
}

// ---- distances, as btree_gist's operators have them: differences of numbers; of dates days, of times and intervals microseconds

constexpr int64_t kMicrosecondsOfDay = 86'400'000'000, kDaysOfMonth = 30;

// The greatest and the least value within the distance, of a type of integers.
template <class T>
std::pair<Datum, Datum> ends_around(T value, double distance) {
  using Limits = std::numeric_limits<T>;
  const auto wide = static_cast<__int128>(std::min(std::floor(distance), 0x1p65));
  const auto end = [](__int128 n) {
    return Datum::of(static_cast<T>(std::clamp<__int128>(n, Limits::min(), Limits::max())));
  };
  return {end(value - wide), end(value + wide)};
}

// A difference of floats is rounded.
template <class T>
std::pair<Datum, Datum> float_ends_around(T value, double distance) {
  const double blur = (std::fabs(static_cast<double>(value)) + distance) * (sizeof(T) == sizeof(float) ? 1e-6 : 1e-14);
  return {Datum::of(static_cast<T>(value - distance - blur)), Datum::of(static_cast<T>(value + distance + blur))};
}

// As the type compares them, where they have microseconds enough for it.
std::optional<__int128> microseconds_of(const Interval& i) {
  const __int128 out = (static_cast<__int128>(i.months) * kDaysOfMonth + i.days) * kMicrosecondsOfDay + i.microseconds;
  if (out < std::numeric_limits<int64_t>::min() || out > std::numeric_limits<int64_t>::max()) return std::nullopt;
  return out;
}

KeyQuery around(const InvertedColumn& column, const Datum& place, double distance) {
  if (!std::isfinite(distance)) return every_row();
  std::pair<Datum, Datum> ends;
  switch (column.type) {
    case oid::kInt2: ends = ends_around(place.i16, distance); break;
    case oid::kDate:
    case oid::kInt4: ends = ends_around(place.i32, distance); break;
    case oid::kMoney:
    case oid::kTime:
    case oid::kTimestamp:
    case oid::kTimestampTz:
    case oid::kInt8: ends = ends_around(place.i64, distance); break;
    case oid::kOid: {
      const auto [low, high] = ends_around(static_cast<int64_t>(static_cast<Oid>(place.i32)), distance);
      const auto of = [](int64_t n) { return Datum::of_oid(static_cast<Oid>(std::clamp<int64_t>(n, 0, ~Oid{0}))); };
      ends = {of(low.i64), of(high.i64)};
      break;
    }
    case oid::kFloat4:
      if (!std::isfinite(place.f32)) return every_row();
      ends = float_ends_around(place.f32, distance);
      break;
    case oid::kFloat8:
      if (!std::isfinite(place.f64)) return every_row();
      ends = float_ends_around(place.f64, distance);
      break;
    case oid::kInterval: {
      const auto value = microseconds_of(place.interval);
      if (!value) return every_row();
      const auto [low, high] = ends_around(static_cast<int64_t>(*value), distance);
      if (low.i64 == std::numeric_limits<int64_t>::min() || high.i64 == std::numeric_limits<int64_t>::max())
        return every_row();
      ends = {Datum::of(Interval{.microseconds = low.i64, .days = 0, .months = 0}),
              Datum::of(Interval{.microseconds = high.i64, .days = 0, .months = 0})};
      break;
    }
    default: return every_row();
  }
  return with_key_between(key_of(column, ends.first), key_of(column, ends.second), true);
}

double first_ring(const InvertedColumn& column, const Datum& place) {
  switch (column.type) {
    case oid::kInt2: return first_ring_of(std::fabs(place.i16));
    case oid::kDate:
    case oid::kInt4: return first_ring_of(std::fabs(place.i32));
    case oid::kOid: return first_ring_of(static_cast<Oid>(place.i32));
    case oid::kFloat4: return first_ring_of(std::fabs(place.f32));
    case oid::kFloat8: return first_ring_of(std::fabs(place.f64));
    case oid::kInterval: {
      const auto value = microseconds_of(place.interval);
      return first_ring_of(value ? std::fabs(static_cast<double>(*value)) : 1);
    }
    default: return first_ring_of(std::fabs(static_cast<double>(place.i64)));
  }
}

constexpr Rings kRings = {{kScalarDistance}, around, first_ring};

}  // namespace

const InvertedClass kScalarKeys = {
    {},
    InvertedClass::Element::kOwn,
    StrategySet{kScalarLess, kScalarLessEqual, kScalarEqual, kScalarGreaterEqual, kScalarGreater},
    scalar_keys_of,
    scalar_query_of,
    false,
    &kRings};

}  // namespace indigo::types
