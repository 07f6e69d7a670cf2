// Geometric values. Their images are doubles in the machine's order, without alignment:
//
//   point: x y    lseg: its two points    box: high corner, low corner    line: a b c, where ax + by + c = 0
//   circle: center, radius    polygon: its points    path: a byte, 1 when closed, and its points
//
// Invariants:
// 1. The high corner of a box has the larger x and the larger y, NaN above all numbers (box_of_corners), but for what adding
//    to an infinity makes, as in PostgreSQL.
// 2. A path and a polygon have at least one point.
// Thread safety: values and pure functions.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "types/function/context.h"
#include "types/value/datum.h"

namespace indigo::types {

struct Point {
  double x = 0, y = 0;
};
struct Segment {
  Point start, end;
};
struct Box {
  Point high, low;
};
struct Line {
  double a = 0, b = 0, c = 0;
};
struct Circle {
  Point center;
  double radius = 0;
};

// The points of an image that somebody else owns.
class PointList {
 public:
  explicit PointList(Str bytes) : bytes_(bytes) {}
  size_t size() const { return bytes_.size() / sizeof(Point); }
  Point operator[](size_t i) const { return load_unaligned<Point>(bytes_.data() + i * sizeof(Point)); }
  // The point before; the last one's before the first.
  Point before(size_t i) const { return (*this)[i == 0 ? size() - 1 : i - 1]; }
  Str bytes() const { return bytes_; }

 private:
  Str bytes_;
};
struct Path {
  bool closed;
  PointList points;
};
struct Polygon {
  PointList points;
};

// What functions make.
struct NewPath {
  bool closed = false;
  std::vector<Point> points;
};
struct NewPolygon {
  std::vector<Point> points;
};

Box box_of_corners(Point a, Point b);

// ---- images
template <class T>
T shape_of(Str image) {
  return load_unaligned<T>(image.data());
}
template <>
inline Path shape_of<Path>(Str image) {
  return {image[0] != 0, PointList(image.substr(1))};
}
template <>
inline Polygon shape_of<Polygon>(Str image) {
  return {PointList(image)};
}
template <class T>
Str image_of(FuncContext& context, const T& shape) {
  return context.arena().copy({reinterpret_cast<const char*>(&shape), sizeof shape});
}
inline Str image_of(FuncContext& context, const NewPolygon& polygon) {
  return context.arena().copy(
      {reinterpret_cast<const char*>(polygon.points.data()), polygon.points.size() * sizeof(Point)});
}
inline Str image_of(FuncContext& context, const NewPath& path) {
  std::string image(1, path.closed ? '\1' : '\0');
  image.append(reinterpret_cast<const char*>(path.points.data()), path.points.size() * sizeof(Point));
  return context.arena().copy(image);
}

}  // namespace indigo::types
