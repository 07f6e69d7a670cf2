// Statements to plans, as text. The tables are the system catalogs and those of analyze_harness.cpp.
#include <gtest/gtest.h>

#include "sql/plan/dump.h"
#include "sql/plan/planner.h"
#include "tests/unit/sql/analyze_harness.h"

namespace indigo::sql::testing {
namespace {

class Plan : public ::testing::Test {
 protected:
  std::string plan_of(std::string_view statement) {
    auto analyzed = harness_.analyze(statement);
    if (!analyzed.ok()) return Harness::error_text(analyzed.error());
    auto planned = plan(harness_.session(), {*analyzed, {}});
    if (!planned.ok()) return Harness::error_text(planned.error());
    return dump_statement(harness_.catalog(), **planned);
  }
  Harness harness_;
};

TEST_F(Plan, FoldsConstants) {
  EXPECT_EQ(plan_of("select 1 + 2, 'a' || 'b' where 1 = 1"), "Result -> [3, 'ab']\n");
  EXPECT_EQ(plan_of("select 1 / 0"), "Result -> [(1 / 0)]\n");
}

TEST_F(Plan, LooksUpOneRowByItsKey) {
  EXPECT_EQ(plan_of("select relname from pg_class where oid = 1259"),
            "Scan pg_class point equal [1259] columns(relname)\n");
  EXPECT_EQ(plan_of("select attname from pg_attribute where attrelid = $1 and attnum = 1"),
            "Scan pg_attribute point equal [$1, 1] columns(attname)\n");
}

TEST_F(Plan, BoundsKeysByValuesOfOtherTypes) {
  EXPECT_EQ(plan_of("select attname from pg_attribute where attrelid = 5 and attnum between $1::int8 and 5000000000"),
            "Scan pg_attribute equal [5] >= $1 <= 5000000000 columns(attname)\n");
  EXPECT_EQ(plan_of("select attname from pg_attribute where attrelid = 5 and attnum = $1::int8"),
            "Scan pg_attribute point equal [5, $1] columns(attname)\n");
  EXPECT_EQ(plan_of("select attname from pg_attribute where attrelid = 5 and attnum = any ($1::int4[])"),
            "Scan pg_attribute equal [5] any $1 columns(attname)\n");
}

TEST_F(Plan, ReadsAlternativesAsRangesOfOneKey) {
  EXPECT_EQ(plan_of("select relpages from pg_class where oid between 5 and 9 or oid = $1 or oid > 90 and relpages = 1"),
            "Project  [$0.1]\n"
            "  Scan pg_class or( >= 5 <= 9 ) or( equal [$1] ) or( > 90 ) filter ((($0.0 >= 5) AND ($0.0 <= 9)) OR "
            "($0.0 = $1) OR (($0.0 > 90) AND ($0.1 = 1))) columns(oid,relpages)\n");
  EXPECT_EQ(plan_of("select relpages from pg_class where oid = 5 or oid = 7"),
            "Scan pg_class or( equal [5] ) or( equal [7] ) columns(relpages)\n");
  EXPECT_EQ(plan_of("select relpages from pg_class where oid = 5 or relpages = 1"),
            "Project  [$0.1]\n  Scan pg_class filter (($0.0 = 5) OR ($0.1 = 1)) columns(oid,relpages)\n");
}

TEST_F(Plan, KeepsTheBestRowsOnly) {
  EXPECT_EQ(plan_of("select oid, relname from pg_class where relpages > 1 order by relname limit 3"),
            "Limit  3\n"
            "  Project  [$0.0, $0.1]\n"
            "    Sort [$0.1] limit 3\n"
            "      Scan pg_class filter ($0.2 > 1) columns(oid,relname,relpages)\n");
}

TEST_F(Plan, ReadsTheKeyInItsOrder) {
  EXPECT_EQ(plan_of("select oid from pg_class order by oid desc limit 1"),
            "Limit  1\n  Scan pg_class backward columns(oid)\n");
  EXPECT_EQ(plan_of("select attrelid, count(*) from pg_attribute where attrelid > 5 group by 1"),
            "Aggregate by [$0.0] (count(*))\n  Scan pg_attribute > 5 columns(attrelid)\n");
}

TEST_F(Plan, RunsUncorrelatedSubqueriesOnce) {
  EXPECT_EQ(plan_of("select oid from pg_class where relpages = (select max(relpages) from pg_class)"),
            "Project  [$0.0]\n"
            "  Scan pg_class filter ($0.1 = :0) columns(oid,relpages)\n"
            "initplan :0\n"
            "  Aggregate (max($0.0))\n"
            "    Scan pg_class columns(relpages)\n");
}

TEST_F(Plan, RunsCorrelatedSubqueriesWithTheRowsValues) {
  EXPECT_EQ(
      plan_of("select (select attname from pg_attribute a where a.attrelid = c.oid and attnum = 1) from pg_class c"),
      "Project  [(subplan 0 [:0 = $0.0])]\n"
      "  Scan pg_class as c columns(oid)\n"
      "subplan 0\n"
      "  Scan pg_attribute as a point equal [:0, 1] columns(attname)\n");
}

TEST_F(Plan, SharesRecursiveQueriesAndInlinesOthers) {
  EXPECT_EQ(
      plan_of("with recursive t(n) as (values (1) union all select n + 1 from t where n < 10) select sum(n) from t"),
      "Aggregate (sum($0.0))\n"
      "  CteScan 0\n"
      "cte 0 t\n"
      "  RecursiveUnion\n"
      "    Values 1 rows\n"
      "    Project  [($0.0 + 1)]\n"
      "      Filter  ($0.0 < 10)\n"
      "        WorkTableScan 0\n");
  EXPECT_EQ(plan_of("with x as materialized (select 1 a) select a + 1 from x"),
            "Project  [($0.0 + 1)]\n  CteScan 0\ncte 0 x\n  Result -> [1]\n");
}

TEST_F(Plan, ChecksConditionsWithoutColumnsOnce) {
  EXPECT_EQ(plan_of("select oid from pg_class where $1 > 3"), "Gate if ($1 > 3)\n  Scan pg_class columns(oid)\n");
  EXPECT_EQ(plan_of("select oid from pg_class where 1 = 2"), "Result if false -> [NULL]\n");
}

TEST_F(Plan, TakesTheLeastAndTheGreatestFromTheEndsOfTheKey) {
  EXPECT_EQ(plan_of("select min(oid), max(oid) from pg_class"),
            "NestedLoop inner\n"
            "  Aggregate (min($0.0))\n"
            "    Limit  1\n"
            "      Scan pg_class columns(oid)\n"
            "  Aggregate (max($0.0))\n"
            "    Limit  1\n"
            "      Scan pg_class backward columns(oid)\n");
}

TEST_F(Plan, LooksUpTheInnerSideOfAJoinByItsKey) {
  EXPECT_EQ(plan_of("select c.relname, a.attname from pg_class c, pg_attribute a "
                    "where c.oid = 1259 and a.attrelid = c.oid and a.attnum = 2"),
            "NestedLoop inner\n"
            "  Scan pg_class as c point equal [1259] columns(relname)\n"
            "  Scan pg_attribute as a point equal [1259, 2] columns(attname)\n");
  EXPECT_EQ(
      plan_of("select c.relname, t.typname from pg_class c join pg_type t on t.oid = c.reltype where c.relname = 'x'"),
      "NestedLoop inner [:0 = $0.1] -> [$0.0, $1.0]\n"
      "  Scan pg_class as c filter ($0.0 = 'x') columns(relname,reltype)\n"
      "  Scan pg_type as t point equal [:0] columns(typname)\n");
}

TEST_F(Plan, MakesJoinsOfExistsAndIn) {
  EXPECT_EQ(plan_of("select relname from pg_class c where exists (select 1 from pg_index i where i.indrelid = c.oid)"),
            "HashJoin semi keys [$0.0] = [$0.0] -> [$0.1]\n"
            "  Scan pg_class as c columns(oid,relname)\n"
            "  Scan pg_index as i columns(indrelid)\n");
  EXPECT_EQ(plan_of("select relname from pg_class where relname not in (select typname from pg_type)"),
            "HashJoin anti keys [$0.0] = [$0.0] null-aware\n"
            "  Scan pg_class columns(relname)\n"
            "  Scan pg_type columns(typname)\n");
}

TEST_F(Plan, ReducesOuterJoins) {
  // A strict condition on the null-extended side.
  EXPECT_EQ(plan_of("select 1 from pg_class c left join pg_type t on t.typrelid = c.relpages where t.typlen = 4")
                .find("left"),
            std::string::npos);
  EXPECT_NE(
      plan_of("select 1 from pg_class c left join pg_type t on t.oid = c.reltype where t.oid is null").find(" anti "),
      std::string::npos);
}

TEST_F(Plan, MergesSubqueriesAndViews) {
  EXPECT_EQ(plan_of("select s.r from (select relname as r, oid as o from pg_class where relpages = 0) s where s.o = 9"),
            "Project  [$0.0]\n  Scan pg_class point equal [9] filter ($0.1 = 0) columns(relname,relpages)\n");
}

TEST_F(Plan, PushesConditionsIntoSubqueries) {
  EXPECT_EQ(plan_of("select * from (select relnamespace n, count(*) c from pg_class group by 1) s where n = 11"),
            "Aggregate by [$0.0] (count(*))\n"
            "  Scan pg_class filter ($0.0 = 11) columns(relnamespace)\n");
}

}  // namespace
}  // namespace indigo::sql::testing
