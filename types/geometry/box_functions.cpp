// Functions and operators of box.
#include <optional>

#include "types/function/families.h"
#include "types/geometry/plane.h"
#include "types/geometry/shape_kernel.h"

namespace indigo::types {

namespace {

double width_of(const Reals& m, Box b) { return m.minus(b.high.x, b.low.x); }
double height_of(const Reals& m, Box b) { return m.minus(b.high.y, b.low.y); }
double area_of(const Reals& m, Box b) {
  const double width = width_of(m, b);
  return m.times(width, height_of(m, b));
}
Point box_middle(const Reals& m, Box b) { return m.middle(b.high, b.low); }
Segment box_diagonal(const Reals&, Box b) { return {b.high, b.low}; }

bool box_same(const Reals&, Box a, Box b) { return fuzzy::equal(a.high, b.high) && fuzzy::equal(a.low, b.low); }
template <bool (*kCompare)(double, double)>
bool compare_areas(const Reals& m, Box a, Box b) {
  const double second = area_of(m, b);
  return kCompare(area_of(m, a), second);
}
bool box_overlap(const Reals&, Box a, Box b) { return overlap(a, b); }
bool box_contains(const Reals&, Box a, Box b) { return contains(a, b); }
bool box_contained(const Reals&, Box a, Box b) { return contains(b, a); }
bool box_contains_point(const Reals&, Box b, Point p) { return contains(b, p); }
bool point_in_box(const Reals&, Point p, Box b) { return contains(b, p); }
bool segment_in_box(const Reals&, Segment s, Box b) { return contains(b, s.start) && contains(b, s.end); }
bool segment_crosses_box(const Reals& m, Segment s, Box b) { return cross(m, b, s, nullptr); }
bool line_crosses_box(const Reals& m, Line line, Box b) { return cross(m, line, b); }

// ---- positions
bool box_left(const Reals&, Box a, Box b) { return fuzzy::less(a.high.x, b.low.x); }
bool box_not_right(const Reals&, Box a, Box b) { return fuzzy::less_equal(a.high.x, b.high.x); }
bool box_right(const Reals&, Box a, Box b) { return fuzzy::greater(a.low.x, b.high.x); }
bool box_not_left(const Reals&, Box a, Box b) { return fuzzy::greater_equal(a.low.x, b.low.x); }
bool box_below(const Reals&, Box a, Box b) { return fuzzy::less(a.high.y, b.low.y); }
bool box_not_above(const Reals&, Box a, Box b) { return fuzzy::less_equal(a.high.y, b.high.y); }
bool box_above(const Reals&, Box a, Box b) { return fuzzy::greater(a.low.y, b.high.y); }
bool box_not_below(const Reals&, Box a, Box b) { return fuzzy::greater_equal(a.low.y, b.low.y); }
bool box_under(const Reals&, Box a, Box b) { return fuzzy::less_equal(a.high.y, b.low.y); }
bool box_over(const Reals&, Box a, Box b) { return fuzzy::greater_equal(a.low.y, b.high.y); }

// ---- construction
Box box_of_points(const Reals&, Point a, Point b) { return box_of_corners(a, b); }
Box box_of_point(const Reals&, Point p) { return {p, p}; }
std::optional<Box> box_common(const Reals&, Box a, Box b) {
  if (!overlap(a, b)) return std::nullopt;
  return Box{{float_min(a.high.x, b.high.x), float_min(a.high.y, b.high.y)},
             {float_max(a.low.x, b.low.x), float_max(a.low.y, b.low.y)}};
}
Box box_around(const Reals&, Box a, Box b) {
  return {{float_max(a.high.x, b.high.x), float_max(a.high.y, b.high.y)},
          {float_min(a.low.x, b.low.x), float_min(a.low.y, b.low.y)}};
}
Box box_plus(const Reals& m, Box b, Point p) {
  const Point high = m.plus(b.high, p);
  return {high, m.plus(b.low, p)};
}
Box box_minus(const Reals& m, Box b, Point p) {
  const Point high = m.minus(b.high, p);
  return {high, m.minus(b.low, p)};
}
Box box_times(const Reals& m, Box b, Point p) {
  const Point high = m.times(b.high, p);
  return box_of_corners(high, m.times(b.low, p));
}
Box box_divided(const Reals& m, Box b, Point p) {
  const Point high = m.over(b.high, p);
  return box_of_corners(high, m.over(b.low, p));
}
double box_distance(const Reals& m, Box a, Box b) {
  const Point first = box_middle(m, a);
  return m.distance(first, box_middle(m, b));
}

const ScalarEntry kBoxEntries[] = {
    {"box_width", shaped<width_of>},
    {"box_height", shaped<height_of>},
    {"box_area", shaped<area_of>},
    {"box_center", shaped<box_middle>},
    {"box_diagonal", shaped<box_diagonal>},
    {"box_same", shaped<box_same>},
    {"box_eq", shaped<compare_areas<fuzzy::equal>>},
    {"box_lt", shaped<compare_areas<fuzzy::less>>},
    {"box_le", shaped<compare_areas<fuzzy::less_equal>>},
    {"box_gt", shaped<compare_areas<fuzzy::greater>>},
    {"box_ge", shaped<compare_areas<fuzzy::greater_equal>>},
    {"box_overlap", shaped<box_overlap>},
    {"box_contain", shaped<box_contains>},
    {"box_contained", shaped<box_contained>},
    {"box_contain_pt", shaped<box_contains_point>},
    {"on_pb", shaped<point_in_box>},
    {"on_sb", shaped<segment_in_box>},
    {"inter_sb", shaped<segment_crosses_box>},
    {"inter_lb", shaped<line_crosses_box>},
    {"box_left", shaped<box_left>},
    {"box_overleft", shaped<box_not_right>},
    {"box_right", shaped<box_right>},
    {"box_overright", shaped<box_not_left>},
    {"box_below", shaped<box_below>},
    {"box_overbelow", shaped<box_not_above>},
    {"box_above", shaped<box_above>},
    {"box_overabove", shaped<box_not_below>},
    {"box_below_eq", shaped<box_under>},
    {"box_above_eq", shaped<box_over>},
    {"points_box", shaped<box_of_points>},
    {"point_box", shaped<box_of_point>},
    {"box_intersect", shaped<box_common>},
    {"boxes_bound_box", shaped<box_around>},
    {"box_add", shaped<box_plus>},
    {"box_sub", shaped<box_minus>},
    {"box_mul", shaped<box_times>},
    {"box_div", shaped<box_divided>},
    {"box_distance", shaped<box_distance>},
};

}  // namespace

std::span<const ScalarEntry> box_functions() { return kBoxEntries; }

}  // namespace indigo::types
