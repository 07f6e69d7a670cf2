#include "sql/plan/path/access_paths.h"

#include <algorithm>
#include <cmath>

#include "sql/analyze/make.h"
#include "sql/implication.h"
#include "sql/plan/condition/clauses.h"
#include "sql/plan/condition/distinct_values.h"
#include "sql/plan/condition/equivalence.h"
#include "sql/plan/condition/key_match.h"
#include "sql/plan/condition/selectivity.h"
#include "sql/plan/entry_columns.h"
#include "sql/plan/path/cost.h"
#include "sql/plan/path/index_trees.h"
#include "sql/plan/path/index_union.h"
#include "sql/plan/path/inverted_paths.h"
#include "sql/plan/path/nearest_paths.h"
#include "sql/plan/path/path_choice.h"
#include "sql/plan/rewrite/unused_outputs.h"
#include "storage/table.h"
#include "types/oids.h"

namespace indigo::sql::planning {
namespace {

using catalog::IndexInfo;

class TablePaths {
 public:
  TablePaths(Level& level, Rel& rel)
      : level_(level),
        rel_(rel),
        shared_relation_(rel.table != nullptr ? rel.table->relation : level.entry(rel.entry).relation),
        relation_(*shared_relation_) {}

  Status run() {
    if (!level_.work.current_of.empty() && rel_.entry == level_.work.target) {
      add_current_row();
      return {};
    }
    const IndexTree primary = primary_tree(level_, rel_);
    add_scan(primary);
    if (!primary.parts.empty() && !rel_.restrictions.empty()) {
      restricted(primary);
      if (is_point(rel_)) return {};  // nothing is better than the one row of a key
    }
    ExprList facts;
    for (const Clause* c : rel_.restrictions) facts.push_back(c->expr);
    INDIGO_ASSIGN(trees_, index_trees(level_, rel_, facts));
    for (const IndexTree& tree : trees_) {
      if (tree.index >= 0) restricted(tree);
    }
    if (level_.rels.size() > 1) {
      for (const IndexTree& tree : trees_) parameterised(tree);
    }
    INDIGO_TRY(add_inverted_paths(level_, rel_));
    INDIGO_TRY(add_nearest_paths(level_, rel_));
    return add_index_unions(level_, rel_);
  }

 private:
  // The upper table's column where the table is read in its place; null: it has none.
  ExprPtr column(int16_t number) const {
    int at = number - 1;
    if (rel_.table != nullptr) at = rel_.table->upper_of[static_cast<size_t>(at)];
    return at < 0 ? nullptr : make_var(rel_.entry, at, relation_.columns[static_cast<size_t>(number - 1)].type);
  }

  // The order of a scan forward.
  void set_order(Path& p, const IndexTree& tree) {
    size_t first = 0;  // column that has several values
    while (first < p.bounds.equal.size() && !p.bounds.is_list(first)) first++;
    for (size_t i = first; i < tree.parts.size(); i++) {
      const KeyPart& part = tree.parts[i];
      PathKey key;
      key.id = sort_id(level_, part.expr);
      key.descending = part.descending;
      key.nulls_first = part.not_null ? key.descending : part.nulls_first;
      p.keys.push_back(key);
    }
    if (tree.appends_key) add_key_order(p);
    // A partition's are asked for by the table above it.
    if (rel_.table == nullptr) p.keys.resize(useful_keys(level_, p.keys, rel_.set));
  }

  void add_key_order(Path& p) {
    for (const int16_t number : relation_.key_columns) {
      const ExprPtr of_key = column(number);
      if (of_key == nullptr) break;
      PathKey key;
      key.id = sort_id(level_, of_key);
      p.keys.push_back(key);
    }
  }

  // The whole table in the order of its key, both ways when that may be of use.
  void add_scan(const IndexTree& primary) {
    Path* p = level_.new_path(Path::Kind::kScan);
    init(*p);
    p->rows = rel_.rows;
    p->filters = rel_.restrictions;
    cost_scan(level_, *p, rel_.tuples, 1);
    if (!enabled(level_.s, kEnableSeqScan)) p->total += kDisabledCost;
    if (!primary.parts.empty())
      both_ways(p, primary);
    else
      add_path(level_, rel_, p);
  }

  // WHERE CURRENT OF: whatever the cursor stands on.
  void add_current_row() {
    Path* p = level_.new_path(Path::Kind::kScan);
    init(*p);
    p->rows = 1;
    p->filters = rel_.restrictions;
    rel_.rows = 1;
    p->total = kDescentCost + kRowCost;
    add_path(level_, rel_, p);
  }

  void init(Path& p) {
    p.rels = rel_.set;
    p.rel = &rel_;
  }

  bool order_matters() const {
    return !level_.work.order_by.empty() || !level_.work.group_by.empty() || !level_.work.windows.empty() ||
           level_.work.distinct || !level_.work.distinct_on.empty() || level_.work.has_aggregates ||
           level_.rels.size() > 1;
  }

