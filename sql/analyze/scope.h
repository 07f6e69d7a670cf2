// One query level while it is analyzed: what names mean at this point of the text. PostgreSQL's ParseState.
// Thread safety: part of one analysis.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sql/analyze/analysis.h"
#include "sql/parse/tree_names.h"
#include "sql/query.h"

namespace indigo::sql {

// Where in a statement an expression stands: decides what it may contain and how messages name the place.
enum class Clause : uint8_t {
  kOther,
  kSelectTarget,
  kFromFunction,
  kFromSubquery,
  kJoinOn,
  kJoinUsing,
  kWhere,
  kHaving,
  kFilter,
  kGroupBy,
  kOrderBy,
  kDistinctOn,
  kWindowPartition,
  kWindowOrder,
  kFrameRange,
  kFrameRows,
  kFrameGroups,
  kLimit,
  kOffset,
  kInsertTarget,
  kUpdateSource,
  kValues,
  kValuesSingle,
  kReturning,
  kMergeWhen,
  kCheck,
  kDefault,
  kIndexExpression,
  kIndexPredicate,
  kGenerated,
  kAlterUsing,
  kPolicy,
  kCopyWhere,
  kCall,
};
// "WHERE", "GROUP BY" ... as in `aggregate functions are not allowed in WHERE`.
const char* clause_name(Clause clause);

struct NamespaceColumn {
  std::string name;  // empty: dropped, cannot be named
  ExprPtr expr;      // at this level
  bool in_star = true;
};

// A name that FROM brings into view: a table, an alias, a join with its merged columns.
struct NamespaceItem {
  std::string name;           // empty: only its columns can be named (an unnamed join)
  std::string schema;         // for schema.table references; empty when an alias hides the table's name
  std::string relation_name;  // the table's own name behind an alias, for hints
  Oid relation = kInvalidOid;
  int entry = -1;  // -1: a join
  std::vector<NamespaceColumn> columns;
  bool table_visible = true;    // name.column
  bool columns_visible = true;  // column
  bool lateral_only = false;    // visible to LATERAL items only, while FROM is being read
  bool lateral_ok = true;       // false: such a reference is an error (wrong side of an outer join)
};

struct Scope;
struct TargetView;
struct RuleRows;  // sql/rule/rule_rows.h

// A WITH item as seen while analyzing.
struct CteName {
  std::string name;
  int index = -1;  // into Scope::query->ctes; -1: not analyzed yet
  // The recursive term's view of its own result.
  bool recursive_self = false;
  std::vector<std::string> column_names;
  std::vector<TypeRef> column_types;
};

struct Scope {
  Scope(Analysis& analysis, Scope* outer) : a(analysis), parent(outer), query(std::make_shared<Query>()) {}
  Scope(const Scope&) = delete;

  Analysis& a;
  Scope* parent;
  std::shared_ptr<Query> query;
  std::vector<NamespaceItem> names;
  std::vector<CteName> cte_names;
  Clause clause = Clause::kOther;
  bool lateral_active = false;  // references to lateral_only items are allowed now
  bool lift = false;            // literals may become parameters here
  bool resolve_unknown = true;  // output literals of unknown type become text
  bool has_sublinks = false;
  std::vector<const PgQuery__WindowDef*> window_definitions;
  // GROUPING() calls, whose arguments are looked up once GROUP BY is known.
  std::vector<std::pair<std::shared_ptr<GroupingExpr>, ExprList>> groupings;
  // Set while the set operation of a recursive WITH item is analyzed: gets the columns of the non-recursive term.
  CteName* recursive_cte = nullptr;
  // The view that the statement changes (target_view.h); null: entry 0 is the target itself.
  std::shared_ptr<const TargetView> target_view;
  const RuleRows* rule_rows = nullptr;  // OLD and NEW of the rule whose action this is
  ExprPtr domain_value;                 // VALUE in a domain's check
  // Locations of aggregate and window calls found at this level, for messages about misplaced ones.
  int aggregate_location = -1;

  Error error(const SqlState& state, std::string message, int location = -1) const {
    return a.error(state, std::move(message), location);
  }
  catalog::CatalogView& catalog() const { return a.catalog; }
};

// Sets a member for a block of code and puts the old value back.
template <class T>
class Setting {
 public:
  Setting(T& place, T value) : place_(place), old_(place) { place_ = value; }
  ~Setting() { place_ = old_; }
  Setting(const Setting&) = delete;

 private:
  T& place_;
  T old_;
};

}  // namespace indigo::sql
