// cube: what two cubes are to each other, and what one is made of.
#include <algorithm>
#include <cmath>
#include <utility>

#include "base/sqlstate.h"
#include "types/extension/cube/cube.h"
#include "types/function/kernel.h"

namespace indigo::types::cube {

namespace {

template <class Test>
bool compared(Str a, Str b, const Test& test) {
  return test(compare(CubeView(a), CubeView(b)));
}
bool eq(Str a, Str b) {
  return compared(a, b, [](int c) { return c == 0; });
}
bool ne(Str a, Str b) {
  return compared(a, b, [](int c) { return c != 0; });
}
bool lt(Str a, Str b) {
  return compared(a, b, [](int c) { return c < 0; });
}
bool gt(Str a, Str b) {
  return compared(a, b, [](int c) { return c > 0; });
}
bool le(Str a, Str b) {
  return compared(a, b, [](int c) { return c <= 0; });
}
bool ge(Str a, Str b) {
  return compared(a, b, [](int c) { return c >= 0; });
}
int32_t cmp(Str a, Str b) { return compare(CubeView(a), CubeView(b)); }

// Dimensions that only the outer one has do not count; those that only the inner one has must be zero.
bool contains(Str outer, Str inner) {
  const CubeView a(outer), b(inner);
  for (size_t i = 0; i < b.dimensions(); i++) {
    if (!a.has(i)) {
      if (b.first(i) != 0 || b.second(i) != 0) return false;
    } else if (a.low(i) > b.low(i) || a.high(i) < b.high(i)) {
      return false;
    }
  }
  return true;
}
bool contained(Str inner, Str outer) { return contains(outer, inner); }

bool overlap(Str left, Str right) {
  const CubeView a(left), b(right);
  for (size_t i = 0; i < std::max(a.dimensions(), b.dimensions()); i++) {
    if (a.low_or_zero(i) > b.high_or_zero(i) || a.high_or_zero(i) < b.low_or_zero(i)) return false;
  }
  return true;
}

std::string unite(Str left, Str right) {
  const CubeView a(left), b(right);
  Corners out;
  for (size_t i = 0; i < std::max(a.dimensions(), b.dimensions()); i++) {
    out.add(std::min(a.low_or_zero(i), b.low_or_zero(i)), std::max(a.high_or_zero(i), b.high_or_zero(i)));
  }
  return cube_image(out);
}

// Of cubes that do not meet the corners are the wrong way round.
std::string intersect(Str left, Str right) {
  const CubeView a(left), b(right);
  Corners out;
  for (size_t i = 0; i < std::max(a.dimensions(), b.dimensions()); i++) {
    out.add(std::max(a.low_or_zero(i), b.low_or_zero(i)), std::min(a.high_or_zero(i), b.high_or_zero(i)));
  }
  return cube_image(out);
}

double size(Str image) {
  const CubeView c(image);
  if (c.is_point() || c.dimensions() == 0) return 0;
  double out = 1;
  for (size_t i = 0; i < c.dimensions(); i++) out *= std::fabs(c.second(i) - c.first(i));
  return out;
}

// Between the intervals of one dimension; 0 where they meet, and where a NaN is an end.
double gap(const CubeView& a, const CubeView& b, size_t i) {
  const double of_a[] = {a.first_or_zero(i), a.second_or_zero(i)}, of_b[] = {b.first_or_zero(i), b.second_or_zero(i)};
  bool before = true, behind = true;
  for (const double x : of_a) {
    for (const double y : of_b) {
      before = before && x <= y;
      behind = behind && x > y;
    }
  }
  if (before) return b.low_or_zero(i) - a.high_or_zero(i);
  if (behind) return a.low_or_zero(i) - b.high_or_zero(i);
  return 0;
}
template <class Add>
double gaps(Str left, Str right, const Add& add) {
  CubeView a(left), b(right);
  // Infinite ends tell them apart.
  if (a.dimensions() < b.dimensions()) std::swap(a, b);
  double out = 0;
  for (size_t i = 0; i < a.dimensions(); i++) out = add(out, gap(a, b, i));
  return out;
}
double distance(Str a, Str b) {
  return std::sqrt(gaps(a, b, [](double sum, double d) { return sum + d * d; }));
}
double taxicab(Str a, Str b) {
  return gaps(a, b, [](double sum, double d) { return sum + std::fabs(d); });
}
double chebyshev(Str a, Str b) {
  return gaps(a, b, [](double most, double d) { return std::fabs(d) > most ? std::fabs(d) : most; });
}

int32_t dimensions(Str image) { return static_cast<int32_t>(CubeView(image).dimensions()); }
bool is_point(Str image) { return CubeView(image).is_point(); }
double low_coordinate(Str image, int32_t n) {
  return n > 0 ? CubeView(image).low_or_zero(static_cast<size_t>(n) - 1) : 0;
}
double high_coordinate(Str image, int32_t n) {
  return n > 0 ? CubeView(image).high_or_zero(static_cast<size_t>(n) - 1) : 0;
}

// Those of the first corner, then those of the second, from 1.
double coordinate(FuncContext& context, Str image, int32_t n) {
  const CubeView c(image);
  if (n <= 0 || static_cast<size_t>(n) > 2 * c.dimensions()) {
    context.fail(SqlState("2202E"), "cube index " + std::to_string(n) + " is out of bounds");
    return 0;
  }
  const size_t i = static_cast<size_t>(n) - 1;
  return i < c.dimensions() ? c.first(i) : c.second(i - c.dimensions());
}

// 2k - 1: the lower bound of dimension k, 2k: its upper one; with the opposite sign for a negative number.
double bound(FuncContext& context, Str image, int32_t n) {
  if (n == 0) {
    context.fail(SqlState("2202E"), "zero cube index is not defined");
    return 0;
  }
  const size_t i = (n < 0 ? -static_cast<int64_t>(n) : int64_t{n}) - 1;
  const CubeView c(image);
  const double value = i % 2 == 0 ? c.low_or_zero(i / 2) : c.high_or_zero(i / 2);
  return n < 0 ? -value : value;
}

const ScalarEntry kCubeFunctions[] = {
    {"cube_eq", kernel<eq>},
    {"cube_ne", kernel<ne>},
    {"cube_lt", kernel<lt>},
    {"cube_gt", kernel<gt>},
    {"cube_le", kernel<le>},
    {"cube_ge", kernel<ge>},
    {"cube_cmp", kernel<cmp>},
    {"cube_contains", kernel<contains>},
    {"cube_contained", kernel<contained>},
    {"cube_overlap", kernel<overlap>},
    {"cube_union", kernel<unite>},
    {"cube_inter", kernel<intersect>},
    {"cube_size", kernel<size>},
    {"cube_distance", kernel<distance>},
    {"distance_taxicab", kernel<taxicab>},
    {"distance_chebyshev", kernel<chebyshev>},
    {"cube_dim", kernel<dimensions>},
    {"cube_is_point", kernel<is_point>},
    {"cube_ll_coord", kernel<low_coordinate>},
    {"cube_ur_coord", kernel<high_coordinate>},
    {"cube_coord", kernel<coordinate>},
    {"cube_coord_llur", kernel<bound>},
};

}  // namespace

std::span<const ScalarEntry> cube_functions() { return kCubeFunctions; }

}  // namespace indigo::types::cube
