// Functions and operators of point and lseg.
#include <optional>

#include "types/function/families.h"
#include "types/geometry/plane.h"
#include "types/geometry/shape_kernel.h"

namespace indigo::types {

namespace {

// ---- point
Point point_of(const Reals&, double x, double y) { return {x, y}; }
bool point_same(const Reals&, Point a, Point b) { return fuzzy::equal(a, b); }
bool point_different(const Reals&, Point a, Point b) { return !fuzzy::equal(a, b); }
bool point_left(const Reals&, Point a, Point b) { return fuzzy::less(a.x, b.x); }
bool point_right(const Reals&, Point a, Point b) { return fuzzy::greater(a.x, b.x); }
bool point_above(const Reals&, Point a, Point b) { return fuzzy::greater(a.y, b.y); }
bool point_below(const Reals&, Point a, Point b) { return fuzzy::less(a.y, b.y); }
bool point_vertical(const Reals&, Point a, Point b) { return fuzzy::equal(a.x, b.x); }
bool point_horizontal(const Reals&, Point a, Point b) { return fuzzy::equal(a.y, b.y); }
double point_slope(const Reals& m, Point a, Point b) { return slope(m, a, b); }
Point point_plus(const Reals& m, Point a, Point b) { return m.plus(a, b); }
Point point_minus(const Reals& m, Point a, Point b) { return m.minus(a, b); }
Point point_times(const Reals& m, Point a, Point b) { return m.times(a, b); }
Point point_over(const Reals& m, Point a, Point b) { return m.over(a, b); }

// ---- lseg
Segment segment_of(const Reals&, Point a, Point b) { return {a, b}; }
double segment_length(const Reals& m, Segment s) { return m.length(s); }
Point segment_middle(const Reals& m, Segment s) { return m.middle(s.start, s.end); }
bool segment_vertical(const Reals&, Segment s) { return fuzzy::equal(s.start.x, s.end.x); }
bool segment_horizontal(const Reals&, Segment s) { return fuzzy::equal(s.start.y, s.end.y); }
bool segments_parallel(const Reals& m, Segment a, Segment b) {
  const double second = slope(m, b);
  return fuzzy::equal(slope(m, a), second);
}
bool segments_perpendicular(const Reals& m, Segment a, Segment b) {
  const double second = inverse_slope(m, b);
  return fuzzy::equal(slope(m, a), second);
}
bool segment_same(const Reals&, Segment a, Segment b) {
  return fuzzy::equal(a.start, b.start) && fuzzy::equal(a.end, b.end);
}
bool segment_different(const Reals& m, Segment a, Segment b) { return !segment_same(m, a, b); }
template <bool (*kCompare)(double, double)>
bool compare_lengths(const Reals& m, Segment a, Segment b) {
  const double second = m.length(b);
  return kCompare(m.length(a), second);
}
bool segments_cross(const Reals& m, Segment a, Segment b) { return cross(m, a, b, nullptr); }
std::optional<Point> segment_crossing(const Reals& m, Segment a, Segment b) {
  Point at;
  return cross(m, a, b, &at) ? std::optional(at) : std::nullopt;
}

const ScalarEntry kPointEntries[] = {
    {"construct_point", shaped<point_of>},     {"point_eq", shaped<point_same>},
    {"point_ne", shaped<point_different>},     {"point_left", shaped<point_left>},
    {"point_right", shaped<point_right>},      {"point_above", shaped<point_above>},
    {"point_below", shaped<point_below>},      {"point_vert", shaped<point_vertical>},
    {"point_horiz", shaped<point_horizontal>}, {"point_slope", shaped<point_slope>},
    {"point_add", shaped<point_plus>},         {"point_sub", shaped<point_minus>},
    {"point_mul", shaped<point_times>},        {"point_div", shaped<point_over>},
};
const ScalarEntry kSegmentEntries[] = {
    {"lseg_construct", shaped<segment_of>},
    {"lseg_length", shaped<segment_length>},
    {"lseg_center", shaped<segment_middle>},
    {"lseg_vertical", shaped<segment_vertical>},
    {"lseg_horizontal", shaped<segment_horizontal>},
    {"lseg_parallel", shaped<segments_parallel>},
    {"lseg_perp", shaped<segments_perpendicular>},
    {"lseg_eq", shaped<segment_same>},
    {"lseg_ne", shaped<segment_different>},
    {"lseg_lt", shaped<compare_lengths<fuzzy::less>>},
    {"lseg_le", shaped<compare_lengths<fuzzy::less_equal>>},
    {"lseg_gt", shaped<compare_lengths<fuzzy::greater>>},
    {"lseg_ge", shaped<compare_lengths<fuzzy::greater_equal>>},
    {"lseg_intersect", shaped<segments_cross>},
    {"lseg_interpt", shaped<segment_crossing>},
};

}  // namespace

std::span<const ScalarEntry> point_functions() { return kPointEntries; }
std::span<const ScalarEntry> segment_functions() { return kSegmentEntries; }

}  // namespace indigo::types
