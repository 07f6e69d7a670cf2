// Expressions back to SQL text, as PostgreSQL's ruleutils.c prints them (pg_get_expr).
// Thread safety: reads one session's catalog view.
#pragma once

#include <optional>
#include <string>

#include "base/error.h"
#include "catalog/descriptor/catalog_view.h"
#include "sql/expr.h"

namespace indigo::sql {

// Prints what only a query can name: its columns, aggregates, window calls, subqueries (sql/deparse_query.h).
class QueryNodePrinter {
 public:
  virtual ~QueryNodePrinter() = default;
  // False: not one of these.
  virtual bool print(const Expr& e, std::string& out) const = 0;
  // Whether a column's text is a name, which needs no parentheses before a subscript: a domain's VALUE is none.
  virtual bool names_columns() const { return true; }
  // The name of a field of a row without a type of its own; empty: not known.
  virtual std::string record_field([[maybe_unused]] const ExprPtr& row, [[maybe_unused]] int field) const { return {}; }
  // Where a line inside an expression begins, in columns; CASE moves those inside it.
  virtual int margin() const { return shift_; }
  void shift_margin(int columns) const { shift_ += columns; }

 protected:
  mutable int shift_ = 0;  // what the CASEs around add
};

// A new line `columns` to the right. Far to the right it begins further left again, as in PostgreSQL.
std::string deparsed_line(int columns, int more = 0);

struct DeparseOptions {
  const catalog::RelationInfo* relation = nullptr;  // entry 0's columns; null: none
  // Names outside pg_catalog are qualified always (text to store), or only when search_path does not find them.
  bool always_qualify = true;
  bool pretty = false;  // fewer parentheses
  bool one_line = false;
  const QueryNodePrinter* nodes = nullptr;
};

// show_implicit: implicit conversions too, as arguments of functions show them.
// XX000 for what has no text: a node of plans, an operator or function that is gone.
Result<std::string> deparse(catalog::CatalogView& catalog, const Expr& expr, const DeparseOptions& options,
                            bool show_implicit = false);

// Whether its text is a call, or one of SQL's own constructs that are: such a key of an index needs no parentheses.
bool looks_like_function(const Expr& expr);

// Name of a type; `always_qualify` as in the options.
std::string deparse_type(catalog::CatalogView& catalog, const TypeRef& type, bool always_qualify);

// An operator's name, as OPERATOR(schema.name) where it alone would mean another; none when there is no such operator.
std::optional<std::string> deparse_operator(catalog::CatalogView& catalog, Oid op, bool always_qualify);
// Whether a sort key goes by another class than the default one of its type: what is ordered, without the COLLATE that stands for
// the class's order; null: it goes by the default one.
const Expr* ordered_by_class(catalog::CatalogView& catalog, const SortKey& key);
// Whether a COLLATE stands for the order of an operator class (CatalogView::ordering_class), which USING says.
bool is_class_order(catalog::CatalogView& catalog, const Expr& e);
std::string deparse_collation(catalog::CatalogView& catalog, Oid collation, bool always_qualify);

// Text of a literal of that type: 5, '-5'::integer, 'abc'::text, NULL::date.
std::string deparse_const(catalog::CatalogView& catalog, const ConstExpr& e, bool always_qualify);

}  // namespace indigo::sql
