// What is acknowledged is there after a crash, and what is there is a prefix.
#include "log/recovery.h"

#include <atomic>
#include <mutex>
#include <random>
#include <set>
#include <thread>

#include <gtest/gtest.h>

#include "log/checkpoint.h"
#include "log/file_error.h"
#include "tests/unit/log/log_fixture.h"

namespace indigo::log {
namespace {

struct Kind {
  Granularity granularity;
  Durability level;
};

class Recovery : public testing::TestWithParam<Kind> {};
INSTANTIATE_TEST_SUITE_P(Devices, Recovery,
                         testing::Values(Kind{Granularity::kPage, Durability::kPower},
                                         Kind{Granularity::kPage, Durability::kProcess},
                                         Kind{Granularity::kCacheLine, Durability::kPower}),
                         [](const auto& test) {
                           return std::string(test.param.granularity == Granularity::kPage ? "page" : "cacheline") +
                                  "_" + durability_name(test.param.level);
                         });

TEST_P(Recovery, BringsBackRowsSequencesAndOids) {
  SimulatedDirectory disk(GetParam().granularity);
  {
    Life life(disk, GetParam().level);
    ASSERT_EQ(life.error, "");
    EXPECT_TRUE(life.recovered.fresh);
    for (int i = 0; i < 1000; i++) put_row(*life.log, 2 + i, 1, std::to_string(i), "row " + std::to_string(i));
    RecordStream stream(*life.log);
    ASSERT_EQ(stream.erase(DurableId{1}, "7"), Log::Outcome::kOk);
    ASSERT_EQ(stream.prepare(), Log::Outcome::kOk);
    stream.append(CommitStamp{2000});
    std::string notes;
    encode_sequence(DurableId{5}, 33, true, notes);
    encode_oids(20000, notes);
    Lsn lsn;
    ASSERT_EQ(append_notes(*life.log, notes, lsn), Log::Outcome::kOk);
    EXPECT_TRUE(life.log->wait_durable(lsn));
    life.log->stop();
  }
  Life again(disk, GetParam().level);
  ASSERT_EQ(again.error, "");
  EXPECT_EQ(again.state.rows.size(), 999U);
  EXPECT_EQ(again.state.row(1, "999"), "row 999");
  EXPECT_EQ(again.state.row(1, "7"), "");
  EXPECT_EQ(again.state.sequences[5], 33);
  EXPECT_EQ(again.state.oid, 20000U);
  EXPECT_EQ(again.recovered.stamp, 2000U);
}

TEST_P(Recovery, TransactionsLongerThanABlockComeBackWholeOrNotAtAll) {
  SimulatedDirectory disk(GetParam().granularity);
  Life life(disk, GetParam().level);
  RecordStream whole(*life.log), unfinished(*life.log);
  const std::string big(300'000, 'b');  // several blocks
  for (int i = 0; i < 3; i++) {
    ASSERT_EQ(whole.put(DurableId{1}, std::to_string(i), big + std::to_string(i)), Log::Outcome::kOk);
    ASSERT_EQ(unfinished.put(DurableId{2}, std::to_string(i), big), Log::Outcome::kOk);
  }
  ASSERT_EQ(whole.prepare(), Log::Outcome::kOk);
  EXPECT_TRUE(life.log->wait_durable(whole.append(CommitStamp{2})));
  auto killed = disk.process_killed();
  Life again(*killed, GetParam().level);
  ASSERT_EQ(again.error, "");
  EXPECT_EQ(again.state.rows.size(), 3U);
  EXPECT_EQ(again.state.row(1, "2"), big + "2");
}

// Crash at every point at which something becomes durable; recover; work; crash; recover.
void crash_everywhere(Kind kind, uint64_t seed, uint64_t& crashes) {
  SCOPED_TRACE("seed " + std::to_string(seed));
  for (uint64_t point = 1 + seed % 7; point < 300; point += 7) {
    SimulatedDirectory disk(kind.granularity, seed * 1000 + point);
    uint64_t acknowledged = 0, acknowledged_at_crash = 0;
    disk.crash_at(point, [&] { acknowledged_at_crash = acknowledged; });
    {
      Life life(disk, kind.level);
      ASSERT_EQ(life.error, "");
      std::mt19937_64 random(seed);
      for (uint64_t i = 1; i <= 60; i++) {
        std::string row(random() % 3000, static_cast<char>('a' + i % 26));
        RecordStream stream(*life.log);
        ASSERT_EQ(stream.put(DurableId{1}, std::to_string(i), row), Log::Outcome::kOk);
        ASSERT_EQ(stream.put(DurableId{1}, "last", std::to_string(i)), Log::Outcome::kOk);
        ASSERT_EQ(stream.prepare(), Log::Outcome::kOk);
        ASSERT_TRUE(life.log->wait_durable(stream.append(CommitStamp{i + 1})));
        acknowledged = i;
      }
      life.log->stop();
    }
    auto crashed = disk.take_crashed();
    if (crashed == nullptr) return;
    crashes++;
    for (int life_number = 2; life_number < 4; life_number++) {
      Life life(*crashed, kind.level);
      ASSERT_EQ(life.error, "") << "point " << point;
      const std::string last = life.state.row(1, "last");
      const uint64_t found = last.empty() ? 0 : std::stoull(last);
      ASSERT_GE(found, acknowledged_at_crash) << "point " << point << ", life " << life_number;
      for (uint64_t i = 1; i <= found; i++) ASSERT_TRUE(life.state.rows.contains({1, std::to_string(i)}));
      ASSERT_EQ(life.state.rows.size(), found == 0 ? 0 : found + 1) << "half a transaction";
      // One more, so that the next life has an LSN where this one's tail was cut.
      ASSERT_TRUE(life.log->wait_durable(put_row(*life.log, found + 100, 1, std::to_string(found + 1), "again")));
      ASSERT_TRUE(life.log->wait_durable(put_row(*life.log, found + 101, 1, "last", std::to_string(found + 1))));
      acknowledged_at_crash = found + 1;
      life.log->stop();
      crashed = crashed->crash_now();
    }
  }
}

TEST_P(Recovery, SurvivesACrashAtEveryPersistPoint) {
  if (GetParam().level == Durability::kProcess) GTEST_SKIP() << "promises nothing beyond the process";
  uint64_t crashes = 0;
  for (uint64_t seed = 1; seed <= 5; seed++) crash_everywhere(GetParam(), seed, crashes);
  RecordProperty("crashes", static_cast<int>(crashes));
  EXPECT_GT(crashes, 40U);
}

TEST_P(Recovery, WithManyThreadsEveryAcknowledgedTransactionIsThere) {
  if (GetParam().level == Durability::kProcess) GTEST_SKIP() << "promises nothing beyond the process";
  for (uint64_t seed = 1; seed <= 8; seed++) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    SimulatedDirectory disk(GetParam().granularity, seed);
    constexpr int kThreads = 4;
    std::array<std::atomic<uint64_t>, kThreads> acknowledged{};
    std::array<uint64_t, kThreads> at_crash{};
    std::atomic<uint64_t> stamp{1};
    disk.crash_at(8 + seed * 5, [&] {
      for (int t = 0; t < kThreads; t++) at_crash[t] = acknowledged[t];
    });
    {
      Life life(disk, GetParam().level);
      ASSERT_EQ(life.error, "");
      std::vector<std::thread> threads;
      for (int t = 0; t < kThreads; t++) {
        threads.emplace_back([&, t] {
          for (uint64_t i = 1; i <= 50; i++) {
            Lsn lsn = put_row(*life.log, ++stamp, t, std::to_string(i), "x");
            if (!life.log->wait_durable(lsn)) return;
            acknowledged[t] = i;
          }
        });
      }
      for (auto& t : threads) t.join();
      life.log->stop();
    }
    auto crashed = disk.take_crashed();
    ASSERT_NE(crashed, nullptr);
    Life life(*crashed, GetParam().level);
    ASSERT_EQ(life.error, "");
    for (int t = 0; t < kThreads; t++) {
      uint64_t found = 0;
      while (life.state.rows.contains({t, std::to_string(found + 1)})) found++;
      EXPECT_GE(found, at_crash[t]);
      for (uint64_t i = found + 1; i <= 50; i++) EXPECT_FALSE(life.state.rows.contains({t, std::to_string(i)}));
    }
  }
}

// Stamps as a store gives them: taken, appended, decided, not in order.
class Stamps {
 public:
  uint64_t take() {
    const std::lock_guard lock(mutex_);
    undecided_.insert(++last_);
    return last_;
  }
  void decide(uint64_t stamp) {
    const std::lock_guard lock(mutex_);
    undecided_.erase(stamp);
  }
  CommitStamp stable() {
    const std::lock_guard lock(mutex_);
    return CommitStamp(undecided_.empty() ? last_ : *undecided_.begin() - 1);
  }

