// What definitions cost, as descriptors made of rows: each is tens of look-ups in system tables.
#include "catalog/database.h"
#include "tests/unit/engine/ddl/definition_fixture.h"

namespace indigo::engine {
namespace {

class DefinitionWorkTest : public DefinitionTest {
 protected:
  uint64_t built_by(const std::string& sql, const std::string& tag) {
    catalog::Database& database = view_->database_object();
    const uint64_t before = database.relations_built();
    EXPECT_EQ(run(sql), tag) << sql;
    return database.relations_built() - before;
  }
};

// A migration's statements: the table itself once or twice for each, and the referenced one once in all.
TEST_F(DefinitionWorkTest, ACycleOfDefinitionsBuildsFewDescriptors) {
  ASSERT_EQ(run("CREATE TABLE customer (id int PRIMARY KEY, name text, city text)"), "CREATE TABLE");
  ASSERT_EQ(run("CREATE INDEX customer_city ON customer (city)"), "CREATE INDEX");
  EXPECT_LE(built_by("CREATE TABLE d (id serial PRIMARY KEY, name varchar(40) NOT NULL UNIQUE, at int DEFAULT 3)",
                     "CREATE TABLE"),
            5u);
  EXPECT_LE(built_by("ALTER TABLE d ADD COLUMN more integer NULL", "ALTER TABLE"), 3u);
  EXPECT_LE(built_by("CREATE INDEX d_more ON d (more)", "CREATE INDEX"), 1u);
  EXPECT_LE(built_by("ALTER TABLE d ADD CONSTRAINT d_fk FOREIGN KEY (more) REFERENCES customer (id) DEFERRABLE",
                     "ALTER TABLE"),
            3u);
  EXPECT_LE(built_by("ALTER TABLE d ALTER COLUMN name DROP NOT NULL", "ALTER TABLE"), 1u);
  EXPECT_LE(built_by("DROP TABLE d CASCADE", "DROP TABLE"), 1u);
}

// Inside one transaction, too: what is not changed is taken from what all share.
TEST_F(DefinitionWorkTest, OtherTablesAreNotReadAgain) {
  for (int i = 0; i < 5; i++) {
    ASSERT_EQ(run("CREATE TABLE t" + std::to_string(i) + " (a int PRIMARY KEY)"), "CREATE TABLE");
    ASSERT_NE(table("t" + std::to_string(i)), nullptr);
  }
  begin();
  EXPECT_LE(built_by("CREATE TABLE u (a int)", "CREATE TABLE"), 2u);
  const uint64_t before = view_->database_object().relations_built();
  for (int i = 0; i < 5; i++) ASSERT_NE(table("t" + std::to_string(i)), nullptr);
  EXPECT_EQ(view_->database_object().relations_built(), before);
  commit();
}

}  // namespace
}  // namespace indigo::engine
