// Concurrent random transactions, checked against a replay in commit order: every snapshot that a reader saw is the state
// at its stamp, every change began from the newest version before it, and the end is the end of the replay.
// The seed is printed with a failure; the schedule is the machine's.
#include <atomic>
#include <cstdlib>
#include <latch>
#include <mutex>
#include <optional>
#include <random>
#include <thread>

#include <gtest/gtest.h>

#include "tests/random_seed.h"
#include "tests/unit/storage/colon_extractor.h"
#include "tests/unit/storage/store_fixture.h"

namespace indigo::storage {
namespace {

using Value = std::optional<std::string>;

struct Committed {
  uint64_t stamp;
  std::map<std::string, Value> before;  // what was found when the record was taken
  std::map<std::string, Value> after;
};
struct Seen {
  uint64_t stamp;
  Rows rows;
};

class HistoryTest : public StoreFixture {
 protected:
  HistoryTest() : StoreFixture(1024) {
    auto t = begin();
    index = IndexId(store->next_id().value);
    EXPECT_EQ(table->create_index(*t, index, {}, std::make_shared<ColonExtractor>(), nullptr), StorageStatus::kOk);
    commit(*t);
  }
  void run(uint32_t own_seed);

  IndexId index;
  std::mutex mutex;
  std::vector<Committed> commits;
  std::vector<Seen> seen;
};

class Session {
 public:
  Session(Store& store, Table& table, unsigned seed) : store_(store), table_(table), random_(seed) {}

  // False when the transaction failed and was rolled back.
  bool transaction(Committed& out) {
    auto isolation = random_() % 2 == 0 ? Isolation::kReadCommitted : Isolation::kRepeatableRead;
    auto t = store_.begin(isolation, 0);
    before_.clear();
    after_.clear();
    struct Point {
      std::map<std::string, Value> before, after;
    };
    std::vector<Point> savepoints;
    for (size_t n = 1 + random_() % 5; n > 0; n--) {
      t->next_command();
      t->take_statement_snapshot();
      StorageStatus s = change(*t);
      if (s != StorageStatus::kOk && s != StorageStatus::kNotFound && s != StorageStatus::kDuplicateKey) {
        EXPECT_TRUE(s == StorageStatus::kDeadlock || s == StorageStatus::kConflict ||
                    s == StorageStatus::kConflictDelete)
            << static_cast<int>(s);
        store_.rollback(*t);
        return false;
      }
      if (random_() % 4 == 0) {
        t->savepoint();
        savepoints.push_back({before_, after_});
      } else if (!savepoints.empty() && random_() % 4 == 0) {
        size_t level = 1 + random_() % savepoints.size();
        t->rollback_to(static_cast<uint32_t>(level));
        before_ = savepoints[level - 1].before;
        after_ = savepoints[level - 1].after;
        savepoints.resize(level);
      }
    }
    if (random_() % 8 == 0) {
      store_.rollback(*t);
      return false;
    }
    EXPECT_EQ(store_.commit(*t), StorageStatus::kOk);
    out = {static_cast<TransactionImpl&>(*t).commit_stamp().value, before_, after_};
    return out.stamp != 0;
  }

 private:
  std::string random_key() {
    std::string key = std::to_string(random_() % 30);
    return random_() % 2 == 0 ? key : "a longer key " + key;
  }
  std::string random_row() {
    return std::to_string(random_() % 6) + ":" + std::to_string(random_()) + std::string(random_() % 100, 'x');
  }
  void took(const std::string& key, Value found) {
    if (!after_.contains(key)) before_.emplace(key, std::move(found));
  }
  StorageStatus change(Transaction& t) {
    std::string key = random_key(), row = random_row();
    Claimed claimed;
    unsigned what = random_() % 4;
    if (what == 0) {
      StorageStatus s = table_.insert(t, key, row, nullptr);
      if (s == StorageStatus::kOk) {
        took(key, std::nullopt);
        after_[key] = row;
      }
      return s;
    }
    auto mode = what == 1 ? RowLockMode::kNoKeyUpdate : RowLockMode::kUpdate;
    StorageStatus s = table_.claim(t, t.view(), key, mode, LockWait::kWait, claimed);
    if (s != StorageStatus::kOk) return s;
    key = claimed.key;
    if (random_() % 8 == 0) {
      table_.unclaim(t, key);
      return s;
    }
    Value found = claimed.row;
    if (what == 1) {
      s = table_.update(t, key, row, nullptr);
      took(key, found);
      after_[key] = row;
    } else if (what == 2) {
      s = table_.erase(t, key);
      took(key, found);
      after_[key] = std::nullopt;
    } else {
      std::string to = random_key();
      s = table_.update_key(t, key, to, row, nullptr);
      if (s != StorageStatus::kOk) return s;
      took(key, found);
      after_[key] = std::nullopt;
      if (to != key) took(to, std::nullopt);
      after_[to] = row;
    }
    return s;
  }

