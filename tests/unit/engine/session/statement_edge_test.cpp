// Every allocation of a statement fails once: the statement answers 53200, its transaction is rolled back, and the session goes on.
#include <cstddef>
#include <cstdlib>
#include <functional>
#include <new>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/memory/memory_reserve.h"
#include "base/sqlstate.h"
#include "engine/instance.h"
#include "tests/unit/engine/table_sink.h"

namespace {

// Of this thread: how many allocations succeed before one fails; below zero: all do.
thread_local int64_t allocations_left = -1;
thread_local bool all_after_it = false;  // what follows fails, too
thread_local int64_t failures = 0;

bool fails() {
  if (allocations_left < 0 || indigo::MustNotFail::active()) return false;
  if (allocations_left > 0) {
    allocations_left--;
    return false;
  }
  failures++;
  if (!all_after_it) allocations_left = -1;
  return true;
}

void* allocate(size_t bytes, size_t alignment = alignof(std::max_align_t)) {
  void* p = fails() ? nullptr : std::aligned_alloc(alignment, (bytes / alignment + 1) * alignment);
  if (p == nullptr) throw std::bad_alloc();
  return p;
}

}  // namespace

// All of them, so that no allocator brings its own.
void* operator new(size_t bytes) { return allocate(bytes); }
void* operator new[](size_t bytes) { return allocate(bytes); }
void* operator new(size_t bytes, const std::nothrow_t&) noexcept { return fails() ? nullptr : std::malloc(bytes); }
void* operator new[](size_t bytes, const std::nothrow_t&) noexcept { return fails() ? nullptr : std::malloc(bytes); }
void* operator new(size_t bytes, std::align_val_t alignment) { return allocate(bytes, static_cast<size_t>(alignment)); }
void* operator new[](size_t bytes, std::align_val_t alignment) {
  return allocate(bytes, static_cast<size_t>(alignment));
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete[](void* p) noexcept { std::free(p); }
void operator delete(void* p, size_t) noexcept { std::free(p); }
void operator delete[](void* p, size_t) noexcept { std::free(p); }
void operator delete(void* p, const std::nothrow_t&) noexcept { std::free(p); }
void operator delete[](void* p, const std::nothrow_t&) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, size_t, std::align_val_t) noexcept { std::free(p); }
void operator delete[](void* p, size_t, std::align_val_t) noexcept { std::free(p); }

