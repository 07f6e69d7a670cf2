// Changes: INSERT, UPDATE, DELETE, MERGE, ON CONFLICT, constraints, foreign keys, concurrent writers, bulk loading.
#include <algorithm>
#include <thread>

#include "engine/exec/change/bulk_insert.h"
#include "tests/unit/engine/exec_fixture.h"

namespace indigo::engine {
namespace {

using sql::CommandKind;
using storage::Isolation;

class ExecChange : public ExecTest {
 protected:
  RelationPtr accounts() {
    auto t = table("accounts", {{"id", oid::kInt4}, {"balance", oid::kInt4, true}, {"note", oid::kText}}, {"id"});
    fill(t, {{"1", "100", "a"}, {"2", "200", "b"}, {"3", "300", "null"}});
    return t;
  }
  // UPDATE t SET column = value WHERE id = key (value over the old row in input 1)
  std::shared_ptr<sql::UpdatePlan> update(const RelationPtr& t, int column, sql::ExprPtr value,
                                          const sql::ExprPtr& key = nullptr) {
    auto source = scan(t, {0, sql::kRowKeyColumn});
    if (key != nullptr) source->bounds.equal = {key};
    auto p = std::make_shared<sql::UpdatePlan>();
    p->relation = t;
    p->inputs = {source};
    p->key_column = 1;
    p->assignments = {{column, std::move(value)}};
    return p;
  }
  std::shared_ptr<sql::DeletePlan> erase(const RelationPtr& t, const sql::ExprPtr& key) {
    auto source = scan(t, {0, sql::kRowKeyColumn});
    if (key != nullptr) source->bounds.equal = {key};
    auto p = std::make_shared<sql::DeletePlan>();
    p->relation = t;
    p->inputs = {source};
    p->key_column = 1;
    return p;
  }
  std::string change(sql::PlanPtr p, CommandKind command, storage::Transaction* txn = nullptr) {
    return run(statement(std::move(p), command), txn);
  }
};

TEST_F(ExecChange, InsertChecksNotNullCheckAndUnique) {
  auto t = accounts();
  auto good = insert(t, values({oid::kInt4, oid::kInt4, oid::kText}, {{i4(4), i4(1), text("x")}}));
  EXPECT_EQ(change(good, CommandKind::kInsert), "");
  EXPECT_EQ(affected_, 1u);
  auto null_value = insert(t, values({oid::kInt4, oid::kInt4, oid::kText}, {{i4(5), null(oid::kInt4), text("x")}}));
  EXPECT_EQ(change(null_value, CommandKind::kInsert),
            "ERROR 23502: null value in column \"balance\" of relation \"accounts\" violates not-null constraint");
  EXPECT_EQ(detail_, "Failing row contains (5, null, x).");
  auto duplicate = insert(t, values({oid::kInt4, oid::kInt4, oid::kText}, {{i4(1), i4(9), text("x")}}));
  EXPECT_EQ(change(duplicate, CommandKind::kInsert),
            "ERROR 23505: duplicate key value violates unique constraint \"accounts_pkey\"");
  EXPECT_EQ(detail_, "Key (id)=(1) already exists.");
  auto checked = insert(t, values({oid::kInt4, oid::kInt4, oid::kText}, {{i4(6), i4(-1), null(oid::kText)}}));
  checked->checks = {op(">=", col(1, oid::kInt4, 1), i4(0))};
  checked->check_names = {"positive"};
  EXPECT_EQ(change(checked, CommandKind::kInsert),
            "ERROR 23514: new row for relation \"accounts\" violates check constraint \"positive\"");
  EXPECT_EQ(detail_, "Failing row contains (6, -1, null).");
}

TEST_F(ExecChange, ReturningSeesNewRowAndSource) {
  auto t = accounts();
  auto p =
      insert(t, values({oid::kInt4, oid::kInt4, oid::kText}, {{i4(7), i4(70), text("x")}, {i4(8), i4(80), text("y")}}));
  p->returning = {col(0, oid::kInt4, 1), op("+", col(1, oid::kInt4, 1), col(1, oid::kInt4, 0)), col(2, oid::kText, 1)};
  p->columns = columns_of(p->returning);
  EXPECT_EQ(change(p, CommandKind::kInsert), "7|140|x\n8|160|y\n");
  auto u = update(t, 1, op("+", col(1, oid::kInt4, 1), i4(1)), i4(7));
  u->returning = {col(1, oid::kInt4, 1), col(0, oid::kInt4, 0)};
  u->columns = columns_of(u->returning);
  EXPECT_EQ(change(u, CommandKind::kUpdate), "71|7\n");
  auto d = erase(t, i4(7));
  d->returning = {col(2, oid::kText, 1)};
  d->columns = columns_of(d->returning);
  EXPECT_EQ(change(d, CommandKind::kDelete), "x\n");
  EXPECT_EQ(affected_, 1u);
}

TEST_F(ExecChange, UpdatePatchesFixedColumnsAndRewritesOthers) {
  auto t = accounts();
  EXPECT_EQ(change(update(t, 1, op("+", col(1, oid::kInt4, 1), i4(5)), i4(2)), CommandKind::kUpdate), "");
  EXPECT_EQ(affected_, 1u);
  EXPECT_EQ(change(update(t, 2, text("longer text than before")), CommandKind::kUpdate), "");
  EXPECT_EQ(affected_, 3u);
  EXPECT_EQ(contents(t),
            "1|100|longer text than before\n2|205|longer text than before\n3|300|longer text than before\n");
  EXPECT_EQ(change(update(t, 1, null(oid::kInt4), i4(1)), CommandKind::kUpdate),
            "ERROR 23502: null value in column \"balance\" of relation \"accounts\" violates not-null constraint");
  EXPECT_EQ(detail_, "Failing row contains (1, null, longer text than before).");
}

TEST_F(ExecChange, KeyUpdatesDoNotMeetTheirOwnRows) {
  auto t = table("k", {{"id", oid::kInt4}}, {"id"});
  std::vector<std::vector<std::string>> rows;
  for (int i = 1; i <= 100; i++) rows.push_back({std::to_string(i * 1000)});
  fill(t, rows);
  auto p = update(t, 0, op("+", col(0, oid::kInt4, 1), i4(1)));
  EXPECT_EQ(change(p, CommandKind::kUpdate), "");
  EXPECT_EQ(affected_, 100u);
  EXPECT_EQ(run(limit(scan(t, {0}), 2)), "1001\n2001\n");
}

TEST_F(ExecChange, InsertFromItselfEnds) {
  auto t = table("h", {{"v", oid::kInt4}}, {});
  fill(t, {{"1"}, {"2"}, {"3"}});
  EXPECT_EQ(change(insert(t, scan(t, {0})), CommandKind::kInsert), "");
  EXPECT_EQ(affected_, 3u);
  EXPECT_EQ(contents(t), "1\n2\n3\n1\n2\n3\n");  // insertion order without a primary key
}

TEST_F(ExecChange, AJoinedUpdateChangesARowOnce) {
  auto t = accounts();
  auto source = values({oid::kInt4}, {{i4(1)}, {i4(2)}});
  auto join = std::make_shared<sql::NestedLoopPlan>();
  join->inputs = {scan(t, {0, sql::kRowKeyColumn}), source};
  join->columns = joined(join->inputs[0], join->inputs[1]);
  auto p = update(t, 1, op("+", col(1, oid::kInt4, 1), col(2, oid::kInt4, 0)));
  p->inputs = {join};
  EXPECT_EQ(change(p, CommandKind::kUpdate), "");
  EXPECT_EQ(affected_, 3u);
  EXPECT_EQ(run(scan(t, {1})), "101\n201\n301\n");
}

TEST_F(ExecChange, OnConflict) {
  auto t = accounts();
  auto rows = [&] {
    return values({oid::kInt4, oid::kInt4, oid::kText}, {{i4(2), i4(7), text("n")}, {i4(9), i4(9), text("m")}});
  };
  auto nothing = insert(t, rows());
  nothing->on_conflict.emplace();
  EXPECT_EQ(change(nothing, CommandKind::kInsert), "");
  EXPECT_EQ(affected_, 1u);
  auto change_it = insert(t, rows());
  change_it->on_conflict.emplace();
  change_it->on_conflict->update = true;
  change_it->on_conflict->arbiters = {t->indexes[0].oid};
  change_it->on_conflict->assignments = {{1, op("+", col(1, oid::kInt4, 0), col(1, oid::kInt4, 1))}};
  change_it->on_conflict->where = op("=", col(0, oid::kInt4, 0), i4(2));
  change_it->returning = {col(0, oid::kInt4, 1), col(1, oid::kInt4, 1)};
  change_it->columns = columns_of(change_it->returning);
  EXPECT_EQ(change(change_it, CommandKind::kInsert), "2|207\n");
  EXPECT_EQ(affected_, 1u);
  auto twice =
      insert(t, values({oid::kInt4, oid::kInt4, oid::kText}, {{i4(50), i4(1), text("")}, {i4(50), i4(2), text("")}}));
  twice->on_conflict = change_it->on_conflict;
  twice->on_conflict->where = nullptr;
  EXPECT_EQ(change(twice, CommandKind::kInsert),
            "ERROR 21000: ON CONFLICT DO UPDATE command cannot affect row a second time");
}

TEST_F(ExecChange, MergeTakesTheFirstFittingAction) {
  auto t = accounts();
  auto source = values({oid::kInt4, oid::kInt4}, {{i4(1), i4(11)}, {i4(2), i4(0)}, {i4(8), i4(88)}, {i4(9), i4(-1)}});
  auto join = std::make_shared<sql::HashJoinPlan>();
  join->type = sql::JoinType::kLeft;
  join->inputs = {source, scan(t, {0, sql::kRowKeyColumn})};
  join->left_keys = {col(0, oid::kInt4)};
  join->right_keys = {col(0, oid::kInt4)};
  join->columns = joined(join->inputs[0], join->inputs[1]);
  auto p = std::make_shared<sql::MergePlan>();
  p->relation = t;
  p->inputs = {join};
  p->key_column = 3;
  sql::MergeAction erase_it{
      sql::MergeAction::Match::kMatched, op("=", col(1, oid::kInt4, 0), i4(0)), CommandKind::kDelete, {}};
  sql::MergeAction set_it{sql::MergeAction::Match::kMatched,
                          nullptr,
                          CommandKind::kUpdate,
                          {{1, op("+", col(1, oid::kInt4, 1), col(1, oid::kInt4, 0))}}};
  sql::MergeAction skip_it{
      sql::MergeAction::Match::kNotMatched, op("<", col(1, oid::kInt4, 0), i4(0)), CommandKind::kSelect, {}};
  sql::MergeAction add_it{sql::MergeAction::Match::kNotMatched,
                          nullptr,
                          CommandKind::kInsert,
                          {{0, col(0, oid::kInt4, 0)}, {1, col(1, oid::kInt4, 0)}}};
  p->actions = {erase_it, set_it, skip_it, add_it};
  EXPECT_EQ(change(p, CommandKind::kMerge), "");
  EXPECT_EQ(affected_, 3u);
  EXPECT_EQ(contents(t), "1|111|a\n3|300|null\n8|88|null\n");
}

class ExecForeignKey : public ExecChange {
 protected:
  void family(char on_delete, char on_update) {
    p_ = table("p", {{"id", oid::kInt4}}, {"id"});
    c_ = table("c", {{"id", oid::kInt4}, {"pid", oid::kInt4}}, {"id"});
    foreign_key(c_, "c_pid_fkey", {2}, p_, {1}, on_delete, on_update);
    fill(p_, {{"1"}, {"2"}});
    fill(c_, {{"10", "1"}, {"11", "1"}, {"12", "2"}, {"13", "null"}});
  }
  RelationPtr p_, c_;
};

TEST_F(ExecForeignKey, AChildNeedsItsParent) {
  family('a', 'a');
  auto orphan = insert(c_, values({oid::kInt4, oid::kInt4}, {{i4(20), i4(99)}}));
  EXPECT_EQ(change(orphan, CommandKind::kInsert),
            "ERROR 23503: insert or update on table \"c\" violates foreign key constraint \"c_pid_fkey\"");
  EXPECT_EQ(detail_, "Key (pid)=(99) is not present in table \"p\".");
  EXPECT_EQ(change(update(c_, 1, i4(2), i4(10)), CommandKind::kUpdate), "");
}

TEST_F(ExecForeignKey, NoActionAndRestrict) {
  family('a', 'r');
  EXPECT_EQ(
      change(erase(p_, i4(1)), CommandKind::kDelete),
      "ERROR 23503: update or delete on table \"p\" violates foreign key constraint \"c_pid_fkey\" on table \"c\"");
  EXPECT_EQ(detail_, "Key (id)=(1) is still referenced from table \"c\".");
}

TEST_F(ExecForeignKey, CascadeDeleteAndUpdate) {
  family('c', 'c');
  auto moved = update(p_, 0, i4(7), i4(2));
  EXPECT_EQ(change(moved, CommandKind::kUpdate), "");
  EXPECT_EQ(contents(c_), "10|1\n11|1\n12|7\n13|null\n");
  EXPECT_EQ(change(erase(p_, i4(1)), CommandKind::kDelete), "");
  EXPECT_EQ(contents(c_), "12|7\n13|null\n");
}

TEST_F(ExecForeignKey, SetNull) {
  family('n', 'a');
  EXPECT_EQ(change(erase(p_, i4(1)), CommandKind::kDelete), "");
  EXPECT_EQ(contents(c_), "10|null\n11|null\n12|2\n13|null\n");
}

TEST_F(ExecForeignKey, SelfReferencesWithinOneStatement) {
  auto t = table("tree", {{"id", oid::kInt4}, {"up", oid::kInt4}}, {"id"});
  foreign_key(t, "tree_up_fkey", {2}, t, {1}, 'a', 'a');
  auto rows = insert(t, values({oid::kInt4, oid::kInt4}, {{i4(1), i4(2)}, {i4(2), i4(1)}}));
  EXPECT_EQ(change(rows, CommandKind::kInsert), "");
  EXPECT_EQ(contents(t), "1|2\n2|1\n");
  EXPECT_EQ(change(erase(t, nullptr), CommandKind::kDelete), "");
}

TEST_F(ExecChange, AWaitingUpdateSeesTheNewestRow) {
  auto t = accounts();
  commit();
  auto add = [&] { return update(t, 1, op("+", col(1, oid::kInt4, 1), i4(1)), i4(1)); };
  auto first = store_->begin(Isolation::kReadCommitted, 2);
  EXPECT_EQ(change(add(), CommandKind::kUpdate, first.get()), "");
  auto second = store_->begin(Isolation::kReadCommitted, 3);
  second->take_statement_snapshot();
  second->next_command();
  // The second statement's snapshot is older than the first one's commit.
  auto s = statement(add(), CommandKind::kUpdate);
  auto execution = Execution::create(s);
  ExecutionContext context{*store_, *second, second->view(), session_, parameters_, 0};
  ASSERT_TRUE(execution->open(context).ok());
  ASSERT_EQ(store_->commit(*first), storage::StorageStatus::kOk);
  auto done = execution->next(0);
  ASSERT_TRUE(done.ok());
  EXPECT_EQ(execution->affected_rows(), 1u);
  execution->close();
  ASSERT_EQ(store_->commit(*second), storage::StorageStatus::kOk);
  commit();
  EXPECT_EQ(run(scan(t, {1})), "102\n200\n300\n");
}

TEST_F(ExecChange, ARowThatNoLongerQualifiesIsLeftAlone) {
  auto t = accounts();
  commit();
  auto first = store_->begin(Isolation::kReadCommitted, 2);
  EXPECT_EQ(change(update(t, 1, i4(0), i4(1)), CommandKind::kUpdate, first.get()), "");
  auto second = store_->begin(Isolation::kReadCommitted, 3);
  second->take_statement_snapshot();
  second->next_command();
  // UPDATE accounts SET note = 'rich' WHERE balance >= 100 AND id = 1
  auto source = scan(t, {0, sql::kRowKeyColumn, 1});
  source->bounds.equal = {i4(1)};
  source->filter = op(">=", col(2, oid::kInt4), i4(100));
  auto p = update(t, 2, text("rich"));
  p->inputs = {source};
  p->recheck = op(">=", col(1, oid::kInt4, 1), i4(100));
  p->refresh = {{2, 1}};
  auto execution = Execution::create(statement(p, CommandKind::kUpdate));
  ExecutionContext context{*store_, *second, second->view(), session_, parameters_, 0};
  ASSERT_TRUE(execution->open(context).ok());
  ASSERT_EQ(store_->commit(*first), storage::StorageStatus::kOk);
  ASSERT_TRUE(execution->next(0).ok());
  EXPECT_EQ(execution->affected_rows(), 0u);
  execution->close();
  store_->rollback(*second);
}

TEST_F(ExecChange, RepeatableReadRefusesAChangedRow) {
  auto t = accounts();
  commit();
  auto second = store_->begin(Isolation::kRepeatableRead, 3);
  second->take_statement_snapshot();
  EXPECT_EQ(change(update(t, 1, i4(0), i4(1)), CommandKind::kUpdate), "");
  commit();
  EXPECT_EQ(change(update(t, 1, i4(5), i4(1)), CommandKind::kUpdate, second.get()),
            "ERROR 40001: could not serialize access due to concurrent update");
  store_->rollback(*second);
}

TEST_F(ExecChange, LockRowsRefreshesWhatChanged) {
  auto t = accounts();
  auto lock = std::make_shared<sql::LockRowsPlan>();
  auto source = scan(t, {0, 1, sql::kRowKeyColumn});
  source->bounds.equal = {i4(1)};
  lock->inputs = {source};
  lock->columns = source->columns;
  lock->locks.push_back({t, 2, storage::RowLockMode::kUpdate, storage::LockWait::kNoWait, {{0, 0}, {1, 1}}});
  commit();
  auto other = store_->begin(Isolation::kReadCommitted, 2);
  EXPECT_EQ(change(update(t, 1, i4(1), i4(1)), CommandKind::kUpdate, other.get()), "");
  auto plan = project(lock, {col(1, oid::kInt4)});
  EXPECT_EQ(run(plan), "ERROR 55P03: could not obtain lock on row in relation \"accounts\"");
  store_->rollback(*other);
  EXPECT_EQ(run(plan), "100\n");
}

TEST_F(ExecChange, BulkInsertAppliesConstraintsAndCounts) {
  auto t = accounts();
  main_->next_command();
  main_->take_statement_snapshot();
  ExecutionContext context{*store_, *main_, main_->view(), session_, parameters_, 0};
  BulkInsertPlan plan;
  plan.relation = t;
  plan.columns = {0, 1};
  plan.defaults = {{2, text("default")}};
  auto bulk = BulkInsert::create(context, plan);
  ASSERT_TRUE(bulk.ok());
  for (int32_t i = 1000; i < 4000; i++) {
    Datum row[] = {Datum::of(i), Datum::of(int32_t{1})};
    ASSERT_TRUE((*bulk)->add(row).ok());
  }
  ASSERT_TRUE((*bulk)->finish().ok());
  EXPECT_EQ((*bulk)->inserted(), 3000u);
  Datum bad[] = {Datum::of(int32_t{1}), Datum::of(int32_t{1})};
  ASSERT_TRUE((*bulk)->add(bad).ok());
  Status failed = (*bulk)->finish();
  ASSERT_FALSE(failed.ok());
  EXPECT_EQ(failed.error().state.text(), "23505");
  EXPECT_EQ((*bulk)->row_number(), 3001u);
  EXPECT_EQ(run(limit(sort(scan(t, {0, 2}), {key(col(0, oid::kInt4), true)}), 1)), "3999|default\n");
}

}  // namespace
}  // namespace indigo::engine
