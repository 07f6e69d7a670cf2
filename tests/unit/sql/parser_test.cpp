#include "sql/parse/parser.h"

#include <gtest/gtest.h>

#include "sql/parse/node.h"
#include "sql/parse/pre_scan.h"
#include "sql/parse/text_position.h"

namespace indigo::sql {
namespace {

std::string outcome(std::string_view text) {
  auto parsed = parse(text);
  if (parsed.ok()) return std::to_string((*parsed)->statements().size()) + " statements";
  const Error& e = parsed.error();
  std::string out = std::string(e.state.text()) + " " + e.message + " @" + std::to_string(e.position);
  if (!e.hint.empty()) out += " hint: " + e.hint;
  return out;
}

std::string repeat(std::string_view piece, int n) {
  std::string out;
  for (int i = 0; i < n; i++) out += piece;
  return out;
}

TEST(Parser, SplitsStatements) {
  EXPECT_EQ(outcome("select 1"), "1 statements");
  EXPECT_EQ(outcome("select 1;; insert into t values (1);"), "2 statements");
  EXPECT_EQ(outcome(""), "0 statements");
  EXPECT_EQ(outcome(" -- nothing\n ;"), "0 statements");
}

TEST(Parser, SelectIntoIsCreateTableAs) {
  for (const char* text : {"select 1 into t", "select 1 into t union select 2"}) {
    auto parsed = parse(text);
    ASSERT_TRUE(parsed.ok());
    const PgQuery__Node* node = (*parsed)->statements()[0].node;
    ASSERT_EQ(node->node_case, PG_QUERY__NODE__NODE_CREATE_TABLE_AS_STMT);
    EXPECT_STREQ(node->create_table_as_stmt->into->rel->relname, "t");
    EXPECT_EQ(node->create_table_as_stmt->query->node_case, PG_QUERY__NODE__NODE_SELECT_STMT);
  }
}

TEST(Parser, ErrorsCarrySqlstatePositionAndHint) {
  EXPECT_EQ(outcome("selec 1"), "42601 syntax error at or near \"selec\" @1");
  EXPECT_EQ(outcome("select"), "1 statements");
  EXPECT_EQ(outcome("select 1 +"), "42601 syntax error at end of input @11");
  EXPECT_EQ(outcome("select 'ä', 'x"), "42601 unterminated quoted string at or near \"'x\" @13");
  EXPECT_EQ(outcome("select * from (select 1)"),
            "42601 subquery in FROM must have an alias @15 hint: For example, FROM (SELECT ...) [AS] foo.");
  EXPECT_EQ(outcome("select sum(1) over (rows between unbounded following and current row)"),
            "42P20 frame start cannot be UNBOUNDED FOLLOWING @34");
}

TEST(Parser, PositionsCountCharactersPastComments) {
  EXPECT_EQ(outcome("select /* ä /* ö */ ü */ 1 1"), "42601 syntax error at or near \"1\" @28");
  EXPECT_EQ(outcome("select 1 -- ä\n 2"), "42601 syntax error at or near \"2\" @16");
}

TEST(Parser, RefusesInvalidUtf8) {
  EXPECT_EQ(outcome("select '\xff'"), "22021 invalid byte sequence for encoding \"UTF8\": 0xff @0");
  EXPECT_EQ(outcome("select '\xe4\x62\x63'"), "22021 invalid byte sequence for encoding \"UTF8\": 0xe4 0x62 0x63 @0");
  EXPECT_EQ(outcome(std::string_view("select \0 1", 10)), "22021 invalid byte sequence for encoding \"UTF8\": 0x00 @0");
  EXPECT_EQ(outcome("select '\xed\xa0\x80'"), "22021 invalid byte sequence for encoding \"UTF8\": 0xed 0xa0 0x80 @0");
}

TEST(Parser, BlockCommentIsNoStringContinuation) {
  EXPECT_EQ(outcome("select 'a' /* x */\n'b'"), "42601 syntax error at or near \"'b'\" @20");
  EXPECT_EQ(outcome("select 'a' -- ä\n'b'"), "1 statements");
  EXPECT_EQ(outcome("select 'a' -- ä\n'b' 1"), "42601 syntax error at or near \"1\" @21");
}

TEST(Parser, DeepNestingEndsIn54001OrParses) {
  EXPECT_EQ(outcome("select 1" + repeat("+1", 8000)), "1 statements");
  EXPECT_EQ(outcome("select 1" + repeat("+1", 20000)).substr(0, 5), "54001");
  EXPECT_EQ(outcome("select 1" + repeat(" union all select 1", 8000)), "1 statements");
  EXPECT_EQ(outcome("select 1" + repeat(" union all select 1", 20000)).substr(0, 5), "54001");
  EXPECT_EQ(outcome("select 1 from a" + repeat(" natural join b", 20000)).substr(0, 5), "54001");
  EXPECT_EQ(outcome("select " + repeat("(", 20000) + "1").substr(0, 5), "42601");
  EXPECT_EQ(outcome("select " + repeat("not ", 20000) + "true").substr(0, 5), "54001");
  // Chains inside chains add up.
  std::string nested = "1";
  for (int i = 0; i < 5; i++) nested = "(" + nested + repeat("+1", 4000) + ")";
  EXPECT_EQ(outcome("select " + nested).substr(0, 5), "54001");
}

TEST(Parser, LongFlatListsAreFine) {
  EXPECT_EQ(outcome("select * from t where a = 1" + repeat(" or a = 2", 30000)), "1 statements");
  EXPECT_EQ(outcome("insert into t values (1+1)" + repeat(",(1+1)", 30000)), "1 statements");
}

TEST(Parser, NestedCommentsAreFlattened) {
  const std::string text = "select " + repeat("/* ", 10000) + repeat("*/ ", 10000) + "1";
  auto scanned = pre_scan(text);
  ASSERT_TRUE(scanned.ok());
  EXPECT_EQ(scanned->size(), text.size());
  EXPECT_EQ(outcome(text), "1 statements");
}

TEST(Utf8, PositionsAndOffsets) {
  EXPECT_EQ(character_position("aäb", 0), 1);
  EXPECT_EQ(character_position("aäb", 3), 3);
  EXPECT_EQ(character_position("aäb", 9), 0);
  EXPECT_EQ(byte_offset("aäb", 3), 3);
  EXPECT_EQ(byte_offset("aäb", 0), -1);
}

TEST(WalkTree, VisitsEveryMessage) {
  auto parsed = parse("select a from t where exists (select 1 from u, v)");
  ASSERT_TRUE(parsed.ok());
  int relations = 0;
  walk_tree(&(*parsed)->statements()[0].node->base, [&](const ProtobufCMessage* m) {
    relations += m->descriptor == &pg_query__range_var__descriptor;
    return true;
  });
  EXPECT_EQ(relations, 3);
}

}  // namespace
}  // namespace indigo::sql
