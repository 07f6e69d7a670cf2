// Queries: scans, filters, projections, sorting, limits, expressions and where their errors surface.
#include <algorithm>

#include "tests/unit/engine/exec_fixture.h"

namespace indigo::engine {
namespace {

using sql::ExprList;

class ExecQuery : public ExecTest {
 protected:
  // t(id int4 primary key, grp int4, name text): n rows, grp = id % 3, name = 'r<id>', null for ids divisible by 5
  RelationPtr numbers(int n) {
    auto t = table("t", {{"id", oid::kInt4}, {"grp", oid::kInt4}, {"name", oid::kText}}, {"id"});
    std::vector<std::vector<std::string>> rows;
    for (int i = 1; i <= n; i++) {
      rows.push_back({std::to_string(i), std::to_string(i % 3), i % 5 == 0 ? "null" : "r" + std::to_string(i)});
    }
    fill(t, rows);
    return t;
  }
};

TEST_F(ExecQuery, ResultComputesOneRow) {
  auto p = std::make_shared<sql::ResultPlan>();
  p->projection = {op("+", i4(1), i4(2)), text("x")};
  p->columns = columns_of(p->projection);
  EXPECT_EQ(run(p), "3|x\n");
  p = std::make_shared<sql::ResultPlan>(*p);
  p->condition = op(">", i4(1), i4(2));
  EXPECT_EQ(run(p), "");
}

TEST_F(ExecQuery, ScansComeInKeyOrderBothWays) {
  auto t = numbers(4);
  EXPECT_EQ(contents(t), "1|1|r1\n2|2|r2\n3|0|r3\n4|1|r4\n");
  auto back = scan(t, {0});
  back->direction = storage::Direction::kBackward;
  EXPECT_EQ(run(back), "4\n3\n2\n1\n");
}

TEST_F(ExecQuery, PointLookUpsAndRanges) {
  auto t = numbers(2000);
  auto point = scan(t, {2});
  point->bounds.equal = {param(0, oid::kInt4)};
  point->point = true;
  parameters_ = {Datum::of(int32_t{1234})};
  EXPECT_EQ(run(point), "r1234\n");
  parameters_ = {Datum::of(int32_t{99999})};
  EXPECT_EQ(run(point), "");
  parameters_ = {Datum::make_null(Phys::kI32)};
  EXPECT_EQ(run(point), "");
  auto range = scan(t, {0});
  range->bounds.low = i4(7);
  range->bounds.low_inclusive = false;
  range->bounds.high = i4(10);
  EXPECT_EQ(run(range), "8\n9\n10\n");
  range->bounds.high_inclusive = false;
  EXPECT_EQ(run(range), "8\n9\n");
}

TEST_F(ExecQuery, KeptExecutionRunsAgainWithOtherParameters) {
  auto t = numbers(50);
  auto point = scan(t, {0, 2});
  point->bounds.equal = {param(0, oid::kInt4)};
  auto s = statement(point);
  auto execution = Execution::create(s);
  for (int32_t i : {3, 10, 49}) {
    parameters_ = {Datum::of(i)};
    EXPECT_EQ(run(*execution, *s, *main_),
              std::to_string(i) + "|" + (i % 5 == 0 ? "null" : "r" + std::to_string(i)) + "\n");
  }
}

TEST_F(ExecQuery, SecondaryIndexGivesItsOrderAndEquality) {
  auto t = numbers(9);
  index(t, "t_grp", {"grp"}, false);
  auto p = std::make_shared<sql::IndexScanPlan>();
  p->relation = t;
  p->scan_columns = {1, 0};
  p->columns = scan(t, {1, 0})->columns;
  p->index = 1;
  EXPECT_EQ(run(p), "0|3\n0|6\n0|9\n1|1\n1|4\n1|7\n2|2\n2|5\n2|8\n");
  p = std::make_shared<sql::IndexScanPlan>(*p);
  p->bounds.equal = {i4(2)};
  EXPECT_EQ(run(p), "2|2\n2|5\n2|8\n");
  p = std::make_shared<sql::IndexScanPlan>(*p);
  p->bounds.equal = {};
  p->bounds.low = i4(1);
  p->filter = op("<", col(1, oid::kInt4), i4(6));
  EXPECT_EQ(run(p), "1|1\n1|4\n2|2\n2|5\n");
}

TEST_F(ExecQuery, IndexRangesLeaveNullsOut) {
  auto t = table("n", {{"id", oid::kInt4}, {"v", oid::kInt4}}, {"id"});
  fill(t, {{"1", "null"}, {"2", "5"}, {"3", "7"}});
  index(t, "n_v", {"v"}, false);
  auto p = std::make_shared<sql::IndexScanPlan>();
  p->relation = t;
  p->scan_columns = {0};
  p->columns = scan(t, {0})->columns;
  p->index = 1;
  EXPECT_EQ(run(p), "2\n3\n1\n");
  p = std::make_shared<sql::IndexScanPlan>(*p);
  p->bounds.low = i4(5);
  EXPECT_EQ(run(p), "2\n3\n");
}

TEST_F(ExecQuery, FilterAndLimitAcrossChunks) {
  auto t = numbers(5000);
  auto f = filter(scan(t, {0, 1}), op("=", col(1, oid::kInt4), i4(0)));
  EXPECT_EQ(run(limit(f, 3, 1)), "6|0\n9|0\n12|0\n");
  auto everything = run(f);
  EXPECT_EQ(std::count(everything.begin(), everything.end(), '\n'), 5000 / 3);
  auto s = statement(f);
  auto execution = Execution::create(s);
  EXPECT_EQ(run(*execution, *s, *main_, 7), everything);  // a portal's row limit changes nothing else
}

TEST_F(ExecQuery, ErrorsBelongToTheirRow) {
  auto t = numbers(100);
  // 10 / (id - 40) fails in row 40 only
  auto p = project(scan(t, {0}), {op("/", i4(10), op("-", col(0, oid::kInt4), i4(40)))});
  EXPECT_EQ(run(limit(p, 2)), "0\n0\n");
  std::string all = run(p);
  EXPECT_EQ(std::count(all.begin(), all.end(), '\n'), 39);
  EXPECT_NE(all.find("ERROR 22012: division by zero"), std::string::npos);
  // A filter that takes the row out keeps the error away.
  auto f = project(filter(scan(t, {0}), op("<>", col(0, oid::kInt4), i4(40))),
                   {op("/", i4(10), op("-", col(0, oid::kInt4), i4(40)))});
  EXPECT_EQ(run(limit(f, 100)).find("ERROR"), std::string::npos);
}

TEST_F(ExecQuery, CaseAndLogicEvaluateOnlyWhatIsReached) {
  auto t = numbers(6);
  auto fails = op("/", i4(1), op("-", col(0, oid::kInt4), col(0, oid::kInt4)));
  auto when = std::make_shared<sql::CaseExpr>();
  when->type = {oid::kInt4, -1, kInvalidOid};
  when->whens = {{op("<", col(0, oid::kInt4), i4(100)), col(1, oid::kInt4)}};
  when->otherwise = fails;
  EXPECT_EQ(run(project(scan(t, {0, 1}), {when})), "1\n2\n0\n1\n2\n0\n");
  auto guarded = any({op("<", col(0, oid::kInt4), i4(100)), op("=", fails, i4(1))});
  EXPECT_EQ(run(limit(filter(scan(t, {0}), guarded), 1)), "1\n");
  auto coalesce = std::make_shared<sql::CoalesceExpr>();
  coalesce->type = {oid::kInt4, -1, kInvalidOid};
  coalesce->arguments = {col(0, oid::kInt4), fails};
  EXPECT_EQ(run(limit(project(scan(t, {0}), {coalesce}), 1)), "1\n");
}

TEST_F(ExecQuery, NullLogicHasThreeValues) {
  auto p = std::make_shared<sql::ResultPlan>();
  p->projection = {all({null(oid::kBool), boolean(false)}), all({null(oid::kBool), boolean(true)}),
                   any({null(oid::kBool), boolean(true)}), any({null(oid::kBool), boolean(false)})};
  p->columns = columns_of(p->projection);
  EXPECT_EQ(run(p), "f|null|t|null\n");
}

TEST_F(ExecQuery, ArraySubscriptsSlicesAndAssignment) {
  auto array_of = [&](const std::vector<int>& v) {
    auto a = std::make_shared<sql::ArrayExpr>();
    a->type = {oid::kInt4Array, -1, kInvalidOid};
    a->element = {oid::kInt4, -1, kInvalidOid};
    for (int i : v) a->elements.push_back(i4(i));
    return a;
  };
  auto at = [&](sql::ExprPtr container, sql::ExprPtr lower, sql::ExprPtr upper, bool slice,
                sql::ExprPtr assign = nullptr) {
    auto s = std::make_shared<sql::SubscriptExpr>();
    s->container = std::move(container);
    s->element = {oid::kInt4, -1, kInvalidOid};
    s->type = {slice || assign != nullptr ? oid::kInt4Array : oid::kInt4, -1, kInvalidOid};
    s->indexes.push_back({std::move(lower), std::move(upper), slice});
    s->assign = std::move(assign);
    return s;
  };
  auto p = std::make_shared<sql::ResultPlan>();
  p->projection = {at(array_of({7, 8, 9}), nullptr, i4(2), false),
                   at(array_of({7, 8, 9}), nullptr, i4(4), false),
                   at(array_of({7, 8, 9}), nullptr, null(oid::kInt4), false),
                   at(array_of({7, 8, 9}), i4(2), i4(9), true),
                   at(array_of({7, 8, 9}), nullptr, i4(2), true),
                   at(array_of({7, 8, 9}), i4(5), nullptr, true),
                   at(array_of({7}), nullptr, i4(3), false, i4(1)),
                   at(null(oid::kInt4Array), nullptr, i4(2), false, i4(1))};
  p->columns = columns_of(p->projection);
  EXPECT_EQ(run(p), "8|null|null|{8,9}|{7,8}|{}|{7,NULL,1}|[2:2]={1}\n");
}

TEST_F(ExecQuery, CompositeValuesAndTheirNulls) {
  auto row = std::make_shared<sql::RowExpr>();
  row->type = {oid::kRecord, -1, kInvalidOid};
  row->fields = {i4(1), null(oid::kText)};
  auto field = std::make_shared<sql::FieldExpr>();
  field->type = {oid::kInt4, -1, kInvalidOid};
  field->argument = row;
  auto test = [&](bool is_null) {
    auto t = std::make_shared<sql::NullTestExpr>();
    t->type = {oid::kBool, -1, kInvalidOid};
    t->argument = row;
    t->row = true;
    t->is_null = is_null;
    return t;
  };
  auto p = std::make_shared<sql::ResultPlan>();
  p->projection = {row, field, test(true), test(false)};
  p->columns = columns_of(p->projection);
  EXPECT_EQ(run(p), "(1,)|1|f|f\n");  // neither: one field is null, one is not
}

TEST_F(ExecQuery, VolatileFunctionsRunInRowOrderAndNotPastALimit) {
  auto t = numbers(1000);
  auto sequence = std::make_shared<sql::ConstExpr>();
  sequence->type = {oid::kRegClass, -1, kInvalidOid};
  sequence->value = OwnedDatum(Datum::of_oid(1));
  auto q = project(scan(t, {0}), {call(1574 /* nextval */, {sequence}), col(0, oid::kInt4)});
  EXPECT_EQ(run(limit(q, 3)), "1|1\n2|2\n3|3\n");
  EXPECT_EQ(session_.sequence, 3);
}

TEST_F(ExecQuery, SortsWithNullsDirectionsAndTopN) {
  auto t = numbers(11);
  EXPECT_EQ(run(sort(scan(t, {0, 2}), {key(col(1, oid::kText), true), key(col(0, oid::kInt4))})),
            "5|null\n10|null\n9|r9\n8|r8\n7|r7\n6|r6\n4|r4\n3|r3\n2|r2\n11|r11\n1|r1\n");
  numbers(0);
  auto many = table("many", {{"id", oid::kInt4}, {"v", oid::kInt4}}, {"id"});
  std::vector<std::vector<std::string>> rows;
  for (int i = 0; i < 5000; i++) rows.push_back({std::to_string(i), std::to_string(i * 7919 % 5000)});
  fill(many, rows);
  auto top = sort(scan(many, {1}), {key(col(0, oid::kInt4))});
  top->limit = i8(3);
  EXPECT_EQ(run(limit(top, 3)), "0\n1\n2\n");
  auto whole = sort(scan(many, {1}), {key(col(0, oid::kInt4), true)});
  EXPECT_EQ(run(limit(whole, 3, 10)), "4989\n4988\n4987\n");
}

TEST_F(ExecQuery, LimitRefusesNegativesAndKeepsTies) {
  auto t = numbers(9);
  EXPECT_EQ(run(limit(scan(t, {0}), -1)), "ERROR 2201W: LIMIT must not be negative");
  auto ties = limit(sort(scan(t, {1}), {key(col(0, oid::kInt4))}), 2);
  ties->with_ties = true;
  ties->ties = {key(col(0, oid::kInt4))};
  EXPECT_EQ(run(ties), "0\n0\n0\n");
}

TEST_F(ExecQuery, InListsGiveEachKeyOnceInOrder) {
  auto t = numbers(20);
  auto p = scan(t, {0});
  auto array = std::make_shared<sql::ArrayExpr>();
  array->type = {oid::kInt4Array, -1, kInvalidOid};
  array->element = {oid::kInt4, -1, kInvalidOid};
  array->elements = {i4(9), i4(3), null(oid::kInt4), i4(9), i4(77)};
  p->bounds.equal = {array};
  p->bounds.lists = 1;
  EXPECT_EQ(run(p), "3\n9\n");
  p = std::make_shared<sql::TableScanPlan>(*p);
  p->direction = storage::Direction::kBackward;
  EXPECT_EQ(run(p), "9\n3\n");
}

TEST_F(ExecQuery, SetOperationsDistinctAppend) {
  auto a = values({oid::kInt4}, {{i4(1)}, {i4(2)}, {i4(2)}, {i4(3)}, {null(oid::kInt4)}});
  auto b = values({oid::kInt4}, {{i4(2)}, {i4(3)}, {null(oid::kInt4)}});
  auto op_of = [&](sql::SetOperation op, bool all) {
    auto p = std::make_shared<sql::SetOperationPlan>();
    p->op = op;
    p->all = all;
    p->columns = a->columns;
    p->inputs = {a, b};
    return p;
  };
  EXPECT_EQ(run(op_of(sql::SetOperation::kIntersect, false)), "2\n3\nnull\n");
  EXPECT_EQ(run(op_of(sql::SetOperation::kExcept, false)), "1\n");
  EXPECT_EQ(run(op_of(sql::SetOperation::kExcept, true)), "1\n2\n");
  auto append = std::make_shared<sql::AppendPlan>();
  append->columns = a->columns;
  append->inputs = {a, b};
  auto distinct = std::make_shared<sql::DistinctPlan>();
  distinct->columns = a->columns;
  distinct->inputs = {append};
  distinct->on = {col(0, oid::kInt4)};
  EXPECT_EQ(run(distinct), "1\n2\n3\nnull\n");
}

TEST_F(ExecQuery, RecursiveUnionCountsAndStopsAtRepetition) {
  // WITH RECURSIVE r(n) AS (VALUES (1) UNION [ALL] SELECT n % 5 + 1 FROM r [WHERE n < 10]) SELECT n FROM r
  auto make = [&](bool all) {
    auto work = std::make_shared<sql::WorkTableScanPlan>();
    work->columns = values({oid::kInt4}, {})->columns;
    auto again = project(filter(work, op("<", col(0, oid::kInt4), i4(10))), {op("+", col(0, oid::kInt4), i4(1))});
    auto wrap = project(work, {op("+", op("%", col(0, oid::kInt4), i4(5)), i4(1))});
    auto u = std::make_shared<sql::RecursiveUnionPlan>();
    u->all = all;
    u->columns = work->columns;
    u->inputs = {values({oid::kInt4}, {{i4(1)}}), all ? sql::PlanPtr(again) : sql::PlanPtr(wrap)};
    auto cte = std::make_shared<sql::CteScanPlan>();
    cte->columns = work->columns;
    auto s = statement(cte);
    s->ctes.push_back({u, "r", false});
    return run(s);
  };
  EXPECT_EQ(make(true), "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n");
  EXPECT_EQ(make(false), "1\n2\n3\n4\n5\n");
}

TEST_F(ExecQuery, MemoryLimitIsAnError) {
  auto t = numbers(5000);
  work_memory_ = 64 * 1024;
  EXPECT_EQ(run(sort(scan(t, {0, 1, 2}), {key(col(0, oid::kInt4))})).substr(0, 11), "ERROR 53200");
}

TEST_F(ExecQuery, InterruptsStopLongScans) {
  auto t = numbers(5000);
  Waiter::current().interrupt(InterruptReason::kCancel);
  std::string out = run(sort(scan(t, {0}), {key(col(0, oid::kInt4))}));
  Waiter::current().clear_interrupt();
  EXPECT_EQ(out, "ERROR 57014: canceling statement due to user request");
}

}  // namespace
}  // namespace indigo::engine
