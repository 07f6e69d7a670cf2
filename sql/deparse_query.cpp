#include "sql/deparse_query.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "base/sqlstate.h"
#include "catalog/tables/system_columns.h"
#include "sql/analyze/type/signature_text.h"
#include "sql/deparse.h"
#include "sql/functional_dependency.h"
#include "sql/query_walk.h"

namespace indigo::sql {
namespace {

constexpr int kIndent = 8;  // columns that a subquery stands further right

class QueryDeparser final : public QueryNodePrinter {
 public:
  QueryDeparser(catalog::CatalogView& catalog, bool pretty) : catalog_(catalog) {
    options_.always_qualify = false;
    options_.pretty = pretty;
    options_.nodes = this;
  }

  std::string text(const Query& query, std::span<const std::string> names, int level, bool show_names) const {
    queries_.push_back(&query);
    levels_.push_back(level);
    name_entries(query);
    std::string out = with_clause(query, level);
    if (query.command != CommandKind::kSelect) {
      out += change(query, level);
    } else if (query.set_operation != nullptr) {
      out += set_operation(query, *query.set_operation, names, level, show_names);
    } else {
      out += select(query, names, level, show_names);
    }
    if (!query.order_by.empty())
      out +=
          line(level, 2) + "ORDER BY " + sort_keys(query.order_by, query.set_operation != nullptr ? &query : nullptr);
    if (query.offset != nullptr) out += line(level, 1) + "OFFSET " + value(query.offset);
    if (query.limit != nullptr) {
      out += query.with_ties ? line(level, 1) + "FETCH FIRST (" + value(query.limit) + ") ROWS WITH TIES"
                             : line(level, 1) + "LIMIT " + value(query.limit);
    }
    for (const RowLock& lock : query.row_locks) out += row_lock(query, lock, level);
    queries_.pop_back();
    levels_.pop_back();
    used_names_.pop_back();
    return out;
  }

  // The query around has one table, whose columns are bare outside of subqueries.
  std::string expression(const ExprPtr& e, const Query& around) const {
    queries_.push_back(&around);
    levels_.push_back(-1);
    name_entries(around);
    bare_ = &around;
    return value(e);
  }

  RuleDeparsed rule(const Query& around) const {
    RuleDeparsed out;
    queries_.push_back(&around);
    levels_.push_back(-1);
    name_entries(around);
    if (around.where != nullptr) out.condition = value(around.where);
    for (const CommonTable& action : around.ctes) out.actions.push_back(text(*action.query, {}, 0, true));
    return out;
  }

  bool failed() const { return failed_; }

