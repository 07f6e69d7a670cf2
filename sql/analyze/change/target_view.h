// Views as targets of INSERT, UPDATE and DELETE: a view over one table (or over such a view) without grouping, DISTINCT, LIMIT
// and the like is changed by changing its table. The statement's entry 0 is then that table; the view's columns are names
// for expressions over it.
// Thread safety: part of one analysis.
#pragma once

#include <memory>

#include "sql/analyze/scope.h"

namespace indigo::sql {

struct TargetView {
  std::shared_ptr<const RelationInfo> view;
  std::shared_ptr<const RelationInfo> table;
  std::vector<NamespaceColumn> columns;     // over entry 0
  ExprPtr condition;                        // of the rows that the view shows; null: all
  std::shared_ptr<const TargetView> below;  // null: it reads the table itself
  struct Check {
    std::string view;
    ExprPtr condition;
  };
  std::vector<Check>
      checks;  // WITH CHECK OPTION: what new rows must meet, of this view and those below; inner ones first

  // The table's column behind a column of the view; -1: it is computed.
  int table_column(size_t column) const;
};

// 55000 with PostgreSQL's reason when the view cannot be changed so. `verb`: "INSERT", "UPDATE" or "DELETE".
Result<std::shared_ptr<const TargetView>> target_view(Scope& scope, std::shared_ptr<const RelationInfo> view,
                                                      std::string_view verb);

// Why PostgreSQL would not change the table of such a view; null: it would. `columns`: some column must take values.
const char* view_obstacle(const Query& q, bool columns);

}  // namespace indigo::sql
