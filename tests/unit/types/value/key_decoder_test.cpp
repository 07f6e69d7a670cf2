#include "types/value/key_decoder.h"

#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/random_seed.h"
#include "types/oids.h"

namespace indigo::types {
namespace {

struct Kind {
  Oid type;
  Phys phys;
};
constexpr Kind kKinds[] = {{oid::kInt2, Phys::kI16},  {oid::kInt4, Phys::kI32},      {oid::kInt8, Phys::kI64},
                           {oid::kOid, Phys::kI32},   {oid::kTimestamp, Phys::kI64}, {oid::kDate, Phys::kI32},
                           {oid::kBool, Phys::kBool}, {oid::kText, Phys::kStr},      {oid::kBytea, Phys::kStr},
                           {oid::kUuid, Phys::kB16}};

class Values {
 public:
  explicit Values(uint32_t seed) : random_(seed) {}

  Datum value(const Kind& kind, bool nullable) {
    if (nullable && random_() % 4 == 0) return Datum::make_null(kind.phys);
    const uint64_t bits = random_() % 3 == 0 ? random_() % 3 - 1 : random_();
    switch (kind.phys) {
      case Phys::kBool: return Datum::of(bits % 2 == 1);
      case Phys::kI16: return Datum::of(static_cast<int16_t>(bits));
      case Phys::kI32: return Datum::of(static_cast<int32_t>(bits));
      case Phys::kI64: return Datum::of(static_cast<int64_t>(bits));
      case Phys::kB16: {
        Block16 block;
        const uint64_t halves[2] = {random_(), random_()};
        std::memcpy(&block, halves, sizeof block);
        return Datum::of(block);
      }
      default: break;
    }
    std::string text;
    for (uint64_t n = random_() % 6; n > 0; n--) {
      const char some[] = {'\0', '\1', '\xFF', 'a', '\x7F'};
      // A text has no zero byte; bytea may.
      text.push_back(kind.type == oid::kBytea ? some[random_() % 5] : some[1 + random_() % 4]);
    }
    kept_.push_back(std::make_unique<std::string>(std::move(text)));
    return Datum::of(Str(*kept_.back()));
  }

 private:
  std::mt19937_64 random_;
  std::vector<std::unique_ptr<std::string>> kept_;
};

bool same(const Datum& a, const Datum& b) {
  if (a.null || b.null) return a.null == b.null;
  switch (a.phys) {
    case Phys::kBool: return a.b == b.b;
    case Phys::kI16: return a.i16 == b.i16;
    case Phys::kI32: return a.i32 == b.i32;
    case Phys::kI64: return a.i64 == b.i64;
    case Phys::kB16: return std::memcmp(&a.uuid, &b.uuid, sizeof(Uuid)) == 0;
    default: return a.str == b.str;
  }
}

TEST(KeyDecoder, GivesBackWhatWasEncoded) {
  const uint32_t seed = random_seed();
  SCOPED_TRACE(seed_trace(seed));
  std::mt19937 random(seed);
  Values values(seed);
  for (int round = 0; round < 300; round++) {
    std::vector<Kind> kinds;
    std::vector<KeyColumn> columns;
    for (uint32_t n = 1 + random() % 4; n > 0; n--) {
      kinds.push_back(kKinds[random() % std::size(kKinds)]);
      columns.push_back({.type = kinds.back().type,
                         .phys = kinds.back().phys,
                         .descending = random() % 2 == 0,
                         .nulls_first = random() % 2 == 0,
                         .nullable = random() % 2 == 0});
    }
    const KeyLayout layout(columns);
    std::vector<size_t> wanted;
    for (size_t i = 0; i < kinds.size(); i++) {
      ASSERT_TRUE(KeyDecoder::can_decode(layout, i));
      if (random() % 3 != 0) wanted.push_back(i);
    }
    const KeyDecoder decoder(layout, wanted);
    constexpr uint32_t kRows = 5;
    std::vector<Vector> vectors(wanted.size());
    std::vector<Vector*> outputs;
    for (size_t i = 0; i < wanted.size(); i++) {
      vectors[i].init(kinds[wanted[i]].phys, kRows);
      outputs.push_back(&vectors[i]);
    }
    Arena arena{256};
    std::vector<std::vector<Datum>> rows(kRows);
    std::vector<std::string> keys(kRows);
    for (uint32_t r = 0; r < kRows; r++) {
      for (size_t i = 0; i < kinds.size(); i++) rows[r].push_back(values.value(kinds[i], columns[i].nullable));
      layout.append(rows[r], keys[r]);
      decoder.decode(keys[r], r, outputs.data(), arena);
    }
    for (uint32_t r = 0; r < kRows; r++) {
      for (size_t i = 0; i < wanted.size(); i++) {
        EXPECT_TRUE(same(vectors[i].datum(r), rows[r][wanted[i]])) << "column " << wanted[i] << " of row " << r;
      }
    }
  }
}

TEST(KeyDecoder, WhatHasNoWayBackIsNotAsked) {
  const KeyLayout layout({{.type = oid::kInt4, .phys = Phys::kI32},
                          {.type = oid::kNumeric, .phys = Phys::kStr},
                          {.type = oid::kInt4, .phys = Phys::kI32}});
  EXPECT_TRUE(KeyDecoder::can_decode(layout, 0));
  EXPECT_FALSE(KeyDecoder::can_decode(layout, 1));
  EXPECT_FALSE(KeyDecoder::can_decode(layout, 2)) << "it stands behind one whose end is not known";
  for (const Kind kind :
       {Kind{oid::kFloat8, Phys::kF64}, Kind{oid::kBpchar, Phys::kStr}, Kind{oid::kInterval, Phys::kB16}}) {
    EXPECT_FALSE(KeyDecoder::can_decode(KeyLayout({{.type = kind.type, .phys = kind.phys}}), 0)) << kind.type;
  }
}

}  // namespace
}  // namespace indigo::types
