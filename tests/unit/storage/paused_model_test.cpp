// Threads against ordered maps, while random pauses (tests/unit/storage/random_pauses.h) stretch their splits, merges, copies of
// shared leaves, changes of index nodes, commits and scans. Each writer has keys of its own among everybody's leaves, so every
// snapshot is compared exactly (tests/unit/storage/lanes.h): by writers in their transactions, by snapshots that stay long, and
// in clones, which one thread changes on. Now and then all stand still: then the whole is compared with the maps, the trees are
// checked, and indexes are dropped and created.
#include <functional>
#include <random>
#include <shared_mutex>
#include <thread>

#include <gtest/gtest.h>

#include "storage/clone.h"
#include "storage/statistics.h"
#include "tests/random_seed.h"
#include "tests/unit/storage/colon_extractor.h"
#include "tests/unit/storage/lanes.h"
#include "tests/unit/storage/model_writer.h"
#include "tests/unit/storage/random_pauses.h"
#include "tests/unit/storage/store_fixture.h"

namespace indigo::storage {
namespace {

constexpr size_t kLanes = 3;
constexpr int kTransactions = kThreadSanitizer ? 60 : 250;

// Definitions wait until all others have left, and keep them out.
class Gate {
 public:
  std::shared_lock<std::shared_mutex> enter() {
    while (wanted_.load()) std::this_thread::yield();
    return std::shared_lock(mutex_);
  }
  std::unique_lock<std::shared_mutex> close() {
    wanted_.store(true);
    std::unique_lock lock(mutex_);
    wanted_.store(false);
    return lock;
  }

 private:
  std::atomic<bool> wanted_{false};
  std::shared_mutex mutex_;
};

// A table with the ids of its indexes.
struct Defined {
  std::shared_ptr<Table> table;
  IndexId groups, names;
};

class PausedModelTest : public StoreFixture {
 protected:
  PausedModelTest() : StoreFixture(1024) {
    impl().set_pause_points(&pauses);
    source.table = table;
    source.groups = create_index(false);
    source.names = create_index(true);
  }
  ~PausedModelTest() override { impl().reclaimer().stop(); }  // it comes by pause points

  StoreImpl& impl() { return static_cast<StoreImpl&>(*store); }
  IndexId create_index(bool unique) {
    auto t = begin();
    const IndexId id(store->next_id().value);
    std::shared_ptr<const KeyExtractor> extractor;
    if (unique) {
      extractor = std::make_shared<NameExtractor>();
    } else {
      extractor = std::make_shared<ColonExtractor>();
    }
    EXPECT_EQ(table->create_index(*t, id, {.unique = unique}, extractor, nullptr), StorageStatus::kOk);
    commit(*t);
    return id;
  }
  Defined clone(const Defined& of) {
    Defined made = of;
    EXPECT_EQ(clone_tables(*store,
                           [&](Cloner& cloner) {
                             made.table = cloner.clone(*of.table, {}, [&](IndexId id) {
                               IndexId& kept = id == of.groups ? made.groups : made.names;
                               return kept = IndexId(store->next_id().value);
                             });
                           }),
              StorageStatus::kOk);
    return made;
  }

  static StorageStatus read(Cursor& cursor, std::vector<std::pair<std::string, std::string>>& list, size_t batch = 37) {
    std::vector<RowRef> out(batch);
    list.clear();
    for (;;) {
      size_t n = 0;
      StorageStatus s = cursor.next(out, n);
      if (s != StorageStatus::kOk || n == 0) return s;
      for (size_t i = 0; i < n; i++) list.emplace_back(out[i].key, out[i].row);
    }
  }
  // All that the transaction sees, which must be the same whichever way it looks. kSerialization: it must end.
  StorageStatus see(const Defined& d, Transaction& t, std::mt19937& random, Rows& rows) {
    std::vector<std::pair<std::string, std::string>> list;
    const auto direction = random() % 2 == 0 ? Direction::kForward : Direction::kBackward;
    StorageStatus s = read(*d.table->scan(t, t.view(), KeyRange::all(), direction), list, 1 + random() % 60);
    if (s != StorageStatus::kOk) return s;
    rows = Rows(list.begin(), list.end());
    EXPECT_EQ(rows.size(), list.size());
    for (IndexId index : {d.groups, d.names}) {
      if (random() % 2 == 0 || !d.table->index_usable(index, t.view())) continue;
      s = read(*d.table->scan_index(t, t.view(), index, KeyRange::all(), direction), list);
      if (s != StorageStatus::kOk) return s;
      Rows named;
      for (const auto& [key, row] : rows) {
        if (row.find(':') != std::string::npos && (index == d.groups || !NameExtractor::name_of(row).empty()))
          named[key] = row;
      }
      EXPECT_EQ(Rows(list.begin(), list.end()), named) << (index == d.groups ? "groups" : "names");
      EXPECT_EQ(list.size(), named.size());
    }
    return s;
  }
  // Everything, while nothing changes.
  void compare_whole() {
    Rows whole;
    for (size_t i = 0; i < lanes.size(); i++) {
      const auto rows = lanes[i].after(lanes[i].acknowledged());
      whole.insert(rows->begin(), rows->end());
    }
    ASSERT_EQ(committed(), whole);
    while (!impl().try_pause()) std::this_thread::yield();  // the reclaimer, too
    EXPECT_EQ(static_cast<TableImpl&>(*table).tree().check(), "");
    for (const auto& index : *static_cast<TableImpl&>(*table).indexes()) EXPECT_EQ(index->index->check(), "");
    impl().resume();
  }

