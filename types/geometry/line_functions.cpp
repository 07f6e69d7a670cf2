// Functions and operators of line.
#include <cmath>
#include <optional>

#include "base/sqlstate.h"
#include "types/function/families.h"
#include "types/geometry/plane.h"
#include "types/geometry/shape_kernel.h"

namespace indigo::types {

namespace {

Line line_of_points(const Reals& m, Point a, Point b) {
  if (fuzzy::equal(a, b)) {
    m.context().fail(sqlstate::kInvalidParameterValue, "invalid line specification: must be two distinct points");
    return {};
  }
  return line_through(m, a, slope(m, a, b));
}
bool lines_cross(const Reals& m, Line a, Line b) { return cross(m, a, b, nullptr); }
bool lines_parallel(const Reals& m, Line a, Line b) { return !cross(m, a, b, nullptr); }
std::optional<Point> line_crossing(const Reals& m, Line a, Line b) {
  Point at;
  return cross(m, a, b, &at) ? std::optional(at) : std::nullopt;
}
bool lines_perpendicular(const Reals& m, Line a, Line b) {
  if (fuzzy::zero(a.a)) return fuzzy::zero(b.b);
  if (fuzzy::zero(b.a)) return fuzzy::zero(a.b);
  if (fuzzy::zero(a.b)) return fuzzy::zero(b.a);
  if (fuzzy::zero(b.b)) return fuzzy::zero(a.a);
  const double product = m.times(a.a, b.a);
  return fuzzy::equal(m.over(product, m.times(a.b, b.b)), -1);
}
bool line_vertical(const Reals&, Line line) { return fuzzy::zero(line.b); }
bool line_horizontal(const Reals&, Line line) { return fuzzy::zero(line.a); }
bool has_nan(const Line& line) { return std::isnan(line.a) || std::isnan(line.b) || std::isnan(line.c); }
bool line_same(const Reals& m, Line a, Line b) {
  if (has_nan(a) || has_nan(b)) {
    return compare_floats(a.a, b.a) == 0 && compare_floats(a.b, b.b) == 0 && compare_floats(a.c, b.c) == 0;
  }
  // The factor between the two.
  double ratio = 1;
  if (!fuzzy::zero(b.a)) {
    ratio = m.over(a.a, b.a);
  } else if (!fuzzy::zero(b.b)) {
    ratio = m.over(a.b, b.b);
  } else if (!fuzzy::zero(b.c)) {
    ratio = m.over(a.c, b.c);
  }
  return fuzzy::equal(a.a, m.times(ratio, b.a)) && fuzzy::equal(a.b, m.times(ratio, b.b)) &&
         fuzzy::equal(a.c, m.times(ratio, b.c));
}
double line_distance(const Reals& m, Line a, Line b) {
  if (cross(m, a, b, nullptr)) return 0;
  const auto usable = [](double p, double q) {
    return !fuzzy::zero(p) && !std::isnan(p) && !fuzzy::zero(q) && !std::isnan(q);
  };
  double ratio = 1;
  if (usable(a.a, b.a)) {
    ratio = m.over(a.a, b.a);
  } else if (usable(a.b, b.b)) {
    ratio = m.over(a.b, b.b);
  }
  const double apart = std::fabs(m.minus(a.c, m.times(ratio, b.c)));
  return m.over(apart, m.hypotenuse(a.a, a.b));
}

const ScalarEntry kLineEntries[] = {
    {"line_construct_pp", shaped<line_of_points>}, {"line_intersect", shaped<lines_cross>},
    {"line_interpt", shaped<line_crossing>},       {"line_parallel", shaped<lines_parallel>},
    {"line_perp", shaped<lines_perpendicular>},    {"line_vertical", shaped<line_vertical>},
    {"line_horizontal", shaped<line_horizontal>},  {"line_eq", shaped<line_same>},
    {"line_distance", shaped<line_distance>},
};

}  // namespace

std::span<const ScalarEntry> line_functions() { return kLineEntries; }

}  // namespace indigo::types
