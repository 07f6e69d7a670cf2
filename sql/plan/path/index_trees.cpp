#include "sql/plan/path/index_trees.h"

#include "catalog/access_method.h"
#include "sql/implication.h"
#include "sql/plan/condition/table_terms.h"
#include "storage/table.h"
#include "types/oids.h"
#include "types/value/collator.h"
#include "types/value/key_codec.h"

namespace indigo::sql::planning {
namespace {

using catalog::IndexInfo;

// Else the keys' order is not that of the values.
bool ordered(const types::KeyColumn& key) { return key.collator == nullptr || key.collator->ordered(); }

class TreeMaker {
 public:
  TreeMaker(Level& level, const Rel& rel)
      : level_(level), terms_(level, rel.entry, rel.table), relation_(*terms_.relation()) {}

  IndexTree primary() const {
    IndexTree tree;
    tree.unique = true;
    for (size_t i = 0; i < relation_.key_columns.size(); i++) {
      KeyPart part;
      if (ordered(relation_.key.column(i))) part.expr = terms_.column(relation_.key_columns[i]);
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

  Result<IndexTree> secondary(const IndexInfo& index) const {
    IndexTree tree;
    tree.unique = index.unique && index.immediate;
    tree.appends_key = !index.unique;
    for (const auto& c : index.columns) {
      KeyPart part;
      if (c.column != 0) {
        const ExprPtr plain = terms_.column(c.column);
        if (plain == nullptr) {
          tree.unique = tree.appends_key = false;
          break;
        }
        part.expr = in_order_of(c, index.key.column(tree.parts.size()), plain);
        part.not_null = relation_.columns[static_cast<size_t>(c.column - 1)].not_null;
      } else {
        INDIGO_ASSIGN(const ExprPtr e, terms_.expression(c.expression));
        part.expr = in_order_of(c, index.key.column(tree.parts.size()), e);
      }
      part.descending = c.descending;
      part.nulls_first = c.nulls_first;
      tree.parts.push_back(std::move(part));
    }
    if (!index.predicate.empty()) {
      INDIGO_ASSIGN(const ExprPtr predicate, terms_.expression(index.predicate, {oid::kBool, -1, kInvalidOid}));
      flatten_and(predicate, tree.predicate);
    }
    return tree;
  }

 private:
  // A class that is not the one of the type's order goes by its OID as a collation.
  ExprPtr in_order_of(const catalog::IndexColumn& c, const types::KeyColumn& key, const ExprPtr& e) const {
    const bool defined = key.collator != nullptr && key.collator->values() != nullptr;
    if (defined && (!ordered(key) || level_.s.catalog().defined_order(e->type.oid) == nullptr))
      return collated(e, c.opclass);
    return collated(e, c.type.collation);
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

  Level& level_;
  const TableTerms terms_;
  const RelationInfo& relation_;
};

}  // namespace

IndexTree primary_tree(Level& level, const Rel& rel) { return TreeMaker(level, rel).primary(); }

Result<IndexTree> secondary_tree(Level& level, const Rel& rel, int index) {
  const RelationInfo& relation = rel.table != nullptr ? *rel.table->relation : *level.entry(rel.entry).relation;
  INDIGO_ASSIGN(IndexTree tree, TreeMaker(level, rel).secondary(relation.indexes[static_cast<size_t>(index)]));
  tree.index = index;
  return tree;
}

Result<std::vector<IndexTree>> index_trees(Level& level, const Rel& rel, const ExprList& facts) {
  const RelationInfo& relation = rel.table != nullptr ? *rel.table->relation : *level.entry(rel.entry).relation;
  const TreeMaker maker(level, rel);
  std::vector<IndexTree> out;
  if (IndexTree tree = maker.primary(); !tree.parts.empty()) out.push_back(std::move(tree));
  for (size_t i = 0; i < relation.indexes.size(); i++) {
    const IndexInfo& index = relation.indexes[i];
    const catalog::AccessMethod* method = catalog::access_method(index.method);
    if (!index.storage || !index.valid || method == nullptr || !method->searchable()) continue;
    INDIGO_ASSIGN(IndexTree tree, maker.secondary(index));
    tree.index = static_cast<int>(i);
    for (size_t part = 0; part < tree.parts.size(); part++) {
      if (ordered(index.key.column(part)) || !method->ordered) continue;
      tree.parts.resize(part);
      tree.unique = tree.appends_key = false;
    }
    tree.ordered = method->ordered;
    tree.descent = method->descent;
    bool holds = !tree.parts.empty();
    for (const ExprPtr& e : tree.predicate) holds = holds && implies(level.s.catalog(), facts, e);
    if (holds) out.push_back(std::move(tree));
  }
  return out;
}

}  // namespace indigo::sql::planning
