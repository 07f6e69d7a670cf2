#include "types/value/key_codec.h"

#include <cmath>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "types/oids.h"
#include "types/value/array_format.h"
#include "types/value/numeric_format.h"

namespace indigo::types {
namespace {

std::string key(const KeyColumn& column, const Datum& value) {
  std::string out;
  KeyLayout({column}).append({&value, 1}, out);
  return out;
}

// Each value must order before the next, and the other way round descending.
void expect_ascending(Oid type, Phys phys, const std::vector<Datum>& values) {
  for (size_t i = 0; i < values.size(); i++) {
    for (size_t j = 0; j < values.size(); j++) {
      const KeyColumn up{.type = type, .phys = phys}, down{.type = type, .phys = phys, .descending = true};
      EXPECT_EQ(i < j, key(up, values[i]) < key(up, values[j])) << type << " " << i << " " << j;
      EXPECT_EQ(i > j, key(down, values[i]) < key(down, values[j])) << type << " " << i << " " << j;
    }
  }
}

std::string small_numeric(int64_t mantissa, int scale) {
  std::string image(1, static_cast<char>(scale));
  int bytes = 0;
  while (bytes < 8 && (bytes == 0 ? mantissa != 0 : (mantissa >> (bytes * 8 - 1)) != (mantissa < 0 ? -1 : 0))) bytes++;
  return image.append(reinterpret_cast<const char*>(&mantissa), static_cast<size_t>(bytes));
}

TEST(KeyCodec, Integers) {
  expect_ascending(
      oid::kInt2, Phys::kI16,
      {Datum::of(int16_t{-32768}), Datum::of(int16_t{-1}), Datum::of(int16_t{0}), Datum::of(int16_t{300})});
  expect_ascending(oid::kInt4, Phys::kI32,
                   {Datum::of(INT32_MIN), Datum::of(int32_t{-256}), Datum::of(int32_t{0}), Datum::of(INT32_MAX)});
  expect_ascending(oid::kInt8, Phys::kI64,
                   {Datum::of(INT64_MIN), Datum::of(int64_t{-1}), Datum::of(int64_t{1}), Datum::of(INT64_MAX)});
  expect_ascending(oid::kOid, Phys::kI32, {Datum::of_oid(0), Datum::of_oid(16384), Datum::of_oid(4294967295u)});
  expect_ascending(oid::kBool, Phys::kBool, {Datum::of(false), Datum::of(true)});
  expect_ascending(99999, Phys::kI32, {Datum::of_oid(20000), Datum::of_oid(3000000000u)});  // an enum
}

TEST(KeyCodec, Floats) {
  const double inf = std::numeric_limits<double>::infinity();
  expect_ascending(oid::kFloat8, Phys::kF64,
                   {Datum::of(-inf), Datum::of(-1e10), Datum::of(-1e-300), Datum::of(0.0), Datum::of(5e-324),
                    Datum::of(1.5), Datum::of(inf), Datum::of(std::nan(""))});
  const KeyColumn column{.type = oid::kFloat8, .phys = Phys::kF64};
  EXPECT_EQ(key(column, Datum::of(0.0)), key(column, Datum::of(-0.0)));
  EXPECT_EQ(key(column, Datum::of(std::nan(""))), key(column, Datum::of(-std::nan(""))));
  expect_ascending(oid::kFloat4, Phys::kF32,
                   {Datum::of(-2.0f), Datum::of(0.0f), Datum::of(1.0f), Datum::of(std::nanf(""))});
}

TEST(KeyCodec, StringsWithZeroBytesAndPrefixes) {
  expect_ascending(oid::kBytea, Phys::kStr,
                   {Datum::of(Str("")), Datum::of(Str("\0", 1)), Datum::of(Str("\0\0", 2)), Datum::of(Str("\0\1", 2)),
                    Datum::of(Str("\0\xFF", 2)), Datum::of(Str("\1")), Datum::of(Str("a")), Datum::of(Str("a\0", 2)),
                    Datum::of(Str("ab")), Datum::of(Str("\xFF"))});
  const KeyColumn bpchar{.type = oid::kBpchar, .phys = Phys::kStr};
  EXPECT_EQ(key(bpchar, Datum::of(Str("ab  "))), key(bpchar, Datum::of(Str("ab"))));
}

TEST(KeyCodec, Numerics) {
  std::vector<std::string> images = {
      std::string(1, '\xF0'), small_numeric(-12345, 0), small_numeric(-101, 1), small_numeric(-10, 0),
      small_numeric(-1, 2),   small_numeric(-1, 120),   small_numeric(0, 0),    small_numeric(1, 127),
      small_numeric(1, 120),  small_numeric(99, 4),     small_numeric(1, 2),    small_numeric(105, 3),
      small_numeric(11, 2),   small_numeric(1, 0),      small_numeric(105, 2),  small_numeric(9, 0),
      small_numeric(10, 0),   small_numeric(1005, 2),   small_numeric(99, 0),   small_numeric(100, 0)};
  // 10^63 as a big image: seven empty limbs and a one.
  std::string big("\x80\0\0", 3);
  for (uint32_t limb : {0, 0, 0, 0, 0, 0, 0, 1}) big.append(reinterpret_cast<const char*>(&limb), 4);
  images.push_back(big);
  std::string huge("\x80\0\0", 3);
  for (int i = 0; i < 30; i++) huge.append("\0\0\0\0", 4);
  huge.append("\1\0\0\0", 4);  // 10^270
  images.push_back(huge);
  images.push_back(std::string(1, '\xF1'));
  images.push_back(std::string(1, '\xF2'));
  std::vector<Datum> values;
  for (const auto& image : images) values.push_back(Datum::of(Str(image)));
  expect_ascending(oid::kNumeric, Phys::kStr, values);

  const KeyColumn column{.type = oid::kNumeric, .phys = Phys::kStr};
  const std::string one = small_numeric(1, 0), one_with_scale = small_numeric(1000, 3);
  EXPECT_EQ(key(column, Datum::of(Str(one))), key(column, Datum::of(Str(one_with_scale))));
}

TEST(KeyCodec, RandomNumericsAgreeWithDoubles) {
  const uint64_t seed = 7;
  SCOPED_TRACE(seed);
  std::mt19937_64 random(seed);
  const KeyColumn column{.type = oid::kNumeric, .phys = Phys::kStr};
  for (int i = 0; i < 20000; i++) {
    const auto a = static_cast<int32_t>(random() % 20001) - 10000, b = static_cast<int32_t>(random() % 20001) - 10000;
    const int sa = static_cast<int>(random() % 6), sb = static_cast<int>(random() % 6);
    const std::string x = small_numeric(a, sa), y = small_numeric(b, sb);
    const int64_t left = a * static_cast<int64_t>(std::pow(10, 6 - sa)),
                  right = b * static_cast<int64_t>(std::pow(10, 6 - sb));
    EXPECT_EQ(left < right, key(column, Datum::of(Str(x))) < key(column, Datum::of(Str(y))))
        << a << "e-" << sa << " " << b << "e-" << sb;
    EXPECT_EQ(left == right, key(column, Datum::of(Str(x))) == key(column, Datum::of(Str(y))));
  }
}

TEST(KeyCodec, IntervalsAndTimes) {
  const int64_t day = int64_t{86400} * 1000000;
  expect_ascending(oid::kInterval, Phys::kB16,
                   {Datum::of(Interval{0, 0, -2000000000}), Datum::of(Interval{-1, 0, 0}), Datum::of(Interval{0, 0, 0}),
                    Datum::of(Interval{1, 29, 0}), Datum::of(Interval{0, 0, 1}), Datum::of(Interval{1, 30, 0}),
                    Datum::of(Interval{0, 0, 2000000000})});
  const KeyColumn column{.type = oid::kInterval, .phys = Phys::kB16};
  EXPECT_EQ(key(column, Datum::of(Interval{day, 0, 0})), key(column, Datum::of(Interval{0, 1, 0})));
  EXPECT_EQ(key(column, Datum::of(Interval{0, 30, 0})), key(column, Datum::of(Interval{0, 0, 1})));
}

TEST(KeyCodec, Arrays) {
  const auto array = [](std::vector<Datum> elements) { return make_array(oid::kInt4, Phys::kI32, elements); };
  const std::vector<std::string> images = {array({}),
                                           array({Datum::of(int32_t{1})}),
                                           array({Datum::of(int32_t{1}), Datum::of(int32_t{0})}),
                                           array({Datum::of(int32_t{1}), Datum::make_null(Phys::kI32)}),
                                           array({Datum::of(int32_t{2})}),
                                           array({Datum::make_null(Phys::kI32)})};
  std::vector<Datum> values;
  for (const auto& image : images) values.push_back(Datum::of(Str(image)));
  expect_ascending(oid::kInt4Array, Phys::kStr, values);
}

TEST(KeyCodec, NetworkAddresses) {
  const auto v4 = [](uint8_t a, uint8_t b, uint8_t c, uint8_t d, uint8_t bits) {
    return std::string{4,
                       static_cast<char>(bits),
                       static_cast<char>(a),
                       static_cast<char>(b),
                       static_cast<char>(c),
                       static_cast<char>(d)};
  };
  const std::vector<std::string> images = {v4(0, 0, 0, 0, 0),
                                           v4(200, 1, 1, 1, 0),
                                           v4(10, 0, 0, 0, 8),
                                           v4(10, 5, 0, 0, 8),
                                           v4(10, 0, 0, 0, 16),
                                           v4(10, 0, 0, 0, 32),
                                           v4(10, 0, 128, 0, 17),
                                           v4(10, 1, 0, 0, 16),
                                           v4(10, 1, 255, 0, 16),
                                           v4(11, 0, 0, 0, 8),
                                           v4(192, 168, 0, 1, 31),
                                           v4(192, 168, 0, 1, 32),
                                           std::string(2, 6).replace(1, 1, 1, '\0') + std::string(16, '\0'),
                                           std::string("\6\x80", 2) + std::string(16, '\0')};
  std::vector<Datum> values;
  for (const auto& image : images) values.push_back(Datum::of(Str(image)));
  expect_ascending(oid::kInet, Phys::kStr, values);
  expect_ascending(
      oid::kMacAddr, Phys::kStr,
      {Datum::of(Str("\0\1\2\3\4\5", 6)), Datum::of(Str("\x08\0\x2b\1\2\3", 6)), Datum::of(Str("\xff\0\0\0\0\0", 6))});
}

TEST(KeyCodec, NullsAndSeveralColumns) {
  const Datum null = Datum::make_null(Phys::kI32), one = Datum::of(int32_t{1});
  EXPECT_LT(key({.type = oid::kInt4, .phys = Phys::kI32}, one), key({.type = oid::kInt4, .phys = Phys::kI32}, null));
  const KeyColumn first{.type = oid::kInt4, .phys = Phys::kI32, .descending = true, .nulls_first = true};
  EXPECT_LT(key(first, null), key(first, one));

  const KeyLayout layout({{.type = oid::kText, .phys = Phys::kStr, .nullable = false},
                          {.type = oid::kInt4, .phys = Phys::kI32, .nullable = false}});
  std::string a, b, prefix;
  layout.append(std::vector<Datum>{Datum::of(Str("a")), Datum::of(INT32_MAX)}, a);
  layout.append(std::vector<Datum>{Datum::of(Str("ab")), Datum::of(INT32_MIN)}, b);
  EXPECT_LT(a, b);
  layout.append(std::vector<Datum>{Datum::of(Str("a"))}, prefix);
  EXPECT_TRUE(a.starts_with(prefix));
  EXPECT_FALSE(b.starts_with(prefix));
  std::string after = prefix;
  KeyLayout::successor(after);
  EXPECT_LT(a, after);
  EXPECT_LT(after, b);
}

TEST(KeyCodec, SuccessorOfAllOnes) {
  std::string s = "a\xFF\xFF";
  KeyLayout::successor(s);
  EXPECT_EQ(s, "b");
  std::string none = "\xFF\xFF";
  KeyLayout::successor(none);
  EXPECT_TRUE(none.empty());
}

TEST(KeyCodec, RefusesWhatHasNoOrder) {
  EXPECT_FALSE(KeyLayout::encodable(oid::kJson));
  EXPECT_FALSE(KeyLayout::encodable(oid::kPoint));
  EXPECT_TRUE(KeyLayout::encodable(oid::kTextArray));
}

}  // namespace
}  // namespace indigo::types
