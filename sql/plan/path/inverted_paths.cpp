#include "sql/plan/path/inverted_paths.h"

#include <algorithm>

#include "catalog/access_method.h"
#include "catalog/descriptor/inverted_key.h"
#include "sql/implication.h"
#include "sql/plan/condition/key_condition.h"
#include "sql/plan/condition/security.h"
#include "sql/plan/condition/selectivity.h"
#include "sql/plan/path/access_paths.h"
#include "sql/plan/path/cost.h"
#include "sql/plan/path/index_trees.h"
#include "sql/plan/path/path_choice.h"
#include "types/value/collator.h"

namespace indigo::sql::planning {
namespace {

// How many keys a condition asks for, as far as its cost is concerned.
constexpr double kKeysOfCondition = 3;
// How many more records are met where names and values are keys of their own (jsonb_ops) than where the ways to values are.
constexpr double kApart = 1.2;

class InvertedPaths {
 public:
  InvertedPaths(Level& level, Rel& rel) : level_(level), rel_(rel), conditions_(level, rel) {}

  Status run() {
    const RelationInfo& relation = rel_.table != nullptr ? *rel_.table->relation : *level_.entry(rel_.entry).relation;
    for (size_t i = 0; i < relation.indexes.size(); i++) {
      const catalog::IndexInfo& index = relation.indexes[i];
      const catalog::AccessMethod* method = catalog::access_method(index.method);
      if (!index.storage || !index.valid || method == nullptr || !method->inverted || method->nearest) continue;
      INDIGO_TRY(add(static_cast<int>(i), index));
    }
    return {};
  }

 private:
  // A condition that the index knows, and what it is compared with.
  struct Match {
    const Clause* clause;
    InvertedCondition condition;
    ExprPtr value;
    RelSet outer;
    bool apart = false;  // keys tell names and values apart from each other
  };

  Status add(int number, const catalog::IndexInfo& index) {
    INDIGO_ASSIGN(const IndexTree tree, secondary_tree(level_, rel_, number));
    ExprList facts;
    for (const Clause* c : rel_.restrictions) facts.push_back(c->expr);
    for (const ExprPtr& e : tree.predicate) {
      if (!implies(level_.s.catalog(), facts, e)) return {};
    }
    std::vector<catalog::InvertedKey> keys;
    for (size_t c = 0; c < tree.parts.size(); c++) {
      keys.push_back(catalog::inverted_key(level_.s.catalog(), index.columns[c]));
    }
    std::vector<Match> own, joining;
    for (const Clause* c : rel_.restrictions) {
      if (may_bound(level_, rel_, *c)) match(*c, tree, keys, own);
    }
    for (const Clause* c : level_.join_clauses) {
      if (!c->rels.overlaps(rel_.set) || c->rels == rel_.set || !can_parameterise(level_, rel_, *c)) continue;
      if (may_bound(level_, rel_, *c)) match(*c, tree, keys, joining);
    }
    if (!own.empty()) add_path_of(number, own);
    for (const Match& m : joining) {
      std::vector<Match> all = own;
      all.push_back(m);
      add_path_of(number, all);
    }
    return {};
  }

  void match(const Clause& clause, const IndexTree& tree, const std::vector<catalog::InvertedKey>& keys,
             std::vector<Match>& out) {
    for (size_t i = 0; i < tree.parts.size(); i++) {
      if (keys[i].keys == nullptr) continue;
      const KeyConditions::Operand operand = conditions_.operand_of(clause.expr, tree.parts[i]);
      if (operand.op == kInvalidOid || !same_order(level_.s.catalog(), operand.collation, tree.parts[i], keys[i]))
        continue;
      const int strategy = catalog::inverted_strategy(level_.s.catalog(), keys[i], operand.op);
      if (strategy == 0) continue;
      out.push_back({&clause,
                     {static_cast<int>(i), strategy, operand.op},
                     operand.value,
                     level_.rels_of(operand.value),
                     keys[i].keys == &types::kJsonbKeys});
      return;
    }
  }

  // Keys of elements and values are those of the index's collation; other keys of texts know the C collation only, or every one
  // that compares bytes in the end.
  static bool same_order(catalog::CatalogView& catalog, Oid collation, const KeyPart& part,
                         const catalog::InvertedKey& key) {
    const Oid own = part.expr->type.collation;
    if (own == kInvalidOid) return true;
    const bool c = catalog.orders_by_bytes(collation) && catalog.orders_by_bytes(own);
    if (c || collation != own) return c;
    if (key.keys->element != types::InvertedClass::Element::kNone) return true;
    const types::Collator* order = catalog.collator_of_type(part.expr->type);
    return key.keys->any_order && (order == nullptr || order->deterministic());
  }

  void add_path_of(int number, const std::vector<Match>& matches) {
    Path* p = level_.new_path(Path::Kind::kScan);
    p->rels = rel_.set;
    p->rel = &rel_;
    p->index = number;
    std::vector<const Clause*> clauses;
    for (const Match& m : matches) {
      p->bounds.equal.push_back(m.value);
      p->inverted.push_back(m.condition);
      p->outer |= m.outer;
      clauses.push_back(m.clause);
    }
    // All of them, also what a partial index implies: where nothing is asked of the keys, the whole table is read. A join's own
    // condition is looked at by the join.
    p->filters = rel_.restrictions;
    const double fetched = std::max(1.0, rel_.tuples * clauses_selectivity(level_, clauses));
    p->rows = p->outer.empty() ? rel_.rows : std::max(1e-6, std::min(rel_.rows, fetched));
    const double keys = kKeysOfCondition * static_cast<double>(matches.size());
    cost_scan(level_, *p, fetched, keys);
    p->total += fetched * keys * kIndexEntryCost;
    if (matches[0].apart) p->total *= kApart;
    add_path(level_, rel_, p);
  }

  Level& level_;
  Rel& rel_;
  const KeyConditions conditions_;
};

}  // namespace

Status add_inverted_paths(Level& level, Rel& rel) { return InvertedPaths(level, rel).run(); }

}  // namespace indigo::sql::planning
