// What a database takes comes back when what is in it is dropped: its own figure, and the store's account.
#include <gtest/gtest.h>

#include "base/memory/process_memory.h"
#include "engine/instance_impl.h"
#include "storage/durability.h"
#include "storage/statistics.h"
#include "storage/store_impl.h"
#include "tests/unit/engine/table_sink.h"

namespace indigo::engine {
namespace {

class DatabaseMemoryTest : public ::testing::Test {
 protected:
  explicit DatabaseMemoryTest(std::map<std::string, std::string> settings = {}) {
    auto opened = Instance::open({.settings = std::move(settings)});
    EXPECT_TRUE(opened.ok());
    instance_ = std::move(*opened);
    session_ = connect("postgres");
  }

  std::unique_ptr<Session> connect(const std::string& database) {
    auto session = instance_->connect({.user = "postgres", .database = database}, Waiter::current());
    EXPECT_TRUE(session.ok());
    return std::move(*session);
  }
  static std::vector<std::vector<std::string>> run(Session& session, const std::string& sql) {
    TableSink sink(session);
    session.query(sql, sink);
    EXPECT_FALSE(sink.failure) << sql << ": " << sink.failure->message;
    return sink.table;
  }
  int64_t number(const std::string& expression) { return std::stoll(run(*session_, "select " + expression)[0][0]); }
  int64_t database(const std::string& name, const std::string& kind) {
    return number("bytes from indigo_stat_database_memory where datname = '" + name + "' and kind = '" + kind + "'");
  }
  storage::StoreImpl& store() {
    return static_cast<storage::StoreImpl&>(static_cast<InstanceImpl&>(*instance_).catalog().store());
  }
  // What was retired has left, and the account is exact.
  void settle() {
    for (int i = 0; i < 30; i++) store().reclaim();
    store().trim();
  }
  int64_t accounted() {
    settle();
    const storage::StoreStatistics s = storage::statistics_of(store());
    int64_t bytes = 0;
    // Inner nodes are counted in whole chunks, and sessions keep their transactions' memory.
    for (const auto kind : {storage::MemoryKind::kLeaves, storage::MemoryKind::kVersions,
                            storage::MemoryKind::kLargeRows, storage::MemoryKind::kIndexes})
      bytes += s.bytes_of(kind);
    return bytes;
  }

  // Tables with all kinds of memory, and versions that a sleeping reader keeps.
  void fill() {
    run(*session_,
        "create table m (id int primary key, a int, b text);"
        "insert into m select i, i % 100, repeat('x', case when i % 50 = 0 then 5000 else 100 end)"
        "  from generate_series(1, 20000) i;"
        "create index m_a on m (a); create unique index m_b on m (b, id) where id % 50 <> 0;"
        "create table n (v text); insert into n select b from m;"
        "create sequence s");
    reader_ = connect("postgres");
    run(*reader_, "begin isolation level repeatable read; select count(*) from m where id = 1");
    run(*session_, "update m set a = a + 1, b = b || 'y' where id <= 5000; delete from m where id > 19000");
  }
  void drop() {
    run(*reader_, "commit");
    reader_.reset();
    run(*session_, "drop table m; drop table n; drop sequence s");
  }

