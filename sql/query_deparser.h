// Prints one query, and those inside it (deparse_query.h has what is asked of it from outside). The parts of a statement are in
// files of their own: deparse_select.cpp, deparse_from.cpp, deparse_change.cpp, and deparse_call.cpp for calls that need a query.
// Thread safety: none; belongs to one call.
#pragma once

#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "catalog/descriptor/catalog_view.h"
#include "sql/deparse.h"
#include "sql/deparse_query.h"
#include "sql/query.h"

namespace indigo::sql {

class QueryDeparser final : public QueryNodePrinter {
 public:
  QueryDeparser(catalog::CatalogView& catalog, bool pretty) : catalog_(catalog) {
    options_.always_qualify = false;
    options_.pretty = pretty;
    options_.nodes = this;
  }

  std::string text(const Query& query, std::span<const std::string> names, int level, bool show_names) const;

  // The query around has one table, whose columns are bare outside of subqueries.
  std::string expression(const ExprPtr& e, const Query& around) const;

  RuleDeparsed rule(const Query& around) const;
  std::vector<std::string> statements(const Query& around, StatementNames names);

  bool failed() const { return failed_; }

  bool print(const Expr& e, std::string& out) const override;
  std::string record_field(const ExprPtr& row, int field) const override;
  int margin() const override { return level() * kIndent + shift_; }

 private:
  static constexpr int kIndent = 8;  // columns that a subquery stands further right

  std::string line(int level, int column) const {
    return options_.one_line ? " " : deparsed_line(level * kIndent + shift_, column);
  }
  // Before the first word of a query.
  const char* lead() const { return options_.one_line ? "" : " "; }
  // Blanks do not stand before a new line, with which the text of CASE begins.
  static std::string joined(std::string before, const std::string& text);
  std::string value(const ExprPtr& e, bool implicit = false) const;
  std::string fail() const;
  std::string list(const ExprList& list) const;
  int level() const { return levels_.back() + 1; }  // of a query inside the one that is being printed

  // Of a row that stands in the last of `around`, outermost first; empty: not known.
  std::vector<std::string> record_names(const ExprPtr& row, std::vector<const Query*> around) const;

  std::string parameter(const ParamExpr& p) const;
  std::string column(const VarExpr& v) const;
  std::string whole_row(const WholeRowExpr& w) const;
  // Where a list would expand it, a row has its type behind it.
  std::string item(const ExprPtr& e, bool implicit) const;

  // ---- INSERT, UPDATE, DELETE as they are kept: the target is entry 0, nothing is filled in

  std::string change(const Query& q, int level, bool show_names) const;
  std::string target(const Query& q, bool as) const;
  static std::string target_column(const Query& q, int column);
  std::string assigned(const ExprPtr& e) const { return e->kind == ExprKind::kDefault ? "DEFAULT" : item(e, false); }
  struct AssignedPart {
    std::string target;  // column, column[1], column.field
    ExprPtr value;
  };
  // What is assigned to a column, part by part. `old`: the part's value before.
  std::vector<AssignedPart> parts_of(const Query& q, int column, const ExprPtr& e) const;
  void parts_of(const ExprPtr& e, const ExprPtr& old, const std::string& path, std::vector<AssignedPart>& out) const;
  std::string subscripts(const SubscriptExpr& e) const;
  // "(a, b[1]) " of INSERT; the values, where it has no other source, go to `values`. `several`: parts of one column.
  std::string insert_list(const std::vector<AssignedPart>& parts, bool by_source, bool several,
                          std::string& values) const;
  // What a row of VALUES gives to one of INSERT's targets.
  static const ExprPtr& cell(const Entry& rows, size_t row, const ExprPtr& target);
  std::string inserted_rows(const Query& q, const Entry& rows, const std::vector<AssignedPart>& first) const;
  std::string insert(const Query& q, int level) const;
  std::string on_conflict(const Query& q, int level) const;
  std::string set_list(const Query& q, const std::vector<Assignment>& list) const;
  // (a, b) = (SELECT ...): all the parts that `link` gives.
  std::string set_together(const std::vector<AssignedPart>& parts, const ExprPtr& link) const;
  // The sources beside the target.
  std::string sources(const Query& q, const char* word, int level) const;
  static JoinNodePtr without_target(const JoinNodePtr& n);
  std::string update(const Query& q, int level) const;
  std::string deletion(const Query& q, int level) const;
  std::string condition(const Query& q, int level) const;
  std::string merge(const Query& q, int level) const;
  std::string merge_insert(const Query& q, const MergeAction& action, int level) const;

  // The column of a join by names that `e` is, where it is more than one side's column.
  const std::string* merged_name(const Expr& e) const;
  const std::string* merged_name(const Expr& e, const JoinNode& node) const;

