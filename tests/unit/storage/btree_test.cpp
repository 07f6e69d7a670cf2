// The parts of the tree by themselves: keys, leaves, inner nodes, and their memory.
#include <algorithm>
#include <map>
#include <random>
#include <set>

#include <gtest/gtest.h>

#include "storage/btree/inner.h"
#include "storage/btree/leaf.h"
#include "storage/btree/prefix_search.h"
#include "storage/epoch.h"
#include "storage/memory/page_pool.h"
#include "storage/memory/valenblock.h"
#include "storage/memory/version_pool.h"
#include "tests/random_seed.h"

namespace indigo::storage {
namespace {

std::string random_bytes(std::mt19937& random) {
  std::string s(random() % 14, '\0');
  for (char& c : s) c = static_cast<char>(random() % 3 == 0 ? 0xff : random() % 3);
  return s;
}

TEST(KeyView, PrefixesCompareLikeKeys) {
  std::mt19937 random(seed_or(1));
  for (int i = 0; i < 20000; i++) {
    std::string a = random_bytes(random), b = random_bytes(random);
    if (KeyView(a).prefix < KeyView(b).prefix) {
      EXPECT_LT(a, b);
    }
    if (a < b) {
      std::string s(shortest_separator(a, b));
      EXPECT_LT(a, s);
      EXPECT_LE(s, b);
    }
  }
}

class LeafTest : public ::testing::Test {
 protected:
  Leaf* create(Bytes low, bool has_high, Bytes high) {
    return Leaf::create(pages.allocate(Need::kMust), pages.block_bytes(), 0, low, has_high, high);
  }
  bool insert(Leaf* leaf, Bytes key, Bytes payload) {
    bool equal;
    size_t i = leaf->lower_bound(KeyView(key), leaf->status().count, equal);
    size_t body_key = key.size() > kPrefixBytes ? key.size() : 0;
    if (equal || leaf->free_bytes() < sizeof(RecordMeta) + body_key + payload.size()) return false;
    RecordMeta m;
    m.prefix = key_prefix(key);
    size_t offset = leaf->allocate_body(body_key + payload.size());
    leaf->write_body(offset, key.substr(0, body_key), payload);
    m.set_body(offset, key.size(), payload.size());
    leaf->insert_meta(i, m);
    return true;
  }
  std::map<std::string, std::string> contents(const Leaf* leaf) {
    std::map<std::string, std::string> all;
    for (size_t i = 0; i < leaf->status().count; i++) {
      RecordMeta m = leaf->meta(i);
      all[leaf->key(i)] = std::string(leaf->payload(m), m.payload_length());
    }
    return all;
  }
  void TearDown() override {
    for (Leaf* l : leaves) pages.free(l);
  }
  MemoryAccount account;
  PagePool pages{2048, account};
  std::vector<char> pages_scratch = std::vector<char>(2048);
  std::vector<Leaf*> leaves;
};

TEST_F(LeafTest, AgreesWithAMapUnderRandomChanges) {
  std::mt19937 random(seed_or(2));
  Leaf* leaf = create("", false, "");
  leaves.push_back(leaf);
  std::map<std::string, std::string> model;
  for (int i = 0; i < 5000; i++) {
    std::string key = random_bytes(random), payload(random() % 30, static_cast<char>('a' + random() % 26));
    bool equal;
    size_t at = leaf->lower_bound(KeyView(key), leaf->status().count, equal);
    auto expected = model.lower_bound(key);
    ASSERT_EQ(at, static_cast<size_t>(std::distance(model.begin(), expected)));
    ASSERT_EQ(equal, model.contains(key));
    if (!equal) {
      if (insert(leaf, key, payload)) model[key] = payload;
    } else if (random() % 2 == 0) {
      leaf->remove_meta(at);
      model.erase(key);
    } else {
      RecordMeta m = leaf->meta(at);
      if (leaf->replace_payload(m, payload)) {
        leaf->set_meta(at, m);
        model[key] = payload;
      }
    }
    if (leaf->free_bytes() < 64) {
      leaf->compact(pages_scratch.data());
      EXPECT_EQ(leaf->status().delete_bytes, 0u);
      if (leaf->free_bytes() < 64) {
        leaf->remove_meta(0);
        model.erase(model.begin());
      }
    }
    if (i % 50 == 0) {
      ASSERT_EQ(contents(leaf), model);
    }
  }
}

TEST_F(LeafTest, FencesOfAnyLength) {
  for (std::string low : {"", "b", "bbbbbbbb", "bbbbbbbbbbbbbb"}) {
    for (std::string high : {"c", "cccccccc", "cccccccccccc", "ccccccccc\xff"}) {
      Leaf* leaf = create(low, true, high);
      leaves.push_back(leaf);
      std::string s;
      leaf->low_fence(s);
      EXPECT_EQ(s, low);
      leaf->high_fence(s);
      EXPECT_EQ(s, high);
      for (std::string key : {"a", "c", "cc", "cccccccc", "cccccccccccb", "cccccccccccc", "ccccccccc\xff\xff", "d"}) {
        EXPECT_EQ(leaf->beyond(KeyView(key)), key >= high) << key << " " << high;
      }
      EXPECT_TRUE(leaf->set_high_fence("zzzzzzzzzzz"));
      leaf->high_fence(s);
      EXPECT_EQ(s, "zzzzzzzzzzz");
    }
  }
}

TEST(PrefixSearch, FindsLikeStdLowerBound) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 2000; round++) {
    std::vector<uint64_t> prefixes(random() % 40);
    for (uint64_t& p : prefixes) p = random() % 64;  // equal ones too
    std::sort(prefixes.begin(), prefixes.end());
    const size_t low = random() % (prefixes.size() + 1);
    const size_t high = low + random() % (prefixes.size() - low + 1);
    const uint64_t wanted = random() % 66;
    const auto begin = prefixes.begin() + static_cast<long>(low), end = prefixes.begin() + static_cast<long>(high);
    EXPECT_EQ(first_not_below(low, high, wanted, [&](size_t i) { return prefixes.at(i); }),
              low + static_cast<size_t>(std::lower_bound(begin, end, wanted) - begin));
  }
}

