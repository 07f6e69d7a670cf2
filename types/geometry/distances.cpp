// Distances, nearest points and containment between points, lines, segments and boxes: functions and operators of two types.
#include <cmath>
#include <optional>

#include "types/function/families.h"
#include "types/geometry/plane.h"
#include "types/geometry/shape_kernel.h"

namespace indigo::types {

namespace {

double between_points(const Reals& m, Point a, Point b) { return m.distance(a, b); }
double between_segments(const Reals& m, Segment a, Segment b) { return nearest(m, a, b, nullptr); }
// The distance of two shapes, and the point of S that is nearest to T.
template <class S, class T>
double apart(const Reals& m, S s, T to) {
  return nearest(m, s, to, nullptr);
}
template <class T, class S>
double apart_reversed(const Reals& m, T to, S s) {
  return nearest(m, s, to, nullptr);
}
template <class T, class S>
std::optional<Point> nearest_point(const Reals& m, T to, S s) {
  Point at;
  return std::isnan(nearest(m, s, to, &at)) ? std::nullopt : std::optional(at);
}
std::optional<Point> nearest_of_segment(const Reals& m, Line line, Segment s) {
  const double along = slope(m, s);
  if (along == slope(m, line)) return std::nullopt;
  return nearest_point(m, line, s);
}
std::optional<Point> nearest_of_segments(const Reals& m, Segment to, Segment s) {
  const double along = slope(m, to);
  if (along == slope(m, s)) return std::nullopt;
  return nearest_point(m, to, s);
}

bool point_on_line(const Reals& m, Point p, Line line) { return contains(m, line, p); }
bool point_on_segment(const Reals& m, Point p, Segment s) { return contains(m, s, p); }
bool segment_on_line(const Reals& m, Segment s, Line line) {
  return contains(m, line, s.start) && contains(m, line, s.end);
}
bool segment_crosses_line(const Reals& m, Segment s, Line line) { return cross(m, s, line, nullptr); }

const ScalarEntry kDistanceEntries[] = {
    {"point_distance", shaped<between_points>},
    {"lseg_distance", shaped<between_segments>},
    {"dist_pl", shaped<apart_reversed<Point, Line>>},
    {"dist_lp", shaped<apart<Line, Point>>},
    {"dist_ps", shaped<apart_reversed<Point, Segment>>},
    {"dist_sp", shaped<apart<Segment, Point>>},
    {"dist_pb", shaped<apart_reversed<Point, Box>>},
    {"dist_bp", shaped<apart<Box, Point>>},
    {"dist_sl", shaped<apart<Segment, Line>>},
    {"dist_ls", shaped<apart_reversed<Line, Segment>>},
    {"dist_sb", shaped<apart_reversed<Segment, Box>>},
    {"dist_bs", shaped<apart<Box, Segment>>},
    {"close_pl", shaped<nearest_point<Point, Line>>},
    {"close_ps", shaped<nearest_point<Point, Segment>>},
    {"close_pb", shaped<nearest_point<Point, Box>>},
    {"close_sb", shaped<nearest_point<Segment, Box>>},
    {"close_ls", shaped<nearest_of_segment>},
    {"close_lseg", shaped<nearest_of_segments>},
    {"on_pl", shaped<point_on_line>},
    {"on_ps", shaped<point_on_segment>},
    {"on_sl", shaped<segment_on_line>},
    {"inter_sl", shaped<segment_crosses_line>},
};

}  // namespace

std::span<const ScalarEntry> shape_distances() { return kDistanceEntries; }

}  // namespace indigo::types
