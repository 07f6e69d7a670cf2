#include "types/value/defined_order.h"

#include <algorithm>
#include <random>
#include <thread>

#include <gtest/gtest.h>

#include "base/raised_error.h"
#include "base/sqlstate.h"
#include "types/value/collator.h"
#include "types/value/defined_hash.h"

namespace indigo::types {
namespace {

// Integers by their hundreds, downwards; -1 cannot be compared.
class Hundreds final : public ClassCalls {
 public:
  Result<int32_t> compare(Oid, Oid, const TypeRef&, const Datum& a, const Datum& b) override {
    calls++;
    if (a.i64 == -1 || b.i64 == -1) return Error(sqlstate::kInvalidParameterValue, "not this one");
    const int64_t x = a.i64 / 100, y = b.i64 / 100;
    return x < y ? 1 : x > y ? -1 : 0;
  }
  Result<int32_t> hash(Oid, Oid, const TypeRef&, const Datum& value) override {
    if (value.i64 == -1) return Error(sqlstate::kInvalidParameterValue, "not this one");
    return static_cast<int32_t>(value.i64 / 100);
  }
  void note_failure(const Error&) override {}
  std::atomic<int> calls{0};
};

std::string key(const DefinedOrder& order, int64_t value, DefinedOrder::Labels labels = DefinedOrder::Labels::kKeep) {
  std::string out;
  order.append_key(Datum::of(value), labels, out);
  return out;
}

void expect_in_order(const DefinedOrder& order, const std::vector<int64_t>& values) {
  std::vector<std::pair<std::string, int64_t>> keys;
  for (const int64_t v : values) keys.emplace_back(key(order, v), -(v / 100));
  std::sort(keys.begin(), keys.end());
  for (size_t i = 1; i < keys.size(); i++) {
    EXPECT_EQ(keys[i - 1].first == keys[i].first, keys[i - 1].second == keys[i].second);
    EXPECT_LE(keys[i - 1].second, keys[i].second);
  }
}

TEST(DefinedOrder, LabelsAscendAsValuesDo) {
  std::mt19937 random(1);
  for (const int pattern : {0, 1, 2, 3}) {
    Hundreds calls;
    DefinedOrder order(calls, {});
    std::vector<int64_t> values;
    constexpr int kCount = 20000;
    for (int i = 0; i < kCount; i++) {
      const int64_t at = pattern == 0   ? i                                 // downwards in this order
                         : pattern == 1 ? kCount - i                        // upwards
                         : pattern == 2 ? (i % 2 ? kCount - i / 2 : i / 2)  // from both ends to the middle
                                        : static_cast<int>(random() % kCount);
      values.push_back(at * 100 + static_cast<int64_t>(random() % 100));
    }
    size_t longest = 0;
    for (const int64_t v : values) longest = std::max(longest, key(order, v).size());
    EXPECT_LE(longest, 9 * 4 + 1) << pattern;
    expect_in_order(order, values);
    EXPECT_LT(calls.calls, kCount * 50) << pattern;
  }
}

TEST(DefinedOrder, LabelsStayAndKnownValuesAreNotCompared) {
  Hundreds calls;
  DefinedOrder order(calls, {});
  const std::string first = key(order, 500), second = key(order, 300);
  for (int64_t v = 0; v < 100000; v += 50) key(order, v);
  const int before = calls.calls;
  EXPECT_EQ(key(order, 500), first);
  EXPECT_EQ(key(order, 300), second);
  EXPECT_EQ(calls.calls, before);
  EXPECT_EQ(key(order, 599), first);
}

TEST(DefinedOrder, LookingKeepsNothing) {
  Hundreds calls;
  DefinedOrder order(calls, {});
  const std::string high = key(order, 100), low = key(order, 900);
  const std::string between = key(order, 500, DefinedOrder::Labels::kLook);
  EXPECT_LT(low, between);
  EXPECT_LT(between, high);
  EXPECT_EQ(key(order, 700, DefinedOrder::Labels::kLook), between);  // it left no mark
  EXPECT_EQ(key(order, 110, DefinedOrder::Labels::kLook), high);
}

TEST(DefinedOrder, AFailedComparisonIsRaised) {
  Hundreds calls;
  DefinedOrder order(calls, {});
  key(order, 1);
  EXPECT_THROW(key(order, -1), RaisedError);
  EXPECT_EQ(key(order, 2), key(order, 1));
}

TEST(DefinedOrder, ThreadsAgree) {
  Hundreds calls;
  DefinedOrder order(calls, {});
  std::vector<int64_t> values;
  for (int64_t i = 0; i < 3000; i++) values.push_back(i * 100);
  std::vector<std::vector<std::string>> keys(4);
  std::vector<std::thread> threads;
  for (size_t t = 0; t < keys.size(); t++) {
    threads.emplace_back([&, t] {
      std::vector<int64_t> own = values;
      std::shuffle(own.begin(), own.end(), std::mt19937(static_cast<unsigned>(t)));
      for (const int64_t v : own) key(order, v + static_cast<int64_t>(t));
      for (const int64_t v : values) keys[t].push_back(key(order, v));
    });
  }
  for (std::thread& t : threads) t.join();
  for (size_t t = 1; t < keys.size(); t++) EXPECT_EQ(keys[t], keys[0]);
  expect_in_order(order, values);
}

// Whatever is put between two, it lies between them.
TEST(DefinedOrder, AnAdversaryFindsNoTwoEqualLabels) {
  std::mt19937 random(7);
  OrderLabel below = label_between(nullptr, nullptr, NextLabel::kAnywhere);
  OrderLabel above = label_between(&below, nullptr, NextLabel::kAbove);
  for (int i = 0; i < 2000; i++) {
    const auto next = static_cast<NextLabel>(random() % 3);
    const OrderLabel middle = label_between(&below, &above, next);
    ASSERT_LT(below, middle);
    ASSERT_LT(middle, above);
    std::string low, high;
    append_label(below, low);
    append_label(middle, high);
    ASSERT_LT(low, high);
    (random() % 2 == 0 ? below : above) = middle;
  }
  OrderLabel first = below;
  for (int i = 0; i < 2000; i++) {
    const OrderLabel lower = label_between(nullptr, &first, NextLabel::kBelow);
    ASSERT_LT(lower, first);
    first = lower;
  }
}

TEST(DefinedHash, OneHashOneKey) {
  Hundreds calls;
  const DefinedHash keys(calls, {});
  const auto key_of = [&](int64_t value) {
    std::string out;
    keys.append_key(Datum::of(value), DefinedKeys::Labels::kKeep, out);
    return out;
  };
  EXPECT_EQ(key_of(100), key_of(199));
  EXPECT_NE(key_of(100), key_of(200));
  EXPECT_EQ(key_of(100).size(), 4U);
  EXPECT_THROW(key_of(-1), RaisedError);
  EXPECT_EQ(calls.calls, 0);  // nothing is compared
}

TEST(DefinedHash, IsMadeForAHashClassAndHasNoOrder) {
  Hundreds calls;
  ClassFunction function;
  function.hash = true;
  const Collator hashes(std::shared_ptr<const DefinedKeys>(DefinedKeys::make(calls, function)));
  EXPECT_FALSE(hashes.ordered());
  EXPECT_FALSE(hashes.renewed()->ordered());
  function.hash = false;
  EXPECT_TRUE(Collator(std::shared_ptr<const DefinedKeys>(DefinedKeys::make(calls, function))).ordered());
}

}  // namespace
}  // namespace indigo::types
