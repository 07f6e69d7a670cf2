// Who only reads waits at its commit until what it was shown is durable, and for nothing else.
#include <functional>

#include <gtest/gtest.h>

#include "storage/durability.h"
#include "storage/store_options.h"
#include "tests/unit/storage/colon_extractor.h"
#include "tests/unit/storage/store_fixture.h"

namespace indigo::storage {
namespace {

// Durable is what make_durable() says; remembers who waits.
class StalledLog final : public log::Log {
 public:
  bool records() const override { return true; }
  Outcome reserve(size_t, log::Reservation& out) override {
    out.block = 1;
    return Outcome::kOk;
  }
  void release(log::Reservation&) override {}
  Lsn append(log::Reservation&, log::RecordKind, CommitStamp stamp, Lsn, Bytes) override {
    return last_ = Lsn(stamp.value);
  }
  void parts_done(Lsn) override {}
  bool wait_durable(Lsn lsn) override {
    waited = waited || lsn.value > durable_.value;
    return true;
  }
  Lsn appended() const override { return last_; }
  CommitStamp durable_stamp() const override { return durable_; }
  void make_durable() { durable_ = CommitStamp(last_.value); }

  bool waited = false;

 private:
  Lsn last_;
  CommitStamp durable_;
};

class DurableReadsTest : public ::testing::Test {
 protected:
  DurableReadsTest() {
    StoreOptions options;
    options.log = &log_;
    store_ = Store::create(options);
    table_ = create_durable_table(*store_, log::DurableId{1});
    auto t = begin();
    EXPECT_EQ(table_->create_index(*t, kIndex, {}, std::make_shared<ColonExtractor>(), nullptr), StorageStatus::kOk);
    for (const char* key : {"a", "b", "d"}) insert(*t, key, std::string(key) + ":1");
    end(*t);
    log_.make_durable();
  }
  std::unique_ptr<Transaction> begin(Isolation isolation = Isolation::kReadCommitted) {
    auto t = store_->begin(isolation, 0);
    t->take_statement_snapshot();
    return t;
  }
  void end(Transaction& t) { ASSERT_EQ(store_->commit(t), StorageStatus::kOk); }
  void insert(Transaction& t, Bytes key, Bytes row) {
    ASSERT_EQ(table_->insert(t, key, row, nullptr), StorageStatus::kOk);
  }
  void change(Bytes key, std::optional<Bytes> row) {
    auto t = begin();
    Claimed claimed;
    ASSERT_EQ(table_->claim(*t, t->view(), key, RowLockMode::kUpdate, LockWait::kWait, claimed), StorageStatus::kOk);
    ASSERT_EQ(row ? table_->update(*t, key, *row, nullptr) : table_->erase(*t, key), StorageStatus::kOk);
    end(*t);
  }
  // Does the commit of one that only reads wait?
  bool waits(Transaction& t, const std::function<void(Transaction&)>& read) {
    read(t);
    log_.waited = false;
    end(t);
    return log_.waited;
  }
  bool waits(const std::function<void(Transaction&)>& read) {
    auto t = begin();
    return waits(*t, read);
  }
  std::function<void(Transaction&)> get(Bytes key) {
    return [this, key](Transaction& t) {
      std::string row;
      (void)table_->get(t, t.view(), key, row);
    };
  }
  std::function<void(Transaction&)> newest(Bytes key) {
    return [this, key](Transaction& t) {
      std::string row;
      (void)table_->get(t, t.newest_view(), key, row);
    };
  }
  std::function<void(Transaction&)> scan(Bytes low, Bytes high, Direction direction = Direction::kForward) {
    return [this, low, high, direction](Transaction& t) {
      drain(*table_->scan(t, t.view(), range(low, high), direction));
    };
  }
  std::function<void(Transaction&)> scan_index(Bytes low, Bytes high) {
    return [this, low, high](Transaction& t) {
      drain(*table_->scan_index(t, t.view(), kIndex, range(low, high), Direction::kForward));
    };
  }

  static constexpr IndexId kIndex{77};
  StalledLog log_;
  std::unique_ptr<Store> store_;
  std::shared_ptr<Table> table_;

