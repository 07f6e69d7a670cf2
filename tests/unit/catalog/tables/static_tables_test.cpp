#include "catalog/tables/static_tables.h"

#include <set>
#include <utility>

#include <gtest/gtest.h>

#include "catalog/generated/columns.h"
#include "catalog/tables/overlay_table.h"
#include "catalog/tables/system_table.h"
#include "catalog/views/system_views.h"
#include "types/oids.h"

namespace indigo::catalog {
namespace {

TEST(StaticTables, RowsAreInKeyOrder) {
  for (const StaticTable& table : static_tables()) {
    const BaseRows rows(table, nullptr);
    ASSERT_EQ(rows.size(), table.row_count) << table.name;
    for (size_t i = 1; i < rows.size(); i++) ASSERT_LT(rows.at(i - 1).key, rows.at(i).key) << table.name << " " << i;
  }
}

TEST(StaticTables, ImagesGiveTheCellsBack) {
  const StaticTable& procs = static_table_of(pg_proc::kOid);
  const BaseRows rows(procs, nullptr);
  for (uint32_t i = 0; i < rows.size(); i += 97) {
    const RowReader reader(rows.layout(), rows.at(i).row);
    EXPECT_EQ(reader.oid(pg_proc::c_oid), procs.columns[pg_proc::c_oid].cell(i));
    EXPECT_EQ(reader.str(pg_proc::c_proname), procs.columns[pg_proc::c_proname].string(i));
    EXPECT_EQ(reader.is_null(pg_proc::c_proargnames), procs.columns[pg_proc::c_proargnames].is_null(i));
  }
}

TEST(SystemViews, EachIsABuiltInRelation) {
  const StaticTable& classes = static_table_of(pg_class::kOid);
  std::set<std::pair<Oid, std::string_view>> relations;
  for (uint32_t row = 0; row < classes.row_count; row++)
    relations.emplace(classes.columns[pg_class::c_relnamespace].cell(row),
                      classes.columns[pg_class::c_relname].string(row));
  for (const auto& views : {pg_catalog_views(), statistics_views()}) {
    for (const SystemView& v : views) EXPECT_TRUE(relations.contains({oid::kPgCatalogSchema, v.name})) << v.name;
  }
  for (const auto& views :
       {information_schema_views(), information_schema_object_views(), information_schema_privilege_views()}) {
    for (const SystemView& v : views) EXPECT_TRUE(relations.contains({information_schema_oid(), v.name})) << v.name;
  }
}

}  // namespace
}  // namespace indigo::catalog