namespace indigo::engine {
namespace {

using Rows = std::vector<std::vector<std::string>>;

struct Case {
  const char* setup;
  std::vector<const char*> messages;  // one after the other; a block is open between some
  const char* check;                  // shows whether they have happened
  const char* undo;
};

const Case kCases[] = {
    {"",
     {"select g, g * 2.5, 'x' || g, array[g, g] from generate_series(1, 50) g where g % 3 = 0 order by 2 desc"},
     "select 1",
     ""},
    {"",
     {"select t.b, count(*), string_agg(u.b, ',' order by u.a) from t join t u on t.a % 5 = u.a % 5 group by t.b "
      "having count(*) > 1"},
     "select 1",
     ""},
    {"",
     {"insert into t select g, 'new' from generate_series(101, 140) g"},
     "select count(*) from t",
     "delete from t where a > 100"},
    {"",
     {"update t set b = b || 'x', a = a + 1000 where a between 10 and 30"},
     "select min(b), count(*) from t where a > 1000",
     "update t set b = rtrim(b, 'x'), a = a - 1000 where a > 1000"},
    {"",
     {"delete from t where a < 20"},
     "select count(*) from t",
     "insert into t select g, 'b' || g from generate_series(1, 19) g"},
    {"",
     {"insert into t values (1, 'y') on conflict (a) do update set b = excluded.b returning *"},
     "select b from t where a = 1",
     "update t set b = 'b1' where a = 1"},
    {"",
     {"create table made (a int primary key, b text default 'x' check (b <> ''), c serial)"},
     "select count(*) from pg_class where relname like 'made%'",
     "drop table made"},
    {"",
     {"create index t_b on t (upper(b)) where a > 5"},
     "select count(*) from pg_indexes where indexname = 't_b'",
     "drop index t_b"},
    {"",
     {"alter table t add column c int default 7, add constraint positive check (a > 0)"},
     "select count(*) from pg_attribute where attrelid = 't'::regclass and attnum > 0 and not attisdropped",
     "alter table t drop column c, drop constraint positive"},
    {"create table gone (a int primary key, b text)",
     {"drop table gone"},
     "select count(*) from pg_class where relname = 'gone'",
     "create table gone (a int primary key, b text)"},
    {"",
     {"create view seen as select a, b from t group by a"},
     "select count(*) from pg_class where relname = 'seen'",
     "drop view seen"},
    {"",
     {"begin", "insert into t values (200, 'n')", "savepoint s", "update t set b = 'm' where a = 200", "rollback to s",
      "insert into t values (201, 'o')", "commit"},
     "select count(*), max(b) from t where a >= 200",
     "delete from t where a >= 200"},
    {"",
     {"begin", "declare c cursor for select a, b from t order by b", "fetch 10 from c", "move 5 in c", "fetch 3 from c",
      "rollback"},
     "select 1",
     ""},
    {"",
     {"begin", "create temp table temporary on commit drop as select * from t", "select sum(a) from temporary",
      "commit"},
     "select count(*) from pg_class where relname = 'temporary'",
     ""},
    {"",
     {"explain (analyze, costs off, timing off) select * from t where a in (select a from t where b like 'b1%')"},
     "select 1",
     ""},
    {"", {"set work_mem = '8MB'"}, "show work_mem", "reset work_mem"},
    {"",
     {"select * from json_to_recordset('[{\"a\": 1, \"b\": \"x\"}]') q(a int, b text), jsonb_each('{\"k\": [1, 2]}')"},
     "select 1",
     ""},
    {"create function twice(n int) returns int language plpgsql as 'declare r record; begin for r in select a from t "
     "where a = n "
     "loop n := n + r.a; end loop; begin perform 1 / (n - n); exception when division_by_zero then n := n + 1; end; "
     "return n; end'",
     {"select twice(a) from t where a < 5"},
     "select 1",
     "select 1"},
    {"create table parted (a int, b text) partition by range (a); create table parted_1 partition of parted for values "
     "from (0) to "
     "(100); create table parted_2 partition of parted default; create index on parted (b)",
     {"begin", "insert into parted select g, 'p' || g from generate_series(90, 110) g",
      "update parted set a = a + 5 where a between 95 and 99", "commit"},
     "select count(*), sum(a), count(distinct tableoid) from parted",
     "delete from parted"},
    {"create table parent (a int primary key); create table child (a int references parent on delete cascade); "
     "insert into parent select generate_series(1, 10); insert into child select generate_series(1, 10)",
     {"delete from parent where a > 5"},
     "select count(*) from parent, child",
     "insert into parent select generate_series(6, 10); insert into child select generate_series(6, 10)"},
    {"create table watched (a int); create table seen_by (n int); create function note() returns trigger language "
     "plpgsql as "
     "'begin insert into seen_by select count(*) from fresh; return null; end'; create trigger w after insert on "
     "watched "
     "referencing new table as fresh for each statement execute function note()",
     {"insert into watched select generate_series(1, 20)"},
     "select count(*), sum(n) from seen_by",
     "delete from watched; delete from seen_by"},
    {"create table guarded (a int, owner name default current_user); alter table guarded enable row level security; "
     "alter table guarded force row level security; create policy mine on guarded using (a > 0) with check (a < 100)",
     {"begin", "insert into guarded select generate_series(1, 10) returning a", "update guarded set a = a + 1",
      "commit"},
     "select count(*), sum(a) from guarded",
     "delete from guarded"},
    {"",
     {"alter table t alter column b type varchar(20)"},
     "select atttypid::regtype from pg_attribute where attrelid = 't'::regclass "
     "and attname = 'b'",
     "alter table t alter column b type text"},
    {"",
     {"create index t_hash on t using hash (b)"},
     "select count(*) from pg_indexes where indexname = 't_hash'",
     "drop index t_hash"},
    {"",
     {"create index t_griffin on t using griffin (b)"},
     "select count(*) from pg_indexes where indexname = 't_griffin'",
     "drop index t_griffin"},
    {"",
     {"grant select, insert on t to public"},
     "select relacl is null from pg_class where relname = 't'",
     "revoke all on t from public; update pg_class set relacl = null where relname = 't'"},
    {"create sequence counter", {"select setval('counter', 100, false)"}, "select 1", "select 1"},
    {"create table emptied as select * from t",
     {"truncate emptied"},
     "select count(*) from emptied",
     "insert into emptied select * from t"},
    {"",
     {"with recursive r as (select 1 n union all select n + 1 from r where n < 30) select n, sum(n) over (order by n "
      "rows 3 preceding), "
      "jsonb_build_object('n', n) ->> 'n', regexp_replace(n::text, '(\\d)', '<\\1>', 'g'), to_char(now(), 'YYYY') from "
      "r"},
     "select 1",
     ""},
    {"",
     {"merge into t using (select g a, 'm' b from generate_series(55, 65) g) s on t.a = s.a when matched then update "
      "set b = s.b "
      "when not matched then insert values (s.a, s.b)"},
     "select count(*), sum(length(b)) from t",
     "delete from t where a > 60; update t set b = 'b' || a where b = 'm'"},
    {"",
     {"create database copied template template1"},
     "select count(*) from pg_database where datname = 'copied'",
     "drop database copied"},
    {"",
     {"create role passing login password 'x'"},
     "select count(*) from pg_authid where rolname = 'passing'",
     "drop role passing"},
    {"",
     {"create type mood as enum ('a', 'b')"},
     "select count(*) from pg_type where typname = 'mood'",
     "drop type mood"},
    {"", {"analyze t"}, "select 1", "delete from pg_statistic where false"},
};

class StatementEdge : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    auto opened = Instance::open({});
    ASSERT_TRUE(opened.ok());
    instance_ = std::move(*opened);
    connect();
    rows("create table t (a int primary key, b text); insert into t select g, 'b' || g from generate_series(1, 60) g");
  }
  void TearDown() override { allocations_left = -1; }

