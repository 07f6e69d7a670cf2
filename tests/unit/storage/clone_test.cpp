// Clones of tables: they share leaves with their source and with each other, and none sees another's changes.
#include "storage/clone.h"

#include <random>
#include <set>

#include <gtest/gtest.h>

#include "storage/durability.h"
#include "storage/statistics.h"
#include "storage/table_options.h"
#include "tests/random_seed.h"
#include "tests/unit/storage/colon_extractor.h"
#include "tests/unit/storage/index_in_turn.h"
#include "tests/unit/storage/mapped_copy.h"
#include "tests/unit/storage/store_fixture.h"

namespace indigo::storage {
namespace {

class CloneTest : public StoreFixture {
 protected:
  CloneTest() : StoreFixture(1024) {}

  struct Cloned {
    std::shared_ptr<Table> table;
    IndexId index;
  };
  Cloned clone(Table& source) {
    Cloned out;
    EXPECT_EQ(clone_tables(*store,
                           [&](Cloner& cloner) {
                             out.table = cloner.clone(
                                 source, {}, [&](IndexId) { return out.index = IndexId(store->next_id().value); });
                           }),
              StorageStatus::kOk);
    return out;
  }
  const Tree& tree(Table& t) { return static_cast<TableImpl&>(t).tree(); }
  Rows rows_of(Table& t) {
    auto txn = begin();
    Rows rows;
    for (auto& [k, v] : drain(*t.scan(*txn, txn->view(), KeyRange::all()))) rows[k] = v;
    return rows;
  }
  // The fixture's calls, on this table.
  template <class F>
  void on(std::shared_ptr<Table> t, F f) {
    auto before = std::exchange(table, std::move(t));
    f();
    table = before;
  }
  IndexId make_index() {
    auto t = begin();
    const IndexId id(store->next_id().value);
    EXPECT_EQ(create_index_in_turn(*table, *t, id, {}, std::make_shared<ColonExtractor>()), StorageStatus::kOk);
    commit(*t);
    return id;
  }
  void fill(int n) {
    auto t = begin();
    for (int i = 0; i < n; i++)
      ASSERT_EQ(insert(*t, key_of(i), "a" + std::to_string(i % 7) + ":row"), StorageStatus::kOk);
    commit(*t);
  }
  void settle() {
    for (int i = 0; i < 8; i++) store->reclaim();
  }
};

TEST_F(CloneTest, HasWhatWasCommitted) {
  fill(2000);
  const Rows before = committed();
  auto open = begin();
  ASSERT_EQ(update(*open, key_of(3), "pending"), StorageStatus::kOk);
  ASSERT_EQ(insert(*open, "new", "pending"), StorageStatus::kOk);
  ASSERT_EQ(erase(*open, key_of(4)), StorageStatus::kOk);
  auto copy = clone(*table);
  EXPECT_EQ(rows_of(*copy.table), before);
  // What is open continues in the source alone.
  commit(*open);
  EXPECT_EQ(rows_of(*copy.table), before);
  Rows after = before;
  after[key_of(3)] = after["new"] = "pending";
  after.erase(key_of(4));
  EXPECT_EQ(committed(), after);
  // Nor is the clone's record in anybody's hands.
  on(copy.table, [&] {
    put(key_of(3), "clone");
    put("new", "clone");
    remove(key_of(4));
  });
  EXPECT_EQ(committed(), after);
  EXPECT_EQ(tree(*copy.table).check(), "");
}

TEST_F(CloneTest, SharesWhatNobodyChanges) {
  fill(5000);
  auto leaves = [&] {
    static_cast<StoreImpl&>(*store).trim();
    return statistics_of(*store).bytes_of(MemoryKind::kLeaves);
  };
  const auto before = leaves();
  auto copy = clone(*table);
  EXPECT_LE(leaves(), before);
  on(copy.table, [&] { put(key_of(17), "changed"); });
  EXPECT_LE(leaves(), before + 4 * 1024);
  EXPECT_GE(tree(*copy.table).copy_count(), 2U);
  const uint64_t copies = tree(*copy.table).copy_count();
  on(copy.table, [&] { put(key_of(17), "again"); });
  EXPECT_EQ(tree(*copy.table).copy_count(), copies);
  EXPECT_EQ(tree(*table).copy_count(), 0U);
}

TEST_F(CloneTest, TheSourceCopiesNothingOnceItsClonesAreGone) {
  fill(5000);
  clone(*table);
  for (int i = 0; i < 5000; i += 3) put(key_of(i), "changed");
  EXPECT_EQ(tree(*table).copy_count(), 0U);
}

TEST_F(CloneTest, EitherMayBeDroppedFirst) {
  const std::string large(5000, 'x');
  for (const bool source_first : {true, false}) {
    auto one = store->create_table({.leaf_bytes = 1024});
    Rows rows;
    on(one, [&] {
      for (int i = 0; i < 300; i++) put(key_of(i), rows[key_of(i)] = i % 10 == 0 ? large : "small");
    });
    auto two = clone(*one).table;
    on(two, [&] { put(key_of(10), "two"); });
    on(one, [&] {
      put(key_of(20), "one");
      put(key_of(30), large + "one");
    });
    Rows one_rows = rows, two_rows = rows;
    two_rows[key_of(10)] = "two";
    one_rows[key_of(20)] = "one";
    one_rows[key_of(30)] = large + "one";
    settle();
    EXPECT_EQ(rows_of(*one), one_rows);
    EXPECT_EQ(rows_of(*two), two_rows);
    (source_first ? one : two).reset();
    settle();
    EXPECT_EQ(rows_of(source_first ? *two : *one), source_first ? two_rows : one_rows);
  }
  settle();
  EXPECT_EQ(statistics_of(*store).bytes_of(MemoryKind::kLargeRows), 0);
}

TEST_F(CloneTest, OldSnapshotsOfTheSourceKeepTheirVersions) {
  fill(300);
  const Rows old = committed();
  auto reader = begin(Isolation::kRepeatableRead);
  for (int i = 0; i < 300; i++) put(key_of(i), "b:second");
  const Rows second = committed();
  auto copy = clone(*table);
  auto copy_reader = begin(Isolation::kRepeatableRead);
  for (int i = 0; i < 300; i += 2) put(key_of(i), "b:third");
  on(copy.table, [&] {
    for (int i = 0; i < 300; i += 3) put(key_of(i), "c:clone");
  });
  store->reclaim();
  EXPECT_EQ(scan(*reader), old);
  on(copy.table, [&] { EXPECT_EQ(scan(*copy_reader), second); });
  EXPECT_EQ(scan(*copy_reader), second);
}

TEST_F(CloneTest, TombstonesAndSmallLeavesAreCleanedOnBothSides) {
  fill(3000);
  auto reader = begin(Isolation::kRepeatableRead);
  for (int i = 0; i < 3000; i++) {
    if (i % 50 != 0) remove(key_of(i));
  }
  auto copy = clone(*table);
  const Rows rows = committed();
  reader.reset();
  settle();
  EXPECT_EQ(committed(), rows);
  EXPECT_EQ(rows_of(*copy.table), rows);
  on(copy.table, [&] {
    for (int i = 0; i < 3000; i += 50) remove(key_of(i));
  });
  settle();
  EXPECT_EQ(rows_of(*copy.table), Rows());
  EXPECT_EQ(committed(), rows);
  EXPECT_LT(tree(*table).leaf_count(), 200U);
  EXPECT_EQ(tree(*table).check(), "");
  EXPECT_EQ(tree(*copy.table).check(), "");
  EXPECT_EQ(statistics_of(*store).versions, 0U);
}

TEST_F(CloneTest, ThreeLevelsWithBothSidesWriting) {
  fill(20000);
  ASSERT_GT(tree(*table).leaf_count(), Inner::kMaxChildren + 0U) << "two levels of inner nodes";
  auto copy = clone(*table);
  std::map<Table*, Rows> models{{table.get(), committed()}, {copy.table.get(), committed()}};
  const auto write = [&](std::shared_ptr<Table> t, unsigned seed) {
    std::mt19937 random(seed);
    on(t, [&] {
      Rows& model = models[t.get()];
      for (int i = 0; i < 300; i++) {  // neighbours, so that leaves split and merge
        const int at = static_cast<int>(random() % 20000);
        auto txn = begin();
        for (int k = at; k < at + 20; k++) {
          const std::string key = key_of(k) + (random() % 2 == 0 ? "" : "x");
          if (random() % 3 == 0 && model.contains(key)) {
            ASSERT_EQ(erase(*txn, key), StorageStatus::kOk);
            model.erase(key);
          } else {
            const std::string row = "w" + std::to_string(random()) + std::string(random() % 60, 'y');
            ASSERT_EQ(model.contains(key) ? update(*txn, key, row) : insert(*txn, key, row), StorageStatus::kOk);
            model[key] = row;
          }
        }
        commit(*txn);
        if (i % 50 == 0) store->reclaim();
      }
    });
  };
  auto second = clone(*copy.table);
  models[second.table.get()] = models[copy.table.get()];
  write(copy.table, 1);
  write(table, 2);
  write(second.table, 3);
  write(copy.table, 4);
  settle();
  static_cast<StoreImpl&>(*store).reclaimer().stop();
  for (const auto& t : {table, copy.table, second.table}) {
    EXPECT_EQ(rows_of(*t), models[t.get()]);
    EXPECT_EQ(tree(*t).check(), "");
  }
}

// A family of tables, cloned from each other, changed and dropped at random, each compared with its own map.
class CloneModelTest : public CloneTest {
 protected:
  static constexpr int kSteps = kThreadSanitizer ? 100 : 1000;