  bool print(const Expr& e, std::string& out) const override {
    if (const std::string* name = merged_name(e)) {
      out += types::quote_identifier(*name);
      return true;
    }
    switch (e.kind) {
      case ExprKind::kVar: out += column(as<VarExpr>(e)); return true;
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

 private:
  static std::string line(int level, int column) {
    return "\n" + std::string(static_cast<size_t>(level * kIndent + column), ' ');
  }
  std::string value(const ExprPtr& e, bool implicit = false) const {
    auto text = deparse(catalog_, *e, options_, implicit);
    if (!text.ok()) return fail();
    return *std::move(text);
  }
  std::string fail() const {
    failed_ = true;
    return {};
  }
  std::string list(const ExprList& list) const {
    std::string out;
    for (const ExprPtr& e : list) out += (out.empty() ? "" : ", ") + value(e, true);
    return out;
  }
  int level() const { return levels_.back() + 1; }  // of a query inside the one that is being printed

  std::string column(const VarExpr& v) const {
    if (static_cast<size_t>(v.levels_up) >= queries_.size()) return fail();
    const Query& query = *queries_[queries_.size() - 1 - static_cast<size_t>(v.levels_up)];
    const Entry& entry = query.entries[static_cast<size_t>(v.entry)];
    const std::string name = column_name(entry, v.column);
    if (name.empty()) return fail();
    if (&query == bare_ && v.levels_up == 0) return types::quote_identifier(name);
    return types::quote_identifier(entry_name(entry)) + "." + types::quote_identifier(name);
  }
  std::string whole_row(const WholeRowExpr& w) const {
    if (static_cast<size_t>(w.levels_up) >= queries_.size()) return failed_ = true, "?";
    const Query& query = *queries_[queries_.size() - 1 - static_cast<size_t>(w.levels_up)];
    return types::quote_identifier(entry_name(query.entries[static_cast<size_t>(w.entry)])) + ".*";
  }
  // Where a list would expand it, a row has its type behind it.
  std::string item(const ExprPtr& e, bool implicit) const {
    const std::string text = value(e, implicit);
    if (e->kind != ExprKind::kWholeRow || e->type.oid == oid::kRecord) return text;
    return text + "::" + format_type(catalog_, e->type.oid);
  }

  // ---- INSERT, UPDATE, DELETE as they are kept: the target is entry 0, nothing is filled in

  std::string change(const Query& q, int level) const {
    if (q.command == CommandKind::kMerge || q.target != 0 || q.instead_event != 0) return failed_ = true, "?";
    std::string out = q.command == CommandKind::kInsert   ? insert(q, level)
                      : q.command == CommandKind::kUpdate ? update(q, level)
                                                          : deletion(q, level);
    for (size_t i = 0; i < q.returning.size(); i++) {
      const TargetEntry& t = q.returning[i];
      out += i == 0 ? line(level, 2) + "RETURNING " : "," + line(level, 4);
      out += item(t.expr, true);
      if (own_name(q, *t.expr, true) != t.name) out += " AS " + types::quote_identifier(t.name);
    }
    return out;
  }
  std::string target(const Query& q, bool as) const {
    const Entry& e = q.entries[0];
    const auto found = catalog_.find_relation("", e.relation->name);
    std::string out = e.only && q.command != CommandKind::kInsert ? "ONLY " : "";
    if (found == nullptr || found->oid != e.relation->oid)
      out += types::quote_identifier(e.relation->schema_name) + ".";
    out += types::quote_identifier(e.relation->name);
    if (entry_name(e) != e.relation->name) out += (as ? " AS " : " ") + types::quote_identifier(entry_name(e));
    return out;
  }
  static std::string target_column(const Query& q, int column) {
    return types::quote_identifier(q.entries[0].relation->columns[static_cast<size_t>(column)].name);
  }
  // A part of a column (SET a[1] = ...) is kept as the column's whole value.
  std::string assigned(const ExprPtr& e) const { return e->kind == ExprKind::kDefault ? "DEFAULT" : item(e, true); }
  std::string insert(const Query& q, int level) const {
    std::string out = " INSERT INTO " + target(q, true) + " ", values;
    const Entry* source = q.from == nullptr ? nullptr : &q.entries[static_cast<size_t>(q.from->entry)];
    for (size_t i = 0; i < q.targets.size(); i++) {
      out += (i == 0 ? "(" : ", ") + target_column(q, q.insert_columns[i]);
      if (source == nullptr) values += (i == 0 ? "" : ", ") + assigned(q.targets[i].expr);
    }
    if (!q.targets.empty()) out += ") ";
    if (q.targets.empty()) {
      out += "DEFAULT VALUES";
    } else if (source == nullptr) {
      out.pop_back();
      out += line(level, 2) + "VALUES (" + values + ")";
    } else if (source->kind == EntryKind::kValues) {
      out += "VALUES " + value_rows(*source);
    } else {
      out += text(*source->subquery, {}, level + 1, false);
    }
    if (q.on_conflict) out += on_conflict(q, level);
    return out;
  }
  std::string on_conflict(const Query& q, int level) const {
    const OnConflict& c = *q.on_conflict;
    std::string out = " ON CONFLICT";
    for (const catalog::IndexInfo& index : q.entries[0].relation->indexes) {
      if (c.arbiters.empty() || index.oid != c.arbiters[0]) continue;
      std::string columns;
      for (const catalog::IndexColumn& k : index.columns) {
        if (k.column == 0) return failed_ = true, "?";
        columns += (columns.empty() ? "" : ", ") + target_column(q, k.column - 1);
      }
      if (!index.predicate.empty()) return failed_ = true, "?";
      out += "(" + columns + ")";
    }
    if (!c.update) return out + " DO NOTHING";
    out += " DO UPDATE SET " + set_list(q, c.assignments);
    if (c.where != nullptr) out += line(level, 2) + "WHERE " + value(c.where);
    return out;
  }
  std::string set_list(const Query& q, const std::vector<Assignment>& list) const {
    std::string out;
    for (const Assignment& a : list) {
      out += (out.empty() ? "" : ", ") + target_column(q, a.column) + " = " + assigned(a.value);
    }
    return out;
  }
  // The sources beside the target.
  std::string sources(const Query& q, const char* word, int level) const {
    const JoinNodePtr rest = without_target(q.from);
    return rest == nullptr ? "" : line(level, 3) + word + from_list(q, *rest, level);
  }
  static JoinNodePtr without_target(const JoinNodePtr& n) {
    if (n->leaf) return n->entry == 0 ? nullptr : n;
    const JoinNodePtr left = without_target(n->left);
    if (left == n->left) return n;
    if (left == nullptr) return n->right;
    auto copy = std::make_shared<JoinNode>(*n);
    copy->left = left;
    return copy;
  }
  std::string update(const Query& q, int level) const {
    return " UPDATE " + target(q, false) + " SET " + set_list(q, q.assignments) + sources(q, "FROM ", level) +
           condition(q, level);
  }
  std::string deletion(const Query& q, int level) const {
    return " DELETE FROM " + target(q, false) + sources(q, "USING ", level) + condition(q, level);
  }
  std::string condition(const Query& q, int level) const {
    return q.where == nullptr ? "" : line(level, 2) + "WHERE " + value(q.where);
  }

  // The column of a join by names that `e` is, where it is more than one side's column.
  const std::string* merged_name(const Expr& e) const {
    if (e.kind == ExprKind::kVar || queries_.back()->from == nullptr) return nullptr;
    return merged_name(e, *queries_.back()->from);
  }
  static const std::string* merged_name(const Expr& e, const JoinNode& node) {
    if (node.leaf) return nullptr;
    for (size_t i = 0; i < node.merged.size(); i++) {
      if (node.merged[i].get() == &e) return &node.using_columns[i];
    }
    const std::string* found = merged_name(e, *node.left);
    return found != nullptr ? found : merged_name(e, *node.right);
  }
  // Entries of one name, of this level or those around it, get a number.
  void name_entries(const Query& query) const {
    used_names_.emplace_back();
    for (const Entry& e : query.entries) {
      const std::string wanted = !e.alias.empty() ? e.alias : e.relation != nullptr ? e.relation->name : "unnamed";
      std::string name = wanted;
      for (int i = 1; is_used(name); i++) name = wanted + "_" + std::to_string(i);
      used_names_.back().insert(name);
      entry_names_[&e] = std::move(name);
    }
  }
  bool is_used(const std::string& name) const {
    return std::any_of(used_names_.begin(), used_names_.end(),
                       [&](const std::set<std::string>& names) { return names.contains(name); });
  }
  const std::string& entry_name(const Entry& e) const { return entry_names_[&e]; }
  std::string function_name(Oid oid) const {
    const auto f = catalog_.function(oid);
    if (f == nullptr) return fail();
    const auto visible = catalog_.functions_named("", f->name);
    const bool found = std::any_of(visible.begin(), visible.end(), [&](const auto& g) { return g->oid == oid; });
    return (found ? "" : types::quote_identifier(catalog_.schema_name(f->schema)) + ".") +
           types::quote_identifier(f->name);
  }

  // Columns alone stand bare; constants by their value would be positions.
  std::string sort_value(const ExprPtr& e) const {
    if (e->kind == ExprKind::kVar) return value(e);
    const bool call = e->kind == ExprKind::kAggregate || e->kind == ExprKind::kWindowCall ||
                      (e->kind == ExprKind::kCall && as<CallExpr>(*e).form == CallExpr::Form::kFunction);
    const std::string text = value(e);
    return options_.pretty || call ? "(" + text + ")" : text;
  }
  std::string sort_keys(const std::vector<SortKey>& keys, const Query* by_position) const {
    std::string out;
    for (const SortKey& key : keys) {
      if (!out.empty()) out += ", ";
      size_t position = 0;
      if (by_position != nullptr || key.expr->kind == ExprKind::kConst) {
        const Query& query = *queries_.back();
        for (size_t i = 0; i < query.targets.size() && position == 0; i++)
          if (!query.targets[i].hidden && equal(*query.targets[i].expr, *key.expr)) position = i + 1;
      }
      out += position > 0 ? std::to_string(position) : sort_value(key.expr);
      if (key.descending) {
        out += key.nulls_first ? " DESC" : " DESC NULLS LAST";
      } else if (key.nulls_first) {
        out += " NULLS FIRST";
      }
    }
    return out;
  }

  std::string aggregate(const AggregateExpr& a) const {
    std::string out = function_name(a.function) + "(";
    if (a.kind_of != 'n') {
      out += list(a.direct) + ") WITHIN GROUP (ORDER BY " + sort_keys(a.order, nullptr) + ")";
    } else {
      if (a.distinct) out += "DISTINCT ";
      out += a.star ? "*" : list(a.arguments);
      // DISTINCT sorts by all arguments: only an order of its own shows.
      if (!a.order.empty() && !a.distinct) out += " ORDER BY " + sort_keys(a.order, nullptr);
      out += ")";
    }
    if (a.filter != nullptr) out += " FILTER (WHERE " + value(a.filter) + ")";
    return out;
  }

  std::string bound(const FrameBound& b) const {
    switch (b.kind) {
      case FrameBound::Kind::kUnboundedPreceding: return "UNBOUNDED PRECEDING";
      case FrameBound::Kind::kPreceding: return value(b.offset) + " PRECEDING";
      case FrameBound::Kind::kCurrentRow: return "CURRENT ROW";
      case FrameBound::Kind::kFollowing: return value(b.offset) + " FOLLOWING";
      case FrameBound::Kind::kUnboundedFollowing: return "UNBOUNDED FOLLOWING";
    }
    return {};
  }
  std::string window_text(const Window& w) const {
    std::string out;
    const auto add = [&](const std::string& part) { out += (out.empty() ? "" : " ") + part; };
    if (!w.partition.empty()) {
      std::string keys;
      for (const ExprPtr& e : w.partition) keys += (keys.empty() ? "" : ", ") + sort_value(e);
      add("PARTITION BY " + keys);
    }
    if (!w.order.empty()) add("ORDER BY " + sort_keys(w.order, nullptr));
    const bool usual = w.mode == Window::Mode::kRange && w.start.kind == FrameBound::Kind::kUnboundedPreceding &&
                       w.end.kind == FrameBound::Kind::kCurrentRow && w.exclude == Window::Exclude::kNoOthers;
    if (usual) return out;
    static constexpr const char* kModes[] = {"RANGE", "ROWS", "GROUPS"};
    static constexpr const char* kExcludes[] = {"", " EXCLUDE CURRENT ROW", " EXCLUDE GROUP", " EXCLUDE TIES"};
    add(std::string(kModes[static_cast<int>(w.mode)]) + " BETWEEN " + bound(w.start) + " AND " + bound(w.end) +
        kExcludes[static_cast<int>(w.exclude)]);
    return out;
  }
  std::string window_call(const WindowCallExpr& w) const {
    std::string out = function_name(w.function) + "(" + (w.star ? "*" : list(w.arguments)) + ")";
    if (w.filter != nullptr) out += " FILTER (WHERE " + value(w.filter) + ")";
    const Window& window = queries_.back()->windows[static_cast<size_t>(w.window)];
    return out + " OVER " +
           (window.name.empty() ? "(" + window_text(window) + ")" : types::quote_identifier(window.name));
  }

  std::string sublink(const SubLinkExpr& s) const {
    std::string query = "(" + text(*s.query, {}, level(), s.form != SubLinkExpr::Form::kExists) + ")";
    switch (s.form) {
      case SubLinkExpr::Form::kExists: return "(EXISTS " + query + ")";
      case SubLinkExpr::Form::kScalar: return query;
      case SubLinkExpr::Form::kArray: return "ARRAY" + query;
      case SubLinkExpr::Form::kAny:
      case SubLinkExpr::Form::kAll: {
        const auto* test = s.test == nullptr ? nullptr : try_as<CallExpr>(s.test);
        const auto* op = test == nullptr ? nullptr : catalog_.operator_by_oid(test->op);
        if (op == nullptr || test->arguments.size() != 2) break;
        const bool any = s.form == SubLinkExpr::Form::kAny;
        return "(" + value(test->arguments[0], true) +
               (any && op->name == "=" ? " IN " : " " + op->name + (any ? " ANY " : " ALL ")) + query + ")";
      }
      default: break;
    }
    return fail();
  }

  static std::string name_list(const std::vector<std::string>& names) {
    std::string out;
    for (const std::string& name : names) out += (out.empty() ? "" : ", ") + types::quote_identifier(name);
    return out;
  }

  // The columns that SEARCH or CYCLE goes by.
  static std::string columns_by_number(const CommonTable& table, const std::vector<int>& columns) {
    std::vector<std::string> all = table.column_aliases, names;
    int number = 0;
    for (const TargetEntry& t : table.query->targets) {
      if (!t.hidden && number++ >= static_cast<int>(table.column_aliases.size())) all.push_back(t.name);
    }
    for (const int c : columns) names.push_back(all[static_cast<size_t>(c)]);
    return name_list(names);
  }

  static bool is_bool(const ExprPtr& e, bool value) {
    const auto* c = try_as<ConstExpr>(e);
    return c != nullptr && e->type.oid == oid::kBool && !c->value.get().null && c->value.get().b == value;
  }

  std::string search_and_cycle(const CommonTable& table) const {
    std::string out;
    if (table.search) {
      out += std::string(" SEARCH ") + (table.search->breadth ? "BREADTH" : "DEPTH") + " FIRST BY " +
             columns_by_number(table, table.search->columns) + " SET " +
             types::quote_identifier(table.search->sequence);
    }
    if (!table.cycle) return out;
    const CteCycle& cycle = *table.cycle;
    out += " CYCLE " + columns_by_number(table, cycle.columns) + " SET " + types::quote_identifier(cycle.mark);
    if (!is_bool(cycle.value, true) || !is_bool(cycle.other, false)) {
      out += " TO " + value(cycle.value) + " DEFAULT " + value(cycle.other);
    }
    return out + " USING " + types::quote_identifier(cycle.path);
  }

  std::string with_clause(const Query& query, int level) const {
    std::string out;
    const bool recursive =
        std::any_of(query.ctes.begin(), query.ctes.end(), [](const CommonTable& t) { return t.recursive; });
    for (const CommonTable& table : query.ctes) {
      out += out.empty() ? (recursive ? " WITH RECURSIVE " : " WITH ") : ", ";
      out += types::quote_identifier(table.name);
      if (!table.column_aliases.empty()) out += "(" + name_list(table.column_aliases) + ")";
      out += " AS ";
      if (table.materialize == CommonTable::Materialize::kAlways) out += "MATERIALIZED ";
      if (table.materialize == CommonTable::Materialize::kNever) out += "NOT MATERIALIZED ";
      out += "(" + line(level + 1, 0) + text(*table.query, {}, level + 1, true) + line(level + 1, 0) + ")";
      out += search_and_cycle(table);
    }
    return out.empty() ? out : out + line(level, 0);
  }

  // The columns of an operation have the names of its first operand.
  std::string set_operation(const Query& query, const SetNode& node, std::span<const std::string> names, int level,
                            bool show_names) const {
    if (node.entry >= 0) {
      return text(*query.entries[static_cast<size_t>(node.entry)].subquery, names, level, show_names);
    }
    const auto same = [&](const SetNode& child) { return child.op == node.op && child.all == node.all; };
    std::string out;
    if (node.left->entry < 0 && !same(*node.left)) {
      out = " (" + line(level + 1, 0) + set_operation(query, *node.left, names, level + 1, show_names) + "\n)";
    } else {
      out = set_operation(query, *node.left, names, level, show_names);
    }
    static constexpr const char* kNames[] = {"UNION", "INTERSECT", "EXCEPT"};
    out += line(level, 0) + kNames[static_cast<int>(node.op)] + (node.all ? " ALL" : "");
    if (node.right->entry < 0)
      return out + " (" + line(level + 1, 0) + set_operation(query, *node.right, names, level + 1, false) + "\n)";
    return out + line(level, 0) + set_operation(query, *node.right, names, level, false);
  }

  std::string select(const Query& query, std::span<const std::string> names, int level, bool show_names) const {
    if (const Entry* values = bare_values(query)) return " VALUES " + value_rows(*values);
    std::string out = " SELECT";
    if (!query.distinct_on.empty()) {
      std::string keys;
      for (const ExprPtr& e : query.distinct_on) keys += (keys.empty() ? "" : ", ") + sort_value(e);
      out += " DISTINCT ON (" + keys + ")";
    } else if (query.distinct) {
      out += " DISTINCT";
    }
    size_t shown = 0;
    for (const TargetEntry& t : query.targets) {
      if (t.hidden) continue;
      out += shown == 0 ? " " : "," + line(level, 4);
      const std::string& name = shown < names.size() ? names[shown] : t.name;
      shown++;
      out += item(t.expr, true);
      if (own_name(query, *t.expr, show_names) != name) out += " AS " + types::quote_identifier(name);
    }
    if (query.from != nullptr) out += line(level, 3) + "FROM " + from_list(query, *query.from, level);
    if (query.where != nullptr) out += line(level, 2) + "WHERE " + value(query.where);
    out += group_clause(query, level);
    if (query.having != nullptr) out += line(level, 1) + "HAVING " + value(query.having);
    std::string windows;
    for (const Window& w : query.windows)
      if (!w.name.empty())
        windows += (windows.empty() ? line(level, 2) + "WINDOW " : ", ") + types::quote_identifier(w.name) + " AS (" +
                   window_text(w) + ")";
    return out + windows;
  }

  // Empty: it has none.
  static std::string column_name(const Entry& entry, int column) {
    if (column >= 0) {
      return static_cast<size_t>(column) < entry.column_names.size() ? entry.column_names[static_cast<size_t>(column)]
                                                                     : std::string();
    }
    const auto* system = catalog::find_system_column(column);
    return system != nullptr ? std::string(system->name) : std::string();
  }

  // The name that a target has without AS.
  std::string own_name(const Query& query, const Expr& e, bool show_names) const {
    if (const std::string* name = merged_name(e)) return *name;
    if (e.kind == ExprKind::kVar) {
      const auto& v = as<VarExpr>(e);
      if (v.levels_up == 0) return column_name(query.entries[static_cast<size_t>(v.entry)], v.column);
      if (static_cast<size_t>(v.levels_up) < queries_.size()) {
        const Query& around = *queries_[queries_.size() - 1 - static_cast<size_t>(v.levels_up)];
        return column_name(around.entries[static_cast<size_t>(v.entry)], v.column);
      }
    }
    return show_names ? "" : "?column?";
  }

  // Columns that a grouped primary key determines stand at the end of group_by; the statement does not have them.
  std::string group_clause(const Query& query, int level) const {
    const auto index_text = [&](const std::vector<int>& columns) {
      std::string keys;
      for (const int c : columns)
        keys += (keys.empty() ? "" : ", ") + sort_value(query.group_by[static_cast<size_t>(c)]);
      return keys;
    };
    if (!query.grouping_sets.empty()) {
      std::string sets;
      for (const GroupingSet& set : query.grouping_sets)
        sets += (sets.empty() ? "(" : ", (") + index_text(set.columns) + ")";
      return line(level, 2) + "GROUP BY GROUPING SETS (" + sets + ")";
    }
    std::vector<int> written;
    for (size_t i = 0; i < query.group_by.size(); i++)
      if (determining_relation(query, i) == nullptr) written.push_back(static_cast<int>(i));
    return written.empty() ? "" : line(level, 2) + "GROUP BY " + index_text(written);
  }
  static const Entry* bare_values(const Query& query) {
    if (query.from == nullptr || !query.from->leaf || query.where != nullptr) return nullptr;
    const Entry& e = query.entries[static_cast<size_t>(query.from->entry)];
    return e.kind == EntryKind::kValues && e.alias == "*VALUES*" ? &e : nullptr;
  }
  std::string value_rows(const Entry& e) const {
    std::string out;
    for (const ExprList& row : e.values) {
      out += out.empty() ? "(" : ", (";
      for (size_t i = 0; i < row.size(); i++) out += (i == 0 ? "" : ",") + value(row[i]);
      out += ")";
    }
    return out;
  }

  // Joins without a condition at the top are what commas in FROM become.
  std::string from_list(const Query& query, const JoinNode& node, int level) const {
    if (!node.leaf && node.type == JoinType::kInner && node.condition == nullptr)
      return from_list(query, *node.left, level) + "," + line(level, 4) + from_item(query, *node.right, level);
    return from_item(query, node, level);
  }
  std::string from_item(const Query& query, const JoinNode& node, int level) const {
    if (node.leaf) return entry_text(query.entries[static_cast<size_t>(node.entry)], level);
    static constexpr const char* kJoins[] = {"JOIN ", "LEFT JOIN ", "RIGHT JOIN ", "FULL JOIN "};
    if (static_cast<size_t>(node.type) >= std::size(kJoins)) return fail();
    std::string out = from_item(query, *node.left, level) + line(level, 5);
    const bool cross = node.condition == nullptr && node.type == JoinType::kInner;
    out += cross ? "CROSS JOIN " : kJoins[static_cast<int>(node.type)];
    const std::string right = from_item(query, *node.right, level);
    out += options_.pretty && !node.right->leaf ? "(" + right + ")" : right;
    if (!node.using_columns.empty()) {
      out += " USING (" + name_list(node.using_columns) + ")";
      if (!node.using_alias.empty()) out += " AS " + types::quote_identifier(node.using_alias);
    } else if (!cross) {
      const std::string condition = node.condition == nullptr ? "true" : value(node.condition);
      out += options_.pretty ? " ON " + condition : " ON (" + condition + ")";
    }
    return options_.pretty ? out : "(" + out + ")";
  }

  std::string entry_text(const Entry& e, int level) const {
    std::string out = e.lateral && e.kind != EntryKind::kTable ? "LATERAL " : "";
    std::vector<std::string> own;  // the column names without an alias list
    bool aliased = true, always_columns = false;
    switch (e.kind) {
      case EntryKind::kSubquery:
        if (e.relation == nullptr) {
          out += "(" + text(*e.subquery, {}, level + 1, true) + ")";
          for (const TargetEntry& t : e.subquery->targets)
            if (!t.hidden) own.push_back(t.name);
          break;
        }
        [[fallthrough]];
      case EntryKind::kTable: {
        if (e.only) out += "ONLY ";
        const auto found = catalog_.find_relation("", e.relation->name);
        if (found == nullptr || found->oid != e.relation->oid)
          out += types::quote_identifier(e.relation->schema_name) + ".";
        out += types::quote_identifier(e.relation->name);
        aliased = entry_name(e) != e.relation->name;
        for (const auto& c : e.relation->columns) own.push_back(c.dropped ? std::string() : c.name);
        if (e.sample) failed_ = true;
        break;
      }
      case EntryKind::kFunction: {
        if (e.functions.size() != 1) failed_ = true;
        if (!e.functions.empty()) out += value(e.functions[0].call);
        if (e.with_ordinality) out += " WITH ORDINALITY";
        always_columns = true;
        break;
      }
      case EntryKind::kValues:
        out += "( VALUES " + value_rows(e) + ")";
        always_columns = true;
        break;
      case EntryKind::kCte: {
        const auto up = static_cast<size_t>(e.cte_levels_up);
        if (up >= queries_.size() || e.cte < 0) return fail();
        const CommonTable& table = queries_[queries_.size() - 1 - up]->ctes[static_cast<size_t>(e.cte)];
        out += types::quote_identifier(table.name);
        aliased = entry_name(e) != table.name;
        own = e.column_names;
        break;
      }
      default: failed_ = true; break;
    }
    const bool columns_too =
        always_columns || !std::equal(own.begin(), own.end(), e.column_names.begin(), e.column_names.end());
    if (aliased || columns_too) out += " " + types::quote_identifier(entry_name(e));
    if (!columns_too) return out;
    std::string columns;
    for (const std::string& name : e.column_names)
      if (!name.empty()) columns += (columns.empty() ? "" : ", ") + types::quote_identifier(name);
    return out + "(" + columns + ")";
  }

  std::string row_lock(const Query& query, const RowLock& lock, int level) const {
    static constexpr const char* kModes[] = {"KEY SHARE", "SHARE", "NO KEY UPDATE", "UPDATE"};
    std::string out = line(level, 1) + "FOR " + kModes[static_cast<int>(lock.mode)] + " OF " +
                      types::quote_identifier(entry_name(query.entries[static_cast<size_t>(lock.entry)]));
    if (lock.wait == storage::LockWait::kNoWait) out += " NOWAIT";
    if (lock.wait == storage::LockWait::kSkip) out += " SKIP LOCKED";
    return out;
  }

  catalog::CatalogView& catalog_;
  DeparseOptions options_;
  mutable std::vector<const Query*> queries_;              // outermost first
  mutable std::vector<int> levels_;                        // how far right each of them stands
  mutable std::vector<std::set<std::string>> used_names_;  // of each of them
  mutable std::map<const Entry*, std::string> entry_names_;
  mutable const Query* bare_ = nullptr;
  mutable bool failed_ = false;
};

}  // namespace

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
