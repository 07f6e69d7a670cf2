// Commit and the log: what is appended, and schedules that pause a transaction between its stamp and its commit point
// (the log's append lies there).
#include <atomic>
#include <thread>

#include <gtest/gtest.h>

#include "log/reader.h"
#include "storage/durability.h"
#include "storage/store_options.h"
#include "tests/unit/storage/store_fixture.h"

namespace indigo::storage {
namespace {

// Writes an operation as "key=row " or "key! ".
class TextSink final : public log::OperationSink {
 public:
  std::string text;
  void put(log::DurableId, Bytes key, Bytes row) override { text += std::string(key) + "=" + std::string(row) + " "; }
  void erase(log::DurableId, Bytes key) override { text += std::string(key) + "! "; }
  void sequence(log::DurableId, int64_t, bool) override {}
  void oids(uint64_t) override {}
  void clone(log::DurableId, log::DurableId) override {}
};

// Remembers what is appended; holds one append back until it is released.
class TestLog final : public log::Log {
 public:
  bool records() const override { return true; }
  Outcome reserve(size_t bytes, log::Reservation& out) override {
    out.block = 1;
    return bytes <= space ? Outcome::kOk : Outcome::kFull;
  }
  void release(log::Reservation&) override { released++; }
  Lsn append(log::Reservation&, log::RecordKind, CommitStamp stamp, Lsn, Bytes payload) override {
    if (pause_next.exchange(false)) {
      paused = true;
      while (paused) std::this_thread::yield();
    }
    TextSink sink;
    EXPECT_TRUE(log::decode_operations(payload, sink));
    records_.emplace(stamp.value, sink.text);
    return last = Lsn(stamp.value);
  }
  void parts_done(Lsn) override {}
  bool wait_durable(Lsn lsn) override {
    durable = std::max(durable.load(), lsn.value);
    return !failed;
  }
  Lsn appended() const override { return last; }
  CommitStamp durable_stamp() const override { return CommitStamp(durable_until.load()); }

  size_t space = SIZE_MAX;
  std::atomic<bool> pause_next{false}, paused{false}, failed{false};
  std::atomic<uint64_t> durable{0}, durable_until{0};
  std::atomic<int> released{0};
  std::atomic<Lsn> last{Lsn{}};
  std::map<uint64_t, std::string> records_;  // used by one thread at a time
};

class CommitTest : public ::testing::Test {
 protected:
  CommitTest() {
    StoreOptions options;
    options.log = &log;
    store = Store::create(options);
    table = create_durable_table(*store, log::DurableId{1});
  }
  std::unique_ptr<Transaction> begin() {
    auto t = store->begin(Isolation::kReadCommitted, 0);
    t->take_statement_snapshot();
    return t;
  }
  StorageStatus update(Transaction& t, Bytes key, Bytes row) {
    Claimed claimed;
    StorageStatus s = table->claim(t, t.view(), key, RowLockMode::kUpdate, LockWait::kWait, claimed);
    return s == StorageStatus::kOk ? table->update(t, key, row, nullptr) : s;
  }
  std::string newest(Transaction& t, Bytes key) {
    std::string row;
    return table->get(t, t.newest_view(), key, row) == StorageStatus::kOk ? row : "-";
  }
  // A transaction that stands between its stamp and its commit point until resume() is called.
  std::thread paused_insert(Bytes key) {
    log.pause_next = true;
    std::thread thread([this, key = std::string(key)] {
      auto t = begin();
      EXPECT_EQ(table->insert(*t, key, "1", nullptr), StorageStatus::kOk);
      EXPECT_EQ(store->commit(*t), StorageStatus::kOk);
    });
    while (!log.paused) std::this_thread::yield();
    return thread;
  }
  void resume() {
    resumed = true;
    log.paused = false;
  }

