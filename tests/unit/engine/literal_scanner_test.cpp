#include "engine/statement/literal_scanner.h"

#include <gtest/gtest.h>

#include "engine/statement/utility_statement.h"

namespace indigo::engine {
namespace {

using Class = sql::LiftedLiteral::Class;

ScannedText scan(std::string_view text) {
  ScannedText out;
  scan_literals(text, out);
  return out;
}

TEST(LiteralScanner, StatementsThatDifferInLiteralsShareAKey) {
  auto a = scan("SELECT * FROM t WHERE a = 1 AND b = 'x'");
  auto b = scan("SELECT * FROM t WHERE a = 22 AND b = 'yy'");
  EXPECT_TRUE(a.cacheable);
  EXPECT_EQ(a.key, b.key);
  ASSERT_EQ(a.literals.size(), 2u);
  EXPECT_EQ(a.literals[0].location, 26);
  EXPECT_EQ(b.raw[1].text, "yy");
}

TEST(LiteralScanner, TheClassOfALiteralIsPartOfTheKey) {
  EXPECT_NE(scan("SELECT 1").key, scan("SELECT 1.5").key);
  EXPECT_NE(scan("SELECT 1").key, scan("SELECT 3000000000").key);
  EXPECT_NE(scan("SELECT 1").key, scan("SELECT '1'").key);
  EXPECT_EQ(scan("SELECT 2147483647").literals[0].kind, Class::kInt4);
  EXPECT_EQ(scan("SELECT 2147483648").literals[0].kind, Class::kInt8);
  EXPECT_EQ(scan("SELECT 9223372036854775808").literals[0].kind, Class::kNumeric);
  EXPECT_EQ(scan("SELECT 1e3").literals[0].kind, Class::kNumeric);
}

TEST(LiteralScanner, AMinusBelongsToTheNumberOnlyWhereNoOperandPrecedes) {
  auto sum = scan("SELECT a + -5");
  EXPECT_EQ(sum.raw[0].text, "-5");
  EXPECT_EQ(sum.literals[0].location, 11);
  EXPECT_EQ(scan("SELECT a -5").raw[0].text, "5");
  EXPECT_EQ(scan("SELECT (1) -5").raw[1].text, "5");
  EXPECT_EQ(scan("VALUES (-5, -6)").raw[1].text, "-6");
  EXPECT_EQ(scan("SELECT -5").raw[0].text, "5");  // after a word: unsure, so the sign stays in the text
}

TEST(LiteralScanner, QuotesAreFollowedByTheLexersRules) {
  auto doubled = scan("SELECT 'it''s'");
  std::string buffer;
  EXPECT_EQ(literal_value(doubled.raw[0], buffer), "it's");
  EXPECT_TRUE(scan("SELECT \"a'b\" FROM t").literals.empty());
  EXPECT_TRUE(scan("SELECT a1, t2.b3 FROM t4").literals.empty());
  EXPECT_TRUE(scan("SELECT $1").literals.empty());
}

TEST(LiteralScanner, WhatItDoesNotFollowIsNotShared) {
  for (const char* text :
       {"SELECT E'a'", "SELECT B'1'", "SELECT U&'a'", "SELECT $$a$$", "SELECT 'a'\n'b'", "SELECT 1; SELECT 2",
        "SELECT 'open", "SELECT \"open", "SELECT 'back\\slash'", "SELECT 1a", "SELECT /* open"}) {
    EXPECT_FALSE(scan(text).cacheable) << text;
  }
  EXPECT_TRUE(scan("SELECT 1;  ").cacheable);
  EXPECT_EQ(scan("SELECT 1;").key, scan("SELECT 1").key);
}

TEST(LiteralScanner, CommentsHideLiterals) {
  EXPECT_TRUE(scan("SELECT a -- 'x' 1\n FROM t").literals.empty());
  EXPECT_TRUE(scan("SELECT a /* 1 /* 2 */ 'x' */ FROM t").literals.empty());
}

TEST(LiteralScanner, UtilityStatementsKeepTheirLiterals) {
  auto set = scan("SET work_mem = '8MB'");
  EXPECT_TRUE(set.cacheable);
  EXPECT_TRUE(set.literals.empty());
  EXPECT_NE(set.key, scan("SET work_mem = '9MB'").key);
}

TEST(LiteralScanner, ControlBytesCannotForgeAMarker) {
  EXPECT_FALSE(scan(std::string_view("SELECT \x01", 8)).cacheable);
  EXPECT_FALSE(scan(std::string_view("SELECT \0 1", 10)).cacheable);
}

}  // namespace
}  // namespace indigo::engine
