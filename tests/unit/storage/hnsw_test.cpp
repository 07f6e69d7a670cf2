// The graph's own: how near what it finds is, and that nothing is out of reach for good. What every structure does is in
// index_conformance_test.cpp.
#include <algorithm>
#include <cstring>
#include <limits>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "base/vector_space.h"
#include "storage/index/hnsw/hnsw_index.h"
#include "tests/random_seed.h"

namespace indigo::storage {
namespace {

constexpr size_t kDimensions = 12;

std::string vector_key(std::mt19937_64& random, VectorMetric metric = VectorMetric::kEuclidean) {
  std::normal_distribution<float> number;
  std::string image(kDimensions * sizeof(float), '\0');
  for (size_t i = 0; i < kDimensions; i++) {
    const float value = number(random);
    std::memcpy(image.data() + i * sizeof value, &value, sizeof value);
  }
  return std::string(1, '\0') + VectorKey::make(metric, VectorElement::kSingle, image);
}
float distance(Bytes a, Bytes b) { return vector_key_distance(a.substr(1), b.substr(1)); }

bool next_keys(NearestScan& scan, std::vector<std::string>& keys) {
  std::vector<NearestScan::Found> found;
  const bool more = scan.next(found);
  for (const auto& f : found) keys.emplace_back(f.key.bytes());
  return more;
}

std::vector<std::string> first_keys(const HnswIndex& index, const std::string& target, size_t count) {
  NearestScan scan = index.nearest(target, std::max<size_t>(count, 40));
  std::vector<std::string> keys;
  next_keys(scan, keys);
  keys.resize(std::min(keys.size(), count));
  return keys;
}

class Hnsw : public ::testing::Test {
 protected:
  void fill(size_t count, VectorMetric metric = VectorMetric::kEuclidean) {
    for (size_t i = 0; i < count; i++) {
      keys_.push_back(vector_key(random_, metric));
      ASSERT_EQ(index_.insert(keys_.back(), std::to_string(i)), StorageStatus::kOk);
    }
  }
  // The part of the ten nearest that is found.
  double recall() {
    constexpr size_t kAsked = 10, kTargets = 40;
    size_t found = 0;
    for (size_t t = 0; t < kTargets; t++) {
      std::string target = vector_key(random_);
      target.replace(0, 3, keys_[0], 0, 3);
      std::vector<std::string> nearest = keys_;
      std::partial_sort(nearest.begin(), nearest.begin() + kAsked, nearest.end(),
                        [&](const auto& a, const auto& b) { return distance(target, a) < distance(target, b); });
      const std::vector<std::string> given = first_keys(index_, target, kAsked);
      EXPECT_TRUE(std::is_sorted(given.begin(), given.end(), [&](const auto& a, const auto& b) {
        return distance(target, a) < distance(target, b);
      }));
      for (size_t i = 0; i < kAsked; i++) found += std::count(given.begin(), given.end(), nearest[i]);
    }
    return static_cast<double>(found) / (kAsked * kTargets);
  }

