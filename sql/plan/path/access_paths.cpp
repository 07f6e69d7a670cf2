#include "sql/plan/path/access_paths.h"

#include <algorithm>

#include "catalog/access_method.h"
#include "catalog/oids.h"
#include "sql/analyze/analyzer.h"
#include "sql/analyze/make.h"
#include "sql/implication.h"
#include "sql/plan/condition/clauses.h"
#include "sql/plan/condition/equivalence.h"
#include "sql/plan/condition/key_match.h"
#include "sql/plan/condition/selectivity.h"
#include "sql/plan/path/cost.h"

namespace indigo::sql::planning {
namespace {

using catalog::IndexInfo;

constexpr int kNoUpperColumn = 1 << 20;

// One tree: the table's own (index -1) or a secondary index.
struct Tree {
  int index = -1;
  std::vector<KeyPart> parts;
  bool unique = false;       // all parts fixed: at most one row
  bool appends_key = false;  // equal index keys are in primary key order
  bool ordered = true;       // else it finds whole keys only, one or those of a list, in the list's order
  double descent = 1;        // times kDescentCost

  bool serves(const IndexBounds& bounds) const {
    if (ordered) return true;
    return bounds.equal.size() + (bounds.in_array ? 1 : 0) == parts.size() && !bounds.low && !bounds.high &&
           bounds.any_of.empty();
  }
};

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
    add_scan();
    INDIGO_TRY(collect_trees());
    for (const Tree& tree : trees_) restricted(tree);
    if (level_.rels.size() > 1) {
      for (const Tree& tree : trees_) parameterised(tree);
    }
    return {};
  }

 private:
  // The upper table's column where the table is read in its place; null: it has none.
  ExprPtr column(int16_t number) const {
    int at = number - 1;
    if (rel_.table != nullptr) at = rel_.table->upper_of[static_cast<size_t>(at)];
    return at < 0 ? nullptr : make_var(rel_.entry, at, relation_.columns[static_cast<size_t>(number - 1)].type);
  }

  Tree primary_tree() const {
    Tree tree;
    tree.unique = true;
    for (size_t i = 0; i < relation_.key_columns.size(); i++) {
      KeyPart part;
      part.expr = column(relation_.key_columns[i]);
      if (part.expr == nullptr) {
        tree.unique = false;
        break;
      }
      part.descending = relation_.key.column(i).descending;
      part.nulls_first = relation_.key.column(i).nulls_first;
      part.not_null = true;
      tree.parts.push_back(std::move(part));
    }
    return tree;
  }

  Status collect_trees() {
    if (Tree tree = primary_tree(); !tree.parts.empty()) trees_.push_back(std::move(tree));
    for (size_t i = 0; i < relation_.indexes.size(); i++) {
      const IndexInfo& index = relation_.indexes[i];
      const catalog::AccessMethod* method = catalog::access_method(index.method);
      if (!index.storage || !index.valid || method == nullptr) continue;
      INDIGO_ASSIGN(const bool usable, predicate_holds(index));
      if (!usable) continue;
      Tree tree;
      tree.index = static_cast<int>(i);
      tree.ordered = method->ordered;
      tree.descent = method->descent;
      tree.unique = index.unique && index.immediate;
      tree.appends_key = !index.unique;
      for (const auto& c : index.columns) {
        KeyPart part;
        if (c.column != 0) {
          const ExprPtr plain = column(c.column);
          if (plain == nullptr) {
            tree.unique = tree.appends_key = false;
            break;
          }
          part.expr = collated(plain, c.type.collation);
          part.not_null = relation_.columns[static_cast<size_t>(c.column - 1)].not_null;
        } else {
          INDIGO_ASSIGN(const ExprPtr e,
                        analyze_expression(level_.s.session, c.expression, shared_relation_, TypeRef{}));
          part.expr = collated(moved(e), c.type.collation);
        }
        part.descending = c.descending;
        part.nulls_first = c.nulls_first;
        tree.parts.push_back(std::move(part));
      }
      if (!tree.parts.empty()) trees_.push_back(std::move(tree));
    }
    return {};
  }

  // An index may order its column by another collation than the column's own.
  static ExprPtr collated(const ExprPtr& e, Oid collation) {
    if (e->type.collation == collation || collation == kInvalidOid) return e;
    auto out = std::make_shared<CollateExpr>();
    out->argument = e;
    out->type = e->type;
    out->type.collation = collation;
    return out;
  }

