#include "engine/statement/own_names.h"

#include <string>

#include <gtest/gtest.h>

#include "sql/parse/parser.h"

namespace indigo::engine {
namespace {

std::string key_of(const std::string& text) {
  ScannedText scanned;
  scan_literals(text, scanned);
  LiftedNames lifted;
  return lift_names(scanned, lifted) ? lifted.scanned.key : std::string();
}

// The names that are lifted and those of them that are free ("name" or "name!"), in the order of the text.
std::string names_of(const std::string& text) {
  ScannedText scanned;
  scan_literals(text, scanned);
  LiftedNames lifted;
  if (!lift_names(scanned, lifted)) return "";
  const auto tree = sql::parse(text, {});
  if (!tree.ok()) return "wrong";
  ResultShape shape;
  for (const char* name : {"l", "m"}) shape.columns.emplace_back().name = name;
  const auto own = own_names(*(*tree)->statements()[0].node, &shape, lifted);
  std::string out;
  for (size_t i = 0; i < lifted.names(); i++) {
    out += (out.empty() ? "" : " ") + std::string(lifted.name(i)) + (own != nullptr && own->free[i] ? "" : "!");
  }
  return out;
}

TEST(OwnNames, TextsThatDifferInThemShareAKey) {
  EXPECT_EQ(key_of("SELECT c1.id AS l1 FROM t c1 WHERE c1.id = 1"),
            key_of("SELECT c2.id AS l2 FROM t c2 WHERE c2.id = 22"));
  EXPECT_EQ(key_of("SELECT \"c1\".\"id\" FROM \"user\" \"c1\""), key_of("SELECT \"c2\".\"id\" FROM \"user\" \"c2\""));
  EXPECT_EQ(key_of("SELECT c1.id FROM t \"c1\""), key_of("SELECT c2.id FROM t c2"));
  EXPECT_NE(key_of("SELECT a.id AS b FROM t a"), key_of("SELECT a.id AS a FROM t a"));
  EXPECT_NE(key_of("SELECT a.id, b.id FROM t a, t b"), key_of("SELECT b.id, a.id FROM t a, t b"));
  EXPECT_NE(key_of("SELECT a.id FROM t a"), key_of("SELECT a.id FROM u a"));
  EXPECT_EQ(key_of("SELECT id FROM t"), "");
}

TEST(OwnNames, NamesThatStandForSomethingElseAreNotLifted) {
  EXPECT_EQ(key_of("SELECT a.x.id FROM t a"), "");
  EXPECT_EQ(key_of("SELECT a.f(1) FROM t a"), "");
  EXPECT_EQ(key_of("SELECT A.id FROM t a"), "");
  EXPECT_EQ(key_of("SELECT \"A\".id FROM t \"A\""), "");
  EXPECT_EQ(key_of("SELECT \"user\".id FROM t \"user\""), "");
  EXPECT_EQ(key_of("SELECT \"a\"\"b\".id FROM t \"a\"\"b\""), "");
  EXPECT_EQ(key_of("SELECT a.id FROM t a -- a comment"), "");
  EXPECT_EQ(key_of("SELECT excluded.id FROM t excluded"), "");
}

TEST(OwnNames, AliasesAndLabelsAreFree) {
  EXPECT_EQ(names_of("SELECT a.id AS l, b.x m FROM t a JOIN u AS b ON a.id = b.id"), "a l b m");
  EXPECT_EQ(names_of("SELECT a.id AS l, a.x AS m FROM t a ORDER BY l, m DESC"), "a l m");
  EXPECT_EQ(names_of("INSERT INTO t AS a (id) VALUES (1) RETURNING a.id AS l, a.x AS m"), "a l m");
  EXPECT_EQ(names_of("UPDATE t a SET x = a.x + 1 RETURNING a.id AS l, 2 AS m"), "a l m");
  EXPECT_EQ(names_of("SELECT a.id, 1 FROM t a WHERE EXISTS (SELECT 1 FROM u b WHERE b.id = a.id)"), "a b");
  EXPECT_EQ(names_of("SELECT a.id, 1 FROM t a FOR UPDATE OF a"), "a");
  EXPECT_EQ(names_of("SELECT \"a\".\"id\" AS \"l\", a.x AS m FROM \"t\" \"a\" ORDER BY \"l\""), "a l m");
}

TEST(OwnNames, WhatMattersOutsideIsNotFree) {
  EXPECT_EQ(names_of("SELECT a, 1 FROM t a"), "a!");                                 // may be a column
  EXPECT_EQ(names_of("SELECT a.x AS l, 1 FROM t a GROUP BY l"), "a l!");             // a column first
  EXPECT_EQ(names_of("SELECT s.l, 1 FROM (SELECT a.x AS l FROM t a) s"), "s a");     // l stands behind a dot
  EXPECT_EQ(names_of("SELECT row_to_json(x.*), 1 FROM (SELECT 1 AS l) x"), "x l!");  // part of the value
  EXPECT_EQ(names_of("UPDATE t a SET b.x = 1 FROM u b RETURNING a.x, 1"), "a b!");   // a column's part
  EXPECT_EQ(names_of("SELECT a.*, a.x AS l FROM t a"), "a l!");                      // which column is it?
  EXPECT_EQ(names_of("SELECT x::int4, a.x AS m FROM t a ORDER BY m"), "a m!");       // the other may be m
  EXPECT_EQ(names_of("SELECT TRIM(x), a.x AS m FROM t a ORDER BY m"), "a m!");
  EXPECT_EQ(names_of("SELECT a.x, 1 FROM t a, f(1)"), "a!");
  EXPECT_EQ(names_of("SELECT a.x, 1 FROM t a, (f(1)) b"), "wrong");
  EXPECT_EQ(names_of("SELECT a.x AS l, 1 FROM t a UNION SELECT 1, 2"), "a l!");
  EXPECT_EQ(names_of("SELECT 1 AS l, 1 AS n"), "l n!");  // the shape says otherwise
}

TEST(OwnNames, LabelsAreThoseOfTheText) {
  ScannedText scanned;
  scan_literals("SELECT a.id AS l1, a.x AS l2 FROM t a", scanned);
  LiftedNames lifted;
  ASSERT_TRUE(lift_names(scanned, lifted));
  OwnNames own;
  own.labels = {{0, 1}, {1, 2}};
  ColumnLabels labels;
  take_labels(own, lifted, labels);
  auto shape = std::make_shared<ResultShape>();
  shape->columns.resize(2);
  const auto called = with_labels(shape, labels);
  EXPECT_EQ(called->columns[0].name, "l1");
  EXPECT_EQ(called->columns[1].name, "l2");
  EXPECT_EQ(with_labels(shape, {}), shape);
}

}  // namespace
}  // namespace indigo::engine
