// cube: a box or a point in up to 100 dimensions.
//
// An image: uint32 dimensions, with the highest bit set for a point, then the coordinates as doubles: those of the first
// corner, and for what is no point those of the second. Neither corner need be the lower one. A dimension that a cube does
// not have is zero.
// Thread safety: values and pure functions.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "types/function/family.h"
#include "types/inverted/inverted_class.h"
#include "types/io/type_definition.h"
#include "types/value/collator.h"

namespace indigo::types::cube {

inline constexpr size_t kMostDimensions = 100;
inline constexpr uint32_t kPointBit = 0x80000000;

class CubeView {
 public:
  explicit CubeView(Str image) : image_(image), head_(load_unaligned<uint32_t>(image.data())) {}

  size_t dimensions() const { return head_ & ~kPointBit; }
  bool is_point() const { return (head_ & kPointBit) != 0; }
  double first(size_t i) const { return at(i); }
  double second(size_t i) const { return at(is_point() ? i : dimensions() + i); }
  // As the type compares them: a NaN is neither less nor greater.
  double low(size_t i) const { return first(i) < second(i) ? first(i) : second(i); }
  double high(size_t i) const { return first(i) > second(i) ? first(i) : second(i); }
  bool has(size_t i) const { return i < dimensions(); }
  double first_or_zero(size_t i) const { return has(i) ? first(i) : 0; }
  double second_or_zero(size_t i) const { return has(i) ? second(i) : 0; }
  double low_or_zero(size_t i) const { return has(i) ? low(i) : 0; }
  double high_or_zero(size_t i) const { return has(i) ? high(i) : 0; }

 private:
  double at(size_t i) const { return load_unaligned<double>(image_.data() + sizeof(uint32_t) + i * sizeof(double)); }

  Str image_;
  uint32_t head_;
};

// Two corners; what has them alike becomes a point.
struct Corners {
  std::vector<double> first, second;
  void add(double a, double b) {
    first.push_back(a);
    second.push_back(b);
  }
  bool alike() const { return std::equal(first.begin(), first.end(), second.begin()); }
};
std::string cube_image(const Corners& corners);
std::string point_image(const std::vector<double>& coordinates);
Corners corners_of(const CubeView& cube);

int compare(const CubeView& a, const CubeView& b);
// Which cubes are equal. Their order has no bytes: where numbers of dimensions differ, it goes round in circles.
const Collator& equality();

std::span<const ScalarEntry> form_functions();
std::span<const ScalarEntry> cube_functions();
std::span<const ScalarEntry> making_functions();
extern const TypeDefinition kCubeForms;
extern const InvertedClass kCubeGist;

}  // namespace indigo::types::cube
