// Functions and operators of path.
#include <cmath>
#include <optional>
#include <utility>

#include "base/fiber/long_work.h"
#include "base/sqlstate.h"
#include "types/function/families.h"
#include "types/geometry/plane.h"
#include "types/geometry/shape_kernel.h"

namespace indigo::types {

namespace {

constexpr uint64_t kUnitsPerCrossing = 100;

int32_t path_size(const Reals&, Path p) { return static_cast<int32_t>(p.points.size()); }
bool path_closed(const Reals&, Path p) { return p.closed; }
bool path_open(const Reals&, Path p) { return !p.closed; }
template <class Size>
bool compare_sizes(const Reals&, Path a, Path b) {
  return Size{}(a.points.size(), b.points.size());
}

NewPath changed_path(const Path& p, bool closed) {
  NewPath out{closed, {}};
  out.points.reserve(p.points.size());
  for (size_t i = 0; i < p.points.size(); i++) out.points.push_back(p.points[i]);
  return out;
}
NewPath close_path(const Reals&, Path p) { return changed_path(p, true); }
NewPath open_path(const Reals&, Path p) { return changed_path(p, false); }

std::optional<double> path_area(const Reals& m, Path p) {
  if (!p.closed) return std::nullopt;
  double twice = 0;
  for (size_t i = 0; i < p.points.size(); i++) {
    const Point a = p.points[i], b = p.points[(i + 1) % p.points.size()];
    twice = m.plus(twice, m.times(a.x, b.y));
    twice = m.minus(twice, m.times(a.y, b.x));
  }
  return m.half(std::fabs(twice));
}
double path_length(const Reals& m, Path p) {
  double length = 0;
  each_segment(p.points, p.closed, [&](const Segment& s) {
    length = m.plus(length, m.length(s));
    return false;
  });
  return length;
}

// ---- pairs of paths
bool paths_cross(const Reals& m, Path a, Path b) {
  if (!overlap(bounds_of(a.points), bounds_of(b.points))) return false;
  return each_segment(a.points, a.closed, [&](const Segment& s) {
    note_work(kUnitsPerCrossing * b.points.size());
    return m.context().failed() ||
           each_segment(b.points, b.closed, [&](const Segment& t) { return cross(m, s, t, nullptr); });
  });
}
std::optional<double> path_distance(const Reals& m, Path a, Path b) {
  std::optional<double> least;
  each_segment(a.points, a.closed, [&](const Segment& s) {
    note_work(kUnitsPerCrossing * b.points.size());
    return each_segment(b.points, b.closed, [&](const Segment& t) {
      const double distance = nearest(m, s, t, nullptr);
      if (!least || float_less(distance, *least)) least = distance;
      return m.context().failed();
    });
  });
  return least;
}
std::optional<NewPath> path_joined(const Reals&, Path a, Path b) {
  if (a.closed || b.closed) return std::nullopt;
  NewPath out = changed_path(a, false);
  for (size_t i = 0; i < b.points.size(); i++) out.points.push_back(b.points[i]);
  return out;
}

// ---- a path and a point
double path_point_distance(const Reals& m, Path path, Point p) {
  std::optional<double> least;
  note_work(kUnitsPerCrossing * path.points.size());
  each_segment(path.points, path.closed, [&](const Segment& s) {
    const double distance = nearest(m, s, p, nullptr);
    if (!least || float_less(distance, *least)) least = distance;
    return m.context().failed();
  });
  return least.value_or(0);
}
double point_path_distance(const Reals& m, Point p, Path path) { return path_point_distance(m, path, p); }
bool point_on_path(const Reals& m, Point p, Path path) {
  if (path.closed) return side_of(m, p, path.points) != Side::kOutside;
  double before = m.distance(p, path.points[0]);
  return each_segment(path.points, false, [&](const Segment& s) {
    const double after = m.distance(p, s.end);
    const bool on = fuzzy::equal(m.plus(before, after), m.length(s));
    before = after;
    return on;
  });
}
bool path_contains_point(const Reals& m, Path path, Point p) { return point_on_path(m, p, path); }
template <Point (Reals::*kOperation)(Point, Point) const>
NewPath moved_path(const Reals& m, Path path, Point p) {
  NewPath out = changed_path(path, path.closed);
  for (Point& point : out.points) point = (m.*kOperation)(point, p);
  return out;
}

NewPolygon polygon_of_path(const Reals& m, Path p) {
  if (!p.closed) m.context().fail(sqlstate::kInvalidParameterValue, "open path cannot be converted to polygon");
  return {changed_path(p, true).points};
}
NewPath path_of_polygon(const Reals&, Polygon p) { return changed_path({true, p.points}, true); }

const ScalarEntry kPathEntries[] = {
    {"path_npoints", shaped<path_size>},
    {"path_isclosed", shaped<path_closed>},
    {"path_isopen", shaped<path_open>},
    {"path_n_eq", shaped<compare_sizes<std::equal_to<>>>},
    {"path_n_lt", shaped<compare_sizes<std::less<>>>},
    {"path_n_le", shaped<compare_sizes<std::less_equal<>>>},
    {"path_n_gt", shaped<compare_sizes<std::greater<>>>},
    {"path_n_ge", shaped<compare_sizes<std::greater_equal<>>>},
    {"path_close", shaped<close_path>},
    {"path_open", shaped<open_path>},
    {"path_area", shaped<path_area>},
    {"path_length", shaped<path_length>},
    {"path_inter", shaped<paths_cross>},
    {"path_distance", shaped<path_distance>},
    {"path_add", shaped<path_joined>},
    {"dist_pathp", shaped<path_point_distance>},
    {"dist_ppath", shaped<point_path_distance>},
    {"on_ppath", shaped<point_on_path>},
    {"path_contain_pt(path,point)", shaped<path_contains_point>},
    {"path_add_pt", shaped<moved_path<&Reals::plus>>},
    {"path_sub_pt", shaped<moved_path<&Reals::minus>>},
    {"path_mul_pt", shaped<moved_path<&Reals::times>>},
    {"path_div_pt", shaped<moved_path<&Reals::over>>},
    {"path_poly", shaped<polygon_of_path>},
    {"poly_path", shaped<path_of_polygon>},
};

}  // namespace

std::span<const ScalarEntry> path_functions() { return kPathEntries; }

}  // namespace indigo::types
