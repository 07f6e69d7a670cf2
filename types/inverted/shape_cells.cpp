// box_ops, poly_ops, circle_ops and point_ops: a shape is kept as the cell of its bounding box. PostgreSQL's comparisons of
// coordinates allow for a small difference (types/geometry/reals.h): queries ask for what is that near, too.
#include <algorithm>
#include <cmath>

#include "types/geometry/plane.h"
#include "types/inverted/inverted_class.h"

namespace indigo::types {

namespace {

enum ShapeStrategy : uint8_t {
  kLeft = 1,
  kOverLeft = 2,
  kOverlaps = 3,
  kOverRight = 4,
  kRight = 5,
  kSame = 6,
  kContains = 7,
  kContained = 8,
  kOverBelow = 9,
  kBelow = 10,
  kAbove = 11,
  kOverAbove = 12,
  kDistance = 15,
  kInBox = 28,  // of points
  kBelowToo = 29,
  kAboveToo = 30,
  kInPolygon = 48,
  kInCircle = 68,
};
constexpr StrategySet kShapeStrategies = {kLeft,     kOverLeft,  kOverlaps,  kOverRight, kRight, kSame,
                                          kContains, kContained, kOverBelow, kBelow,     kAbove, kOverAbove};
constexpr StrategySet kPlaces = {kLeft, kRight, kSame, kBelow, kAbove, kBelowToo, kAboveToo};

struct Interval {
  double low, high;
};
struct Bounds {
  Interval x, y;
  bool known() const { return !std::isnan(x.low + x.high + y.low + y.high); }
};

Bounds bounds_of_box(const Box& b) {
  return {{std::min(b.low.x, b.high.x), std::max(b.low.x, b.high.x)},
          {std::min(b.low.y, b.high.y), std::max(b.low.y, b.high.y)}};
}
template <class T>
Bounds bounds_of_image(Str image) = delete;
template <>
Bounds bounds_of_image<Point>(Str image) {
  const auto p = shape_of<Point>(image);
  return {{p.x, p.x}, {p.y, p.y}};
}
template <>
Bounds bounds_of_image<Box>(Str image) {
  return bounds_of_box(shape_of<Box>(image));
}
template <>
Bounds bounds_of_image<Polygon>(Str image) {
  return bounds_of_box(bounds_of(shape_of<Polygon>(image).points));
}
template <>
Bounds bounds_of_image<Circle>(Str image) {
  const auto c = shape_of<Circle>(image);
  return {{c.center.x - c.radius, c.center.x + c.radius}, {c.center.y - c.radius, c.center.y + c.radius}};
}

// What a NaN makes uncertain, sums of infinities among it, may be anywhere.
CellBox box_of(const Bounds& b) {
  const uint64_t greatest = CellBox::greatest(2);
  if (!b.known()) return {2, {0, 0}, {greatest, greatest}};
  return {2, {coordinate_of(b.x.low), coordinate_of(b.y.low)}, {coordinate_of(b.x.high), coordinate_of(b.y.high)}};
}

template <class T>
void keys_of(const InvertedColumn&, const Datum& value, std::vector<std::string>& keys) {
  append_cell(box_of(bounds_of_image<T>(value.str)), keys.emplace_back());
}

double blur(double number) { return 2 * fuzzy::kEpsilon + std::fabs(number) * 1e-12; }

KeyQuery query_of_bounds(int strategy, const Bounds& b) {
  if (!b.known()) return every_row();
  const Interval x = {b.x.low - blur(b.x.low), b.x.high + blur(b.x.high)};
  const Interval y = {b.y.low - blur(b.y.low), b.y.high + blur(b.y.high)};
  const Interval low_x = {x.low, b.x.low + blur(b.x.low)}, low_y = {y.low, b.y.low + blur(b.y.low)};
  constexpr double kInf = INFINITY;
  constexpr Interval kAll = {-kInf, kInf};
  const auto within = [](Interval of_x, Interval of_y) { return with_cells({}, box_of({of_x, of_y})); };
  switch (strategy) {
    case kLeft: return within({-kInf, low_x.high}, kAll);
    case kOverLeft: return within({-kInf, x.high}, kAll);
    case kOverRight: return within({x.low, kInf}, kAll);
    case kRight: return within({b.x.high - blur(b.x.high), kInf}, kAll);
    case kOverBelow: return within(kAll, {-kInf, y.high});
    case kBelow:
    case kBelowToo: return within(kAll, {-kInf, low_y.high});
    case kAbove:
    case kAboveToo: return within(kAll, {b.y.high - blur(b.y.high), kInf});
    case kOverAbove: return within(kAll, {y.low, kInf});
    // What contains it, or is the same, has its low corner.
    case kSame:
    case kContains: return within(low_x, low_y);
    default: return within(x, y);
  }
}

template <class T>
KeyQuery shape_query_of(FuncContext&, const InvertedColumn&, int strategy, const Datum& value) {
  return query_of_bounds(strategy, bounds_of_image<T>(value.str));
}

// gist's strategies for what a point lies in; all else is compared with points.
KeyQuery point_query_of(FuncContext&, const InvertedColumn&, int strategy, const Datum& value) {
  switch (strategy) {
    case kInBox: return query_of_bounds(kContained, bounds_of_image<Box>(value.str));
    case kInPolygon: return query_of_bounds(kContained, bounds_of_image<Polygon>(value.str));
    case kInCircle: return query_of_bounds(kContained, bounds_of_image<Circle>(value.str));
    default: return query_of_bounds(strategy, bounds_of_image<Point>(value.str));
  }
}
// spgist's: it knows boxes only.
KeyQuery place_query_of(FuncContext&, const InvertedColumn&, int strategy, const Datum& value) {
  if (strategy == kContained) return query_of_bounds(kContained, bounds_of_image<Box>(value.str));
  return query_of_bounds(strategy, bounds_of_image<Point>(value.str));
}

// Whatever has a point within the distance has one in the square around the place.
KeyQuery around_point(const InvertedColumn&, const Datum& point, double distance) {
  const auto p = shape_of<Point>(point.str);
  const Bounds square = {{p.x - distance, p.x + distance}, {p.y - distance, p.y + distance}};
  return std::isfinite(distance) ? query_of_bounds(kOverlaps, square) : every_row();
}
double first_ring(const InvertedColumn&, const Datum& point) {
  const auto p = shape_of<Point>(point.str);
  return first_ring_of(std::max(std::fabs(p.x), std::fabs(p.y)));
}
constexpr Rings kRings = {{kDistance}, around_point, first_ring};

constexpr auto kNone = InvertedClass::Element::kNone;

}  // namespace

const InvertedClass kBoxGist = {"gist_box_consistent", kNone, kShapeStrategies, keys_of<Box>,
                                shape_query_of<Box>,   true,  &kRings};
const InvertedClass kBoxSpgist = {"spg_box_quad_config", kNone, kShapeStrategies, keys_of<Box>,
                                  shape_query_of<Box>,   true,  &kRings};
const InvertedClass kPolygonGist = {"gist_poly_consistent",  kNone, kShapeStrategies, keys_of<Polygon>,
                                    shape_query_of<Polygon>, true,  &kRings};
const InvertedClass kPolygonSpgist = {"spg_bbox_quad_config",  kNone, kShapeStrategies, keys_of<Polygon>,
                                      shape_query_of<Polygon>, true,  &kRings};
const InvertedClass kCircleGist = {"gist_circle_consistent", kNone, kShapeStrategies, keys_of<Circle>,
                                   shape_query_of<Circle>,   true,  &kRings};
const InvertedClass kPointGist = {"gist_point_consistent",
                                  kNone,
                                  kPlaces | StrategySet{kInBox, kInPolygon, kInCircle},
                                  keys_of<Point>,
                                  point_query_of,
                                  true,
                                  &kRings};
const InvertedClass kPointQuadSpgist = {
    "spg_quad_config", kNone, kPlaces | StrategySet{kContained}, keys_of<Point>, place_query_of, true, &kRings};
const InvertedClass kPointKdSpgist = {
    "spg_kd_config", kNone, kPlaces | StrategySet{kContained}, keys_of<Point>, place_query_of, true, &kRings};

}  // namespace indigo::types
