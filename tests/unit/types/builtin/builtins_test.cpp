#include "types/builtin/builtins.h"

#include <gtest/gtest.h>

#include "types/builtin/function_text.h"
#include "types/builtin/static_table.h"
#include "types/generated/columns.h"
#include "types/oids.h"

namespace indigo::types {
namespace {

TEST(StaticTables, KeepPostgresRows) {
  const StaticTable& types = static_table_of(pg_type::kOid);
  const int64_t row = types.find_oid(oid::kNumeric);
  ASSERT_GE(row, 0);
  const auto r = static_cast<uint32_t>(row);
  EXPECT_EQ(types.columns[pg_type::c_typname].string(r), "numeric");
  EXPECT_EQ(types.columns[pg_type::c_typlen].datum(r).i16, -1);
  EXPECT_EQ(types.columns[pg_type::c_typtypmod].datum(r).i32, -1);
  EXPECT_TRUE(types.columns[pg_type::c_typdefault].is_null(r));
  EXPECT_EQ(types.find_oid(3), -1);
}

TEST(Builtins, TypesByOidAndName) {
  const Builtins builtins;
  const auto int4 = builtins.type(oid::kInt4);
  ASSERT_NE(int4, nullptr);
  EXPECT_EQ(int4->name, "int4");
  EXPECT_EQ(int4->array, oid::kInt4Array);
  EXPECT_EQ(int4->category, 'N');
  EXPECT_EQ(int4->phys, Phys::kI32);
  EXPECT_EQ(builtins.type_named(oid::kPgCatalogSchema, "timestamptz"), oid::kTimestampTz);
  EXPECT_EQ(builtins.type_named(oid::kPublicSchema, "timestamptz"), kInvalidOid);
  EXPECT_TRUE(builtins.type(oid::kTextArray)->is_array());
  EXPECT_EQ(builtins.type(oid::kTextArray)->element, oid::kText);
  EXPECT_EQ(builtins.type(3904)->range_subtype, oid::kInt4);
  EXPECT_EQ(builtins.type(99999), nullptr);
}

TEST(Builtins, FunctionsByName) {
  const Builtins builtins;
  std::vector<std::shared_ptr<const FunctionInfo>> found;
  builtins.functions_named(oid::kPgCatalogSchema, "substring", found);
  EXPECT_EQ(found.size(), 8u);
  for (const auto& f : found) EXPECT_EQ(f->name, "substring");
  found.clear();
  builtins.functions_named(oid::kPgCatalogSchema, "no_such_function", found);
  EXPECT_TRUE(found.empty());
  const auto make_interval = builtins.function(3464);
  ASSERT_NE(make_interval, nullptr);
  EXPECT_EQ(make_interval->default_count, 7);
  EXPECT_EQ(make_interval->defaults.size(), 7u);
  EXPECT_EQ(make_interval->argument_names.front(), "years");
}

TEST(Builtins, OperatorsAndCasts) {
  const Builtins builtins;
  std::vector<const OperatorInfo*> equal;
  builtins.operators_named("=", equal);
  EXPECT_GT(equal.size(), 50u);
  const OperatorInfo* int4eq = builtins.operator_by_oid(96);
  ASSERT_NE(int4eq, nullptr);
  EXPECT_EQ(int4eq->left, oid::kInt4);
  EXPECT_EQ(int4eq->restriction, "eqsel");
  EXPECT_TRUE(int4eq->can_hash);
  const CastInfo* cast = builtins.cast(oid::kInt4, oid::kInt8);
  ASSERT_NE(cast, nullptr);
  EXPECT_EQ(cast->context, CastContext::kImplicit);
  EXPECT_EQ(builtins.cast(oid::kBool, oid::kDate), nullptr);
  EXPECT_EQ(builtins.aggregate(2803)->kind, 'n');
  EXPECT_EQ(builtins.aggregate(96), nullptr);
}

TEST(Builtins, BtreeClasses) {
  const Builtins builtins;
  EXPECT_EQ(builtins.btree_operator(oid::kInt4, 1), 97u);
  EXPECT_EQ(builtins.btree_operator(oid::kInt4, 3), 96u);
  EXPECT_EQ(builtins.btree_strategy(97), 1);
  EXPECT_EQ(builtins.btree_strategy(521), 5);
  EXPECT_EQ(builtins.btree_operator(oid::kJson, 1), kInvalidOid);
  EXPECT_EQ(builtins.btree_strategy(2314), 0) << "text_pattern_ops is not the default class";
  EXPECT_EQ(builtins.opclass_named(403, "int4_ops"), builtins.default_opclass(403, oid::kInt4));
}

TEST(FunctionText, SplitsAtTopLevelCommas) {
  EXPECT_EQ(split_default_texts("0, 'a, b'::text, f(1, 2), ARRAY[1, 2]"),
            (std::vector<std::string>{"0", "'a, b'::text", "f(1, 2)", "ARRAY[1, 2]"}));
  EXPECT_TRUE(split_default_texts("").empty());
}

}  // namespace
}  // namespace indigo::types
