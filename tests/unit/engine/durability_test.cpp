// What clients are told when the log's device is full or fails.
#include <map>
#include <string>

#include <gtest/gtest.h>

#include "base/sqlstate.h"
#include "engine/durability/data_directory.h"
#include "engine/instance.h"
#include "log/file_error.h"
#include "log/simulated_directory.h"
#include "storage/txn/clock_source.h"
#include "tests/unit/engine/table_sink.h"

namespace indigo::engine {
namespace {

class DurabilityTest : public testing::Test {
 protected:
  void open(std::map<std::string, std::string> settings = {}) {
    session_.reset();
    instance_.reset();
    InstanceOptions options;
    options.settings = std::move(settings);
    options.data_source = std::make_shared<DataSource>(DataSource{disk_, {.block_bytes = 64 << 10, .segment_bits = 8}});
    auto instance = Instance::open(options);
    ASSERT_TRUE(instance.ok()) << instance.error().message;
    instance_ = std::move(*instance);
    auto session = instance_->connect({}, Waiter::current());
    ASSERT_TRUE(session.ok()) << session.error().message;
    session_ = std::move(*session);
  }
  // The SQLSTATE, or the last row's first column.
  std::string run(std::string_view text) {
    TableSink sink(*session_);
    session_->query(text, sink);
    if (sink.failure) return std::string(sink.failure->state.text());
    return sink.table.empty() ? "" : sink.table.back().front();
  }

