// Expressions of a plan as SQL text: columns get the names of the tables' columns that they come from, values that an outer
// node passes in the text of what is passed, subqueries their number.
//
// Columns that a node below has computed stand in parentheses, as in PostgreSQL: Sort Key: (count(*)).
// Thread safety: belongs to one EXPLAIN.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "catalog/descriptor/catalog_view.h"
#include "sql/deparse.h"
#include "sql/plan.h"

namespace indigo::sql {

struct ColumnText {
  std::string text;
  const Plan* owner = nullptr;  // the node that computes it; null: a table's column
};
using ColumnTexts = std::vector<ColumnText>;

class PlanText final : public QueryNodePrinter {
 public:
  PlanText(catalog::CatalogView& catalog, const PlannedStatement& statement, bool verbose);

  const ColumnTexts& outputs(const Plan& plan);
  // An expression of `plan` over its inputs' columns. Notes the subqueries in it for subplans_of(plan).
  std::string text(const Plan& plan, const Expr& e);
  // The same over given columns.
  std::string text_over(const Plan& plan, const Expr& e, const ColumnTexts* left, const ColumnTexts* right);
  // Of a table, function, VALUES list or CTE.
  static bool is_scan(const Plan& plan);
  // A scan's expressions are over its own columns, which stand without the relation's name unless `verbose`.
  std::string scan_text(const Plan& scan, const Expr& e);
  // Output column as a node above refers to it.
  static std::string reference(const ColumnText& c) { return c.owner != nullptr ? "(" + c.text + ")" : c.text; }
  // Subqueries (indexes into PlannedStatement::subplans) whose expressions were printed for the node.
  const std::set<int>& subplans_of(const Plan& plan) { return subplans_[&plan]; }

  // The name by which the plan's text calls a scan, or the target of INSERT: made unique by _1, _2 ...
  const std::string& alias(const Plan& plan) { return aliases_[&plan]; }
  std::string column(const Plan& scan, const std::string& name) { return column(scan, name, qualify_); }
  // The same in the scan's own conditions.
  std::string own_column(const Plan& scan, const std::string& name) { return column(scan, name, verbose_); }
  // Columns of the relation that a change is made to, by its alias.
  ColumnTexts target_columns(const Plan& change, const ChangePlan& p);

  std::string operator_name(Oid op) const;
  // " DESC", " NULLS FIRST" and so on, where they are not the default.
  std::string sort_direction(const SortKey& key) const;
  // What a sort key orders, where sort_direction() says by which operator.
  const Expr& ordered(const SortKey& key) const {
    const Expr* by_class = ordered_by_class(catalog_, key);
    return by_class != nullptr ? *by_class : *key.expr;
  }
  std::string subplan_name(int subplan) const;
  // The text of the value in a runtime slot; $n when an initplan computes it.
  std::string slot(int slot) const;

  bool print(const Expr& e, std::string& out) const override;
  // An expression that had no text: what was printed is not whole.
  const std::optional<Error>& error() const { return error_; }

 private:
  std::string column(const Plan& scan, const std::string& name, bool qualify);
  ColumnTexts scan_columns(const Plan& scan, bool qualify);
  void name_relations(const Plan& plan);
  void name(const Plan& plan, const std::string& wanted);
  ColumnTexts compute(const Plan& plan);
  ColumnTexts project(const Plan& plan, const ExprList& list, const ColumnTexts* left, const ColumnTexts* right);
  std::string expression(const Expr& e, bool implicit = false) const;
  std::string lost(const char* what, Oid number) const;
  std::string list(const ExprList& all) const;
  std::string keys(const std::vector<SortKey>& all) const;

  catalog::CatalogView& catalog_;
  DeparseOptions options_;
  std::map<const Plan*, ColumnTexts> outputs_;
  std::map<const Plan*, std::string> aliases_;
  std::vector<const Plan*> alternatives_;  // what nested loops may hash instead
  std::map<std::string, int> names_;
  mutable std::map<const Plan*, std::set<int>> subplans_;
  mutable std::map<int, std::string> slots_;
  mutable std::optional<Error> error_;
  // While an expression is printed.
  const Plan* plan_ = nullptr;
  const ColumnTexts* frame_[2] = {nullptr, nullptr};
  const bool verbose_;
  bool qualify_ = false;
};

}  // namespace indigo::sql
