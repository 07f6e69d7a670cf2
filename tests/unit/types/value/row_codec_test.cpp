#include "types/value/row_codec.h"

#include <random>

#include <gtest/gtest.h>

#include "types/value/vector.h"

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

TEST(RowCodec, PatchesOfAnyColumnAreTheImageOfTheValues) {
  const uint64_t seed = 20261128;
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  for (int round = 0; round < 500; round++) {
    std::vector<Phys> kinds(1 + random() % 12);
    for (auto& k : kinds) k = random() % 2 != 0 ? Phys::kStr : static_cast<Phys>(random() % 8);
    // Some of the columns were added to rows that were there.
    std::vector<size_t> starts;
    std::vector<OwnedDatum> missing(kinds.size());
    for (size_t c = 1; c < kinds.size(); c++) {
      if (random() % 6 == 0) starts.push_back(c);
    }
    for (size_t c = 0; c < kinds.size(); c++) missing[c] = OwnedDatum(Datum::make_null(kinds[c]));
    const RowLayout layout = starts.empty() ? RowLayout(kinds) : RowLayout(kinds, starts, missing);
    std::vector<std::string> texts(2 * kinds.size());
    size_t text = 0;
    const auto value_of = [&](Phys kind) {
      Datum d = Datum::make_null(kind);
      if (random() % 4 == 0) return d;
      d.null = false;
      if (kind == Phys::kStr) {
        d.str = texts[text++] = std::string(random() % 20, static_cast<char>('a' + random() % 26));
      } else {
        const Block16 noise{{random(), random()}};
        std::memcpy(&d.block, &noise, phys_bytes(kind));
        if (kind == Phys::kBool) d.b = noise.words[0] & 1;
      }
      return d;
    };
    std::vector<Datum> values;
    for (const Phys kind : kinds) values.push_back(value_of(kind));
    std::string row, again;
    layout.encode(values, row);
    for (size_t c = kinds.size(); c-- > 0;) {
      if (random() % 2 == 0) continue;
      values[c] = value_of(kinds[c]);
      layout.patch(row, c, values[c]);
    }
    layout.encode(values, again);
    ASSERT_EQ(again, row) << "round " << round;
  }
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

// ---- columns that were added to rows

struct Grown {
  std::vector<Phys> columns = kAllKinds;
  std::vector<OwnedDatum> missing;
  std::vector<size_t> starts;
  Grown() { pad(); }

  void pad() {
    while (missing.size() < columns.size()) missing.emplace_back(Datum::make_null(columns[missing.size()]));
  }
  // Several columns in one addition: their missing values.
  void add(const std::vector<Datum>& values) {
    starts.push_back(columns.size());
    for (const Datum& v : values) {
      columns.push_back(v.phys);
      missing.emplace_back(v);
    }
  }
  RowLayout layout() const { return {columns, starts, missing}; }
};

TEST(RowCodec, AnOldRowHasTheMissingValues) {
  Grown grown;
  std::string old;
  grown.layout().encode(sample(), old);
  grown.add({Datum::of(Str("missing")), Datum::of(int32_t{7})});
  grown.add({Datum::make_null(Phys::kStr)});
  grown.add({Datum::of(int64_t{9})});
  const RowLayout layout = grown.layout();
  ASSERT_EQ(layout.column_count(), kAllKinds.size() + 4);
  for (size_t i = 0; i < kAllKinds.size(); i++) expect_same(sample()[i], layout.column(old, i));
  for (size_t i = kAllKinds.size(); i < grown.columns.size(); i++) {
    expect_same(grown.missing[i].get(), layout.column(old, i));
  }
}

TEST(RowCodec, AnOldLayoutReadsNewRows) {
  Grown grown;
  std::vector<RowLayout> layouts = {grown.layout()};
  auto values = sample();
  std::vector<std::string> rows(1);
  layouts[0].encode(values, rows[0]);
  for (int addition = 0; addition < 4; addition++) {
    const Datum text = Datum::of(Str(addition % 2 == 0 ? "a longer text" : ""));
    grown.add({text, Datum::of(int32_t{addition})});
    values.push_back(text);
    values.push_back(Datum::of(int32_t{100 + addition}));
    layouts.push_back(grown.layout());
    layouts.back().encode(values, rows.emplace_back());
  }
  // Every layout reads every row: what both know as it was written, what the row lacks as missing.
  for (const RowLayout& layout : layouts) {
    for (size_t r = 0; r < rows.size(); r++) {
      const size_t written = kAllKinds.size() + 2 * r;
      std::vector<uint16_t> wanted;
      for (size_t c = 0; c < layout.column_count(); c++) {
        expect_same(c < written ? values[c] : grown.missing[c].get(), layout.column(rows[r], c));
        wanted.push_back(static_cast<uint16_t>(layout.column_count() - 1 - c));
      }
      std::vector<Vector> vectors(wanted.size());
      const std::vector<Bytes> images = {rows[r], rows[0], rows.back()};
      layout.decode(images, wanted, vectors);
      for (size_t w = 0; w < wanted.size(); w++) {
        for (uint32_t i = 0; i < images.size(); i++)
          expect_same(layout.column(images[i], wanted[w]), vectors[w].datum(i));
      }
    }
  }
}

TEST(RowCodec, APatchGivesAnOldRowItsMissingValues) {
  Grown grown;
  std::string row;
  grown.layout().encode(sample(), row);
  grown.add({Datum::of(Str("text")), Datum::of(int32_t{7})});
  grown.add({Datum::of(int64_t{9}), Datum::of(true)});
  grown.add({Datum::of(Str("last"))});
  const RowLayout layout = grown.layout();
  const size_t first = kAllKinds.size();
  layout.patch(row, first + 2, Datum::of(int64_t{10}));
  layout.patch(row, 0, Datum::of(int32_t{43}));
  layout.patch(row, first + 3, Datum::make_null(Phys::kBool));
  expect_same(Datum::of(int32_t{43}), layout.column(row, 0));
  expect_same(Datum::of(Str("hello")), layout.column(row, 1));
  expect_same(Datum::of(Str("text")), layout.column(row, first));
  expect_same(Datum::of(int32_t{7}), layout.column(row, first + 1));
  expect_same(Datum::of(int64_t{10}), layout.column(row, first + 2));
  expect_same(Datum::make_null(Phys::kBool), layout.column(row, first + 3));
  expect_same(Datum::of(Str("last")), layout.column(row, first + 4));
}

TEST(RowCodec, AddedToATableWithoutColumns) {
  const std::vector<size_t> starts = {0};
  std::string row;
  RowLayout(std::vector<Phys>{}).encode(std::span<const Datum>{}, row);
  const RowLayout layout({Phys::kStr}, starts, {OwnedDatum(Datum::of(Str("x")))});
  expect_same(Datum::of(Str("x")), layout.column(row, 0));
}

}  // namespace
}  // namespace indigo::types
