// Joins: every join type by nested loop, hash and merge must give the same rows; plus rescans and subqueries.
#include <algorithm>
#include <sstream>

#include "tests/unit/engine/exec_fixture.h"

namespace indigo::engine {
namespace {

using sql::JoinType;

std::string sorted(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  std::sort(lines.begin(), lines.end());
  std::string out;
  for (const auto& l : lines) out += l + "\n";
  return out;
}

class ExecJoin : public ExecTest {
 protected:
  // Two tables with duplicates, misses and nulls on both sides.
  void SetUp() override {
    a_ = table("a", {{"id", oid::kInt4}, {"k", oid::kInt4}, {"t", oid::kText}}, {"id"});
    b_ = table("b", {{"id", oid::kInt4}, {"k", oid::kInt4}, {"u", oid::kText}}, {"id"});
    fill(a_, {{"1", "10", "a1"}, {"2", "20", "a2"}, {"3", "20", "a3"}, {"4", "null", "a4"}, {"5", "50", "a5"}});
    fill(b_, {{"1", "20", "b1"}, {"2", "20", "b2"}, {"3", "10", "b3"}, {"4", "null", "b4"}, {"5", "60", "b5"}});
    left_ = sort(scan(a_, {0, 1, 2}), {key(col(1, oid::kInt4))});
    right_ = sort(scan(b_, {0, 1, 2}), {key(col(1, oid::kInt4))});
  }

  std::vector<sql::PlanColumn> shape(JoinType type) {
    return type == JoinType::kSemi || type == JoinType::kAnti ? left_->columns : joined(left_, right_);
  }
  sql::PlanPtr hash(JoinType type, sql::ExprPtr condition = nullptr) {
    auto p = std::make_shared<sql::HashJoinPlan>();
    p->type = type;
    p->inputs = {left_, right_};
    p->columns = shape(type);
    p->left_keys = {col(1, oid::kInt4)};
    p->right_keys = {col(1, oid::kInt4)};
    p->condition = std::move(condition);
    return p;
  }
  sql::PlanPtr merge(JoinType type, sql::ExprPtr condition = nullptr) {
    auto p = std::make_shared<sql::MergeJoinPlan>();
    p->type = type;
    p->inputs = {left_, right_};
    p->columns = shape(type);
    p->left_keys = {col(1, oid::kInt4)};
    p->right_keys = {col(1, oid::kInt4)};
    p->order = {key(nullptr)};
    p->condition = std::move(condition);
    return p;
  }
  sql::PlanPtr loop(JoinType type, sql::ExprPtr condition = nullptr) {
    auto p = std::make_shared<sql::NestedLoopPlan>();
    p->type = type;
    p->inputs = {left_, right_};
    p->columns = shape(type);
    auto equal = op("=", col(1, oid::kInt4, 0), col(1, oid::kInt4, 1));
    p->condition = condition != nullptr ? all({equal, condition}) : equal;
    return p;
  }

