// pgoutput's messages as they come from a publisher, whole and cut off at every byte.
#include "engine/subscription/change_message.h"

#include <string>
#include <variant>

#include <gtest/gtest.h>

#include "base/sqlstate.h"

namespace indigo::engine::subscription {
namespace {

std::string bytes(std::initializer_list<int> all) {
  std::string out;
  for (const int one : all) out.push_back(static_cast<char>(one));
  return out;
}
std::string with_zero(std::string_view text) { return std::string(text) + '\0'; }

const std::string kRelation = bytes({'R', 0, 0, 0x40, 1}) + with_zero("") + with_zero("t") + bytes({'f', 0, 2, 1}) +
                              with_zero("id") + bytes({0, 0, 0, 23, 255, 255, 255, 255, 0}) + with_zero("note") +
                              bytes({0, 0, 0, 25, 255, 255, 255, 255});
const std::string kUpdate = bytes({'U', 0, 0, 0x40, 1, 'K', 0, 2, 't', 0, 0, 0, 1, '7', 'n'}) +
                            bytes({'N', 0, 2, 't', 0, 0, 0, 2, '1', '0', 'u'});
const std::string kTruncate = bytes({'T', 0, 0, 0, 2, 3, 0, 0, 0x40, 1, 0, 0, 0x40, 2});
const std::string kCommit =
    bytes({'C', 0, 0, 0, 0, 0, 0, 0, 0, 9}) + bytes({0, 0, 0, 1, 0, 0, 0, 5}) + std::string(8, 0);

const std::string kNumber = bytes({0, 0, 0, 0, 0, 0, 0, 9}), kTime(8, 0), kTransaction = bytes({0, 0, 2, 1});
const std::string kStreamStart = "S" + kTransaction + bytes({1});
const std::string kStreamCommit = "c" + kTransaction + bytes({0}) + kNumber + bytes({0, 0, 0, 1, 0, 0, 0, 5}) + kTime;
const std::string kStreamAbort = "A" + kTransaction + bytes({0, 0, 2, 2});
const std::string kBeginPrepare = "b" + kNumber + kNumber + kTime + kTransaction + with_zero("name");
const std::string kPrepare =
    "P" + bytes({0}) + kNumber + bytes({0, 0, 0, 0, 0, 0, 0, 12}) + kTime + kTransaction + with_zero("name");
const std::string kRollbackPrepared =
    "r" + bytes({0}) + kTime + kNumber + kTime + kTime + kTransaction + with_zero("name");

TEST(ChangeMessage, ReadsRelationsWithTheirKeys) {
  const auto message = read_change(kRelation);
  ASSERT_TRUE(message.ok());
  const auto& relation = std::get<RelationChange>(*message);
  EXPECT_EQ(relation.relation, 0x4001u);
  EXPECT_EQ(relation.schema, "pg_catalog");
  EXPECT_EQ(relation.name, "t");
  EXPECT_EQ(relation.identity, 'f');
  ASSERT_EQ(relation.columns.size(), 2u);
  EXPECT_TRUE(relation.columns[0].key);
  EXPECT_EQ(relation.columns[1].name, "note");
  EXPECT_FALSE(relation.columns[1].key);
}

TEST(ChangeMessage, ReadsOldAndNewRows) {
  const auto message = read_change(kUpdate);
  ASSERT_TRUE(message.ok());
  const auto& row = std::get<RowChange>(*message);
  EXPECT_EQ(row.kind, RowChange::Kind::kUpdate);
  ASSERT_TRUE(row.has_old);
  EXPECT_EQ(row.old_tuple[0].bytes, "7");
  EXPECT_EQ(row.old_tuple[1].kind, TupleValue::Kind::kNull);
  EXPECT_EQ(row.new_tuple[0].bytes, "10");
  EXPECT_EQ(row.new_tuple[1].kind, TupleValue::Kind::kUnchanged);
}

TEST(ChangeMessage, ReadsTruncateAndCommit) {
  const auto truncate = read_change(kTruncate);
  ASSERT_TRUE(truncate.ok());
  EXPECT_TRUE(std::get<TruncateChange>(*truncate).restart_sequences);
  EXPECT_EQ(std::get<TruncateChange>(*truncate).relations, (std::vector<uint32_t>{0x4001, 0x4002}));
  const auto commit = read_change(kCommit);
  ASSERT_TRUE(commit.ok());
  EXPECT_EQ(std::get<CommitChange>(*commit).end_lsn, 0x100000005u);
}

TEST(ChangeMessage, RefusesWhatIsCutOff) {
  for (const std::string& whole : {kRelation, kUpdate, kTruncate, kCommit, kStreamStart, kStreamCommit, kStreamAbort,
                                   kBeginPrepare, kPrepare, kRollbackPrepared}) {
    for (size_t size = 0; size < whole.size(); size++) {
      const auto message = read_change(std::string_view(whole).substr(0, size));
      ASSERT_FALSE(message.ok()) << whole[0] << ' ' << size;
      EXPECT_EQ(message.error().state, sqlstate::kProtocolViolation);
    }
  }
  EXPECT_FALSE(read_change("X").ok());
  EXPECT_FALSE(read_change(bytes({'I', 0, 0, 0, 1, 'O', 0, 0})).ok());
  EXPECT_FALSE(read_change(bytes({'D', 0, 0, 0, 1, 'N', 0, 0})).ok());
  EXPECT_FALSE(read_stream_message("k").ok());
  EXPECT_FALSE(read_stream_message(std::string(40, 'x')).ok());
}

TEST(ChangeMessage, ReadsStreamsOfTransactionsInProgress) {
  EXPECT_EQ(std::get<StreamStartChange>(*read_change(kStreamStart)).transaction, 0x201u);
  EXPECT_TRUE(std::holds_alternative<StreamStopChange>(*read_change("E")));
  const auto commit = std::get<StreamCommitChange>(*read_change(kStreamCommit));
  EXPECT_EQ(commit.transaction, 0x201u);
  EXPECT_EQ(commit.commit_lsn, 9u);
  EXPECT_EQ(commit.end_lsn, 0x100000005u);
  const auto abort = std::get<StreamAbortChange>(*read_change(kStreamAbort));
  EXPECT_EQ(abort.transaction, 0x201u);
  EXPECT_EQ(abort.subtransaction, 0x202u);
  const auto streamed = read_streamed("I" + kTransaction + "rest");
  ASSERT_TRUE(streamed.ok());
  EXPECT_EQ(streamed->subtransaction, 0x201u);
  EXPECT_EQ(streamed->message, "Irest");
  EXPECT_FALSE(read_streamed("I" + kTransaction.substr(1)).ok());
}

TEST(ChangeMessage, ReadsTwoPhaseCommit) {
  const auto begin = std::get<BeginPrepareChange>(*read_change(kBeginPrepare));
  EXPECT_EQ(begin.prepare_lsn, 9u);
  EXPECT_EQ(begin.transaction, 0x201u);
  for (const char kind : {'P', 'p'}) {
    const auto prepare = std::get<PrepareChange>(*read_change(kind + kPrepare.substr(1)));
    EXPECT_EQ(prepare.streamed, kind == 'p');
    EXPECT_EQ(prepare.prepare_lsn, 9u);
    EXPECT_EQ(prepare.end_lsn, 12u);
    EXPECT_EQ(prepare.transaction, 0x201u);
  }
  const auto commit = std::get<CommitPreparedChange>(*read_change("K" + kPrepare.substr(1)));
  EXPECT_EQ(commit.commit_lsn, 9u);
  EXPECT_EQ(commit.end_lsn, 12u);
  EXPECT_EQ(commit.transaction, 0x201u);
  const auto rollback = std::get<RollbackPreparedChange>(*read_change(kRollbackPrepared));
  EXPECT_EQ(rollback.end_lsn, 9u);
  EXPECT_EQ(rollback.transaction, 0x201u);
}

TEST(ChangeMessage, UnpacksTheStream) {
  const std::string keepalive = "k" + bytes({0, 0, 0, 0, 0, 0, 1, 0}) + std::string(8, 0) + bytes({1});
  const auto message = read_stream_message(keepalive);
  ASSERT_TRUE(message.ok());
  EXPECT_TRUE(message->keepalive);
  EXPECT_TRUE(message->wants_reply);
  EXPECT_EQ(message->end_lsn, 256u);
  const std::string rows = "w" + std::string(24, 0) + "B...";  // its payload is a part of it
  const auto data = read_stream_message(rows);
  ASSERT_TRUE(data.ok());
  EXPECT_EQ(data->payload, "B...");
  const std::string status = status_update(2, 1, 0, true);
  ASSERT_EQ(status.size(), 34u);
  EXPECT_EQ(status[8], 2);   // written
  EXPECT_EQ(status[16], 1);  // flushed
  EXPECT_EQ(status[24], 2);  // applied
  EXPECT_EQ(status[33], 1);
}

}  // namespace
}  // namespace indigo::engine::subscription
