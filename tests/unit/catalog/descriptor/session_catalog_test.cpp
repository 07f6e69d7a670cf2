// The catalog over a real store: bootstrap, look-ups, private and shared descriptors, roles.
#include "catalog/descriptor/session_catalog.h"

#include <gtest/gtest.h>

#include "catalog/catalog.h"
#include "catalog/generated/columns.h"
#include "catalog/views/system_views.h"
#include "storage/store.h"
#include "storage/store_options.h"
#include "storage/table.h"
#include "types/oids.h"

namespace indigo::catalog {
namespace {

using storage::Isolation;
using storage::StorageStatus;

class SessionCatalogTest : public ::testing::Test {
 protected:
  void SetUp() override {
    store_ = storage::Store::create({});
    auto made = Catalog::create(*store_, "alice");
    ASSERT_TRUE(made.ok());
    catalog_ = std::move(*made);
    database_ = catalog_->database_named("postgres");
    ASSERT_NE(database_, nullptr);
  }

  // Rows as CREATE TABLE name (a int) would leave them.
  Oid add_table(storage::Transaction& txn, std::string_view name) {
    const Oid oid = catalog_->next_oid();
    SystemTable& classes = database_->table(pg_class::kOid);
    RowValues row(classes.definition());
    row.oid(pg_class::c_oid, oid).str(pg_class::c_relname, name).oid(pg_class::c_relnamespace, oid::kPublicSchema);
    row.chr(pg_class::c_relkind, 'r').chr(pg_class::c_relpersistence, 'p').oid(pg_class::c_relowner, 10);
    EXPECT_EQ(classes.insert(txn, row), StorageStatus::kOk);
    SystemTable& attributes = database_->table(pg_attribute::kOid);
    RowValues column(attributes.definition());
    column.oid(pg_attribute::c_attrelid, oid).i16(pg_attribute::c_attnum, 1).str(pg_attribute::c_attname, "a");
    column.oid(pg_attribute::c_atttypid, oid::kInt4).i32(pg_attribute::c_atttypmod, -1);
    EXPECT_EQ(attributes.insert(txn, column), StorageStatus::kOk);
    return oid;
  }

