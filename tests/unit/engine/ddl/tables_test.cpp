// CREATE, ALTER, DROP TABLE and indexes. Messages are PostgreSQL 15's.
#include "tests/unit/engine/ddl/definition_fixture.h"

namespace indigo::engine {
namespace {

using Strings = std::vector<std::string>;

TEST_F(DefinitionTest, CreateTableWithKeys) {
  EXPECT_EQ(run("create table t (a int primary key, b text not null, c int unique)"), "CREATE TABLE");
  const auto t = table("t");
  ASSERT_NE(t, nullptr);
  EXPECT_EQ(t->key_columns, std::vector<int16_t>{1});
  EXPECT_TRUE(t->columns[0].not_null);
  EXPECT_TRUE(t->columns[1].not_null);
  EXPECT_FALSE(t->columns[2].not_null);
  ASSERT_EQ(t->indexes.size(), 2u);
  EXPECT_EQ(t->indexes[0].name, "t_pkey");
  EXPECT_FALSE(t->indexes[0].storage) << "the tree itself";
  EXPECT_EQ(t->indexes[1].name, "t_c_key");
  EXPECT_TRUE(t->indexes[1].storage);
  EXPECT_EQ(t->constraints.size(), 2u);
  ASSERT_NE(t->table, nullptr);
}

TEST_F(DefinitionTest, NamesAndRepeats) {
  EXPECT_EQ(run("create table t (a int)"), "CREATE TABLE");
  EXPECT_EQ(run("create table t (a int)"), "42P07 relation \"t\" already exists");
  EXPECT_EQ(run("create table if not exists t (a int)"), "CREATE TABLE");
  EXPECT_EQ(host_->notices, Strings{"NOTICE: relation \"t\" already exists, skipping"});
  EXPECT_EQ(run("create table u (a int, a int)"), "42701 column \"a\" specified more than once");
  EXPECT_EQ(run("create table u (a nosuchtype)"), "42704 type \"nosuchtype\" does not exist");
  EXPECT_EQ(run("create table nosuch.u (a int)"), "3F000 schema \"nosuch\" does not exist");
  EXPECT_EQ(run("create table u (a int primary key, b int primary key)"),
            "42P16 multiple primary keys for table \"u\" are not allowed");
  EXPECT_EQ(run("create table u (xmin int)"), "42701 column name \"xmin\" conflicts with a system column name");
  EXPECT_EQ(run("create table u (a int, primary key (b))"), "42703 column \"b\" named in key does not exist");
  EXPECT_EQ(table("u"), nullptr);
}

TEST_F(DefinitionTest, CreateIsTransactional) {
  begin();
  EXPECT_EQ(run("create table t (a int primary key)"), "CREATE TABLE");
  insert("t", {1});
  EXPECT_EQ(rows("t").size(), 1u);
  rollback();
  EXPECT_EQ(table("t"), nullptr);
  EXPECT_EQ(run("create table t (a int)"), "CREATE TABLE");
}

TEST_F(DefinitionTest, DropIsTransactional) {
  run("create table t (a int primary key, b int)");
  insert("t", {1, 2});
  begin();
  EXPECT_EQ(run("drop table t"), "DROP TABLE");
  EXPECT_EQ(table("t"), nullptr);
  rollback();
  ASSERT_NE(table("t"), nullptr);
  EXPECT_EQ(rows("t"), (std::vector<std::vector<int32_t>>{{1, 2}}));
  EXPECT_EQ(run("drop table t"), "DROP TABLE");
  EXPECT_EQ(run("drop table t"), "42P01 table \"t\" does not exist");
  EXPECT_EQ(run("drop table if exists t"), "DROP TABLE");
  EXPECT_EQ(run("drop index nosuch"), "42704 index \"nosuch\" does not exist");
}

TEST_F(DefinitionTest, DropFollowsDependencies) {
  run("create table p (a int primary key)");
  run("create table f (a int references p)");
  EXPECT_EQ(
      run("drop table p"),
      "2BP01 cannot drop table p because other objects depend on it | constraint f_a_fkey on table f depends on table p"
      " | Use DROP ... CASCADE to drop the dependent objects too.");
  EXPECT_EQ(run("drop table p cascade"), "DROP TABLE");
  EXPECT_EQ(host_->notices, Strings{"NOTICE: drop cascades to constraint f_a_fkey on table f"});
  EXPECT_TRUE(table("f")->constraints.empty());
  run("create table p (a int primary key)");
  EXPECT_EQ(run("drop index p_pkey"),
            "2BP01 cannot drop index p_pkey because constraint p_pkey on table p requires it"
            " | You can drop constraint p_pkey on table p instead.");
}

TEST_F(DefinitionTest, ForeignKeysOfBothSides) {
  run("create table p (a int primary key, b int, unique (b))");
  EXPECT_EQ(run("create table f (x int references p, y int references p (b) on delete cascade)"), "CREATE TABLE");
  ASSERT_EQ(table("f")->constraints.size(), 2u);
  ASSERT_EQ(table("p")->referenced_by.size(), 2u);
  EXPECT_EQ(table("p")->referencing_relations[0], table("f")->oid);
  EXPECT_EQ(run("create table g (x text references p)"),
            "42804 foreign key constraint \"g_x_fkey\" cannot be implemented | Key columns \"x\" and \"a\" are of "
            "incompatible"
            " types: text and integer.");
  EXPECT_EQ(run("create table g (x int references f)"), "42704 there is no primary key for referenced table \"f\"");
  EXPECT_EQ(run("create table g (x int references p (nosuch))"),
            "42703 column \"nosuch\" referenced in foreign key constraint does not exist");
  EXPECT_EQ(run("create table g (x int references nosuch)"), "42P01 relation \"nosuch\" does not exist");
}

TEST_F(DefinitionTest, PrimaryKeyAfterLoading) {
  run("create table t (a int, b int)");
  for (const int i : {3, 1, 2}) insert("t", {i, 10 * i});
  EXPECT_EQ(rows("t"), (std::vector<std::vector<int32_t>>{{3, 30}, {1, 10}, {2, 20}})) << "insertion order";
  EXPECT_EQ(run("create index i on t (b desc)"), "CREATE INDEX");
  EXPECT_EQ(run("alter table t add primary key (a)"), "ALTER TABLE");
  EXPECT_EQ(rows("t"), (std::vector<std::vector<int32_t>>{{1, 10}, {2, 20}, {3, 30}})) << "the tree is keyed by a";
  EXPECT_EQ(table("t")->key_columns, std::vector<int16_t>{1});
  EXPECT_TRUE(table("t")->columns[0].not_null);
  insert("t", {0, 5});
  EXPECT_EQ(run("alter table t drop constraint t_pkey"), "ALTER TABLE");
  EXPECT_TRUE(table("t")->has_hidden_row_id());
  EXPECT_EQ(rows("t").size(), 4u);
  EXPECT_EQ(run("alter table t add primary key (nosuch)"), "42703 column \"nosuch\" of relation \"t\" does not exist");
}

TEST_F(DefinitionTest, PrimaryKeyFindsDuplicates) {
  run("create table t (a int, b int)");
  insert("t", {1, 1});
  insert("t", {1, 2});
  EXPECT_EQ(run("alter table t add primary key (a)"),
            "23505 could not create unique index \"t_pkey\" | Key (a)=(1) is duplicated.");
  EXPECT_TRUE(table("t")->has_hidden_row_id());
  EXPECT_EQ(rows("t").size(), 2u);
  EXPECT_EQ(run("create unique index u on t (a)"),
            "23505 could not create unique index \"u\" | Key (a)=(1) is duplicated.");
  EXPECT_EQ(run("create unique index u on t (a, b)"), "CREATE INDEX");
  EXPECT_EQ(run("create index u on t (a)"), "42P07 relation \"u\" already exists");
  EXPECT_EQ(run("create index on t (a)"), "CREATE INDEX");
  EXPECT_NE(table("t_a_idx"), nullptr);
  EXPECT_EQ(run("drop index u, t_a_idx"), "DROP INDEX");
  EXPECT_TRUE(table("t")->indexes.empty());
}

TEST_F(DefinitionTest, AddAndDropColumns) {
  run("create table t (a int primary key, b int)");
  insert("t", {1, 2});
  EXPECT_EQ(run("alter table t add column c int"), "ALTER TABLE");
  EXPECT_EQ(rows("t"), (std::vector<std::vector<int32_t>>{{1, 2, -1}}));
  EXPECT_EQ(run("alter table t add column c int"), "42701 column \"c\" of relation \"t\" already exists");
  EXPECT_EQ(run("alter table t add column d int not null"),
            "23502 column \"d\" of relation \"t\" contains null values");
  EXPECT_EQ(run("alter table t drop column b"), "ALTER TABLE");
  EXPECT_EQ(table("t")->find_column("b"), nullptr);
  EXPECT_TRUE(table("t")->columns[1].dropped);
  EXPECT_EQ(rows("t").size(), 1u) << "old rows stay readable";
  EXPECT_EQ(run("alter table t drop column b"), "42703 column \"b\" of relation \"t\" does not exist");
  EXPECT_EQ(run("alter table t drop column if exists b"), "ALTER TABLE");
  EXPECT_EQ(run("alter table t rename column c to x"), "ALTER TABLE");
  EXPECT_NE(table("t")->find_column("x"), nullptr);
  EXPECT_EQ(run("alter table t drop column a"), "ALTER TABLE") << "takes the primary key with it";
  EXPECT_TRUE(table("t")->indexes.empty());
  EXPECT_TRUE(table("t")->has_hidden_row_id());
  EXPECT_EQ(rows("t").size(), 1u);
}

TEST_F(DefinitionTest, NotNull) {
  run("create table t (a int primary key, b int)");
  EXPECT_EQ(run("alter table t alter column a drop not null"), "42P16 column \"a\" is in a primary key");
  EXPECT_EQ(run("alter table t alter b set not null"), "ALTER TABLE");
  EXPECT_TRUE(table("t")->columns[1].not_null);
  EXPECT_EQ(run("alter table t alter b drop not null"), "ALTER TABLE");
  EXPECT_FALSE(table("t")->columns[1].not_null);
}

TEST_F(DefinitionTest, RenameAndMove) {
  run("create table t (a int primary key)");
  run("create schema s");
  EXPECT_EQ(run("alter table t rename to u"), "ALTER TABLE");
  EXPECT_EQ(table("t"), nullptr);
  ASSERT_NE(table("u"), nullptr);
  EXPECT_EQ(run("alter index t_pkey rename to u_key"), "ALTER INDEX");
  EXPECT_EQ(table("u")->constraints[0].name, "u_key");
  EXPECT_EQ(run("alter table u set schema s"), "ALTER TABLE");
  EXPECT_EQ(table("u"), nullptr);
  ASSERT_NE(view_->find_relation("s", "u"), nullptr);
  EXPECT_NE(view_->find_relation("s", "u_key"), nullptr);
  EXPECT_EQ(run("drop schema s"),
            "2BP01 cannot drop schema s because other objects depend on it | table s.u depends on schema s"
            " | Use DROP ... CASCADE to drop the dependent objects too.");
  EXPECT_EQ(run("drop schema s cascade"), "DROP SCHEMA");
  EXPECT_EQ(run("drop schema s"), "3F000 schema \"s\" does not exist");
}

TEST_F(DefinitionTest, Truncate) {
  run("create table p (a int primary key)");
  run("create table f (a int references p)");
  insert("p", {1});
  EXPECT_EQ(run("truncate p"),
            "0A000 cannot truncate a table referenced in a foreign key constraint | Table \"f\" references \"p\"."
            " | Truncate table \"f\" at the same time, or use TRUNCATE ... CASCADE.");
  begin();
  EXPECT_EQ(run("truncate p, f"), "TRUNCATE TABLE");
  EXPECT_TRUE(rows("p").empty());
  rollback();
  EXPECT_EQ(rows("p").size(), 1u);
  EXPECT_EQ(run("truncate p cascade"), "TRUNCATE TABLE");
  EXPECT_EQ(host_->notices, Strings{"NOTICE: truncate cascades to table \"f\""});
  EXPECT_TRUE(rows("p").empty());
  insert("p", {7});
  EXPECT_EQ(rows("p").size(), 1u);
}

TEST_F(DefinitionTest, SavepointUndoesDefinitions) {
  begin();
  run("create table kept (a int)");
  const uint32_t level = txn_->savepoint();
  run("create table gone (a int)");
  run("alter table kept add column b int");
  txn_->rollback_to(level);
  EXPECT_EQ(table("gone"), nullptr);
  EXPECT_EQ(table("kept")->columns.size(), 1u);
  commit();
  EXPECT_NE(table("kept"), nullptr);
}

TEST_F(DefinitionTest, Like) {
  run("create table t (a int primary key, b int not null, unique (b))");
  EXPECT_EQ(run("create table u (like t)"), "CREATE TABLE");
  EXPECT_TRUE(table("u")->indexes.empty());
  EXPECT_TRUE(table("u")->columns[1].not_null);
  EXPECT_EQ(run("create table v (like t including all)"), "CREATE TABLE");
  ASSERT_EQ(table("v")->indexes.size(), 2u);
  EXPECT_EQ(table("v")->indexes[0].name, "v_pkey");
  EXPECT_EQ(table("v")->key_columns, std::vector<int16_t>{1});
}

TEST_F(DefinitionTest, TemporaryTablesGoWithTheSession) {
  EXPECT_EQ(run("create temp table t (a int) on commit delete rows"), "CREATE TABLE");
  ASSERT_NE(table("t"), nullptr);
  EXPECT_EQ(table("t")->schema_name, "pg_temp_1");
  EXPECT_EQ(table("t")->persistence, 't');
  begin();
  insert("t", {1});
  DdlContext context{*view_, *txn_, *host_, ""};
  ASSERT_TRUE(before_commit(context).ok());
  EXPECT_TRUE(rows("t").empty());
  ASSERT_TRUE(drop_temporary_objects(context).ok());
  commit();
  EXPECT_EQ(table("t"), nullptr);
  EXPECT_EQ(view_->temp_schema(), kInvalidOid);
}

TEST_F(DefinitionTest, UnsupportedIsHonest) {
  EXPECT_EQ(run("create transform for int language sql (from sql with function f(internal))").substr(0, 5), "0A000");
  EXPECT_EQ(run("drop table pg_class"), "42501 permission denied: \"pg_class\" is a system catalog");
}

}  // namespace
}  // namespace indigo::engine
