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
#include "tests/unit/engine/session/copying_sink.h"
#include "tests/unit/engine/session/edge_cases.h"

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
    CopyingSink sink(*session_);
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
    CopyingSink sink(*session_);
    session_->query(text, sink);
    return sink.failure;
  }

  std::unique_ptr<Instance> instance_;
  std::unique_ptr<Session> session_;
};

// Each, then ever fewer.
int64_t next_allocation(int64_t n) { return n + 1 + n / 16; }

TEST_P(StatementEdge, AnAllocationThatFailsIsAnError) {
  for (const EdgeCase& c : edge_cases()) {
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
      CopyingSink sink(*session_);
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
