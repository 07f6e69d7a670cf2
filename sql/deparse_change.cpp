// INSERT, UPDATE, DELETE as they are kept: the target is entry 0, nothing is filled in.
#include "sql/query_deparser.h"
#include "types/text/strings.h"

namespace indigo::sql {

std::string QueryDeparser::change(const Query& q, int level) const {
  if (q.command == CommandKind::kMerge || q.target != 0 || q.instead_event != 0) return fail();
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

std::string QueryDeparser::target(const Query& q, bool as) const {
  const Entry& e = q.entries[0];
  const auto found = catalog_.find_relation("", e.relation->name);
  std::string out = e.only && q.command != CommandKind::kInsert ? "ONLY " : "";
  if (found == nullptr || found->oid != e.relation->oid) out += types::quote_identifier(e.relation->schema_name) + ".";
  out += types::quote_identifier(e.relation->name);
  if (entry_name(e) != e.relation->name) out += (as ? " AS " : " ") + types::quote_identifier(entry_name(e));
  return out;
}

std::string QueryDeparser::target_column(const Query& q, int column) {
  return types::quote_identifier(q.entries[0].relation->columns[static_cast<size_t>(column)].name);
}

std::string QueryDeparser::insert(const Query& q, int level) const {
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

std::string QueryDeparser::on_conflict(const Query& q, int level) const {
  const OnConflict& c = *q.on_conflict;
  std::string out = " ON CONFLICT";
  for (const catalog::IndexInfo& index : q.entries[0].relation->indexes) {
    if (c.arbiters.empty() || index.oid != c.arbiters[0]) continue;
    std::string columns;
    for (const catalog::IndexColumn& k : index.columns) {
      if (k.column == 0) return fail();
      columns += (columns.empty() ? "" : ", ") + target_column(q, k.column - 1);
    }
    if (!index.predicate.empty()) return fail();
    out += "(" + columns + ")";
  }
  if (!c.update) return out + " DO NOTHING";
  out += " DO UPDATE SET " + set_list(q, c.assignments);
  if (c.where != nullptr) out += joined(line(level, 2) + "WHERE ", value(c.where));
  return out;
}

std::string QueryDeparser::set_list(const Query& q, const std::vector<Assignment>& list) const {
  std::string out;
  for (const Assignment& a : list) {
    out += (out.empty() ? "" : ", ") + target_column(q, a.column) + " = " + assigned(a.value);
  }
  return out;
}

std::string QueryDeparser::sources(const Query& q, const char* word, int level) const {
  const JoinNodePtr rest = without_target(q.from);
  return rest == nullptr ? "" : line(level, 3) + word + from_list(q, *rest, level);
}

JoinNodePtr QueryDeparser::without_target(const JoinNodePtr& n) {
  if (n->leaf) return n->entry == 0 ? nullptr : n;
  const JoinNodePtr left = without_target(n->left);
  if (left == n->left) return n;
  if (left == nullptr) return n->right;
  auto copy = std::make_shared<JoinNode>(*n);
  copy->left = left;
  return copy;
}

std::string QueryDeparser::update(const Query& q, int level) const {
  return " UPDATE " + target(q, false) + " SET " + set_list(q, q.assignments) + sources(q, "FROM ", level) +
         condition(q, level);
}

std::string QueryDeparser::deletion(const Query& q, int level) const {
  return " DELETE FROM " + target(q, false) + sources(q, "USING ", level) + condition(q, level);
}

std::string QueryDeparser::condition(const Query& q, int level) const {
  return q.where == nullptr ? "" : joined(line(level, 2) + "WHERE ", value(q.where));
}
}  // namespace indigo::sql
