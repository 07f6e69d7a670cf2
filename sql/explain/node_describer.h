// One node of EXPLAIN's tree: its names, and the properties that its kind of plan has. The nodes above and below it are
// explain_plan.cpp's business.
// Thread safety: one call of EXPLAIN.
#pragma once

#include <string>

#include "sql/explain/explain_plan.h"
#include "sql/explain/plan_text.h"

namespace indigo::sql {

class NodeDescriber {
 public:
  NodeDescriber(catalog::CatalogView& catalog, const PlannedStatement& statement, const ExplainOptions& options,
                const CountersOf& counters, PlanText& text)
      : catalog_(catalog), statement_(statement), options_(options), counters_(counters), text_(text) {}

  // Nothing for Project and Filter, which belong to the node below them.
  void describe(ExplainNode& n, const Plan& p);
  // Of the table that a hash join builds, once it has been built.
  void describe_hash(ExplainNode& hash, const Plan& join) const;
  static void add(ExplainNode& n, const char* label, std::string text);
  void add_removed(ExplainNode& n, const char* what, uint64_t filtered, const PlanCounters& c) const;
  PlanCounters counters(const Plan& p) const;

 private:
  void condition(ExplainNode& n, const char* label, const Plan& p, const ExprPtr& e);
  void relation(ExplainNode& n, const RelationInfo& r, const std::string& alias);
  void named_scan(ExplainNode& n, const Plan& p, const char* type, const char* label, const std::string& name);
  std::string index_column(const Plan& p, const ScanPlan& s, const catalog::IndexColumn& column);
  std::string inverted_conditions(const Plan& p, const IndexScanPlan& s, const catalog::IndexInfo& index);
  // `b` bounds the index's columns from `position` on.
  std::string bounds(const Plan& p, const ScanPlan& s, const catalog::IndexInfo& index, const KeyBounds& b,
                     size_t position);
  void scan(ExplainNode& n, const Plan& p, const ScanPlan& s, const catalog::IndexInfo* index);
  void current_row(ExplainNode& n, const Plan& p, const TableScanPlan& s);
  void scan_filter(ExplainNode& n, const Plan& p, const ExprPtr& filter);
  void join(ExplainNode& n, const JoinPlan& j, const char* name, const char* plain);
  void join_filter(ExplainNode& n, const Plan& p, const JoinPlan& j);
  void run_condition(ExplainNode& n, const WindowPlan& p);
  void materialize(ExplainNode& n, const MaterializePlan& p);
  void nested_loop(ExplainNode& n, const NestedLoopPlan& p);
  std::string join_keys(const Plan& p, const ExprList& left, const ExprList& right, const std::vector<bool>& null_safe);
  std::vector<std::string> sort_keys(const Plan& p, const std::vector<SortKey>& keys, size_t count);
  std::vector<std::string> group_keys(const Plan& p, const ExprList& groups);
  void aggregate(ExplainNode& n, const Plan& p, const char* title, const char* strategy, const AggregatePlan& a);
  void hash_memory(ExplainNode& n, const Plan& p);
  void grouping_sets(ExplainNode& n, const Plan& p, const GroupingSetsPlan& g);
  void change(ExplainNode& n, const Plan& p, const char* operation, const ChangePlan& c);
  void foreign_source(ExplainNode& n, const catalog::RelationInfo& table);
  void function_scan(ExplainNode& n, const Plan& p, const FunctionScanPlan& f);
  void sort(ExplainNode& n, const Plan& p, const SortPlan& s);
  void append(ExplainNode& n, const Plan& p, const AppendPlan& a);
  void set_operation(ExplainNode& n, const SetOperationPlan& s);
  void merge(ExplainNode& n, const Plan& p, const MergePlan& m);

  catalog::CatalogView& catalog_;
  const PlannedStatement& statement_;
  const ExplainOptions& options_;
  const CountersOf& counters_;
  PlanText& text_;
};

}  // namespace indigo::sql
