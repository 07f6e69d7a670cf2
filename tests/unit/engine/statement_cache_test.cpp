#include "engine/statement/statement_cache.h"

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace indigo::engine {
namespace {

ScannedText scan(const std::string& text) {
  ScannedText out;
  scan_literals(text, out);
  return out;
}

std::string text_of(size_t number) { return "SELECT a FROM t" + std::to_string(number); }

class StatementCacheTest : public testing::Test {
 protected:
  bool returns(const std::string& text) { return cache_.returns(scan(text)); }
  bool found(const std::string& text) { return cache_.find(scan(text), 1) != nullptr; }
  void insert(const std::string& text) { cache_.insert(scan(text), 1, std::make_shared<Prepared>()); }
  void insert_others(size_t count) {
    for (size_t i = 0; i < count; i++) insert(text_of(others_++));
  }

  StatementCache cache_;

 private:
  size_t others_ = 0;
};

TEST_F(StatementCacheTest, WhatComesOnceMakesRoomForTheNext) {
  insert("SELECT 1 FROM once");
  insert_others(StatementCache::kOnProbation - 1);
  EXPECT_EQ(cache_.size(), StatementCache::kOnProbation);
  insert_others(5000);
  EXPECT_EQ(cache_.size(), StatementCache::kOnProbation);
  EXPECT_FALSE(found("SELECT 1 FROM once"));
}

TEST_F(StatementCacheTest, WhatWasFoundStays) {
  insert("SELECT 1 FROM often");
  EXPECT_TRUE(found("SELECT 1 FROM often"));
  insert_others(500);
  EXPECT_TRUE(found("SELECT 1 FROM often"));
  EXPECT_EQ(cache_.size(), StatementCache::kOnProbation + 1);
}

TEST_F(StatementCacheTest, WhatComesAgainAfterItsProbationStays) {
  insert("SELECT 1 FROM seldom");
  insert_others(100);
  EXPECT_FALSE(found("SELECT 1 FROM seldom"));
  insert("SELECT 1 FROM seldom");
  insert_others(100);
  EXPECT_TRUE(found("SELECT 1 FROM seldom"));
}

TEST_F(StatementCacheTest, ATextReturnsWhateverItsLiterals) {
  EXPECT_FALSE(returns("SELECT a FROM t WHERE b = 1"));
  EXPECT_FALSE(returns("SELECT a FROM t WHERE c = 1"));
  EXPECT_TRUE(returns("SELECT a FROM t WHERE b = 2"));
  EXPECT_EQ(cache_.size(), 0U);
}

TEST_F(StatementCacheTest, StaysWithinItsLimit) {
  for (size_t i = 0; i < 2 * StatementCache::kEntriesMax; i++) {
    insert(text_of(i));
    EXPECT_TRUE(found(text_of(i)));
    EXPECT_LE(cache_.size(), StatementCache::kEntriesMax);
  }
}

// Nothing of it is lifted, so that each literal is a plan of its own.
TEST_F(StatementCacheTest, PlansOfOneTextCountLikeOthers) {
  for (int i = 0; i < 5000; i++) insert("SELECT a FROM t LIMIT " + std::to_string(i));
  EXPECT_LE(cache_.plan_count(), StatementCache::kEntriesMax + 1);
  EXPECT_TRUE(found("SELECT a FROM t LIMIT 4999"));
}

TEST(StatementCaches, OneAmongManyKeepsItsPart) {
  std::vector<std::unique_ptr<StatementCache>> caches(StatementCache::kOfProcessMax / StatementCache::kEntriesMin);
  for (auto& cache : caches) cache = std::make_unique<StatementCache>();
  for (int i = 0; i < 5000; i++) {
    caches[0]->insert(scan("SELECT a FROM t LIMIT " + std::to_string(i)), 1, std::make_shared<Prepared>());
  }
  EXPECT_LE(caches[0]->plan_count(), StatementCache::kEntriesMin + 1);
}

}  // namespace
}  // namespace indigo::engine
