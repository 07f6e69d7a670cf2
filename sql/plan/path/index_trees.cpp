#include "sql/plan/path/index_trees.h"

#include "catalog/access_method.h"
#include "sql/analyze/analyzer.h"
#include "sql/analyze/make.h"
#include "sql/implication.h"
#include "sql/plan/rewrite/fold.h"
#include "storage/table.h"
#include "types/oids.h"
#include "types/value/collator.h"
#include "types/value/key_codec.h"

namespace indigo::sql::planning {
namespace {

using catalog::IndexInfo;

constexpr int kNoUpperColumn = 1 << 20;

// Else the keys' order is not that of the values.
bool ordered(const types::KeyColumn& key) { return key.collator == nullptr || key.collator->ordered(); }

class TreeMaker {
 public:
  TreeMaker(Level& level, const Rel& rel)
      : level_(level),
        rel_(rel),
        shared_relation_(rel.table != nullptr ? rel.table->relation : level.entry(rel.entry).relation),
        relation_(*shared_relation_) {}

  IndexTree primary() const {
    IndexTree tree;
    tree.unique = true;
    for (size_t i = 0; i < relation_.key_columns.size(); i++) {
      KeyPart part;
      if (ordered(relation_.key.column(i))) part.expr = column(relation_.key_columns[i]);
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
        const ExprPtr plain = column(c.column);
        if (plain == nullptr) {
          tree.unique = tree.appends_key = false;
          break;
        }
        part.expr = collated(plain, c.type.collation);
        part.not_null = relation_.columns[static_cast<size_t>(c.column - 1)].not_null;
      } else {
        INDIGO_ASSIGN(const ExprPtr e, analyze_expression(level_.s.session, c.expression, shared_relation_, TypeRef{}));
        part.expr = collated(folded(e), c.type.collation);
      }
      part.descending = c.descending;
      part.nulls_first = c.nulls_first;
      tree.parts.push_back(std::move(part));
    }
    if (!index.predicate.empty()) {
      INDIGO_ASSIGN(const ExprPtr predicate, analyze_expression(level_.s.session, index.predicate, shared_relation_,
                                                                {oid::kBool, -1, kInvalidOid}));
      flatten_and(folded(predicate), tree.predicate);
    }
    return tree;
  }

 private:
  // The upper table's column where the table is read in its place; null: it has none.
  ExprPtr column(int16_t number) const {
    int at = number - 1;
    if (rel_.table != nullptr) at = rel_.table->upper_of[static_cast<size_t>(at)];
    return at < 0 ? nullptr : make_var(rel_.entry, at, relation_.columns[static_cast<size_t>(number - 1)].type);
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

  // The same as the query's expressions, which are folded.
  ExprPtr folded(const ExprPtr& e) const { return fold(level_.s.session, moved(e)); }

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

  Level& level_;
  const Rel& rel_;
  const std::shared_ptr<const RelationInfo>& shared_relation_;
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
      if (ordered(index.key.column(part))) continue;
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
