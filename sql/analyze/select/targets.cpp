#include "sql/analyze/select/targets.h"

#include "catalog/catalog.h"
#include "sql/analyze/expression/expressions.h"
#include "sql/analyze/from/names.h"
#include "sql/analyze/make.h"
#include "sql/analyze/type/signature_text.h"
#include "sql/parse/node.h"
#include "types/oids.h"

namespace indigo::sql {
namespace {

struct NamedExpr {
  std::string name;
  ExprPtr expr;
};

void add_item_columns(const NamespaceItem& item, int levels_up, std::vector<NamedExpr>& out) {
  for (const NamespaceColumn& column : item.columns) {
    if (!column.name.empty() && column.in_star) out.push_back({column.name, raise_levels(column.expr, levels_up)});
  }
}

// SELECT *
Result<std::vector<NamedExpr>> all_columns(Scope& scope, int location) {
  std::vector<NamedExpr> out;
  bool found = false;
  for (const NamespaceItem& item : scope.names) {
    if (!item.columns_visible || item.lateral_only) continue;
    found = true;
    add_item_columns(item, 0, out);
  }
  if (!found) return scope.error(sqlstate::kSyntaxError, "SELECT * with no tables specified is not valid", location);
  return out;
}

// t.*
Result<std::vector<NamedExpr>> table_columns(Scope& scope, const PgQuery__ColumnRef& ref) {
  const NodeList fields = nodes(ref.n_fields, ref.fields);
  std::vector<NamedExpr> out;
  if (fields.size() > 4) {
    return scope.error(sqlstate::kSyntaxError,
                       "improper qualified name (too many dotted names): " + name_list_text(fields), ref.location);
  }
  const std::string_view table = string_of(fields[fields.size() - 2]);
  const std::string_view schema = fields.size() >= 3 ? string_of(fields[fields.size() - 3]) : std::string_view();
  if (fields.size() == 4 && string_of(fields[0]) != scope.catalog().database_name()) {
    return scope.error(sqlstate::kFeatureNotSupported,
                       "cross-database references are not implemented: " + name_list_text(fields), ref.location);
  }
  int levels_up = 0;
  INDIGO_ASSIGN(const NamespaceItem* item, find_table(scope, schema, table, ref.location, &levels_up));
  if (!item) return missing_table(scope, schema, table, ref.location);
  add_item_columns(*item, levels_up, out);
  return out;
}

Result<std::vector<NamedExpr>> columns_of_row(Scope& scope, const ExprPtr& row) {
  RowShape shape;
  if (!row_shape(scope, row, shape)) {
    if (row->type.oid == oid::kRecord) {
      return scope.error(sqlstate::kFeatureNotSupported, "record type has not been registered", expr_location(row));
    }
    return Error(sqlstate::kWrongObjectType,
                 "type " + format_type(scope.catalog(), row->type.oid) + " is not composite");
  }
  std::vector<NamedExpr> out;
  for (size_t i = 0; i < shape.names.size(); i++) {
    if (i < shape.dropped.size() && shape.dropped[i]) continue;
    out.push_back({shape.names[i], field_at(row, static_cast<int>(i), shape.types[i], expr_location(row))});
  }
  return out;
}

// (row).*
Result<std::vector<NamedExpr>> row_columns(Scope& scope, const PgQuery__AIndirection& node) {
  ExprPtr row;
  if (node.n_indirection == 1) {
    INDIGO_ASSIGN(row, transform(scope, node.arg));
  } else {
    PgQuery__AIndirection prefix = node;
    prefix.n_indirection--;
    PgQuery__Node wrapper = PG_QUERY__NODE__INIT;
    wrapper.node_case = PG_QUERY__NODE__NODE_A_INDIRECTION;
    wrapper.a_indirection = &prefix;
    INDIGO_ASSIGN(row, transform(scope, &wrapper));
  }
  return columns_of_row(scope, row);
}

// variable.* of a program, unless a table has the name.
Result<bool> variable_columns(Scope& scope, const PgQuery__ColumnRef& ref, std::vector<NamedExpr>& out) {
  const NodeList fields = nodes(ref.n_fields, ref.fields);
  if (scope.a.variables == nullptr || fields.size() > 3) return false;
  int levels_up = 0;
  INDIGO_ASSIGN(const NamespaceItem* item, find_table(scope, fields.size() == 3 ? string_of(fields[0]) : "",
                                                      string_of(fields[fields.size() - 2]), ref.location, &levels_up));
  if (item != nullptr && scope.a.variables->conflict() != VariableScope::Conflict::kVariable) return false;
  std::vector<std::string_view> name;
  for (const PgQuery__Node* field : fields.first(fields.size() - 1)) name.push_back(string_of(field));
  VariableScope::Fields found;
  INDIGO_ASSIGN(const bool known, scope.a.variables->fields(name, ref.location, found));
  if (!known) {  // an argument that is a row
    INDIGO_ASSIGN(const VariableScope::Found variable, scope.a.variables->find(name, ref.location));
    if (variable.value == nullptr || variable.parts != name.size()) return false;
    INDIGO_ASSIGN(out, columns_of_row(scope, variable.value));
    return true;
  }
  for (auto& [field, value] : found) out.push_back({std::move(field), std::move(value)});
  return true;
}

bool is_star(NodeList parts) { return !parts.empty() && is(parts.back(), PG_QUERY__NODE__NODE_A_STAR); }

// True when `node` is a star, which `out` then holds expanded.
Result<bool> expand_star(Scope& scope, const PgQuery__Node* node, std::vector<NamedExpr>& out) {
  if (is(node, PG_QUERY__NODE__NODE_COLUMN_REF)) {
    const NodeList fields = nodes(node->column_ref->n_fields, node->column_ref->fields);
    if (!is_star(fields)) return false;
    if (fields.size() == 1) {
      INDIGO_ASSIGN(out, all_columns(scope, node->column_ref->location));
      return true;
    }
    INDIGO_ASSIGN(const bool variable, variable_columns(scope, *node->column_ref, out));
    if (variable) return true;
    INDIGO_ASSIGN(out, table_columns(scope, *node->column_ref));
    return true;
  }
  if (is(node, PG_QUERY__NODE__NODE_A_INDIRECTION) &&
      is_star(nodes(node->a_indirection->n_indirection, node->a_indirection->indirection))) {
    INDIGO_ASSIGN(out, row_columns(scope, *node->a_indirection));
    return true;
  }
  return false;
}

// The suggestion and its strength: 0 none, 1 weak (a cast's type, CASE), 2 firm.
int suggested_name(const PgQuery__Node* node, std::string& name) {
  if (absent(node)) return 0;
  const auto last_string = [](NodeList parts) {
    std::string_view last;
    for (const PgQuery__Node* p : parts) {
      if (is(p, PG_QUERY__NODE__NODE_STRING)) last = string_of(p);
    }
    return std::string(last);
  };
  const auto firm = [&](std::string value) {
    name = std::move(value);
    return 2;
  };
  switch (node->node_case) {
    case PG_QUERY__NODE__NODE_COLUMN_REF: {
      std::string last = last_string(nodes(node->column_ref->n_fields, node->column_ref->fields));
      return last.empty() ? 0 : firm(std::move(last));
    }
    case PG_QUERY__NODE__NODE_A_INDIRECTION: {
      std::string last = last_string(nodes(node->a_indirection->n_indirection, node->a_indirection->indirection));
      return last.empty() ? suggested_name(node->a_indirection->arg, name) : firm(std::move(last));
    }
    case PG_QUERY__NODE__NODE_FUNC_CALL:
      return firm(last_string(nodes(node->func_call->n_funcname, node->func_call->funcname)));
    case PG_QUERY__NODE__NODE_A_EXPR:
      return node->a_expr->kind == PG_QUERY__A__EXPR__KIND__AEXPR_NULLIF ? firm("nullif") : 0;
    case PG_QUERY__NODE__NODE_TYPE_CAST: {
      const int strength = suggested_name(node->type_cast->arg, name);
      if (strength > 1) return strength;
      name = last_string(nodes(node->type_cast->type_name->n_names, node->type_cast->type_name->names));
      return 1;
    }
    case PG_QUERY__NODE__NODE_COLLATE_CLAUSE: return suggested_name(node->collate_clause->arg, name);
    case PG_QUERY__NODE__NODE_GROUPING_FUNC: return firm("grouping");
    case PG_QUERY__NODE__NODE_SUB_LINK: {
      const PgQuery__SubLink& s = *node->sub_link;
      if (s.sub_link_type == PG_QUERY__SUB_LINK_TYPE__EXISTS_SUBLINK) return firm("exists");
      if (s.sub_link_type == PG_QUERY__SUB_LINK_TYPE__ARRAY_SUBLINK) return firm("array");
      if (s.sub_link_type != PG_QUERY__SUB_LINK_TYPE__EXPR_SUBLINK ||
          !is(s.subselect, PG_QUERY__NODE__NODE_SELECT_STMT))
        return 0;
      const PgQuery__SelectStmt* select = s.subselect->select_stmt;
      while (select->larg) select = select->larg;
      if (select->n_values_lists > 0) return firm("column1");
      if (select->n_target_list == 0) return 0;
      return firm(output_name(select->target_list[0]));
    }
    case PG_QUERY__NODE__NODE_CASE_EXPR: {
      const int strength = suggested_name(node->case_expr->defresult, name);
      if (strength > 1) return strength;
      name = "case";
      return 1;
    }
    case PG_QUERY__NODE__NODE_A_ARRAY_EXPR: return firm("array");
    case PG_QUERY__NODE__NODE_ROW_EXPR: return firm("row");
    case PG_QUERY__NODE__NODE_COALESCE_EXPR: return firm("coalesce");
    case PG_QUERY__NODE__NODE_MIN_MAX_EXPR:
      return firm(node->min_max_expr->op == PG_QUERY__MIN_MAX_OP__IS_GREATEST ? "greatest" : "least");
    case PG_QUERY__NODE__NODE_XML_SERIALIZE: return firm("xmlserialize");
    case PG_QUERY__NODE__NODE_XML_EXPR: {
      static constexpr const char* kNames[] = {"",         "xmlconcat", "xmlelement", "xmlforest",
                                               "xmlparse", "xmlpi",     "xmlroot"};
      const auto op = static_cast<size_t>(node->xml_expr->op);
      return op > 0 && op < std::size(kNames) ? firm(kNames[op]) : 0;
    }
    case PG_QUERY__NODE__NODE_SQLVALUE_FUNCTION: {
      static constexpr const char* kNames[] = {
          "",          "current_date", "current_time",    "current_time",   "current_timestamp", "current_timestamp",
          "localtime", "localtime",    "localtimestamp",  "localtimestamp", "current_role",      "current_user",
          "user",      "session_user", "current_catalog", "current_schema"};
      const auto op = static_cast<size_t>(node->sqlvalue_function->op);
      return op < std::size(kNames) ? firm(kNames[op]) : 0;
    }
    default: return 0;
  }
}

// The subquery whose column gives the expression its name.
const PgQuery__SubLink* naming_subquery(const PgQuery__Node* node) {
  if (absent(node)) return nullptr;
  switch (node->node_case) {
    case PG_QUERY__NODE__NODE_SUB_LINK:
      return node->sub_link->sub_link_type == PG_QUERY__SUB_LINK_TYPE__EXPR_SUBLINK ? node->sub_link : nullptr;
    case PG_QUERY__NODE__NODE_TYPE_CAST: return naming_subquery(node->type_cast->arg);
    case PG_QUERY__NODE__NODE_COLLATE_CLAUSE: return naming_subquery(node->collate_clause->arg);
    case PG_QUERY__NODE__NODE_CASE_EXPR: return naming_subquery(node->case_expr->defresult);
    case PG_QUERY__NODE__NODE_A_INDIRECTION: {
      const NodeList parts = nodes(node->a_indirection->n_indirection, node->a_indirection->indirection);
      const bool named = std::any_of(parts.begin(), parts.end(),
                                     [](const PgQuery__Node* p) { return is(p, PG_QUERY__NODE__NODE_STRING); });
      return named ? nullptr : naming_subquery(node->a_indirection->arg);
    }
    default: return nullptr;
  }
}

const SubLinkExpr* scalar_subquery_at(const ExprPtr& e, int location) {
  if (!e) return nullptr;
  const auto* link = try_as<SubLinkExpr>(e);
  if (link != nullptr && link->form == SubLinkExpr::Form::kScalar && link->location == location) return link;
  const SubLinkExpr* found = nullptr;
  for_each_child(*e, [&](const ExprPtr& child) {
    if (found == nullptr) found = scalar_subquery_at(child, location);
  });
  return found;
}

}  // namespace

std::string output_name(const PgQuery__Node* node) {
  if (is(node, PG_QUERY__NODE__NODE_RES_TARGET)) {
    if (has_text(node->res_target->name)) return node->res_target->name;
    return output_name(node->res_target->val);
  }
  std::string name;
  return suggested_name(node, name) > 0 ? name : "?column?";
}

void set_origin(const Scope& scope, TargetEntry& target) {
  const auto* v = try_as<VarExpr>(target.expr);
  if (v == nullptr) return;
  const Entry* entry = entry_of(scope, v->entry, v->levels_up);
  if (entry == nullptr || v->column < 0) return;
  if (entry->relation) {
    target.origin_table = entry->relation->oid;
    target.origin_column = static_cast<int16_t>(v->column + 1);
  } else if (entry->kind == EntryKind::kSubquery) {
    int visible = 0;
    for (const TargetEntry& t : entry->subquery->targets) {
      if (t.hidden || visible++ != v->column) continue;
      target.origin_table = t.origin_table;
      target.origin_column = t.origin_column;
      return;
    }
  }
}

Error too_many_targets(Scope& scope) {
  return scope.error(sqlstate::kTooManyColumns, "target lists can have at most 1664 entries");
}

Status transform_targets(Scope& scope, NodeList list, std::vector<TargetEntry>& out) {
  out.reserve(out.size() + list.size());
  const auto add = [&](std::string name, ExprPtr e) {
    TargetEntry& target = out.emplace_back();
    target.name = std::move(name);
    target.expr = std::move(e);
    set_origin(scope, target);
  };
  for (const PgQuery__Node* n : list) {
    const PgQuery__ResTarget& item = *n->res_target;
    std::vector<NamedExpr> star;
    INDIGO_ASSIGN(const bool expanded, expand_star(scope, item.val, star));
    for (NamedExpr& named : star) add(std::move(named.name), std::move(named.expr));
    if (expanded) continue;
    INDIGO_ASSIGN(ExprPtr e, transform(scope, item.val));
    std::string name = output_name(n);
    // What a star stands for in a subquery is known only now.
    if (const PgQuery__SubLink* s = has_text(item.name) ? nullptr : naming_subquery(item.val)) {
      if (const SubLinkExpr* link = scalar_subquery_at(e, s->location)) name = link->query->targets.front().name;
    }
    add(std::move(name), std::move(e));
  }
  if (out.size() > kMaxTargets) return too_many_targets(scope);
  return {};
}

Result<ExprList> expand_list(Scope& scope, NodeList list) {
  ExprList out;
  for (const PgQuery__Node* n : list) {
    std::vector<NamedExpr> star;
    INDIGO_ASSIGN(const bool expanded, expand_star(scope, n, star));
    if (expanded) {
      for (NamedExpr& named : star) out.push_back(std::move(named.expr));
    } else {
      INDIGO_ASSIGN(ExprPtr e, transform(scope, n));
      out.push_back(std::move(e));
    }
  }
  return out;
}

Status resolve_unknown_targets(Analysis& a, std::vector<TargetEntry>& targets) {
  for (TargetEntry& t : targets) {
    INDIGO_ASSIGN(t.expr, unknown_to_text(a, t.expr));
  }
  return {};
}

int visible_count(const std::vector<TargetEntry>& targets) {
  int count = 0;
  for (const TargetEntry& t : targets) count += !t.hidden;
  return count;
}

}  // namespace indigo::sql
