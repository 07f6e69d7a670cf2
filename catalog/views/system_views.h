// The built-in views (pg_tables, pg_stat_activity, information_schema.columns ...) as SQL over the system tables. Their
// columns are the static rows of pg_attribute; a built-in view without an entry here does not exist in Indigo.
// Thread safety: constants.
#pragma once

#include <span>
#include <string_view>

#include "base/ids.h"

namespace indigo::catalog {

struct SystemView {
  std::string_view name;
  std::string_view sql;
};

std::span<const SystemView> pg_catalog_views();
std::span<const SystemView> statistics_views();          // pg_stat_*, also in pg_catalog
std::span<const SystemView> monitoring_views();          // of what Indigo does not have, in pg_catalog
std::span<const SystemView> storage_views();             // Indigo's own, in pg_catalog
std::span<const SystemView> information_schema_views();  // tables, columns, constraints, views, sequences
std::span<const SystemView> information_schema_object_views();
std::span<const SystemView> information_schema_privilege_views();
std::span<const SystemView> information_schema_usage_views();  // what uses what
std::span<const SystemView> information_schema_foreign_views();

// Null when there is none.
const SystemView* system_view(Oid schema, std::string_view name);
// OID of schema information_schema (built in; not a fixed number in PostgreSQL).
Oid information_schema_oid();

}  // namespace indigo::catalog
