// WITH, SELECT and its clauses but FROM.
#include <algorithm>

#include "catalog/tables/system_columns.h"
#include "sql/functional_dependency.h"
#include "sql/query_deparser.h"
#include "types/text/strings.h"

namespace indigo::sql {

std::string QueryDeparser::sort_value(const ExprPtr& e) const {
  const bool merged = merged_name(*e) != nullptr ||
                      (e->kind == ExprKind::kCoalesce && shown_by(*queries_.back(), *e).column != nullptr);
  if (e->kind == ExprKind::kVar || merged) return value(e);
  const bool call = e->kind == ExprKind::kAggregate || e->kind == ExprKind::kWindowCall ||
                    (e->kind == ExprKind::kCall && as<CallExpr>(*e).form != CallExpr::Form::kOperator);
  std::string text = value(e, true);
  if (e->kind == ExprKind::kConst) {  // a bare number would be a position
    const bool bare = text[0] != '\'' && text.find("::") == std::string::npos;
    return bare ? text + "::" + deparse_type(catalog_, e->type, options_.always_qualify) : text;
  }
  return options_.pretty || call ? "(" + text + ")" : text;
}

std::string QueryDeparser::sort_keys(const std::vector<SortKey>& keys, const Query* by_position) const {
  std::string out;
  for (const SortKey& key : keys) {
    if (!out.empty()) out += ", ";
    size_t position = 0;
    const bool by_class = ordered_by_class(catalog_, key) != nullptr;
    const ExprPtr& ordered = by_class ? as<CollateExpr>(*key.expr).argument : key.expr;
    if (by_position != nullptr) {
      const Query& query = *queries_.back();
      for (size_t i = 0; i < query.targets.size() && position == 0; i++)
        if (!query.targets[i].hidden && equal(*query.targets[i].expr, *ordered)) position = i + 1;
    }
    out = joined(std::move(out), position > 0 ? std::to_string(position) : sort_value(ordered));
    if (by_class) {
      out += " USING " + deparse_operator(catalog_, key.less, options_.always_qualify).value_or("") +
             (key.nulls_first ? " NULLS FIRST" : " NULLS LAST");
    } else if (key.descending) {
      out += key.nulls_first ? " DESC" : " DESC NULLS LAST";
    } else if (key.nulls_first) {
      out += " NULLS FIRST";
    }
  }
  return out;
}

std::string QueryDeparser::name_list(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "" : ", ") + types::quote_identifier(name);
  return out;
}

std::string QueryDeparser::columns_by_number(const CommonTable& table, const std::vector<int>& columns) {
  std::vector<std::string> all = table.column_aliases, names;
  int number = 0;
  for (const TargetEntry& t : table.query->targets) {
    if (!t.hidden && number++ >= static_cast<int>(table.column_aliases.size())) all.push_back(t.name);
  }
  for (const int c : columns) names.push_back(all[static_cast<size_t>(c)]);
  return name_list(names);
}

bool QueryDeparser::is_bool(const ExprPtr& e, bool value) {
  const auto* c = try_as<ConstExpr>(e);
  return c != nullptr && e->type.oid == oid::kBool && !c->value.get().null && c->value.get().b == value;
}

std::string QueryDeparser::search_and_cycle(const CommonTable& table) const {
  std::string out;
  if (table.search) {
    out += std::string(" SEARCH ") + (table.search->breadth ? "BREADTH" : "DEPTH") + " FIRST BY " +
           columns_by_number(table, table.search->columns) + " SET " + types::quote_identifier(table.search->sequence);
  }
  if (!table.cycle) return out;
  const CteCycle& cycle = *table.cycle;
  out += " CYCLE " + columns_by_number(table, cycle.columns) + " SET " + types::quote_identifier(cycle.mark);
  if (!is_bool(cycle.value, true) || !is_bool(cycle.other, false)) {
    out += " TO " + value(cycle.value) + " DEFAULT " + value(cycle.other);
  }
  return out + " USING " + types::quote_identifier(cycle.path);
}