  RelationPtr a_, b_;
  sql::PlanPtr left_, right_;
};

TEST_F(ExecJoin, EveryTypeByEveryMethod) {
  const std::string matches = "1|10|a1|3|10|b3\n2|20|a2|1|20|b1\n2|20|a2|2|20|b2\n3|20|a3|1|20|b1\n3|20|a3|2|20|b2\n";
  const std::string lefts = "4|null|a4|null|null|null\n5|50|a5|null|null|null\n";
  const std::string rights = "null|null|null|4|null|b4\nnull|null|null|5|60|b5\n";
  struct Case {
    JoinType type;
    std::string rows;
  } cases[] = {{JoinType::kInner, matches},
               {JoinType::kLeft, matches + lefts},
               {JoinType::kRight, matches + rights},
               {JoinType::kFull, matches + lefts + rights},
               {JoinType::kSemi, "1|10|a1\n2|20|a2\n3|20|a3\n"},
               {JoinType::kAnti, "4|null|a4\n5|50|a5\n"}};
  for (const Case& c : cases) {
    SCOPED_TRACE(static_cast<int>(c.type));
    EXPECT_EQ(sorted(run(hash(c.type))), sorted(c.rows));
    EXPECT_EQ(sorted(run(merge(c.type))), sorted(c.rows));
    if (c.type != JoinType::kRight && c.type != JoinType::kFull) {
      EXPECT_EQ(sorted(run(loop(c.type))), sorted(c.rows));
    }
  }
}

TEST_F(ExecJoin, ResidualConditionsBelongToTheJoin) {
  // b.id = 1 in ON: other pairs count as no match
  auto condition = [&] { return op("=", col(0, oid::kInt4, 1), i4(1)); };
  const std::string matches = "2|20|a2|1|20|b1\n3|20|a3|1|20|b1\n";
  const std::string lefts = "1|10|a1|null|null|null\n4|null|a4|null|null|null\n5|50|a5|null|null|null\n";
  const std::string rights =
      "null|null|null|2|20|b2\nnull|null|null|3|10|b3\nnull|null|null|4|null|b4\nnull|null|null|5|60|b5\n";
  struct Case {
    JoinType type;
    std::string rows;
  } cases[] = {{JoinType::kInner, matches},
               {JoinType::kLeft, matches + lefts},
               {JoinType::kRight, matches + rights},
               {JoinType::kFull, matches + lefts + rights},
               {JoinType::kSemi, "2|20|a2\n3|20|a3\n"},
               {JoinType::kAnti, "1|10|a1\n4|null|a4\n5|50|a5\n"}};
  for (const Case& c : cases) {
    SCOPED_TRACE(static_cast<int>(c.type));
    EXPECT_EQ(sorted(run(hash(c.type, condition()))), sorted(c.rows));
    EXPECT_EQ(sorted(run(merge(c.type, condition()))), sorted(c.rows));
    if (c.type != JoinType::kRight && c.type != JoinType::kFull) {
      EXPECT_EQ(sorted(run(loop(c.type, condition()))), sorted(c.rows));
    }
  }
}

TEST_F(ExecJoin, SmallLimitsSeeThePrefixOfTheSameRows) {
  for (auto type : {JoinType::kInner, JoinType::kLeft, JoinType::kFull, JoinType::kAnti}) {
    for (const auto& plan : {hash(type), merge(type)}) {
      std::string whole = run(plan);
      auto s = statement(plan);
      auto execution = Execution::create(s);
      EXPECT_EQ(run(*execution, *s, *main_, 1), whole);
      EXPECT_EQ(run(*execution, *s, *main_, 2), whole);
    }
  }
}

TEST_F(ExecJoin, NotInWithNullsIsNeverTrue) {
  auto p = std::make_shared<sql::HashJoinPlan>(static_cast<const sql::HashJoinPlan&>(*hash(JoinType::kAnti)));
  p->null_aware_anti = true;
  EXPECT_EQ(run(p), "");
  p = std::make_shared<sql::HashJoinPlan>(*p);
  auto is_null = std::make_shared<sql::NullTestExpr>();
  is_null->type = {oid::kBool, -1, kInvalidOid};
  is_null->argument = col(1, oid::kInt4);
  is_null->is_null = false;
  p->inputs[1] = filter(right_, is_null);
  EXPECT_EQ(run(p), "5|50|a5\n");  // a4's key is null
  p = std::make_shared<sql::HashJoinPlan>(*p);
  p->inputs[1] = filter(right_, boolean(false));
  EXPECT_EQ(sorted(run(p)), "1|10|a1\n2|20|a2\n3|20|a3\n4|null|a4\n5|50|a5\n");
}

TEST_F(ExecJoin, NestedLoopLooksUpByPassedKey) {
  auto inner = scan(b_, {0, 2});
  inner->bounds.equal = {slot(0, oid::kInt4)};
  inner->point = true;
  auto p = std::make_shared<sql::NestedLoopPlan>();
  p->type = JoinType::kLeft;
  p->inputs = {scan(a_, {0, 1}), inner};
  p->passes = {{0, op("/", col(1, oid::kInt4), i4(10))}};  // a.k / 10 = b.id
  p->columns = joined(p->inputs[0], p->inputs[1]);
  auto s = statement(p);
  s->runtime_slots = 1;
  EXPECT_EQ(run(s), "1|10|1|b1\n2|20|2|b2\n3|20|2|b2\n4|null|null|null\n5|50|5|b5\n");
}

TEST_F(ExecJoin, LookUpsByKeyServeEveryTypeWithFilters) {
  auto inner = scan(b_, {0, 2, sql::kTableOidColumn});
  inner->bounds.equal = {slot(0, oid::kInt4)};
  inner->filter = op("<>", col(0, oid::kInt4), i4(2));
  auto p = std::make_shared<sql::NestedLoopPlan>();
  p->inputs = {scan(a_, {0, 1}), inner};
  p->passes = {{0, op("/", col(1, oid::kInt4), i4(10))}};
  p->condition = op("<", col(0, oid::kInt4, 0), i4(5));
  auto with = [&](JoinType type) {
    auto copy = std::make_shared<sql::NestedLoopPlan>(*p);
    copy->type = type;
    copy->columns =
        type == JoinType::kSemi || type == JoinType::kAnti ? p->inputs[0]->columns : joined(p->inputs[0], p->inputs[1]);
    auto s = statement(copy);
    s->runtime_slots = 1;
    return run(s);
  };
  std::string b = std::to_string(b_->oid);
  EXPECT_EQ(with(JoinType::kInner), "1|10|1|b1|" + b + "\n");
  EXPECT_EQ(with(JoinType::kLeft), "1|10|1|b1|" + b +
                                       "\n2|20|null|null|null\n3|20|null|null|null\n4|null|null|null|null\n"
                                       "5|50|null|null|null\n");
  EXPECT_EQ(with(JoinType::kSemi), "1|10\n");
  EXPECT_EQ(with(JoinType::kAnti), "2|20\n3|20\n4|null\n5|50\n");
}

TEST_F(ExecJoin, CorrelatedAndPlainSubqueries) {
  // SELECT id, (SELECT u FROM b WHERE b.id = a.id), id IN (SELECT k / 10 FROM b), EXISTS(...)
  auto inner = scan(b_, {2});
  inner->bounds.equal = {slot(0, oid::kInt4)};
  auto scalar = std::make_shared<sql::SubPlanExpr>();
  scalar->type = {oid::kText, -1, kInvalidOid};
  scalar->form = sql::SubLinkExpr::Form::kScalar;
  scalar->passes = {{0, col(0, oid::kInt4)}};
  auto in = std::make_shared<sql::SubPlanExpr>();
  in->type = {oid::kBool, -1, kInvalidOid};
  in->form = sql::SubLinkExpr::Form::kAny;
  in->subplan = 1;
  in->columns = {1};
  in->test = op("=", col(0, oid::kInt4), slot(1, oid::kInt4));
  for (bool hashed : {false, true}) {
    auto copy = std::make_shared<sql::SubPlanExpr>(*in);
    copy->hashed = hashed;
    auto s = statement(project(scan(a_, {0}), {col(0, oid::kInt4), scalar, copy}));
    s->subplans = {inner, project(scan(b_, {1}), {op("/", col(0, oid::kInt4), i4(10))})};
    s->runtime_slots = 2;
    EXPECT_EQ(run(s), "1|b1|t\n2|b2|t\n3|b3|null\n4|b4|null\n5|b5|null\n");
  }
}

TEST_F(ExecJoin, InitPlansRunOnceAndRefuseTwoRows) {
  auto s = statement(project(scan(a_, {0}), {slot(0, oid::kInt4)}));
  s->subplans = {project(limit(scan(b_, {0}), 1), {col(0, oid::kInt4)})};
  s->initplans = {{0, {0}, sql::SubLinkExpr::Form::kScalar}};
  s->runtime_slots = 1;
  EXPECT_EQ(run(s), "1\n1\n1\n1\n1\n");
  s->subplans = {scan(b_, {0})};
  EXPECT_EQ(run(s), "ERROR 21000: more than one row returned by a subquery used as an expression");
  s->subplans = {scan(b_, {0})};
  s->initplans[0].form = sql::SubLinkExpr::Form::kArray;
  s->root = project(limit(scan(a_, {0}), 1), {slot(0, oid::kInt4Array)});
  EXPECT_EQ(run(s), "{1,2,3,4,5}\n");
}

TEST_F(ExecJoin, RandomJoinsAgree) {
  uint32_t seed = 12345;
  RecordProperty("seed", static_cast<int>(seed));
  auto next = [&] { return seed = seed * 1664525 + 1013904223, seed >> 8; };
  auto x = table("x", {{"id", oid::kInt4}, {"k", oid::kInt4}}, {"id"});
  auto y = table("y", {{"id", oid::kInt4}, {"k", oid::kInt4}}, {"id"});
  std::vector<std::vector<std::string>> xs, ys;
  for (int i = 0; i < 1500; i++) {
    xs.push_back({std::to_string(i), next() % 20 == 0 ? "null" : std::to_string(next() % 400)});
    ys.push_back({std::to_string(i), next() % 20 == 0 ? "null" : std::to_string(next() % 400)});
  }
  fill(x, xs);
  fill(y, ys);
  left_ = sort(scan(x, {0, 1}), {key(col(1, oid::kInt4))});
  right_ = sort(scan(y, {0, 1}), {key(col(1, oid::kInt4))});
  for (auto type :
       {JoinType::kInner, JoinType::kLeft, JoinType::kRight, JoinType::kFull, JoinType::kSemi, JoinType::kAnti}) {
    SCOPED_TRACE(static_cast<int>(type));
    std::string h = sorted(run(hash(type)));
    EXPECT_EQ(h, sorted(run(merge(type))));
    auto condition = op("<", col(0, oid::kInt4, 0), col(0, oid::kInt4, 1));
    std::string residual = sorted(run(hash(type, condition)));
    EXPECT_EQ(residual, sorted(run(merge(type, condition))));
    EXPECT_FALSE(h.empty());
  }
}

}  // namespace
}  // namespace indigo::engine