  void connect() {
    auto connected = instance_->connect({}, Waiter::current());
    ASSERT_TRUE(connected.ok());
    session_ = std::move(*connected);
  }
  Rows rows(const char* text) {
    TableSink sink(*session_);
    session_->query(text, sink);
    EXPECT_FALSE(sink.failure) << text << ": " << sink.failure->message;
    return sink.table;
  }
  // Runs `message` with the allocation number `n` failing; true when it succeeded in spite of it.
  bool survives(int64_t n, const std::function<std::optional<Error>()>& message) {
    failures = 0;
    all_after_it = GetParam();
    allocations_left = n;
    const std::optional<Error> failure = message();
    allocations_left = -1;
    if (failure) {
      EXPECT_EQ(failure->state.text(), sqlstate::kOutOfMemory.text()) << failure->message;
    }
    return !failure;
  }
  std::optional<Error> query(const char* text) {
    TableSink sink(*session_);
    session_->query(text, sink);
    return sink.failure;
  }

  std::unique_ptr<Instance> instance_;
  std::unique_ptr<Session> session_;
};

// Each, then ever fewer.
int64_t next_allocation(int64_t n) { return n + 1 + n / 16; }

TEST_P(StatementEdge, AnAllocationThatFailsIsAnError) {
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.messages.back());
    if (*c.setup != '\0') rows(c.setup);
    const Rows before = rows(c.check);
    for (const char* message : c.messages) ASSERT_FALSE(query(message)) << message;
    const Rows after = rows(c.check);
    if (*c.undo != '\0') rows(c.undo);
    ASSERT_EQ(rows(c.check), before);
    for (size_t failing = 0; failing < c.messages.size(); failing++) {
      for (int64_t n = 0, more = 1; more != 0; n = next_allocation(n)) {
        bool done = true;
        for (size_t i = 0; done && i < c.messages.size(); i++) {
          const char* message = c.messages[i];
          if (i != failing) {
            done = !query(message).has_value();
            ASSERT_TRUE(done) << message << " after " << n << " allocations of message " << failing;
          } else {
            done = survives(n, [&] { return query(message); });
          }
        }
        more = failures;
        if (!done) {
          if (session_->transaction_status() != 'I') rows("rollback");
          ASSERT_EQ(rows(c.check), before) << "allocation " << n << " of " << c.messages[failing];
        } else {
          ASSERT_EQ(rows(c.check), after) << "allocation " << n << " of " << c.messages[failing];
          if (*c.undo != '\0') rows(c.undo);
        }
      }
    }
    ASSERT_EQ(rows("select count(*), min(a), max(a), sum(length(b)) from t"), (Rows{{"60", "1", "60", "171"}}));
    ASSERT_EQ(rows("select count(*) from t where b > 'a'"), (Rows{{"60"}}));
  }
}

