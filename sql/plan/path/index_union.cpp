#include "sql/plan/path/index_union.h"

#include <algorithm>

#include "sql/analyze/make.h"
#include "sql/plan/condition/clauses.h"
#include "sql/plan/condition/key_condition.h"
#include "sql/plan/condition/selectivity.h"
#include "sql/plan/path/access_paths.h"
#include "sql/plan/path/cost.h"
#include "sql/plan/path/index_trees.h"
#include "sql/plan/path/path_choice.h"

namespace indigo::sql::planning {
namespace {

using Clauses = std::vector<const Clause*>;

// Beyond this many a scan is what is left.
constexpr size_t kMaxAlternatives = 256;

class IndexUnions {
 public:
  IndexUnions(Level& level, Rel& rel) : level_(level), rel_(rel) {}

  Status run() {
    for (const Clause* c : rel_.restrictions) volatile_ = volatile_ || contains_volatile(*c->expr);
    if (volatile_) return {};
    for (const Clause* c : rel_.restrictions) INDIGO_TRY(add(*c));
    for (const Clause* c : level_.join_clauses) {
      if (c->rels.overlaps(rel_.set) && can_parameterise(level_, rel_, *c)) INDIGO_TRY(add(*c));
    }
    return {};
  }

 private:
  // What one index reads: of one alternative, or of several.
  struct Part {
    IndexTree tree;
    ExprList alternatives;
    Path* path = nullptr;
  };

  Status add(const Clause& c) {
    std::vector<ExprList> alternatives;
    bool exact = true;
    if (c.expr->kind != ExprKind::kBool || !KeyConditions(level_, rel_).alternatives_of(c.expr, alternatives, exact) ||
        alternatives.size() > kMaxAlternatives)
      return {};
    Clauses others;
    for (const Clause* o : rel_.restrictions) {
      if (o != &c) others.push_back(o);
    }
    std::vector<Part> parts;
    for (const ExprList& own : alternatives) {
      INDIGO_ASSIGN(Part part, best_part(own, others));
      if (!part.path) return {};
      const auto same = std::find_if(parts.begin(), parts.end(), [&](const Part& p) {
        return p.tree.index == part.tree.index && p.tree.predicate.empty();
      });
      if (same == parts.end()) {
        parts.push_back(std::move(part));
      } else {
        same->alternatives.push_back(part.alternatives[0]);
        same->path = nullptr;
      }
    }
    if (parts.size() < 2) return {};  // an ordinary path of that index
    for (Part& part : parts) {
      if (!part.path) part.path = path_of(part.tree, make_clauses({make_or(part.alternatives)}), others);
      if (!part.path) return {};
    }
    add_union(parts, c.rels - rel_.set);
    return {};
  }

  // The cheapest way to the rows of one alternative; no path: none is bounded by it.
  Result<Part> best_part(const ExprList& own, const Clauses& others) {
    ExprList facts = own;
    for (const Clause* c : others) facts.push_back(c->expr);
    INDIGO_ASSIGN(const std::vector<IndexTree> trees, index_trees(level_, rel_, facts));
    const Clauses clauses = make_clauses(own);
    Part best;
    for (const IndexTree& tree : trees) {
      Path* p = path_of(tree, clauses, others);
      if (p && (!best.path || p->total < best.path->total)) best = {tree, {make_and(own)}, p};
    }
    return best;
  }

  Clauses make_clauses(const ExprList& conjuncts) {
    Clauses out;
    for (const ExprPtr& e : conjuncts) out.push_back(&make_clause(level_, e, level_.rels_of(e)));
    return out;
  }

  Path* path_of(const IndexTree& tree, const Clauses& own, const Clauses& others) {
    Clauses all = own;
    all.insert(all.end(), others.begin(), others.end());
    const KeyMatch match = match_key(level_, rel_, tree.parts, all);
    const auto used = [&](const Clause* c) {
      return std::find(match.matched.begin(), match.matched.end(), c) != match.matched.end();
    };
    if (std::none_of(own.begin(), own.end(), used) || !tree.serves(match)) return nullptr;
    Path* p = level_.new_path(Path::Kind::kScan);
    p->rels = rel_.set;
    p->rel = &rel_;
    p->index = tree.index;
    p->bounds = match.bounds;
    for_each_value(p->bounds, [&](const ExprPtr& e) { p->outer |= level_.rels_of(e); });
    // What refers to other relations is left to the join.
    std::erase_if(all, [&](const Clause* c) { return !rel_.set.contains(c->rels); });
    finish_scan(level_, rel_, *p, tree, match, all);
    p->rows = std::max(1.0, std::min(p->rows, rel_.tuples * match.part));
    return p;
  }

  void add_union(const std::vector<Part>& parts, RelSet outer) {
    Path* p = level_.new_path(Path::Kind::kUnion);
    p->rels = rel_.set;
    p->rel = &rel_;
    for (const Part& part : parts) {
      p->parts.push_back(part.path);
      p->outer |= part.path->outer;
      p->rows += part.path->rows;
      p->total += part.path->total + part.path->rows * (kHashRowCost + kRowCost);
    }
    if (p->outer != outer) return;
    p->startup = parts[0].path->startup;
    if (outer.empty()) p->rows = rel_.rows;
    add_path(level_, rel_, p);
  }

  Level& level_;
  Rel& rel_;
  bool volatile_ = false;
};

}  // namespace

Status add_index_unions(Level& level, Rel& rel) { return IndexUnions(level, rel).run(); }

}  // namespace indigo::sql::planning
