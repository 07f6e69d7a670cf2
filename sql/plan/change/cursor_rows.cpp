#include "sql/plan/change/cursor_rows.h"

#include <algorithm>

#include "sql/analyze/make.h"
#include "sql/plan/path/append_paths.h"
#include "types/oids.h"

namespace indigo::sql::planning {
namespace {

const TypeRef kKeyType{oid::kBytea, -1, kInvalidOid};
const TypeRef kTableType{oid::kOid, -1, kInvalidOid};

bool keeps_rows(const Query& q) {
  return q.command == CommandKind::kSelect && !q.set_operation && !q.has_aggregates && !q.has_windows &&
         !q.has_set_functions && q.group_by.empty() && q.grouping_sets.empty() && !q.having && !q.distinct &&
         q.distinct_on.empty() && q.from;
}

bool locks(const Query& q) {
  return !q.row_locks.empty() || std::any_of(q.entries.begin(), q.entries.end(), [](const Entry& e) {
    return e.kind == EntryKind::kSubquery && e.subquery && locks(*e.subquery);
  });
}

class KeyExposer {
 public:
  explicit KeyExposer(bool locked_only) : locked_only_(locked_only) {}

  // What a new target is: the key of a row, or the table with that row.
  struct Exposed {
    Oid relation;
    TypeRef type;
  };

  // Appends the keys to the copy's targets.
  std::shared_ptr<const Query> run(const Query& query, std::vector<Exposed>& exposed) {
    auto copy = std::make_shared<Query>(query);
    if (!keeps_rows(query)) return copy;
    leaves(*copy, *copy->from, exposed);
    return copy;
  }

 private:
  void leaves(Query& q, const JoinNode& node, std::vector<Exposed>& exposed) {
    if (!node.leaf) {
      if (!locked_only_) return;
      leaves(q, *node.left, exposed);
      leaves(q, *node.right, exposed);
      return;
    }
    const auto number = static_cast<size_t>(node.entry);
    Entry& entry = q.entries[number];
    if (entry.kind == EntryKind::kTable) {
      if (entry.relation->is_foreign() || (locked_only_ && !is_locked(q, node.entry))) return;
      add_target(q, make_var(node.entry, kRowKeyColumn, kKeyType));
      exposed.push_back({entry.relation->oid, kKeyType});
      if (!has_leaves(entry)) return;
      add_target(q, make_var(node.entry, kTableOidColumn, kTableType));
      exposed.push_back({entry.relation->oid, kTableType});
      return;
    }
    const bool cte = is_read_in_place(q, entry);
    if (cte || (entry.kind == EntryKind::kSubquery && entry.subquery)) {
      std::shared_ptr<const Query>& below = cte ? q.ctes[static_cast<size_t>(entry.cte)].query : entry.subquery;
      const size_t before = exposed.size();
      const size_t width = entry.column_types.size();
      below = run(*below, exposed);
      for (size_t i = before; i < exposed.size(); i++) {
        entry.column_names.emplace_back("row key");
        entry.column_types.push_back(exposed[i].type);
        add_target(q, make_var(node.entry, static_cast<int>(width + i - before), exposed[i].type));
      }
    }
  }

  // A WITH query that is read once and in place, as PostgreSQL reads it: a scan then.
  static bool is_read_in_place(const Query& q, const Entry& entry) {
    if (entry.kind != EntryKind::kCte || entry.cte_levels_up != 0 || entry.cte_self_reference) return false;
    const CommonTable& cte = q.ctes[static_cast<size_t>(entry.cte)];
    return !cte.recursive && cte.references == 1 && cte.materialize != CommonTable::Materialize::kAlways;
  }

  static bool is_locked(const Query& q, int entry) {
    return std::any_of(q.row_locks.begin(), q.row_locks.end(), [&](const RowLock& l) { return l.entry == entry; });
  }

  static void add_target(Query& q, ExprPtr key) {
    TargetEntry target;
    target.expr = std::move(key);
    target.name = "row key";
    q.targets.push_back(std::move(target));
  }

  bool locked_only_;
};

// Whether every row of the plan is one row of a table, in the order of its scans; adds the tables, once for each scan.
bool is_plain_scan(const Plan& plan, std::vector<Oid>& scanned) {
  switch (plan.kind) {
    case PlanKind::kTableScan: scanned.push_back(static_cast<const TableScanPlan&>(plan).relation->oid); return true;
    case PlanKind::kIndexScan: scanned.push_back(static_cast<const IndexScanPlan&>(plan).relation->oid); return true;
    case PlanKind::kAppend:
      return static_cast<const AppendPlan&>(plan).order.empty() &&
             std::all_of(plan.inputs.begin(), plan.inputs.end(),
                         [&](const PlanPtr& input) { return is_plain_scan(*input, scanned); });
    case PlanKind::kDistinct: {  // scans of several indexes that give one table's rows: DISTINCT itself exposes no keys
      std::vector<Oid> parts;
      if (!is_plain_scan(*plan.inputs[0], parts) || parts.empty()) return false;
      scanned.push_back(parts[0]);
      return std::all_of(parts.begin(), parts.end(), [&](Oid table) { return table == parts[0]; });
    }
    case PlanKind::kResult:
    case PlanKind::kProject:
    case PlanKind::kFilter:
    case PlanKind::kLimit:
    case PlanKind::kSubqueryScan: return plan.inputs.size() == 1 && is_plain_scan(*plan.inputs[0], scanned);
    default: return false;
  }
}

// The tables that a locked one stands for, wherever in the plan.
void add_locked(const Plan& plan, Oid relation, std::vector<Oid>& tables) {
  if (plan.kind == PlanKind::kLockRows) {
    for (const LockRowsPlan::Lock& lock : static_cast<const LockRowsPlan&>(plan).locks) {
      if (lock.relation->oid != relation) continue;
      for (const LockRowsPlan::Lock& leaf : lock.tables) {
        if (std::find(tables.begin(), tables.end(), leaf.relation->oid) == tables.end())
          tables.push_back(leaf.relation->oid);
      }
    }
  }
  for (const PlanPtr& input : plan.inputs) add_locked(*input, relation, tables);
}

}  // namespace

std::shared_ptr<const Query> with_row_keys(const std::shared_ptr<const Query>& query, PlannedStatement& out) {
  out.locks_rows = locks(*query);
  std::vector<KeyExposer::Exposed> exposed;
  auto with_keys = KeyExposer(out.locks_rows).run(*query, exposed);
  for (size_t i = 0; i < exposed.size(); i++) {
    const int column = static_cast<int>(out.targets.size() + i);
    if (exposed[i].type.oid == oid::kOid)
      out.cursor_tables.back().table_column = column;
    else
      out.cursor_tables.push_back({column, -1, {exposed[i].relation}});
  }
  out.cursor_columns = exposed.size();
  return with_keys;
}

void check_cursor_tables(PlannedStatement& out) {
  if (out.locks_rows) {
    for (PlannedStatement::CursorTable& table : out.cursor_tables) {
      if (table.table_column < 0) continue;
      const Oid parent = table.relations[0];
      table.relations.clear();
      add_locked(*out.root, parent, table.relations);
    }
    return;
  }
  std::vector<Oid> scanned;
  if (is_plain_scan(*out.root, scanned) && out.cursor_tables.size() == 1)
    out.cursor_tables[0].relations = std::move(scanned);
  else
    out.cursor_tables.clear();
}

}  // namespace indigo::sql::planning
