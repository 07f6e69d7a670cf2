#include "types/function/registry.h"

#include <set>

#include <gtest/gtest.h>

#include "tests/unit/types/function/test_session.h"
#include "types/function/family.h"
#include "types/number/random.h"
#include "types/oids.h"

namespace indigo::types {
namespace {

// A misspelt entry would never be found.
TEST(Registry, EveryEntryNamesAFunction) {
  for (ScalarFamily family : scalar_families())
    for (const ScalarEntry& e : family()) EXPECT_FALSE(functions_of_entry(e.name).empty()) << e.name;
  for (AggregateFamily family : aggregate_families())
    for (const AggregateEntry& e : family()) EXPECT_FALSE(functions_of_entry(e.name).empty()) << e.name;
  for (SetFamily family : set_families())
    for (const SetEntry& e : family()) EXPECT_FALSE(functions_of_entry(e.name).empty()) << e.name;
}

TEST(Registry, NoNameTwice) {
  std::set<std::string> names;
  for (ScalarFamily family : scalar_families())
    for (const ScalarEntry& e : family()) EXPECT_TRUE(names.insert(e.name).second) << e.name;
}

TEST(Registry, UnknownFunctionsAreNotFound) {
  EXPECT_EQ(find_scalar(0), nullptr);
  EXPECT_EQ(find_scalar(oid::kFirstUserOid - 1), nullptr);
  EXPECT_EQ(find_aggregate(177), nullptr);
}

TEST(Registry, ErrorsStopAChunk) {
  TestSession session;
  FuncContext context(session);
  Arena arena;
  context.set_arena(&arena);
  Vector a(Phys::kI32, 3), b(Phys::kI32, 3), out(Phys::kI32, 3);
  for (uint32_t r = 0; r < 3; r++) {
    a.set<int32_t>(r, 10);
    b.set<int32_t>(r, static_cast<int32_t>(1 - r));
  }
  const std::vector<const Vector*> arguments = {&a, &b};
  find_scalar(154)->kernel(context, CallInfo{}, arguments, Selection{nullptr, 3}, out);  // int4div
  ASSERT_TRUE(context.failed());
  EXPECT_EQ(context.take_error()->state.text(), "22012");
  EXPECT_EQ(out.get<int32_t>(0), 10);
}

// setseed(0.5); random(), random() as PostgreSQL 15 answers.
TEST(Random, SameSequenceAsPostgres) {
  RandomState state;
  seed_random(state, 0.5);
  EXPECT_EQ(next_random_double(state), 0.9851677175347999);
  EXPECT_EQ(next_random_double(state), 0.825301858027981);
  RandomState unseeded;
  EXPECT_LT(next_random_double(unseeded), 1.0);
  EXPECT_TRUE(unseeded.seeded);
}

}  // namespace
}  // namespace indigo::types
