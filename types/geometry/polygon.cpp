// What polygons, paths and circles share: sides, bounds, distances.
#include "base/fiber/long_work.h"
#include "types/geometry/plane.h"

namespace indigo::types {

namespace {

constexpr int kOnEdge = 2147483647;

// How the edge from `from` to `to` crosses the positive x axis: 2 upwards, -2 downwards, half of it when it begins or ends
// there, kOnEdge when the origin is on it.
int axis_crossing(const Reals& m, Point to, Point from) {
  if (fuzzy::zero(to.y)) {
    if (fuzzy::zero(to.x)) return kOnEdge;
    if (fuzzy::greater(to.x, 0)) {
      if (fuzzy::zero(from.y)) return fuzzy::greater(from.x, 0) ? 0 : kOnEdge;
      return fuzzy::less(from.y, 0) ? 1 : -1;
    }
    if (fuzzy::zero(from.y)) return fuzzy::less(from.x, 0) ? 0 : kOnEdge;
    return 0;
  }
  const int sign = fuzzy::greater(to.y, 0) ? 1 : -1;
  if (fuzzy::zero(from.y)) return fuzzy::less(from.x, 0) ? 0 : sign;
  if (sign < 0 ? fuzzy::less(from.y, 0) : fuzzy::greater(from.y, 0)) return 0;
  if (fuzzy::greater_equal(to.x, 0) && fuzzy::greater(from.x, 0)) return 2 * sign;
  if (fuzzy::less(to.x, 0) && fuzzy::less_equal(from.x, 0)) return 0;
  const double left = m.times(m.minus(to.x, from.x), to.y);
  const double z = m.minus(left, m.times(m.minus(to.y, from.y), to.x));
  if (fuzzy::zero(z)) return kOnEdge;
  if (sign < 0 ? fuzzy::less(z, 0) : fuzzy::greater(z, 0)) return 0;
  return 2 * sign;
}

}  // namespace

// The number of times that the polygon winds around the point.
Side side_of(const Reals& m, Point p, const PointList& polygon) {
  int64_t winding = 0;
  const Point first = m.minus(polygon[0], p);
  Point previous = first;
  note_work(polygon.size());
  for (size_t i = 1; i <= polygon.size(); i++) {
    const Point at = i < polygon.size() ? m.minus(polygon[i], p) : first;
    const int crossing = axis_crossing(m, at, previous);
    if (crossing == kOnEdge) return Side::kOnEdge;
    winding += crossing;
    previous = at;
  }
  return winding != 0 ? Side::kInside : Side::kOutside;
}

double distance(const Reals& m, Point p, const Polygon& polygon) {
  if (side_of(m, p, polygon.points) != Side::kOutside) return 0;
  note_work(100 * polygon.points.size());
  const PointList& points = polygon.points;
  double least = nearest(m, Segment{points[0], points[points.size() - 1]}, p, nullptr);
  each_segment(points, false, [&](const Segment& edge) {
    const double distance = nearest(m, edge, p, nullptr);
    if (float_less(distance, least)) least = distance;
    return m.context().failed();
  });
  return least;
}

// Its center is the mean of the points, its radius their mean distance from it.
Circle circle_around(const Reals& m, const Polygon& polygon) {
  const PointList& points = polygon.points;
  const auto count = static_cast<double>(points.size());
  Circle circle;
  for (size_t i = 0; i < points.size(); i++) circle.center = m.plus(circle.center, points[i]);
  circle.center.x = m.over(circle.center.x, count);
  circle.center.y = m.over(circle.center.y, count);
  for (size_t i = 0; i < points.size(); i++) {
    circle.radius = m.plus(circle.radius, m.distance(points[i], circle.center));
  }
  circle.radius = m.over(circle.radius, count);
  return circle;
}

Box bounds_of(const PointList& points) {
  Box box{points[0], points[0]};
  for (size_t i = 1; i < points.size(); i++) {
    const Point p = points[i];
    box.high = {float_max(p.x, box.high.x), float_max(p.y, box.high.y)};
    box.low = {float_min(p.x, box.low.x), float_min(p.y, box.low.y)};
  }
  return box;
}

}  // namespace indigo::types
