#include "sql/explain/node_describer.h"

#include <algorithm>
#include <cmath>

#include "catalog/descriptor/foreign_source.h"
#include "catalog/descriptor/trigger_info.h"
#include "sql/analyze/analyzer.h"
#include "sql/deparse.h"
#include "sql/deparse_session.h"
#include "sql/plan/entry_columns.h"
#include "sql/xml_constructs.h"
#include "types/text/strings.h"

namespace indigo::sql {
namespace {

std::string index_expression_text(catalog::CatalogView& catalog, const std::shared_ptr<const RelationInfo>& relation,
                                  const std::string& stored) {
  CatalogOnlySession session(catalog);
  const auto e = analyze_to_print(session, stored, relation, TypeRef{});
  if (!e.ok()) return stored;
  DeparseOptions options;
  options.relation = relation.get();
  options.always_qualify = false;
  auto text = deparse(catalog, **e, options);
  return text.ok() ? *std::move(text) : stored;
}

using Property = ExplainProperty;
using Where = Property::Where;

constexpr const char* kAnyOf = " ANY";

std::string kilobytes(uint64_t bytes) { return std::to_string((bytes + 1023) / 1024); }

}  // namespace

void NodeDescriber::add(ExplainNode& n, const char* label, std::string text) {
  n.properties.push_back(Property::text(label, std::move(text)));
}

void NodeDescriber::add_removed(ExplainNode& n, const char* what, uint64_t filtered, const PlanCounters& c) const {
  if (!options_.analyze) return;
  const uint64_t each = c.loops == 0 ? 0 : (filtered + c.loops / 2) / c.loops;
  n.properties.push_back(Property::raw(std::string("Rows Removed by ") + what, std::to_string(each),
                                       each == 0 ? Where::kStructured : Where::kBoth));
}

PlanCounters NodeDescriber::counters(const Plan& p) const {
  const PlanCounters* c = counters_ ? counters_(p) : nullptr;
  return c != nullptr ? *c : PlanCounters();
}

void NodeDescriber::condition(ExplainNode& n, const char* label, const Plan& p, const ExprPtr& e) {
  if (e != nullptr) add(n, label, text_.text(p, *e));
}

void NodeDescriber::relation(ExplainNode& n, const RelationInfo& r, const std::string& alias) {
  const std::string schema = r.schema == catalog_.schema_named("pg_temp") ? "pg_temp" : r.schema_name;
  n.head.push_back(Property::text("Relation Name", r.name, Where::kStructured));
  if (options_.verbose) n.head.push_back(Property::text("Schema", schema, Where::kStructured));
  n.head.push_back(Property::text("Alias", alias, Where::kStructured));
  n.title += " on " + (options_.verbose ? types::quote_identifier(schema) + "." : "") + types::quote_identifier(r.name);
  if (alias != r.name) n.title += " " + types::quote_identifier(alias);
}

void NodeDescriber::named_scan(ExplainNode& n, const Plan& p, const char* type, const char* label,
                               const std::string& name) {
  const std::string& alias = text_.alias(p);
  n.type = n.title = type;
  if (label != nullptr) n.head.push_back(Property::text(label, name, Where::kStructured));
  n.head.push_back(Property::text("Alias", alias, Where::kStructured));
  n.title += " on " + types::quote_identifier(label != nullptr ? name : alias);
  if (label != nullptr && alias != name) n.title += " " + types::quote_identifier(alias);
}

namespace {

// A condition that all hold (AND) or of which one does (OR); a single one needs no parentheses more.
std::string joined(const std::vector<std::string>& parts, const char* between) {
  if (parts.size() == 1) return parts[0];
  std::string out;
  for (const std::string& part : parts) out += (out.empty() ? "(" : between) + part;
  return out + ")";
}

}  // namespace

std::string NodeDescriber::index_column(const Plan& p, const ScanPlan& s, const catalog::IndexColumn& column) {
  return column.column > 0 ? text_.own_column(p, s.relation->columns[static_cast<size_t>(column.column) - 1].name)
                           : "(" + index_expression_text(catalog_, s.relation, column.expression) + ")";
}

std::string NodeDescriber::inverted_conditions(const Plan& p, const IndexScanPlan& s, const catalog::IndexInfo& index) {
  std::vector<std::string> parts;
  for (size_t i = 0; i < s.inverted.size(); i++) {
    const InvertedCondition& condition = s.inverted[i];
    const catalog::OperatorInfo* op = catalog_.operator_by_oid(condition.op);
    const catalog::IndexColumn& column = index.columns[static_cast<size_t>(condition.column)];
    const std::string name = s.nearest && column.column == 0
                                 ? index_expression_text(catalog_, s.relation, column.expression)
                                 : index_column(p, s, column);
    parts.push_back("(" + name + " " + (op != nullptr ? std::string(op->name) : "?") + " " +
                    text_.text_over(p, *s.bounds.equal[i], nullptr, nullptr) + ")");
  }
  return joined(parts, " AND ");
}

std::string NodeDescriber::bounds(const Plan& p, const ScanPlan& s, const catalog::IndexInfo& index, const KeyBounds& b,
                                  size_t position) {
  std::vector<std::string> parts;
  // A class of users' own has operators of its own names.
  const auto named = [&](size_t at, int strategy, const char* usual) -> std::string {
    const Oid opclass = index.columns[at].opclass;
    const auto* op = opclass < oid::kFirstUserOid
                         ? nullptr
                         : catalog_.operator_by_oid(catalog_.operator_in_class(opclass, strategy));
    return op != nullptr ? std::string(op->name) : usual;
  };
  const auto part = [&](size_t at, const std::string& op, const ExprPtr& value) {
    const std::string name = index_column(p, s, index.columns[at]);
    std::string text = value ? text_.text_over(p, *value, nullptr, nullptr) : "";
    if (op.ends_with(kAnyOf) && (text.empty() || text[0] != '(')) text = "(" + text + ")";
    parts.push_back("(" + name + " " + op + (value ? " " + text : "") + ")");
  };
  for (size_t i = 0; i < b.equal.size(); i++) {
    if (b.is_null(i)) {
      part(position + i, "IS NULL", nullptr);
    } else {
      const std::string equal = named(position + i, 3, "=");
      part(position + i, b.is_list(i) ? equal + kAnyOf : equal, b.equal[i]);
    }
  }
  const size_t next = position + b.equal.size();
  if (b.low) part(next, b.low_inclusive ? named(next, 4, ">=") : named(next, 5, ">"), b.low);
  if (b.high) part(next, b.high_inclusive ? named(next, 2, "<=") : named(next, 1, "<"), b.high);
  std::vector<std::string> alternatives;
  for (const KeyBounds& alternative : b.any_of) alternatives.push_back(bounds(p, s, index, alternative, next));
  if (!alternatives.empty()) parts.push_back(joined(alternatives, " OR "));
  return joined(parts, " AND ");
}

void NodeDescriber::scan(ExplainNode& n, const Plan& p, const ScanPlan& s, const catalog::IndexInfo* index) {
  const bool backward = s.direction == storage::Direction::kBackward;
  if (index == nullptr || (p.kind == PlanKind::kTableScan && s.bounds.whole() && !backward)) {
    n.type = n.title = "Seq Scan";
    relation(n, *s.relation, text_.alias(p));
  } else {
    const auto* secondary = p.kind == PlanKind::kIndexScan ? static_cast<const IndexScanPlan*>(&s) : nullptr;
    n.type = secondary != nullptr && reads_entries_only(*secondary) ? "Index Only Scan" : "Index Scan";
    n.title = n.type + " " + (backward ? "Backward " : "") + "using " + types::quote_identifier(index->name);
    n.head.push_back(Property::text("Scan Direction", backward ? "Backward" : "Forward", Where::kStructured));
    n.head.push_back(Property::text("Index Name", index->name, Where::kStructured));
    relation(n, *s.relation, text_.alias(p));
    const auto* inverted = p.kind == PlanKind::kIndexScan ? static_cast<const IndexScanPlan*>(&s) : nullptr;
    if (inverted != nullptr && !inverted->inverted.empty()) {
      add(n, inverted->nearest ? "Order By" : "Index Cond", inverted_conditions(p, *inverted, *index));
    } else if (!s.bounds.whole()) {
      add(n, "Index Cond", bounds(p, s, *index, s.bounds, 0));
    }
  }
  scan_filter(n, p, s.filter);
}

void NodeDescriber::current_row(ExplainNode& n, const Plan& p, const TableScanPlan& s) {
  n.type = n.title = "Tid Scan";
  relation(n, *s.relation, text_.alias(p));
  add(n, "TID Cond", "CURRENT OF " + types::quote_identifier(s.current_of));
  if (s.filter != nullptr) add(n, "Filter", text_.scan_text(p, *s.filter));
}

void NodeDescriber::scan_filter(ExplainNode& n, const Plan& p, const ExprPtr& filter) {
  if (filter == nullptr) return;
  add(n, "Filter", text_.scan_text(p, *filter));
  const PlanCounters c = counters(p);
  add_removed(n, "Filter", c.filtered, c);
}

void NodeDescriber::join(ExplainNode& n, const JoinPlan& j, const char* name, const char* plain) {
  static constexpr const char* kTypes[] = {"Inner", "Left", "Right", "Full", "Semi", "Anti"};
  const char* type = kTypes[static_cast<int>(j.type)];
  n.type = plain;
  n.title = j.type == JoinType::kInner ? plain : std::string(name) + " " + type + " Join";
  n.head.push_back(Property::text("Join Type", type, Where::kStructured));
}

void NodeDescriber::join_filter(ExplainNode& n, const Plan& p, const JoinPlan& j) {
  if (j.condition == nullptr) return;
  condition(n, "Join Filter", p, j.condition);
  const PlanCounters c = counters(p);
  add_removed(n, "Join Filter", c.filtered, c);
}

void NodeDescriber::nested_loop(ExplainNode& n, const NestedLoopPlan& p) {
  join(n, p, "Nested Loop", "Nested Loop");
  join_filter(n, p, p);
  const uint64_t after = counters(p).switched_after;
  if (p.instead == nullptr || (!options_.costs && after == 0)) return;
  const HashJoinPlan& hash = *p.instead;
  const std::string keys = join_keys(hash, hash.left_keys, hash.right_keys, hash.null_safe);
  const std::string rows = std::to_string(static_cast<uint64_t>(std::ceil(p.patience / p.left_row_cost)));
  n.properties.push_back(
      Property::text("Alternative", "Hash Join on " + keys + " beyond " + rows + " rows", Where::kText));
  n.properties.push_back(Property::text("Alternative Hash Cond", keys, Where::kStructured));
  n.properties.push_back(Property::raw("Alternative Beyond Rows", rows));
  if (!options_.analyze) return;
  if (after > 0)
    n.properties.push_back(
        Property::text("Switched", "to Hash Join after " + std::to_string(after) + " rows", Where::kText));
  n.properties.push_back(Property::raw("Switched After Rows", std::to_string(after)));
}

void NodeDescriber::run_condition(ExplainNode& n, const WindowPlan& p) {
  if (p.run_condition == nullptr) return;
  ColumnTexts columns = text_.outputs(p);
  for (ColumnText& c : columns) {
    if (c.owner == &p) c.owner = nullptr;
  }
  add(n, "Run Condition", text_.text_over(p, *p.run_condition, &columns, nullptr));
}

void NodeDescriber::materialize(ExplainNode& n, const MaterializePlan& p) {
  n.type = n.title = p.slots.empty() ? "Materialize" : "Memoize";
  if (p.slots.empty()) return;
  std::string keys;
  for (const int slot : p.slots) keys += (keys.empty() ? "" : ", ") + text_.slot(slot);
  add(n, "Cache Key", std::move(keys));
  add(n, "Cache Mode", "binary");
  if (!options_.analyze) return;
  const PlanCounters c = counters(p);
  const std::string hits = std::to_string(c.hits), misses = std::to_string(c.misses), size = kilobytes(c.memory_bytes);
  n.properties.push_back(Property::text(
      "Hits", hits + "  Misses: " + misses + "  Evictions: 0  Overflows: 0  Memory Usage: " + size + "kB",
      Where::kText));
  n.properties.push_back(Property::raw("Cache Hits", hits));
  n.properties.push_back(Property::raw("Cache Misses", misses));
  n.properties.push_back(Property::raw("Cache Evictions", "0"));
  n.properties.push_back(Property::raw("Cache Overflows", "0"));
  n.properties.push_back(Property::raw("Peak Memory Usage", size));
}

std::string NodeDescriber::join_keys(const Plan& p, const ExprList& left, const ExprList& right,
                                     const std::vector<bool>& null_safe) {
  std::string out;
  for (size_t i = 0; i < left.size(); i++) {
    const bool distinct = i < null_safe.size() && null_safe[i];
    const std::string part = text_.text_over(p, *left[i], &text_.outputs(*p.inputs[0]), nullptr) +
                             (distinct ? " IS NOT DISTINCT FROM " : " = ") +
                             text_.text_over(p, *right[i], &text_.outputs(*p.inputs[1]), nullptr);
    out += (i == 0 ? "(" : " AND (") + part + ")";
  }
  return left.size() > 1 ? "(" + out + ")" : out;
}

std::vector<std::string> NodeDescriber::sort_keys(const Plan& p, const std::vector<SortKey>& keys, size_t count) {
  std::vector<std::string> out;
  for (size_t i = 0; i < count; i++) {
    const Expr& ordered = text_.ordered(keys[i]);
    std::string text = text_.text(p, ordered);
    if (ordered.kind != ExprKind::kColumn) text = "(" + text + ")";
    out.push_back(text + text_.sort_direction(keys[i]));
  }
  return out;
}

std::vector<std::string> NodeDescriber::group_keys(const Plan& p, const ExprList& groups) {
  std::vector<std::string> out;
  const bool sorted = !p.inputs.empty() && p.inputs[0]->kind == PlanKind::kSort;
  for (const ExprPtr& e : groups) {
    std::string text = text_.text(p, *e);
    const auto* column = try_as<ColumnExpr>(e);
    if (column != nullptr) {
      // What the input computes for this is shown without the parentheses of a reference.
      const ColumnText& c = text_.outputs(*p.inputs[0])[static_cast<size_t>(column->column)];
      if (c.owner == p.inputs[0].get()) text = c.text;
    } else if (sorted) {
      text = "(" + text + ")";
    }
    out.push_back(std::move(text));
  }
  return out;
}

void NodeDescriber::aggregate(ExplainNode& n, const Plan& p, const char* title, const char* strategy,
                              const AggregatePlan& a) {
  n.type = "Aggregate";
  n.title = title;
  n.kind.push_back(Property::text("Strategy", strategy, Where::kStructured));
  n.kind.push_back(Property::text("Partial Mode", "Simple", Where::kStructured));
  if (!a.groups.empty() && p.kind != PlanKind::kGroupingSets) {
    n.properties.push_back(Property::list("Group Key", group_keys(p, a.groups)));
  }
}

void NodeDescriber::hash_memory(ExplainNode& n, const Plan& p) {
  if (!options_.analyze) return;
  const PlanCounters c = counters(p);
  const std::string size = kilobytes(c.memory_bytes), disk = kilobytes(c.disk_bytes),
                    batches = std::to_string(c.batches);
  n.properties.push_back(Property::text(
      "Batches", batches + "  Memory Usage: " + size + "kB" + (c.batches > 1 ? "  Disk Usage: " + disk + "kB" : ""),
      Where::kText));
  n.properties.push_back(Property::raw("HashAgg Batches", batches));
  n.properties.push_back(Property::raw("Peak Memory Usage", size));
  n.properties.push_back(Property::raw("Disk Usage", c.disk_bytes == 0 ? "0" : disk));
}

void NodeDescriber::grouping_sets(ExplainNode& n, const Plan& p, const GroupingSetsPlan& g) {
  const bool any_empty = std::any_of(g.sets.begin(), g.sets.end(), [](const auto& s) { return s.columns.empty(); });
  aggregate(n, p, any_empty ? "MixedAggregate" : "HashAggregate", any_empty ? "Mixed" : "Hashed", g);
  const std::vector<std::string> keys = group_keys(p, g.groups);
  std::vector<std::string> all;
  for (const bool empty : {false, true}) {
    for (const GroupingSet& set : g.sets) {
      if (set.columns.empty() != empty) continue;
      std::string list;
      for (const int c : set.columns) list += (list.empty() ? "" : ", ") + keys[static_cast<size_t>(c)];
      if (empty) list = "()";
      n.properties.push_back(Property::text(empty ? "Group Key" : "Hash Key", list, Where::kText));
      all.push_back(list);
    }
  }
  Property sets = Property::list("Grouping Sets", std::move(all));
  sets.where = Where::kStructured;
  n.properties.push_back(std::move(sets));
  hash_memory(n, p);
}

void NodeDescriber::change(ExplainNode& n, const Plan& p, const char* operation, const ChangePlan& c) {
  n.type = "ModifyTable";
  n.title = operation;
  n.kind.push_back(Property::text("Operation", operation, Where::kStructured));
  const ColumnTexts columns = text_.target_columns(p, c);
  std::string alias = c.relation->name;
  if (!columns.empty()) {
    const size_t dot = columns[0].text.rfind('.');
    if (dot != std::string::npos) alias = columns[0].text.substr(0, dot);
    if (p.kind == PlanKind::kInsert) alias = c.relation->name;
  }
  relation(n, *c.relation, alias);
  if (p.kind != PlanKind::kInsert) return;
  const auto& conflict = static_cast<const InsertPlan&>(p).on_conflict;
  if (!conflict) return;
  add(n, "Conflict Resolution", conflict->update ? "UPDATE" : "NOTHING");
  std::vector<std::string> arbiters;
  for (const auto& index : c.relation->indexes) {
    if (std::find(conflict->arbiters.begin(), conflict->arbiters.end(), index.oid) != conflict->arbiters.end())
      arbiters.push_back(index.name);
  }
  if (!arbiters.empty()) n.properties.push_back(Property::list("Conflict Arbiter Indexes", std::move(arbiters)));
  if (conflict->where != nullptr) {
    ColumnTexts excluded;
    for (const auto& column : c.relation->columns)
      excluded.push_back({"excluded." + types::quote_identifier(column.name), nullptr});
    add(n, "Conflict Filter", text_.text_over(p, *conflict->where, &excluded, &columns));
  }
}

void NodeDescriber::foreign_source(ExplainNode& n, const catalog::RelationInfo& table) {
  for (const std::string& option : table.foreign->options) {
    const size_t equals = option.find('=');
    const std::string name = option.substr(0, equals);
    if (name == "filename") add(n, "Foreign File", option.substr(equals + 1));
    if (name == "program") add(n, "Foreign Program", option.substr(equals + 1));
  }
}

void NodeDescriber::function_scan(ExplainNode& n, const Plan& p, const FunctionScanPlan& f) {
  const auto* call = f.functions.size() == 1 ? try_as<CallExpr>(f.functions[0].call) : nullptr;
  if (call != nullptr && call->function == catalog::kTransitionRows) {
    n.type = n.title = "Named Tuplestore Scan";
    scan_filter(n, p, f.filter);
    return;
  }
  if (call != nullptr && call->function == catalog::kForeignRows) {
    const auto table = catalog_.relation(as<ConstExpr>(*call->arguments[0]).value.get().oid());
    n.type = n.title = "Foreign Scan";
    if (table == nullptr) return;
    relation(n, *table, text_.alias(p));
    scan_filter(n, p, f.filter);
    foreign_source(n, *table);
    if (!options_.verbose || !options_.remote_sql) return;
    if (std::string sql = options_.remote_sql(*call); !sql.empty()) add(n, "Remote SQL", std::move(sql));
    return;
  }
  if (call != nullptr && call->function == xml_construct::kTable) {
    named_scan(n, p, "Table Function Scan", "Table Function Name", "xmltable");
    if (options_.verbose) add(n, "Table Function Call", text_.text_over(p, *call, nullptr, nullptr));
    scan_filter(n, p, f.filter);
    return;
  }
  const auto function = call != nullptr ? catalog_.function(call->function) : nullptr;
  named_scan(n, p, "Function Scan", function != nullptr ? "Function Name" : nullptr,
             function != nullptr ? function->name : "");
  if (options_.verbose && function != nullptr) {
    const size_t at = n.title.find(" on ") + 4;
    n.title.insert(at, types::quote_identifier(catalog_.schema_name(function->schema)) + ".");
  }
  std::string calls;
  for (const auto& c : f.functions)
    calls += (calls.empty() ? "" : ", ") + text_.text_over(p, *c.call, nullptr, nullptr);
  if (options_.verbose) add(n, "Function Call", std::move(calls));
  scan_filter(n, p, f.filter);
}

void NodeDescriber::sort(ExplainNode& n, const Plan& p, const SortPlan& s) {
  n.type = n.title = s.presorted > 0 ? "Incremental Sort" : "Sort";
  n.properties.push_back(Property::list("Sort Key", sort_keys(p, s.keys, s.keys.size())));
  if (s.presorted > 0) {
    n.properties.push_back(Property::list("Presorted Key", sort_keys(p, s.keys, static_cast<size_t>(s.presorted))));
  }
  const PlanCounters c = counters(p);
  if (options_.analyze && c.method != nullptr) {
    const std::string size = kilobytes(c.memory_bytes);
    const bool on_disk = std::string_view(c.method) == "external merge";
    n.properties.push_back(Property::text(
        "Sort Method", std::string(c.method) + (on_disk ? "  Disk: " : "  Memory: ") + size + "kB", Where::kText));
    n.properties.push_back(Property::text("Sort Method", c.method, Where::kStructured));
    n.properties.push_back(Property::raw("Sort Space Used", size));
    n.properties.push_back(Property::text("Sort Space Type", on_disk ? "Disk" : "Memory", Where::kStructured));
  }
}

void NodeDescriber::append(ExplainNode& n, const Plan& p, const AppendPlan& a) {
  n.type = n.title = a.order.empty() ? "Append" : "Merge Append";
  if (!a.order.empty()) n.properties.push_back(Property::list("Sort Key", sort_keys(p, a.order, a.order.size())));
}

void NodeDescriber::set_operation(ExplainNode& n, const SetOperationPlan& s) {
  const std::string command =
      std::string(s.op == SetOperation::kIntersect ? "Intersect" : "Except") + (s.all ? " All" : "");
  n.type = "SetOp";
  n.title = "HashSetOp " + command;
  n.kind.push_back(Property::text("Strategy", "Hashed", Where::kStructured));
  n.head.push_back(Property::text("Command", command, Where::kStructured));
}

void NodeDescriber::merge(ExplainNode& n, const Plan& p, const MergePlan& m) {
  change(n, p, "Merge", m);
  const ColumnTexts target = text_.target_columns(p, m);
  const ColumnTexts* source = &text_.outputs(*p.inputs[0]);
  for (const MergeAction& a : m.actions) {
    if (a.condition != nullptr) text_.text_over(p, *a.condition, source, &target);
    for (const Assignment& s : a.assignments) {
      if (s.value != nullptr) text_.text_over(p, *s.value, source, &target);
    }
  }
}

void NodeDescriber::describe_hash(ExplainNode& hash, const Plan& join) const {
  if (!options_.analyze || hash.counters.loops == 0) return;
  const PlanCounters c = counters(join);
  const std::string size = kilobytes(c.memory_bytes), buckets = std::to_string(c.buckets),
                    batches = std::to_string(c.batches);
  hash.properties.push_back(Property::text(
      "Buckets",
      (c.batches == 1 ? buckets + "  Batches: 1"
                      : buckets + " (originally " + buckets + ")  Batches: " + batches + " (originally 1)") +
          "  Memory Usage: " + size + "kB",
      Where::kText));
  hash.properties.push_back(Property::raw("Hash Buckets", buckets));
  hash.properties.push_back(Property::raw("Original Hash Buckets", buckets));
  hash.properties.push_back(Property::raw("Hash Batches", batches));
  hash.properties.push_back(Property::raw("Original Hash Batches", "1"));
  hash.properties.push_back(Property::raw("Peak Memory Usage", size));
}

void NodeDescriber::describe(ExplainNode& n, const Plan& p) {
  const auto simple = [&](const char* name) { n.type = n.title = name; };
  switch (p.kind) {
    case PlanKind::kProject:
    case PlanKind::kFilter: return;
    case PlanKind::kResult:
      simple("Result");
      return condition(n, "One-Time Filter", p, static_cast<const ResultPlan&>(p).condition);
    case PlanKind::kValues: return named_scan(n, p, "Values Scan", nullptr, "");
    case PlanKind::kTableScan: {
      const auto& s = static_cast<const TableScanPlan&>(p);
      if (!s.current_of.empty()) return current_row(n, p, s);
      return scan(n, p, s, s.relation->primary_index());
    }
    case PlanKind::kIndexScan: {
      const auto& s = static_cast<const IndexScanPlan&>(p);
      return scan(n, p, s, &s.relation->indexes[static_cast<size_t>(s.index)]);
    }
    case PlanKind::kFunctionScan: return function_scan(n, p, static_cast<const FunctionScanPlan&>(p));
    case PlanKind::kSubqueryScan:
      named_scan(n, p, "Subquery Scan", nullptr, "");
      return condition(n, "Filter", p, static_cast<const SubqueryScanPlan&>(p).filter);
    case PlanKind::kCteScan: {
      const auto& s = static_cast<const CteScanPlan&>(p);
      named_scan(n, p, "CTE Scan", "CTE Name", statement_.ctes[static_cast<size_t>(s.cte)].name);
      return scan_filter(n, p, s.filter);
    }
    case PlanKind::kWorkTableScan: {
      const auto& s = static_cast<const WorkTableScanPlan&>(p);
      named_scan(n, p, "WorkTable Scan", "CTE Name", statement_.ctes[static_cast<size_t>(s.cte)].name);
      return scan_filter(n, p, s.filter);
    }
    case PlanKind::kProjectSet: return simple("ProjectSet");
    case PlanKind::kNestedLoop: return nested_loop(n, static_cast<const NestedLoopPlan&>(p));
    case PlanKind::kHashJoin: {
      const auto& j = static_cast<const HashJoinPlan&>(p);
      join(n, j, "Hash", "Hash Join");
      add(n, "Hash Cond", join_keys(p, j.left_keys, j.right_keys, j.null_safe));
      return join_filter(n, p, j);
    }
    case PlanKind::kMergeJoin: {
      const auto& j = static_cast<const MergeJoinPlan&>(p);
      join(n, j, "Merge", "Merge Join");
      add(n, "Merge Cond", join_keys(p, j.left_keys, j.right_keys, {}));
      return join_filter(n, p, j);
    }
    case PlanKind::kSort: return sort(n, p, static_cast<const SortPlan&>(p));
    case PlanKind::kLimit: {
      const auto& l = static_cast<const LimitPlan&>(p);
      for (const ExprPtr& e : {l.limit, l.offset}) {
        if (e != nullptr) text_.text(p, *e);  // for its subqueries
      }
      return simple("Limit");
    }
    case PlanKind::kHashAggregate:
      aggregate(n, p, "HashAggregate", "Hashed", static_cast<const HashAggregatePlan&>(p));
      return hash_memory(n, p);
    case PlanKind::kSortedAggregate: {
      const auto& a = static_cast<const SortedAggregatePlan&>(p);
      const bool plain = a.groups.empty();
      return aggregate(n, p,
                       plain                  ? "Aggregate"
                       : a.aggregates.empty() ? "Group"
                                              : "GroupAggregate",
                       plain ? "Plain" : "Sorted", a);
    }
    case PlanKind::kGroupingSets: return grouping_sets(n, p, static_cast<const GroupingSetsPlan&>(p));
    case PlanKind::kWindow: simple("WindowAgg"); return run_condition(n, static_cast<const WindowPlan&>(p));
    case PlanKind::kDistinct: {
      const auto& d = static_cast<const DistinctPlan&>(p);
      if (d.sorted) return simple("Unique");
      AggregatePlan groups;
      groups.groups = d.on;
      aggregate(n, p, "HashAggregate", "Hashed", groups);
      return hash_memory(n, p);
    }
    case PlanKind::kAppend: return append(n, p, static_cast<const AppendPlan&>(p));
    case PlanKind::kSetOperation: return set_operation(n, static_cast<const SetOperationPlan&>(p));
    case PlanKind::kRecursiveUnion: return simple("Recursive Union");
    case PlanKind::kMaterialize: return materialize(n, static_cast<const MaterializePlan&>(p));
    case PlanKind::kLockRows: return simple("LockRows");
    case PlanKind::kInsert: {
      const auto& insert = static_cast<const InsertPlan&>(p);
      return change(n, p,
                    insert.instead_event == catalog::kTriggerUpdate   ? "Update"
                    : insert.instead_event == catalog::kTriggerDelete ? "Delete"
                                                                      : "Insert",
                    insert);
    }
    case PlanKind::kUpdate: return change(n, p, "Update", static_cast<const UpdatePlan&>(p));
    case PlanKind::kDelete: return change(n, p, "Delete", static_cast<const DeletePlan&>(p));
    case PlanKind::kMerge: return merge(n, p, static_cast<const MergePlan&>(p));
  }
}

}  // namespace indigo::sql