  // An expression over entry 0 as one over this entry.
  ExprPtr moved(const ExprPtr& e) const {
    if (const auto* v = try_as<VarExpr>(e)) {
      auto copy = std::make_shared<VarExpr>(*v);
      copy->entry = rel_.entry;
      // A column that the upper table has not is no column of the query: nothing equals it.
      if (rel_.table != nullptr && v->column >= 0) {
        const int upper = rel_.table->upper_of[static_cast<size_t>(v->column)];
        copy->column = upper >= 0 ? upper : kNoUpperColumn;
      }
      return copy;
    }
    return map_children(e, [&](const ExprPtr& c) { return moved(c); });
  }

  // A partial index serves queries whose conditions include its predicate's.
  Result<bool> predicate_holds(const IndexInfo& index) {
    if (index.predicate.empty()) return true;
    INDIGO_ASSIGN(const ExprPtr predicate, analyze_expression(level_.s.session, index.predicate, shared_relation_,
                                                              {oid::kBool, -1, kInvalidOid}));
    ExprList facts;
    for (const Clause* c : rel_.restrictions) facts.push_back(c->expr);
    return implies(level_.s.catalog(), facts, moved(predicate));
  }

  void finish_costs(Path& p, double fetched, const std::vector<const Clause*>& filters, double ranges,
                    double descent = 1) {
    const double fetch = p.index >= 0 ? kFetchCost + kIndexEntryCost : 0;
    p.startup = descent * kDescentCost;
    p.total = ranges * descent * kDescentCost + fetched * (kRowCost + fetch + clauses_cost(level_, filters));
    if (p.index >= 0 && !enabled(level_.s, kEnableIndexScan)) p.total += kDisabledCost;
  }

  void set_order(Path& p, const Tree& tree) {
    const bool backward = p.direction == storage::Direction::kBackward;
    for (size_t i = p.bounds.equal.size(); i < tree.parts.size(); i++) {
      const KeyPart& part = tree.parts[i];
      PathKey key;
      key.id = sort_id(level_, part.expr);
      key.descending = part.descending != backward;
      key.nulls_first = part.not_null ? key.descending : part.nulls_first != backward;
      p.keys.push_back(key);
    }
    if (!tree.appends_key) return;
    for (const int16_t number : relation_.key_columns) {
      const ExprPtr of_key = column(number);
      if (of_key == nullptr) break;
      PathKey key;
      key.id = sort_id(level_, of_key);
      key.descending = backward;
      key.nulls_first = backward;
      p.keys.push_back(key);
    }
  }

  // The whole table in the order of its key, both ways when that may be of use.
  void add_scan() {
    Path* p = level_.new_path(Path::Kind::kScan);
    init(*p);
    p->rows = rel_.rows;
    finish_costs(*p, rel_.tuples, rel_.restrictions, 1);
    if (!enabled(level_.s, kEnableSeqScan)) p->total += kDisabledCost;
    if (!primary_tree().parts.empty())
      both_ways(p, primary_tree());
    else
      add_path(rel_, p);
  }

