// gist_cube_ops: a cube is kept as the cell of its first three dimensions, by how many of them it has.
#include <cmath>

#include "types/extension/cube/cube.h"

namespace indigo::types::cube {

namespace {

enum CubeStrategy : uint8_t {
  kOverlaps = 3,
  kSame = 6,
  kContains = 7,
  kContained = 8,
  kTaxicab = 16,
  kEuclid = 17,
  kChebyshev = 18
};

constexpr double kInf = INFINITY;
constexpr size_t kSides = 3;

struct Sides {
  double low[kSides] = {}, high[kSides] = {};
};

CellBox box_of(const Sides& s) {
  CellBox out{.dimensions = kSides};
  for (size_t i = 0; i < kSides; i++) {
    out.low[i] = coordinate_of(s.low[i]);
    out.high[i] = coordinate_of(s.high[i]);
  }
  return out;
}

void open_side(Sides& s, size_t i) {
  s.low[i] = -kInf;
  s.high[i] = NAN;
}

// The whole axis where a NaN makes it uncertain: a NaN's place is the last one.
Sides sides_of(const CubeView& c) {
  Sides out;
  for (size_t i = 0; i < kSides; i++) {
    out.low[i] = c.low_or_zero(i);
    out.high[i] = c.high_or_zero(i);
    if (c.has(i) && (std::isnan(c.first(i)) || std::isnan(c.second(i)))) open_side(out, i);
  }
  return out;
}

// Before the cell: how many of these sides the cube has.
std::string class_of(size_t dimensions) { return std::string(1, static_cast<char>(std::min(dimensions, kSides))); }

void keys_of(const InvertedColumn&, const Datum& value, std::vector<std::string>& keys) {
  const CubeView c(value.str);
  append_cell(box_of(sides_of(c)), keys.emplace_back(class_of(c.dimensions())));
}

// Dimensions that the cube inside lacks do not count; elsewhere they are zeros.
KeyQuery query_of(FuncContext&, const InvertedColumn&, int strategy, const Datum& value) {
  const CubeView c(value.str);
  std::vector<KeyQuery> of_class;
  for (size_t dimensions = 0; dimensions <= kSides; dimensions++) {
    Sides s = sides_of(c);
    for (size_t i = 0; i < kSides; i++) {
      if (strategy == kContains && !c.has(i)) open_side(s, i);
      if (strategy == kContained && i >= dimensions) s.low[i] = s.high[i] = 0;
    }
    of_class.push_back(with_cells(class_of(dimensions), box_of(s)));
  }
  return with_any(std::move(of_class));
}

// By each of the distances no side is farther away than the whole.
KeyQuery around(const InvertedColumn&, const Datum& place, double distance) {
  if (!std::isfinite(distance)) return every_row();
  Sides s = sides_of(CubeView(place.str));
  for (size_t i = 0; i < kSides; i++) {
    if (std::isnan(s.high[i])) continue;
    const double blur = (std::fabs(s.low[i]) + std::fabs(s.high[i]) + distance) * 1e-12;
    s.low[i] -= distance + blur;
    s.high[i] += distance + blur;
  }
  std::vector<KeyQuery> of_class;
  for (size_t dimensions = 0; dimensions <= kSides; dimensions++)
    of_class.push_back(with_cells(class_of(dimensions), box_of(s)));
  return with_any(std::move(of_class));
}

double first_ring(const InvertedColumn&, const Datum& place) {
  const CubeView c(place.str);
  double extent = 0;
  for (size_t i = 0; i < c.dimensions(); i++) extent = std::max({extent, std::fabs(c.low(i)), std::fabs(c.high(i))});
  return first_ring_of(extent);
}

constexpr Rings kRings = {{kTaxicab, kEuclid, kChebyshev}, around, first_ring};

}  // namespace

const InvertedClass kCubeGist = {"g_cube_consistent",
                                 InvertedClass::Element::kNone,
                                 StrategySet{kOverlaps, kSame, kContains, kContained},
                                 keys_of,
                                 query_of,
                                 true,
                                 &kRings};

}  // namespace indigo::types::cube
