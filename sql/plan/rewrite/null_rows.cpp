#include "sql/plan/rewrite/null_rows.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "sql/analyze/make.h"
#include "sql/dropped_columns.h"
#include "sql/plan/rewrite/rewrite.h"
#include "sql/query_walk.h"
#include "types/oids.h"

namespace indigo::sql::planning {
namespace {

// By entry: may an outer join give a row of nulls in place of it?
void find_nullable(const JoinNodePtr& n, bool nullable, std::vector<bool>& out) {
  if (!n) return;
  if (n->leaf) {
    if (n->entry >= 0) out[static_cast<size_t>(n->entry)] = nullable;
    return;
  }
  const bool full = n->type == JoinType::kFull;
  find_nullable(n->left, nullable || full || n->type == JoinType::kRight, out);
  find_nullable(n->right, nullable || full || n->type == JoinType::kLeft, out);
}

ExprPtr row_of(const WholeRowExpr& whole, const Entry& entry, int levels_up) {
  auto row = std::make_shared<RowExpr>();
  row->type = whole.type;
  row->location = whole.location;
  for (size_t i = 0; i < entry.column_names.size(); i++) {
    // A composite value has a field for each column of its type, dropped ones too.
    row->fields.push_back(is_dropped(entry, i)
                              ? make_const({oid::kInt4, -1, kInvalidOid}, Datum::make_null(Phys::kI32))
                              : make_var(whole.entry, static_cast<int>(i), entry.column_types[i], levels_up));
    row->names.push_back(entry.column_names[i]);
  }
  return row;
}

// CASE WHEN marker IS NOT NULL THEN row END
ExprPtr row_or_null(const ExprPtr& row, const ExprPtr& marker) {
  auto out = std::make_shared<CaseExpr>();
  out->type = row->type;
  out->location = row->location;
  out->whens.push_back({make_null_test(marker, false), row});
  out->otherwise = make_const(row->type, Datum::make_null(Phys::kStr));
  return out;
}

// SELECT its columns, true FROM the entry
Entry with_marker(const Entry& entry) {
  auto query = std::make_shared<Query>();
  auto leaf = std::make_shared<JoinNode>();
  leaf->entry = 0;
  query->from = std::move(leaf);
  for (size_t i = 0; i < entry.column_names.size(); i++) {
    TargetEntry target;
    target.expr = make_var(0, static_cast<int>(i), entry.column_types[i]);
    target.name = entry.column_names[i];
    query->targets.push_back(std::move(target));
  }
  TargetEntry marker;
  marker.expr = make_bool(true);
  marker.name = "there";
  query->targets.push_back(std::move(marker));

  Entry out;
  out.kind = EntryKind::kSubquery;
  out.alias = entry.alias;
  out.column_names = entry.column_names;
  out.column_types = entry.column_types;
  out.column_names.emplace_back("there");
  out.column_types.push_back({oid::kBool, -1, kInvalidOid});
  out.lateral = entry.lateral;

  Entry inner = entry;
  inner.lateral = false;
  if (inner.subquery) inner.subquery = raised(inner.subquery, 1);
  for (auto& function : inner.functions) function.call = raised(function.call, 1);
  for (ExprList& values : inner.values) {
    for (ExprPtr& e : values) e = raised(e, 1);
  }
  query->entries.push_back(std::move(inner));
  out.subquery = std::move(query);
  return out;
}

}  // namespace

std::shared_ptr<const Query> with_null_rows(const std::shared_ptr<const Query>& query) {
  if (!query->from || query->from->leaf) return query;
  std::vector<bool> nullable(query->entries.size());
  find_nullable(query->from, false, nullable);
  if (std::none_of(nullable.begin(), nullable.end(), [](bool b) { return b; })) return query;
  std::vector<bool> wanted(query->entries.size());
  bool any = false;
  visit_query(*query, [&](const Expr& e, int depth) {
    if (e.kind != ExprKind::kWholeRow || levels_of(e) != depth) return true;
    const auto i = static_cast<size_t>(as<WholeRowExpr>(e).entry);
    wanted[i] = nullable[i];
    any = any || nullable[i];
    return true;
  });
  if (!any) return query;

  const LevelMapper map = [&](const ExprPtr& e, int depth) -> ExprPtr {
    const auto* whole = try_as<WholeRowExpr>(e);
    if (!whole || whole->levels_up != depth || !wanted[static_cast<size_t>(whole->entry)]) return nullptr;
    const Entry& entry = query->entries[static_cast<size_t>(whole->entry)];
    const bool table = entry.kind == EntryKind::kTable;
    const int column = table ? kTableOidColumn : static_cast<int>(entry.column_names.size());
    const TypeRef type{table ? oid::kOid : oid::kBool, -1, kInvalidOid};
    return row_or_null(row_of(*whole, entry, depth), make_var(whole->entry, column, type, depth));
  };
  auto out = std::make_shared<Query>(*map_levels(query, map));
  for (size_t i = 0; i < wanted.size(); i++) {
    Entry& entry = out->entries[i];
    if (wanted[i] && entry.kind != EntryKind::kTable) entry = with_marker(entry);
  }
  return out;
}

}  // namespace indigo::sql::planning
