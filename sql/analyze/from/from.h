// FROM: tables, views, subqueries, functions, VALUES, joins; the names that each brings into view.
// Thread safety: part of one analysis.
#pragma once

#include "sql/analyze/from/names.h"
#include "sql/analyze/scope.h"
#include "sql/parse/tree_names.h"

struct PgQuery__RangeTableFunc;

namespace indigo::sql {

struct FromItem {
  JoinNodePtr node;
  std::vector<NamespaceItem> names;
};

// Reads the list into scope.query->from and scope.names.
Status transform_from(Scope& scope, NodeList list);
Result<FromItem> transform_from_item(Scope& scope, const PgQuery__Node* node);
Result<FromItem> transform_join(Scope& scope, const PgQuery__JoinExpr& join);

// The relation a RangeVar means (no WITH items); 42P01 when there is none.
Result<std::shared_ptr<const RelationInfo>> open_relation(Scope& scope, const PgQuery__RangeVar& name);
// A new entry; the answer is its number.
int add_entry(Scope& scope, Entry entry);
Result<Entry> relation_entry(Scope& scope, std::shared_ptr<const RelationInfo> relation, const PgQuery__Alias* alias);
// Entries for other sources; column names come from the alias where it has them.
Result<Entry> subquery_entry(Scope& scope, std::shared_ptr<const Query> query, const PgQuery__Alias* alias);
Result<Entry> cte_entry(Scope& scope, const CteName& cte, int levels_up, const PgQuery__RangeVar& name);
Result<Entry> function_entry(Scope& scope, const PgQuery__RangeFunction& function);
Result<Entry> xml_table_entry(Scope& scope, const PgQuery__RangeTableFunc& table);
// What tells a function the row's shape that the query gives it.
ExprPtr record_of_nulls(Scope& scope, const std::vector<TypeRef>& types, const std::vector<std::string>& names);

// All columns of an entry under its alias.
NamespaceItem names_of(const Scope& scope, int entry);
FromItem leaf_of(Scope& scope, Entry entry);
JoinNodePtr make_leaf(int entry);
JoinNodePtr make_cross_join(JoinNodePtr left, JoinNodePtr right);

// Renames columns as `alias(a, b, c)` says; `what` names the source in messages.
Status apply_alias(Scope& scope, Entry& entry, const PgQuery__Alias* alias);
// Columns that a subquery shows.
void columns_of(const Query& query, std::vector<std::string>& names, std::vector<TypeRef>& types);

// A view's definition as a query (view.cpp).
Result<std::shared_ptr<const Query>> expand_view(Scope& scope, const RelationInfo& view);
// The same where rows are read: other servers are asked for them over the owner's connections. For tables here, the view that is
// around them tells whose rights count.
Result<std::shared_ptr<const Query>> view_to_read(Scope& scope, const RelationInfo& view);
// Tables of a query, or of subqueries of an expression, are read with an owner's rights, wherever they come to stand; views within
// have rights of their own.
std::shared_ptr<const Query> with_rights_of(const std::shared_ptr<const Query>& q, Oid owner);
ExprPtr with_rights_of(const ExprPtr& e, Oid owner);

void set_lateral(std::vector<NamespaceItem>& names, bool lateral_only, bool lateral_ok);
void set_columns_visible(std::vector<NamespaceItem>& names, bool visible);

}  // namespace indigo::sql
