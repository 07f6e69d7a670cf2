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
  for (const std::string& whole : {kRelation, kUpdate, kTruncate, kCommit}) {
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

TEST(ChangeMessage, UnpacksTheStream) {
  const std::string keepalive = "k" + bytes({0, 0, 0, 0, 0, 0, 1, 0}) + std::string(8, 0) + bytes({1});
  const auto message = read_stream_message(keepalive);
  ASSERT_TRUE(message.ok());
  EXPECT_TRUE(message->keepalive);
  EXPECT_TRUE(message->wants_reply);
  EXPECT_EQ(message->end_lsn, 256u);
  const auto data = read_stream_message("w" + std::string(24, 0) + "B...");
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
