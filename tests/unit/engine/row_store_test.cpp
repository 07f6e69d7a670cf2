#include "engine/exec/row_store.h"

#include <gtest/gtest.h>

namespace indigo::engine::exec {
namespace {

struct Row {
  explicit Row(int64_t number) : text("row " + std::to_string(number)) {
    values[0] = number % 7 == 0 ? Datum::make_null(Phys::kI64) : Datum::of(number);
    values[1] = Datum::of(Str(text));
  }
  std::string text;
  Datum values[2];
};

TEST(RowStore, AFewRowsTakeLittleAndManyTakeWholeBlocks) {
  RowStore store;
  store.init({Phys::kI64, Phys::kI32});
  constexpr uint64_t kRowBytes = 8 + 1 + 4 + 1;
  Vector numbers(Phys::kI64), others(Phys::kI32);
  const Vector* columns[] = {&numbers, &others};
  const uint64_t empty = store.bytes();
  store.append(columns, {nullptr, 1});
  EXPECT_LT(store.bytes() - empty, 16 * kRowBytes);
  store.append(columns, {nullptr, 999});
  store.append(columns, {nullptr, kChunkRows});
  EXPECT_GE(store.bytes() - empty, 2 * kChunkRows * kRowBytes);
}

TEST(RowStore, RowsAndViewsStayWhileTheirBlockGrows) {
  RowStore store;
  store.init({Phys::kI64, Phys::kStr});
  Chunk first;
  for (int round = 0; round < 2; round++) {
    for (int64_t i = 0; i < 3000; i++) {
      ASSERT_EQ(store.append(Row(i).values), i);
      if (i == 4) store.view(0, 5, first);
    }
    ASSERT_EQ(first.rows(), 5u);
    for (uint32_t i = 0; i < 5; i++) {
      EXPECT_EQ(first.columns[0].is_null(i), i == 0);
      if (i != 0) {
        EXPECT_EQ(first.columns[0].get<int64_t>(i), i);
      }
      EXPECT_EQ(first.columns[1].get<Str>(i), "row " + std::to_string(i));
    }
    for (uint32_t i = 0; i < 3000; i++) {
      ASSERT_EQ(store.is_null(i, 0), i % 7 == 0) << i;
      if (i % 7 != 0) {
        ASSERT_EQ(store.get<int64_t>(i, 0), i);
      }
      ASSERT_EQ(store.get<Str>(i, 1), "row " + std::to_string(i));
    }
    store.clear();
  }
}

}  // namespace
}  // namespace indigo::engine::exec