  // The threads' work.
  void keep_long_snapshots(std::mt19937& random);
  void keep_clones(std::mt19937& random);
  void change_definitions(std::mt19937& random);
  void until_done(uint32_t thread_seed, const std::function<void(std::mt19937&)>& work) {
    std::mt19937 random(thread_seed);
    do work(random);
    while (!done.load() && !HasFailure());
  }

  const uint32_t seed = random_seed();
  RandomPauses pauses{seed};
  Lanes lanes{kLanes};
  Gate gate;
  Defined source;
  std::atomic<bool> done{false}, shrinking{false};
  std::atomic<uint64_t> operations{0};
};

// The transactions of a lane.
class LaneWriter {
 public:
  using See = std::function<StorageStatus(Transaction&, std::mt19937&, Rows&)>;
  LaneWriter(Store& store, Table& table, const Lanes& lanes, Lane& lane, uint32_t seed, See see,
             const std::atomic<bool>& shrinking)
      : store_(store),
        table_(table),
        lanes_(lanes),
        lane_(lane),
        random_(seed),
        see_(std::move(see)),
        shrinking_(shrinking) {}

  uint64_t operations() const { return operations_; }

  void transaction() {
    constexpr Isolation kLevels[] = {Isolation::kReadCommitted, Isolation::kRepeatableRead, Isolation::kSerializable};
    auto least = lanes_.acknowledged();
    auto t = store_.begin(kLevels[random_() % 3], 0);
    t->take_statement_snapshot();
    Rows rows = rows_;
    if (!statements(*t, rows, least) || random_() % 6 == 0) {
      store_.rollback(*t);
      return;
    }
    next(*t, least);
    const StorageStatus numbered = number(*t, rows);
    if (numbered != StorageStatus::kOk) {
      EXPECT_EQ(numbered, StorageStatus::kSerialization);
      store_.rollback(*t);
      return;
    }
    lane_.propose(rows);
    const StorageStatus s = store_.commit(*t);
    if (s == StorageStatus::kOk) {
      lane_.acknowledge();
      rows_ = std::move(rows);
      return;
    }
    lane_.withdraw();
    EXPECT_EQ(s, StorageStatus::kSerialization);
    EXPECT_EQ(t->isolation(), Isolation::kSerializable);
  }

 private:
  // A new command; at READ COMMITTED it must see what was acknowledged before it.
  void next(Transaction& t, Lanes::Least& least) {
    if (t.isolation() == Isolation::kReadCommitted) least = lanes_.acknowledged();
    t.next_command();
    t.take_statement_snapshot();
  }
  bool statements(Transaction& t, Rows& rows, Lanes::Least& least) {
    ModelWriter writer(table_, lane_.name(), random_);
    std::vector<Rows> savepoints;
    for (uint32_t n = random_() % 12; n > 0; n--) {
      next(t, least);
      if (writer.change(t, rows, shrinking_) != StorageStatus::kOk) return false;
      operations_++;
      if (random_() % 8 == 0) {
        EXPECT_EQ(t.savepoint(), savepoints.size() + 1);
        savepoints.push_back(rows);
      } else if (!savepoints.empty() && random_() % 4 == 0) {
        const size_t level = 1 + random_() % savepoints.size();
        t.rollback_to(static_cast<uint32_t>(level));
        rows = savepoints[level - 1];
        savepoints.resize(level);
      }
      if (random_() % 10 == 0 && !look(t, rows, least)) return false;
    }
    return true;
  }
  bool look(Transaction& t, const Rows& rows, Lanes::Least& least) {
    next(t, least);
    Rows seen;
    const StorageStatus s = see_(t, random_, seen);
    if (s == StorageStatus::kOk) {
      EXPECT_EQ(lanes_.judge(seen, least, &lane_, &rows), "");
      return true;
    }
    EXPECT_EQ(s, StorageStatus::kSerialization);
    return false;
  }
  StorageStatus number(Transaction& t, Rows& rows) {
    const std::string key = lane_.number_key(), row = std::to_string(lane_.acknowledged() + 1);
    const bool there = rows.contains(key);
    rows[key] = row;
    if (!there) return table_.insert(t, key, row, nullptr);
    Claimed claimed;
    const StorageStatus s = table_.claim(t, t.view(), key, RowLockMode::kNoKeyUpdate, LockWait::kWait, claimed);
    return s == StorageStatus::kOk ? table_.update(t, key, row, nullptr) : s;
  }

