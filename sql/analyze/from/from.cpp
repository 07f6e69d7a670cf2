#include "sql/analyze/from/from.h"

#include "catalog/catalog.h"
#include "catalog/descriptor/session_context.h"
#include "sql/analyze/expression/expressions.h"
#include "sql/analyze/from/cte.h"
#include "sql/analyze/make.h"
#include "sql/analyze/select/select.h"
#include "sql/analyze/type/coerce.h"
#include "sql/dropped_columns.h"
#include "sql/parse/node.h"
#include "sql/rule/rule_rows.h"
#include "sql/sample_method.h"
#include "types/oids.h"

namespace indigo::sql {
namespace {

using catalog::RelationKind;

std::string full_name(const PgQuery__RangeVar& v) {
  return (has_text(v.schemaname) ? std::string(v.schemaname) + "." : std::string()) + v.relname;
}

// A transition table of the trigger whose function the statement is part of: rows that a function of the session's gives.
Result<Entry> transition_entry(Scope& scope, const RelationInfo& relation, const PgQuery__RangeVar& v) {
  auto name = std::make_shared<ConstExpr>();
  name->type = {oid::kText, -1, oid::kDefaultCollation};
  name->value = OwnedDatum(Datum::of(Str(v.relname)));
  auto call = std::make_shared<CallExpr>();
  call->function = catalog::kTransitionRows;
  call->type = {relation.row_type, -1, kInvalidOid};
  call->returns_set = true;
  call->volatility = types::Volatility::kVolatile;
  call->arguments.push_back(std::move(name));
  Entry entry;
  entry.kind = EntryKind::kFunction;
  entry.alias = v.relname;
  for (const auto& column : relation.columns) {
    entry.column_names.push_back(column.dropped ? std::string() : column.name);
    entry.column_types.push_back(column.type);
  }
  entry.functions.push_back({std::move(call), static_cast<int>(entry.column_names.size())});
  INDIGO_TRY(apply_alias(scope, entry, v.alias));
  return entry;
}

Result<FromItem> table_item(Scope& scope, const PgQuery__RangeVar& v) {
  if (!has_text(v.schemaname) && !has_text(v.catalogname)) {
    int levels_up = 0;
    INDIGO_ASSIGN(CteName * cte, find_cte(scope, v.relname, &levels_up));
    if (cte) {
      INDIGO_ASSIGN(Entry entry, cte_entry(scope, *cte, levels_up, v));
      FromItem item = leaf_of(scope, std::move(entry));
      // What SEARCH and CYCLE add can be named in the recursive term, but is not part of its *.
      auto& columns = item.names[0].columns;
      for (size_t i = cte->column_types.size(); i < columns.size(); i++) columns[i].in_star = false;
      return item;
    }
  }
  if (!has_text(v.schemaname) && !has_text(v.catalogname)) {
    if (const auto rows_of = scope.a.session.transition_table(v.relname)) {
      INDIGO_ASSIGN(Entry entry, transition_entry(scope, *rows_of, v));
      return leaf_of(scope, std::move(entry));
    }
  }
  INDIGO_ASSIGN(auto relation, open_relation(scope, v));
  INDIGO_ASSIGN(Entry entry, relation_entry(scope, std::move(relation), v.alias));
  entry.only = !v.inh;
  FromItem item = leaf_of(scope, std::move(entry));
  if (v.alias == nullptr) {
    item.names[0].schema = scope.query->entries.back().relation->schema_name;
  }
  return item;
}

Result<FromItem> subselect_item(Scope& scope, const PgQuery__RangeSubselect& s) {
  SubqueryOptions options;
  Setting<Clause> clause(scope.clause, Clause::kFromSubquery);
  Setting<bool> lateral(scope.lateral_active, s.lateral);
  INDIGO_ASSIGN(auto query, analyze_subquery(scope, s.subquery, options));
  const bool of_rule = reads_rule_rows(scope, *query);
  INDIGO_ASSIGN(Entry entry, subquery_entry(scope, std::move(query), s.alias));
  entry.lateral = s.lateral || of_rule;
  return leaf_of(scope, std::move(entry));
}

Result<ExprPtr> sample_argument(Scope& scope, const PgQuery__Node* node, Oid type, const char* construct) {
  Setting<Clause> clause(scope.clause, Clause::kFromFunction);
  Setting<bool> lift(scope.lift, false);
  INDIGO_ASSIGN(const ExprPtr e, transform(scope, node));
  return coerce_to_specific(scope.a, e, type, construct);
}

// The function that a method of TABLESAMPLE is; null: there is none.
std::shared_ptr<const types::FunctionInfo> sample_handler(Scope& scope, NodeList method) {
  const auto name = qualified_name(method);
  if (!name.valid) return nullptr;
  for (const auto& f : scope.catalog().functions_named(name.schema, name.name)) {
    if (f->arguments == std::vector<Oid>{oid::kInternal} && f->result == kSampleHandlerType) return f;
  }
  return nullptr;
}

Result<FromItem> sample_item(Scope& scope, const PgQuery__RangeTableSample& s) {
  INDIGO_ASSIGN(FromItem item, transform_from_item(scope, s.relation));
  Entry& entry = scope.query->entries[item.node->entry];
  if (entry.kind != EntryKind::kTable) {
    return scope.error(sqlstate::kFeatureNotSupported,
                       "TABLESAMPLE clause can only be applied to tables and materialized views",
                       location_of(s.relation));
  }
  const NodeList names = nodes(s.n_method, s.method);
  const auto handler = sample_handler(scope, names);
  if (handler == nullptr) {
    return scope.error(sqlstate::kUndefinedObject, "tablesample method " + name_list_text(names) + " does not exist",
                       s.location);
  }
  const SampleMethod method = sample_method(*handler);
  if (method == SampleMethod::kUnknown) {
    return scope.error(sqlstate::kFeatureNotSupported,
                       "the tablesample method " + name_list_text(names) + " is not supported", s.location);
  }
  Entry::Sample sample;
  sample.method = handler->name;
  if (s.n_args != 1) {
    return scope.error(
        SqlState("2202H"),
        "tablesample method " + name_list_text(names) + " requires 1 argument, not " + std::to_string(s.n_args),
        s.location);
  }
  const bool of_extension = method != SampleMethod::kPercent;
  const Oid argument = method == SampleMethod::kRows ? oid::kInt8 : of_extension ? oid::kFloat8 : oid::kFloat4;
  INDIGO_ASSIGN(sample.percent_expr, sample_argument(scope, s.args[0], argument, "TABLESAMPLE"));
  if (of_extension) {
    if (!absent(s.repeatable)) {
      return scope.error(sqlstate::kFeatureNotSupported,
                         "tablesample method " + name_list_text(names) + " does not support REPEATABLE", s.location);
    }
    auto call = std::make_shared<CallExpr>();
    call->function = handler->oid;
    call->type.oid = handler->result;
    call->strict = true;
    call->volatility = handler->volatility;
    call->arguments.push_back(std::move(sample.percent_expr));
    sample.percent_expr = std::move(call);
  }
  if (!absent(s.repeatable)) {
    INDIGO_ASSIGN(sample.repeatable, sample_argument(scope, s.repeatable, oid::kFloat8, "REPEATABLE"));
  }
  scope.query->entries[item.node->entry].sample = std::move(sample);
  return item;
}

}  // namespace

void set_lateral(std::vector<NamespaceItem>& names, bool lateral_only, bool lateral_ok) {
  for (NamespaceItem& n : names) {
    n.lateral_only = lateral_only;
    n.lateral_ok = lateral_ok;
  }
}
void set_columns_visible(std::vector<NamespaceItem>& names, bool visible) {
  for (NamespaceItem& n : names) n.columns_visible = visible;
}

JoinNodePtr make_leaf(int entry) {
  auto node = std::make_shared<JoinNode>();
  node->entry = entry;
  return node;
}

int add_entry(Scope& scope, Entry entry) {
  scope.query->entries.push_back(std::move(entry));
  return static_cast<int>(scope.query->entries.size() - 1);
}

JoinNodePtr make_cross_join(JoinNodePtr left, JoinNodePtr right) {
  auto join = std::make_shared<JoinNode>();
  join->leaf = false;
  join->left = std::move(left);
  join->right = std::move(right);
  return join;
}

NamespaceItem names_of(const Scope& scope, int number) {
  const Entry& entry = scope.query->entries[number];
  NamespaceItem item;
  item.name = entry.alias;
  item.entry = number;
  if (entry.relation) {
    item.relation = entry.relation->oid;
    item.relation_name = entry.relation->name;
  }
  item.columns.reserve(entry.column_names.size());
  for (size_t i = 0; i < entry.column_names.size(); i++) {
    item.columns.push_back({entry.column_names[i], make_var(number, static_cast<int>(i), entry.column_types[i])});
  }
  return item;
}

FromItem leaf_of(Scope& scope, Entry entry) {
  const int number = add_entry(scope, std::move(entry));
  FromItem item;
  item.node = make_leaf(number);
  item.names.push_back(names_of(scope, number));
  return item;
}

Result<std::shared_ptr<const RelationInfo>> open_relation(Scope& scope, const PgQuery__RangeVar& v) {
  if (has_text(v.catalogname) && scope.catalog().database_name() != v.catalogname) {
    return scope.error(
        sqlstate::kFeatureNotSupported,
        "cross-database references are not implemented: \"" + std::string(v.catalogname) + "." + full_name(v) + "\"",
        v.location);
  }
  INDIGO_TRY(scope.a.check_schema(has_text(v.schemaname) ? v.schemaname : "", v.location));
  auto relation = scope.catalog().find_relation(has_text(v.schemaname) ? v.schemaname : "", v.relname);
  if (!relation) {
    Error error =
        scope.error(sqlstate::kUndefinedTable, "relation \"" + full_name(v) + "\" does not exist", v.location);
    if (!has_text(v.schemaname) && is_future_cte(scope, v.relname)) {
      error.detail = "There is a WITH item named \"" + std::string(v.relname) +
                     "\", but it cannot be referenced from this part of the query.";
      error.hint = "Use WITH RECURSIVE, or re-order the WITH items to remove forward references.";
    }
    return error;
  }
  if (relation->kind == RelationKind::kIndex || relation->kind == RelationKind::kPartitionedIndex) {
    return scope.error(sqlstate::kWrongObjectType, "\"" + relation->name + "\" is an index", v.location);
  }
  if (relation->kind == RelationKind::kComposite) {
    return scope.error(sqlstate::kWrongObjectType, "\"" + relation->name + "\" is a composite type", v.location);
  }
  return relation;
}

Status apply_alias(Scope& scope, Entry& entry, const PgQuery__Alias* alias) {
  if (alias == nullptr) return {};
  if (has_text(alias->aliasname)) {
    entry.alias = alias->aliasname;
    entry.alias_written = true;
  }
  size_t next = 0;
  const NodeList names = nodes(alias->n_colnames, alias->colnames);
  entry.names_columns = !names.empty();
  for (size_t i = 0; i < entry.column_names.size() && next < names.size(); i++) {
    if (!is_dropped(entry, i)) entry.column_names[i] = std::string(string_of(names[next++]));
  }
  if (next < names.size()) {
    return scope.error(sqlstate::kInvalidColumnReference, "table \"" + entry.alias + "\" has " + std::to_string(next) +
                                                              " columns available but " + std::to_string(names.size()) +
                                                              " columns specified");
  }
  return {};
}

Result<Entry> relation_entry(Scope& scope, std::shared_ptr<const RelationInfo> relation, const PgQuery__Alias* alias) {
  Entry entry;
  entry.kind = EntryKind::kTable;
  entry.alias = relation->name;
  entry.relation = std::move(relation);
  entry.used_as = scope.a.rule_owner;
  const RelationInfo& r = *entry.relation;
  entry.column_names.reserve(r.columns.size());
  entry.column_types.reserve(r.columns.size());
  for (const auto& column : r.columns) {
    entry.column_names.push_back(column.dropped ? std::string() : column.name);
    entry.column_types.push_back(column.type);
  }
  if (r.kind == RelationKind::kView) {
    INDIGO_ASSIGN(entry.subquery, view_to_read(scope, r));
    entry.kind = EntryKind::kSubquery;
    entry.security_barrier = r.security_barrier;
  }
  INDIGO_TRY(apply_alias(scope, entry, alias));
  return entry;
}

void columns_of(const Query& query, std::vector<std::string>& names, std::vector<TypeRef>& types) {
  for (const TargetEntry& t : query.command == CommandKind::kSelect ? query.targets : query.returning) {
    if (t.hidden) continue;
    names.push_back(t.name);
    types.push_back(t.expr->type);
  }
}

Result<Entry> subquery_entry(Scope& scope, std::shared_ptr<const Query> query, const PgQuery__Alias* alias) {
  Entry entry;
  entry.kind = EntryKind::kSubquery;
  columns_of(*query, entry.column_names, entry.column_types);
  entry.subquery = std::move(query);
  INDIGO_TRY(apply_alias(scope, entry, alias));
  return entry;
}

Result<FromItem> transform_from_item(Scope& scope, const PgQuery__Node* node) {
  INDIGO_TRY(check_stack_depth());
  switch (node->node_case) {
    case PG_QUERY__NODE__NODE_RANGE_VAR: return table_item(scope, *node->range_var);
    case PG_QUERY__NODE__NODE_RANGE_SUBSELECT: return subselect_item(scope, *node->range_subselect);
    case PG_QUERY__NODE__NODE_RANGE_FUNCTION: {
      INDIGO_ASSIGN(Entry entry, function_entry(scope, *node->range_function));
      return leaf_of(scope, std::move(entry));
    }
    case PG_QUERY__NODE__NODE_RANGE_TABLE_SAMPLE: return sample_item(scope, *node->range_table_sample);
    case PG_QUERY__NODE__NODE_JOIN_EXPR: return transform_join(scope, *node->join_expr);
    case PG_QUERY__NODE__NODE_RANGE_TABLE_FUNC: {
      INDIGO_ASSIGN(Entry entry, xml_table_entry(scope, *node->range_table_func));
      return leaf_of(scope, std::move(entry));
    }
    default:
      return scope.error(sqlstate::kFeatureNotSupported, "this kind of FROM item is not supported", location_of(node));
  }
}

Status transform_from(Scope& scope, NodeList list) {
  for (const PgQuery__Node* n : list) {
    INDIGO_ASSIGN(FromItem item, transform_from_item(scope, n));
    set_lateral(item.names, true, true);
    INDIGO_TRY(add_names(scope, std::move(item.names)));
    if (!scope.query->from) {
      scope.query->from = item.node;
    } else {
      scope.query->from = make_cross_join(scope.query->from, item.node);
    }
  }
  set_lateral(scope.names, false, true);
  return {};
}

}  // namespace indigo::sql
