// Arithmetic on coordinates as PostgreSQL does it: a result out of range is an error, and comparisons allow for a small
// absolute difference.
// Thread safety: pure functions but for the context.
#pragma once

#include <cmath>
#include <utility>

#include "types/function/context.h"
#include "types/function/errors.h"
#include "types/geometry/shape.h"
#include "types/number/float.h"

namespace indigo::types {

// Comparisons that take two numbers nearer than kEpsilon for one. Plain ones are written with operators.
namespace fuzzy {
inline constexpr double kEpsilon = 1e-6;
inline bool zero(double a) { return std::fabs(a) <= kEpsilon; }
inline bool equal(double a, double b) { return a == b || std::fabs(a - b) <= kEpsilon; }
inline bool less(double a, double b) { return a + kEpsilon < b; }
inline bool less_equal(double a, double b) { return a <= b + kEpsilon; }
inline bool greater(double a, double b) { return a > b + kEpsilon; }
inline bool greater_equal(double a, double b) { return a + kEpsilon >= b; }
// A point with a NaN equals only one with the same.
inline bool equal(Point a, Point b) {
  if (std::isnan(a.x) || std::isnan(a.y) || std::isnan(b.x) || std::isnan(b.y)) {
    return compare_floats(a.x, b.x) == 0 && compare_floats(a.y, b.y) == 0;
  }
  return equal(a.x, b.x) && equal(a.y, b.y);
}
}  // namespace fuzzy

// With NaN above all numbers.
inline bool float_less(double a, double b) { return compare_floats(a, b) < 0; }
inline double float_min(double a, double b) { return compare_floats(a, b) < 0 ? a : b; }
inline double float_max(double a, double b) { return compare_floats(a, b) > 0 ? a : b; }

// An operation that fails leaves the error in the context and some number as its result: what follows is computed in vain, and
// the first error stands.
class Reals {
 public:
  explicit Reals(FuncContext& context) : context_(context) {}
  FuncContext& context() const { return context_; }

  double plus(double a, double b) const { return in_range(a + b, a, b); }
  double minus(double a, double b) const { return in_range(a - b, a, b); }
  double times(double a, double b) const {
    const double r = in_range(a * b, a, b);
    if (r == 0 && a != 0 && b != 0) fail_float_underflow(context_);
    return r;
  }
  double over(double a, double b) const {
    if (b == 0 && !std::isnan(a)) {
      fail_division_by_zero(context_);
      return 0;
    }
    const double r = a / b;
    if (std::isinf(r) && !std::isinf(a)) fail_float_overflow(context_);
    if (r == 0 && a != 0 && !std::isinf(b)) fail_float_underflow(context_);
    return r;
  }
  double half(double a) const { return over(a, 2); }
  // The root of x² + y², computed so that only the result must be in range.
  double hypotenuse(double x, double y) const {
    if (std::isinf(x) || std::isinf(y)) return INFINITY;
    if (std::isnan(x) || std::isnan(y)) return NAN;
    x = std::fabs(x);
    y = std::fabs(y);
    if (x < y) std::swap(x, y);
    if (y == 0) return x;
    const double slope = y / x;
    const double r = x * std::sqrt(1 + slope * slope);
    if (std::isinf(r)) fail_float_overflow(context_);
    if (r == 0) fail_float_underflow(context_);
    return r;
  }

  // ---- points as vectors, and as complex numbers: which coordinate comes first shows in errors
  Point plus(Point a, Point b) const { return {plus(a.x, b.x), plus(a.y, b.y)}; }
  Point minus(Point a, Point b) const { return {minus(a.x, b.x), minus(a.y, b.y)}; }
  Point times(Point a, Point b) const {
    const double y = plus(times(a.x, b.y), times(a.y, b.x));
    return {minus(times(a.x, b.x), times(a.y, b.y)), y};
  }
  Point over(Point a, Point b) const {
    const double square = plus(times(b.x, b.x), times(b.y, b.y));
    const double y = over(minus(times(b.x, a.y), times(b.y, a.x)), square);
    return {over(plus(times(a.x, b.x), times(a.y, b.y)), square), y};
  }
  double distance(Point a, Point b) const {
    const double x = minus(a.x, b.x);
    return hypotenuse(x, minus(a.y, b.y));
  }
  double length(const Segment& s) const { return distance(s.start, s.end); }
  Point middle(Point a, Point b) const {
    const double x = half(plus(a.x, b.x));
    return {x, half(plus(a.y, b.y))};
  }

 private:
  double in_range(double r, double a, double b) const {
    if (std::isinf(r) && !std::isinf(a) && !std::isinf(b)) [[unlikely]]
      fail_float_overflow(context_);
    return r;
  }

  FuncContext& context_;
};

}  // namespace indigo::types