 private:
  std::mutex mutex_;
  uint64_t last_ = 1;
  std::set<uint64_t> undecided_;
};

TEST_P(Recovery, ADurableStampCoversOnlyWhatACrashLeaves) {
  if (GetParam().level == Durability::kProcess) GTEST_SKIP() << "promises nothing beyond the process";
  uint64_t told = 0;
  for (uint64_t seed = 1; seed <= 12; seed++) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    SimulatedDirectory disk(GetParam().granularity, seed);
    Stamps stamps;
    std::atomic<WriteAheadLog*> log{nullptr};
    uint64_t durable = 0;
    disk.crash_at(8 + seed * 5, [&] { durable = log == nullptr ? 0 : log.load()->durable_stamp().value; });
    {
      Life life(disk, GetParam().level);
      ASSERT_EQ(life.error, "");
      life.log->follow_commits([&] { return stamps.stable(); });
      log = life.log.get();
      std::vector<std::thread> threads;
      for (int t = 0; t < 4; t++) {
        threads.emplace_back([&, t] {
          for (int i = 0; i < 50; i++) {
            const uint64_t stamp = stamps.take();
            const Lsn lsn = put_row(*life.log, stamp, 1, std::to_string(stamp), "x");
            if (t == 0) std::this_thread::yield();
            stamps.decide(stamp);
            if (i % 4 == t && !life.log->wait_durable(lsn)) return;
          }
        });
      }
      for (auto& t : threads) t.join();
      life.log->follow_commits({});
      life.log->stop();
    }
    auto crashed = disk.take_crashed();
    if (crashed == nullptr) continue;
    Life life(*crashed, GetParam().level);
    ASSERT_EQ(life.error, "");
    for (uint64_t stamp = 2; stamp <= durable; stamp++) {
      EXPECT_TRUE(life.state.rows.contains({1, std::to_string(stamp)})) << stamp << " of " << durable;
    }
    told += durable;
  }
  EXPECT_EQ(told > 0, GetParam().granularity == Granularity::kPage);
}

// The proof's own proof: with the flush left out, acknowledged transactions are lost, and the test above would say so.
TEST(RecoveryMutation, WithoutFlushesOrFencesTransactionsAreLost) {
  for (Granularity granularity : {Granularity::kPage, Granularity::kCacheLine}) {
    bool lost = false;
    for (uint64_t seed = 1; seed <= 20 && !lost; seed++) {
      SimulatedDirectory disk(granularity, seed);
      Life life(disk);
      ASSERT_EQ(life.error, "");
      disk.omit_fences = disk.omit_syncs = true;
      for (uint64_t i = 1; i <= 20; i++) {
        life.log->wait_durable(put_row(*life.log, i + 1, 1, std::to_string(i), "x"));
      }
      auto crashed = disk.crash_now();
      life.log->stop();
      Life again(*crashed);
      lost = !again.error.empty() || again.state.rows.size() < 20;
    }
    EXPECT_TRUE(lost);
  }
}

TEST(RecoveryProgress, IsToldInTheServersLog) {
  SimulatedDirectory disk(Granularity::kPage);
  {
    Life life(disk);
    for (uint64_t i = 1; i <= 3000; i++) put_row(*life.log, i + 1, 1, std::to_string(i), "x");
    life.log->stop();
  }
  MapSink state;
  testing::internal::CaptureStderr();
  EXPECT_TRUE(recover(disk, state, RecoverOptions{std::chrono::milliseconds(0), {}}).ok());
  const std::string text = testing::internal::GetCapturedStderr();
  EXPECT_NE(text.find("recovering: 0 MB, 1023 transactions so far"), std::string::npos) << text;
  EXPECT_NE(text.find("recovering: 0 MB, 2047 transactions so far"), std::string::npos) << text;
}

TEST(RecoveryDamage, RefusesAMissingLogAForeignDirectoryAndAnUnknownVersion) {
  SimulatedDirectory disk(Granularity::kPage);
  { Life life(disk); }
  { Life life(disk); }
  MapSink state;
  auto missing = disk.process_killed();
  ASSERT_TRUE(missing->remove(WriteAheadLog::file_name(1)).ok());
  EXPECT_FALSE(recover(*missing, state).ok());
  auto newer = disk.process_killed();
  newer->overwrite(WriteAheadLog::file_name(2), 8, "\x09");
  auto result = recover(*newer, state);
  ASSERT_FALSE(result.ok());
  EXPECT_NE(result.error().message.find("version 9"), std::string::npos) << result.error().message;
  SimulatedDirectory foreign(Granularity::kPage);
  ASSERT_TRUE(foreign.create_file("thesis.tex").ok());
  EXPECT_FALSE(recover(foreign, state).ok());
}

TEST(RecoveryFaults, AFailedFlushAcknowledgesNothingFromThenOn) {
  SimulatedDirectory disk(Granularity::kPage);
  Life life(disk);
  ASSERT_TRUE(life.log->wait_durable(put_row(*life.log, 2, 1, "a", "x")));
  disk.fail_syncs_after(disk.persist_points() + 1);
  EXPECT_FALSE(life.log->wait_durable(put_row(*life.log, 3, 1, "b", "x")));
  disk.fail_syncs_after(UINT64_MAX);  // the device would work again, but is not asked
  EXPECT_EQ(put_row(*life.log, 4, 1, "c", "x"), Lsn{});
  EXPECT_EQ(life.log->failure().error().state, sqlstate::kIoError);
}

// After the failure the kernel shows what is not on the device, and the next sync does not write it.
TEST(RecoveryFaults, WhatARestartAfterAFailedFlushShowsNoPowerLossTakesBack) {
  for (const int rows : {1, 3, 700}) {  // the last also needs tables that the failed flush should have written
    SimulatedDirectory disk(Granularity::kPage);
    {
      Life life(disk);
      ASSERT_TRUE(life.log->wait_durable(put_row(*life.log, 2, 1, "before", "x")));
      disk.fail_syncs_after(disk.persist_points() + 1);
      Lsn last{};
      for (int i = 0; i < rows; i++) {
        if (const Lsn lsn = put_row(*life.log, 3 + i, 1, std::to_string(i), "x"); lsn) last = lsn;
      }
      EXPECT_FALSE(life.log->wait_durable(last));
    }
    auto dead = disk.process_killed();
    Life again(*dead);
    ASSERT_EQ(again.error, "");
    EXPECT_GE(again.state.rows.size(), 2U);
    auto off = dead->crash_now();
    Life last(*off);
    ASSERT_EQ(last.error, "") << rows;
    EXPECT_EQ(last.state.rows, again.state.rows) << rows;
  }
}

TEST(RecoveryFaults, ALogOfSmallerBlocksIsMadeWhereThereIsLittleRoom) {
  SimulatedDirectory disk(Granularity::kPage);
  disk.set_total_capacity(Geometry().block_bytes);
  WriteAheadLog log(disk, Durability::kPower, {});
  ASSERT_TRUE(log.start({}).ok());
  EXPECT_TRUE(log.wait_durable(put_row(log, 2, 1, "key", std::string(3'000'000, 'x'))));  // in several records
  log.stop();
  SimulatedDirectory full(Granularity::kPage);
  full.set_total_capacity(1 << 20);
  WriteAheadLog none(full, Durability::kPower, {});
  const Status refused = none.start({});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().state, sqlstate::kDiskFull);
  EXPECT_TRUE(full.list()->empty());
}

