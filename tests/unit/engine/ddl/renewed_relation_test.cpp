// Descriptors of relations of which some parts are read again are as if all had been (catalog/descriptor/relation_parts.h): after
// definitions at random, committed and rolled back, for the session that made them and for one that has looked on.
#include <random>
#include <sstream>

#include "catalog/database.h"
#include "catalog/descriptor/info_builder.h"
#include "catalog/descriptor/trigger_info.h"
#include "tests/unit/engine/ddl/definition_fixture.h"

namespace indigo::engine {
namespace {

void print(const catalog::ConstraintInfo& c, std::ostream& out) {
  out << c.oid << ' ' << c.name << ' ' << c.kind << ' ' << c.index << ' ' << c.foreign_relation << ' ' << c.deferrable
      << c.deferred << c.validated << ' ' << c.expression << ';';
  for (const int16_t column : c.columns) out << column << ',';
  for (const int16_t column : c.foreign_columns) out << column << ',';
  out << '\n';
}

std::string text_of(const catalog::RelationInfo* r) {
  if (r == nullptr) return "none";
  std::ostringstream out;
  out << r->oid << ' ' << r->name << ' ' << r->schema_name << ' ' << static_cast<char>(r->kind) << r->persistence << ' '
      << r->owner << ' ' << r->reltuples << ' ' << r->table.get() << ' ' << r->row_security << r->force_row_security
      << ' ' << r->is_partition << '\n';
  for (const auto& c : r->columns) {
    out << c.number << ' ' << c.name << ' ' << c.type.oid << ' ' << c.not_null << c.dropped << ' '
        << c.default_expr.value_or("-") << '\n';
  }
  for (const int16_t column : r->key_columns) out << "key " << column << '\n';
  for (const auto& i : r->indexes) {
    out << "index " << i.oid << ' ' << i.name << ' ' << i.storage.value << ' ' << i.unique << i.primary << i.valid
        << i.immediate << i.constraint << ' ' << i.predicate << ' ' << i.method << ' ' << i.parent << ';';
    for (const auto& c : i.columns) out << c.column << c.expression << c.descending << ',';
    out << '\n';
  }
  for (const auto& c : r->constraints) print(c, out << "constraint ");
  for (size_t i = 0; i < r->referenced_by.size(); i++)
    print(r->referenced_by[i], out << "by " << r->referencing_relations[i] << ' ');
  for (const Oid oid : r->parents) out << "parent " << oid << '\n';
  for (const Oid oid : r->children) out << "child " << oid << '\n';
  if (r->triggers != nullptr) {
    for (const auto& t : r->triggers->triggers) {
      out << "trigger " << t.oid << ' ' << t.name << ' ' << t.function << ' ' << t.type << t.enabled << ' '
          << t.constraint << ' ' << t.deferrable << t.deferred << '\n';
    }
  }
  return out.str();
}

class RenewedRelationTest : public DefinitionTest {
 protected:
  std::string as_read(catalog::SessionCatalog& view, Oid oid) {
    return view.reading([&](storage::Transaction& txn) {
      catalog::InfoBuilder builder(
          view.database_object(), txn, [&](Oid type) { return view.type(type); },
          [&](Oid c) { return view.collator(c); });
      return text_of(builder.relation(oid).get());
    });
  }

