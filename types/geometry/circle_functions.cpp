// Functions and operators of circle.
#include <cmath>
#include <numbers>

#include "base/fiber/long_work.h"
#include "base/sqlstate.h"
#include "types/function/families.h"
#include "types/geometry/plane.h"
#include "types/geometry/shape_kernel.h"

namespace indigo::types {

namespace {

// ---- one circle
double circle_area(const Reals& m, Circle c) { return m.times(m.times(c.radius, c.radius), std::numbers::pi); }
double circle_diameter(const Reals& m, Circle c) { return m.times(c.radius, 2); }
double circle_radius(const Reals&, Circle c) { return c.radius; }
Point circle_center(const Reals&, Circle c) { return c.center; }
Circle circle_of(const Reals&, Point center, double radius) { return {center, radius}; }
Circle circle_of_box(const Reals& m, Box b) {
  const Point center = m.middle(b.high, b.low);
  return {center, m.distance(center, b.high)};
}
// The square within.
Box box_of_circle(const Reals& m, Circle c) {
  const double side = m.over(c.radius, std::numbers::sqrt2);
  const double right = m.plus(c.center.x, side), left = m.minus(c.center.x, side);
  const double top = m.plus(c.center.y, side);
  return {{right, top}, {left, m.minus(c.center.y, side)}};
}
NewPolygon polygon_of_circle(const Reals& m, int32_t count, Circle c) {
  // What fits in a value.
  constexpr int32_t kMostPoints = (1 << 30) / sizeof(Point) - 4;
  NewPolygon out;
  if (fuzzy::zero(c.radius)) {
    m.context().fail(sqlstate::kFeatureNotSupported, "cannot convert circle with radius zero to polygon");
  } else if (count < 2) {
    m.context().fail(sqlstate::kInvalidParameterValue, "must request at least 2 points");
  } else if (count > kMostPoints) {
    m.context().fail(sqlstate::kProgramLimitExceeded, "too many points requested");
  } else {
    constexpr uint64_t kUnitsPerPoint = 50;
    const double step = m.over(2 * std::numbers::pi, count);
    for (int32_t i = 0; i < count && !m.context().failed(); i++) {
      note_work(kUnitsPerPoint);
      const double angle = m.times(step, i);
      const double x = m.minus(c.center.x, m.times(c.radius, std::cos(angle)));
      out.points.push_back({x, m.plus(c.center.y, m.times(c.radius, std::sin(angle)))});
    }
  }
  return out;
}
NewPolygon polygon_of_circle12(const Reals& m, Circle c) { return polygon_of_circle(m, 12, c); }

// ---- circle and point
Circle circle_plus(const Reals& m, Circle c, Point p) { return {m.plus(c.center, p), c.radius}; }
Circle circle_minus(const Reals& m, Circle c, Point p) { return {m.minus(c.center, p), c.radius}; }
Circle circle_times(const Reals& m, Circle c, Point p) {
  const Point center = m.times(c.center, p);
  return {center, m.times(c.radius, m.hypotenuse(p.x, p.y))};
}
Circle circle_over(const Reals& m, Circle c, Point p) {
  const Point center = m.over(c.center, p);
  return {center, m.over(c.radius, m.hypotenuse(p.x, p.y))};
}
bool circle_contains_point(const Reals& m, Circle c, Point p) { return m.distance(c.center, p) <= c.radius; }
bool point_in_circle(const Reals& m, Point p, Circle c) { return circle_contains_point(m, c, p); }
// A negative distance is none.
double outside(double distance) { return distance < 0 ? 0 : distance; }
double point_circle_distance(const Reals& m, Point p, Circle c) {
  return outside(m.minus(m.distance(p, c.center), c.radius));
}
double circle_point_distance(const Reals& m, Circle c, Point p) { return point_circle_distance(m, p, c); }
double circle_polygon_distance(const Reals& m, Circle c, Polygon p) {
  return outside(m.minus(distance(m, c.center, p), c.radius));
}
double polygon_circle_distance(const Reals& m, Polygon p, Circle c) { return circle_polygon_distance(m, c, p); }

// ---- two circles
bool circle_same(const Reals&, Circle a, Circle b) {
  return ((std::isnan(a.radius) && std::isnan(b.radius)) || fuzzy::equal(a.radius, b.radius)) &&
         fuzzy::equal(a.center, b.center);
}
template <bool (*kCompare)(double, double)>
bool compare_circle_areas(const Reals& m, Circle a, Circle b) {
  const double second = circle_area(m, b);
  return kCompare(circle_area(m, a), second);
}
bool area_differs(double a, double b) { return a != b && std::fabs(a - b) > fuzzy::kEpsilon; }
double circle_distance(const Reals& m, Circle a, Circle b) {
  const double apart = m.distance(a.center, b.center);
  return outside(m.minus(apart, m.plus(a.radius, b.radius)));
}
bool circle_overlap(const Reals& m, Circle a, Circle b) {
  const double apart = m.distance(a.center, b.center);
  return fuzzy::less_equal(apart, m.plus(a.radius, b.radius));
}
bool circle_contains(const Reals& m, Circle a, Circle b) {
  const double apart = m.distance(a.center, b.center);
  return fuzzy::less_equal(apart, m.minus(a.radius, b.radius));
}
bool circle_contained(const Reals& m, Circle a, Circle b) { return circle_contains(m, b, a); }
// The ends of a circle in one direction.
double left_of(const Reals& m, const Circle& c) { return m.minus(c.center.x, c.radius); }
double right_of(const Reals& m, const Circle& c) { return m.plus(c.center.x, c.radius); }
double bottom_of(const Reals& m, const Circle& c) { return m.minus(c.center.y, c.radius); }
double top_of(const Reals& m, const Circle& c) { return m.plus(c.center.y, c.radius); }
template <auto kFirst, bool (*kCompare)(double, double), auto kSecond>
bool circle_position(const Reals& m, Circle a, Circle b) {
  const double second = kSecond(m, b);
  return kCompare(kFirst(m, a), second);
}

const ScalarEntry kCircleEntries[] = {
    {"circle_area", shaped<circle_area>},
    {"circle_diameter", shaped<circle_diameter>},
    {"circle_radius", shaped<circle_radius>},
    {"circle_center", shaped<circle_center>},
    {"cr_circle", shaped<circle_of>},
    {"box_circle", shaped<circle_of_box>},
    {"circle_box", shaped<box_of_circle>},
    {"circle_poly", shaped<polygon_of_circle>},
    {"polygon(circle)", shaped<polygon_of_circle12>},
    {"circle_add_pt", shaped<circle_plus>},
    {"circle_sub_pt", shaped<circle_minus>},
    {"circle_mul_pt", shaped<circle_times>},
    {"circle_div_pt", shaped<circle_over>},
    {"circle_contain_pt", shaped<circle_contains_point>},
    {"pt_contained_circle", shaped<point_in_circle>},
    {"dist_pc", shaped<point_circle_distance>},
    {"dist_cpoint", shaped<circle_point_distance>},
    {"dist_cpoly", shaped<circle_polygon_distance>},
    {"dist_polyc", shaped<polygon_circle_distance>},
    {"circle_same", shaped<circle_same>},
    {"circle_eq", shaped<compare_circle_areas<fuzzy::equal>>},
    {"circle_ne", shaped<compare_circle_areas<area_differs>>},
    {"circle_lt", shaped<compare_circle_areas<fuzzy::less>>},
    {"circle_le", shaped<compare_circle_areas<fuzzy::less_equal>>},
    {"circle_gt", shaped<compare_circle_areas<fuzzy::greater>>},
    {"circle_ge", shaped<compare_circle_areas<fuzzy::greater_equal>>},
    {"circle_distance", shaped<circle_distance>},
    {"circle_overlap", shaped<circle_overlap>},
    {"circle_contain", shaped<circle_contains>},
    {"circle_contained", shaped<circle_contained>},
    {"circle_left", shaped<circle_position<right_of, fuzzy::less, left_of>>},
    {"circle_overleft", shaped<circle_position<right_of, fuzzy::less_equal, right_of>>},
    {"circle_right", shaped<circle_position<left_of, fuzzy::greater, right_of>>},
    {"circle_overright", shaped<circle_position<left_of, fuzzy::greater_equal, left_of>>},
    {"circle_below", shaped<circle_position<top_of, fuzzy::less, bottom_of>>},
    {"circle_overbelow", shaped<circle_position<top_of, fuzzy::less_equal, top_of>>},
    {"circle_above", shaped<circle_position<bottom_of, fuzzy::greater, top_of>>},
    {"circle_overabove", shaped<circle_position<bottom_of, fuzzy::greater_equal, bottom_of>>},
};

}  // namespace

std::span<const ScalarEntry> circle_functions() { return kCircleEntries; }

}  // namespace indigo::types