// The search begins where keys that are spread evenly lie; here they are not.
TEST_F(LeafTest, FindsKeysThatAreSpreadUnevenly) {
  std::mt19937_64 random(4);
  for (int round = 0; round < 300; round++) {
    std::set<std::string> keys;
    const size_t skew = random() % 60;
    while (keys.size() < 90) {
      uint64_t n = big_endian((random() >> (random() % 3 == 0 ? skew : 0)) + (uint64_t{1} << 20));
      keys.emplace(reinterpret_cast<const char*>(&n), sizeof n);
    }
    Leaf* leaf = create(std::string(1, '\0'), round % 3 != 0, *keys.rbegin() + "x");
    std::vector<std::string> present;  // every second one
    bool odd = false;
    for (const std::string& k : keys) {
      if (odd) {
        ASSERT_TRUE(insert(leaf, k, ""));
        present.push_back(k);
      }
      odd = !odd;
    }
    for (const std::string& k : keys) {
      bool equal;
      const auto expected = std::lower_bound(present.begin(), present.end(), k);
      EXPECT_EQ(leaf->lower_bound(KeyView(k), present.size(), equal), static_cast<size_t>(expected - present.begin()));
      EXPECT_EQ(equal, expected != present.end() && *expected == k);
    }
    pages.free(leaf);
  }
}

TEST(Inner, FindsLikeASortedVector) {
  std::mt19937 random(seed_or(3));
  MemoryAccount account;
  Valenblock memory(account);
  for (int round = 0; round < 50; round++) {
    std::set<std::string> keys;
    for (size_t n = random() % 100; n > 0; n--) {
      std::string k = random_bytes(random);
      if (!k.empty()) keys.insert(k);
    }
    Inner::Parts parts;
    parts.separators.assign(keys.begin(), keys.end());
    for (size_t i = 0; i <= keys.size(); i++) parts.children.push_back(reinterpret_cast<void*>((i + 1) * 8));
    Inner* node = Inner::create(memory, parts, 0);
    for (int i = 0; i < 300; i++) {
      std::string k = random_bytes(random);
      auto& s = parts.separators;
      EXPECT_EQ(node->find(KeyView(k)), static_cast<size_t>(std::upper_bound(s.begin(), s.end(), k) - s.begin()));
      EXPECT_EQ(node->find_before(KeyView(k)),
                static_cast<size_t>(std::lower_bound(s.begin(), s.end(), k) - s.begin()));
    }
    EXPECT_EQ(node->parts().separators, parts.separators);
    EXPECT_EQ(node->parts().children, parts.children);
    memory.free(node);
  }
}

