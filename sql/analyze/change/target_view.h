// Views as targets of INSERT, UPDATE and DELETE: a view over one table (or over such a view) without grouping, DISTINCT, LIMIT
// and the like is changed by changing its table. The statement's entry 0 is then that table; the view's columns are names
// for expressions over it. A view below whose INSTEAD OF triggers take the rows, or whose rules rewrite the change, stands for
// the table.
// Thread safety: part of one analysis.
#pragma once

#include <functional>
#include <memory>

#include "sql/analyze/scope.h"

namespace indigo::sql {

struct TargetView {
  std::shared_ptr<const RelationInfo> view;
  std::shared_ptr<const RelationInfo> table;
  int entry = 0;  // whose rows the columns and the condition are over: 1 for the old rows that INSTEAD OF triggers get
  bool only = false;                        // without the tables that inherit from it
  std::vector<NamespaceColumn> columns;     // over `entry`
  ExprList own;                             // the same columns as the view's text has them, over `source`
  int source = 0;                           // the entry of the view's own query
  ExprPtr condition;                        // of the rows that the view shows; null: all
  std::shared_ptr<const TargetView> below;  // null: it reads the table itself
  struct Check {
    std::string view;
    ExprPtr condition;
  };
  // WITH CHECK OPTION: what new rows must meet, of this view and those below, over entry 0; inner ones first.
  std::vector<Check> checks;

  // The column of what the view reads (view or table) behind one of its own; -1: it is computed.
  int source_column(size_t column) const;
  // The table's column behind a column of the view; -1: it is computed.
  int table_column(size_t column) const;
};

// Whether the way down from a view ends at such a view below it.
using StopsAt = std::function<bool(const RelationInfo& view)>;
// Its INSTEAD OF triggers take the rows of such a change; `verb`: "INSERT", "UPDATE" or "DELETE".
bool triggers_take_rows(const RelationInfo& view, std::string_view verb);

// Who asks: triggers have the old rows in an entry of their own; rules come before triggers, and see the target alone.
enum class RowsOf : uint8_t { kTriggers, kRules };

// 55000 with PostgreSQL's reason when the view cannot be changed so.
Result<std::shared_ptr<const TargetView>> target_view(Scope& scope, std::shared_ptr<const RelationInfo> view,
                                                      std::string_view verb, const StopsAt& stops, RowsOf rows);

// Why PostgreSQL would not change the table of such a view; null: it would. `columns`: some column must take values.
const char* view_obstacle(const Query& q, bool columns);

// The table's column behind one of the view's; 0A000, which names the view that computes it, when there is none.
Result<int> column_behind(const Scope& scope, const TargetView& target, size_t column, CommandKind command);
// The same asked of several, the outermost view's own first.
Status check_columns_behind(const Scope& scope, const TargetView& target, std::vector<size_t> columns,
                            CommandKind command);
// 0A000 when a view on the way down has a default for a column that it computes, which an INSERT would set.
Status check_computed_defaults(const Scope& scope, const TargetView& target);

// Keeps in q.target_views what the change goes through.
void note_target_views(Query& q, const TargetView& target);
// The condition of the view's rows and the statement's own; the latter may see other rows only where that leaks nothing.
ExprPtr restricted(catalog::CatalogView& catalog, const TargetView& target, ExprPtr where);

// The expression with entry `to` in the place of entry `from`, in subqueries, too.
ExprPtr moved(const ExprPtr& e, int from, int to);

// A change of a view as its rules would see it (Analysis::Changes::kSource), as a change of what `through` leads to.
Result<std::shared_ptr<const Query>> change_behind(Scope& scope, const Query& change, const TargetView& through);

}  // namespace indigo::sql
