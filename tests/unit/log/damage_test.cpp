// Damage at every offset of a small log and a small checkpoint: everything is there, or the start is refused with the file's
// name; a log whose end was never known to be durable may be shorter, by whole transactions.
#include <set>

#include <gtest/gtest.h>

#include "base/server_log.h"
#include "base/sqlstate.h"
#include "log/checkpoint.h"
#include "log/data_format.h"
#include "log/recovery.h"
#include "log/salvage.h"
#include "tests/unit/log/log_fixture.h"

namespace indigo::log {
namespace {

constexpr Geometry kTiny{.block_bytes = 32 << 10, .segment_bits = 6};
constexpr uint64_t kTransactions = 6;

class DamageTest : public testing::Test {
 protected:
  // Six transactions in a log, which knows that all of them are durable.
  void write_log() {
    WriteAheadLog log(disk_, Durability::kPower, kTiny);
    ASSERT_TRUE(log.start({}).ok());
    ASSERT_TRUE(write_data_format(disk_, {}).ok());
    for (uint64_t i = 1; i <= kTransactions; i++) {
      log.wait_durable(put_row(log, i + 1, 1, std::to_string(i), std::string(i * 20, 'r')));
    }
    log.stop();
  }
  void write_checkpoint(uint64_t number = 1) {
    CheckpointHeader header;
    header.number = number;
    header.epoch = 1;
    header.horizon = kTiny.segment_entries() + kTransactions;
    header.stamp = kTransactions + 1;
    auto writer = CheckpointWriter::create(disk_, header);
    ASSERT_TRUE(writer.ok());
    for (uint64_t i = 1; i <= kTransactions; i++) {
      ASSERT_TRUE((*writer)->put(DurableId{1}, std::to_string(i), std::string(i * 20, 'r')).ok());
    }
    ASSERT_TRUE((*writer)->finish().ok());
  }
  // Recovers; how many transactions there are, all of them whole and none missing between. -1: refused, by name.
  int found(const std::string& name) {
    MapSink state;
    auto result = recover(disk_, state);
    if (!result.ok()) {
      EXPECT_NE(result.error().message.find(name), std::string::npos) << result.error().message;
      return -1;
    }
    for (uint64_t i = 1; i <= state.rows.size(); i++) {
      EXPECT_EQ(state.row(1, std::to_string(i)), std::string(i * 20, 'r')) << "a transaction that never was";
    }
    return static_cast<int>(state.rows.size());
  }

  // What salvage makes of the directory, and what it says; the rows are right, though some may be missing. The old one stays.
  MapSink salvaged(std::string& said) {
    said.clear();
    SimulatedDirectory saved(Granularity::kPage);
    const Status status = salvage_directory(
        disk_, saved, [&](std::string_view line) { said.append(line).append("\n"); }, kTiny);
    MapSink state;
    if (!status.ok()) {
      said += "error: " + status.error().message;
      return state;
    }
    const auto recovered = recover(saved, state);
    EXPECT_TRUE(recovered.ok()) << recovered.error().message;
    for (const auto& [key, row] : state.rows) {
      EXPECT_EQ(row, std::string(std::stoul(key.second) * 20, 'r'));
    }
    return state;
  }

