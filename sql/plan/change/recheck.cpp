#include "sql/plan/change/recheck.h"

namespace indigo::sql::planning {
namespace {

// Conditions that hold for every row that comes out: not those of outer joins.
void collect(const FromNode& n, ExprList& out) {
  if (n.kind == FromNode::Kind::kInner) {
    out.insert(out.end(), n.conditions.begin(), n.conditions.end());
    for (const auto& c : n.children) collect(*c, out);
  } else if (n.kind == FromNode::Kind::kJoin && n.type != JoinType::kFull) {
    collect(*n.children[0], out);
  }
}

bool contains(const FromNode& n, int entry) {
  if (n.kind == FromNode::Kind::kLeaf) return n.entry == entry;
  for (const auto& child : n.children) {
    if (contains(*child, entry)) return true;
  }
  return false;
}

// MERGE with actions for source rows without a match joins its target outwardly: what a matched row must still meet.
void collect_target(const FromNode& n, int target, ExprList& out) {
  if (n.kind == FromNode::Kind::kJoin && n.type != JoinType::kFull && contains(*n.children[1], target)) {
    out.insert(out.end(), n.conditions.begin(), n.conditions.end());
    collect(*n.children[1], out);
    collect_target(*n.children[1], target, out);
  } else if (n.kind == FromNode::Kind::kInner) {
    for (const auto& child : n.children) collect_target(*child, target, out);
  }
}

}  // namespace

Status keep_recheck(Level& level) {
  const CommandKind c = level.work.command;
  const bool changes = c == CommandKind::kUpdate || c == CommandKind::kDelete || c == CommandKind::kMerge;
  if (!changes && level.work.row_locks.empty()) return {};
  collect(*level.from, level.recheck);
  if (c == CommandKind::kMerge) collect_target(*level.from, level.work.target, level.recheck);
  return {};
}

std::vector<std::pair<int, int>> refreshed_columns(const Layout& layout, int entry) {
  std::vector<std::pair<int, int>> out;
  for (size_t i = 0; i < layout.outputs.size(); i++) {
    const auto* v = try_as<VarExpr>(layout.outputs[i]);
    if (v && v->entry == entry && v->column >= 0) out.emplace_back(static_cast<int>(i), v->column);
  }
  return out;
}

}  // namespace indigo::sql::planning
