#include "sql/plan/change/cursor_rows.h"

#include <algorithm>

#include "sql/analyze/make.h"
#include "types/oids.h"

namespace indigo::sql::planning {
namespace {

const TypeRef kKeyType{oid::kBytea, -1, kInvalidOid};

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

  // Appends the keys to the copy's targets; tables in the order of the new targets.
  std::shared_ptr<const Query> run(const Query& query, std::vector<Oid>& tables) {
    auto copy = std::make_shared<Query>(query);
    if (!keeps_rows(query)) return copy;
    leaves(*copy, *copy->from, tables);
    return copy;
  }

 private:
  void leaves(Query& q, const JoinNode& node, std::vector<Oid>& tables) {
    if (!node.leaf) {
      if (!locked_only_) return;
      leaves(q, *node.left, tables);
      leaves(q, *node.right, tables);
      return;
    }
    const auto number = static_cast<size_t>(node.entry);
    Entry& entry = q.entries[number];
    if (entry.kind == EntryKind::kTable) {
      if (entry.relation->is_foreign() || (locked_only_ && !is_locked(q, node.entry))) return;
      add_target(q, make_var(node.entry, kRowKeyColumn, kKeyType));
      tables.push_back(entry.relation->oid);
      return;
    }
    const bool cte = is_read_in_place(q, entry);
    if (cte || (entry.kind == EntryKind::kSubquery && entry.subquery)) {
      std::shared_ptr<const Query>& below = cte ? q.ctes[static_cast<size_t>(entry.cte)].query : entry.subquery;
      const size_t before = tables.size();
      const size_t width = entry.column_types.size();
      below = run(*below, tables);
      for (size_t i = before; i < tables.size(); i++) {
        entry.column_names.emplace_back("row key");
        entry.column_types.push_back(kKeyType);
        add_target(q, make_var(node.entry, static_cast<int>(width + i - before), kKeyType));
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

// Whether every row of the plan is one row of a table, in the order of its scan.
bool is_plain_scan(const Plan& plan) {
  switch (plan.kind) {
    case PlanKind::kTableScan:
    case PlanKind::kIndexScan: return true;
    case PlanKind::kResult:
    case PlanKind::kProject:
    case PlanKind::kFilter:
    case PlanKind::kLimit:
    case PlanKind::kSubqueryScan: return plan.inputs.size() == 1 && is_plain_scan(*plan.inputs[0]);
    default: return false;
  }
}

}  // namespace

std::shared_ptr<const Query> with_row_keys(const std::shared_ptr<const Query>& query, PlannedStatement& out) {
  out.locks_rows = locks(*query);
  std::vector<Oid> tables;
  auto exposed = KeyExposer(out.locks_rows).run(*query, tables);
  for (size_t i = 0; i < tables.size(); i++) {
    out.cursor_tables.push_back({tables[i], static_cast<int>(out.targets.size() + i)});
  }
  return exposed;
}

void check_cursor_tables(PlannedStatement& out) {
  if (!out.locks_rows && !is_plain_scan(*out.root)) out.cursor_tables.clear();
}

}  // namespace indigo::sql::planning
