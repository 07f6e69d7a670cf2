// FROM: joins, and what stands in them.
#include <algorithm>

#include "sql/query_deparser.h"
#include "types/text/strings.h"

namespace indigo::sql {

const Entry* QueryDeparser::bare_values(const Query& query) {
  if (query.from == nullptr || !query.from->leaf || query.where != nullptr) return nullptr;
  const Entry& e = query.entries[static_cast<size_t>(query.from->entry)];
  return e.kind == EntryKind::kValues && e.alias == "*VALUES*" ? &e : nullptr;
}

std::string QueryDeparser::value_rows(const Entry& e) const {
  std::string out;
  for (const ExprList& row : e.values) {
    out += out.empty() ? "(" : ", (";
    for (size_t i = 0; i < row.size(); i++) out += (i == 0 ? "" : ",") + value(row[i]);
    out += ")";
  }
  return out;
}

std::string QueryDeparser::from_list(const Query& query, const JoinNode& node, int level) const {
  if (!node.leaf && node.type == JoinType::kInner && node.condition == nullptr)
    return from_list(query, *node.left, level) + "," + line(level, 4) + from_item(query, *node.right, level);
  return from_item(query, node, level);
}

std::string QueryDeparser::from_item(const Query& query, const JoinNode& node, int level) const {
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

std::string QueryDeparser::entry_text(const Entry& e, int level) const {
  std::string out = e.lateral && e.kind != EntryKind::kTable ? "LATERAL " : "";
  std::vector<std::string> own;  // the column names without an alias list
  bool aliased = true, always_columns = false;
  switch (e.kind) {
    case EntryKind::kSubquery:
      if (e.relation == nullptr) {
        out += "(" + text(*e.subquery, {}, level + 1, true) + ")";
        for (const TargetEntry& t : e.subquery->targets)
          if (!t.hidden) own.push_back(t.name);
        always_columns = e.names_columns;
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
      always_columns = e.names_columns;
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
}  // namespace indigo::sql
