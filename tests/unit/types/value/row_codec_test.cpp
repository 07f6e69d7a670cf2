#include "types/value/row_codec.h"

#include <random>

#include <gtest/gtest.h>

namespace indigo::types {
namespace {

const std::vector<Phys> kAllKinds = {Phys::kI32, Phys::kStr, Phys::kBool, Phys::kI16, Phys::kStr,
                                     Phys::kI64, Phys::kF32, Phys::kF64,  Phys::kB16, Phys::kStr};

std::vector<Datum> sample() {
  return {Datum::of(int32_t{42}),       Datum::of(Str("hello")),     Datum::of(true), Datum::of(int16_t{-7}),
          Datum::of(Str("")),           Datum::of(int64_t{1} << 40), Datum::of(1.5f), Datum::of(-2.25),
          Datum::of(Interval{1, 2, 3}), Datum::of(Str("end"))};
}

void expect_same(const Datum& a, const Datum& b) {
  ASSERT_EQ(a.phys, b.phys);
  ASSERT_EQ(a.null, b.null);
  if (a.null) return;
  if (a.phys == Phys::kStr) {
    EXPECT_EQ(a.str, b.str);
  } else {
    EXPECT_EQ(0, std::memcmp(&a.block, &b.block, phys_bytes(a.phys)));
  }
}

TEST(RowCodec, EveryKindRoundTrips) {
  const RowLayout layout(kAllKinds);
  std::string row = "left over";
  layout.encode(sample(), row);
  const auto values = sample();
  for (size_t i = 0; i < values.size(); i++) expect_same(values[i], layout.column(row, i));
}

TEST(RowCodec, NullsOfEveryKind) {
  const RowLayout layout(kAllKinds);
  for (size_t n = 0; n < kAllKinds.size(); n++) {
    auto values = sample();
    values[n] = Datum::make_null(kAllKinds[n]);
    std::string row;
    layout.encode(values, row);
    for (size_t i = 0; i < values.size(); i++) expect_same(values[i], layout.column(row, i));
  }
}

TEST(RowCodec, NoColumns) {
  const RowLayout layout{std::vector<Phys>{}};
  std::string row;
  layout.encode(std::span<const Datum>{}, row);
  EXPECT_EQ(row.size(), 2u);
}

TEST(RowCodec, PatchKeepsTheOtherColumns) {
  const RowLayout layout(kAllKinds);
  auto values = sample();
  std::string row;
  layout.encode(values, row);
  values[5] = Datum::of(int64_t{-9});
  layout.patch(row, 5, values[5]);
  values[0] = Datum::make_null(Phys::kI32);
  layout.patch(row, 0, values[0]);
  for (size_t i = 0; i < values.size(); i++) expect_same(values[i], layout.column(row, i));
  values[0] = Datum::of(int32_t{8});
  layout.patch(row, 0, values[0]);
  std::string again;
  layout.encode(values, again);
  EXPECT_EQ(again, row);
}

TEST(RowCodec, RandomRowsThroughVectors) {
  const uint64_t seed = 20240607;
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  for (int round = 0; round < 200; round++) {
    std::vector<Phys> kinds(1 + random() % 20);
    for (auto& k : kinds) k = static_cast<Phys>(random() % 8);
    const RowLayout layout(kinds);
    const uint32_t rows = 1 + random() % 50;
    std::vector<std::vector<Datum>> table(rows);
    std::vector<std::string> texts;
    texts.reserve(rows * kinds.size());
    std::vector<std::string> images(rows), from_vectors(rows);
    std::vector<Bytes> spans(rows);
    std::vector<Vector> source(kinds.size());
    std::vector<const Vector*> pointers;
    for (size_t c = 0; c < kinds.size(); c++) {
      source[c].init(kinds[c], rows);
      pointers.push_back(&source[c]);
    }
    for (uint32_t r = 0; r < rows; r++) {
      for (size_t c = 0; c < kinds.size(); c++) {
        Datum d = Datum::make_null(kinds[c]);
        if (random() % 4 != 0) {
          d.null = false;
          if (kinds[c] == Phys::kStr) {
            d.str = texts.emplace_back(random() % 30, static_cast<char>(random()));
          } else {
            const Block16 noise{{random(), random()}};
            std::memcpy(&d.block, &noise, phys_bytes(kinds[c]));
            if (kinds[c] == Phys::kBool) d.b = noise.words[0] & 1;
          }
        }
        table[r].push_back(d);
        source[c].set_datum(r, d);
      }
      layout.encode(table[r], images[r]);
      spans[r] = images[r];
    }
    std::vector<uint16_t> wanted;
    for (size_t c = kinds.size(); c-- > 0;) wanted.push_back(static_cast<uint16_t>(c));
    std::vector<Vector> out(kinds.size());
    layout.decode(spans, wanted, out);
    for (uint32_t r = 0; r < rows; r++) {
      layout.encode(pointers, r, from_vectors[r]);
      EXPECT_EQ(images[r], from_vectors[r]);
      for (size_t w = 0; w < wanted.size(); w++) expect_same(table[r][wanted[w]], out[w].datum(r));
    }
  }
}

}  // namespace
}  // namespace indigo::types
