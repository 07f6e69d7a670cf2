// A bank: accounts are opened, closed, renumbered and paid from by many transactions at once, with savepoints, rollbacks
// and a secondary index over the branch. Money is neither made nor lost in any snapshot, whichever way it is read.
#include <atomic>
#include <cstdio>
#include <random>
#include <thread>

#include <gtest/gtest.h>

#include "storage/shared_bytes.h"
#include "tests/random_seed.h"
#include "tests/unit/storage/colon_extractor.h"
#include "tests/unit/storage/store_fixture.h"

namespace indigo::storage {
namespace {

constexpr int kAccounts = 40, kBranches = 4, kMoney = 1000;
constexpr int kTransactions = kThreadSanitizer ? 300 : 2000;
const char* const kTotalBranch = "branch";

// A row is "branchN:balance"; ColonExtractor indexes the branch.
struct Account {
  std::string branch;
  int balance = 0;
  static Account parse(Bytes row) {
    size_t colon = row.find(':');
    return {std::string(row.substr(0, colon)), std::stoi(std::string(row.substr(colon + 1)))};
  }
  std::string row() const { return branch + ":" + std::to_string(balance); }
};

class BankTest : public StoreFixture {
 protected:
  BankTest() : StoreFixture(1024) {}

  static std::string branch(uint32_t n) { return kTotalBranch + std::to_string(n % kBranches); }

  StorageStatus claim(Transaction& t, Bytes key, RowLockMode mode, Claimed& out) {
    t.next_command();
    t.take_statement_snapshot();
    return table->claim(t, t.view(), key, mode, LockWait::kWait, out);
  }

  // Takes what it can of `amount` from one account.
  StorageStatus withdraw(Transaction& t, Bytes key, int& amount) {
    Claimed c;
    StorageStatus s = claim(t, key, RowLockMode::kNoKeyUpdate, c);
    if (s != StorageStatus::kOk) return s;
    Account a = Account::parse(c.row);
    amount = std::min(amount, a.balance);
    a.balance -= amount;
    return table->update(t, c.key, a.row(), nullptr);
  }

  // Pays into an account, which is opened if it is not there; sometimes it moves to another branch.
  StorageStatus deposit(Transaction& t, Bytes key, int amount, uint32_t dice) {
    Claimed c;
    StorageStatus s = claim(t, key, RowLockMode::kNoKeyUpdate, c);
    if (s == StorageStatus::kNotFound) return table->insert(t, key, Account{branch(dice), amount}.row(), nullptr);
    if (s != StorageStatus::kOk) return s;
    Account a = Account::parse(c.row);
    a.balance += amount;
    if (dice % 3 == 0) a.branch = branch(dice / 3);
    return table->update(t, c.key, a.row(), nullptr);
  }

  StorageStatus close(Transaction& t, Bytes key, int& amount) {
    Claimed c;
    StorageStatus s = claim(t, key, RowLockMode::kUpdate, c);
    if (s != StorageStatus::kOk) return s;
    amount = Account::parse(c.row).balance;
    return table->erase(t, c.key);
  }

  StorageStatus renumber(Transaction& t, Bytes key, Bytes new_key) {
    Claimed c;
    StorageStatus s = claim(t, key, RowLockMode::kUpdate, c);
    if (s != StorageStatus::kOk) return s;
    return table->update_key(t, c.key, new_key, c.row, nullptr);
  }

  StorageStatus one_transaction(Transaction& t, std::mt19937& random) {
    std::string from = key_of(static_cast<int>(random() % kAccounts));
    std::string to = key_of(static_cast<int>(random() % kAccounts));
    if (from == to) return StorageStatus::kOk;
    int amount = 1 + static_cast<int>(random() % 50);
    switch (random() % 6) {
      case 0: {
        StorageStatus s = close(t, from, amount);
        return s == StorageStatus::kOk ? deposit(t, to, amount, random()) : s;
      }
      case 1: return renumber(t, from, to);
      case 2: {  // something that does not stay
        uint32_t level = t.savepoint();
        StorageStatus s = random() % 2 ? close(t, from, amount) : deposit(t, from, amount, random());
        if (s != StorageStatus::kOk && s != StorageStatus::kNotFound) return s;
        t.rollback_to(level);
        [[fallthrough]];
      }
      default: {
        StorageStatus s = withdraw(t, from, amount);
        if (random() % 2) std::this_thread::yield();
        return s == StorageStatus::kOk ? deposit(t, to, amount, random()) : s;
      }
    }
  }

