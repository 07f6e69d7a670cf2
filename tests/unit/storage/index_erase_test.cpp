// Erasing entries of an index whose keys are computed by something that gives its thread away, as index expressions do, and
// that fails when the session is to stop. Sessions are fibers of one thread: spinning for a suspended one hangs.
#include <functional>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "base/fiber/fiber.h"
#include "tests/random_seed.h"
#include "tests/unit/storage/colon_extractor.h"
#include "tests/unit/storage/store_fixture.h"

namespace indigo::storage {
namespace {

// Sessions that take turns on one thread; each continues where it yields, in an order that the seed decides.
class FiberSessions {
 public:
  explicit FiberSessions(uint32_t seed) : random_(seed) {}

  void add(std::function<void()> body) { sessions_.push_back(std::make_unique<Session>(std::move(body))); }
  void run() {
    std::vector<Session*> ready;
    for (auto& session : sessions_) ready.push_back(session.get());
    while (!ready.empty()) {
      const size_t i = random_() % ready.size();
      Session& session = *ready[i];
      Waiter::set_current(&session);
      session.fiber.resume();
      Waiter::set_current(nullptr);
      if (!session.fiber.finished()) continue;
      ready[i] = ready.back();
      ready.pop_back();
    }
  }

 private:
  class Session final : public Waiter {
   public:
    explicit Session(std::function<void()> body) : fiber(StackMemory(kFiberStackBytes), std::move(body)) {}
    void wake() override { woken_ = true; }
    void yield_if_due() override { fiber.suspend(); }
    Fiber fiber;

   private:
    WaitResult block(Deadline) override {
      while (!woken_ && interrupt_flag() == InterruptReason::kNone) fiber.suspend();
      woken_ = false;
      return interrupt_flag() == InterruptReason::kNone ? WaitResult::kWoken : WaitResult::kInterrupted;
    }
    bool woken_ = false;
  };

  std::mt19937 random_;
  std::vector<std::unique_ptr<Session>> sessions_;
};

// The key before the colon, computed the long way.
class YieldingExtractor final : public KeyExtractor {
 public:
  Outcome extract(Bytes primary_key, Bytes row, std::string& key, bool& has_null) const override {
    Waiter& waiter = Waiter::current();
    for (int i = 0; i < 3; i++) {
      waiter.yield_if_due();
      if (waiter.interrupted() != InterruptReason::kNone) return Outcome::kError;
    }
    return plain_.extract(primary_key, row, key, has_null);
  }

 private:
  ColonExtractor plain_;
};

class IndexErase : public StoreFixture {
 protected:
  static constexpr IndexId kIndex{77};

