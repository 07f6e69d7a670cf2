// HydraList's parts, and what its readers meet while the search layers lag behind. What every structure does is in
// index_conformance_test.cpp.
#include <algorithm>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "storage/index/hydralist/anchor_key.h"
#include "storage/index/hydralist/hydralist_index.h"
#include "storage/store.h"
#include "storage/store_options.h"
#include "storage/table/table_impl.h"
#include "storage/table_options.h"
#include "tests/random_seed.h"
#include "tests/unit/storage/colon_extractor.h"
#include "tests/unit/storage/index_entries.h"

namespace indigo::storage {
namespace {

TEST(FingerprintsTest, AllAtOnceIsOneByOne) {
  const uint32_t seed = random_seed();
  SCOPED_TRACE(seed_trace(seed));
  std::mt19937 random(seed);
  Fingerprints prints;
  for (int round = 0; round < 100; round++) {
    for (uint8_t& byte : prints.bytes) byte = static_cast<uint8_t>(random() % 4 * 85);
    for (const int wanted : {0, 85, 170, 255, 7}) {
      const auto byte = static_cast<uint8_t>(wanted);
      uint64_t mask = 0;
      for (uint32_t i = 0; i < Fingerprints::kCount; i++) mask |= uint64_t{prints.bytes[i] == byte} << i;
      EXPECT_EQ(prints.match(byte), mask);
      EXPECT_EQ(prints.match_portable(byte), mask);
    }
  }
}

TEST(FingerprintsTest, KeysThatAreNeighboursHaveDifferentOnes) {
  for (const size_t length : {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 28, 40, 100}) {
    for (size_t changed = 0; changed < length; changed++) {
      // 64 keys that differ in one byte: a byte's hash that hits one of 256 at random has about 8 that meet another.
      std::set<uint8_t> prints;
      std::string key(length, 'k');
      for (int i = 0; i < 64; i++) {
        key[changed] = static_cast<char>(i);
        prints.insert(Fingerprints::of(key));
      }
      EXPECT_GT(prints.size(), 36u) << length << ", byte " << changed;
    }
  }
  EXPECT_NE(Fingerprints::of(""), Fingerprints::of(Bytes("\0", 1)));
}

TEST(NodeShapeTest, HeadsCompareAsKeysDoThatBeginAlike) {
  const uint32_t seed = random_seed();
  SCOPED_TRACE(seed_trace(seed));
  std::mt19937 random(seed);
  for (int round = 0; round < 20000; round++) {
    const std::string common(random() % 12, 'c');
    const auto key = [&] {
      std::string s = common;
      for (size_t n = random() % 11; n > 0; n--) s.push_back("\0\1\xff"[random() % 3]);
      return s;
    };
    const std::string a = key(), b = key();
    const uint64_t of_a = key_head(a, common.size()), of_b = key_head(b, common.size());
    if (of_a != of_b) {
      ASSERT_EQ(a < b, of_a < of_b);
    }
    ASSERT_EQ(same_shared(a.data(), b.data(), std::min(a.size(), b.size())),
              a.substr(0, b.size()) == b.substr(0, a.size()));
  }
}

TEST(AnchorKeyTest, ComparesAsPlacesDo) {
  const uint32_t seed = random_seed();
  SCOPED_TRACE(seed_trace(seed));
  std::mt19937 random(seed);
  const auto text = [&] {
    std::string s(random() % 2 == 0 ? random() % 4 : random() % 20, random() % 2 == 0 ? '\1' : '\0');
    for (char& c : s) c = random() % 2 == 0 ? c : "\0\1\xff"[random() % 3];
    return s;
  };
  for (int round = 0; round < 5000; round++) {
    const std::string a = text(), b = text(), c = text(), d = text();
    const EntryKey one{a, b}, other{c, d};
    const AnchorKey one_key(one), other_key(other);
    EXPECT_EQ(one < other, one_key.bytes() < other_key.bytes());
    EXPECT_EQ(one == other, one_key.bytes() == other_key.bytes());
  }
  const std::string large(1000, '\0');
  EXPECT_EQ(AnchorKey({large, large}).bytes().size(), 3002u);
}

struct DestroyNode {
  void operator()(DataNode* node) const { DataNode::destroy(node); }
};
using NodeOwner = std::unique_ptr<DataNode, DestroyNode>;

// Anchors come and go; the floor of any place is a map's.
TEST(SearchLayerTest, FindsTheGreatestAnchorThatIsNotGreater) {
  const uint32_t seed = random_seed();
  SCOPED_TRACE(seed_trace(seed));
  std::mt19937 random(seed);
  EpochManager epochs;
  for (const uint32_t letters : {2U, 256U}) {
    SearchLayer layer(epochs);
    std::map<std::pair<std::string, std::string>, NodeOwner> there;
    const auto text = [&](size_t most) {
      std::string s(random() % (most + 1), '\0');
      for (char& c : s) c = static_cast<char>(random() % letters);
      return s;
    };
    for (int round = 0; round < 3000; round++) {
      std::pair<std::string, std::string> key{text(letters == 2 ? 9 : 3), text(2)};
      const auto found = there.find(key);
      if (found == there.end()) {
        NodeOwner node(DataNode::create({key.first, key.second}, {}));
        layer.insert(node.get());
        there.emplace(key, std::move(node));
      } else if (round > 1000) {
        layer.remove(found->second.get());
        there.erase(found);
      }
      key = {text(letters == 2 ? 9 : 3), text(2)};
      const EntryKey place{key.first, key.second};
      EpochManager::Guard guard(epochs);
      DataNode* const floor = layer.floor(place, AnchorKey(place).bytes());
      auto expected = there.upper_bound(key);
      ASSERT_EQ(floor, expected == there.begin() ? nullptr : std::prev(expected)->second.get());
      ASSERT_EQ(layer.last(), there.empty() ? nullptr : there.rbegin()->second.get());
    }
    EXPECT_EQ(layer.check(there.size()), "");
    for (const auto& [key, node] : there) layer.remove(node.get());
    EXPECT_EQ(layer.memory_bytes(), 0u);
  }
}

class HydralistTest : public ::testing::Test {
 protected:
  EpochManager epochs_;
  PauseHook pauses_;
  std::unique_ptr<Index> index_ = create_hydralist_index(epochs_, pauses_, 2);
  std::vector<std::string> found_;
};

// Fewer nodes than a writer tells the search layers by himself: all of them are found by walking.
TEST_F(HydralistTest, WhatTheSearchLayersHaveNotHeardOfIsFound) {
  constexpr uint64_t kEntries = 400;
  for (uint64_t i = 0; i < kEntries; i++) {
    EXPECT_EQ(index_->insert(number_key(i * 7 % kEntries), "1"), StorageStatus::kOk);
  }
  const IndexServiceStatistics s = *index_->service_statistics();
  EXPECT_GT(s.backlog_entries, 3u);
  EXPECT_EQ(s.merged_entries, 0u);
  for (uint64_t i = 0; i < kEntries; i++) EXPECT_EQ(index_->lookup(number_key(i), found_), 1u) << i;
  EXPECT_EQ(count_entries(*index_, keys_between(300, 310)), 11u);
  EXPECT_EQ(count_entries(*index_), kEntries);
  EXPECT_EQ(index_->check(), "");
  EXPECT_EQ(index_->service_statistics()->backlog_entries, 0u);
}

TEST_F(HydralistTest, WhoBeginsAtANodeThatWasMergedFindsWhereItsEntriesAre) {
  constexpr uint64_t kEntries = 500;
  for (uint64_t i = 0; i < kEntries; i++) EXPECT_EQ(index_->insert(number_key(i), "1"), StorageStatus::kOk);
  EXPECT_EQ(index_->check(), "");  // the search layers know all nodes
  for (uint64_t i = 0; i < kEntries; i++) {
    if (i % 10 == 0) continue;
    EXPECT_TRUE(index_->erase(number_key(i), "1"));
  }
  EXPECT_GT(index_->service_statistics()->backlog_entries, 1u);
  for (uint64_t i = 0; i < kEntries; i++) EXPECT_EQ(index_->lookup(number_key(i), found_), i % 10 == 0 ? 1u : 0u) << i;
  EXPECT_EQ(index_->insert(number_key(123), "1"), StorageStatus::kOk);
  EXPECT_EQ(index_->lookup(number_key(123), found_), 1u);
  EXPECT_EQ(count_entries(*index_), kEntries / 10 + 1);
  EXPECT_EQ(index_->check(), "");
}

// A node whose entries have one shape gets others, in its first node and later ones, and loses them again.
TEST_F(HydralistTest, EntriesOfOneShapeAndOfManyShareNodes) {
  constexpr uint64_t kEntries = 1000;
  const auto primary = [](uint64_t i, uint64_t kind) {
    return std::string(kind * 7 % 40, static_cast<char>('a' + i % 20));
  };
  for (const bool ascending : {false, true}) {
    index_ = create_hydralist_index(epochs_, pauses_);
    std::set<std::pair<std::string, std::string>> model;
    const auto check = [&] {
      ASSERT_EQ(index_->check(), "");
      ASSERT_EQ(index_->entry_count(), model.size());
      auto expected = model.begin();
      const auto scan = index_->scan(KeyRange::all(), Direction::kForward);
      for (auto entries = scan->next(100); !entries.empty(); entries = scan->next(100)) {
        for (const IndexEntry& e : entries) {
          ASSERT_EQ(std::make_pair(std::string(e.key), std::string(e.primary_key)), *expected);
          ++expected;
        }
      }
      ASSERT_EQ(expected, model.end());
    };
    for (uint64_t kind = 0; kind < 3; kind++) {
      for (uint64_t n = 0; n < kEntries; n++) {
        const uint64_t i = ascending ? n : n * 7919 % kEntries;
        if (i % (kind * 10 + 1) != 0) continue;
        EXPECT_EQ(index_->insert(number_key(i), primary(i, kind)), StorageStatus::kOk);
        model.emplace(number_key(i), primary(i, kind));
        if (n == 20) check();
      }
      check();
    }
    for (uint64_t kind = 2; kind > 0; kind--) {
      for (uint64_t i = 0; i < kEntries; i += kind * 10 + 1) {
        EXPECT_TRUE(index_->erase(number_key(i), primary(i, kind)));
        model.erase({number_key(i), primary(i, kind)});
      }
      check();
    }
    for (uint64_t i = 0; i < kEntries; i++) EXPECT_TRUE(index_->erase(number_key(i), primary(i, 0)));
    model.clear();
    check();
  }
}

// A key whose entries fill several nodes is found from the first of them to the last, and nothing behind.
TEST_F(HydralistTest, AKeyWhoseEntriesFillNodesHasNeighboursWithTheSameBeginning) {
  const std::string begin = "the same eight bytes and more/";
  for (uint64_t i = 0; i < 300; i++) {
    for (const char* key : {"a", "b", "b\x01"}) {
      EXPECT_EQ(index_->insert(begin + key, number_key(i * 7919 % 300)), StorageStatus::kOk);
    }
  }
  EXPECT_EQ(index_->check(), "");
  for (const char* key : {"a", "b", "b\x01"}) {
    ASSERT_EQ(index_->lookup(begin + key, found_), 300u);
    EXPECT_TRUE(std::is_sorted(found_.begin(), found_.begin() + 300));
  }
  for (const char* key : {"", "aa", "c"}) EXPECT_EQ(index_->lookup(begin + key, found_), 0u);
  EXPECT_EQ(index_->lookup("the same", found_), 0u);
}

TEST_F(HydralistTest, ACloneIsMadeWhileTheSearchLayersLagBehind) {
  constexpr uint64_t kEntries = 300;
  for (uint64_t i = 0; i < kEntries; i++) {
    EXPECT_EQ(index_->insert(number_key(i), std::string(i % 50, 'p')), StorageStatus::kOk);
  }
  epochs_.pause_writers();
  const auto clone = index_->clone(1, 2);
  epochs_.resume_writers();
  EXPECT_TRUE(index_->erase(number_key(49), std::string(49, 'p')));
  EXPECT_EQ(clone->check(), "");
  EXPECT_EQ(index_->check(), "");
  EXPECT_EQ(count_entries(*clone), kEntries);
  EXPECT_EQ(count_entries(*index_), kEntries - 1);
}

TEST(HydralistService, TheSearchLayersHearOfAllWithoutAnybodysHelpAndAnIndexMayGo) {
  MemoryAccount account;
  {
    EpochManager epochs;
    PauseHook pauses;
    IndexService service;
    const auto index = create_hydralist_index(epochs, pauses, account, service, 4);
    for (uint64_t i = 0; i < 5000; i++) EXPECT_EQ(index->insert(number_key(i), "1"), StorageStatus::kOk);
    while (index->service_statistics()->backlog_entries > 0) std::this_thread::yield();
    EXPECT_EQ(index->check(), "");
    for (int round = 0; round < 20; round++) {
      const auto other = create_hydralist_index(epochs, pauses, account, service, 4);
      for (uint64_t i = 0; i < 1500; i++) EXPECT_EQ(other->insert(number_key(i), "1"), StorageStatus::kOk);
      for (uint64_t i = 0; i < 1500; i++) EXPECT_TRUE(other->erase(number_key(i), "1"));
    }
  }
  EXPECT_EQ(account.total(), 0u);
}

// Each search layer takes memory of its own.
TEST(HydralistStore, TheStoreSaysHowManySearchLayersThereAre) {
  const auto memory_with = [](uint32_t replicas) {
    StoreOptions options;
    options.hydralist_replicas = replicas;
    const auto store = Store::create(options);
    const auto table = store->create_table(TableOptions{});
    const IndexId id(store->next_id().value);
    auto txn = store->begin(Isolation::kReadCommitted, 0);
    txn->take_statement_snapshot();
    EXPECT_EQ(create_index(*table, *txn, id, create_hydralist_index, {}, std::make_shared<ColonExtractor>(), nullptr),
              StorageStatus::kOk);
    for (uint64_t i = 0; i < 5000; i++) {
      EXPECT_EQ(table->insert(*txn, number_key(i), std::to_string(i * 7919 % 5000) + ":", nullptr), StorageStatus::kOk);
    }
    EXPECT_EQ(store->commit(*txn), StorageStatus::kOk);
    const Index& index = *static_cast<TableImpl&>(*table).find_index(id)->index;
    EXPECT_EQ(index.check(), "");
    return index.memory_bytes();
  };
  const uint64_t one = memory_with(1), two = memory_with(2), four = memory_with(4);
  EXPECT_GT(two, one);
  EXPECT_EQ(four - two, 2 * (two - one));
}

}  // namespace
}  // namespace indigo::storage