  Store& store_;
  Table& table_;
  std::mt19937 random_;
  std::map<std::string, Value> before_, after_;
};

void HistoryTest::run(uint32_t own_seed) {
  const uint32_t seed = seed_or(own_seed);
  SCOPED_TRACE(seed_trace(seed));
  const char* more = std::getenv("INDIGO_HISTORY_ROUNDS");
  const int rounds = more != nullptr ? std::atoi(more) : kThreadSanitizer ? 150 : 600;
  std::vector<std::thread> threads;
  std::atomic<int> writers{3};
  std::latch start(5);
  for (unsigned w = 0; w < 3; w++) {
    threads.emplace_back([&, w] {
      Session session(*store, *table, seed * 10 + w);
      start.arrive_and_wait();
      for (int i = 0; i < rounds; i++) {
        Committed c;
        if (!session.transaction(c)) continue;
        std::lock_guard lock(mutex);
        commits.push_back(std::move(c));
      }
      writers--;
    });
  }
  for (unsigned r = 0; r < 2; r++) {
    threads.emplace_back([&, r] {
      std::mt19937 random(seed * 10 + 5 + r);
      std::unique_ptr<Transaction> t;
      start.arrive_and_wait();
      // A reader that the machine did not let run beside the writers still reads.
      for (int reads = 0; writers > 0 || reads < 5; reads++) {
        if (t == nullptr || random() % 3 == 0) t = begin(Isolation::kRepeatableRead);
        Seen s{t->view().stamp.value, {}};
        std::vector<std::pair<std::string, std::string>> list;
        if (random() % 2 == 0) {
          list = drain(*table->scan_index(*t, t->view(), index, KeyRange::all(), Direction::kForward));
        } else {
          list = scan_list(*t, KeyRange::all(), random() % 2 == 0 ? Direction::kForward : Direction::kBackward);
        }
        s.rows.insert(list.begin(), list.end());
        EXPECT_EQ(s.rows.size(), list.size());
        for (int i = 0; i < 5; i++) {
          std::string key = std::to_string(random() % 30);
          EXPECT_EQ(get(*t, key), s.rows.contains(key) ? s.rows[key] : "-");
        }
        std::lock_guard lock(mutex);
        seen.push_back(std::move(s));
      }
    });
  }
  for (auto& t : threads) t.join();

  std::sort(commits.begin(), commits.end(), [](const auto& a, const auto& b) { return a.stamp < b.stamp; });
  std::sort(seen.begin(), seen.end(), [](const auto& a, const auto& b) { return a.stamp < b.stamp; });
  Rows model;
  size_t next = 0;
  for (const Committed& c : commits) {
    for (; next < seen.size() && seen[next].stamp < c.stamp; next++) ASSERT_EQ(seen[next].rows, model);
    for (const auto& [key, value] : c.before) {
      auto it = model.find(key);
      ASSERT_EQ(value, it == model.end() ? Value() : Value(it->second)) << "lost update of " << key;
    }
    for (const auto& [key, value] : c.after) {
      if (value) {
        model[key] = *value;
      } else {
        model.erase(key);
      }
    }
  }
  for (; next < seen.size(); next++) ASSERT_EQ(seen[next].rows, model);
  EXPECT_EQ(committed(), model);
  report_operations(commits.size() + seen.size());
  EXPECT_GT(commits.size(), 50u);
  EXPECT_GE(seen.size(), 10u);
  EXPECT_EQ(table->statistics().rows, model.size());
}

TEST_F(HistoryTest, SnapshotsAndChangesAgreeWithTheCommitOrder) { run(1); }
TEST_F(HistoryTest, SnapshotsAndChangesAgreeWithTheCommitOrderAgain) { run(2); }
TEST_F(HistoryTest, SnapshotsAndChangesAgreeWithTheCommitOrderOnceMore) { run(3); }

}  // namespace
}  // namespace indigo::storage
