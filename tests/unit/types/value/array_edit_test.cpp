#include "types/array/array_edit.h"

#include <random>

#include <gtest/gtest.h>

#include "types/oids.h"
#include "types/value/array_format.h"

namespace indigo::types {
namespace {

// What make_array makes of the same elements.
class ArrayEdit : public testing::TestWithParam<Phys> {
 protected:
  Datum element() {
    switch (GetParam()) {
      case Phys::kStr: return Datum::of(Str(texts_[random_() % texts_.size()]));
      case Phys::kI16: return Datum::of(static_cast<int16_t>(random_()));
      case Phys::kB16: return Datum::of(Interval{static_cast<int64_t>(random_()), 1, 2});
      default: return Datum::of(static_cast<int64_t>(random_()));
    }
  }
  std::string image(std::span<const ArrayDimension> dimensions) const {
    return make_array(oid::kInt8, GetParam(), dimensions, elements_);
  }

  std::mt19937_64 random_{5};
  const std::vector<std::string> texts_ = {"", "a", "bc", "def", std::string(70, 'x')};
  std::vector<Datum> elements_;
};

TEST_P(ArrayEdit, AppendsAndStoresAsIfMadeAnew) {
  std::vector<ArrayDimension> shape = {{1, -3}};
  elements_ = {element()};
  std::string edited = image(shape);
  for (int round = 0; round < 300; round++) {
    const Datum e = element();
    if (round % 3 == 0) {
      const auto at = static_cast<size_t>(random_() % elements_.size());
      elements_[at] = e;
      const int32_t subscript = shape[0].lower + static_cast<int32_t>(at);
      ASSERT_TRUE(store_in_place(edited, {&subscript, 1}, e));
    } else {
      elements_.push_back(e);
      const int32_t behind = shape[0].lower + shape[0].length++;
      ASSERT_TRUE(round % 3 == 1 ? append_in_place(edited, e) : store_in_place(edited, {&behind, 1}, e));
    }
    ASSERT_EQ(edited, image(shape));
  }
}

TEST_P(ArrayEdit, StoresInSeveralDimensions) {
  const std::vector<ArrayDimension> shape = {{2, 0}, {3, 5}};
  for (int i = 0; i < 6; i++) elements_.push_back(element());
  std::string edited = image(shape);
  for (int32_t i = 0; i < 6; i++) {
    const int32_t subscripts[] = {i / 3, 5 + i % 3};
    elements_[static_cast<size_t>(i)] = element();
    ASSERT_TRUE(store_in_place(edited, subscripts, elements_[static_cast<size_t>(i)]));
    ASSERT_EQ(edited, image(shape));
  }
  const int32_t one[] = {1}, outside[] = {0, 8};
  EXPECT_FALSE(store_in_place(edited, one, elements_[0]));
  EXPECT_FALSE(store_in_place(edited, outside, elements_[0]));
  EXPECT_FALSE(append_in_place(edited, elements_[0]));
  EXPECT_EQ(edited, image(shape));
}

TEST_P(ArrayEdit, NullsKeepTheirBitmap) {
  const std::vector<ArrayDimension> shape = {{9, 1}};
  for (int i = 0; i < 9; i++) elements_.push_back(i % 4 == 0 ? Datum::make_null(GetParam()) : element());
  std::string edited = image(shape);
  for (const int32_t subscript : {2, 1, 9}) {
    elements_[static_cast<size_t>(subscript) - 1] = element();
    ASSERT_TRUE(store_in_place(edited, {&subscript, 1}, elements_[static_cast<size_t>(subscript) - 1]));
    ASSERT_EQ(edited, image(shape));
  }
  // The last null, another one, and what has none.
  const int32_t last = 5;
  EXPECT_FALSE(store_in_place(edited, {&last, 1}, element()));
  EXPECT_FALSE(store_in_place(edited, {&last, 1}, Datum::make_null(GetParam())));
  EXPECT_FALSE(append_in_place(edited, element()));
  EXPECT_EQ(edited, image(shape));
}
INSTANTIATE_TEST_SUITE_P(Kinds, ArrayEdit, testing::Values(Phys::kI16, Phys::kI64, Phys::kB16, Phys::kStr));

TEST(ArrayEditOfItself, AnElementMayLieInTheImage) {
  const Datum elements[] = {Datum::of(Str("first of some length")), Datum::of(Str("second"))};
  std::string edited = make_array(oid::kText, Phys::kStr, elements);
  edited.shrink_to_fit();
  ASSERT_TRUE(append_in_place(edited, ArrayView(edited).element(1)));
  const int32_t second = 2;
  ASSERT_TRUE(store_in_place(edited, {&second, 1}, ArrayView(edited).element(0)));
  EXPECT_EQ(ArrayView(edited).element(1).str, "first of some length");
  EXPECT_EQ(ArrayView(edited).element(2).str, "second");
}

}  // namespace
}  // namespace indigo::types
