// Literals that the statement cache lifts out of a text: where they become parameters, with which types, and where they stay.
// In these texts a literal is marked by braces: {5} is lifted.
#include <gtest/gtest.h>

#include "sql/analyze/type/signature_text.h"
#include "sql/query_walk.h"
#include "tests/unit/sql/analyze_harness.h"

namespace indigo::sql::testing {
namespace {

Result<AnalyzedStatement> analyze_marked(Harness& harness, std::string_view marked) {
  std::string text;
  std::vector<LiftedLiteral> literals;
  for (const char c : marked) {
    if (c == '{') {
      literals.push_back({static_cast<int>(text.size()), LiftedLiteral::Class::kInt4});
    } else if (c == '}') {
      const std::string literal = text.substr(literals.back().location);
      auto& kind = literals.back().kind;
      if (literal[0] == '\'') kind = LiftedLiteral::Class::kString;
      if (literal.find('.') != std::string::npos && literal[0] != '\'') kind = LiftedLiteral::Class::kNumeric;
      if (literal.size() >= 10 && literal[0] != '\'') kind = LiftedLiteral::Class::kInt8;
    } else {
      text += c;
    }
  }
  return harness.analyze(text, literals);
}

// "integer, -, text; params 2": the types of the literals that became parameters, and how many parameters the query mentions.
std::string lifted(std::string_view marked) {
  Harness harness;
  auto analyzed = analyze_marked(harness, marked);
  if (!analyzed.ok()) return Harness::error_text(analyzed.error());
  std::string out;
  for (size_t i = 0; i < analyzed->lifted_used.size(); i++) {
    if (i) out += ", ";
    out += analyzed->lifted_used[i] ? format_type(harness.catalog(), analyzed->lifted_types[i].oid) : "-";
  }
  int highest = -1;
  visit_query(*analyzed->query, [&](const Expr& e, int) {
    if (e.kind == ExprKind::kParam) highest = std::max(highest, as<ParamExpr>(e).index);
    return true;
  });
  return out + "; params " + std::to_string(highest + 1);
}

// Calls of the unary minus of int4.
int negations(std::string_view marked) {
  int count = 0;
  Harness harness;
  auto analyzed = analyze_marked(harness, marked);
  if (!analyzed.ok()) return -1;
  visit_query(*analyzed->query, [&](const Expr& e, int) {
    constexpr Oid kInt4Um = 212;
    count += e.kind == ExprKind::kCall && as<CallExpr>(e).function == kInt4Um;
    return true;
  });
  return count;
}

TEST(LiftedLiterals, ComparedValuesBecomeParameters) {
  EXPECT_EQ(lifted("select * from ta where id = {5}"), "integer; params 1");
  EXPECT_EQ(lifted("select * from ta where b = {'x'} and ts > {'2020-01-01'}"),
            "text, timestamp with time zone; params 2");
  EXPECT_EQ(lifted("select * from ta where n > {1.5} and f < {2.5}"), "numeric, double precision; params 2");
  EXPECT_EQ(lifted("select * from tb where id = {5} and id > {5000000000}"), "integer, bigint; params 2");
  EXPECT_EQ(lifted("select * from ta where id between {1} and {5}"), "integer, integer; params 2");
  EXPECT_EQ(lifted("select * from ta where id in ({1}, {5}, {7})"), "integer, integer, integer; params 3");
  EXPECT_EQ(lifted("select * from ta where b like {'x%'} or bl = {'t'}"), "text, boolean; params 2");
  EXPECT_EQ(lifted("select {1}, {'x'}"), "integer, text; params 2");
}

TEST(LiftedLiterals, WhatDistancesAreMeasuredFrom) {
  EXPECT_EQ(lifted("select * from ta order by point(f, f) <-> {'(1,2)'} limit {3}"), "point, -; params 1");
  EXPECT_EQ(lifted("select * from ta order by point(f, f) <-> (select point(f, f) from ta where id = {5})"),
            "integer; params 1");
  // What may have to equal something else in the query stays what it is.
  EXPECT_EQ(lifted("select * from ta order by id + {5}"), "-; params 0");
  EXPECT_EQ(lifted("select distinct point(f, f) <-> {'(1,2)'} from ta order by point(f, f) <-> {'(1,2)'}"),
            "-, -; params 0");
  EXPECT_EQ(lifted("select 1 from ta group by point(f, f) <-> {'(1,2)'} order by point(f, f) <-> {'(1,2)'}"),
            "-, -; params 0");
}

TEST(LiftedLiterals, AssignedValuesTakeTheColumnsType) {
  EXPECT_EQ(lifted("insert into tb (id, name) values ({5}, {'x'})"), "bigint, text; params 2");
  EXPECT_EQ(lifted("insert into ta (id, n, f, d) values ({5}, {1}, {2}, {'2020-01-01'})"),
            "integer, numeric, double precision, date; params 4");
  EXPECT_EQ(lifted("insert into tb (id, name) values ({5}, {'x'}), ({6}, {'y'})"),
            "bigint, text, bigint, text; params 4");
  EXPECT_EQ(lifted("update ta set a = a + {5} where id = {7}"), "integer, integer; params 2");
  EXPECT_EQ(lifted("delete from ta where id = {7}"), "integer; params 1");
}

TEST(LiftedLiterals, NegativeNumbersKeepTheirSign) {
  EXPECT_EQ(lifted("update ta set a = a + -{5} where id = -{7}"), "integer, integer; params 2");
  EXPECT_EQ(lifted("select * from ta where id = - {7}"), "integer; params 1");
  EXPECT_EQ(lifted("select * from ta where id - {7} = {1}"), "integer, integer; params 2");
  // The scanner may take the sign into the literal: then there is no other minus.
  EXPECT_EQ(lifted("update ta set a = a + {-5} where id = {-7}"), "integer, integer; params 2");
  EXPECT_EQ(negations("select * from ta where id = {-7}"), 0);
  EXPECT_EQ(negations("select * from ta where id = -{7}"), 1);
}

TEST(LiftedLiterals, FollowTheDeclaredParameters) {
  EXPECT_EQ(lifted("select * from ta where id = $1 and a = {5} and b = $2"), "integer; params 3");
}

TEST(LiftedLiterals, ShapesStayConstants) {
  EXPECT_EQ(lifted("select a from ta limit {5} offset {6}"), "-, -; params 0");
  EXPECT_EQ(lifted("select a from ta order by {1}"), "-; params 0");
  EXPECT_EQ(lifted("select a + {1}, count(*) from ta where id > {7} group by a + {1}"), "-, integer, -; params 2");
  EXPECT_EQ(lifted("select distinct a + {1} from ta order by a + {1}"), "-, -; params 0");
  EXPECT_EQ(lifted("select {1} union select {2.5}"), "-, -; params 0");
  EXPECT_EQ(lifted("select case {1} when {1} then {'x'} else {'y'} end"), "-, integer, text, text; params 4");
  EXPECT_EQ(lifted("select {5} between id and f from ta"), "-; params 0");
  EXPECT_EQ(lifted("select interval {'1'} day"), "-; params 0");
}

}  // namespace
}  // namespace indigo::sql::testing
