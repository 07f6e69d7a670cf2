// What every access method behind storage/index/index.h must do. Each method is one line in kMethods.
#include <algorithm>
#include <atomic>
#include <functional>
#include <random>
#include <set>
#include <thread>

#include <gtest/gtest.h>

#include "storage/durability.h"
#include "storage/epoch.h"
#include "storage/index/btree_index.h"
#include "storage/index/griffin/griffin_index.h"
#include "storage/index/hash_index.h"
#include "storage/index/hnsw/hnsw_index.h"
#include "storage/index/hydralist/hydralist_index.h"
#include "storage/index/index.h"
#include "storage/index/indexlet/indexlet_index.h"
#include "tests/random_seed.h"
#include "tests/unit/storage/random_pauses.h"

namespace indigo::storage {
namespace {

// Sanitizers make the random tests slow: they do a part there.
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr uint64_t kEffort = 1;
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
constexpr uint64_t kEffort = 1;
#else
constexpr uint64_t kEffort = 8;
#endif
#else
constexpr uint64_t kEffort = 8;
#endif

struct Method {
  const char* name;
  std::unique_ptr<Index> (*create)(EpochManager& epochs, const PauseHook& pauses);
  bool ordered;           // else scans of ranges are for tests: they look at everything
  double bytes_per_byte;  // most memory for ascending entries, of what these are
};
// A service and an account for all that want one.
struct Surroundings {
  MemoryAccount account;
  IndexService service;
};
Surroundings& surroundings() {
  static Surroundings all;
  return all;
}
const Method kMethods[] = {
    {"btree", [](EpochManager& epochs, const PauseHook& pauses) { return create_btree_index(epochs, pauses); }, true,
     1.4},
    {"hash", [](EpochManager& epochs, const PauseHook& pauses) { return create_hash_index(epochs, pauses); }, false,
     2.2},
    {"hnsw", [](EpochManager& epochs, const PauseHook& pauses) { return create_hnsw_index(epochs, pauses); }, false,
     40},
    {"griffin_alone",
     [](EpochManager& epochs, const PauseHook& pauses) { return create_griffin_index(epochs, pauses); }, true, 3.6},
    {"griffin",
     [](EpochManager& epochs, const PauseHook& pauses) {
       return create_griffin_index(epochs, pauses, surroundings().account, surroundings().service);
     },
     true, 3.6},
    {"indexlet_alone",
     [](EpochManager& epochs, const PauseHook& pauses) { return create_indexlet_index(epochs, pauses); }, true, 1.8},
    {"indexlet",
     [](EpochManager& epochs, const PauseHook& pauses) {
       return create_indexlet_index(epochs, pauses, surroundings().account, surroundings().service);
     },
     true, 1.8},
    {"adaptive_alone",
     [](EpochManager& epochs, const PauseHook& pauses) -> std::unique_ptr<Index> {
       return std::make_unique<IndexletIndex>(epochs, nullptr, pauses, nullptr, Buffering{1, 1, 1000});
     },
     true, 1.8},
    {"adaptive",
     [](EpochManager& epochs, const PauseHook& pauses) -> std::unique_ptr<Index> {
       return std::make_unique<IndexletIndex>(epochs, &surroundings().account, pauses, &surroundings().service,
                                              Buffering{1, 1, 1000});
     },
     true, 1.8},
    {"hydralist_alone",
     [](EpochManager& epochs, const PauseHook& pauses) { return create_hydralist_index(epochs, pauses); }, true, 1.4},
    {"hydralist_of_two",
     [](EpochManager& epochs, const PauseHook& pauses) { return create_hydralist_index(epochs, pauses, 2); }, true,
     1.4},
    {"hydralist",
     [](EpochManager& epochs, const PauseHook& pauses) {
       return create_hydralist_index(epochs, pauses, surroundings().account, surroundings().service, 4);
     },
     true, 1.4},
};

using Entry = std::pair<std::string, std::string>;
using Model = std::set<Entry>;

std::string number(uint64_t n) {
  uint64_t bytes = big_endian(n);
  return {reinterpret_cast<char*>(&bytes), sizeof bytes};
}

std::vector<Entry> read_all(IndexScan& scan, size_t batch) {
  std::vector<Entry> all;
  for (auto entries = scan.next(batch); !entries.empty(); entries = scan.next(batch)) {
    EXPECT_LE(entries.size(), batch);
    for (const IndexEntry& e : entries) all.emplace_back(e.key, e.primary_key);
  }
  return all;
}

std::vector<Entry> expected(const Model& model, const KeyRange& range, Direction direction) {
  std::vector<Entry> all;
  for (const Entry& e : model) {
    bool above = !range.has_low || (range.low_inclusive ? e.first >= range.low : e.first > range.low);
    bool below = !range.has_high || (range.high_inclusive ? e.first <= range.high : e.first < range.high);
    if (above && below) all.push_back(e);
  }
  if (direction == Direction::kBackward) std::reverse(all.begin(), all.end());
  return all;
}

class IndexConformance : public ::testing::TestWithParam<Method> {
 protected:
  EpochManager epochs_;
  PauseHook pauses_;
  std::unique_ptr<Index> index_ = GetParam().create(epochs_, pauses_);
  std::vector<std::string> found_;
  IndexMatches matches_;

