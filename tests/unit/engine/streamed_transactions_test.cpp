// What is kept of streams, what of it goes with a subtransaction, and how much it may be.
#include "engine/subscription/streamed_transactions.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/sqlstate.h"

namespace indigo::engine::subscription {
namespace {

constexpr uint64_t kEnough = 1 << 20;
using Messages = std::vector<std::string>;

TEST(StreamedTransactions, KeepsEachInItsOrder) {
  StreamedTransactions streamed(kEnough);
  ASSERT_TRUE(streamed.add(1, {1, "I1"}).ok());
  ASSERT_TRUE(streamed.add(2, {2, "I2"}).ok());
  ASSERT_TRUE(streamed.add(1, {3, "U3"}).ok());
  EXPECT_EQ(streamed.take(1), (Messages{"I1", "U3"}));
  EXPECT_EQ(streamed.take(1), Messages());
  EXPECT_EQ(streamed.take(2), Messages{"I2"});
}

TEST(StreamedTransactions, ForgetsSubtransactionsWithWhatBeganInThem) {
  StreamedTransactions streamed(kEnough);
  for (const StreamedMessage& message : {StreamedMessage{1, "I1"}, {2, "I2"}, {3, "I3"}, {3, "R3"}, {2, "U2"}})
    ASSERT_TRUE(streamed.add(1, message).ok());
  streamed.abort(1, 3);
  streamed.abort(1, 2);
  streamed.abort(1, 9);  // one of which nothing was streamed
  streamed.abort(8, 9);
  ASSERT_TRUE(streamed.add(1, {4, "D4"}).ok());
  EXPECT_EQ(streamed.take(1), (Messages{"I1", "R3", "D4"}));
  ASSERT_TRUE(streamed.add(1, {1, "I1"}).ok());
  streamed.abort(1, 1);
  EXPECT_EQ(streamed.take(1), Messages());
}

TEST(StreamedTransactions, HoldsNoMoreThanItMay) {
  const std::string message(1000, 'I');
  StreamedTransactions streamed(10 * (sizeof(std::string) + message.size()));
  const auto fill = [&](uint32_t transaction, uint32_t subtransaction, int count) {
    Status status;
    for (int i = 0; i < count && status.ok(); i++) status = streamed.add(transaction, {subtransaction, message});
    return status;
  };
  ASSERT_TRUE(fill(1, 2, 10).ok());
  const Status refused = fill(3, 3, 1);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().state, sqlstate::kOutOfMemory);
  streamed.abort(1, 2);
  ASSERT_TRUE(fill(3, 3, 10).ok());
  EXPECT_EQ(streamed.take(3).size(), 10u);
  EXPECT_TRUE(fill(1, 1, 10).ok());
}

}  // namespace
}  // namespace indigo::engine::subscription