TEST(Memory, PoolsReuseAndGiveBack) {
  MemoryAccount account;
  PagePool pages(16384, account);
  std::vector<void*> blocks;
  for (int i = 0; i < 1000; i++) blocks.push_back(pages.allocate(Need::kMust));
  EXPECT_GE(account.bytes(MemoryKind::kLeaves), 996 * 16384);
  EXPECT_LE(account.bytes(MemoryKind::kLeaves), 1000 * 16384);
  EXPECT_EQ(std::set<void*>(blocks.begin(), blocks.end()).size(), blocks.size());
  for (void* b : blocks) EXPECT_EQ(reinterpret_cast<uintptr_t>(b) % 64, 0u);
  size_t full = pages.chunk_bytes_total();
  for (void* b : blocks) pages.free(b);
  EXPECT_LE(pages.chunk_bytes_total(), full / 4);
  pages.trim();
  EXPECT_EQ(pages.chunk_bytes_total(), 0u);
  EXPECT_EQ(account.total(), 0u);

  Valenblock nodes(account);
  std::vector<void*> many;
  for (size_t i = 0; i < 5000; i++) many.push_back(nodes.allocate(64 + i % 3000));
  full = nodes.chunk_bytes_total();
  for (void* n : many) nodes.free(n);
  EXPECT_LT(nodes.chunk_bytes_total(), full / 2);
  EXPECT_EQ(account.bytes(MemoryKind::kInnerNodes), static_cast<int64_t>(nodes.chunk_bytes_total()));

  VersionPool versions(account);
  std::vector<std::pair<void*, size_t>> held;
  for (size_t i = 0; i < 1000; i++) held.emplace_back(versions.allocate(40 + i * 7), 40 + i * 7);
  full = versions.chunk_bytes_total();
  for (auto& [v, n] : held) versions.free(v, n);
  EXPECT_EQ(versions.used_blocks(), 0u);
  for (size_t i = 0; i < 1000; i++) held[i].first = versions.allocate(40 + i * 7);
  EXPECT_EQ(versions.chunk_bytes_total(), full);
  for (auto& [v, n] : held) versions.free(v, n);
  versions.trim();
  EXPECT_EQ(versions.chunk_bytes_total(), 0u);
  EXPECT_EQ(account.bytes(MemoryKind::kVersions), 0);
}

TEST(Memory, StatementsGetNothingAboveTheLimitButCommitsDo) {
  MemoryAccount account(1 << 20);
  PagePool pages(16384, account);
  std::vector<void*> blocks;
  while (void* b = pages.allocate(Need::kMayFail)) blocks.push_back(b);
  EXPECT_GE(blocks.size(), 60u);
  EXPECT_LE(blocks.size(), 72u);
  void* b = pages.allocate(Need::kMust);
  ASSERT_NE(b, nullptr);
  blocks.push_back(b);
  for (int i = 0; i < 12; i++) {  // what was given back may be allocated again
    pages.free(blocks.back());
    blocks.pop_back();
  }
  b = pages.allocate(Need::kMayFail);
  ASSERT_NE(b, nullptr);
  blocks.push_back(b);
  for (void* block : blocks) pages.free(block);
}

TEST(Epoch, NothingIsFreedUnderAGuardThatMayKnowIt) {
  int freed = 0;
  EpochManager epochs;  // frees the rest at its end
  auto free = [](void* count, void*) { ++*static_cast<int*>(count); };
  {
    EpochManager::Guard guard(epochs);
    epochs.retire(nullptr, free, &freed);
    for (int i = 0; i < 10; i++) epochs.collect();
    EXPECT_EQ(freed, 0);
    EXPECT_EQ(epochs.retired_count(), 1u);
    EpochManager::Guard nested(epochs);
  }
  for (int i = 0; i < 3; i++) epochs.collect();
  EXPECT_EQ(freed, 1);
  for (int i = 0; i < 1000; i++) epochs.retire(nullptr, free, &freed);
  EXPECT_GT(freed, 500);  // freeing keeps up by itself
}

TEST(Epoch, PassesOnlyWithoutAGuardOfIt) {
  EpochManager epochs;
  const uint64_t free_at_once = epochs.retirement_epoch();
  for (int i = 0; i < 2; i++) epochs.advance();
  EXPECT_TRUE(epochs.passed(free_at_once));
  uint64_t held = 0;
  {
    EpochManager::Guard guard(epochs);
    held = epochs.retirement_epoch();
    for (int i = 0; i < 10; i++) epochs.advance();
    EXPECT_FALSE(epochs.passed(held));
  }
  for (int i = 0; i < 2; i++) epochs.advance();
  EXPECT_TRUE(epochs.passed(held));
}

}  // namespace
}  // namespace indigo::storage
