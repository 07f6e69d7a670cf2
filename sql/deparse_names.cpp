// Names of tables, joins and columns in what is printed, as PostgreSQL finds them (ruleutils.c).
#include <algorithm>

#include "sql/query_deparser.h"

namespace indigo::sql {

namespace {

bool has_using(const JoinNode& node) {
  return !node.leaf && (!node.using_columns.empty() || has_using(*node.left) || has_using(*node.right));
}

// A column that USING merges to what is no column itself (of a full join, or of two types) has no table to be named with: then no
// other column may have its name.
bool merges_values(const JoinNode& node) {
  if (node.leaf) return false;
  const auto computed = [](const ExprPtr& e) { return e != nullptr && e->kind != ExprKind::kVar; };
  return std::any_of(node.merged.begin(), node.merged.end(), computed) || merges_values(*node.left) ||
         merges_values(*node.right);
}

std::string unlike(const std::string& wanted, const auto& is_taken) {
  std::string name = wanted;
  for (int i = 1; is_taken(name); i++) name = wanted + "_" + std::to_string(i);
  return name;
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

void QueryDeparser::name_entries(const Query& query) const {
  used_names_.emplace_back();
  for (const Entry& e : query.entries) {
    const std::string wanted = !e.alias.empty() ? e.alias : e.relation != nullptr ? e.relation->name : "unnamed";
    entry_names_[&e] = unused(wanted);
  }
  if (query.from == nullptr) return;
  name_joins(*query.from);
  if (has_using(*query.from)) name_columns(query);
}

void QueryDeparser::name_joins(const JoinNode& node) const {
  if (node.leaf) return;
  name_joins(*node.left);
  name_joins(*node.right);
  if (!node.alias.empty()) join_names_[&node] = unused(node.alias);
}

std::string QueryDeparser::unused(const std::string& wanted) const {
  std::string name = wanted;
  for (int i = 1; is_used(name); i++) name = wanted + "_" + std::to_string(i);
  used_names_.back().insert(name);
  return name;
}

bool QueryDeparser::is_used(const std::string& name) const {
  return std::any_of(used_names_.begin(), used_names_.end(),
                     [&](const std::set<std::string>& names) { return names.contains(name); });
}

void QueryDeparser::collect_parts(const ExprPtr& e, Parts& out) {
  if (const auto* v = try_as<VarExpr>(e)) out.columns.push_back(v);
  out.merged.insert(e.get());
  for_each_child(*e, [&](const ExprPtr& child) { collect_parts(child, out); });
}

void QueryDeparser::name_columns(const Query& query) const {
  MergedNames merged;
  merged.anywhere = merges_values(*query.from);
  name_merged(*query.from, {}, merged);
  for (const Entry& e : query.entries) {
    if (query.command != CommandKind::kSelect && &e == query.entries.data())
      continue;  // a target has no list of columns
    std::vector<std::string>& names = column_names_[&e];
    const std::set<std::string>& above = merged.above[&e];
    names.resize(e.column_names.size());
    for (size_t i = 0; i < names.size(); i++) {
      if (!names[i].empty() || e.column_names[i].empty()) continue;
      names[i] = unlike(e.column_names[i], [&](const std::string& name) {
        return above.contains(name) || (merged.anywhere && merged.all.contains(name)) || contains(names, name);
      });
    }
  }
}

void QueryDeparser::name_merged(const JoinNode& node, std::set<std::string> above, MergedNames& merged) const {
  if (node.leaf) {
    merged.above[&queries_.back()->entries[static_cast<size_t>(node.entry)]] = std::move(above);
    return;
  }
  std::vector<std::string>& names = using_names_[&node];
  names.resize(node.using_columns.size());  // those that are merged again above have their names
  for (size_t i = 0; i < names.size(); i++) {
    if (names[i].empty()) {
      names[i] = unlike(node.using_columns[i], [&](const std::string& name) {
        return above.contains(name) || (merged.anywhere && merged.all.contains(name));
      });
    }
    const std::string name = names[i];
    merged.all.insert(name);
    above.insert(name);
    Parts parts;
    collect_parts(node.merged[i], parts);
    for (const JoinNode* side : {node.left.get(), node.right.get()}) {
      if (!rename_parts(*side, parts, name)) rename_column(*side, node.using_columns[i], name);
    }
  }
  name_merged(*node.left, above, merged);
  name_merged(*node.right, std::move(above), merged);
}

bool QueryDeparser::rename_parts(const JoinNode& side, const Parts& parts, const std::string& name) const {
  if (side.leaf) {
    bool found = false;
    for (const VarExpr* v : parts.columns) {
      if (v->entry != side.entry || v->column < 0) continue;
      const Entry& e = queries_.back()->entries[static_cast<size_t>(v->entry)];
      std::vector<std::string>& names = column_names_[&e];
      names.resize(e.column_names.size());
      names[static_cast<size_t>(v->column)] = name;
      found = true;
    }
    return found;
  }
  if (side.alias_has_columns) return false;  // shows names of its own
  bool found = false;
  for (size_t i = 0; i < side.merged.size(); i++) {
    const auto* v = try_as<VarExpr>(side.merged[i]);
    const bool part = std::any_of(parts.columns.begin(), parts.columns.end(), [&](const VarExpr* column) {
      return v != nullptr && v->entry == column->entry && v->column == column->column;
    });
    if (!part && !parts.merged.contains(side.merged[i].get())) continue;
    std::vector<std::string>& names = using_names_[&side];
    names.resize(side.using_columns.size());
    names[i] = name;
    found = true;
  }
  for (const JoinNode* below : {side.left.get(), side.right.get()}) found = rename_parts(*below, parts, name) || found;
  return found;
}

bool QueryDeparser::rename_column(const JoinNode& side, const std::string& column, const std::string& name) const {
  const auto place = [&](const std::vector<std::string>& all, std::vector<std::string>& named) {
    named.resize(all.size());
    named[static_cast<size_t>(std::find(all.begin(), all.end(), column) - all.begin())] = name;
    return true;
  };
  if (side.leaf) {
    const Entry& e = queries_.back()->entries[static_cast<size_t>(side.entry)];
    return contains(e.column_names, column) && place(e.column_names, column_names_[&e]);
  }
  if (side.alias_has_columns) return false;
  if (contains(side.using_columns, column)) return place(side.using_columns, using_names_[&side]);
  return rename_column(*side.left, column, name) || rename_column(*side.right, column, name);
}

std::vector<QueryDeparser::JoinColumn> QueryDeparser::join_columns(const Query& query, const JoinNode& node) const {
  std::vector<JoinColumn> out;
  if (node.leaf) {
    const std::vector<std::string>& names = columns_of(query.entries[static_cast<size_t>(node.entry)]);
    for (size_t i = 0; i < names.size(); i++)
      if (!names[i].empty()) out.push_back({names[i], node.entry, static_cast<int>(i), nullptr});
    return out;
  }
  if (!node.alias.empty() && node.alias_has_columns && !inside_.contains(&node)) return shown_columns(query, node);
  const std::vector<std::string>& merged = using_names(node);
  for (size_t i = 0; i < merged.size(); i++) {
    const auto* v = try_as<VarExpr>(node.merged[i]);
    out.push_back({merged[i], v != nullptr ? v->entry : -1, v != nullptr ? v->column : -1, node.merged[i].get()});
  }
  for (const JoinNode* side : {node.left.get(), node.right.get()}) {
    for (JoinColumn& c : join_columns(query, *side))
      if (!contains(merged, c.name)) out.push_back(std::move(c));
  }
  return out;
}

std::vector<QueryDeparser::JoinColumn> QueryDeparser::shown_columns(const Query& query, const JoinNode& node) const {
  inside_.insert(&node);
  std::vector<JoinColumn> out = join_columns(query, node);
  inside_.erase(&node);
  std::set<std::string> taken;
  std::vector<bool> known(out.size());
  for (size_t i = 0; i < out.size(); i++) {
    for (const JoinNode::Shown& shown : node.shown) {
      const auto* v = try_as<VarExpr>(shown.value);
      const bool same =
          v != nullptr ? v->entry == out[i].entry && v->column == out[i].column : shown.value.get() == out[i].merged;
      if (!same || known[i]) continue;
      out[i].name = shown.name;
      known[i] = true;
    }
    if (known[i]) taken.insert(out[i].name);
  }
  // What the tables have got since.
  for (size_t i = 0; i < out.size(); i++) {
    if (known[i]) continue;
    out[i].name = unlike(out[i].name, [&](const std::string& name) { return taken.contains(name); });
    taken.insert(out[i].name);
  }
  return out;
}

}  // namespace indigo::sql