  Store& store_;
  Table& table_;
  const Lanes& lanes_;
  Lane& lane_;
  std::mt19937 random_;
  See see_;
  Rows rows_;
  const std::atomic<bool>& shrinking_;
  uint64_t operations_ = 0;
};

// Snapshots that stay, and show the same every time.
void PausedModelTest::keep_long_snapshots(std::mt19937& random) {
  std::vector<std::pair<std::unique_ptr<Transaction>, Rows>> readers;
  for (int round = 0; round < 20 && !done.load() && !HasFailure(); round++) {
    auto entered = gate.enter();
    if (readers.size() < 4) {
      const auto least = lanes.acknowledged();
      readers.emplace_back(begin(Isolation::kRepeatableRead), Rows());
      auto& [reader, rows] = readers.back();
      ASSERT_EQ(see(source, *reader, random, rows), StorageStatus::kOk);
      ASSERT_EQ(lanes.judge(rows, least), "");
    }
    for (auto& [reader, rows] : readers) {
      Rows again;
      ASSERT_EQ(see(source, *reader, random, again), StorageStatus::kOk);
      ASSERT_EQ(again, rows);
    }
    if (random() % 4 == 0) store->reclaim();
    if (random() % 4 == 0) readers.erase(readers.begin() + static_cast<long>(random() % readers.size()));
    operations += readers.size();
  }
}

// Clones of the table and of clones: each shows one moment, and then goes its own way.
void PausedModelTest::keep_clones(std::mt19937& random) {
  std::vector<std::pair<Defined, Rows>> clones;
  for (int round = 0; round < 20 && !done.load() && !HasFailure(); round++) {
    auto entered = gate.enter();
    if (clones.size() < 3) {
      const bool of_source = clones.empty() || random() % 2 == 0;
      const auto least = lanes.acknowledged();
      auto made = of_source ? clone(source) : clone(clones.back().first);
      auto t = begin(Isolation::kRepeatableRead);
      Rows rows;
      ASSERT_EQ(see(made, *t, random, rows), StorageStatus::kOk);
      if (of_source) {
        ASSERT_EQ(lanes.judge(rows, least), "");
      } else {
        ASSERT_EQ(rows, clones.back().second);
      }
      clones.emplace_back(made, std::move(rows));
    }
    auto& [d, rows] = clones[random() % clones.size()];
    for (int n = 0; n < 5; n++) {
      auto t = begin();
      Rows changed = rows;
      ModelWriter writer(*d.table, static_cast<char>('A' + random() % kLanes), random);
      for (uint32_t changes = random() % 8; changes > 0; changes--) {
        ASSERT_EQ(writer.change(next(*t), changed, random() % 2 == 0), StorageStatus::kOk);
        operations++;
      }
      if (random() % 5 == 0) {
        store->rollback(*t);
      } else {
        commit(*t);
        rows = std::move(changed);
      }
    }
    auto t = begin();
    Rows seen;
    ASSERT_EQ(see(d, *t, random, seen), StorageStatus::kOk);
    ASSERT_EQ(seen, rows);
    if (random() % 3 == 0) clones.erase(clones.begin() + static_cast<long>(random() % clones.size()));
  }
}

// All stand still. Indexes come and go under the long snapshots; and the table grows, or shrinks, from now on.
void PausedModelTest::change_definitions(std::mt19937& random) {
  for (uint32_t wait = 200 + random() % 400, i = 0; i < wait && !done.load(); i++) std::this_thread::yield();
  auto closed = gate.close();
  compare_whole();
  shrinking.store(!shrinking.load());
  if (random() % 3 == 0) return;
  const bool unique = random() % 2 == 0;
  IndexId& index = unique ? source.names : source.groups;
  table->drop_index(index);
  index = create_index(unique);
  operations += 2;
}

TEST_F(PausedModelTest, EverySnapshotAgreesWithTheMaps) {
  SCOPED_TRACE(seed_trace(seed));
  std::atomic<int> writing{kLanes};
  std::vector<std::thread> threads;
  for (uint32_t i = 0; i < kLanes; i++) {
    threads.emplace_back([&, i] {
      LaneWriter writer(
          *store, *table, lanes, lanes[i], seed + i,
          [&](auto& t, auto& random, Rows& rows) { return see(source, t, random, rows); }, shrinking);
      for (int n = 0; n < kTransactions && !HasFailure(); n++) {
        auto entered = gate.enter();
        writer.transaction();
      }
      operations += writer.operations();
      if (--writing == 0) done.store(true);
    });
  }
  threads.emplace_back([&] { until_done(seed + 100, [&](auto& random) { keep_long_snapshots(random); }); });
  threads.emplace_back([&] { until_done(seed + 101, [&](auto& random) { keep_clones(random); }); });
  threads.emplace_back([&] { until_done(seed + 102, [&](auto& random) { change_definitions(random); }); });
  for (auto& thread : threads) thread.join();
  compare_whole();
  report_operations(operations);
  const auto statistics = *statistics_of(*table);
  std::printf(
      "%lu operations, %lu splits, %lu merges, %lu leaves and nodes copied, %lu index nodes changed, %lu pauses "
      "passed\n",
      operations.load(), statistics.splits, statistics.merges, pauses.count(PausePoint::kCopyNode),
      pauses.count(PausePoint::kChangeIndex), pauses.count());
}

}  // namespace
}  // namespace indigo::storage