  SimulatedDirectory disk_{Granularity::kPage};
  int refused_ = 0, whole_ = 0;
};

TEST_F(DamageTest, OneBitAtEveryOffsetOfALog) {
  write_log();
  const std::string name = WriteAheadLog::file_name(1);
  const std::string bytes = disk_.read_all(name);
  for (size_t offset = 0; offset < bytes.size(); offset++) {
    if (bytes[offset] == 0 && offset % 13 != 0) continue;  // most of it is empty
    const char flipped = static_cast<char>(bytes[offset] ^ (1 << offset % 8));
    disk_.overwrite(name, offset, Bytes(&flipped, 1));
    const int n = found(name);
    disk_.overwrite(name, offset, Bytes(&bytes[offset], 1));
    ASSERT_TRUE(n == -1 || n == static_cast<int>(kTransactions)) << "offset " << offset << ": " << n;
    (n == -1 ? refused_ : whole_)++;
  }
  EXPECT_GT(refused_, 300);
  EXPECT_GT(whole_, 1000);
}

TEST_F(DamageTest, TheRestOfALogMissingFromEveryOffset) {
  write_log();
  const std::string name = WriteAheadLog::file_name(1);
  const std::string bytes = disk_.read_all(name);
  constexpr char kZero = 0;
  for (size_t offset = bytes.size(); offset-- > 0;) {
    if (bytes[offset] == 0) continue;
    disk_.overwrite(name, offset, Bytes(&kZero, 1));
    const int n = found(name);
    // Above the tables there are only records, and the watermarks tell how many there must be.
    if (offset >= kFirstTable) {
      ASSERT_EQ(n, -1) << "offset " << offset;
    }
  }
}

TEST_F(DamageTest, OneBitAtEveryOffsetOfACheckpoint) {
  write_log();
  write_checkpoint();
  const std::string name = CheckpointWriter::file_name(1);
  const std::string bytes = disk_.read_all(name);
  for (size_t offset = 0; offset < bytes.size(); offset++) {
    for (int bit = 0; bit < 8; bit++) {
      const char flipped = static_cast<char>(bytes[offset] ^ (1 << bit));
      disk_.overwrite(name, offset, Bytes(&flipped, 1));
      const int n = found(name);
      disk_.overwrite(name, offset, Bytes(&bytes[offset], 1));
      ASSERT_TRUE(n == -1 || n == static_cast<int>(kTransactions)) << "offset " << offset << ": " << n;
      (n == -1 ? refused_ : whole_)++;
    }
  }
  EXPECT_GT(refused_, 1000);
}

TEST_F(DamageTest, AnythingOfTheNewerOfTwoCheckpoints) {
  write_log();
  write_checkpoint(1);
  write_checkpoint(2);
  const std::string name = CheckpointWriter::file_name(2);
  const std::string bytes = disk_.read_all(name);
  const LogLevel level = log_level();
  set_log_level(LogLevel::kSilent);  // each recovery says what is damaged
  uint64_t earlier = 0;
  for (size_t offset = 0; offset < bytes.size(); offset++) {
    const char flipped = static_cast<char>(bytes[offset] ^ (1 << offset % 8));
    disk_.overwrite(name, offset, Bytes(&flipped, 1));
    MapSink state;
    auto result = recover(disk_, state);
    disk_.overwrite(name, offset, Bytes(&bytes[offset], 1));
    if (!result.ok()) {  // of another version, which is no damage
      ASSERT_EQ(result.error().state, sqlstate::kFeatureNotSupported) << "offset " << offset;
      continue;
    }
    ASSERT_EQ(state.rows.size(), kTransactions) << "offset " << offset;
    EXPECT_EQ(result->newest_checkpoint, 2U);
    earlier += result->checkpoint.number == 1 ? 1 : 0;
  }
  EXPECT_GT(earlier, bytes.size() - 100);
  for (size_t size = 0; size < bytes.size(); size += 7) {
    auto file = disk_.create_file(name);
    ASSERT_TRUE(file.ok() && (*file)->append(Bytes(bytes).substr(0, size)).ok());
    ASSERT_EQ(found(name), static_cast<int>(kTransactions)) << size;
  }
  set_log_level(level);
}

TEST_F(DamageTest, ACheckpointThatEndsEarlyAtEveryOffset) {
  write_log();
  write_checkpoint();
  const std::string name = CheckpointWriter::file_name(1);
  const std::string bytes = disk_.read_all(name);
  for (size_t size = 0; size < bytes.size(); size++) {
    auto file = disk_.create_file(name);
    ASSERT_TRUE(file.ok() && (*file)->append(Bytes(bytes).substr(0, size)).ok());
    ASSERT_EQ(found(name), -1) << size;
  }
}

TEST_F(DamageTest, SalvageKeepsAllTransactionsBeforeTheDamageOfALog) {
  write_log();
  std::string said;
  EXPECT_EQ(salvaged(said).rows.size(), kTransactions);
  EXPECT_EQ(said, "saved: 6 rows in 1 tables, 0 sequences\n");
  const std::string name = WriteAheadLog::file_name(1);
  const std::string bytes = disk_.read_all(name);
  std::set<size_t> counts;
  for (size_t offset = 0; offset < bytes.size(); offset++) {
    if (bytes[offset] == 0) continue;
    const char flipped = static_cast<char>(bytes[offset] ^ (1 << offset % 8));
    disk_.overwrite(name, offset, Bytes(&flipped, 1));
    const MapSink state = salvaged(said);
    EXPECT_EQ(disk_.read_all(name)[offset], flipped);
    disk_.overwrite(name, offset, Bytes(&bytes[offset], 1));
    counts.insert(state.rows.size());
    ASSERT_EQ(state.rows.size() == kTransactions, said.starts_with("saved: 6 rows")) << offset << ": " << said;
    for (size_t i = 1; i <= state.rows.size(); i++) ASSERT_NE(state.row(1, std::to_string(i)), "") << offset;
  }
  EXPECT_EQ(counts, (std::set<size_t>{0, 1, 2, 3, 4, 5, 6}));
}

TEST_F(DamageTest, SalvageKeepsTheWholeChunksOfTheOnlyCheckpoint) {
  write_log();
  CheckpointHeader header;
  header.number = 1;
  header.epoch = 1;
  header.horizon = kTiny.segment_entries() + kTransactions;
  header.stamp = kTransactions + 1;
  constexpr uint64_t kRows = 500;  // about 2.5 MB, three chunks
  {
    auto writer = CheckpointWriter::create(disk_, header);
    ASSERT_TRUE(writer.ok());
    for (uint64_t i = 1; i <= kRows; i++)
      ASSERT_TRUE((*writer)->put(DurableId{1}, std::to_string(i), std::string(i * 20, 'r')).ok());
    ASSERT_TRUE((*writer)->finish().ok());
  }
  const std::string name = CheckpointWriter::file_name(1);
  const std::string bytes = disk_.read_all(name);
  std::string said;
  EXPECT_EQ(salvaged(said).rows.size(), kRows);
  for (const size_t offset : {sizeof(CheckpointHeader), sizeof(CheckpointHeader) + 9, size_t{1000}, bytes.size() / 2,
                              bytes.size() - 2000, bytes.size() - sizeof(ChunkHeader)}) {
    const char flipped = static_cast<char>(bytes[offset] ^ 1);
    disk_.overwrite(name, offset, Bytes(&flipped, 1));
    const MapSink state = salvaged(said);
    disk_.overwrite(name, offset, Bytes(&bytes[offset], 1));
    const bool only_the_end = offset == bytes.size() - sizeof(ChunkHeader);
    EXPECT_GT(state.rows.size(), only_the_end ? kRows - 1 : kRows / 10) << offset << said;
    EXPECT_EQ(state.rows.size() < kRows, !only_the_end) << offset << said;
    EXPECT_NE(said.find("bytes of rows are lost"), std::string::npos) << offset << said;
  }
  disk_.overwrite(name, 0, "nothing");
  EXPECT_EQ(salvaged(said).rows.size(), 0U);
  EXPECT_NE(said.find("error: no checkpoint"), std::string::npos) << said;
}

}  // namespace
}  // namespace indigo::log
