// What EXPLAIN shows, before it is text: a tree of nodes with properties, in PostgreSQL's words.
// Thread safety: plain values.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "sql/explain/plan_counters.h"

namespace indigo::sql {

struct CallExpr;

struct ExplainOptions {
  bool analyze = false, verbose = false, costs = true, buffers = false, timing = false, summary = false;
  bool settings = false, wal = false;
  bool triggers = true;  // with analyze
  bool logged = false;   // as auto_explain writes it: the query's text first, one object in place of a list
  enum class Format : uint8_t { kText, kJson, kYaml, kXml } format = Format::kText;
  // What a call of catalog::kForeignRows sends to another server; empty: nothing.
  std::function<std::string(const CallExpr& call)> remote_sql = {};
};

struct ExplainProperty {
  enum class Kind : uint8_t { kText, kRaw, kList } kind = Kind::kText;  // kRaw: numbers and booleans
  enum class Where : uint8_t { kBoth, kText, kStructured } where = Where::kBoth;
  std::string label, value;
  std::vector<std::string> items;  // kList

  static ExplainProperty text(std::string label, std::string value, Where where = Where::kBoth) {
    return {Kind::kText, where, std::move(label), std::move(value), {}};
  }
  static ExplainProperty raw(std::string label, std::string value, Where where = Where::kStructured) {
    return {Kind::kRaw, where, std::move(label), std::move(value), {}};
  }
  static ExplainProperty list(std::string label, std::vector<std::string> items) {
    return {Kind::kList, Where::kBoth, std::move(label), {}, std::move(items)};
  }
};

struct ExplainNode {
  std::string title;                  // text: "Index Scan using t_pkey on t"
  std::string type;                   // "Index Scan"
  std::vector<ExplainProperty> kind;  // structured: strategy, operation
  std::string relationship;           // to its parent: Outer, Inner, InitPlan, SubPlan; empty at the top
  std::string subplan_name;           // "SubPlan 1", "CTE c"; empty: none
  std::vector<ExplainProperty> head;  // structured: scan target, join type
  double startup_cost = 0, total_cost = 0, rows = 0;
  int width = 0;
  PlanCounters counters;  // with ExplainOptions::analyze
  std::vector<ExplainProperty> properties;
  std::vector<ExplainNode> children;
};

struct Explained {
  std::string query_text;  // with ExplainOptions::logged
  ExplainNode root;
  double planning_ms = 0, execution_ms = 0;
  std::vector<std::pair<std::string, std::string>> settings;
};

// The whole output; lines end with \n, save the last.
std::string format_explained(const Explained& explained, const ExplainOptions& options);

}  // namespace indigo::sql
