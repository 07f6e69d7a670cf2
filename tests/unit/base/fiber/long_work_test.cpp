#include "base/fiber/long_work.h"

#include <gtest/gtest.h>

#include "base/exception_error.h"
#include "base/sqlstate.h"

namespace indigo {
namespace {

Result<int> work_for_long() {
  for (int i = 0; i < 1000; i++) note_work(long_work::kUnitsBetweenLooks / 10);
  return 1;
}

class LongWorkTest : public testing::Test {
 protected:
  void TearDown() override { Waiter::current().clear_interrupt(); }
};

TEST_F(LongWorkTest, GoesOnUntilItIsToStop) {
  EXPECT_TRUE(work_for_long().ok());
  Waiter::current().interrupt(InterruptReason::kCancel);
  const auto stopped = catch_exceptions(work_for_long, [] {});
  ASSERT_FALSE(stopped.ok());
  EXPECT_EQ(stopped.error().state, sqlstate::kQueryCanceled);
}

TEST_F(LongWorkTest, SeesAStatementsDeadline) {
  Waiter::current().set_statement_deadline(Clock::now());
  const auto stopped = catch_exceptions(work_for_long, [] {});
  Waiter::current().set_statement_deadline(kNoDeadline);
  ASSERT_FALSE(stopped.ok());
  EXPECT_EQ(stopped.error().message, "canceling statement due to statement timeout");
}

TEST_F(LongWorkTest, WhatMustNotFailGoesOn) {
  const MustNotFail scope;
  Waiter::current().interrupt(InterruptReason::kCancel);
  EXPECT_TRUE(work_for_long().ok());
}

}  // namespace
}  // namespace indigo
