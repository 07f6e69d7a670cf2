// Random list-append transactions against the store, judged by the history checker; and the checker against histories
// that are known to be wrong (a checker that never says no proves nothing).
//
// INDIGO_SEED replays a run, INDIGO_HISTORY_ROUNDS makes it longer.
#include "tests/stress/storage/history.h"

#include <atomic>
#include <cstdlib>
#include <random>
#include <thread>

#include <gtest/gtest.h>

#include "storage/shared_bytes.h"
#include "storage/store.h"
#include "storage/store_options.h"
#include "storage/table.h"
#include "storage/table_options.h"
#include "tests/random_seed.h"

namespace indigo::storage {
namespace {

using Seen = HistoryTransaction::Seen;
using Append = HistoryTransaction::Append;

// ---- the checker itself

HistoryTransaction transaction(uint32_t id, uint64_t begin, uint64_t end, std::vector<Seen> reads,
                               std::vector<Append> appends) {
  return {id, true, true, false, begin, end, std::move(reads), std::move(appends)};
}
constexpr Element first(uint32_t id) { return id * kAppendsMax; }

TEST(HistoryChecker, AcceptsASerialHistoryAndWriteSkew) {
  EXPECT_EQ(judge({transaction(1, 1, 2, {}, {{0, first(1), {}}}),
                   transaction(2, 3, 4, {{0, {first(1)}}}, {{0, first(2), {first(1)}}})},
                  {{0, {first(1), first(2)}}}),
            "");
  // Two rw edges: snapshot isolation allows it.
  EXPECT_EQ(judge({transaction(1, 1, 4, {{1, {}}}, {{0, first(1), {}}}),
                   transaction(2, 2, 3, {{0, {}}}, {{1, first(2), {}}})},
                  {{0, {first(1)}}, {1, {first(2)}}}),
            "");
}

TEST(HistoryChecker, FindsALostUpdate) {
  auto one = transaction(1, 1, 3, {}, {{0, first(1), {}}});
  auto two = transaction(2, 2, 4, {}, {{0, first(2), {}}});
  EXPECT_TRUE(judge({one, two}, {{0, {first(2)}}}).starts_with("lost update"));
  EXPECT_TRUE(judge({one, two}, {{0, {first(1), first(2)}}}).starts_with("lost update"));
}

TEST(HistoryChecker, FindsG1) {
  auto aborted = transaction(1, 1, 3, {}, {{0, first(1), {}}});
  aborted.committed = false;
  EXPECT_TRUE(judge({aborted, transaction(2, 2, 4, {{0, {first(1)}}}, {})}, {}).starts_with("G1a"));
  auto twice = transaction(1, 1, 3, {}, {{0, first(1), {}}, {0, first(1) + 1, {first(1)}}});
  EXPECT_TRUE(
      judge({twice, transaction(2, 2, 4, {{0, {first(1)}}}, {})}, {{0, {first(1), first(1) + 1}}}).starts_with("G1b"));
  // Each sees what the other wrote.
  EXPECT_TRUE(judge({transaction(1, 1, 4, {{1, {first(2)}}}, {{0, first(1), {}}}),
                     transaction(2, 2, 3, {{0, {first(1)}}}, {{1, first(2), {}}})},
                    {{0, {first(1)}}, {1, {first(2)}}})
                  .starts_with("G1c"));
}

TEST(HistoryChecker, FindsWhatATransactionForgot) {
  auto writer = transaction(1, 1, 5, {}, {{0, first(1), {}}, {1, first(1) + 1, {}}});
  auto reader = transaction(2, 2, 6, {{1, {}, 1}}, {{0, first(2), {first(1)}}});
  reader.snapshot = false;
  FinalLists lists{{0, {first(1), first(2)}}, {1, {first(1) + 1}}};
  EXPECT_TRUE(judge({writer, reader}, lists).starts_with("forgotten"));
  reader.reads[0].appends_before = 0;  // read before it knew
  EXPECT_EQ(judge({writer, reader}, lists), "");
}

TEST(HistoryChecker, FindsReadSkewAndStaleReads) {
  auto writer = transaction(1, 1, 5, {}, {{0, first(1), {}}, {1, first(1) + 1, {}}});
  FinalLists lists{{0, {first(1)}}, {1, {first(1) + 1}}};
  EXPECT_TRUE(judge({writer, transaction(2, 2, 6, {{0, {}}, {1, {first(1) + 1}}}, {})}, lists).starts_with("G-single"));
  EXPECT_TRUE(judge({writer, transaction(2, 6, 7, {{0, {}}}, {})}, lists).starts_with("stale read"));
}

// ---- the store

class HistoryTest : public ::testing::Test {
 protected:
  static constexpr int kKeys = 6, kThreads = 4;
  static constexpr int kTransactions = kThreadSanitizer ? 150 : 500;