  // ---- deparse_names.cpp
  // Entries of one name, of this level or those around it, get a number.
  void name_entries(const Query& query) const;
  bool is_used(const std::string& name) const;
  const std::string& entry_name(const Entry& e) const { return entry_names_[&e]; }
  std::string unused(const std::string& wanted) const;
  void name_joins(const JoinNode& node) const;
  // Of a query with USING: no other column below the join has a name that it merges; none in the whole query, where a merged column
  // can only be named without a table.
  struct MergedNames {
    bool anywhere = false;
    std::set<std::string> all;
    std::map<const Entry*, std::set<std::string>> above;  // by the joins that each entry is below
  };
  void name_columns(const Query& query) const;
  void name_merged(const JoinNode& node, std::set<std::string> above, MergedNames& merged) const;
  // What a column that USING merges is made of: columns of tables, and columns that joins below it merge.
  struct Parts {
    std::vector<const VarExpr*> columns;
    std::set<const Expr*> merged;
  };
  static void collect_parts(const ExprPtr& e, Parts& out);
  // True if the side has one of the parts.
  bool rename_parts(const JoinNode& side, const Parts& parts, const std::string& name) const;
  // By the name that the column had.
  bool rename_column(const JoinNode& side, const std::string& column, const std::string& name) const;
  const std::vector<std::string>& columns_of(const Entry& e) const {
    const auto found = column_names_.find(&e);
    return found != column_names_.end() ? found->second : e.column_names;
  }
  const std::vector<std::string>& using_names(const JoinNode& node) const {
    const auto found = using_names_.find(&node);
    return found != using_names_.end() ? found->second : node.using_columns;
  }
  // The columns that a join has now, in their order.
  struct JoinColumn {
    std::string name;
    int entry, column;   // -1: no entry's
    const Expr* merged;  // null: none
  };
  std::vector<JoinColumn> join_columns(const Query& query, const JoinNode& node) const;
  // Those of a join whose alias names them; what its tables have got since it was written has other names.
  std::vector<JoinColumn> shown_columns(const Query& query, const JoinNode& node) const;
  // How a join with an alias shows `e`, an expression of `query`, from where the printer is; null join: under no alias.
  struct ShownBy {
    const JoinNode* join = nullptr;
    const std::string* column = nullptr;  // null: not at all
  };
  ShownBy shown_by(const Query& query, const Expr& e) const;
  const JoinNode* alias_over(const JoinNode& node, int entry) const;
  std::string function_name(Oid oid) const;

  // Columns alone stand bare; constants by their value would be positions.
  std::string sort_value(const ExprPtr& e) const;
  std::string sort_keys(const std::vector<SortKey>& keys, const Query* by_position) const;

  std::string aggregate(const AggregateExpr& a) const;

  std::string bound(const FrameBound& b) const;
  std::string window_text(const Window& w) const;
  std::string window_call(const WindowCallExpr& w) const;

  std::string sublink(const SubLinkExpr& s) const;

  static std::string name_list(const std::vector<std::string>& names);

  // The columns that SEARCH or CYCLE goes by.
  static std::string columns_by_number(const CommonTable& table, const std::vector<int>& columns);

  static bool is_bool(const ExprPtr& e, bool value);

  std::string search_and_cycle(const CommonTable& table) const;

  std::string with_clause(const Query& query, int level) const;

  // The columns of an operation have the names of its first operand.
  std::string set_operation(const Query& query, const SetNode& node, std::span<const std::string> names, int level,
                            bool show_names) const;

  static const ExprPtr& without_implicit_casts(const ExprPtr& e);

  std::string select(const Query& query, std::span<const std::string> names, int level, bool show_names) const;

  // Empty: it has none.
  std::string column_name(const Entry& entry, int column) const;

  // The name that a target has without AS.
  std::string own_name(const Query& query, const Expr& e, bool show_names) const;

  // Columns that a grouped primary key determines stand at the end of group_by; the statement does not have them.
  std::string group_clause(const Query& query, int level) const;
  static const Entry* bare_values(const Query& query);
  std::string value_rows(const Entry& e) const;

  // What commas separate in FROM.
  std::string from_list(const Query& query, const JoinNode& node, int level) const;
  std::string from_item(const Query& query, const JoinNode& node, int level) const;
  std::string join_text(const Query& query, const JoinNode& node, int level) const;

  std::string entry_text(const Entry& e, int level) const;
  std::string relation_name(const catalog::RelationInfo& relation) const;
  // A function in FROM as it was called, and the columns that a list defined for a record.
  struct Called {
    ExprPtr call;
    bool defined = false;
    std::vector<std::string> names;
    std::vector<TypeRef> types;
  };
  static Called called(catalog::CatalogView& catalog, const Entry& e, const Entry::Function& f, size_t first);
  std::string functions(const Entry& e) const;
  std::string definitions(const Called& call) const;
  std::string sampled(const Entry::Sample& sample) const;

  std::string row_lock(const Query& query, const RowLock& lock, int level) const;

  catalog::CatalogView& catalog_;
  DeparseOptions options_;
  StatementNames names_;
  mutable std::vector<const Query*> queries_;              // outermost first
  mutable std::vector<int> levels_;                        // how far right each of them stands
  mutable std::vector<std::set<std::string>> used_names_;  // of each of them
  mutable std::map<const Entry*, std::string> entry_names_;
  mutable std::map<const Entry*, std::vector<std::string>> column_names_;    // where they are not the entry's own
  mutable std::map<const JoinNode*, std::vector<std::string>> using_names_;  // where they are not using_columns
  mutable std::map<const JoinNode*, std::string> join_names_;                // of those with an alias
  mutable std::set<const JoinNode*> inside_;                                 // those of them that are being printed
  mutable const Query* bare_ = nullptr;
  mutable const Query* leaf_ = nullptr;  // of a set operation, about to be printed
  mutable bool failed_ = false;
};

}  // namespace indigo::sql