  static int sum(const std::vector<std::pair<std::string, std::string>>& list) {
    int total = 0;
    for (auto& [key, row] : list) total += Account::parse(row).balance;
    return total;
  }
};

TEST_F(BankTest, MoneyIsConserved) {
  const uint32_t seed = random_seed();
  SCOPED_TRACE(seed_trace(seed));
  IndexId index = IndexId{store->next_id().value};
  {
    auto t = begin();
    for (int i = 0; i < kAccounts / 2; i++) {
      ASSERT_EQ(insert(*t, key_of(i), Account{branch(static_cast<uint32_t>(i)), kMoney}.row()), StorageStatus::kOk);
    }
    ASSERT_EQ(table->create_index(*t, index, {}, std::make_shared<ColonExtractor>(), nullptr), StorageStatus::kOk);
    commit(*t);
  }
  constexpr int kTotal = kAccounts / 2 * kMoney;
  std::atomic<bool> stop{false};
  std::atomic<int> done{0}, refused{0}, audits{0};

  auto audit = [&](std::mt19937& random) {
    auto t = begin(random() % 2 ? Isolation::kRepeatableRead : Isolation::kReadCommitted);
    Direction direction = random() % 2 ? Direction::kForward : Direction::kBackward;
    auto rows = scan_list(*t, KeyRange::all(), direction);
    ASSERT_EQ(sum(rows), kTotal);
    std::this_thread::yield();
    // The same snapshot, through the index: the same rows, each once.
    auto by_branch = drain(*table->scan_index(*t, t->view(), index, KeyRange::prefix(kTotalBranch), direction));
    ASSERT_EQ(sum(by_branch), kTotal);
    std::sort(rows.begin(), rows.end());
    std::sort(by_branch.begin(), by_branch.end());
    ASSERT_EQ(rows, by_branch);
    for (uint32_t b = 0; b < kBranches; b++) {
      for (auto& [key, row] : drain(*table->scan_index(*t, t->view(), index, KeyRange::point(branch(b))))) {
        ASSERT_EQ(Account::parse(row).branch, branch(b));
        ASSERT_EQ(get(*t, key), row);
      }
    }
    audits++;
  };
  std::vector<std::thread> tellers, auditors;
  for (uint32_t i = 0; i < 4; i++) {
    tellers.emplace_back([&, i] {
      std::mt19937 random(seed + i);
      for (int n = 0; n < kTransactions; n++) {
        auto t = begin(random() % 3 ? Isolation::kReadCommitted : Isolation::kRepeatableRead);
        StorageStatus s = one_transaction(*t, random);
        if (s == StorageStatus::kOk && random() % 10) {
          commit(*t);
          done++;
          continue;
        }
        ASSERT_TRUE(s == StorageStatus::kOk || s == StorageStatus::kNotFound || s == StorageStatus::kDuplicateKey ||
                    s == StorageStatus::kConflict || s == StorageStatus::kConflictDelete ||
                    s == StorageStatus::kDeadlock)
            << static_cast<int>(s);
        refused += s != StorageStatus::kOk;
        store->rollback(*t);
      }
    });
  }
  for (uint32_t i = 0; i < 2; i++) {
    auditors.emplace_back([&, i] {
      std::mt19937 random(seed + 100 + i);
      do {
        audit(random);
      } while (!stop && !HasFatalFailure());
    });
  }
  for (auto& thread : tellers) thread.join();
  stop = true;
  for (auto& thread : auditors) thread.join();
  std::mt19937 random(seed);
  audit(random);
  std::printf("%d transactions committed, %d were refused, %d audits\n", done.load(), refused.load(), audits.load());
  report_operations(static_cast<uint64_t>(done + refused + audits));
  EXPECT_GT(done, 0);
  EXPECT_TRUE(store->locks().snapshot().empty());
}

}  // namespace
}  // namespace indigo::storage
