// Functions and operators of polygon.
#include "base/fiber/long_work.h"
#include "base/fiber/stack.h"
#include "types/function/families.h"
#include "types/geometry/plane.h"
#include "types/geometry/shape_kernel.h"

namespace indigo::types {

namespace {

constexpr uint64_t kUnitsPerEdge = 100;

// ---- one polygon
int32_t polygon_size(const Reals&, Polygon p) { return static_cast<int32_t>(p.points.size()); }
Point polygon_center(const Reals& m, Polygon p) { return circle_around(m, p).center; }
Box polygon_bounds(const Reals&, Polygon p) { return bounds_of(p.points); }
Circle circle_of_polygon(const Reals& m, Polygon p) { return circle_around(m, p); }
NewPolygon polygon_of_box(const Reals&, Box b) { return {{b.low, {b.low.x, b.high.y}, b.high, {b.high.x, b.low.y}}}; }

// ---- positions: those of the bounds, compared exactly
Box bounds(const Polygon& p) { return bounds_of(p.points); }
bool polygon_left(const Reals&, Polygon a, Polygon b) { return bounds(a).high.x < bounds(b).low.x; }
bool polygon_not_right(const Reals&, Polygon a, Polygon b) { return bounds(a).high.x <= bounds(b).high.x; }
bool polygon_right(const Reals&, Polygon a, Polygon b) { return bounds(a).low.x > bounds(b).high.x; }
bool polygon_not_left(const Reals&, Polygon a, Polygon b) { return bounds(a).low.x >= bounds(b).low.x; }
bool polygon_below(const Reals&, Polygon a, Polygon b) { return bounds(a).high.y < bounds(b).low.y; }
bool polygon_not_above(const Reals&, Polygon a, Polygon b) { return bounds(a).high.y <= bounds(b).high.y; }
bool polygon_above(const Reals&, Polygon a, Polygon b) { return bounds(a).low.y > bounds(b).high.y; }
bool polygon_not_below(const Reals&, Polygon a, Polygon b) { return bounds(a).low.y >= bounds(b).low.y; }

// The same points, from any of them on, in either direction.
bool polygon_same(const Reals&, Polygon a, Polygon b) {
  const size_t count = a.points.size();
  if (b.points.size() != count) return false;
  const auto same_from = [&](size_t start, size_t step) {
    for (size_t i = 0, j = start; i < count; i++, j = (j + step) % count) {
      if (!fuzzy::equal(b.points[j], a.points[i])) return false;
    }
    return true;
  };
  for (size_t start = 0; start < count; start++) {
    if (!fuzzy::equal(b.points[start], a.points[0])) continue;
    note_work(2 * count);
    if (same_from(start, 1) || same_from(start, count - 1)) return true;
  }
  return false;
}

bool polygons_overlap(const Reals& m, Polygon a, Polygon b) {
  if (!overlap(bounds(a), bounds(b))) return false;
  const bool crossing = each_segment(a.points, true, [&](const Segment& s) {
    note_work(kUnitsPerEdge * b.points.size());
    return m.context().failed() ||
           each_segment(b.points, true, [&](const Segment& t) { return cross(m, s, t, nullptr); });
  });
  return crossing || side_of(m, a.points[0], b.points) != Side::kOutside ||
         side_of(m, b.points[0], a.points) != Side::kOutside;
}
double polygon_distance(const Reals& m, Polygon a, Polygon b) {
  if (polygons_overlap(m, a, b)) return 0;
  double least = 0;
  bool first = true;
  each_segment(a.points, true, [&](const Segment& s) {
    note_work(kUnitsPerEdge * b.points.size());
    return each_segment(b.points, true, [&](const Segment& t) {
      const double distance = nearest(m, s, t, nullptr);
      if (first || float_less(distance, least)) least = distance;
      first = false;
      return m.context().failed();
    });
  });
  return least;
}

// ---- containment
// Whether segments lie in a polygon. Each edge that one meets cuts it in parts, which are looked at with the edges behind.
class Inclusion {
 public:
  Inclusion(const Reals& m, const PointList& polygon) : m_(m), polygon_(polygon) {}