  std::unique_ptr<Store> store_;
  std::shared_ptr<Table> table_;
  std::atomic<uint64_t> clock_{1};
  std::atomic<uint32_t> next_id_{1};

  static std::string key(int k) { return "key" + std::to_string(k); }

  // One transaction of random reads and appends, recorded.
  class Session {
   public:
    Session(HistoryTest& test, uint32_t seed) : test_(test), random_(seed) {}
    std::vector<HistoryTransaction> done;

    void run_one(bool snapshot) {
      record_ = {};
      record_.id = test_.next_id_.fetch_add(1);
      record_.snapshot = snapshot;
      record_.begin = test_.clock_.fetch_add(1);
      own_.clear();
      appended_ = 0;
      auto txn = test_.store_->begin(snapshot ? Isolation::kRepeatableRead : Isolation::kReadCommitted, record_.id);
      txn->take_statement_snapshot();
      StorageStatus status = StorageStatus::kOk;
      for (uint32_t steps = 1 + random_() % 5; steps > 0 && status == StorageStatus::kOk; steps--) {
        txn->next_command();
        txn->take_statement_snapshot();
        status = step(*txn);
        // Otherwise, on few processors, transactions this short would hardly ever overlap.
        if (random_() % 2) std::this_thread::yield();
      }
      record_.refused = status != StorageStatus::kOk;
      bool commit = status == StorageStatus::kOk && random_() % 8 != 0;
      if (commit) {
        record_.committed = test_.store_->commit(*txn) == StorageStatus::kOk;
        EXPECT_TRUE(record_.committed);
      } else {
        test_.store_->rollback(*txn);
      }
      record_.end = test_.clock_.fetch_add(1);
      done.push_back(std::move(record_));
    }

   private:
    StorageStatus step(Transaction& txn) {
      auto k = static_cast<int>(random_() % kKeys);
      switch (random_() % 10) {
        case 0: return scan(txn, random_() % 2 ? Direction::kForward : Direction::kBackward);
        case 1: {  // a savepoint, perhaps rolled back
          uint32_t level = txn.savepoint();
          auto before = record_.appends;
          auto own_before = own_;
          StorageStatus status = append(txn, k);
          if (status != StorageStatus::kOk) return status;
          if (random_() % 2) {
            txn.release(level);
          } else {
            txn.rollback_to(level);
            record_.appends = before;
            own_ = own_before;
          }
          return status;
        }
        case 2:
        case 3:
        case 4:
        case 5: return append(txn, k);
        default: return read(txn, k);
      }
    }

    void saw(int k, Bytes row) {
      std::vector<Element> list = decode_list(row);
      // Own elements are at the end, exactly those appended so far.
      std::vector<Element>& own = own_[k];
      ASSERT_GE(list.size(), own.size()) << "own writes are not seen";
      ASSERT_TRUE(std::equal(own.begin(), own.end(), list.end() - static_cast<ptrdiff_t>(own.size())))
          << "own writes are not seen";
      // At READ COMMITTED the lists below own appends were seen when they were claimed.
      if (own.empty()) record_.reads.push_back({k, std::move(list), record_.appends.size()});
    }

    StorageStatus read(Transaction& txn, int k) {
      StorageStatus status = test_.table_->get(txn, txn.view(), key(k), row_);
      if (status == StorageStatus::kNotFound) {
        saw(k, "");
        return StorageStatus::kOk;
      }
      if (status == StorageStatus::kOk) saw(k, row_);
      return status;
    }

    StorageStatus scan(Transaction& txn, Direction direction) {
      std::vector<bool> found(kKeys);
      auto cursor = test_.table_->scan(txn, txn.view(), KeyRange::prefix("key"), direction);
      std::vector<RowRef> rows(1 + random_() % 4);
      for (;;) {
        size_t n;
        StorageStatus status = cursor->next(rows, n);
        if (status != StorageStatus::kOk) return status;
        if (n == 0) break;
        for (size_t i = 0; i < n; i++) {
          int k = rows[i].key[3] - '0';
          found[static_cast<size_t>(k)] = true;
          saw(k, rows[i].row);
        }
      }
      for (int k = 0; k < kKeys; k++) {
        if (!found[static_cast<size_t>(k)]) saw(k, "");
      }
      return StorageStatus::kOk;
    }