std::string QueryDeparser::with_clause(const Query& query, int level) const {
  std::string out;
  const bool recursive =
      std::any_of(query.ctes.begin(), query.ctes.end(), [](const CommonTable& t) { return t.recursive; });
  for (const CommonTable& table : query.ctes) {
    out += out.empty() ? lead() + std::string(recursive ? "WITH RECURSIVE " : "WITH ") : ", ";
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

std::string QueryDeparser::set_operation(const Query& query, const SetNode& node, std::span<const std::string> names,
                                         int level, bool show_names) const {
  if (node.entry >= 0) {
    // As it was before its columns got the operation's types.
    const Query& leaf = *query.entries[static_cast<size_t>(node.entry)].subquery;
    const bool around = leaf.entries.size() == 1 && leaf.entries[0].alias == kConvertedLeaf;
    const Query& arm = around ? *leaf.entries[0].subquery : leaf;
    if (around) queries_.push_back(&leaf);
    leaf_ = &arm;
    const std::string out = text(arm, names, level, show_names);
    if (around) queries_.pop_back();
    const bool ends_itself = !arm.ctes.empty() || !arm.order_by.empty() || !arm.row_locks.empty() ||
                             arm.offset != nullptr || arm.limit != nullptr;
    return ends_itself ? "(" + out + ")" : out;
  }
  const auto same = [&](const SetNode& child) { return child.op == node.op && child.all == node.all; };
  static constexpr const char* kNames[] = {"UNION", "INTERSECT", "EXCEPT"};
  const std::string name = kNames[static_cast<int>(node.op)] + std::string(node.all ? " ALL" : "");
  std::string out;
  if (node.left->entry < 0 && !same(*node.left)) {
    out = "(" + line(level + 1, 0) + set_operation(query, *node.left, names, level + 1, show_names) + line(level, 0) +
          ") " + name;
  } else {
    out = set_operation(query, *node.left, names, level, show_names) + line(level, 0) + name;
  }
  if (node.right->entry >= 0) return out + line(level, 0) + set_operation(query, *node.right, names, level, false);
  return out + " (" + line(level + 1, 0) + set_operation(query, *node.right, names, level + 1, false) + line(level, 0) +
         ")";
}

const ExprPtr& QueryDeparser::without_implicit_casts(const ExprPtr& e) {
  const auto* call = try_as<CallExpr>(e);
  const auto* io = try_as<IoCastExpr>(e);
  const auto* array = try_as<ArrayCastExpr>(e);
  const auto* domain = try_as<DomainCastExpr>(e);
  const auto* relabel = try_as<RelabelExpr>(e);
  const ExprPtr* argument = nullptr;
  if (call != nullptr && call->form == CallExpr::Form::kImplicitCast) argument = call->arguments.data();
  if (io != nullptr && io->implicit) argument = &io->argument;
  if (array != nullptr && array->implicit) argument = &array->argument;
  if (domain != nullptr && domain->implicit) argument = &domain->argument;
  if (relabel != nullptr && relabel->implicit) argument = &relabel->argument;
  return argument != nullptr ? without_implicit_casts(*argument) : e;
}

namespace {

// VALUES without a FROM can only name its columns as it does by itself.
bool own_names(const Entry& values, std::span<const std::string> names) {
  for (size_t i = 0; i < names.size() && i < values.column_names.size(); i++) {
    if (names[i] != values.column_names[i]) return false;
  }
  return true;
}

}  // namespace

std::string QueryDeparser::select(const Query& query, std::span<const std::string> names, int level,
                                  bool show_names) const {
  if (const Entry* values = bare_values(query); values != nullptr && own_names(*values, names))
    return lead() + ("VALUES " + value_rows(*values));
  const bool returns = names_.known && query.targets.size() == 1 && query.targets[0].name.empty();
  std::string out = lead() + std::string(returns ? "RETURN" : "SELECT");
  if (!query.distinct_on.empty()) {
    std::string keys;
    for (const ExprPtr& e : query.distinct_on) keys = joined(keys.empty() ? "" : keys + ", ", sort_value(e));
    out += " DISTINCT ON (" + keys + ")";
  } else if (query.distinct) {
    out += " DISTINCT";
  }
  size_t shown = 0;
  const bool leaf = leaf_ == &query;
  for (const TargetEntry& t : query.targets) {
    if (t.hidden) continue;
    const ExprPtr& written = leaf ? without_implicit_casts(t.expr) : t.expr;
    const std::string text = item(written, true);
    const std::string next = text.starts_with('\n') ? "" : line(level, 4);
    out += shown == 0 && !next.empty() ? " " : (shown == 0 ? "" : ",") + next;
    const std::string& name = shown < names.size() ? names[shown] : t.name;
    shown++;
    out += text;
    if (!name.empty() && own_name(query, *written, show_names) != name) out += " AS " + types::quote_identifier(name);
  }
  if (query.from != nullptr) out += line(level, 3) + "FROM " + from_list(query, *query.from, level);
  if (query.where != nullptr) out += joined(line(level, 2) + "WHERE ", value(query.where));
  out += group_clause(query, level);
  if (query.having != nullptr) out += joined(line(level, 1) + "HAVING ", value(query.having));
  std::string windows;
  for (const Window& w : query.windows)
    if (!w.name.empty())
      windows += (windows.empty() ? line(level, 2) + "WINDOW " : ", ") + types::quote_identifier(w.name) + " AS (" +
                 window_text(w) + ")";
  return out + windows;
}

std::string QueryDeparser::column_name(const Entry& entry, int column) const {
  if (column >= 0) {
    const std::vector<std::string>& names = columns_of(entry);
    return static_cast<size_t>(column) < names.size() ? names[static_cast<size_t>(column)] : std::string();
  }
  const auto* system = catalog::find_system_column(column);
  return system != nullptr ? std::string(system->name) : std::string();
}

std::string QueryDeparser::own_name(const Query& query, const Expr& e, bool show_names) const {
  if (const std::string* name = merged_name(e)) return *name;
  if (e.kind == ExprKind::kVar) {
    const auto& v = as<VarExpr>(e);
    const auto up = static_cast<size_t>(v.levels_up);
    if (up >= queries_.size() && up != 0) return show_names ? "" : "?column?";
    const Query& around = up == 0 ? query : *queries_[queries_.size() - 1 - up];
    if (const ShownBy by = shown_by(around, v); by.column != nullptr) return *by.column;
    return column_name(around.entries[static_cast<size_t>(v.entry)], v.column);
  }
  return show_names ? "" : "?column?";
}

std::string QueryDeparser::group_clause(const Query& query, int level) const {
  const auto index_text = [&](const std::vector<int>& columns) {
    std::string keys;
    for (const int c : columns) {
      keys = joined(keys.empty() ? "" : keys + ", ", sort_value(query.group_by[static_cast<size_t>(c)]));
    }
    return keys;
  };
  const auto item_text = [&](const auto& self, const GroupingItem& item, bool bare) -> std::string {
    using Kind = GroupingItem::Kind;
    if (item.kind == Kind::kEmpty) return "()";
    if (item.kind == Kind::kColumns) {
      const std::string keys = index_text(item.columns);
      return bare && item.columns.size() == 1 ? keys : "(" + keys + ")";
    }
    std::string out = item.kind == Kind::kRollup ? "ROLLUP(" : item.kind == Kind::kCube ? "CUBE(" : "GROUPING SETS (";
    for (size_t i = 0; i < item.items.size(); i++)
      out += (i > 0 ? ", " : "") + self(self, item.items[i], item.kind != Kind::kSets);
    return out + ")";
  };
  const std::string begin = line(level, 2) + "GROUP BY ";
  if (!query.grouping_items.empty()) {
    std::string items;
    for (const GroupingItem& item : query.grouping_items) {
      items = joined(items.empty() ? "" : items + ", ", item_text(item_text, item, true));
    }
    return query.grouping_distinct ? begin + "DISTINCT " + items : joined(begin, items);
  }
  if (!query.grouping_sets.empty()) {  // kept by a version that did not know how they were written
    std::string sets;
    for (const GroupingSet& set : query.grouping_sets)
      sets += (sets.empty() ? "(" : ", (") + index_text(set.columns) + ")";
    return begin + "GROUPING SETS (" + sets + ")";
  }
  std::vector<int> written;
  for (size_t i = 0; i < query.group_by.size(); i++)
    if (query.constraints.empty() || determining_relation(query, i) == nullptr) written.push_back(static_cast<int>(i));
  return written.empty() ? "" : joined(begin, index_text(written));
}

std::string QueryDeparser::row_lock(const Query& query, const RowLock& lock, int level) const {
  static constexpr const char* kModes[] = {"KEY SHARE", "SHARE", "NO KEY UPDATE", "UPDATE"};
  std::string out = line(level, 1) + "FOR " + kModes[static_cast<int>(lock.mode)] + " OF " +
                    types::quote_identifier(entry_name(query.entries[static_cast<size_t>(lock.entry)]));
  if (lock.wait == storage::LockWait::kNoWait) out += " NOWAIT";
  if (lock.wait == storage::LockWait::kSkip) out += " SKIP LOCKED";
  return out;
}
}  // namespace indigo::sql