  struct Member {
    Cloned cloned;
    Rows model;
    std::vector<std::pair<std::unique_ptr<Transaction>, Rows>> readers;
    std::unique_ptr<Transaction> open;  // with changes of its own
    Rows open_model;
  };
  std::string random_key() {
    return random() % 3 == 0 ? std::string(40, 'p') + key_of(static_cast<int>(random() % 200))
                             : key_of(static_cast<int>(random() % 600));
  }
  std::string random_row() {
    const size_t n = random() % 20 == 0 ? random() % 2000 : random() % 60;
    return (random() % 8 == 0 ? "" : "s" + std::to_string(random() % 20) + ":") + std::string(n, 'x');
  }
  void change(Transaction& t, Rows& model) {
    t.next_command();
    const std::string key = random_key(), row = random_row();
    const bool there = model.contains(key);
    if (random() % 3 == 0 && there) {
      ASSERT_EQ(erase(t, key), StorageStatus::kOk);
      model.erase(key);
      return;
    }
    ASSERT_EQ(there ? update(t, key, row) : insert(t, key, row), StorageStatus::kOk);
    model[key] = row;
  }
  void expect_equal(Member& m, Transaction& t, const Rows& model) {
    t.next_command();
    on(m.cloned.table, [&] {
      ASSERT_EQ(scan(t), model);
      auto backward = scan_list(t, KeyRange::all(), Direction::kBackward);
      ASSERT_EQ(Rows(backward.begin(), backward.end()), model);
      const std::string key = random_key();
      ASSERT_EQ(get(t, key), model.contains(key) ? model.at(key) : "-");
      std::set<std::pair<std::string, std::string>> expected, found;
      for (auto& [k, v] : model) {
        if (v.find(':') != std::string::npos) expected.emplace(v, k);
      }
      const auto view = t.view();
      for (auto& [k, v] : drain(*table->scan_index(t, view, m.cloned.index, KeyRange::all()))) found.emplace(v, k);
      ASSERT_EQ(found, expected);
    });
  }
  void step(Member& m) {
    on(m.cloned.table, [&] {
      if (m.open == nullptr) {
        m.open = begin();
        m.open_model = m.model;
      }
      for (size_t n = random() % 12; n > 0 && !HasFatalFailure(); n--) change(*m.open, m.open_model);
      if (random() % 4 == 0) return;  // stays open
      if (random() % 5 == 0) {
        store->rollback(*m.open);
      } else {
        commit(*m.open);
        m.model = m.open_model;
      }
      m.open.reset();
      if (random() % 8 == 0) {
        m.readers.emplace_back(begin(Isolation::kRepeatableRead), m.model);
        if (m.readers.size() > 3) m.readers.erase(m.readers.begin());
      }
    });
  }
  // `mapped`: the first of the family is over leaves of an image.
  void run(uint32_t seed, int steps, bool mapped = false) {
    SCOPED_TRACE(seed_trace(seed));
    generator.seed(seed);
    std::vector<std::unique_ptr<Member>> members;
    members.push_back(std::make_unique<Member>());
    if (mapped) {
      for (int i = 0; i < 600; i++) put(random_key(), "s" + std::to_string(i % 20) + ":" + std::string(i % 60, 'm'));
      members[0]->model = committed();
      const IndexId index(store->next_id().value);
      table = mapped_copy(*store, *table, index);
      members[0]->cloned = {table, index};
    } else {
      members[0]->cloned = {table, make_index()};
    }
    for (int i = 0; i < steps && !HasFatalFailure(); i++) {
      Member& m = *members[random() % members.size()];
      if (random() % 8 == 0 && members.size() < 8) {
        members.push_back(std::make_unique<Member>());
        members.back()->cloned = clone(*m.cloned.table);
        members.back()->model = m.model;
      } else if (random() % 20 == 0 && members.size() > 1) {
        const size_t gone = random() % members.size();
        Member& g = *members[gone];
        if (g.open != nullptr) store->rollback(*g.open);
        if (g.cloned.table == table) table = members[gone == 0 ? 1 : 0]->cloned.table;
        members.erase(members.begin() + static_cast<long>(gone));
      } else {
        step(m);
      }
      if (random() % 6 == 0) store->reclaim();
      Member& seen = *members[random() % members.size()];
      auto t = begin();
      expect_equal(seen, *t, seen.model);
      if (seen.open != nullptr && random() % 3 == 0) expect_equal(seen, *seen.open, seen.open_model);
      for (auto& [reader, rows] : seen.readers) expect_equal(seen, *reader, rows);
    }
    for (auto& m : members) {
      if (m->open != nullptr) store->rollback(*m->open);
      m->readers.clear();
    }
    settle();
    EXPECT_EQ(statistics_of(*store).versions, 0U);
    for (auto& m : members) {
      auto t = begin();
      expect_equal(*m, *t, m->model);
      static_cast<StoreImpl&>(*store).reclaimer().stop();
      EXPECT_EQ(tree(*m->cloned.table).check(), "");
    }
    members.clear();
  }

  uint64_t random() { return generator(); }
  std::mt19937_64 generator;
};

TEST_F(CloneModelTest, Seed1) { run(seed_or(1), kSteps); }
TEST_F(CloneModelTest, Seed2) { run(seed_or(2), kSteps); }
TEST_F(CloneModelTest, Seed3) { run(seed_or(3), kSteps); }
TEST_F(CloneModelTest, RandomSeed) { run(random_seed(), kSteps); }
TEST_F(CloneModelTest, OfMappedLeaves) { run(seed_or(4), kSteps, true); }
TEST_F(CloneModelTest, OfMappedLeavesRandomSeed) { run(random_seed(), kSteps, true); }

}  // namespace
}  // namespace indigo::storage