    StorageStatus append(Transaction& txn, int k) {
      Element element = record_.id * kAppendsMax + appended_++;
      Claimed claimed;
      StorageStatus status =
          test_.table_->claim(txn, txn.view(), key(k), RowLockMode::kNoKeyUpdate, LockWait::kWait, claimed);
      std::vector<Element> list;
      if (status == StorageStatus::kOk) {
        list = decode_list(claimed.row);
        std::vector<Element> before = list;
        list.push_back(element);
        status = test_.table_->update(txn, claimed.key, encode_list(list), nullptr);
        if (status == StorageStatus::kOk) note_append(k, element, std::move(before));
      } else if (status == StorageStatus::kNotFound) {
        status = test_.table_->insert(txn, key(k), encode_list({element}), nullptr);
        if (status == StorageStatus::kOk) note_append(k, element, {});
      }
      switch (status) {  // what may happen to a transaction; anything else is an error of the store
        case StorageStatus::kOk:
        case StorageStatus::kDeadlock:
        case StorageStatus::kConflict:
        case StorageStatus::kDuplicateKey: break;
        default: ADD_FAILURE() << "status " << static_cast<int>(status);
      }
      return status;
    }

    void note_append(int k, Element element, std::vector<Element> before) {
      record_.appends.push_back({k, element, std::move(before)});
      own_[k].push_back(element);
    }

    HistoryTest& test_;
    std::mt19937 random_;
    HistoryTransaction record_;
    std::map<int, std::vector<Element>> own_;
    Element appended_ = 0;
    std::string row_;
  };

  void run(uint32_t seed, int snapshot_percent) {
    store_ = Store::create({});
    table_ = store_->create_table({});
    std::vector<Session> sessions;
    for (int i = 0; i < kThreads; i++) sessions.emplace_back(*this, seed * 31 + static_cast<uint32_t>(i));
    std::vector<std::thread> threads;
    for (Session& session : sessions) {
      threads.emplace_back([&session, snapshot_percent, seed] {
        std::mt19937 random(seed);
        for (int i = 0; i < kTransactions; i++) session.run_one(static_cast<int>(random() % 100) < snapshot_percent);
      });
    }
    for (auto& thread : threads) thread.join();
    std::vector<HistoryTransaction> history;
    for (Session& session : sessions) history.insert(history.end(), session.done.begin(), session.done.end());
    FinalLists lists;
    auto txn = store_->begin(Isolation::kReadCommitted, 0);
    txn->take_statement_snapshot();
    std::string row;
    for (int k = 0; k < kKeys; k++) {
      if (table_->get(*txn, txn->view(), key(k), row) == StorageStatus::kOk) lists[k] = decode_list(row);
    }
    store_->rollback(*txn);
    EXPECT_EQ(judge(history, lists), "");
    for (const auto& t : history) {
      committed_ += t.committed;
      refused_ += t.refused;
    }
    table_.reset();
  }

  void run_rounds(int snapshot_percent) {
    const char* rounds = std::getenv("INDIGO_HISTORY_ROUNDS");
    int n = seed_is_given() ? 1 : rounds ? std::atoi(rounds) : 3;
    // Sessions that the machine ran one after the other did not meet: they get more rounds.
    for (int i = 0; (i < n || (refused_ == 0 && i < 10 * n)) && !HasFailure(); i++) {
      uint32_t seed = random_seed();
      SCOPED_TRACE(seed_trace(seed));
      run(seed, snapshot_percent);
    }
    std::printf("%d transactions committed, %d were refused\n", committed_, refused_);
    report_operations(static_cast<uint64_t>(committed_ + refused_));
    EXPECT_GT(committed_, 0);
  }
  int committed_ = 0, refused_ = 0;
};

TEST_F(HistoryTest, ReadCommitted) { run_rounds(0); }
TEST_F(HistoryTest, RepeatableRead) { run_rounds(100); }
TEST_F(HistoryTest, Mixed) { run_rounds(50); }

}  // namespace
}  // namespace indigo::storage