TEST(RecoveryFaults, AFullDeviceIsAnErrorUntilACheckpointMakesRoom) {
  SimulatedDirectory disk(Granularity::kPage);
  disk.set_capacity(6 * kSmall.block_bytes);
  Life life(disk);
  ASSERT_EQ(life.error, "");
  uint64_t stamp = 1;
  const std::string row(10'000, 'x');
  while (put_row(*life.log, stamp + 1, 1, std::to_string(stamp), row)) ASSERT_LT(++stamp, 1000U);
  EXPECT_EQ(life.log->failure().error().state, sqlstate::kDiskFull);
  CheckpointHeader header;
  header.number = 1;
  header.epoch = 1;
  header.horizon = life.log->horizon_candidate();
  header.stamp = stamp;
  auto writer = CheckpointWriter::create(disk, header);
  ASSERT_TRUE(writer.ok());
  ASSERT_TRUE((*writer)->put(DurableId{1}, "all", "of it").ok());
  ASSERT_TRUE((*writer)->finish().ok());
  life.log->recycle(header.horizon);
  for (int i = 0; i < 5; i++) ASSERT_TRUE(life.log->wait_durable(put_row(*life.log, ++stamp, 1, "after", row)));
  life.log->stop();
  disk.set_capacity(UINT64_MAX);  // a start needs room for the next epoch's log
  Life again(disk);
  ASSERT_EQ(again.error, "");
  EXPECT_EQ(again.state.row(1, "all"), "of it");
  EXPECT_EQ(again.state.row(1, "after"), row);
  EXPECT_EQ(again.state.rows.size(), 2U);
}

}  // namespace
}  // namespace indigo::log
