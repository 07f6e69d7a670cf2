// The database as a library (docs/embedded.md): an instance and sessions without sockets, answers in a sink of one's own.
#include <thread>

#include <gtest/gtest.h>

#include "base/sqlstate.h"
#include "engine/instance.h"
#include "tests/unit/engine/table_sink.h"

namespace indigo::engine {
namespace {

TEST(Embedded, ADatabaseWithoutSockets) {
  auto instance = Instance::open({});
  ASSERT_TRUE(instance.ok()) << instance.error().message;
  auto session = (*instance)->connect({.user = "postgres"}, Waiter::current());
  ASSERT_TRUE(session.ok()) << session.error().message;

  TableSink sink(**session);
  (*session)->query(
      "create table film (id int primary key, title text);"
      "insert into film values (1, 'Metropolis'), (2, null);"
      "select id, title, length(title) as letters from film order by id",
      sink);
  ASSERT_FALSE(sink.failure) << sink.failure->message;
  EXPECT_EQ(sink.columns, (std::vector<std::string>{"id", "title", "letters"}));
  EXPECT_EQ(sink.table, (std::vector<std::vector<std::string>>{{"1", "Metropolis", "10"}, {"2", "NULL", "NULL"}}));
  EXPECT_EQ(sink.tags, (std::vector<std::string>{"CREATE TABLE", "INSERT 0 2", "SELECT 2"}));

  (*session)->query("insert into film values (1, 'again')", sink);
  ASSERT_TRUE(sink.failure);
  EXPECT_EQ(sink.failure->state, sqlstate::kUniqueViolation);
}

TEST(Embedded, PreparedStatementsWithParameters) {
  auto instance = Instance::open({});
  ASSERT_TRUE(instance.ok());
  auto session = (*instance)->connect({}, Waiter::current());
  ASSERT_TRUE(session.ok());
  TableSink sink(**session);
  ASSERT_TRUE((*session)->parse("twice", "select $1::int * 2", {}, sink).ok());
  for (int i = 1; i <= 3; i++) {
    const std::string number = std::to_string(i);
    const std::optional<std::string_view> values[] = {number};
    ASSERT_TRUE((*session)->bind({"", "twice", {}, values, {}}, sink).ok());
    ASSERT_TRUE((*session)->execute("", 0, sink).ok());
    ASSERT_TRUE((*session)->sync(sink).ok());
  }
  EXPECT_EQ(sink.table, (std::vector<std::vector<std::string>>{{"2"}, {"4"}, {"6"}}));
}

TEST(Embedded, TwoInstancesInOneProcessAndSessionsOnThreads) {
  auto one = Instance::open({}), other = Instance::open({.settings = {{"max_connections", "7"}}});
  ASSERT_TRUE(one.ok() && other.ok());
  EXPECT_EQ((*other)->setting("max_connections"), "7");
  {
    auto session = (*one)->connect({}, Waiter::current());
    TableSink sink(**session);
    (*session)->query("create table counter (n int); insert into counter values (0)", sink);
    ASSERT_FALSE(sink.failure);
  }
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; t++) {
    threads.emplace_back([&] {
      auto session = (*one)->connect({}, Waiter::current());  // each thread waits for locks by itself
      ASSERT_TRUE(session.ok());
      TableSink sink(**session);
      for (int i = 0; i < 25; i++) (*session)->query("update counter set n = n + 1", sink);
      EXPECT_FALSE(sink.failure);
    });
  }
  for (std::thread& thread : threads) thread.join();
  auto session = (*one)->connect({}, Waiter::current());
  TableSink sink(**session);
  (*session)->query("select n from counter", sink);
  EXPECT_EQ(sink.table, (std::vector<std::vector<std::string>>{{"100"}}));
  auto stranger = (*other)->connect({}, Waiter::current());
  TableSink missing(**stranger);
  (*stranger)->query("select n from counter", missing);
  ASSERT_TRUE(missing.failure);
  EXPECT_EQ(missing.failure->state, sqlstate::kUndefinedTable);
}

}  // namespace
}  // namespace indigo::engine
