#include "sql/plan/path/nearest_paths.h"

#include <algorithm>
#include <cmath>

#include "catalog/access_method.h"
#include "catalog/descriptor/inverted_key.h"
#include "sql/implication.h"
#include "sql/plan/condition/equivalence.h"
#include "sql/plan/condition/key_condition.h"
#include "sql/plan/path/access_paths.h"
#include "sql/plan/path/cost.h"
#include "sql/plan/path/index_trees.h"
#include "sql/plan/path/path_choice.h"

namespace indigo::sql::planning {
namespace {

// What a search looks at before the first row, and for each row more, in distances; and what a distance costs.
constexpr double kFirstRings = 12;  // descents
constexpr double kFirstDistances = 600, kDistancesOfLayer = 30, kDistancesOfRow = 15, kDistanceCost = 4 * kOperatorCost;

// Rows come in this order when nothing of the level changes it: no groups, no windows.
const SortKey* wanted_order(const Level& level) {
  const Query& q = level.work;
  if (q.order_by.empty() || q.order_by[0].descending || q.order_by[0].nulls_first) return nullptr;
  if (!q.group_by.empty() || q.has_aggregates || !q.windows.empty() || q.distinct || !q.distinct_on.empty())
    return nullptr;
  return &q.order_by[0];
}

class NearestPaths {
 public:
  NearestPaths(Level& level, Rel& rel, const SortKey& order) : level_(level), rel_(rel), order_(order) {}

  Status run() {
    const RelationInfo& relation = *level_.entry(rel_.entry).relation;
    for (size_t i = 0; i < relation.indexes.size(); i++) {
      const catalog::IndexInfo& index = relation.indexes[i];
      const catalog::AccessMethod* method = catalog::access_method(index.method);
      if (!index.storage || !index.valid || method == nullptr || !method->inverted) continue;
      INDIGO_ASSIGN(const IndexTree tree, secondary_tree(level_, rel_, static_cast<int>(i)));
      if (!covers(tree)) continue;
      for (size_t column = 0; column < tree.parts.size(); column++) {
        try_column(static_cast<int>(i), column, index, tree.parts[column], method->nearest);
      }
    }
    return {};
  }

 private:
  // Whether the index has all rows that are asked for.
  bool covers(const IndexTree& tree) {
    ExprList facts;
    for (const Clause* c : rel_.restrictions) facts.push_back(c->expr);
    return std::all_of(tree.predicate.begin(), tree.predicate.end(),
                       [&](const ExprPtr& e) { return implies(level_.s.catalog(), facts, e); });
  }

  void try_column(int number, size_t column, const catalog::IndexInfo& index, const KeyPart& part, bool graph) {
    const KeyConditions::Operand operand = KeyConditions(level_, rel_).operand_of(order_.expr, part);
    if (operand.op == kInvalidOid || !level_.rels_of(operand.value).empty()) return;
    catalog::CatalogView& catalog = level_.s.catalog();
    const catalog::InvertedKey key = catalog::inverted_key(catalog, index.columns[column]);
    if (key.keys == nullptr) return;
    // Rings look at the column itself.
    const bool serves = graph ? operand.op == key.order
                              : index.columns[column].column > 0 && orders_by_distance(catalog, key, operand.op);
    if (serves) add(number, column, operand, graph);
  }

  void add(int number, size_t column, const KeyConditions::Operand& operand, bool graph) {
    Path* p = level_.new_path(Path::Kind::kScan);
    p->rels = rel_.set;
    p->rel = &rel_;
    p->index = number;
    p->nearest = true;
    p->bounds.equal.push_back(operand.value);
    p->inverted.push_back({static_cast<int>(column), 1, operand.op});
    p->filters = rel_.restrictions;
    p->rows = rel_.rows;
    PathKey key;
    key.id = sort_id(level_, order_.expr);
    p->keys.push_back(key);
    cost_scan(level_, *p, rel_.tuples, 1);
    if (graph) {
      p->startup += (kFirstDistances + kDistancesOfLayer * std::log2(std::max(2.0, rel_.tuples))) * kDistanceCost;
      p->total += p->startup + rel_.tuples * kDistancesOfRow * kDistanceCost;
    } else {
      p->startup += kFirstRings * kDescentCost;
      p->total += p->startup + rel_.tuples * (kFetchCost + kOperatorCost);
    }
    add_path(level_, rel_, p);
  }

  Level& level_;
  Rel& rel_;
  const SortKey& order_;
};

}  // namespace

Status add_nearest_paths(Level& level, Rel& rel) {
  // Partitions would be merged by a distance that none of their columns has.
  const SortKey* order = rel.table == nullptr ? wanted_order(level) : nullptr;
  return order == nullptr ? Status() : NearestPaths(level, rel, *order).run();
}

}  // namespace indigo::sql::planning