 private:
  static KeyRange range(Bytes low, Bytes high) {
    KeyRange r;
    r.has_low = r.has_high = r.high_inclusive = r.low_inclusive = true;
    r.low = low;
    r.high = high;
    return r;
  }
  static void drain(Cursor& cursor) {
    std::vector<RowRef> out(7);
    size_t n = 0;
    do {
      ASSERT_EQ(cursor.next(out, n), StorageStatus::kOk);
    } while (n > 0);
  }
};

TEST_F(DurableReadsTest, WhatIsDurableNeedsNoWait) {
  auto t = begin();
  insert(*t, "c", "c:1");
  end(*t);
  EXPECT_FALSE(waits(get("a")));
  EXPECT_FALSE(waits(get("x"))) << "never there";
  EXPECT_FALSE(waits(newest("a")));
  EXPECT_FALSE(waits(scan("a", "b")));
  EXPECT_FALSE(waits(scan("d", "x", Direction::kBackward)));
  EXPECT_FALSE(waits(scan_index("a", "b")));
}

TEST_F(DurableReadsTest, ANewRowOrImageIsWaitedFor) {
  auto t = begin();
  insert(*t, "c", "c:1");
  end(*t);
  EXPECT_TRUE(waits(get("c")));
  EXPECT_TRUE(waits(newest("c")));
  EXPECT_TRUE(waits(scan("a", "d")));
  EXPECT_TRUE(waits(scan("b", "c", Direction::kBackward)));
  EXPECT_TRUE(waits(scan_index("c", "c")));
  log_.make_durable();
  EXPECT_FALSE(waits(scan("a", "d")));
  change("a", "a:2");
  EXPECT_TRUE(waits(get("a")));
  EXPECT_FALSE(waits(get("b")));
  log_.make_durable();
  EXPECT_FALSE(waits(get("a")));
}

TEST_F(DurableReadsTest, AnOldSnapshotDoesNotWaitForWhatItDoesNotSee) {
  auto old = begin(Isolation::kRepeatableRead);
  get("b")(*old);
  change("a", "a:2");
  auto t = begin();
  insert(*t, "c", "c:1");
  end(*t);
  EXPECT_FALSE(waits(*old, [&](Transaction& r) {
    get("c")(r);
    scan("b", "d")(r);
  }));
}

TEST_F(DurableReadsTest, WhatIsGoneIsWaitedFor) {
  change("d", {});  // nobody needs it: its record and its entry go at once
  EXPECT_TRUE(waits(get("d")));
  EXPECT_TRUE(waits(scan("c", "x")));
  EXPECT_TRUE(waits(scan_index("d", "d")));
  EXPECT_FALSE(waits(get("a")));
  log_.make_durable();
  EXPECT_FALSE(waits(get("d")));
  EXPECT_FALSE(waits(scan_index("d", "d")));
}

TEST_F(DurableReadsTest, ATombstoneThatASnapshotKeepsIsWaitedForAndSoIsItsCleaning) {
  auto old = begin(Isolation::kRepeatableRead);
  get("a")(*old);
  change("d", {});
  EXPECT_TRUE(waits(get("d")));
  EXPECT_TRUE(waits(scan("c", "x")));
  EXPECT_FALSE(waits(*old, get("d")));
  old.reset();
  static_cast<StoreImpl&>(*store_).reclaimer().run_round();
  EXPECT_TRUE(waits(get("d")));
}

TEST_F(DurableReadsTest, AnIndexEntryThatWasGivenUpIsWaitedFor) {
  change("d", "e:1");
  EXPECT_TRUE(waits(scan_index("d", "d")));
  EXPECT_FALSE(waits(get("a")));
  log_.make_durable();
  EXPECT_FALSE(waits(scan_index("d", "d")));
}

TEST_F(DurableReadsTest, WhoLocksOrClaimsWaitsForTheNewest) {
  auto t = begin();
  insert(*t, "c", "c:1");
  end(*t);
  EXPECT_TRUE(waits([&](Transaction& r) {
    Claimed claimed;
    EXPECT_EQ(table_->claim(r, r.view(), "x", RowLockMode::kUpdate, LockWait::kWait, claimed),
              StorageStatus::kNotFound);
  }));
  EXPECT_TRUE(waits([&](Transaction& r) {
    Claimed claimed;
    EXPECT_EQ(table_->lock_row(r, r.view(), "a", RowLockMode::kShare, LockWait::kWait, claimed), StorageStatus::kOk);
  }));
}

TEST_F(DurableReadsTest, EverybodySeesDefinitions) {
  auto t = begin();
  insert(*t, "c", "c:1");
  store_->on_end(*t, [] {}, {});
  end(*t);
  EXPECT_TRUE(waits(get("a")));
  log_.make_durable();
  EXPECT_FALSE(waits(get("a")));
}

}  // namespace
}  // namespace indigo::storage