  std::unique_ptr<Instance> instance_;
  std::unique_ptr<Session> session_, reader_;
};

constexpr int64_t kSlack = 64 << 10;  // leaves of system tables that are not full

TEST_F(DatabaseMemoryTest, EverythingComesBackWhenItIsDropped) {
  int64_t before = 0, accounted_before = 0;
  for (int round = 0; round < 3; round++) {
    fill();
    EXPECT_GT(database("postgres", "leaves"), 2 << 20);
    EXPECT_GT(database("postgres", "inner nodes"), 0);
    EXPECT_GT(database("postgres", "versions"), 4000 * 100);
    EXPECT_GT(database("postgres", "large rows"), 800 * 5000);
    EXPECT_GT(database("postgres", "indexes"), 20000 * 20);
    EXPECT_GT(database("postgres", "sequences"), 0);
    EXPECT_GT(number("pg_database_size('postgres')"), before + (8 << 20));
    EXPECT_GT(accounted(), accounted_before + (8 << 20));
    drop();
    settle();
    EXPECT_EQ(database("postgres", "versions"), 0);
    EXPECT_EQ(database("postgres", "large rows"), 0);
    EXPECT_EQ(database("postgres", "sequences"), 0);
    // The first round has left system tables that users have written to.
    if (round > 0) {
      EXPECT_NEAR(static_cast<double>(number("pg_database_size('postgres')")), static_cast<double>(before), kSlack);
      EXPECT_NEAR(static_cast<double>(accounted()), static_cast<double>(accounted_before), kSlack);
    }
    before = number("pg_database_size('postgres')");
    accounted_before = accounted();
  }
}

// Views, indexes and catalogs are in it: the sum over pg_class is the database's figure but for the shared catalogs.
TEST_F(DatabaseMemoryTest, ADatabaseIsTheSumOfItsRelations) {
  fill();
  run(*session_, "select count(*) from pg_class where pg_total_relation_size(oid) > 0");  // encodes what it looks at
  const int64_t relations =
      number("sum(pg_total_relation_size(oid)) from pg_class where not relisshared and relkind <> 'i'");
  EXPECT_EQ(relations, number("pg_database_size('postgres')"));
  EXPECT_EQ(number("sum(pg_total_relation_size(oid)) from pg_class where relisshared and relkind <> 'i'"),
            number("pg_tablespace_size('pg_global')"));
  EXPECT_EQ(number("sum(bytes) from indigo_stat_database_memory where datname = current_database()"),
            number("pg_database_size(current_database())"));
  EXPECT_EQ(number("sum(bytes) from indigo_stat_database_memory where datname is not null"),
            number("pg_tablespace_size('pg_default')"));
  drop();
}

// A clone counts what it reaches; the store's account has it once, and gives it back when both are gone.
TEST_F(DatabaseMemoryTest, AClonedDatabaseComesBackToo) {
  for (const char* warm : {"create database warm", "create table t ()", "drop table t", "drop database warm"}) {
    run(*session_, warm);
  }
  const int64_t before = accounted();
  fill();
  const int64_t filled = accounted();
  run(*session_, "create database copy template postgres");
  EXPECT_LT(accounted(), filled + (1 << 20));
  EXPECT_GT(number("pg_database_size('copy')"), filled / 2);
  EXPECT_EQ(database("copy", "versions"), 0);
  run(*reader_, "commit");
  settle();
  {
    auto other = connect("copy");
    run(*other, "update m set b = 'new'; truncate n");
  }
  EXPECT_GT(accounted(), filled + (1 << 20));
  const int64_t copied = number("pg_database_size('copy')");
  EXPECT_LT(copied, number("pg_database_size('postgres')"));
  drop();
  settle();
  EXPECT_EQ(number("pg_database_size('copy')"), copied);
  run(*session_, "drop database copy");
  EXPECT_NEAR(static_cast<double>(accounted()), static_cast<double>(before), 4 * kSlack);
}

class MemoryLimitTest : public DatabaseMemoryTest {
 protected:
  MemoryLimitTest() : DatabaseMemoryTest({{"memory_limit", "24MB"}}) {}
};

// The limit is the instance's, whatever database wants more; the error says what helps, and that does help.
TEST_F(MemoryLimitTest, AStatementThatPassesItFailsAndSaysWhatHelps) {
  EXPECT_EQ(number("memory_limit_bytes from indigo_stat_storage"), 24 << 20);
  run(*session_, "create database other");
  auto other = connect("other");
  const std::string more = "insert into big select i, repeat('x', 1000) from generate_series(1, 2000) i";
  for (Session* session : {session_.get(), other.get()}) run(*session, "create table big (i int, t text)");
  run(*other, more);
  std::optional<Error> failure;
  for (int i = 0; i < 30 && !failure; i++) {
    TableSink sink(*session_);
    session_->query(more, sink);
    failure = sink.failure;
  }
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->state, sqlstate::kOutOfMemory);
  EXPECT_EQ(failure->message, "out of memory");
  EXPECT_NE(failure->detail.find("memory limit"), std::string::npos) << failure->detail;
  EXPECT_NE(failure->hint.find("memory_limit"), std::string::npos) << failure->hint;
  EXPECT_NE(failure->hint.find("indigo_stat_database_memory"), std::string::npos) << failure->hint;
  // The other database cannot take more either, until something is given back.
  TableSink sink(*other);
  for (int i = 0; i < 3 && !sink.failure; i++) other->query(more, sink);
  ASSERT_TRUE(sink.failure);
  EXPECT_EQ(sink.failure->state, sqlstate::kOutOfMemory);
  run(*session_, "truncate big");
  for (int i = 0; i < 3; i++) run(*other, more);
}

TEST_F(DatabaseMemoryTest, TheLimitFollowsTheMachineAndItsControlGroups) {
  EXPECT_EQ(number("memory_limit_bytes from indigo_stat_storage"),
            static_cast<int64_t>(machine_memory_bytes() / 5 * 4));
}

}  // namespace
}  // namespace indigo::engine
