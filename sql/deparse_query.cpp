#include "sql/deparse_query.h"

#include <algorithm>

#include "base/sqlstate.h"
#include "sql/analyze/type/coerce.h"
#include "sql/query_deparser.h"
#include "sql/statement_kind.h"
#include "types/system/type_name.h"
#include "types/text/strings.h"

namespace indigo::sql {

namespace {

std::string notify_text(const Query& query) {
  const ExprList& arguments = as<CallExpr>(*query.targets[0].expr).arguments;
  const Datum& payload = as<ConstExpr>(*arguments[1]).value.get();
  std::string out = "\n NOTIFY " + types::quote_identifier(as<ConstExpr>(*arguments[0]).value.get().str);
  if (!payload.null) out += ", " + types::standard_literal(payload.str);
  return out;
}

}  // namespace
std::string QueryDeparser::text(const Query& query, std::span<const std::string> names, int level,
                                bool show_names) const {
  queries_.push_back(&query);
  levels_.push_back(level);
  name_entries(query);
  std::string out = with_clause(query, level);
  if (query.command != CommandKind::kSelect) {
    out += change(query, level, show_names);
  } else if (query.set_operation != nullptr) {
    out += set_operation(query, *query.set_operation, names, level, show_names);
  } else {
    out += select(query, names, level, show_names);
  }
  // What ends a set operation does not stand further right in BEGIN ATOMIC.
  const auto end = [&](int column) {
    const int shift = query.set_operation != nullptr && level == 0 && !options_.one_line ? shift_ : 0;
    return line(level, column - shift);
  };
  if (!query.order_by.empty())
    out += joined(end(2) + "ORDER BY ", sort_keys(query.order_by, query.set_operation != nullptr ? &query : nullptr));
  if (query.offset != nullptr) out += end(1) + "OFFSET " + value(query.offset);
  if (query.limit != nullptr) {
    out += query.with_ties ? end(1) + "FETCH FIRST (" + value(query.limit) + ") ROWS WITH TIES"
                           : end(1) + "LIMIT " + value(query.limit);
  }
  for (const RowLock& lock : query.row_locks) out += row_lock(query, lock, level);
  queries_.pop_back();
  levels_.pop_back();
  used_names_.pop_back();
  return out;
}

std::string QueryDeparser::expression(const ExprPtr& e, const Query& around) const {
  queries_.push_back(&around);
  levels_.push_back(-1);
  name_entries(around);
  bare_ = &around;
  return value(e);
}

RuleDeparsed QueryDeparser::rule(const Query& around) const {
  RuleDeparsed out;
  queries_.push_back(&around);
  levels_.push_back(0);
  name_entries(around);
  if (around.where != nullptr) out.condition = value(around.where);
  for (const CommonTable& action : around.ctes) {
    out.actions.push_back(is_notify(*action.query) ? notify_text(*action.query) : text(*action.query, {}, 0, true));
  }
  return out;
}

std::vector<std::string> QueryDeparser::statements(const Query& around, StatementNames names) {
  std::vector<std::string> out;
  names_ = std::move(names);
  options_.one_line = names_.one_line;
  shift_ = names_.known && !names_.one_line ? 1 : 0;  // inside BEGIN ATOMIC
  for (const CommonTable& statement : around.ctes) out.push_back(text(*statement.query, {}, 0, false));
  return out;
}

bool QueryDeparser::print(const Expr& e, std::string& out) const {
  if (e.kind == ExprKind::kCoalesce) {  // what USING of a full join merges
    if (const ShownBy by = shown_by(*queries_.back(), e); by.column != nullptr) {
      out += types::quote_identifier(join_names_[by.join]) + "." + types::quote_identifier(*by.column);
      return true;
    }
  }
  if (const std::string* name = merged_name(e)) {
    out += types::quote_identifier(*name);
    return true;
  }
  switch (e.kind) {
    case ExprKind::kVar: out += column(as<VarExpr>(e)); return true;
    case ExprKind::kParam: out += parameter(as<ParamExpr>(e)); return true;
    case ExprKind::kAggregate: out += aggregate(as<AggregateExpr>(e)); return true;
    case ExprKind::kWindowCall: out += window_call(as<WindowCallExpr>(e)); return true;
    case ExprKind::kSubLink: out += sublink(as<SubLinkExpr>(e)); return true;
    case ExprKind::kGrouping: {
      out += "GROUPING(";
      const char* comma = "";
      for (const int i : as<GroupingExpr>(e).group_columns) {
        out += comma + value(queries_.back()->group_by[static_cast<size_t>(i)]);
        comma = ", ";
      }
      out += ")";
      return true;
    }
    case ExprKind::kDefault: out += "DEFAULT"; return true;
    case ExprKind::kWholeRow: out += whole_row(as<WholeRowExpr>(e)); return true;
    case ExprKind::kSubPlan: failed_ = true; return true;
    default: return false;
  }
}

std::string QueryDeparser::record_field(const ExprPtr& row, int field) const {
  const std::vector<std::string> names = record_names(row, queries_);
  return static_cast<size_t>(field) < names.size() ? names[static_cast<size_t>(field)] : std::string();
}

std::vector<std::string> QueryDeparser::record_names(const ExprPtr& row, std::vector<const Query*> around) const {
  int entry_number = -1, column = -1, up = 0;
  if (const auto* whole = try_as<WholeRowExpr>(row)) {
    entry_number = whole->entry;
    up = whole->levels_up;
  } else if (const auto* v = try_as<VarExpr>(row)) {
    entry_number = v->entry;
    column = v->column;
    up = v->levels_up;
  } else {
    RowShape shape;
    return row_shape(catalog_, row, shape) ? shape.names : std::vector<std::string>();
  }
  if (static_cast<size_t>(up) >= around.size()) return {};
  around.resize(around.size() - static_cast<size_t>(up));
  const Entry& entry = around.back()->entries[static_cast<size_t>(entry_number)];
  if (column < 0) return entry.column_names;
  const Query* rows = entry.subquery.get();
  if (entry.kind == EntryKind::kCte) {
    const auto cte_up = static_cast<size_t>(entry.cte_levels_up);
    if (entry.cte < 0 || cte_up >= around.size()) return {};
    around.resize(around.size() - cte_up);
    rows = around.back()->ctes[static_cast<size_t>(entry.cte)].query.get();
  } else if (entry.kind == EntryKind::kFunction && entry.functions.size() == 1) {
    return record_names(entry.functions[0].call, std::move(around));
  } else if (entry.kind != EntryKind::kSubquery) {
    return {};
  }
  if (rows == nullptr) return {};
  around.push_back(rows);
  int visible = 0;
  for (const TargetEntry& t : rows->targets) {
    if (!t.hidden && visible++ == column) return record_names(t.expr, std::move(around));
  }
  return {};
}

std::string QueryDeparser::joined(std::string before, const std::string& text) {
  while (text.starts_with('\n') && before.ends_with(' ')) before.pop_back();
  return before + text;
}

std::string QueryDeparser::value(const ExprPtr& e, bool implicit) const {
  auto text = deparse(catalog_, *e, options_, implicit);
  if (!text.ok()) return fail();
  return *std::move(text);
}

std::string QueryDeparser::fail() const {
  failed_ = true;
  return {};
}

std::string QueryDeparser::list(const ExprList& list) const {
  std::string out;
  for (const ExprPtr& e : list) out = joined(out.empty() ? "" : out + ", ", value(e, true));
  return out;
}

// Where a query has tables, columns could have the parameter's name.
std::string QueryDeparser::parameter(const ParamExpr& p) const {
  const auto i = static_cast<size_t>(p.index);
  if (!names_.known || i >= names_.parameters.size() || names_.parameters[i].empty())
    return "$" + std::to_string(i + 1);
  const bool tables = std::any_of(queries_.begin(), queries_.end(), [](const Query* q) { return !q->entries.empty(); });
  return (tables ? types::quote_identifier(names_.function) + "." : "") + types::quote_identifier(names_.parameters[i]);
}

std::string QueryDeparser::column(const VarExpr& v) const {
  if (static_cast<size_t>(v.levels_up) >= queries_.size()) return fail();
  const Query& query = *queries_[queries_.size() - 1 - static_cast<size_t>(v.levels_up)];
  const Entry& entry = query.entries[static_cast<size_t>(v.entry)];
  const std::string name = column_name(entry, v.column);
  if (name.empty()) return fail();
  if (&query == bare_ && v.levels_up == 0) return types::quote_identifier(name);
  if (const ShownBy by = shown_by(query, v); by.join != nullptr) {
    if (by.column == nullptr) return fail();
    return types::quote_identifier(join_names_[by.join]) + "." + types::quote_identifier(*by.column);
  }
  return types::quote_identifier(entry_name(entry)) + "." + types::quote_identifier(name);
}

std::string QueryDeparser::whole_row(const WholeRowExpr& w) const {
  if (static_cast<size_t>(w.levels_up) >= queries_.size()) return fail();
  const Query& query = *queries_[queries_.size() - 1 - static_cast<size_t>(w.levels_up)];
  return types::quote_identifier(entry_name(query.entries[static_cast<size_t>(w.entry)])) + ".*";
}

std::string QueryDeparser::item(const ExprPtr& e, bool implicit) const {
  std::string text = value(e, implicit);
  if (e->kind != ExprKind::kWholeRow) return text;
  return text + "::" + format_type(catalog_, e->type.oid);
}

QueryDeparser::ShownBy QueryDeparser::shown_by(const Query& query, const Expr& e) const {
  if (query.from == nullptr) return {};
  const Expr* leftmost = &e;
  if (e.kind == ExprKind::kCoalesce) leftmost = as<CoalesceExpr>(e).arguments.front().get();
  const auto* v = leftmost->kind == ExprKind::kVar ? static_cast<const VarExpr*>(leftmost) : nullptr;
  const JoinNode* join = v == nullptr ? nullptr : alias_over(*query.from, v->entry);
  if (join == nullptr) return {};
  for (const JoinNode::Shown& shown : join->shown) {
    const auto* var = try_as<VarExpr>(shown.value);
    const bool same =
        leftmost == &e ? var != nullptr && var->entry == v->entry && var->column == v->column : shown.value.get() == &e;
    if (same) return {join, &shown.name};
  }
  return {join, nullptr};
}

const JoinNode* QueryDeparser::alias_over(const JoinNode& node, int entry) const {
  const auto holds = [&](const auto& self, const JoinNode& n) -> bool {
    return n.leaf ? n.entry == entry : self(self, *n.left) || self(self, *n.right);
  };
  const JoinNode* n = &node;
  while (!n->leaf) {
    if (!n->alias.empty() && !inside_.contains(n)) return holds(holds, *n) ? n : nullptr;
    n = holds(holds, *n->left) ? n->left.get() : n->right.get();
  }
  return nullptr;
}

const std::string* QueryDeparser::merged_name(const Expr& e) const {
  if (e.kind == ExprKind::kVar || queries_.back()->from == nullptr) return nullptr;
  return merged_name(e, *queries_.back()->from);
}

const std::string* QueryDeparser::merged_name(const Expr& e, const JoinNode& node) const {
  if (node.leaf) return nullptr;
  for (size_t i = 0; i < node.merged.size(); i++) {
    if (node.merged[i].get() == &e) return &using_names(node)[i];
  }
  const std::string* found = merged_name(e, *node.left);
  return found != nullptr ? found : merged_name(e, *node.right);
}

std::string QueryDeparser::function_name(Oid oid) const {
  const auto f = catalog_.function(oid);
  if (f == nullptr) return fail();
  const auto visible = catalog_.functions_named("", f->name);
  const bool found = std::any_of(visible.begin(), visible.end(), [&](const auto& g) { return g->oid == oid; });
  return (found ? "" : types::quote_identifier(catalog_.schema_name(f->schema)) + ".") +
         types::quote_identifier(f->name);
}

Result<std::string> deparse_query(catalog::CatalogView& catalog, const Query& query,
                                  std::span<const std::string> column_names, bool pretty) {
  const QueryDeparser deparser(catalog, pretty);
  std::string text = deparser.text(query, column_names, 0, true);
  if (deparser.failed()) return Error(sqlstate::kFeatureNotSupported, "this query cannot be printed");
  return text;
}

Result<RuleDeparsed> deparse_rule(catalog::CatalogView& catalog, const Query& rule, bool pretty) {
  const QueryDeparser deparser(catalog, pretty);
  RuleDeparsed out = deparser.rule(rule);
  if (deparser.failed()) return Error(sqlstate::kFeatureNotSupported, "this rule cannot be printed");
  return out;
}

Result<std::vector<std::string>> deparse_statements(catalog::CatalogView& catalog, const Query& around,
                                                    StatementNames names) {
  QueryDeparser deparser(catalog, false);
  std::vector<std::string> out = deparser.statements(around, std::move(names));
  if (deparser.failed()) return Error(sqlstate::kFeatureNotSupported, "this statement cannot be printed");
  return out;
}

Result<std::string> deparse_over(catalog::CatalogView& catalog, const ExprPtr& e,
                                 const std::shared_ptr<const RelationInfo>& relation, bool pretty) {
  Query around;
  Entry& entry = around.entries.emplace_back();
  entry.relation = relation;
  entry.alias = relation->name;
  for (const auto& column : relation->columns) {
    entry.column_names.push_back(column.dropped ? std::string() : column.name);
    entry.column_types.push_back(column.type);
  }
  const QueryDeparser deparser(catalog, pretty);
  std::string text = deparser.expression(e, around);
  if (deparser.failed()) return Error(sqlstate::kFeatureNotSupported, "this expression cannot be printed");
  return text;
}

}  // namespace indigo::sql