  void SetUp() override {
    auto t = begin();
    ASSERT_EQ(table->create_index(*t, kIndex, {}, std::make_shared<YieldingExtractor>(), nullptr), StorageStatus::kOk);
    commit(*t);
  }
  std::set<std::string> scan_index_keys(Transaction& t) {
    std::set<std::string> keys;
    for (const auto& [key, row] : drain(*table->scan_index(t, next(t).view(), kIndex, KeyRange::all())))
      keys.insert(key);
    return keys;
  }
  // What the index must have when it is at rest: exactly one entry for each row.
  void expect_index_of(const Rows& rows) {
    for (int i = 0; i < 8; i++) store->reclaim();
    static_cast<StoreImpl&>(*store).reclaimer().stop();
    auto t = begin();
    std::set<std::string> expected, found;
    for (const auto& [key, row] : rows) expected.insert(row + "@" + key);
    for (const auto& [key, row] : drain(*table->scan_index(*t, t->view(), kIndex, KeyRange::all()))) {
      found.insert(row + "@" + key);
    }
    EXPECT_EQ(found, expected);
    const Index& index = *static_cast<TableImpl&>(*table).indexes()->front()->index;
    EXPECT_EQ(index.entry_count(), rows.size()) << "entries that nobody needs were left";
    EXPECT_EQ(index.check(), "");
  }
};

TEST_F(IndexErase, SessionsOfOneThreadDoNotWaitForEachOthersKeys) {
  const uint32_t seed = random_seed();
  SCOPED_TRACE(seed_trace(seed));
  constexpr int kSessions = 6, kTransactions = 60, kRows = 4;
  FiberSessions sessions(seed);
  std::vector<Rows> expected(kSessions);
  for (int s = 0; s < kSessions; s++) {
    sessions.add([&, s] {
      std::mt19937 random(seed + static_cast<uint32_t>(s) + 1);
      Rows& mine = expected[static_cast<size_t>(s)];
      for (int i = 0; i < kTransactions; i++) {
        Rows then = mine;
        auto t = begin();
        for (uint32_t n = random() % 3 + 1; n > 0; n--) {
          const std::string key = key_of(static_cast<int>(random() % kRows) * kSessions + s);
          // Few keys: they go and come back, within a transaction and after it.
          const std::string row = "k" + std::to_string(random() % 3) + ":" + std::to_string(random());
          next(*t);
          if (then.count(key) == 0) {
            ASSERT_EQ(insert(*t, key, row), StorageStatus::kOk);
            then[key] = row;
          } else if (random() % 4 == 0) {
            ASSERT_EQ(erase(*t, key), StorageStatus::kOk);
            then.erase(key);
          } else {
            ASSERT_EQ(update(*t, key, row), StorageStatus::kOk);
            then[key] = row;
          }
        }
        if (random() % 3 == 0) {
          store->rollback(*t);
        } else {
          commit(*t);
          mine = then;
        }
      }
    });
  }
  sessions.run();
  Rows all;
  for (const Rows& rows : expected) all.insert(rows.begin(), rows.end());
  expect_index_of(all);
}

// A transaction goes back to a key that its record had, and then the statement is cancelled: nothing that is needed may go,
// nothing that is not may stay.
TEST_F(IndexErase, ACancelledStatementLosesNoEntryAndLeavesNone) {
  put("1", "a:1");
  put("2", "a:2");
  auto t = begin();
  ASSERT_EQ(update(*t, "1", "b:1"), StorageStatus::kOk);
  const uint32_t mark = t->savepoint();
  ASSERT_EQ(write(*t, "1", "a:1"), StorageStatus::kOk);
  ASSERT_EQ(write(*t, "2", "c:2"), StorageStatus::kOk);
  Waiter::current().interrupt(InterruptReason::kCancel);
  t->rollback_to(mark);
  EXPECT_EQ(Waiter::current().interrupted(), InterruptReason::kCancel) << "it stays pending";
  Waiter::current().clear_interrupt();
  EXPECT_EQ(scan_index_keys(*t), (std::set<std::string>{"1", "2"}));
  Waiter::current().interrupt(InterruptReason::kCancel);
  store->rollback(*t);
  Waiter::current().clear_interrupt();
  expect_index_of({{"1", "a:1"}, {"2", "a:2"}});

  // There and back, committed: the key that was given up first is that of the newest version.
  t = begin();
  ASSERT_EQ(update(*t, "1", "b:1"), StorageStatus::kOk);
  ASSERT_EQ(write(*t, "1", "a:1"), StorageStatus::kOk);
  Waiter::current().interrupt(InterruptReason::kCancel);
  commit(*t);
  Waiter::current().clear_interrupt();
  expect_index_of({{"1", "a:1"}, {"2", "a:2"}});
}

// What ends the session is told to the computation; the entries that it could not judge stay.
TEST_F(IndexErase, AnEntryIsNeededUnlessTheContraryIsKnown) {
  put("1", "a:1");
  for (bool to_commit : {false, true}) {
    auto t = begin();
    ASSERT_EQ(update(*t, "1", "b:1"), StorageStatus::kOk);
    ASSERT_EQ(write(*t, "1", "a:1"), StorageStatus::kOk);
    Waiter::current().interrupt(InterruptReason::kTerminate);
    if (to_commit) {
      commit(*t);
    } else {
      store->rollback(*t);
    }
    Waiter::current().clear_interrupt();
  }
  auto reader = begin();
  EXPECT_EQ(scan_index_keys(*reader), std::set<std::string>{"1"});
}

#ifndef NDEBUG
using NoSuspensionDeathTest = IndexErase;
TEST_F(NoSuspensionDeathTest, GivingWayUnderAGuardIsFound) {
  EXPECT_DEATH(
      {
        EpochManager::Guard guard(static_cast<StoreImpl&>(*store).epochs());
        Waiter::current().sleep(Clock::now());
      },
      "about to give its thread away");
}
#endif

}  // namespace
}  // namespace indigo::storage