  // What the view has of the table, unless it is as it would be read now.
  std::string differs(catalog::SessionCatalog& view, const std::string& name) {
    const auto found = view.find_relation("", name);
    if (found == nullptr) return "";
    const std::string read = as_read(view, found->oid);
    return text_of(found.get()) == read ? "" : text_of(found.get()) + "but\n" + read;
  }
};

TEST_F(RenewedRelationTest, DefinitionsAtRandom) {
  const std::vector<std::string> statements = {
      "CREATE TABLE a (id serial PRIMARY KEY, x int DEFAULT 3, y text UNIQUE)",
      "CREATE TABLE b (id int PRIMARY KEY, a int REFERENCES a (id) DEFERRABLE, z int CHECK (z > 0))",
      "ALTER TABLE b ADD COLUMN more int NULL",
      "ALTER TABLE b ADD COLUMN other int DEFAULT 5 REFERENCES a (id)",
      "ALTER TABLE b DROP COLUMN more",
      "ALTER TABLE b ADD CONSTRAINT b_fk FOREIGN KEY (z) REFERENCES a (id) NOT VALID",
      "ALTER TABLE b VALIDATE CONSTRAINT b_fk",
      "ALTER TABLE b ALTER CONSTRAINT b_fk DEFERRABLE INITIALLY DEFERRED",
      "ALTER TABLE b DROP CONSTRAINT b_fk",
      "ALTER TABLE b DROP CONSTRAINT b_pkey",
      "ALTER TABLE b ADD PRIMARY KEY (id)",
      "ALTER TABLE b ADD CONSTRAINT b_u UNIQUE (z) DEFERRABLE",
      "ALTER TABLE b RENAME CONSTRAINT b_u TO b_v",
      "ALTER TABLE b DROP CONSTRAINT b_v",
      "ALTER TABLE b RENAME CONSTRAINT b_fk TO b_gk",
      "ALTER TABLE a ADD CONSTRAINT a_x CHECK (x < 10)",
      "ALTER TABLE a DROP CONSTRAINT a_x",
      "CREATE INDEX a_i ON a (x, lower(y)) WHERE x > 1",
      "ALTER INDEX a_i RENAME TO a_j",
      "DROP INDEX a_i",
      "DROP INDEX a_j",
      "REINDEX TABLE a",
      "ALTER TABLE a ALTER COLUMN x SET DEFAULT 4",
      "ALTER TABLE a ALTER COLUMN x DROP DEFAULT",
      "ALTER TABLE a ALTER COLUMN x SET NOT NULL",
      "ALTER TABLE a ALTER COLUMN x DROP NOT NULL",
      "ALTER TABLE a ALTER COLUMN x TYPE bigint",
      "ALTER TABLE a RENAME COLUMN y TO w",
      "ALTER TABLE a RENAME COLUMN w TO y",
      "ALTER TABLE a ENABLE ROW LEVEL SECURITY",
      "ALTER TABLE a DISABLE TRIGGER ALL",
      "ALTER TABLE a ENABLE TRIGGER ALL",
      "ALTER TABLE b RENAME TO c",
      "ALTER TABLE c RENAME TO b",
      "CREATE TABLE k () INHERITS (a)",
      "DROP TABLE k",
      "TRUNCATE a, b",
      "DROP TABLE b CASCADE",
      "DROP TABLE a CASCADE",
  };
  const std::vector<std::string> names = {"a", "b", "c", "k"};
  std::mt19937 random(13);
  catalog::SessionCatalog looker(*catalog_, catalog_->database_named("postgres"), 2);
  looker.set_user(10);
  size_t done = 0;
  for (int i = 0; i < 1500; i++) {
    if (txn_ == nullptr && random() % 6 == 0) begin();
    const std::string& statement = statements[random() % 4 == 0 ? random() % 3 : random() % statements.size()];
    const std::string tag = run(statement);
    done += tag.find(' ') == std::string::npos || tag.find("TABLE") != std::string::npos;
    for (const std::string& name : names) {
      if (random() % 3 == 0) continue;  // what is not looked up between two definitions gathers parts
      ASSERT_EQ(differs(*view_, name), "") << i << ": " << statement << ": " << tag;
    }
    if (txn_ != nullptr && random() % 3 == 0) random() % 2 == 0 ? commit() : rollback();
    for (const std::string& name : names) {
      if (random() % 3 != 0) continue;
      ASSERT_EQ(differs(looker, name), "") << i << ": seen by another session after " << statement;
    }
  }
  EXPECT_GT(done, 300u);
  EXPECT_GT(view_->database_object().relations_renewed(), 200u);
}

}  // namespace
}  // namespace indigo::engine
