// Sequences, types, schemas, roles, privileges, databases, comments, ANALYZE. Messages are PostgreSQL 15's.
#include "catalog/database.h"
#include "catalog/generated/columns.h"
#include "catalog/tables/system_table.h"
#include "sql/stored/stored_tree.h"
#include "tests/unit/engine/ddl/definition_fixture.h"
#include "types/value/acl.h"

namespace indigo::engine {
namespace {

using Strings = std::vector<std::string>;
using catalog::SystemTable;

class ObjectTest : public DefinitionTest {
 protected:
  SystemTable& system(Oid oid) { return view_->database_object().table(oid); }
  std::shared_ptr<catalog::Sequence> counter(std::string_view name) {
    const auto r = table(name);
    std::string image;
    begin();
    system(catalog::pg_class::kOid).find_oid(*txn_, r->oid, image);
    const Oid filenode = system(catalog::pg_class::kOid).reader(image).oid(catalog::pg_class::c_relfilenode);
    rollback();
    return view_->database_object().physical(filenode).sequence;
  }
};

TEST_F(ObjectTest, Sequences) {
  EXPECT_EQ(run("create sequence s start 5 increment 2 maxvalue 10"), "CREATE SEQUENCE");
  ASSERT_NE(counter("s"), nullptr);
  EXPECT_EQ(counter("s")->state().last_value, 5);
  EXPECT_FALSE(counter("s")->state().is_called);
  EXPECT_EQ(run("create sequence s"), "42P07 relation \"s\" already exists");
  EXPECT_EQ(run("create sequence r increment 0"), "22023 INCREMENT must not be zero");
  EXPECT_EQ(run("create sequence r minvalue 5 maxvalue 5"), "22023 MINVALUE (5) must be less than MAXVALUE (5)");
  EXPECT_EQ(run("create sequence r start 0"), "22023 START value (0) cannot be less than MINVALUE (1)");
  EXPECT_EQ(run("create sequence r as text"), "22023 sequence type must be smallint, integer, or bigint");
  EXPECT_EQ(run("create sequence r as smallint maxvalue 40000"),
            "22023 MAXVALUE (40000) is out of range for sequence data type smallint");
  EXPECT_EQ(run("create sequence r cache 0"), "22023 CACHE (0) must be greater than zero");
  EXPECT_EQ(run("alter sequence s restart 100"), "22023 RESTART value (100) cannot be greater than MAXVALUE (10)");
  begin();
  EXPECT_EQ(run("alter sequence s restart 9"), "ALTER SEQUENCE");
  rollback();
  EXPECT_EQ(counter("s")->state().last_value, 5) << "RESTART is transactional";
  EXPECT_EQ(run("alter sequence s restart 9"), "ALTER SEQUENCE");
  EXPECT_EQ(counter("s")->state().last_value, 9);
  EXPECT_EQ(run("alter sequence nosuch restart"), "42P01 relation \"nosuch\" does not exist");
  EXPECT_EQ(run("drop sequence s"), "DROP SEQUENCE");
}

TEST_F(ObjectTest, SerialAndIdentity) {
  EXPECT_EQ(run("create table t (a serial primary key, b bigserial, c int generated always as identity (start 7))"),
            "CREATE TABLE");
  const auto t = table("t");
  ASSERT_TRUE(t->columns[0].default_expr);
  const std::string default_tree = *t->columns[0].default_expr;
  EXPECT_TRUE(sql::is_stored_tree(default_tree));
  EXPECT_EQ(t->columns[2].identity, 'a');
  ASSERT_TRUE(t->columns[2].default_expr) << "the sequence behind an identity column";
  EXPECT_TRUE(t->columns[2].default_expr->starts_with("pg_catalog.nextval("));
  EXPECT_NE(table("t_b_seq"), nullptr);
  EXPECT_EQ(counter("t_c_seq")->state().last_value, 7);
  EXPECT_EQ(run("drop sequence t_a_seq"),
            "2BP01 cannot drop sequence t_a_seq because other objects depend on it | default value for column a of "
            "table t depends on"
            " sequence t_a_seq | Use DROP ... CASCADE to drop the dependent objects too.");
  EXPECT_EQ(run("drop sequence t_c_seq"),
            "2BP01 cannot drop sequence t_c_seq because column c of table t requires it | You can drop column c of "
            "table t instead.");
  EXPECT_EQ(run("alter sequence t_a_seq rename to other"), "ALTER SEQUENCE");
  EXPECT_EQ(table("t")->columns[0].default_expr, default_tree) << "a tree knows no names";
  EXPECT_EQ(run("alter table t alter c drop identity"), "ALTER TABLE");
  EXPECT_EQ(table("t_c_seq"), nullptr);
  EXPECT_EQ(run("drop table t"), "DROP TABLE");
  EXPECT_EQ(table("other"), nullptr) << "owned sequences go along";
  EXPECT_EQ(table("t_b_seq"), nullptr);
}

TEST_F(ObjectTest, TablesThatReferenceEachOtherDropTogether) {
  for (const char* both : {"drop table parent, child", "drop table child, parent"}) {
    EXPECT_EQ(run("create table parent (id int primary key)"), "CREATE TABLE");
    EXPECT_EQ(run("create table child (id int references parent)"), "CREATE TABLE");
    EXPECT_EQ(run(both), "DROP TABLE");
    EXPECT_EQ(table("parent"), nullptr);
    EXPECT_EQ(table("child"), nullptr);
  }
}

// What plans depend on, as another session sees it, does not move.
TEST_F(ObjectTest, TemporaryObjectsAreTheSessionsOwnBusiness) {
  catalog::SessionCatalog other(*catalog_, catalog_->database_named("postgres"), 2);
  other.set_user(10);
  EXPECT_EQ(run("create table t (a int primary key)"), "CREATE TABLE");
  const uint64_t before = other.version();
  uint64_t own = view_->version();
  for (const char* sql :
       {"create temp table w (a serial primary key, b text unique, c int check (c > 0))", "create index on w (c)",
        "alter table w add column d int", "alter table w rename to t", "alter table t alter column d type text",
        "create temp view v as select a from t", "drop view v", "truncate t", "drop table t"}) {
    EXPECT_NE(run(sql), "");
    EXPECT_EQ(other.version(), before) << sql;
    EXPECT_NE(view_->version(), own) << sql;
    own = view_->version();
  }
  begin();
  EXPECT_EQ(run("create temp table w (a int)"), "CREATE TABLE");
  rollback();
  EXPECT_EQ(table("w"), nullptr);
  EXPECT_EQ(other.version(), before);
  EXPECT_EQ(run("create temp table k (a int)"), "CREATE TABLE");
  EXPECT_NE(other.find_relation(view_->schema_name(view_->temp_schema()), "k"), nullptr);
  EXPECT_EQ(run("alter table k add column b int"), "ALTER TABLE");
  EXPECT_EQ(other.find_relation(view_->schema_name(view_->temp_schema()), "k")->columns.size(), 2U);
  EXPECT_EQ(run("drop table k"), "DROP TABLE");
  EXPECT_EQ(other.find_relation(view_->schema_name(view_->temp_schema()), "k"), nullptr);
  EXPECT_EQ(run("alter table t add column b int"), "ALTER TABLE");
  EXPECT_NE(other.version(), before);
}

TEST_F(ObjectTest, TruncateRestartsIdentity) {
  run("create table t (a serial)");
  Lsn needed;
  ASSERT_TRUE(counter("t_a_seq")->next({}, "s", needed).ok());
  ASSERT_TRUE(counter("t_a_seq")->next({}, "s", needed).ok());
  EXPECT_EQ(run("truncate t"), "TRUNCATE TABLE");
  EXPECT_EQ(counter("t_a_seq")->state().last_value, 2);
  EXPECT_EQ(run("truncate t restart identity"), "TRUNCATE TABLE");
  EXPECT_FALSE(counter("t_a_seq")->state().is_called);
}

TEST_F(ObjectTest, Enums) {
  EXPECT_EQ(run("create type e as enum ('a', 'b')"), "CREATE TYPE");
  EXPECT_EQ(run("create type e as enum ('a')"), "42710 type \"e\" already exists");
  const auto e = view_->find_type("", "e");
  ASSERT_NE(e, nullptr);
  EXPECT_EQ(e->enum_labels, (Strings{"a", "b"}));
  EXPECT_EQ(e->phys, Phys::kI32);
  EXPECT_EQ(view_->type(e->array)->name, "_e");
  EXPECT_EQ(run("alter type e add value 'c'"), "ALTER TYPE");
  EXPECT_EQ(run("alter type e add value 'c'"), "42710 enum label \"c\" already exists");
  EXPECT_EQ(run("alter type e rename value 'a' to 'z'"), "ALTER TYPE");
  EXPECT_EQ(run("alter type e rename value 'a' to 'y'"), "22023 \"a\" is not an existing enum label");
  EXPECT_EQ(view_->find_type("", "e")->enum_labels, (Strings{"z", "b", "c"}));
  run("create table t (a int, x e)");
  EXPECT_EQ(run("drop type e"),
            "2BP01 cannot drop type e because other objects depend on it | column x of table t depends on type e"
            " | Use DROP ... CASCADE to drop the dependent objects too.");
  EXPECT_EQ(run("drop type e cascade"), "DROP TYPE");
  EXPECT_EQ(table("t")->find_column("x"), nullptr);
  EXPECT_EQ(run("drop type nope"), "42704 type \"nope\" does not exist");
  EXPECT_EQ(run("drop type int4"), "2BP01 cannot drop type integer because it is required by the database system");
}

TEST_F(ObjectTest, DomainsAndComposites) {
  EXPECT_EQ(run("create domain d as int not null"), "CREATE DOMAIN");
  const auto d = view_->find_type("", "d");
  EXPECT_EQ(d->base, 23u);
  EXPECT_EQ(d->phys, Phys::kI32);
  EXPECT_TRUE(d->not_null);
  EXPECT_EQ(run("create table t (x d primary key)"), "CREATE TABLE");
  EXPECT_EQ(table("t")->key.column(0).type, 23u) << "keys are of the base type";
  EXPECT_EQ(run("create type c as (a int, b text)"), "CREATE TYPE");
  const auto c = view_->find_type("", "c");
  EXPECT_EQ(view_->relation(c->relation)->columns.size(), 2u);
  EXPECT_EQ(run("drop type c"), "DROP TYPE");
  EXPECT_EQ(view_->find_type("", "c"), nullptr);
  EXPECT_EQ(run("drop domain d cascade"), "DROP DOMAIN");
}

TEST_F(ObjectTest, Schemas) {
  EXPECT_EQ(run("create schema s"), "CREATE SCHEMA");
  EXPECT_EQ(run("create schema s"), "42P06 schema \"s\" already exists");
  EXPECT_EQ(run("create schema pg_s"),
            "42939 unacceptable schema name \"pg_s\" | The prefix \"pg_\" is reserved for system schemas.");
  EXPECT_EQ(run("create schema if not exists s"), "CREATE SCHEMA");
  EXPECT_EQ(run("alter schema s rename to z"), "ALTER SCHEMA");
  EXPECT_EQ(run("drop schema z"), "DROP SCHEMA");
  EXPECT_EQ(run("drop schema pg_catalog").substr(0, 5), "2BP01");
}

TEST_F(ObjectTest, Roles) {
  EXPECT_EQ(run("create role r login password 'x'"), "CREATE ROLE");
  EXPECT_EQ(run("create role r"), "42710 role \"r\" already exists");
  const auto r = catalog_->role_named("r");
  ASSERT_NE(r, nullptr);
  EXPECT_TRUE(r->can_login);
  EXPECT_EQ(r->password.substr(0, 19), "SCRAM-SHA-256$4096:");
  EXPECT_EQ(run("create user u in role r createdb"), "CREATE ROLE");
  EXPECT_EQ(catalog_->role_named("u")->member_of, std::vector<Oid>{r->oid});
  EXPECT_TRUE(catalog_->role_named("u")->create_db);
  EXPECT_EQ(run("alter role u nologin"), "ALTER ROLE");
  EXPECT_FALSE(catalog_->role_named("u")->can_login);
  EXPECT_EQ(run("create role pg_x"),
            "42939 role name \"pg_x\" is reserved | Role names starting with \"pg_\" are reserved.");
  EXPECT_EQ(run("drop role nope"), "42704 role \"nope\" does not exist");
  run("create table own (a int)");
  EXPECT_EQ(run("alter table own owner to r"), "ALTER TABLE");
  EXPECT_EQ(run("drop role r"),
            "2BP01 role \"r\" cannot be dropped because some objects depend on it | owner of table own");
  EXPECT_EQ(run("reassign owned by r to postgres"), "REASSIGN OWNED");
  EXPECT_EQ(run("alter role r set work_mem = '8MB'"), "ALTER ROLE");
  EXPECT_EQ(run("alter role r set nosuch = 1"), "42704 unrecognized configuration parameter \"nosuch\"");
  EXPECT_EQ(run("drop role r, u"), "DROP ROLE");
  EXPECT_EQ(catalog_->role_named("u"), nullptr);
}

TEST_F(ObjectTest, Privileges) {
  run("create table t (a int, b int)");
  run("create role r");
  EXPECT_EQ(run("grant select (a), insert on t to r"), "GRANT");
  begin();
  std::string image;
  system(catalog::pg_class::kOid).find_oid(*txn_, table("t")->oid, image);
  const auto acl = types::read_acl(system(catalog::pg_class::kOid).reader(image).str(catalog::pg_class::c_relacl));
  Strings texts;
  for (const auto& item : acl) texts.push_back(types::acl_item_text(item, [&](Oid o) { return view_->role_name(o); }));
  EXPECT_EQ(texts, (Strings{"postgres=arwdDxt/postgres", "r=a/postgres"}));
  rollback();
  EXPECT_EQ(run("grant usage on t to r"), "0LP01 invalid privilege type USAGE for table");
  EXPECT_EQ(run("grant select on t to nope"), "42704 role \"nope\" does not exist");
  EXPECT_EQ(run("drop role r").substr(0, 5), "2BP01");
  EXPECT_EQ(run("revoke select (a), insert on t from r"), "REVOKE");
  EXPECT_EQ(run("drop role r"), "DROP ROLE");
}

TEST_F(ObjectTest, OnlyOwnersDefine) {
  run("create table t (a int)");
  run("create role r");
  view_->set_user(catalog_->role_named("r")->oid);
  EXPECT_EQ(run("drop table t"), "42501 must be owner of table t");
  EXPECT_EQ(run("alter table t add b int"), "42501 must be owner of table t");
  EXPECT_EQ(run("create table u (a int)"), "42501 permission denied for schema public");
  EXPECT_EQ(run("create schema s"), "42501 permission denied for database postgres");
  EXPECT_EQ(run("create database d"), "42501 permission denied to create database");
  EXPECT_EQ(run("create role s"), "42501 permission denied to create role");
  EXPECT_EQ(run("create temp table u (a int)"), "CREATE TABLE");
}

TEST_F(ObjectTest, DatabasesAreCopiesOfTheirTemplate) {
  run("create table t (a int primary key, b int)");
  run("create index i on t (b)");
  run("create table heap (a int)");
  insert("t", {1, 2});
  insert("heap", {5});
  insert("heap", {4});
  EXPECT_EQ(run("create database d template postgres"), "CREATE DATABASE");
  EXPECT_EQ(run("create database d"), "42P04 database \"d\" already exists");
  EXPECT_EQ(run("create database e template nope"), "3D000 template database \"nope\" does not exist");
  insert("t", {3, 4});
  const auto old = std::move(view_);
  {
    view_ = std::make_unique<catalog::SessionCatalog>(*catalog_, catalog_->database_named("d"), 2);
    view_->set_user(10);
    host_ = std::make_unique<FakeHost>(*view_);
    ASSERT_NE(table("t"), nullptr);
    EXPECT_EQ(rows("t"), (std::vector<std::vector<int32_t>>{{1, 2}}));
    EXPECT_EQ(rows("heap"), (std::vector<std::vector<int32_t>>{{5}, {4}}));
    insert("heap", {6});
    EXPECT_EQ(rows("heap").size(), 3u) << "new row ids do not meet copied ones";
    EXPECT_TRUE(table("t")->indexes.at(1).storage);
    EXPECT_EQ(run("drop database d"), "55006 cannot drop the currently open database");
  }
  auto second = std::move(view_);
  view_ = std::make_unique<catalog::SessionCatalog>(*catalog_, catalog_->database_named("postgres"), 1);
  view_->set_user(10);
  host_ = std::make_unique<FakeHost>(*view_);
  EXPECT_EQ(run("drop database d"),
            "55006 database \"d\" is being accessed by other users | There is 1 other session using the database.");
  second.reset();
  EXPECT_EQ(run("alter database d rename to dd"), "ALTER DATABASE");
  EXPECT_NE(catalog_->database_named("dd"), nullptr);
  EXPECT_EQ(run("drop database dd"), "DROP DATABASE");
  EXPECT_EQ(catalog_->database_named("dd"), nullptr);
  EXPECT_EQ(run("drop database dd"), "3D000 database \"dd\" does not exist");
  EXPECT_EQ(run("drop database template1"), "42809 cannot drop a template database");
}

TEST_F(ObjectTest, Comments) {
  run("create table t (a int)");
  EXPECT_EQ(run("comment on table t is 'about t'"), "COMMENT");
  EXPECT_EQ(run("comment on column t.a is 'about a'"), "COMMENT");
  EXPECT_EQ(run("comment on column t.x is 'about a'"), "42703 column \"x\" of relation \"t\" does not exist");
  begin();
  std::string image;
  const Oid oid = table("t")->oid;
  ASSERT_TRUE(system(catalog::pg_description::kOid)
                  .find(*txn_, {Datum::of_oid(oid), Datum::of_oid(catalog::pg_class::kOid), Datum::of(1)}, image));
  rollback();
  run("drop table t");
  begin();
  EXPECT_FALSE(system(catalog::pg_description::kOid)
                   .find(*txn_, {Datum::of_oid(oid), Datum::of_oid(catalog::pg_class::kOid), Datum::of(1)}, image));
  rollback();
}

TEST_F(ObjectTest, AnalyzeFillsStatistics) {
  run("create table t (a int primary key, b int)");
  for (int i = 0; i < 200; i++) insert("t", {i, i % 4});
  EXPECT_EQ(run("analyze t"), "ANALYZE");
  const auto t = table("t");
  EXPECT_EQ(t->reltuples, 200);
  ASSERT_EQ(t->statistics.size(), 2u);
  EXPECT_FLOAT_EQ(t->statistics[0].distinct, -1);
  EXPECT_EQ(t->statistics[0].histogram.size(), 101u);
  EXPECT_EQ(t->statistics[0].histogram.front().get().i32, 0);
  EXPECT_EQ(t->statistics[0].histogram.back().get().i32, 199);
  EXPECT_FLOAT_EQ(t->statistics[1].distinct, 4);
  ASSERT_EQ(t->statistics[1].common_values.size(), 4u);
  EXPECT_FLOAT_EQ(t->statistics[1].common_frequencies[0], 0.25F);
  EXPECT_EQ(run("analyze"), "ANALYZE");
  EXPECT_EQ(run("analyze nope"), "42P01 relation \"nope\" does not exist");
}

}  // namespace
}  // namespace indigo::engine