  std::mt19937_64 random_{seed_or(17)};
  EpochManager epochs_;
  PauseHook pauses_;
  HnswIndex index_{epochs_, nullptr, pauses_};
  std::vector<std::string> keys_;
};

TEST_F(Hnsw, FindsNearlyAllOfTheNearest) {
  for (const VectorMetric metric : {VectorMetric::kEuclidean, VectorMetric::kTaxicab}) {
    fill(1500, metric);
    EXPECT_GE(recall(), 0.9);
    EXPECT_EQ(index_.check(), "");
    for (size_t i = 0; i < keys_.size(); i++) EXPECT_TRUE(index_.erase(keys_[i], std::to_string(i)));
    EXPECT_EQ(index_.entry_count(), 0u);
    EXPECT_EQ(index_.check(), "");
    keys_.clear();
  }
}

TEST_F(Hnsw, FindsThemWhenMostHaveGoneAndOthersHaveTheirPlaces) {
  fill(2000);
  for (size_t i = 0; i < 1500; i++) ASSERT_TRUE(index_.erase(keys_[i], std::to_string(i)));
  keys_.erase(keys_.begin(), keys_.begin() + 1500);
  EXPECT_GE(recall(), 0.85);
  fill(1000);
  EXPECT_GE(recall(), 0.85);
  EXPECT_EQ(index_.check(), "");
}

TEST_F(Hnsw, GivesEveryKeyOnceWhoGoesOn) {
  fill(1200);
  NearestScan scan = index_.nearest(keys_[7], 20);
  std::vector<std::string> given;
  while (next_keys(scan, given)) {
  }
  EXPECT_EQ(given[0], keys_[7]);
  EXPECT_EQ(std::set(given.begin(), given.end()).size(), given.size());
  EXPECT_GE(given.size(), keys_.size() * 99 / 100);
  for (const std::string& key : given) EXPECT_TRUE(scan.gave(key));
  EXPECT_FALSE(scan.gave(vector_key(random_)));
}

TEST_F(Hnsw, AClonesChangesAreItsOwn) {
  fill(300);
  epochs_.pause_writers();
  const auto clone = index_.clone(1, 2);
  epochs_.resume_writers();
  auto& copy = static_cast<HnswIndex&>(*clone);
  const std::string more = vector_key(random_);
  EXPECT_EQ(copy.insert(more, "x"), StorageStatus::kOk);
  EXPECT_TRUE(copy.erase(keys_[0], "0"));
  EXPECT_EQ(first_keys(copy, more, 1)[0], more);
  EXPECT_NE(first_keys(copy, keys_[0], 1)[0], keys_[0]);
  EXPECT_EQ(first_keys(index_, keys_[0], 1)[0], keys_[0]);
  EXPECT_NE(first_keys(index_, more, 1)[0], more);
  EXPECT_TRUE(index_.erase(keys_[1], "1"));
  EXPECT_EQ(first_keys(copy, keys_[1], 1)[0], keys_[1]);
  EXPECT_EQ(copy.check(), "");
  EXPECT_EQ(index_.check(), "");
}

TEST_F(Hnsw, WhatCannotBeComparedIsKeptAndNotFound) {
  fill(20);
  const std::string shorter = keys_[0].substr(0, keys_[0].size() - sizeof(float)), no_vector = "abc";
  EXPECT_EQ(index_.insert(shorter, "s"), StorageStatus::kOk);
  EXPECT_EQ(index_.insert(no_vector, "n"), StorageStatus::kOk);
  std::vector<std::string> found;
  EXPECT_EQ(index_.lookup(shorter, found), 1u);
  NearestScan scan = index_.nearest(keys_[3], 100);
  std::vector<std::string> given;
  while (next_keys(scan, given)) {
  }
  EXPECT_EQ(given.size(), 20u);
  EXPECT_FALSE(scan.gave(no_vector));
  EXPECT_TRUE(index_.erase(no_vector, "n"));
  EXPECT_EQ(index_.check(), "");
}

// Products beyond a float's range are infinities, and sums of both kinds have no value.
TEST_F(Hnsw, DistancesWithoutAValueAreFarAway) {
  fill(100, VectorMetric::kInner);
  for (size_t i = 0; i < 100; i++) {
    std::string image;
    for (size_t d = 0; d < kDimensions; d++) {
      const float value = 3e38F * (((i >> (d % 7)) & 1) != 0 ? 1 : -1);
      image.append(reinterpret_cast<const char*>(&value), sizeof value);
    }
    keys_.push_back(std::string(1, '\0') + VectorKey::make(VectorMetric::kInner, VectorElement::kSingle, image));
    ASSERT_EQ(index_.insert(keys_.back(), "x"), StorageStatus::kOk);
  }
  EXPECT_EQ(vector_key_distance(Bytes(keys_[101]).substr(1), Bytes(keys_[102]).substr(1)),
            std::numeric_limits<float>::infinity());
  for (const std::string& target : {keys_[3], keys_[150], keys_[199]}) {
    NearestScan scan = index_.nearest(target, 40);
    std::vector<std::string> given;
    while (next_keys(scan, given)) {
    }
    EXPECT_EQ(std::set(given.begin(), given.end()).size(), given.size());
  }
  for (size_t i = 100; i < keys_.size(); i++) EXPECT_TRUE(index_.erase(keys_[i], "x"));
  EXPECT_EQ(index_.check(), "");
}

TEST_F(Hnsw, ManyWriteAndSearchAtOnce) {
  fill(200);
  constexpr size_t kThreads = 4, kRounds = 300;
  std::vector<std::thread> threads;
  for (size_t t = 0; t < kThreads; t++) {
    threads.emplace_back([&, t, seed = random_()] {
      std::mt19937_64 random(seed);
      std::vector<std::string> own;
      for (size_t i = 0; i < kRounds; i++) {
        own.push_back(vector_key(random));
        ASSERT_EQ(index_.insert(own.back(), std::to_string(t)), StorageStatus::kOk);
        ASSERT_EQ(index_.insert(keys_[i % 50], "t" + std::to_string(t)), StorageStatus::kOk);
        if (i % 3 == 2) {
          ASSERT_TRUE(index_.erase(own.front(), std::to_string(t)));
          own.erase(own.begin());
        }
        std::vector<std::string> given;
        NearestScan scan = index_.nearest(own.back(), 40);
        next_keys(scan, given);
        ASSERT_FALSE(given.empty());
        std::vector<std::string> found;
        ASSERT_EQ(index_.lookup(own.back(), found), 1u);
        ASSERT_TRUE(index_.erase(keys_[i % 50], "t" + std::to_string(t)));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(index_.check(), "");
  EXPECT_EQ(index_.entry_count(), 200 + kThreads * (kRounds - kRounds / 3));
}

}  // namespace
}  // namespace indigo::storage