  bool holds(Point a, Point b, size_t from) {
    const Status depth = check_stack_depth();
    if (!depth.ok()) {
      m_.context().fail(depth.error());
      return false;
    }
    const Segment s{a, b};
    bool inside = true, cut = false;
    for (size_t i = from; i < polygon_.size() && inside; i++) {
      note_work(kUnitsPerEdge);
      if (m_.context().failed()) return false;
      const Segment edge{polygon_.before(i), polygon_[i]};
      Point at;
      if (contains(m_, edge, a)) {
        if (contains(m_, edge, b)) return true;
        inside = rest_holds(a, b, edge, i + 1);
      } else if (contains(m_, edge, b)) {
        inside = rest_holds(b, a, edge, i + 1);
      } else if (cross(m_, s, edge, &at)) {
        cut = true;
        inside = holds(a, at, i + 1) && holds(b, at, i + 1);
      }
    }
    if (!inside || cut) return inside;
    return side_of(m_, m_.middle(a, b), polygon_) != Side::kOutside;
  }

 private:
  // From a, on the edge, to b: an end of the edge that lies between is passed by.
  bool rest_holds(Point a, Point b, const Segment& edge, size_t from) {
    const Segment s{a, b};
    if (fuzzy::equal(a, edge.start)) return !contains(m_, s, edge.end) || holds(b, edge.end, from);
    if (fuzzy::equal(a, edge.end)) return !contains(m_, s, edge.start) || holds(b, edge.start, from);
    if (contains(m_, s, edge.start)) return holds(b, edge.start, from);
    return !contains(m_, s, edge.end) || holds(b, edge.end, from);
  }

  const Reals& m_;
  const PointList& polygon_;
};
bool polygon_contains(const Reals& m, Polygon outer, Polygon inner) {
  if (!contains(bounds(outer), bounds(inner))) return false;
  Inclusion inclusion(m, outer.points);
  return !each_segment(inner.points, true, [&](const Segment& s) { return !inclusion.holds(s.start, s.end, 0); });
}
bool polygon_contained(const Reals& m, Polygon a, Polygon b) { return polygon_contains(m, b, a); }
bool polygon_contains_point(const Reals& m, Polygon polygon, Point p) {
  return side_of(m, p, polygon.points) != Side::kOutside;
}
bool point_in_polygon(const Reals& m, Point p, Polygon polygon) { return polygon_contains_point(m, polygon, p); }
double point_polygon_distance(const Reals& m, Point p, Polygon polygon) { return distance(m, p, polygon); }
double polygon_point_distance(const Reals& m, Polygon polygon, Point p) { return distance(m, p, polygon); }

const ScalarEntry kPolygonEntries[] = {
    {"poly_npoints", shaped<polygon_size>},
    {"poly_center", shaped<polygon_center>},
    {"poly_box", shaped<polygon_bounds>},
    {"spg_poly_quad_compress", shaped<polygon_bounds>},
    {"poly_circle", shaped<circle_of_polygon>},
    {"box_poly", shaped<polygon_of_box>},
    {"poly_left", shaped<polygon_left>},
    {"poly_overleft", shaped<polygon_not_right>},
    {"poly_right", shaped<polygon_right>},
    {"poly_overright", shaped<polygon_not_left>},
    {"poly_below", shaped<polygon_below>},
    {"poly_overbelow", shaped<polygon_not_above>},
    {"poly_above", shaped<polygon_above>},
    {"poly_overabove", shaped<polygon_not_below>},
    {"poly_same", shaped<polygon_same>},
    {"poly_overlap", shaped<polygons_overlap>},
    {"poly_distance", shaped<polygon_distance>},
    {"poly_contain", shaped<polygon_contains>},
    {"poly_contained", shaped<polygon_contained>},
    {"poly_contain_pt", shaped<polygon_contains_point>},
    {"pt_contained_poly", shaped<point_in_polygon>},
    {"dist_ppoly", shaped<point_polygon_distance>},
    {"dist_polyp", shaped<polygon_point_distance>},
};

}  // namespace

std::span<const ScalarEntry> polygon_functions() { return kPolygonEntries; }

}  // namespace indigo::types