  void both_ways(Path* p, const IndexTree& tree) {
    if (p->point || !order_matters()) {
      add_path(level_, rel_, p);
      return;
    }
    add_ordered(p, tree);
  }

  // The path in the tree's order, and backward where that order is asked for.
  void add_ordered(Path* p, const IndexTree& tree) {
    set_order(*p, tree);
    std::vector<PathKey> keys = p->keys;
    for (PathKey& key : keys) {
      key.descending = !key.descending;
      key.nulls_first = !key.nulls_first;
    }
    Path* back = nullptr;
    if (wants_direction(level_, keys)) {
      back = level_.new_path(Path::Kind::kScan);
      *back = *p;
      back->direction = storage::Direction::kBackward;
      back->keys = std::move(keys);
    }
    add_path(level_, rel_, p);
    if (back) add_path(level_, rel_, back);
  }

  void restricted(const IndexTree& tree) {
    Path* p = level_.new_path(Path::Kind::kScan);
    init(*p);
    p->index = tree.index;
    const KeyMatch match = match_key(level_, rel_, tree.parts, rel_.restrictions);
    p->bounds = match.bounds;
    if (!tree.serves(match)) return;
    if (p->bounds.whole()) {
      // No bounds: only for its order, or for a partial index.
      const bool partial = tree.index >= 0 && !relation_.indexes[static_cast<size_t>(tree.index)].predicate.empty();
      if (tree.index < 0 || (!order_matters() && !partial)) return;
    }
    finish_scan(level_, rel_, *p, tree, match, rel_.restrictions);
    both_ways(p, tree);
  }

  // Bounds from join clauses: for each set of relations that supplies some, what can be made of it.
  void parameterised(const IndexTree& tree) {
    std::vector<const Clause*> usable;
    std::vector<RelSet> suppliers;
    for (const KeyPart& part : tree.parts) {
      std::vector<const Clause*> found;
      column_equalities(level_, part.expr, rel_.set, found);
      for (const Clause* c : found) usable.push_back(c);
    }
    for (const Clause* c : level_.join_clauses) {
      if (!c->rels.overlaps(rel_.set) || c->rels == rel_.set) continue;
      if (can_parameterise(level_, rel_, *c)) usable.push_back(c);
    }
    for (const Clause* c : usable) {
      const RelSet other = c->rels - rel_.set;
      if (std::find(suppliers.begin(), suppliers.end(), other) == suppliers.end()) suppliers.push_back(other);
    }
    // Unions of suppliers, for keys of several columns.
    const size_t singles = suppliers.size();
    for (size_t i = 0; i < singles && suppliers.size() < 16; i++) {
      for (size_t j = i + 1; j < singles && suppliers.size() < 16; j++) {
        const RelSet both = suppliers[i] | suppliers[j];
        if (std::find(suppliers.begin(), suppliers.end(), both) == suppliers.end()) suppliers.push_back(both);
      }
    }
    for (const RelSet& outer : suppliers) {
      std::vector<const Clause*> clauses = rel_.restrictions;
      for (const Clause* c : usable) {
        if (outer.contains(c->rels - rel_.set)) clauses.push_back(c);
      }
      Path* p = level_.new_path(Path::Kind::kScan);
      init(*p);
      p->index = tree.index;
      const KeyMatch match = match_key(level_, rel_, tree.parts, clauses);
      p->bounds = match.bounds;
      RelSet used;
      for_each_value(p->bounds, [&](const ExprPtr& e) { used |= level_.rels_of(e); });
      if (used != outer || !tree.serves(match)) continue;  // another supplier makes this path
      p->outer = outer;
      finish_scan(level_, rel_, *p, tree, match, rel_.restrictions, met(match));
      add_ordered(p, tree);  // of use behind the one row of another relation
    }
  }

  // Of another relation's values only some occur in this one, and who picks among them picks such as occur: between all and
  // none of the picked ones are met.
  double met(const KeyMatch& match) {
    double out = 1;
    for (const Clause* c : match.matched) {
      if (!c->can_join || !c->hashable || c->rels.count() != 2) continue;
      const bool straight = c->left_rels == rel_.set;
      const Rel& other = level_.rels[static_cast<size_t>((c->rels - rel_.set).first())];
      if (other.restrictions.empty() || clauses_selectivity(level_, other.restrictions) > 0.5) continue;
      if (column_statistics(level_, straight ? c->left : c->right) == nullptr) continue;
      const double own = distinct_values(level_, straight ? c->left : c->right, rel_.tuples);
      const double others = distinct_values(level_, straight ? c->right : c->left, std::max(1.0, other.tuples));
      if (others > own) out *= std::sqrt(others / own);
    }
    return out;
  }

