// Aggregation, grouping sets, window functions.
#include <algorithm>

#include "tests/unit/engine/exec_fixture.h"

namespace indigo::engine {
namespace {

constexpr Oid kCountStar = 2803, kCount = 2147, kSumInt4 = 2108, kMinInt4 = 2132, kMaxInt4 = 2116;

class ExecAggregate : public ExecTest {
 protected:
  void SetUp() override {
    t_ = table("t", {{"id", oid::kInt4}, {"g", oid::kInt4}, {"v", oid::kInt4}}, {"id"});
    fill(t_, {{"1", "2", "10"},
              {"2", "1", "20"},
              {"3", "2", "null"},
              {"4", "1", "20"},
              {"5", "null", "7"},
              {"6", "1", "5"}});
  }
  template <class Plan>
  std::shared_ptr<Plan> aggregate_plan(sql::PlanPtr input, const sql::ExprList& groups,
                                       const std::vector<std::shared_ptr<const sql::AggregateExpr>>& calls) {
    auto p = std::make_shared<Plan>();
    p->inputs = {std::move(input)};
    p->columns = columns_of(groups);
    for (const auto& c : calls) p->columns.push_back({"agg", c->type});
    p->groups = groups;
    p->aggregates = calls;
    return p;
  }
  sql::ExprPtr v() { return col(2, oid::kInt4); }
  sql::ExprPtr g() { return col(1, oid::kInt4); }
  RelationPtr t_;
};

TEST_F(ExecAggregate, HashedAndSortedGroupsAgree) {
  std::vector<std::shared_ptr<const sql::AggregateExpr>> calls = {
      aggregate(kCountStar, oid::kInt8, {}), aggregate(kCount, oid::kInt8, {v()}),
      aggregate(kSumInt4, oid::kInt8, {v()}), aggregate(kMinInt4, oid::kInt4, {v()}),
      aggregate(kMaxInt4, oid::kInt4, {v()})};
  EXPECT_EQ(run(aggregate_plan<sql::HashAggregatePlan>(scan(t_, {0, 1, 2}), {g()}, calls)),
            "2|2|1|10|10|10\n1|3|3|45|5|20\nnull|1|1|7|7|7\n");
  EXPECT_EQ(run(aggregate_plan<sql::SortedAggregatePlan>(sort(scan(t_, {0, 1, 2}), {key(g())}), {g()}, calls)),
            "1|3|3|45|5|20\n2|2|1|10|10|10\nnull|1|1|7|7|7\n");
}

TEST_F(ExecAggregate, NoRowsStillGiveOneRowWithoutGroups) {
  auto none = filter(scan(t_, {0, 1, 2}), boolean(false));
  EXPECT_EQ(run(aggregate_plan<sql::SortedAggregatePlan>(
                none, {}, {aggregate(kCountStar, oid::kInt8, {}), aggregate(kSumInt4, oid::kInt8, {v()})})),
            "0|null\n");
  EXPECT_EQ(run(aggregate_plan<sql::HashAggregatePlan>(none, {g()}, {aggregate(kCountStar, oid::kInt8, {})})), "");
}

TEST_F(ExecAggregate, FilterDistinctAndOrderInside) {
  auto filtered = aggregate(kCountStar, oid::kInt8, {});
  filtered->filter = op(">", v(), i4(9));
  auto distinct = aggregate(kSumInt4, oid::kInt8, {v()});
  distinct->distinct = true;
  for (bool hashed : {true, false}) {
    sql::PlanPtr input = sort(scan(t_, {0, 1, 2}), {key(g())});
    std::vector<std::shared_ptr<const sql::AggregateExpr>> calls = {filtered, distinct};
    sql::PlanPtr p = hashed ? sql::PlanPtr(aggregate_plan<sql::HashAggregatePlan>(input, {g()}, calls))
                            : sql::PlanPtr(aggregate_plan<sql::SortedAggregatePlan>(input, {g()}, calls));
    EXPECT_EQ(run(p), "1|2|25\n2|1|10\nnull|0|7\n");
  }
  auto array = aggregate(2335, oid::kInt4Array, {col(0, oid::kInt4)});
  array->order = {key(v(), true), key(col(0, oid::kInt4))};
  EXPECT_EQ(run(aggregate_plan<sql::HashAggregatePlan>(scan(t_, {0, 1, 2}), {g()}, {array})),
            "2|{3,1}\n1|{2,4,6}\nnull|{5}\n");
}

TEST_F(ExecAggregate, ManyGroupsGrowTheTable) {
  auto big = table("big", {{"id", oid::kInt4}}, {"id"});
  std::vector<std::vector<std::string>> rows;
  for (int i = 0; i < 20000; i++) rows.push_back({std::to_string(i)});
  fill(big, rows);
  auto p = aggregate_plan<sql::HashAggregatePlan>(scan(big, {0}), {op("/", col(0, oid::kInt4), i4(2))},
                                                  {aggregate(kCountStar, oid::kInt8, {})});
  std::string out = run(p);
  EXPECT_EQ(std::count(out.begin(), out.end(), '\n'), 10000);
  EXPECT_EQ(out.substr(0, 12), "0|2\n1|2\n2|2\n");
}

TEST_F(ExecAggregate, GroupingSetsWithBitmaps) {
  auto p =
      aggregate_plan<sql::GroupingSetsPlan>(scan(t_, {0, 1, 2}), {g(), v()}, {aggregate(kCountStar, oid::kInt8, {})});
  p->sets = {{{0, 1}}, {{0}}, {{}}};
  p->groupings = {{0, 1}};
  p->columns.push_back({"grouping", {oid::kInt4, -1, kInvalidOid}});
  EXPECT_EQ(run(p),
            "2|10|1|0\n1|20|2|0\n2|null|1|0\nnull|7|1|0\n1|5|1|0\n"
            "2|null|2|1\n1|null|3|1\nnull|null|1|1\nnull|null|6|3\n");
}

class ExecWindow : public ExecAggregate {
 protected:
  // Window calls over t sorted by (g, v, id): rows (g v id): (1 5 6) (1 20 2) (1 20 4) (2 10 1) (2 null 3) (null 7 5)
  std::string window(std::vector<std::shared_ptr<const sql::WindowCallExpr>> calls, sql::Window w,
                     bool partitioned = true) {
    auto p = std::make_shared<sql::WindowPlan>();
    sql::PlanPtr input = sort(scan(t_, {0, 1, 2}), {key(g()), key(v()), key(col(0, oid::kInt4))});
    if (!partitioned) input = sort(scan(t_, {0, 1, 2}), {key(v()), key(col(0, oid::kInt4))});
    p->inputs = {input};
    p->columns = input->columns;
    sql::ExprList out = {col(0, oid::kInt4)};
    for (size_t i = 0; i < calls.size(); i++) {
      p->columns.push_back({"w", calls[i]->type});
      out.push_back(col(static_cast<int>(3 + i), calls[i]->type.oid));
    }
    p->window = std::move(w);
    p->calls = std::move(calls);
    return run(project(p, out));
  }
  sql::Window by_group() {
    sql::Window w;
    w.partition = {g()};
    w.order = {key(v())};
    return w;
  }
  std::shared_ptr<sql::WindowCallExpr> call_of(Oid function, Oid result, sql::ExprList arguments,
                                               bool aggregate = false) {
    auto e = std::make_shared<sql::WindowCallExpr>();
    e->function = function;
    e->type = {result, -1, kInvalidOid};
    e->arguments = std::move(arguments);
    e->aggregate = aggregate;
    e->star = aggregate && e->arguments.empty();
    return e;
  }
  std::shared_ptr<sql::WindowCallExpr> sum() { return call_of(kSumInt4, oid::kInt8, {v()}, true); }
};

TEST_F(ExecWindow, RankingFunctions) {
  EXPECT_EQ(
      window({call_of(3100, oid::kInt8, {}), call_of(3101, oid::kInt8, {}), call_of(3102, oid::kInt8, {}),
              call_of(3103, oid::kFloat8, {}), call_of(3104, oid::kFloat8, {}), call_of(3105, oid::kInt4, {i4(2)})},
             by_group()),
      "6|1|1|1|0|0.3333333333333333|1\n2|2|2|2|0.5|1|1\n4|3|2|2|0.5|1|2\n"
      "1|1|1|1|0|0.5|1\n3|2|2|2|1|1|2\n5|1|1|1|0|1|1\n");
}

TEST_F(ExecWindow, LagLeadAndFrameValues) {
  EXPECT_EQ(window({call_of(3106, oid::kInt4, {v()}), call_of(3111, oid::kInt4, {v(), i4(2), i4(-1)}),
                    call_of(3112, oid::kInt4, {v()}), call_of(3113, oid::kInt4, {v()}),
                    call_of(3114, oid::kInt4, {v(), i4(2)})},
                   by_group()),
            "6|null|20|5|5|null\n2|5|-1|5|20|20\n4|20|-1|5|20|20\n1|null|-1|10|10|null\n3|10|-1|10|null|null\n5|null|-"
            "1|7|7|null\n");
}

TEST_F(ExecWindow, AggregatesOverFrames) {
  EXPECT_EQ(window({sum(), call_of(kCountStar, oid::kInt8, {}, true)}, by_group()),
            "6|5|1\n2|45|3\n4|45|3\n1|10|1\n3|10|2\n5|7|1\n");
  using Kind = sql::FrameBound::Kind;
  sql::Window rows = by_group();
  rows.mode = sql::Window::Mode::kRows;
  rows.start = {Kind::kPreceding, i8(1)};
  rows.end = {Kind::kCurrentRow, nullptr};
  EXPECT_EQ(window({sum(), call_of(kMinInt4, oid::kInt4, {v()}, true)}, rows),
            "6|5|5\n2|25|5\n4|40|20\n1|10|10\n3|10|10\n5|7|7\n");
  sql::Window groups = by_group();
  groups.mode = sql::Window::Mode::kGroups;
  groups.start = {Kind::kCurrentRow, nullptr};
  groups.end = {Kind::kFollowing, i8(1)};
  EXPECT_EQ(window({sum()}, groups), "6|45\n2|40\n4|40\n1|10\n3|null\n5|7\n");
  groups.exclude = sql::Window::Exclude::kCurrentRow;
  EXPECT_EQ(window({sum()}, groups), "6|40\n2|20\n4|20\n1|null\n3|null\n5|null\n");
}

TEST_F(ExecWindow, RangeOffsetsMeasureValues) {
  using Kind = sql::FrameBound::Kind;
  sql::Window w;
  w.order = {key(v())};
  w.start = {Kind::kPreceding, i4(5)};
  w.end = {Kind::kFollowing, i4(3)};
  w.in_range = 4128;
  // v: 5 7 10 20 20 null
  EXPECT_EQ(window({sum()}, w, false), "6|12\n5|22\n1|22\n2|40\n4|40\n3|null\n");
  w.start = {Kind::kPreceding, i4(-1)};
  EXPECT_EQ(window({sum()}, w, false).substr(0, 11), "ERROR 22013");
}

}  // namespace
}  // namespace indigo::engine