TEST_P(StatementEdge, TheExtendedProtocolToo) {
  const std::string values[] = {"300", "bound"};
  for (int64_t n = 0, more = 1; more != 0; n = next_allocation(n)) {
    const bool done = survives(n, [&]() -> std::optional<Error> {
      TableSink sink(*session_);
      const std::optional<std::string_view> parameters[] = {values[0], values[1]};
      Status status = session_->parse("named", "insert into t values ($1, $2) returning a, b", {}, sink);
      if (status.ok()) status = session_->describe_statement("named", sink);
      if (status.ok()) status = session_->bind({"p", "named", {}, parameters, {}}, sink);
      if (status.ok()) status = session_->describe_portal("p", sink);
      if (status.ok()) status = session_->execute("p", 0, sink);
      if (!status.ok()) session_->fail_transaction();
      Status ended = session_->sync(sink);
      if (status.ok()) status = std::move(ended);
      if (status.ok()) return std::nullopt;
      return status.error();
    });
    more = failures;
    EXPECT_EQ(rows("select count(*) from t where a = 300"), (Rows{{done ? "1" : "0"}})) << n;
    rows("delete from t where a = 300; deallocate all");
  }
}

TEST_P(StatementEdge, ASessionThatEndsInTheMiddle) {
  rows("create table kept (a int)");
  for (int64_t n = 0; n < 200; n += 3) {
    query("begin");
    query("create temp table passing (a int); insert into kept values (1)");
    survives(n, [&] { return query("insert into passing select a from kept, generate_series(1, 10)"); });
    all_after_it = true;
    allocations_left = n % 2 == 0 ? 0 : n;  // its end has no memory either
    session_.reset();
    allocations_left = -1;
    connect();
    EXPECT_EQ(rows("select count(*) from kept"), (Rows{{"0"}}));
    EXPECT_EQ(rows("select count(*) from pg_class where relname = 'passing'"), (Rows{{"0"}}));
  }
}

// Plans of tables that are gone by then, in every kind of cache.
TEST_P(StatementEdge, PlansOfDroppedTables) {
  rows("create function peek() returns bigint language plpgsql as 'begin return (select count(*) from passing); end'");
  for (int64_t n = 0, more = 1; more != 0; n = next_allocation(n)) {
    rows("create table passing (a int primary key); prepare p as select a from passing where a = $1");
    rows("execute p(1); select peek(); select a from passing where a = 7");
    survives(n, [&] { return query("drop table passing; create table passing (a text)"); });
    more = failures;
    rows("drop table passing; create table passing (a text); insert into passing values ('x')");
    EXPECT_EQ(rows("select peek()"), (Rows{{"1"}}));
    EXPECT_TRUE(query("execute p(1)"));
    EXPECT_EQ(rows("select a from passing where a = 'x'"), (Rows{{"x"}}));
    rows("deallocate p; drop table passing");
  }
}

INSTANTIATE_TEST_SUITE_P(OneOrAll, StatementEdge, testing::Bool(),
                         [](const auto& info) { return info.param ? "AllFromThereOn" : "OneFails"; });

}  // namespace
}  // namespace indigo::engine