  // WHERE CURRENT OF: whatever the cursor stands on.
  void add_current_row() {
    Path* p = level_.new_path(Path::Kind::kScan);
    init(*p);
    p->rows = 1;
    rel_.rows = 1;
    p->total = kDescentCost + kRowCost;
    add_path(rel_, p);
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

  void both_ways(Path* p, const Tree& tree) {
    if (p->point || !order_matters()) {
      add_path(rel_, p);
      return;
    }
    Path* back = nullptr;
    if ((!level_.work.order_by.empty() || level_.work.has_aggregates || !level_.work.windows.empty())) {
      back = level_.new_path(Path::Kind::kScan);
      *back = *p;
      back->direction = storage::Direction::kBackward;
      set_order(*back, tree);
    }
    set_order(*p, tree);
    add_path(rel_, p);
    if (back) add_path(rel_, back);
  }

  void restricted(const Tree& tree) {
    Path* p = level_.new_path(Path::Kind::kScan);
    init(*p);
    p->index = tree.index;
    const double part = match_key(level_, rel_, tree.parts, rel_.restrictions, p->bounds);
    if (!tree.serves(p->bounds)) return;
    if (p->bounds.whole()) {
      // No bounds: only for its order, or for a partial index.
      const bool partial = tree.index >= 0 && !relation_.indexes[static_cast<size_t>(tree.index)].predicate.empty();
      if (tree.index < 0 || (!order_matters() && !partial)) return;
    }
    finish(p, tree, part);
    both_ways(p, tree);
  }

  void finish(Path* p, const Tree& tree, double part) {
    p->point = tree.unique && p->bounds.equal.size() == tree.parts.size();
    double fetched = p->point ? 1 : std::max(1.0, rel_.tuples * part);
    double ranges = 1;
    if (const auto* list = try_as<ArrayExpr>(p->bounds.in_array)) {
      ranges = static_cast<double>(list->elements.size());
    } else if (p->bounds.in_array) {
      ranges = 10;
    } else if (!p->bounds.any_of.empty()) {
      ranges = static_cast<double>(p->bounds.any_of.size());
    }
    std::vector<const Clause*> filters;
    for (const Clause* c : rel_.restrictions) {
      if (std::find(p->bounds.exact.begin(), p->bounds.exact.end(), c) == p->bounds.exact.end()) filters.push_back(c);
    }
    p->rows = p->outer.empty() ? rel_.rows : std::max(1e-6, std::min(fetched, fetched * filter_part(filters)));
    finish_costs(*p, fetched, filters, ranges, tree.descent);
  }

  double filter_part(const std::vector<const Clause*>& filters) { return clauses_selectivity(level_, filters); }

  // Bounds from join clauses: for each set of relations that supplies some, what can be made of it.
  void parameterised(const Tree& tree) {
    std::vector<const Clause*> usable;
    std::vector<RelSet> suppliers;
    for (const KeyPart& part : tree.parts) {
      std::vector<const Clause*> found;
      column_equalities(level_, part.expr, rel_.set, found);
      for (const Clause* c : found) usable.push_back(c);
    }
    for (const Clause* c : level_.join_clauses) {
      if (!c->rels.overlaps(rel_.set) || c->rels == rel_.set) continue;
      if (can_parameterise(*c)) usable.push_back(c);
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
      const double part = match_key(level_, rel_, tree.parts, clauses, p->bounds);
      RelSet used;
      for (const ExprPtr& e : p->bounds.equal) used |= level_.rels_of(e);
      used |= level_.rels_of(p->bounds.low) | level_.rels_of(p->bounds.high) | level_.rels_of(p->bounds.in_array);
      for (const KeyInterval& i : p->bounds.any_of) used |= level_.rels_of(i.low) | level_.rels_of(i.high);
      if (used != outer || !tree.serves(p->bounds)) continue;  // another supplier makes this path, or none
      p->outer = outer;
      finish(p, tree, part);
      set_order(*p, tree);
      add_path(rel_, p);
    }
  }

  // An outer join's own condition may bound its null-extended side only; others bound any side, unless they must wait
  // for an outer join.
  bool can_parameterise(const Clause& c) const {
    if (!c.pushed_down) return c.outer_join.contains(rel_.set);
    return c.required == c.rels && !level_.nullable.overlaps(rel_.set);
  }

  Level& level_;
  Rel& rel_;
  const std::shared_ptr<const RelationInfo> shared_relation_;
  const RelationInfo& relation_;
  std::vector<Tree> trees_;
};

// The order of b is a prefix of a's.
bool orders_as(const Path& a, const Path& b) {
  return a.keys.size() >= b.keys.size() && std::equal(b.keys.begin(), b.keys.end(), a.keys.begin());
}

bool dominates(const Path& a, const Path& b) {
  constexpr double kFuzz = 1.01;
  return a.total <= b.total * kFuzz && a.startup <= b.startup * kFuzz && b.outer.contains(a.outer) &&
         a.rows <= b.rows * kFuzz && orders_as(a, b);
}

}  // namespace

Status table_paths(Level& level, Rel& rel) { return TablePaths(level, rel).run(); }

void add_path(Rel& rel, Path* path) {
  for (const Path* p : rel.paths) {
    if (dominates(*p, *path)) return;
  }
  std::erase_if(rel.paths, [&](const Path* p) { return dominates(*path, *p); });
  rel.paths.push_back(path);
  rel.cheapest = nullptr;
  for (Path* p : rel.paths) {
    if (p->outer.empty() && (!rel.cheapest || p->total < rel.cheapest->total)) rel.cheapest = p;
  }
}

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
