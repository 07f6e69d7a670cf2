// What pg_current_snapshot() rests on: who runs is in the list, and numbers of later transactions are above it.
#include "storage/running_transactions.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <thread>

#include "tests/unit/storage/store_fixture.h"

namespace indigo::storage {
namespace {

class RunningTransactionsTest : public StoreFixture {
 protected:
  RunningTransactions ask() { return running_transactions(*store); }
  static bool has(const RunningTransactions& running, uint64_t id) {
    return std::find(running.numbers.begin(), running.numbers.end(), id) != running.numbers.end();
  }
};

TEST_F(RunningTransactionsTest, AreThoseThatHaveNotEnded) {
  auto first = begin(), second = begin(), third = begin();
  const uint64_t ids[] = {first->id().value, second->id().value, third->id().value};
  RunningTransactions running = ask();
  for (const uint64_t id : ids) {
    EXPECT_TRUE(has(running, id));
    EXPECT_GE(running.newest, id);
  }
  commit(*second);
  store->rollback(*third);
  running = ask();
  EXPECT_TRUE(has(running, ids[0]));
  EXPECT_FALSE(has(running, ids[1]));
  EXPECT_FALSE(has(running, ids[2]));
  // Sessions give out what is left of their blocks no more.
  auto later = store->begin(Isolation::kReadCommitted, 0, std::move(second));
  EXPECT_GT(later->id().value, running.newest);
  for (const uint64_t id : ids) EXPECT_GT(later->id().value, id);
  store->rollback(*later);
  store->rollback(*first);
}

// The moment at which a session has taken a number from what is left of its block, and has not shown it.
TEST_F(RunningTransactionsTest, WhoHasTakenItsNumberAsSomebodyAskedTakesAnother) {
  class Question final : public PausePoints {
   public:
    explicit Question(Store& store) : store_(store) {}
    void reached(PausePoint point) override {
      if (point != PausePoint::kNumbered || asked) return;
      asked = true;
      answer = running_transactions(store_);
    }
    bool asked = false;
    RunningTransactions answer;

   private:
    Store& store_;
  };
  auto low = begin(), high = begin();  // of two sessions' blocks
  if (low->id().value > high->id().value) std::swap(low, high);
  commit(*low);
  Question question(*store);
  static_cast<StoreImpl&>(*store).set_pause_points(&question);
  auto next = store->begin(Isolation::kReadCommitted, 0, std::move(low));
  static_cast<StoreImpl&>(*store).set_pause_points(nullptr);
  ASSERT_TRUE(question.asked);
  EXPECT_EQ(question.answer.newest, high->id().value);
  EXPECT_FALSE(has(question.answer, next->id().value));
  EXPECT_GT(next->id().value, question.answer.newest);
  store->rollback(*next);
  store->rollback(*high);
}

// A transaction that ends behind an answer was in its list, or has a number above all that the answer knows: also when it took its
// number at that moment, from what was left of a block.
TEST_F(RunningTransactionsTest, WhoEndsLaterWasListedOrIsAbove) {
  constexpr int kSessions = 3, kTransactions = 20000;
  struct Ended {
    uint64_t id, when;
  };
  struct Answer {
    RunningTransactions running;
    uint64_t when;
  };
  std::atomic<uint64_t> clock{0};
  std::array<std::vector<Ended>, kSessions> ended;
  std::atomic<int> busy{kSessions};
  std::vector<std::thread> threads;
  for (auto& mine : ended) {
    threads.emplace_back([&] {
      std::unique_ptr<Transaction> t;
      for (int i = 0; i < kTransactions; i++) {
        t = store->begin(Isolation::kReadCommitted, 0, std::move(t));
        mine.push_back({t->id().value, clock.fetch_add(1)});
        ASSERT_EQ(store->commit(*t), StorageStatus::kOk);
      }
      busy--;
    });
  }
  std::vector<Answer> answers;
  while (busy > 0) {
    RunningTransactions running = ask();
    const uint64_t when = clock.fetch_add(1);
    if (answers.empty() || when > answers.back().when + 1) answers.push_back({std::move(running), when});
  }
  for (std::thread& thread : threads) thread.join();
  std::vector<Ended> all;
  for (const auto& mine : ended) all.insert(all.end(), mine.begin(), mine.end());
  std::sort(all.begin(), all.end(), [](const Ended& a, const Ended& b) { return a.id < b.id; });
  for (const Answer& answer : answers) {
    const auto above = std::upper_bound(all.begin(), all.end(), answer.running.newest,
                                        [](uint64_t newest, const Ended& e) { return newest < e.id; });
    constexpr int kNear = 4096;  // numbers further below are of the past
    int left = kNear;
    for (auto e = above; e != all.begin() && left-- > 0;) {
      --e;
      ASSERT_TRUE(e->when < answer.when || has(answer.running, e->id)) << e->id << " is not in the list";
    }
  }
}

}  // namespace
}  // namespace indigo::storage
