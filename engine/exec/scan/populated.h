// Materialized views WITH NO DATA cannot be read. Thread safety: reads one session's catalog view.
#pragma once

#include "base/error.h"
#include "catalog/descriptor/catalog_view.h"

namespace indigo::engine::exec {

// 55000 for a materialized view that has not been populated.
Status check_populated(catalog::CatalogView& catalog, const catalog::RelationInfo& relation);

}  // namespace indigo::engine::exec
