// A planned statement as EXPLAIN's tree. Nodes that only compute columns or filter (Project, Filter) are part of the node
// below them, as in PostgreSQL; a hash join's build side gets PostgreSQL's Hash node.
//
// Differences from PostgreSQL: all CTEs and initplans hang below the top node; a scan of a table's own tree with bounds is
// called an index scan of its primary key.
// Thread safety: pure function over one session's catalog view.
#pragma once

#include <functional>

#include "base/error.h"
#include "catalog/descriptor/catalog_view.h"
#include "sql/explain/explain_tree.h"
#include "sql/plan.h"

namespace indigo::sql {

// Null: the node has never been built or run.
using CountersOf = std::function<const PlanCounters*(const Plan&)>;

// XX000 when an expression has no text.
Result<ExplainNode> explain_plan(catalog::CatalogView& catalog, const PlannedStatement& statement,
                                 const ExplainOptions& options, const CountersOf& counters);

}  // namespace indigo::sql
