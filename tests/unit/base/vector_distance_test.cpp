// Halves as IEEE 754 has them, and sums against plain ones of all lengths, so that no width of registers leaves an element out.
#include "base/vector_distance.h"

#include <cmath>
#include <cstring>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "base/vector_space.h"

namespace indigo {
namespace {

TEST(VectorDistance, EveryHalfIsReadAndWritten) {
  for (uint32_t h = 0; h < 65536; h++) {
    const auto half = static_cast<uint16_t>(h);
    const float value = half_to_float(half);
    if (std::isnan(value)) continue;
    EXPECT_EQ(float_to_half(value), half);
    if (!std::isfinite(value) || std::fabs(value) >= 65504) continue;
    // Half way to the next one: to the even one; a little more, to the next.
    const float next = half_to_float(static_cast<uint16_t>(half + 1));
    const float middle = value + (next - value) / 2;
    EXPECT_EQ(float_to_half(middle), (half & 1) == 0 ? half : half + 1);
    EXPECT_EQ(float_to_half(std::nextafter(middle, next)), half + 1);
  }
  EXPECT_TRUE(std::isinf(half_to_float(float_to_half(65520))));
  EXPECT_EQ(half_to_float(float_to_half(65519)), 65504);
  EXPECT_EQ(half_to_float(float_to_half(1e-9F)), 0);
  EXPECT_TRUE(std::isnan(half_to_float(float_to_half(NAN))));
}

template <class Element>
void compare_sums(size_t count, std::mt19937& random) {
  std::uniform_int_distribution<int> number(-8, 8);  // their sums are exact
  std::string a, b;
  double squared = 0, product = 0, taxicab = 0;
  for (size_t i = 0; i < count; i++) {
    const auto x = static_cast<float>(number(random)), y = static_cast<float>(number(random));
    squared += (x - y) * (x - y), product += x * y, taxicab += std::fabs(x - y);
    for (const auto& [value, image] : {std::pair(x, &a), std::pair(y, &b)}) {
      const uint16_t half = float_to_half(value);
      Element::kBytes == 2 ? image->append(reinterpret_cast<const char*>(&half), 2)
                           : image->append(reinterpret_cast<const char*>(&value), 4);
    }
  }
  EXPECT_EQ(squared_distance<Element>(a.data(), b.data(), count), squared);
  EXPECT_EQ(inner_product<Element>(a.data(), b.data(), count), product);
  EXPECT_EQ(taxicab_distance<Element>(a.data(), b.data(), count), taxicab);
}

TEST(VectorDistance, SumsOfAllLengths) {
  std::mt19937 random(5);
  for (size_t count = 1; count < 140; count++) {
    compare_sums<SingleElement>(count, random);
    compare_sums<HalfElement>(count, random);
  }
}

TEST(VectorDistance, Bits) {
  const std::string a("\xff\x00\xf0\x01\x80\x00\x00\x00\x0f", 9), b("\x0f\x00\xf0\x00\x80\x00\x00\x00\xff", 9);
  EXPECT_EQ(hamming_distance(a.data(), b.data(), a.size()), 4 + 1 + 4u);
  EXPECT_DOUBLE_EQ(jaccard_distance(a.data(), b.data(), a.size()), 1 - 13.0 / 22);
  EXPECT_EQ(jaccard_distance("\0", "\0", 1), 1);
}

TEST(VectorDistance, KeysThatCannotBeCompared) {
  const std::string image(8, '\0'), shorter(4, '\0');
  const auto key = [](VectorMetric m, VectorElement e, const std::string& of) { return VectorKey::make(m, e, of); };
  const std::string two = key(VectorMetric::kEuclidean, VectorElement::kSingle, image);
  EXPECT_TRUE(are_comparable(two, two));
  EXPECT_FALSE(are_comparable(two, key(VectorMetric::kEuclidean, VectorElement::kSingle, shorter)));
  EXPECT_FALSE(are_comparable(two, key(VectorMetric::kInner, VectorElement::kSingle, image)));
  EXPECT_FALSE(are_comparable(two, key(VectorMetric::kEuclidean, VectorElement::kHalf, image)));
  for (const char* no : {"", "e", "es", "esabc", "xsabcd", "hsabcd", "ehabc", "epabcdefg"})
    EXPECT_FALSE(is_vector_key(no)) << no;
}

}  // namespace
}  // namespace indigo
