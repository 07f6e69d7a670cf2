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
  EXPECT_EQ(plan_of("select (select attname from pg_attribute a where a.attrelid = c.oid and attnum = 1) from pg_class c"),
            "Project  [(subplan 0 [:0 = $0.0])]\n"
            "  Scan pg_class as c columns(oid)\n"
            "subplan 0\n"
            "  Scan pg_attribute as a point equal [:0, 1] columns(attname)\n");
}

TEST_F(Plan, SharesRecursiveQueriesAndInlinesOthers) {
  EXPECT_EQ(plan_of("with recursive t(n) as (values (1) union all select n + 1 from t where n < 10) select sum(n) from t"),
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

}  // namespace
}  // namespace indigo::sql::testing