  std::unique_ptr<storage::Store> store_;
  std::unique_ptr<Catalog> catalog_;
  std::shared_ptr<Database> database_;
};

TEST_F(SessionCatalogTest, FreshInstance) {
  EXPECT_NE(catalog_->database_named("template0"), nullptr);
  EXPECT_NE(catalog_->database_named("alice"), nullptr);
  EXPECT_EQ(catalog_->database_named("bob"), nullptr);
  const auto role = catalog_->role_named("alice");
  ASSERT_NE(role, nullptr);
  EXPECT_TRUE(role->superuser);
  EXPECT_EQ(catalog_->role_named("postgres")->oid, 10u);
  EXPECT_EQ(catalog_->role_named("nobody"), nullptr);
  EXPECT_EQ(catalog_->role_named("pg_monitor")->member_of.size(), 3u);
}

TEST_F(SessionCatalogTest, SystemTablesAndViews) {
  SessionCatalog view(*catalog_, database_, 1);
  view.set_user(10);
  const auto pg_class_info = view.find_relation("", "pg_class");
  ASSERT_NE(pg_class_info, nullptr);
  EXPECT_EQ(pg_class_info->oid, 1259u);
  EXPECT_EQ(pg_class_info->columns.size(), 33u);
  EXPECT_EQ(pg_class_info->key_columns, std::vector<int16_t>{1});
  EXPECT_EQ(view.find_relation("pg_catalog", "pg_class").get(), pg_class_info.get());
  const auto tables = view.find_relation("", "pg_tables");
  ASSERT_NE(tables, nullptr);
  EXPECT_EQ(tables->kind, RelationKind::kView);
  EXPECT_FALSE(tables->view_definition.empty());
  ASSERT_NE(view.find_relation("information_schema", "columns"), nullptr);
  EXPECT_EQ(view.find_relation("information_schema", "columns")->columns.size(), 44u);
  EXPECT_EQ(view.find_relation("", "columns"), nullptr);
  EXPECT_EQ(view.find_relation("", "nothing"), nullptr);
  const auto index = view.find_relation("", "pg_class_oid_index");
  ASSERT_NE(index, nullptr);
  EXPECT_EQ(index->kind, RelationKind::kIndex);
}

TEST_F(SessionCatalogTest, SearchPath) {
  SessionCatalog view(*catalog_, database_, 1);
  view.set_user(10);
  EXPECT_EQ(view.search_path(), (std::vector<Oid>{oid::kPgCatalogSchema, oid::kPublicSchema}));
  EXPECT_EQ(view.creation_schema(), oid::kPublicSchema);
  view.set_search_path({"public", "pg_catalog", "missing"});
  EXPECT_EQ(view.search_path(), (std::vector<Oid>{oid::kPublicSchema, oid::kPgCatalogSchema}));
  EXPECT_EQ(view.schema_name(oid::kPublicSchema), "public");
  EXPECT_EQ(view.find_type("", "int4")->oid, oid::kInt4);
  EXPECT_EQ(view.find_type("public", "int4"), nullptr);
  EXPECT_EQ(view.find_collation("", "C"), oid::kCCollation);
  EXPECT_EQ(view.btree_operator(oid::kVarchar, 1), 664u) << "varchar orders as text";
  EXPECT_EQ(view.btree_operator(oid::kInt4Array, 3), 1070u) << "arrays of ordered types order as anyarray";
  EXPECT_EQ(view.btree_operator(oid::kJson, 1), kInvalidOid);
}

TEST_F(SessionCatalogTest, OwnChangesArePrivateUntilCommit) {
  SessionCatalog mine(*catalog_, database_, 1), other(*catalog_, database_, 2);
  const uint64_t before = other.version();
  auto txn = store_->begin(Isolation::kReadCommitted, 1);
  mine.bind(txn.get());
  const Oid oid = add_table(*txn, "t");
  mine.changed({oid});
  ASSERT_NE(mine.find_relation("", "t"), nullptr);
  EXPECT_EQ(mine.find_relation("", "t")->columns.at(0).name, "a");
  EXPECT_NE(mine.version(), before);
  EXPECT_EQ(other.find_relation("", "t"), nullptr);
  EXPECT_EQ(other.version(), before);
  ASSERT_EQ(store_->commit(*txn), StorageStatus::kOk);
  mine.bind(nullptr);
  EXPECT_NE(other.version(), before);
  ASSERT_NE(other.find_relation("", "t"), nullptr);
  EXPECT_EQ(other.find_relation("", "t").get(), mine.find_relation("public", "t").get())
      << "both from the shared cache";
}

// Inside a transaction that has changed the catalog: a session that has waited for a table's lock must look again.
TEST_F(SessionCatalogTest, OthersCommitsAreSeenBesideOwnChanges) {
  SessionCatalog mine(*catalog_, database_, 1), other(*catalog_, database_, 2);
  auto first = store_->begin(Isolation::kReadCommitted, 2);
  other.bind(first.get());
  const Oid oid = add_table(*first, "t");
  other.changed({oid});
  ASSERT_EQ(store_->commit(*first), StorageStatus::kOk);
  other.bind(nullptr);

  auto txn = store_->begin(Isolation::kReadCommitted, 1);
  mine.bind(txn.get());
  mine.changed({add_table(*txn, "own")});
  ASSERT_EQ(mine.find_relation("", "t")->columns.size(), 1u);
  const uint64_t before = mine.version();
  EXPECT_EQ(mine.version(), before);

  auto second = store_->begin(Isolation::kReadCommitted, 2);
  other.bind(second.get());
  SystemTable& attributes = database_->table(pg_attribute::kOid);
  RowValues column(attributes.definition());
  column.oid(pg_attribute::c_attrelid, oid).i16(pg_attribute::c_attnum, 2).str(pg_attribute::c_attname, "b");
  column.oid(pg_attribute::c_atttypid, oid::kInt4).i32(pg_attribute::c_atttypmod, -1);
  ASSERT_EQ(attributes.insert(*second, column), StorageStatus::kOk);
  other.changed({oid});
  EXPECT_EQ(mine.version(), before) << "not committed yet";
  ASSERT_EQ(store_->commit(*second), StorageStatus::kOk);
  other.bind(nullptr);

  EXPECT_NE(mine.version(), before);
  EXPECT_EQ(mine.find_relation("", "t")->columns.size(), 2u);
  EXPECT_NE(mine.find_relation("", "own"), nullptr);
  ASSERT_EQ(store_->commit(*txn), StorageStatus::kOk);
}

// What a transaction has not changed is not read again, and what it has made of its changes is there for others at its commit.
TEST_F(SessionCatalogTest, OnlyWhatChangedIsBuiltAgain) {
  SessionCatalog mine(*catalog_, database_, 1), other(*catalog_, database_, 2);
  auto first = store_->begin(Isolation::kReadCommitted, 1);
  mine.bind(first.get());
  mine.changed({add_table(*first, "kept")});
  const Oid oid = add_table(*first, "altered");
  mine.changed({oid});
  ASSERT_EQ(store_->commit(*first), StorageStatus::kOk);
  mine.bind(nullptr);
  const auto kept = mine.find_relation("", "kept"), altered = mine.find_relation("", "altered");
  EXPECT_EQ(other.find_relation("", "kept").get(), kept.get());

  auto second = store_->begin(Isolation::kReadCommitted, 1);
  mine.bind(second.get());
  const uint64_t built = database_->relations_built();
  mine.changed({oid});
  EXPECT_EQ(mine.find_relation("", "kept").get(), kept.get());
  EXPECT_EQ(database_->relations_built(), built);
  const auto again = mine.find_relation("", "altered");
  EXPECT_NE(again.get(), altered.get());
  mine.changed({add_table(*second, "third")});
  EXPECT_EQ(mine.find_relation("", "altered").get(), again.get());
  EXPECT_EQ(database_->relations_built(), built + 1);
  EXPECT_EQ(other.find_relation("", "altered").get(), altered.get()) << "not committed yet";
  ASSERT_EQ(store_->commit(*second), StorageStatus::kOk);
  mine.bind(nullptr);
  EXPECT_EQ(mine.find_relation("", "altered").get(), again.get());
  EXPECT_EQ(other.find_relation("", "altered").get(), again.get());
  EXPECT_EQ(database_->relations_built(), built + 1);
}

// Descriptors of a transaction are not handed on when others have committed definitions since they were made.
TEST_F(SessionCatalogTest, DescriptorsOfLongAgoAreNotShared) {
  SessionCatalog mine(*catalog_, database_, 1), other(*catalog_, database_, 2);
  auto txn = store_->begin(Isolation::kReadCommitted, 1);
  mine.bind(txn.get());
  const Oid oid = add_table(*txn, "t");
  mine.changed({oid});
  const auto built = mine.find_relation("", "t");
  ASSERT_NE(built, nullptr);

  auto theirs = store_->begin(Isolation::kReadCommitted, 2);
  other.bind(theirs.get());
  other.changed({add_table(*theirs, "u")});
  ASSERT_EQ(store_->commit(*theirs), StorageStatus::kOk);
  other.bind(nullptr);
  ASSERT_EQ(store_->commit(*txn), StorageStatus::kOk);
  mine.bind(nullptr);
  EXPECT_EQ(database_->cached_relation(oid), nullptr);
  EXPECT_NE(mine.find_relation("", "t").get(), built.get());
  EXPECT_NE(mine.find_relation("", "u"), nullptr);
}

TEST_F(SessionCatalogTest, ASavepointsDescriptorsGoWithIt) {
  SessionCatalog mine(*catalog_, database_, 1), other(*catalog_, database_, 2);
  auto txn = store_->begin(Isolation::kReadCommitted, 1);
  mine.bind(txn.get());
  const Oid oid = add_table(*txn, "t");
  mine.changed({oid});
  const uint32_t level = txn->savepoint();
  SystemTable& attributes = database_->table(pg_attribute::kOid);
  RowValues column(attributes.definition());
  column.oid(pg_attribute::c_attrelid, oid).i16(pg_attribute::c_attnum, 2).str(pg_attribute::c_attname, "b");
  column.oid(pg_attribute::c_atttypid, oid::kInt4).i32(pg_attribute::c_atttypmod, -1);
  ASSERT_EQ(attributes.insert(*txn, column), StorageStatus::kOk);
  mine.changed({oid});
  ASSERT_EQ(mine.find_relation("", "t")->columns.size(), 2u);
  txn->rollback_to(level);
  ASSERT_EQ(store_->commit(*txn), StorageStatus::kOk);
  mine.bind(nullptr);
  EXPECT_EQ(mine.find_relation("", "t")->columns.size(), 1u);
  EXPECT_EQ(other.find_relation("", "t")->columns.size(), 1u);
}

TEST_F(SessionCatalogTest, RollbackLeavesNothing) {
  SessionCatalog mine(*catalog_, database_, 1);
  auto txn = store_->begin(Isolation::kReadCommitted, 1);
  mine.bind(txn.get());
  mine.changed({add_table(*txn, "t")});
  ASSERT_NE(mine.find_relation("", "t"), nullptr);
  store_->rollback(*txn);
  mine.bind(nullptr);
  EXPECT_EQ(mine.find_relation("", "t"), nullptr);
}

TEST_F(SessionCatalogTest, SavepointTakesDefinitionsBack) {
  SessionCatalog mine(*catalog_, database_, 1);
  auto txn = store_->begin(Isolation::kReadCommitted, 1);
  mine.bind(txn.get());
  mine.changed({add_table(*txn, "kept")});
  const uint32_t level = txn->savepoint();
  mine.changed({add_table(*txn, "gone")});
  ASSERT_NE(mine.find_relation("", "gone"), nullptr);
  txn->rollback_to(level);
  EXPECT_EQ(mine.find_relation("", "gone"), nullptr);
  EXPECT_NE(mine.find_relation("", "kept"), nullptr);
  ASSERT_EQ(store_->commit(*txn), StorageStatus::kOk);
}

TEST_F(SessionCatalogTest, BuiltInRowsCanBeChangedAndErased) {
  auto txn = store_->begin(Isolation::kReadCommitted, 1);
  SystemTable& schemas = database_->table(pg_namespace::kOid);
  std::string image;
  ASSERT_TRUE(schemas.find_oid(*txn, oid::kPublicSchema, image));
  RowValues row(schemas.definition(), schemas.layout(), image);
  row.str(pg_namespace::c_nspname, "renamed");
  ASSERT_EQ(schemas.update(*txn, row), StorageStatus::kOk);
  ASSERT_EQ(schemas.erase(*txn, {Datum::of_oid(information_schema_oid())}), StorageStatus::kOk);
  std::vector<std::string> names;
  schemas.scan(*txn, {}, [&](RowReader r) {
    names.emplace_back(r.str(pg_namespace::c_nspname));
    return true;
  });
  EXPECT_EQ(names, (std::vector<std::string>{"pg_catalog", "pg_toast", "renamed"}));
  // The unique index sees base and changes as one.
  RowValues again(schemas.definition());
  again.oid(pg_namespace::c_oid, 99999).str(pg_namespace::c_nspname, "pg_catalog").oid(pg_namespace::c_nspowner, 10);
  EXPECT_EQ(schemas.insert(*txn, again), StorageStatus::kDuplicateKey);
  again.str(pg_namespace::c_nspname, "public");
  EXPECT_EQ(schemas.insert(*txn, again), StorageStatus::kOk) << "the old name is free";
  store_->rollback(*txn);
  SessionCatalog view(*catalog_, database_, 1);
  EXPECT_EQ(view.schema_named("public"), oid::kPublicSchema);
}

TEST_F(SessionCatalogTest, CachedLookupsReadNoRows) {
  SessionCatalog view(*catalog_, database_, 1);
  const auto first = view.find_relation("", "pg_type");
  ASSERT_NE(first, nullptr);
  for (int i = 0; i < 1000; i++) ASSERT_EQ(view.find_relation("", "pg_type"), first) << "read from its rows again";
}

}  // namespace
}  // namespace indigo::catalog
