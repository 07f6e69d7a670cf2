// Slopes, crossings and nearest points of points, lines, segments and boxes. Every result and every error is the one that
// PostgreSQL gives: which formula is evaluated, and in which order, is part of the behaviour.
// `found` and `crossing` may be null where only the answer is wanted. Distances may be NaN: then there is no nearest point.
// Thread safety: pure functions but for the context.
#pragma once

#include "types/geometry/reals.h"
#include "types/geometry/shape.h"

namespace indigo::types {

// ---- slopes: infinite for what is vertical; `inverse` is the slope of what stands square to it
double slope(const Reals& m, Point a, Point b);
inline double slope(const Reals& m, const Segment& s) { return slope(m, s.start, s.end); }
double slope(const Reals& m, const Line& line);
double inverse_slope(const Reals& m, const Segment& s);
double inverse_slope(const Reals& m, const Line& line);

Line line_through(const Reals& m, Point point, double slope);
Line line_along(const Reals& m, const Segment& s);

// ---- containment
bool contains(const Reals& m, const Line& line, Point p);
bool contains(const Reals& m, const Segment& s, Point p);
bool contains(const Box& box, Point p);
bool contains(const Box& box, const Box& inner);
bool overlap(const Box& a, const Box& b);

// ---- crossings
bool cross(const Reals& m, const Line& a, const Line& b, Point* crossing);
bool cross(const Reals& m, const Segment& s, const Line& line, Point* crossing);
bool cross(const Reals& m, const Segment& a, const Segment& b, Point* crossing);
// `found` is a point of the segment near the box's middle.
bool cross(const Reals& m, const Box& box, const Segment& s, Point* found);
bool cross(const Reals& m, const Line& line, const Box& box);

// ---- the point of the first shape that is nearest to the second, and the distance
double nearest(const Reals& m, const Line& line, Point to, Point* found);
double nearest(const Reals& m, const Segment& s, Point to, Point* found);
double nearest(const Reals& m, const Segment& s, const Line& to, Point* found);
double nearest(const Reals& m, const Segment& s, const Segment& to, Point* found);
double nearest(const Reals& m, const Box& box, Point to, Point* found);
double nearest(const Reals& m, const Box& box, const Segment& to, Point* found);

// ---- polygons
enum class Side { kOutside, kInside, kOnEdge };
Side side_of(const Reals& m, Point p, const PointList& polygon);
double distance(const Reals& m, Point p, const Polygon& polygon);
Circle circle_around(const Reals& m, const Polygon& polygon);
Box bounds_of(const PointList& points);

// The segments of a path or a polygon: `visit` returns true to stop, then so does this.
template <class Visit>
bool each_segment(const PointList& points, bool closed, Visit visit) {
  for (size_t i = closed ? 0 : 1; i < points.size(); i++) {
    if (visit(Segment{points.before(i), points[i]})) return true;
  }
  return false;
}

}  // namespace indigo::types