  // Nothing is left to be done behind the test's back: a scan needs it all.
  void settle() { index_->scan(KeyRange::all(), Direction::kForward)->next(1); }
  void check_lookup_many(const Model& model, const std::function<std::string()>& make, size_t count);
  std::vector<std::string> lookup(Bytes key) {
    size_t n = index_->lookup(key, found_);
    return {found_.begin(), found_.begin() + static_cast<ptrdiff_t>(n)};
  }
};

// Several keys at once, some of them there, some twice.
void IndexConformance::check_lookup_many(const Model& model, const std::function<std::string()>& make, size_t count) {
  std::vector<std::string> strings;
  for (size_t i = 0; i < count; i++) strings.push_back(make());
  if (count > 2) strings[0] = strings[count - 1];
  const std::vector<Bytes> keys(strings.begin(), strings.end());
  index_->lookup_many(keys, matches_);
  ASSERT_EQ(matches_.ends.size(), count);
  for (size_t i = 0; i < count; i++) {
    std::vector<std::string> found, wanted;
    for (uint32_t k = matches_.begin_of(i); k < matches_.ends[i]; k++) found.push_back(matches_.primary_keys[k]);
    for (const Entry& e : expected(model, KeyRange::point(keys[i]), Direction::kForward)) wanted.push_back(e.second);
    ASSERT_EQ(found, wanted);
  }
}

TEST_P(IndexConformance, AnEmptyIndexHasNothing) {
  EXPECT_TRUE(lookup("a").empty());
  EXPECT_TRUE(index_->scan(KeyRange::all(), Direction::kForward)->next(10).empty());
  EXPECT_TRUE(index_->scan(KeyRange::all(), Direction::kBackward)->next(10).empty());
  EXPECT_FALSE(index_->erase("a", "1"));
  EXPECT_EQ(index_->check(), "");
}

TEST_P(IndexConformance, InsertIsIdempotent) {
  EXPECT_EQ(index_->insert("a", "1"), StorageStatus::kOk);
  EXPECT_EQ(index_->insert("a", "1"), StorageStatus::kOk);
  EXPECT_EQ(index_->entry_count(), 1);
  EXPECT_TRUE(index_->erase("a", "1"));
  EXPECT_FALSE(index_->erase("a", "1"));
  EXPECT_EQ(index_->entry_count(), 0);
}

TEST_P(IndexConformance, EraseAsksWhetherTheEntryIsStillNeeded) {
  EXPECT_EQ(index_->insert("a", "1"), StorageStatus::kOk);
  EXPECT_FALSE(index_->erase("a", "1", [] { return true; }));
  EXPECT_EQ(lookup("a"), std::vector<std::string>{"1"});
  EXPECT_TRUE(index_->erase("a", "1", [] { return false; }));
  EXPECT_FALSE(index_->erase("a", "1", []() -> bool {
    ADD_FAILURE() << "asked about no entry";
    return true;
  }));
  EXPECT_TRUE(lookup("a").empty());
}

TEST_P(IndexConformance, LookupFindsExactlyTheKey) {
  for (const char* key : {"a", "ab", "abc", "b"}) {
    for (const char* primary : {"2", "1", ""}) EXPECT_EQ(index_->insert(key, primary), StorageStatus::kOk);
  }
  EXPECT_EQ(index_->insert(Bytes("a\0", 2), "x"), StorageStatus::kOk);
  EXPECT_EQ(index_->insert("", "empty"), StorageStatus::kOk);
  EXPECT_EQ(lookup("a"), (std::vector<std::string>{"", "1", "2"}));
  EXPECT_EQ(lookup(Bytes("a\0", 2)), std::vector<std::string>{"x"});
  EXPECT_EQ(lookup("ab").size(), 3);
  EXPECT_EQ(lookup(""), std::vector<std::string>{"empty"});
  EXPECT_TRUE(lookup("aa").empty());
}

TEST_P(IndexConformance, KeysOverTheLimitAreRefused) {
  std::string largest(kMaxIndexKeyBytes, 'x');
  EXPECT_EQ(index_->insert(largest + "x", "1"), StorageStatus::kTooLarge);
  EXPECT_EQ(index_->insert("1", largest + "x"), StorageStatus::kTooLarge);
  for (char c = 'a'; c <= 'z'; c++) {
    EXPECT_EQ(index_->insert(largest.substr(1) + c, largest), StorageStatus::kOk);
    EXPECT_EQ(index_->insert(std::string(1, c), "1"), StorageStatus::kOk);
  }
  EXPECT_EQ(index_->check(), "");
  EXPECT_EQ(lookup(largest.substr(1) + 'k'), std::vector<std::string>{largest});
  EXPECT_EQ(read_all(*index_->scan(KeyRange::all(), Direction::kForward), 7).size(), 52);
}

TEST_P(IndexConformance, AscendingInsertsFillTheirNodes) {
  constexpr uint64_t kEntries = 50'000;
  for (uint64_t i = 0; i < kEntries; i++) EXPECT_EQ(index_->insert(number(i), number(i)), StorageStatus::kOk);
  EXPECT_EQ(index_->check(), "");
  EXPECT_LT(static_cast<double>(index_->memory_bytes()), kEntries * (16 + 16) * GetParam().bytes_per_byte);
}

TEST_P(IndexConformance, AscendingEntriesComeInOneGoWhereverTheyBelong) {
  Model model;
  for (uint64_t round = 0; round < 4; round++) {
    // Behind everything, the same again, and in between; with long and equal keys among them.
    std::vector<Entry> sorted;
    for (uint64_t i = 0; i < 3000; i++) {
      std::string key = number(round == 1 ? i * 2 : i * 2 + round);
      if (i % 100 == 0) key += std::string(1000, 'x');
      sorted.emplace_back(key, "1");
      if (i % 7 == 0) sorted.emplace_back(key, "2");
    }
    std::vector<IndexEntry> entries;
    for (const Entry& e : sorted) entries.push_back({e.first, e.second});
    EXPECT_EQ(index_->insert_ascending(entries), StorageStatus::kOk);
    model.insert(sorted.begin(), sorted.end());
    EXPECT_EQ(index_->check(), "");
    EXPECT_EQ(index_->entry_count(), model.size());
  }
  auto scan = index_->scan(KeyRange::all(), Direction::kForward);
  EXPECT_EQ(read_all(*scan, 100), expected(model, KeyRange::all(), Direction::kForward));
  std::string too_long(kMaxIndexKeyBytes + 1, 'x');
  std::vector<IndexEntry> wrong{{too_long, "1"}};
  EXPECT_EQ(index_->insert_ascending(wrong), StorageStatus::kTooLarge);
  wrong[0] = {"x", too_long};
  EXPECT_EQ(index_->insert_ascending(wrong), StorageStatus::kTooLarge);
}

TEST_P(IndexConformance, ErasingGivesMemoryBack) {
  constexpr uint64_t kEntries = 8'000 * kEffort;
  const uint64_t empty = index_->memory_bytes();
  for (uint64_t i = 0; i < kEntries; i++)
    EXPECT_EQ(index_->insert(number(i * 7919 % kEntries), number(i)), StorageStatus::kOk);
  uint64_t full = index_->memory_bytes();
  for (uint64_t i = 0; i < kEntries; i++) {
    EXPECT_TRUE(index_->erase(number(i * 7919 % kEntries), number(i)));
    if (i == kEntries / 10 * 9) {
      EXPECT_EQ(index_->check(), "");
      EXPECT_LT(index_->memory_bytes(), full);
    }
  }
  EXPECT_EQ(index_->check(), "");
  settle();
  EXPECT_EQ(index_->check(), "");
  EXPECT_EQ(index_->memory_bytes(), empty);
}

// Random operations of several kinds of keys against std::set.
struct KeyKind {
  const char* name;
  std::function<std::string(std::mt19937&)> make;
};

TEST_P(IndexConformance, RandomOperationsAgreeWithASet) {
  const uint32_t seed = random_seed();
  SCOPED_TRACE(seed_trace(seed));
  std::mt19937 random(seed);
  auto text = [](std::mt19937& r, size_t max, int letters) {
    std::string s(r() % (max + 1), '\0');
    for (char& c : s) c = static_cast<char>(r() % static_cast<uint32_t>(letters));
    return s;
  };
  const KeyKind kinds[] = {
      {"numbers", [](std::mt19937& r) { return number(r() % (500 * kEffort)); }},
      {"few distinct", [](std::mt19937& r) { return number(r() % 5); }},
      {"short binary", [&](std::mt19937& r) { return text(r, 4, 3); }},
      {"common prefix", [&](std::mt19937& r) { return "a/rather/long/common/prefix/" + text(r, 12, 4); }},
      {"any length", [&](std::mt19937& r) { return text(r, r() % 50 == 0 ? 3000 : 40, 256); }},
  };
  for (const KeyKind& kind : kinds) {
    SCOPED_TRACE(kind.name);
    index_ = GetParam().create(epochs_, pauses_);
    Model model;
    for (int round = 0; round < 6; round++) {
      // Grow in the first rounds, shrink in the last ones.
      for (uint64_t i = 0; i < 500 * kEffort; i++) {
        Entry e{kind.make(random), number(random() % 40)};
        bool grow = static_cast<int>(random() % 6) >= round;
        if (!grow && random() % 2 == 0 && !model.empty()) {  // something that is there
          auto it = model.lower_bound(e);
          e = it == model.end() ? *model.begin() : *it;
        }
        if (grow) {
          ASSERT_EQ(index_->insert(e.first, e.second), StorageStatus::kOk);
          model.insert(e);
        } else {
          ASSERT_EQ(index_->erase(e.first, e.second), model.erase(e) == 1);
        }
      }
      ASSERT_EQ(index_->check(), "");
      ASSERT_EQ(index_->entry_count(), model.size());
      for (uint64_t i = 0; i < 12 * kEffort; i++) {
        KeyRange range;
        range.low = kind.make(random);
        range.high = kind.make(random);
        range.has_low = random() % 4 != 0;
        range.has_high = random() % 4 != 0;
        range.low_inclusive = random() % 2;
        range.high_inclusive = random() % 2;
        Direction direction = random() % 2 ? Direction::kForward : Direction::kBackward;
        ASSERT_EQ(read_all(*index_->scan(range, direction), 1 + random() % 300), expected(model, range, direction));
        std::string key = kind.make(random);
        const KeyRange point = KeyRange::point(key);
        ASSERT_EQ(read_all(*index_->scan(point, direction), 1 + random() % 20), expected(model, point, direction));
        const bool or_equal = random() % 2 != 0;
        range.has_low = false;
        range.has_high = true;
        range.high = key;
        range.high_inclusive = or_equal;
        const std::vector<Entry> below = expected(model, range, Direction::kBackward);
        std::string greatest;
        ASSERT_EQ(index_->greatest(key, or_equal, greatest), !below.empty());
        ASSERT_EQ(greatest, below.empty() ? std::string() : below.front().first);
        std::vector<std::string> primaries;
        for (const Entry& e : expected(model, KeyRange::point(key), Direction::kForward)) primaries.push_back(e.second);
        ASSERT_EQ(lookup(key), primaries);
      }
      check_lookup_many(
          model, [&] { return kind.make(random); }, random() % 60);
    }
  }
}

// Writers work on entries of their own while scanners watch: what is there all the time is seen exactly once and in
// order, what was never there is never seen.
TEST_P(IndexConformance, ConcurrentWritersAndScanners) {
  constexpr int kWriters = 3, kScanners = 2, kOperations = 1000 * kEffort;
  constexpr uint64_t kKeys = 4000;  // multiples of ten stay for ever
  const uint32_t seed = random_seed();
  SCOPED_TRACE(seed_trace(seed));
  // Long keys with a prefix in common have other nodes than numbers: prefixes change with every split and merge.
  bool long_keys = false;
  RandomPauses random_pauses(seed);
  auto key_of = [&](uint64_t k) {
    return long_keys ? "a/common/prefix/" + number(k) + std::string(k % 60, 'x') : number(k);
  };
  for (int pass = 0; pass < 4; pass++) {
    long_keys = pass % 2 == 1;
    pauses_.set(pass < 2 ? nullptr : &random_pauses);
    index_ = GetParam().create(epochs_, pauses_);
    for (uint64_t k = 0; k < kKeys; k += 10) EXPECT_EQ(index_->insert(key_of(k), "stays"), StorageStatus::kOk);
    std::atomic<bool> stop{false};
    std::vector<Model> models(kWriters);
    std::vector<std::thread> writers, scanners;
    for (int w = 0; w < kWriters; w++) {
      writers.emplace_back([&, w] {
        std::mt19937 random(seed + static_cast<uint32_t>(w));
        std::string primary = "w" + std::to_string(w);
        Model& model = models[static_cast<size_t>(w)];
        for (int i = 0; i < kOperations; i++) {
          std::string key = key_of(random() % kKeys);
          bool grow = random() % 100 < (i < kOperations / 2 ? 75 : 25);
          if (grow) {
            EXPECT_EQ(index_->insert(key, primary), StorageStatus::kOk);
            model.emplace(key, primary);
          } else {
            EXPECT_EQ(index_->erase(key, primary), model.erase({key, primary}) == 1);
          }
        }
      });
    }
    for (int s = 0; s < kScanners; s++) {
      scanners.emplace_back([&, s] {
        std::mt19937 random(seed + 100 + static_cast<uint32_t>(s));
        std::vector<std::string> found;
        for (int round = 0; !stop.load() || round == 0; round++) {
          std::vector<std::string> strings;
          for (int i = 0; i < 40; i++) strings.push_back(key_of(random() % (kKeys / 10) * 10));
          const std::vector<Bytes> keys(strings.begin(), strings.end());
          IndexMatches matches;
          index_->lookup_many(keys, matches);
          for (size_t i = 0; i < keys.size(); i++) {
            ASSERT_GT(matches.ends[i], matches.begin_of(i));
            ASSERT_EQ(matches.primary_keys[matches.begin_of(i)], "stays");
          }
          if (!GetParam().ordered && round % 16 != 0) continue;  // its scans keep others from growing it
          bool forward = (round + s) % 2 == 0;
          auto scan = index_->scan(KeyRange::all(), forward ? Direction::kForward : Direction::kBackward);
          std::vector<Entry> all = read_all(*scan, 1 + random() % 200);
          uint64_t stays = 0;
          for (size_t i = 0; i < all.size(); i++) {
            ASSERT_TRUE(i == 0 || (forward ? all[i - 1] < all[i] : all[i] < all[i - 1])) << "out of order";
            stays += all[i].second == "stays";
          }
          ASSERT_EQ(stays, kKeys / 10);
          ASSERT_GE(index_->lookup(key_of(random() % (kKeys / 10) * 10), found), 1);
          const KeyRange point = KeyRange::point(key_of(random() % (kKeys / 10) * 10));
          all = read_all(*index_->scan(point, forward ? Direction::kForward : Direction::kBackward), 1 + random() % 3);
          ASSERT_EQ(std::count(all.begin(), all.end(), Entry{point.low, "stays"}), 1);
          ASSERT_TRUE(forward ? std::is_sorted(all.begin(), all.end()) : std::is_sorted(all.rbegin(), all.rend()));
        }
      });
    }
    for (auto& t : writers) t.join();
    stop = true;
    for (auto& t : scanners) t.join();
    Model model;
    for (uint64_t k = 0; k < kKeys; k += 10) model.emplace(key_of(k), "stays");
    for (const Model& m : models) model.insert(m.begin(), m.end());
    EXPECT_EQ(index_->check(), "");
    EXPECT_EQ(read_all(*index_->scan(KeyRange::all(), Direction::kForward), 1000),
              std::vector<Entry>(model.begin(), model.end()));
  }
}

// Rules 2 and 3: an eraser and writers of the same entry; a version exists exactly when its counter is above zero.
TEST_P(IndexConformance, AnEntryWithAVersionIsNeverLost) {
  constexpr int kThreads = 3, kRounds = 4000;
  constexpr int kRecords = 4;
  std::atomic<int> versions[kRecords] = {};
  std::vector<std::thread> threads;
  std::atomic<int> lost{0};
  const uint32_t seed = random_seed();
  SCOPED_TRACE(seed_trace(seed));
  for (int t = 0; t < kThreads; t++) {
    threads.emplace_back([&, t] {
      std::mt19937 random(seed + static_cast<uint32_t>(t));
      std::vector<std::string> found;
      for (int i = 0; i < kRounds; i++) {
        auto r = static_cast<int>(random() % kRecords);
        std::string key = number(static_cast<uint64_t>(r));
        versions[r].fetch_add(1);                                 // first the version,
        EXPECT_EQ(index_->insert(key, "p"), StorageStatus::kOk);  // then the entry
        if (index_->lookup(key, found) != 1) lost++;
        versions[r].fetch_sub(1);
        index_->erase(key, "p", [&] { return versions[r].load() > 0; });
      }
    });
  }
  for (auto& t : threads) t.join();
  EXPECT_EQ(lost, 0);
  EXPECT_EQ(index_->entry_count(), 0);
  EXPECT_EQ(index_->check(), "");
}

// A family of clones, each with a set of its own; any of them is cloned or goes at any time.
TEST_P(IndexConformance, ClonesGoTheirOwnWay) {
  const uint32_t seed = random_seed();
  SCOPED_TRACE(seed_trace(seed));
  std::mt19937 random(seed);
  struct Member {
    std::unique_ptr<Index> index;
    Model model;
  };
  std::vector<Member> family;
  family.push_back({std::move(index_), {}});
  uint64_t generation = 1;
  for (uint64_t round = 0; round < 8 * kEffort; round++) {
    const size_t chosen = random() % family.size();
    if (random() % 3 == 0 && family.size() < 6) {
      epochs_.pause_writers();
      Member clone{family[chosen].index->clone(generation + 1, generation + 2), family[chosen].model};
      epochs_.resume_writers();
      generation += 2;
      family.push_back(std::move(clone));
    } else if (random() % 8 == 0 && family.size() > 1) {
      family.erase(family.begin() + static_cast<ptrdiff_t>(chosen));
      continue;
    }
    Member& member = family[chosen];
    const bool grow = random() % 5 < 3;
    for (uint64_t i = 0; i < 300 * kEffort; i++) {
      Entry e{number(random() % (400 * kEffort)), number(random() % 3)};
      if (grow) {
        ASSERT_EQ(member.index->insert(e.first, e.second), StorageStatus::kOk);
        member.model.insert(e);
      } else {
        ASSERT_EQ(member.index->erase(e.first, e.second), member.model.erase(e) == 1);
      }
    }
    for (const Member& m : family) {
      ASSERT_EQ(m.index->check(), "");
      ASSERT_EQ(read_all(*m.index->scan(KeyRange::all(), Direction::kForward), 500),
                expected(m.model, KeyRange::all(), Direction::kForward));
    }
  }
}

TEST_P(IndexConformance, ManyEntriesOfOneKey) {
  constexpr uint64_t kEntries = 2'000 * kEffort;
  for (uint64_t i = 0; i < kEntries; i++)
    ASSERT_EQ(index_->insert("same", number(i * 7919 % kEntries)), StorageStatus::kOk);
  for (uint64_t i = 0; i < 500; i++) EXPECT_EQ(index_->insert(number(i), "p"), StorageStatus::kOk);
  EXPECT_EQ(index_->check(), "");
  const std::vector<std::string> found = lookup("same");
  ASSERT_EQ(found.size(), kEntries);
  EXPECT_TRUE(std::is_sorted(found.begin(), found.end()));
  KeyRange point = KeyRange::point("same");
  EXPECT_EQ(read_all(*index_->scan(point, Direction::kBackward), 100).size(), kEntries);
  for (uint64_t i = 0; i < kEntries; i++) ASSERT_TRUE(index_->erase("same", number(i)));
  EXPECT_EQ(index_->check(), "");
  EXPECT_EQ(lookup(number(77)), std::vector<std::string>{"p"});
}

INSTANTIATE_TEST_SUITE_P(Methods, IndexConformance, ::testing::ValuesIn(kMethods),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace indigo::storage