  Level& level_;
  Rel& rel_;
  const std::shared_ptr<const RelationInfo> shared_relation_;
  const RelationInfo& relation_;
  std::vector<IndexTree> trees_;
};

// Whether the index's entries have every column of the relation that is read.
bool entries_suffice(Level& level, const Rel& rel, const Path& p) {
  if (p.index < 0 || p.point || rel.entry < 0 || level.work.command != CommandKind::kSelect ||
      !level.work.row_locks.empty() || rel.entry == level.work.target) {
    return false;
  }
  if (std::any_of(level.entries.begin(), level.entries.end(), [](const Entry* e) { return e->lateral; })) return false;
  if (!level.read_columns) level.read_columns = read_vars(level);
  std::vector<int> columns;
  for (const auto& [entry, column] : level.read_columns->pairs()) {
    if (entry != rel.entry) continue;
    columns.push_back(rel.table != nullptr && column >= 0 ? rel.table->column_of[static_cast<size_t>(column)] : column);
  }
  const RelationInfo& relation = rel.table != nullptr ? *rel.table->relation : *level.entry(rel.entry).relation;
  return entry_columns(relation, relation.indexes[static_cast<size_t>(p.index)], columns).has_value();
}

// What an index's predicate leaves of the rows beyond what the bounds do.
double predicate_part(Level& level, const IndexTree& tree, const KeyMatch& match) {
  ExprList facts;
  for (const Clause* c : match.matched) facts.push_back(c->expr);
  double part = 1;
  for (const ExprPtr& e : tree.predicate) {
    if (!implies(level.s.catalog(), facts, e)) part *= selectivity(level, e);
  }
  return part;
}

}  // namespace

bool can_parameterise(const Level& level, const Rel& rel, const Clause& c) {
  if (!c.pushed_down) return c.outer_join.contains(rel.set);
  return c.required == c.rels && !level.nullable.overlaps(rel.set);
}

void cost_scan(Level& level, Path& p, double fetched, double ranges, double descent, bool entries_only) {
  const double fetch = p.index >= 0 ? (entries_only ? 0 : kFetchCost) + kIndexEntryCost : 0;
  p.startup = descent * kDescentCost;
  p.total = ranges * descent * kDescentCost + fetched * (kRowCost + fetch + clauses_cost(level, p.filters));
  if (p.index >= 0 && !enabled(level.s, kEnableIndexScan)) p.total += kDisabledCost;
}

void finish_scan(Level& level, const Rel& rel, Path& p, const IndexTree& tree, const KeyMatch& match,
                 const std::vector<const Clause*>& conditions, double met) {
  for (const Clause* c : conditions) {
    if (std::find(p.bounds.exact.begin(), p.bounds.exact.end(), c) != p.bounds.exact.end()) continue;
    if (!tree.predicate.empty() && implies(level.s.catalog(), tree.predicate, c->expr)) continue;
    p.filters.push_back(c);
  }
  p.point = tree.unique && match.points && p.bounds.plain();
  double fetched = p.point ? 1 : rel.tuples * match.part * predicate_part(level, tree, match);
  if (tree.unique && match.points) fetched = std::min(fetched, match.ranges);
  fetched = std::max(1.0, fetched);
  const double passing = std::max(1e-6, fetched * clauses_selectivity(level, p.filters));
  p.rows = p.outer.empty() ? rel.rows : std::min(fetched, passing);
  if (!p.point) fetched = std::min(rel.tuples, fetched * met);
  if (tree.unique && match.points) fetched = std::min(fetched, match.ranges);
  cost_scan(level, p, fetched, match.ranges, tree.descent, entries_suffice(level, rel, p));
}

Status table_paths(Level& level, Rel& rel) { return TablePaths(level, rel).run(); }

bool is_point(const Rel& rel) {
  return std::any_of(rel.paths.begin(), rel.paths.end(), [](const Path* p) { return p->point && p->outer.empty(); });
}

bool is_unique_for(Level& level, const Rel& rel, const ExprList& columns) {
  if (rel.one_row) return true;
  if (rel.entry < 0 || level.entry(rel.entry).kind != EntryKind::kTable) return false;
  // A key is unique in each of the tables that inherit, not in all of them; partitions' keys are.
  if (rel.has_leaves && !level.entry(rel.entry).relation->is_partitioned()) return false;
  for (const IndexInfo& index : level.entry(rel.entry).relation->indexes) {
    if (!index.unique || !index.immediate || !index.valid || !index.predicate.empty()) continue;
    const bool all = std::all_of(index.columns.begin(), index.columns.end(), [&](const auto& c) {
      return std::any_of(columns.begin(), columns.end(), [&](const ExprPtr& e) {
        const auto* v = try_as<VarExpr>(e);
        return v && c.column != 0 && v->entry == rel.entry && v->column == c.column - 1;
      });
    });
    if (all) return true;
  }
  return false;
}

}  // namespace indigo::sql::planning
