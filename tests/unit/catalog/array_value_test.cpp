#include "catalog/array_value.h"

#include <array>

#include <gtest/gtest.h>

namespace indigo::catalog {
namespace {

TEST(ArrayValue, IntegersKeepOrderAndBounds) {
  const std::array values{Datum::of(int16_t{3}), Datum::of(int16_t{-1})};
  const std::string bytes = make_array(21, Phys::kI16, values, 0);
  const ArrayReader reader(bytes);
  EXPECT_EQ(reader.element_type(), 21u);
  EXPECT_EQ(reader.dimension_count(), 1);
  EXPECT_EQ(reader.dimension(0), (ArrayDimension{2, 0}));
  ASSERT_EQ(reader.count(), 2u);
  EXPECT_EQ(reader.element(0).i16, 3);
  EXPECT_EQ(reader.element(1).i16, -1);
  EXPECT_FALSE(reader.has_nulls());
}

TEST(ArrayValue, StringsWithNulls) {
  const std::array values{Datum::of(Str("a")), Datum::make_null(Phys::kStr), Datum::of(Str("")), Datum::of(Str("xyz"))};
  const std::string bytes = make_array(25, Phys::kStr, values);
  const ArrayReader reader(bytes);
  ASSERT_EQ(reader.count(), 4u);
  EXPECT_EQ(reader.element(0).str, "a");
  EXPECT_TRUE(reader.is_null(1));
  EXPECT_TRUE(reader.element(1).null);
  EXPECT_EQ(reader.element(2).str, "");
  EXPECT_EQ(reader.element(3).str, "xyz");
}

TEST(ArrayValue, EmptyHasNoDimensions) {
  const std::string bytes = make_array(25, Phys::kStr, std::span<const Datum>{});
  EXPECT_EQ(ArrayReader(bytes).dimension_count(), 0);
  EXPECT_EQ(ArrayReader(bytes).count(), 0u);
}

TEST(ArrayValue, TwoDimensions) {
  const std::array dimensions{ArrayDimension{2, 1}, ArrayDimension{2, 5}};
  const std::array values{Datum::of(1), Datum::of(2), Datum::of(3), Datum::of(4)};
  const std::string bytes = make_array(23, Phys::kI32, dimensions, values);
  const ArrayReader reader(bytes);
  EXPECT_EQ(reader.dimension(1), (ArrayDimension{2, 5}));
  EXPECT_EQ(reader.element(3).i32, 4);
}

}  // namespace
}  // namespace indigo::catalog
