#include "types/value/member_orders.h"

#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "types/function/registry.h"
#include "types/oids.h"

namespace indigo::types {
namespace {

TEST(MemberOrders, KnowsWhatWasSaidLast) {
  MemberOrders orders;
  EXPECT_EQ(orders.find(20000), nullptr);
  orders.add(20000, {type_order(oid::kInt4), nullptr, oid::kInt4, Phys::kI32});
  orders.add(20000 + 1024, {type_order(oid::kText), nullptr, oid::kText, Phys::kStr});  // in the same chain
  ASSERT_NE(orders.find(20000), nullptr);
  EXPECT_EQ(orders.find(20000)->key_type, oid::kInt4);
  EXPECT_EQ(orders.find(20000 + 1024)->key_type, oid::kText);
  const MemberOrder* before = orders.find(20000);
  orders.add(20000, *before);
  EXPECT_EQ(orders.find(20000), before);  // nothing was added
  orders.add(20000, {type_order(oid::kNumeric), nullptr, oid::kNumeric, Phys::kStr});
  EXPECT_EQ(orders.find(20000)->key_type, oid::kNumeric);
  EXPECT_EQ(before->key_type, oid::kInt4);  // who has looked it up keeps it
}

// What add() publishes is whole for who finds it.
TEST(MemberOrders, IsReadWhileItGrows) {
  constexpr Oid kFirst = 20000, kTypes = 4000;
  MemberOrders orders;
  std::vector<std::thread> readers;
  for (int r = 0; r < 2; r++) {
    readers.emplace_back([&] {
      for (Oid type = kFirst; type < kFirst + kTypes;) {
        const MemberOrder* found = orders.find(type);
        if (found == nullptr) {
          std::this_thread::yield();
          continue;
        }
        EXPECT_EQ(found->key_type, type + 1);
        EXPECT_EQ(found->phys, Phys::kI64);
        type++;
      }
    });
  }
  for (Oid type = kFirst; type < kFirst + kTypes; type++)
    orders.add(type, {type_order(oid::kInt8), nullptr, type + 1, Phys::kI64});
  for (std::thread& t : readers) t.join();
}

}  // namespace
}  // namespace indigo::types
