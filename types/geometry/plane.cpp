// Slopes, crossings and nearest points of points, lines, segments and boxes.
#include "types/geometry/plane.h"

#include <array>
#include <cmath>

namespace indigo::types {

namespace {

constexpr double kVertical = INFINITY;

// Prints as 0, not -0.
double without_sign(double a) { return a == 0 ? 0 : a; }

void put_point(Point* to, Point point) {
  if (to != nullptr) *to = point;
}

// Left, top, bottom, right: each with a corner of the box and one between.
std::array<Segment, 4> edges(const Box& box) {
  const Point top_left{box.low.x, box.high.y}, bottom_right{box.high.x, box.low.y};
  return {Segment{box.low, top_left}, Segment{box.high, top_left}, Segment{box.low, bottom_right},
          Segment{box.high, bottom_right}};
}

// The nearest of the box's edges.
template <class To>
double nearest_edge(const Reals& m, const Box& box, const To& to, Point* found) {
  double least = 0;
  bool first = true;
  for (const Segment& edge : edges(box)) {
    Point point;
    const double distance = nearest(m, edge, to, &point);
    if (first || float_less(distance, least)) {
      least = distance;
      put_point(found, point);
    }
    first = false;
  }
  return least;
}

}  // namespace

Box box_of_corners(Point a, Point b) {
  Box box{a, b};
  if (float_less(box.high.x, box.low.x)) std::swap(box.high.x, box.low.x);
  if (float_less(box.high.y, box.low.y)) std::swap(box.high.y, box.low.y);
  return box;
}

// ---- slopes
double slope(const Reals& m, Point a, Point b) {
  if (fuzzy::equal(a.x, b.x)) return kVertical;
  if (fuzzy::equal(a.y, b.y)) return 0;
  const double rise = m.minus(a.y, b.y);
  return m.over(rise, m.minus(a.x, b.x));
}
double inverse_slope(const Reals& m, const Segment& s) {
  if (fuzzy::equal(s.start.x, s.end.x)) return 0;
  if (fuzzy::equal(s.start.y, s.end.y)) return kVertical;
  const double run = m.minus(s.start.x, s.end.x);
  return m.over(run, m.minus(s.end.y, s.start.y));
}
double slope(const Reals& m, const Line& line) {
  if (fuzzy::zero(line.a)) return 0;
  if (fuzzy::zero(line.b)) return kVertical;
  return m.over(line.a, -line.b);
}
double inverse_slope(const Reals& m, const Line& line) {
  if (fuzzy::zero(line.a)) return kVertical;
  if (fuzzy::zero(line.b)) return 0;
  return m.over(line.b, line.a);
}

Line line_through(const Reals& m, Point point, double slope) {
  if (std::isinf(slope)) return {-1, 0, point.x};
  if (slope == 0) return {0, -1, point.y};
  return {slope, -1, without_sign(m.minus(point.y, m.times(slope, point.x)))};
}
Line line_along(const Reals& m, const Segment& s) { return line_through(m, s.start, slope(m, s)); }

// ---- containment
bool contains(const Reals& m, const Line& line, Point p) {
  return fuzzy::zero(m.plus(m.plus(m.times(line.a, p.x), m.times(line.b, p.y)), line.c));
}
bool contains(const Reals& m, const Segment& s, Point p) {
  return fuzzy::equal(m.distance(p, s.start) + m.distance(p, s.end), m.length(s));
}
bool contains(const Box& box, Point p) {
  return box.high.x >= p.x && box.low.x <= p.x && box.high.y >= p.y && box.low.y <= p.y;
}
bool contains(const Box& box, const Box& inner) {
  return fuzzy::greater_equal(box.high.x, inner.high.x) && fuzzy::less_equal(box.low.x, inner.low.x) &&
         fuzzy::greater_equal(box.high.y, inner.high.y) && fuzzy::less_equal(box.low.y, inner.low.y);
}
bool overlap(const Box& a, const Box& b) {
  return fuzzy::less_equal(a.low.x, b.high.x) && fuzzy::less_equal(b.low.x, a.high.x) &&
         fuzzy::less_equal(a.low.y, b.high.y) && fuzzy::less_equal(b.low.y, a.high.y);
}

// ---- crossings
bool cross(const Reals& m, const Line& a, const Line& b, Point* crossing) {
  // One of them is not vertical: y is computed from it.
  const bool first = !fuzzy::zero(a.b);
  if (!first && fuzzy::zero(b.b)) return false;
  const Line& p = first ? a : b;
  const Line& q = first ? b : a;
  if (fuzzy::equal(q.a, m.times(p.a, m.over(q.b, p.b)))) return false;
  const double above = m.minus(m.times(p.b, q.c), m.times(q.b, p.c));
  const double x = m.over(above, m.minus(m.times(p.a, q.b), m.times(q.a, p.b)));
  const double y = m.over(-m.plus(m.times(p.a, x), p.c), p.b);
  put_point(crossing, {without_sign(x), without_sign(y)});
  return true;
}
bool cross(const Reals& m, const Segment& s, const Line& line, Point* crossing) {
  Point at;
  if (!cross(m, line_along(m, s), line, &at) || !contains(m, s, at)) return false;
  // An end is given as it was written.
  put_point(crossing, fuzzy::equal(s.start, at) ? s.start : fuzzy::equal(s.end, at) ? s.end : at);
  return true;
}
bool cross(const Reals& m, const Segment& a, const Segment& b, Point* crossing) {
  Point at;
  if (!cross(m, a, line_along(m, b), &at) || !contains(m, b, at)) return false;
  put_point(crossing, at);
  return true;
}
bool cross(const Reals& m, const Box& box, const Segment& s, Point* found) {
  const Box around{{float_max(s.start.x, s.end.x), float_max(s.start.y, s.end.y)},
                   {float_min(s.start.x, s.end.x), float_min(s.start.y, s.end.y)}};
  if (!overlap(around, box)) return false;
  if (found != nullptr) nearest(m, s, m.middle(box.high, box.low), found);
  if (contains(box, s.start) || contains(box, s.end)) return true;
  for (const Segment& edge : edges(box)) {
    if (cross(m, edge, s, nullptr)) return true;
  }
  return false;
}
bool cross(const Reals& m, const Line& line, const Box& box) {
  const Point top_left{box.low.x, box.high.y}, bottom_right{box.high.x, box.low.y};
  return cross(m, Segment{box.low, top_left}, line, nullptr) || cross(m, Segment{box.high, top_left}, line, nullptr) ||
         cross(m, Segment{box.high, bottom_right}, line, nullptr) ||
         cross(m, Segment{box.low, bottom_right}, line, nullptr);
}

// ---- nearest points
double nearest(const Reals& m, const Line& line, Point to, Point* found) {
  Point at;
  if (!cross(m, line_through(m, to, inverse_slope(m, line)), line, &at)) {
    put_point(found, to);
    return NAN;
  }
  put_point(found, at);
  return m.distance(at, to);
}
double nearest(const Reals& m, const Segment& s, Point to, Point* found) {
  Point at;
  nearest(m, s, line_through(m, to, inverse_slope(m, s)), &at);
  put_point(found, at);
  return m.distance(at, to);
}
double nearest(const Reals& m, const Segment& s, const Line& to, Point* found) {
  if (cross(m, s, to, found)) return 0;
  const double from_start = nearest(m, to, s.start, nullptr);
  const double from_end = nearest(m, to, s.end, nullptr);
  const bool start = from_start < from_end;
  put_point(found, start ? s.start : s.end);
  return start ? from_start : from_end;
}
double nearest(const Reals& m, const Segment& s, const Segment& to, Point* found) {
  if (cross(m, s, to, found)) return 0;
  double least = nearest(m, s, to.start, found);
  Point at;
  const auto take = [&](double distance, const Point& point) {
    if (!float_less(distance, least)) return;
    least = distance;
    put_point(found, point);
  };
  take(nearest(m, s, to.end, &at), at);
  take(nearest(m, to, s.start, nullptr), s.start);
  take(nearest(m, to, s.end, nullptr), s.end);
  return least;
}
double nearest(const Reals& m, const Box& box, Point to, Point* found) {
  if (contains(box, to)) {
    put_point(found, to);
    return 0;
  }
  return nearest_edge(m, box, to, found);
}
double nearest(const Reals& m, const Box& box, const Segment& to, Point* found) {
  return cross(m, box, to, found) ? 0 : nearest_edge(m, box, to, found);
}

}  // namespace indigo::types