  std::shared_ptr<log::SimulatedDirectory> disk_ = std::make_shared<log::SimulatedDirectory>(log::Granularity::kPage);
  std::unique_ptr<Instance> instance_;
  std::unique_ptr<Session> session_;
};

TEST_F(DurabilityTest, AFullDeviceIs53100AndACheckpointMakesRoom) {
  open();
  EXPECT_EQ(run("create table t (id int primary key, b text)"), "");
  disk_->set_capacity(disk_->capacity_used() + (256 << 10));
  int stored = 0;
  std::string state;
  while (state.empty() && stored < 1000) {
    state = run("insert into t select " + std::to_string(stored) + ", repeat('x', 20000)");
    if (state.empty()) stored++;
  }
  EXPECT_EQ(state, "53100");
  EXPECT_EQ(run("begin; insert into t values (-1, repeat('x', 20000)), (-2, repeat('x', 200000)); commit"), "53100");
  EXPECT_EQ(run("rollback"), "");
  EXPECT_EQ(run("select count(*) from t"), std::to_string(stored)) << "reading goes on";
  EXPECT_EQ(run("checkpoint"), "");
  EXPECT_EQ(run("insert into t values (-3, 'room again')"), "");
  disk_->set_capacity(UINT64_MAX);  // the next life's log
  open();
  EXPECT_EQ(run("select count(*) from t"), std::to_string(stored + 1));
}

// Room for two checkpoints and the log, but not for three checkpoints: the oldest goes before the newest is written.
TEST_F(DurabilityTest, ACheckpointThatDoesNotFitTakesThePlaceOfTheOneBeforeTheLast) {
  open();
  EXPECT_EQ(run("create table t (id int primary key, b text); insert into t select i, repeat('x', 1000) from "
                "generate_series(1, 1000) i"),
            "");
  const uint64_t empty = disk_->total_used();
  EXPECT_EQ(run("checkpoint"), "");
  const uint64_t one = disk_->total_used() - empty;
  EXPECT_EQ(run("update t set b = repeat('y', 1000) where id < 5"), "");
  EXPECT_EQ(run("checkpoint"), "");
  EXPECT_EQ(run("update t set b = repeat('z', 1000) where id < 5"), "");
  disk_->set_total_capacity(disk_->total_used() + one / 2);
  EXPECT_EQ(run("checkpoint"), "");
  EXPECT_EQ(run("update t set b = repeat('w', 1000) where id < 5"), "");
  disk_->set_total_capacity(disk_->total_used() + one / 2);
  EXPECT_EQ(run("checkpoint"), "");
  disk_->set_total_capacity(UINT64_MAX);
  disk_ = disk_->crash_now();
  open();
  EXPECT_EQ(run("select count(*) from t where b like 'w%'"), "4");
  EXPECT_EQ(run("select count(*) from t"), "1000");
}

// Without room for a checkpoint nothing is lost, and it is written as soon as there is room: nobody has to ask.
TEST_F(DurabilityTest, AFullDiskHealsWhenThereIsRoomAgain) {
  open({{"max_wal_size", "2MB"}});
  EXPECT_EQ(run("create table t (id int primary key, b text)"), "");
  disk_->set_total_capacity(disk_->total_used() + (128 << 10));
  int stored = 0;
  std::string state;
  while (state.empty() && stored < 1000) {
    state = run("insert into t select " + std::to_string(stored) + ", repeat('x', 20000)");
    if (state.empty()) stored++;
  }
  EXPECT_EQ(state, "53100");
  EXPECT_EQ(run("checkpoint"), "53100");
  EXPECT_EQ(run("select count(*) from t"), std::to_string(stored));
  disk_->set_total_capacity(disk_->total_used() + (64 << 20));
  EXPECT_EQ(run("insert into t values (-1, 'room again')"), "");
  EXPECT_EQ(run("checkpoint"), "");
}

TEST_F(DurabilityTest, AFailedFlushIs58030AndNothingIsAcknowledgedAfterIt) {
  open();
  EXPECT_EQ(run("create table t (id int primary key); insert into t values (1)"), "");
  disk_->fail_syncs_after(disk_->persist_points() + 1);
  EXPECT_EQ(run("insert into t values (2)"), "58030");
  EXPECT_EQ(run("insert into t values (3)"), "58030");
  EXPECT_EQ(run("create sequence s"), "58030");
  EXPECT_EQ(run("checkpoint"), "58030");
  EXPECT_EQ(run("begin; select count(*) > 0 from t"), "t") << "reading goes on within a block";
  EXPECT_EQ(run("commit"), "58030") << "but what was read may be lost";
  disk_->fail_syncs_after(UINT64_MAX);  // there is no second try
  EXPECT_EQ(run("insert into t values (4)"), "58030");
  disk_ = disk_->crash_now();
  open();
  EXPECT_EQ(run("select count(*) from t where id = 1"), "1");
  EXPECT_EQ(run("select count(*) from t where id > 2"), "0");
}

// Stamps continue above those of the log, from whichever source they came.
TEST_F(DurabilityTest, ATablesThresholdsHoldAfterAStart) {
  open();
  const auto leaves = [this](const std::string& table) {
    return std::stoi(run("select leaves from indigo_stat_tables where relname = '" + table + "'"));
  };
  EXPECT_EQ(run("create table half (id int primary key, b text) with (fillfactor = 50); create table whole (like half "
                "including "
                "constraints including indexes)"),
            "");
  EXPECT_EQ(run("checkpoint; alter table half set (leaf_merge_fill = 20)"), "");
  open();
  const std::string rows = " select i, repeat('x', 100) from generate_series(1, 3000) i";
  EXPECT_EQ(run("insert into half" + rows + "; insert into whole" + rows), "");
  EXPECT_NEAR(leaves("half"), 2 * leaves("whole"), 3);
  EXPECT_EQ(run("select reloptions from pg_class where relname = 'half'"), "{fillfactor=50,leaf_merge_fill=20}");
}

TEST_F(DurabilityTest, TheClockMayChangeBetweenStarts) {
  if (!storage::clock_source_usable(storage::ClockSource::kTsc)) GTEST_SKIP() << "not on this machine";
  int rows = 0;
  for (const char* clock : {"counter", "tsc", "tsc", "counter", "tsc", "counter"}) {
    open({{"commit_clock", clock}});
    EXPECT_EQ(run("show commit_clock"), clock);
    if (rows == 0) {
      EXPECT_EQ(run("create table t (id int primary key, n int default 0)"), "");
    }
    EXPECT_EQ(run("select count(*) from t"), std::to_string(rows)) << clock;
    EXPECT_EQ(run("select count(*) from t where n = " + std::to_string(rows)), std::to_string(rows)) << clock;
    EXPECT_EQ(run("insert into t select " + std::to_string(rows) + " + i from generate_series(0, 9) i"), "");
    rows += 10;
    EXPECT_EQ(run("begin isolation level serializable; update t set n = " + std::to_string(rows) + "; commit"), "");
    if (rows % 20 == 0) {
      EXPECT_EQ(run("checkpoint"), "");
    }
    session_.reset();
    instance_.reset();
    disk_ = disk_->crash_now();
  }
}

}  // namespace
}  // namespace indigo::engine
