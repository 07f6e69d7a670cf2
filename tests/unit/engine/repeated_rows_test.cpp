#include "engine/statement/repeated_rows.h"

#include <gtest/gtest.h>

namespace indigo::engine {
namespace {

class RepeatedRows : public testing::Test {
 protected:
  bool fold(const std::string& text) {
    text_ = text;
    scan_literals(text_, whole_);
    return fold_rows(text_, whole_, folded_);
  }
  std::string text_;
  ScannedText whole_;
  FoldedText folded_;
};

TEST_F(RepeatedRows, TenThousandRowsAreAsMuchTextAsTwo) {
  std::string text = "INSERT INTO t (a, b, c) VALUES ";
  for (int i = 0; i < 10000; i++) {
    text += (i > 0 ? "," : "") + ("(" + std::to_string(i) + ",now(),'row " + std::to_string(i)) + "')";
  }
  ASSERT_TRUE(fold(text + " RETURNING a + 1"));
  EXPECT_EQ(folded_.text, "INSERT INTO t (a, b, c) VALUES (0, now(), 'row 0'), (0, now(), 'row 0') RETURNING a + 1");
  ASSERT_EQ(folded_.rows.size(), 10000u);
  EXPECT_EQ(folded_.rows[9999].first_literal, 2u * 9999);
  EXPECT_EQ(folded_.first_literal, (std::vector<uint32_t>{0, 2, 4}));
  EXPECT_EQ(folded_.scanned.literals.size(), 5u);
}

TEST_F(RepeatedRows, TheNumberAndOrderOfRowsAreNotInTheKey) {
  ASSERT_TRUE(fold("INSERT INTO t VALUES (1,'a'),(2.5,'b'),(3,'c')"));
  const std::string key = folded_.scanned.key;
  ASSERT_TRUE(fold("insert INTO t VALUES (2.5, 'b'), (1, 'a'), (7, 'x'), (3.5, 'z')"));
  EXPECT_EQ(folded_.scanned.key.substr(6), key.substr(6));
  ASSERT_EQ(folded_.rows.size(), 4u);
  EXPECT_EQ(folded_.rows[0].like, folded_.rows[3].like);
  EXPECT_NE(folded_.rows[0].like, folded_.rows[1].like);
}

TEST_F(RepeatedRows, NullHasTheClassOfItsColumn) {
  ASSERT_TRUE(fold("INSERT INTO t VALUES (1,'a',NULL),(NULL,'b',NULL),( null ,NULL,NULL),(4,'d',NULL)"));
  EXPECT_EQ(folded_.text, "INSERT INTO t VALUES (1, 'a', NULL), (1, 'a', NULL)");
  ASSERT_EQ(folded_.null_literals.size(), 3u);
  EXPECT_TRUE(folded_.null_literals[folded_.rows[0].nulls].empty());
  EXPECT_EQ(folded_.null_literals[folded_.rows[1].nulls], (std::vector<bool>{true, false}));
  EXPECT_EQ(folded_.null_literals[folded_.rows[2].nulls], (std::vector<bool>{true, true}));
}

TEST_F(RepeatedRows, ShapesKeepTheirTexts) {
  ASSERT_TRUE(fold("INSERT INTO \"t(\" (\"values\") VALUES (f(1, 'x')), (ARRAY[2,3]), (f(4, 'y')), (DEFAULT);"));
  EXPECT_EQ(folded_.text, "INSERT INTO \"t(\" (\"values\") VALUES (ARRAY[2,3]), (DEFAULT), (f(1, 'x'));");
  EXPECT_EQ(folded_.first_literal, (std::vector<uint32_t>{0, 2, 2, 4}));
  EXPECT_EQ(folded_.rows[2].like, 2u);
  EXPECT_EQ(folded_.rows[2].first_literal, 4u);
}

TEST_F(RepeatedRows, WhatItIsUnsureOfStaysWhole) {
  for (const char* text : {
           "INSERT INTO t VALUES (1),(2)",                           // too few
           "INSERT INTO t VALUES (1),(2),(3,4)",                     // an error
           "INSERT INTO t VALUES (1),(2),()",                        //
           "INSERT INTO t VALUES (1),(2),(3",                        //
           "INSERT INTO t VALUES (1),(2),((SELECT 3))",              // a parameter of a subquery
           "INSERT INTO t VALUES (1),(2),(3) ORDER BY 1",            // a query
           "INSERT INTO t WITH a AS (SELECT 1) VALUES (1),(2),(3)",  //
           "INSERT INTO t SELECT * FROM (VALUES (1),(2),(3)) v",     //
           "WITH a AS (SELECT 1) INSERT INTO t VALUES (1),(2),(3)",  //
           "INSERT INTO t VALUES (1),(2), /* */ (3)",                // a comment
           "INSERT INTO t -- VALUES\n VALUES (1),(2),(3)",           //
           "INSERT INTO values (a) VALUES (1),(2),(3)",              //
           "SELECT * FROM (VALUES (1),(2),(3)) v",                   //
           "VALUES (1),(2),(3)",
       }) {
    EXPECT_FALSE(fold(text)) << text;
  }
}

}  // namespace
}  // namespace indigo::engine
