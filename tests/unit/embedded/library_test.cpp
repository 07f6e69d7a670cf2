// The C interface and its C++ owners (embedded/indigo.h, embedded/indigo.hpp), linked without sockets.
#include <atomic>
#include <cstring>
#include <thread>

#include <gtest/gtest.h>

#include "embedded/indigo.hpp"

namespace indigo {
namespace {

TEST(Library, StatementsAndTheirRows) {
  Database database;
  Connection connection = database.connect();
  connection.query("create table film (id int primary key, title text)");
  const Rows inserted = connection.query("insert into film values (1, 'Metropolis'), (2, null), (3, '')");
  EXPECT_EQ(inserted.tag(), "INSERT 0 3");
  EXPECT_EQ(inserted.affected(), 3);
  const Rows rows = connection.query("select id, title from film order by id");
  ASSERT_EQ(rows.size(), 3);
  ASSERT_EQ(rows.columns(), 2);
  EXPECT_EQ(rows.column_name(1), "title");
  EXPECT_EQ(rows.column_type(0), 23u);
  EXPECT_EQ(rows.value(0, 1), "Metropolis");
  EXPECT_EQ(rows.value(1, 1), std::nullopt);
  EXPECT_EQ(rows.value(2, 1), "");
  EXPECT_EQ(rows.value(3, 0), std::nullopt);
  EXPECT_EQ(rows.value(0, 2), std::nullopt);
}

TEST(Library, ParametersAndPreparedStatements) {
  Database database;
  Connection connection = database.connect();
  const Rows sum = connection.query("select $1::int + $2::int, $3::text is null", {"40", "2", std::nullopt});
  EXPECT_EQ(sum.value(0, 0), "42");
  EXPECT_EQ(sum.value(0, 1), "t");
  connection.prepare("twice", "select $1::int * 2");
  for (int i = 0; i < 3; i++)
    EXPECT_EQ(connection.execute("twice", {std::to_string(i)}).value(0, 0), std::to_string(2 * i));
  EXPECT_THROW(connection.execute("thrice"), SqlError);
  EXPECT_EQ(connection.query("select from pg_class limit 0", {}).size(), 0);
  EXPECT_EQ(connection.query("select 1 as one where false", {}).column_name(0), "one");
}

TEST(Library, ErrorsHaveTheirStateAndEndTheChain) {
  Database database;
  Connection connection = database.connect();
  try {
    connection.query("select 1; select 1/0; select 2");
    FAIL() << "no error";
  } catch (const SqlError& error) {
    EXPECT_EQ(error.sqlstate(), "22012");
    EXPECT_STREQ(error.what(), "division by zero");
  }
  indigo_result* result = indigo_query(connection.get(), "select 1; select nope; select 2");
  EXPECT_EQ(indigo_ok(result), 1);
  EXPECT_STREQ(indigo_tag(result), "SELECT 1");
  const indigo_result* second = indigo_next(result);
  ASSERT_NE(second, nullptr);
  EXPECT_EQ(indigo_ok(second), 0);
  EXPECT_STREQ(indigo_sqlstate(second), "42703");
  EXPECT_STREQ(indigo_message(second), "column \"nope\" does not exist");
  EXPECT_EQ(indigo_position(second), 18);
  EXPECT_EQ(indigo_next(second), nullptr);
  indigo_free_result(result);

  connection.query("create table t (a int primary key deferrable initially deferred); insert into t values (1)");
  EXPECT_THROW(connection.query("insert into t values ($1)", {"1"}), SqlError);  // found by the commit
  connection.query("begin");
  EXPECT_EQ(connection.transaction_status(), 'T');
  EXPECT_THROW(connection.query("select $1::int", {"x"}), SqlError);
  EXPECT_EQ(connection.transaction_status(), 'E');
  connection.query("rollback");
  EXPECT_EQ(connection.transaction_status(), 'I');
}

TEST(Library, CopyBothWays) {
  Database database;
  Connection connection = database.connect();
  connection.query("create table pair (a int, b text)");
  EXPECT_EQ(connection.copy_in("copy pair from stdin", "1\tone\n2\t\\N\n").affected(), 2);
  EXPECT_EQ(connection.query("copy pair to stdout with (format csv)").copied(), "1,one\n2,\n");
  EXPECT_THROW(connection.query("copy pair from stdin"), SqlError);
  EXPECT_EQ(connection.query("select count(*) from pair").value(0, 0), "2");
}

TEST(Library, NoticesAndNotifications) {
  Database database;
  Connection connection = database.connect(), other = database.connect();
  std::string said;
  indigo_on_notice(
      connection.get(),
      [](void* context, const char* severity, const char* state, const char* message) {
        *static_cast<std::string*>(context) += std::string(severity) + " " + state + " " + message + "\n";
      },
      &said);
  connection.query("drop table if exists nope");
  EXPECT_EQ(said, "NOTICE 00000 table \"nope\" does not exist, skipping\n");
  connection.query("listen news");
  indigo_notification notification;
  EXPECT_EQ(indigo_next_notification(connection.get(), &notification), 0);
  other.query("notify news, 'good'");
  ASSERT_EQ(indigo_next_notification(connection.get(), &notification), 1);
  EXPECT_STREQ(notification.channel, "news");
  EXPECT_STREQ(notification.payload, "good");
}

TEST(Library, ConnectionsMoveBetweenThreadsAndAreCanceled) {
  Database database;
  Connection connection = database.connect(), holder = database.connect();
  std::thread([&] { connection.query("create table t (a int); insert into t values (1)"); }).join();
  holder.query("begin; update t set a = 2");
  std::atomic<bool> ended{false};
  std::string state;
  std::thread waiting([&] {
    try {
      connection.query("update t set a = 3");
    } catch (const SqlError& error) {
      state = error.sqlstate();
    }
    ended = true;
  });
  while (!ended) {
    connection.cancel();
    std::this_thread::yield();
  }
  waiting.join();
  EXPECT_EQ(state, "57014");
  holder.query("commit");
  EXPECT_EQ(connection.query("select a from t").value(0, 0), "2");
  connection.query("select pg_terminate_backend(" + std::string(*holder.query("select pg_backend_pid()").value(0, 0)) +
                   ")");
  EXPECT_THROW(holder.query("select 1"), SqlError);
}

TEST(Library, ManyResultsInAChain) {
  Database database;
  Connection connection = database.connect();
  std::string script;
  for (int i = 0; i < 50000; i++) script += "select 1;";
  EXPECT_EQ(connection.query(script).value(0, 0), "1");
}

TEST(Library, WhatCannotBeOpenedSaysWhy) {
  EXPECT_THROW(Database("", {"no_such_setting=1"}), std::runtime_error);
  EXPECT_THROW(Database("", {"work_mem"}), std::runtime_error);
  EXPECT_THROW(Database("/dev/null/data"), std::runtime_error);
  Database database("", {"work_mem=7MB"});
  EXPECT_EQ(database.connect().query("show work_mem").value(0, 0), "7MB");
  EXPECT_THROW(database.connect("nobody"), std::runtime_error);
  EXPECT_THROW(database.connect("postgres", "nowhere"), std::runtime_error);
  EXPECT_STREQ(indigo_version(), "0.2");
}

}  // namespace
}  // namespace indigo
