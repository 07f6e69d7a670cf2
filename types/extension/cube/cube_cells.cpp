// gist_cube_ops: a cube is kept as the cell of its first two dimensions.
#include <cmath>

#include "types/extension/cube/cube.h"

namespace indigo::types::cube {

namespace {

enum CubeStrategy : uint8_t { kOverlaps = 3, kSame = 6, kContains = 7, kContained = 8 };

constexpr double kInf = INFINITY;

struct Sides {
  double low[2] = {0, 0}, high[2] = {0, 0};
};

CellBox box_of(const Sides& s) {
  return {2, {coordinate_of(s.low[0]), coordinate_of(s.low[1])}, {coordinate_of(s.high[0]), coordinate_of(s.high[1])}};
}

// The whole axis where a NaN makes it uncertain: a NaN's place is the last one.
Sides sides_of(const CubeView& c) {
  Sides out;
  for (size_t i = 0; i < 2; i++) {
    out.low[i] = c.low_or_zero(i);
    out.high[i] = c.high_or_zero(i);
    if (!c.has(i) || (!std::isnan(c.first(i)) && !std::isnan(c.second(i)))) continue;
    out.low[i] = -kInf;
    out.high[i] = NAN;
  }
  return out;
}

void keys_of(const InvertedColumn&, const Datum& value, std::vector<std::string>& keys) {
  append_cell(box_of(sides_of(CubeView(value.str))), keys.emplace_back());
}

// Dimensions that the cube inside lacks do not count: those of the value when it is the one inside, and where the column is,
// any, which are kept as zeros.
KeyQuery query_of(FuncContext&, const InvertedColumn&, int strategy, const Datum& value) {
  const CubeView c(value.str);
  Sides s = sides_of(c);
  for (size_t i = 0; i < 2; i++) {
    if (strategy == kContains && !c.has(i)) {
      s.low[i] = -kInf;
      s.high[i] = NAN;
    } else if (strategy == kContained && c.has(i) && !std::isnan(s.high[i])) {
      s.low[i] = std::min(s.low[i], 0.0);
      s.high[i] = std::max(s.high[i], 0.0);
    }
  }
  return with_cells({}, box_of(s));
}

}  // namespace

const InvertedClass kCubeGist = {"g_cube_consistent",
                                 InvertedClass::Element::kNone,
                                 StrategySet{kOverlaps, kSame, kContains, kContained},
                                 keys_of,
                                 query_of,
                                 true};

}  // namespace indigo::types::cube