  TestLog log;
  std::unique_ptr<Store> store;
  std::shared_ptr<Table> table;
  std::atomic<bool> resumed{false};
};

TEST_F(CommitTest, TheLogGetsTheLastImageOfEachChangedRecord) {
  auto t = begin();
  EXPECT_EQ(table->insert(*t, "a", "1", nullptr), StorageStatus::kOk);
  EXPECT_EQ(table->insert(*t, "b", "1", nullptr), StorageStatus::kOk);
  EXPECT_EQ(table->insert(*t, "large", std::string(3000, 'x'), nullptr), StorageStatus::kOk);
  EXPECT_EQ(store->commit(*t), StorageStatus::kOk);
  t = begin();
  Claimed claimed;
  EXPECT_EQ(update(*t, "a", "2"), StorageStatus::kOk);
  t->next_command();
  EXPECT_EQ(update(*t, "a", "3"), StorageStatus::kOk);
  uint32_t s = t->savepoint();
  EXPECT_EQ(update(*t, "large", "4"), StorageStatus::kOk);
  t->rollback_to(s);
  ASSERT_EQ(table->claim(*t, t->view(), "b", RowLockMode::kUpdate, LockWait::kWait, claimed), StorageStatus::kOk);
  ASSERT_EQ(table->update_key(*t, "b", "c", "5", nullptr), StorageStatus::kOk);
  ASSERT_EQ(table->claim(*t, t->view(), "large", RowLockMode::kUpdate, LockWait::kWait, claimed), StorageStatus::kOk);
  EXPECT_EQ(store->commit(*t), StorageStatus::kOk);
  ASSERT_EQ(log.records_.size(), 2u);
  EXPECT_EQ(log.records_.begin()->second, "a=1 b=1 large=" + std::string(3000, 'x') + " ");
  EXPECT_EQ(log.records_.rbegin()->second, "a=3 b! c=5 ");
  EXPECT_EQ(log.durable, log.records_.rbegin()->first);
}

TEST_F(CommitTest, AFullLogRollsBack) {
  auto t = begin();
  EXPECT_EQ(table->insert(*t, "a", "1", nullptr), StorageStatus::kOk);
  log.space = 1;
  EXPECT_EQ(store->commit(*t), StorageStatus::kLogFull);
  auto reader = begin();
  EXPECT_EQ(newest(*reader, "a"), "-");
  EXPECT_TRUE(log.records_.empty());
}

TEST_F(CommitTest, ALogThatFailsIsSaidToHaveFailed) {
  auto t = begin();
  EXPECT_EQ(table->insert(*t, "a", "1", nullptr), StorageStatus::kOk);
  log.failed = true;
  EXPECT_EQ(store->commit(*t), StorageStatus::kLogFailed);
  t = begin();
  EXPECT_EQ(newest(*t, "a"), "1") << "it is in the log, durable or not";
  EXPECT_EQ(store->commit(*t), StorageStatus::kLogFailed) << "what a reader was shown may be lost";
}

// R5: a later stamp is not acknowledged before the earlier one is decided; else its session could take a snapshot that
// lacks its own commit.
TEST_F(CommitTest, ACommitIsAcknowledgedOnlyWhenTheStableStampCoversIt) {
  std::thread first = paused_insert("a");
  std::thread second([&] {
    auto t = begin();
    EXPECT_EQ(table->insert(*t, "b", "1", nullptr), StorageStatus::kOk);
    EXPECT_EQ(store->commit(*t), StorageStatus::kOk);
    EXPECT_TRUE(resumed);
    auto next = begin();
    std::string row;
    EXPECT_EQ(table->get(*next, next->view(), "b", row), StorageStatus::kOk);
  });
  auto reader = begin();
  while (newest(*reader, "b") == "-") std::this_thread::yield();  // its commit point has passed
  std::string row;
  EXPECT_EQ(table->get(*reader, reader->view(), "b", row), StorageStatus::kNotFound);
  resume();
  first.join();
  second.join();
}

// R5: who was shown a newer version than its snapshot takes no next snapshot before the stable stamp covers that.
TEST_F(CommitTest, ASessionsNextSnapshotCoversWhatItWasShown) {
  std::thread first = paused_insert("a");
  std::thread second([&] {
    auto t = begin();
    EXPECT_EQ(table->insert(*t, "b", "1", nullptr), StorageStatus::kOk);
    EXPECT_EQ(store->commit(*t), StorageStatus::kOk);
  });
  std::thread third([&] {
    auto t = begin();
    while (newest(*t, "b") == "-") std::this_thread::yield();
    t->take_statement_snapshot();
    EXPECT_TRUE(resumed);
    std::string row;
    EXPECT_EQ(table->get(*t, t->view(), "b", row), StorageStatus::kOk);
  });
  auto reader = begin();
  while (newest(*reader, "b") == "-") std::this_thread::yield();
  resume();
  first.join();
  second.join();
  third.join();
}

// R1: a snapshot taken while an earlier stamp is undecided still finds the old image of what a later stamp overwrote.
TEST_F(CommitTest, AnImageIsKeptWhileSnapshotsBelowItsSuccessorCanBeTaken) {
  auto t = begin();
  EXPECT_EQ(table->insert(*t, "k", "old", nullptr), StorageStatus::kOk);
  EXPECT_EQ(store->commit(*t), StorageStatus::kOk);
  std::thread first = paused_insert("a");
  std::thread second([&] {
    auto w = begin();
    EXPECT_EQ(update(*w, "k", "new"), StorageStatus::kOk);
    EXPECT_EQ(store->commit(*w), StorageStatus::kOk);
  });
  auto watcher = begin();
  while (newest(*watcher, "k") != "new") std::this_thread::yield();
  auto reader = begin();  // below both stamps
  std::string row;
  EXPECT_EQ(table->get(*reader, reader->view(), "k", row), StorageStatus::kOk);
  EXPECT_EQ(row, "old");
  resume();
  first.join();
  second.join();
  store->reclaim();
  EXPECT_EQ(table->get(*reader, reader->view(), "k", row), StorageStatus::kOk);
  EXPECT_EQ(row, "old");
}

}  // namespace
}  // namespace indigo::storage
