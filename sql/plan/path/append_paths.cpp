#include "sql/plan/path/append_paths.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "base/fiber/stack.h"
#include "base/sqlstate.h"
#include "catalog/descriptor/foreign_source.h"
#include "sql/analyze/analyzer.h"
#include "sql/analyze/make.h"
#include "sql/partition/partition_map.h"
#include "sql/partition/prune.h"
#include "sql/plan/condition/equivalence.h"
#include "sql/plan/condition/key_match.h"
#include "sql/plan/condition/selectivity.h"
#include "sql/plan/finish/ordering.h"
#include "sql/plan/interrupt.h"
#include "sql/plan/path/access_paths.h"
#include "sql/plan/path/cost.h"
#include "sql/plan/path/foreign_paths.h"
#include "sql/plan/path/path_choice.h"
#include "storage/table.h"
#include "types/oids.h"
#include "types/value/collator.h"
#include "types/value/key_codec.h"

namespace indigo::sql::planning {
namespace {

Status check_readable(const RelationInfo& table) {
  INDIGO_TRY(catalog::check_reachable(table));
  if (table.table != nullptr || table.is_foreign()) return {};
  return Error(sqlstate::kFeatureNotSupported, "relation \"" + table.name + "\" cannot be read by a query");
}

class Leaves {
 public:
  Leaves(Level& level, Rel& rel, storage::TableLockMode lock)
      : level_(level), rel_(rel), entry_(level.entry(rel.entry)), lock_(lock) {}

  Status collect() {
    level_.s.depend(entry_.relation, lock_);
    return add(entry_.relation);
  }

 private:
  Status add(const std::shared_ptr<const RelationInfo>& relation) {
    INDIGO_TRY(check_stack_depth());
    if (relation->is_partitioned()) return partitions(relation);
    // Level by level, each table once.
    std::vector<std::shared_ptr<const RelationInfo>> all{relation};
    std::set<Oid> seen{relation->oid};
    for (size_t i = 0; i < all.size(); i++) {
      const auto table = all[i];
      INDIGO_TRY(check_readable(*table));
      level_.leaf_tables.push_back(mapped_table(*entry_.relation, table));
      rel_.leaves.push_back(&level_.leaf_tables.back());
      level_.s.depend(table, lock_);
      for (const Oid child : table->children) {
        if (!seen.insert(child).second) continue;
        auto r = level_.s.catalog().relation(child);
        if (r != nullptr && !is_temporary_of_another(*r)) all.push_back(std::move(r));
      }
    }
    return {};
  }

  // Rows of temporary tables are their session's alone.
  bool is_temporary_of_another(const RelationInfo& r) {
    return r.persistence == 't' && r.schema != level_.s.catalog().schema_named("pg_temp");
  }

  Status partitions(const std::shared_ptr<const RelationInfo>& relation) {
    INDIGO_ASSIGN(const auto map, partition::PartitionMap::of(level_.s.session, *relation));
    KeyPruning pruning;
    pruning.relation = relation;
    pruning.leaves.resize(relation->children.size());
    INDIGO_TRY(match(relation, pruning.bounds));
    INDIGO_ASSIGN(const partition::PartitionSet wanted, known(*map, pruning.bounds));
    for (const int p : wanted) {
      const auto child = level_.s.catalog().relation(relation->children[static_cast<size_t>(p)]);
      if (child == nullptr) continue;
      if (child->is_partitioned()) level_.s.depend(child, lock_);
      const size_t first = rel_.leaves.size();
      INDIGO_TRY(check_interrupt());
      INDIGO_TRY(add(child));
      for (size_t i = first; i < rel_.leaves.size(); i++) pruning.leaves[static_cast<size_t>(p)].push_back(i);
    }
    note_range_order(relation, *map, pruning);
    if (!pruning.bounds.whole() && wanted.size() > 1) rel_.prunings.push_back(std::move(pruning));
    return {};
  }

  // Ranges that hold no other ranges and leave nothing to a default partition.
  void note_range_order(const std::shared_ptr<const RelationInfo>& relation, const partition::PartitionMap& map,
                        const KeyPruning& pruning) {
    if (relation != entry_.relation || map.strategy() != 'r' || relation->partition_key->columns.size() != 1) return;
    const catalog::PartitionKeyColumn& first = relation->partition_key->columns[0];
    if (first.column <= 0) return;
    std::vector<size_t> order;
    for (const int p : map.in_order()) {
      const std::vector<size_t>& leaves = pruning.leaves[static_cast<size_t>(p)];
      if (leaves.empty()) continue;
      if (leaves.size() > 1 || p == map.default_partition()) return;
      order.push_back(leaves[0]);
    }
    const auto column = static_cast<size_t>(first.column) - 1;
    if (first.type.collation != entry_.column_types[column].collation) return;
    rel_.range_key = make_var(rel_.entry, static_cast<int>(column), entry_.column_types[column]);
    rel_.range_order = std::move(order);
  }

  // The restrictions (and conditions with other relations) as bounds of the partition key.
  Status match(const std::shared_ptr<const RelationInfo>& relation, IndexBounds& bounds) {
    const ScannedTable table = mapped_table(*entry_.relation, relation);
    std::vector<KeyPart> parts;
    for (size_t i = 0; i < relation->partition_key->columns.size(); i++) {
      const catalog::PartitionKeyColumn& k = relation->partition_key->columns[i];
      KeyPart part;
      if (k.column > 0) {
        const int upper = table.upper_of[static_cast<size_t>(k.column) - 1];
        part.expr = make_var(rel_.entry, upper, entry_.column_types[static_cast<size_t>(upper)]);
      } else {
        INDIGO_ASSIGN(const ExprPtr e, analyze_expression(level_.s.session, k.expression, table.relation, TypeRef{}));
        part.expr = moved(e, table);
      }
      // A class that is not the one of the type's order goes by its OID as a collation.
      const types::Collator* keys = relation->partition_key->layout.column(i).collator;
      const bool own = keys != nullptr && keys->values() != nullptr &&
                       (!keys->ordered() || level_.s.catalog().defined_order(part.expr->type.oid) == nullptr);
      const Oid collation = own ? k.opclass : k.type.collation;
      if (collation != kInvalidOid && part.expr->type.collation != collation) {
        auto collated = std::make_shared<CollateExpr>();
        collated->argument = part.expr;
        collated->type = part.expr->type;
        collated->type.collation = collation;
        part.expr = std::move(collated);
      }
      parts.push_back(std::move(part));
    }
    bounds = match_key(level_, rel_, parts, rel_.restrictions).bounds;
    return {};
  }

  ExprPtr moved(const ExprPtr& e, const ScannedTable& table) const {
    if (const auto* v = try_as<VarExpr>(e)) {
      auto copy = std::make_shared<VarExpr>(*v);
      copy->entry = rel_.entry;
      if (v->column >= 0) copy->column = table.upper_of[static_cast<size_t>(v->column)];
      return copy;
    }
    return map_children(e, [&](const ExprPtr& c) { return moved(c, table); });
  }

  // What is left when all values are constants (bounds become empty then, they have done their work); else all partitions.
  Result<partition::PartitionSet> known(const partition::PartitionMap& map, IndexBounds& bounds) {
    if (bounds.whole()) return map.in_order();
    const KeyBounds key = bounds;
    std::vector<TypeRef> types;
    std::vector<Datum> values;
    for (const ExprPtr& e : partition::bound_expressions(key)) {
      const auto* c = try_as<ConstExpr>(e);
      if (!c) return map.in_order();
      types.push_back(e->type);
      values.push_back(c->value.get());
    }
    types::FuncContext context(level_.s.session);
    Arena arena;
    context.set_arena(&arena);
    auto out = partition::prune(context, map, key, types, values);
    bounds = IndexBounds();
    return out;
  }

  Level& level_;
  Rel& rel_;
  const Entry& entry_;
  const storage::TableLockMode lock_;
};

// Append paths: all leaves by their cheapest unparameterised path, and for each set of relations that supplies parameters to
// some leaf, by what is cheapest with them.
class Appender {
 public:
  // `share`: of the parts, that a run is expected to read.
  Appender(Level& level, Rel& rel, std::vector<Rel*> parts, double share)
      : level_(level), rel_(rel), parts_(std::move(parts)), share_(share) {}

  void add_all() {
    add(RelSet());
    std::vector<RelSet> outers;
    for (const Rel* part : parts_) {
      for (const Path* p : part->paths) {
        if (!p->outer.empty() && std::find(outers.begin(), outers.end(), p->outer) == outers.end())
          outers.push_back(p->outer);
      }
    }
    for (const RelSet& outer : outers) add(outer);
    for (const std::vector<PathKey>& order : orders()) add_merged(order);
  }

 private:
  static Path* cheapest(const Rel& part, const RelSet& outer) {
    Path* best = nullptr;
    for (Path* p : part.paths) {
      if (outer.contains(p->outer) && (!best || p->total < best->total)) best = p;
    }
    return best;
  }

  void add(const RelSet& outer) {
    Path* out = level_.new_path(Path::Kind::kAppend);
    out->rels = rel_.set;
    out->rel = &rel_;
    for (size_t i = 0; i < parts_.size(); i++) {
      Path* p = cheapest(*parts_[i], outer);
      out->parts.push_back(p);
      out->leaves.push_back(i);
      out->outer |= p->outer;
      out->rows += p->rows;
      out->total += p->total;
      if (i == 0) out->startup = p->startup;
    }
    if (out->outer != outer) return;
    expect_share(*out);
    add_path(level_, rel_, out);
  }

  // The orders that some part has and that are of use.
  std::vector<std::vector<PathKey>> orders() const {
    std::vector<std::vector<PathKey>> out;
    for (const Rel* part : parts_) {
      for (const Path* p : part->paths) {
        std::vector<PathKey> keys = p->keys;
        keys.resize(useful_keys(level_, keys, rel_.set));
        if (!p->outer.empty() || keys.empty() || std::find(out.begin(), out.end(), keys) != out.end()) continue;
        out.push_back(std::move(keys));
      }
    }
    return out;
  }

  // The order as keys over Vars of the relation; empty when it is none that can be merged by.
  std::vector<SortKey> sort_keys(const std::vector<PathKey>& order) const {
    std::vector<SortKey> out;
    for (size_t i = 0; i < order.size(); i++) {
      const PathKey& k = order[i];
      // A key that ends an index's entries may be one of its columns, too.
      const auto end = order.begin() + static_cast<std::ptrdiff_t>(i);
      if (std::any_of(order.begin(), end, [&](const PathKey& o) { return o.id == k.id; })) continue;
      const auto& members = level_.classes[static_cast<size_t>(k.id)].members;
      const auto at = std::find_if(members.begin(), members.end(), [&](const auto& m) { return m.rels == rel_.set; });
      if (at == members.end() || !merges_by_key(at->expr->type)) return {};
      SortKey key;
      key.expr = at->expr;
      key.descending = k.descending;
      key.nulls_first = k.nulls_first;
      key.less = level_.s.catalog().btree_operator(at->expr->type.oid, k.descending ? 5 : 1);
      out.push_back(std::move(key));
    }
    return out;
  }

  static Path* in_order(const Rel& part, const std::vector<PathKey>& order) {
    Path* best = nullptr;
    for (Path* p : part.paths) {
      const bool fits = p->outer.empty() && common_prefix(p->keys, order) == order.size();
      if (fits && (!best || p->startup + p->total < best->startup + best->total)) best = p;
    }
    return best;
  }

  Path* sorted(Path& input, const std::vector<PathKey>& order, const std::vector<SortKey>& sort) {
    Path* p = level_.new_path(Path::Kind::kSort);
    p->left = &input;
    p->rels = input.rels;
    p->rel = input.rel;
    p->rows = input.rows;
    p->sort = sort;
    p->keys = order;
    p->startup = input.total + sort_cost(input.rows, 0);
    p->total = p->startup + input.rows * kOperatorCost;
    return p;
  }

  // The numbers of the parts as the order has them, where each is wholly before the next; else empty.
  std::vector<size_t> parts_in_order(const PathKey& first) const {
    if (rel_.range_order.size() != parts_.size() || sort_id(level_, rel_.range_key) != first.id) return {};
    std::vector<size_t> out = rel_.range_order;
    if (first.descending) std::reverse(out.begin(), out.end());
    return out;
  }

  // Parts in order, merged where they are not so one after the other; what has no such path is sorted.
  void add_merged(const std::vector<PathKey>& order) {
    const std::vector<SortKey> sort = sort_keys(order);
    if (sort.empty()) return;
    std::vector<size_t> numbers = parts_in_order(order[0]);
    const bool merge = numbers.empty();
    if (merge) {
      for (size_t i = 0; i < parts_.size(); i++) numbers.push_back(i);
    }
    Path* out = level_.new_path(Path::Kind::kAppend);
    out->rels = rel_.set;
    out->rel = &rel_;
    out->keys = order;
    if (merge) out->sort = sort;
    for (const size_t i : numbers) {
      Path* p = in_order(*parts_[i], order);
      if (p == nullptr) {
        Path* any = cheapest(*parts_[i], RelSet());
        if (any == nullptr) return;
        p = sorted(*any, order, sort);
      }
      out->parts.push_back(p);
      out->leaves.push_back(i);
      out->rows += p->rows;
      out->total += p->total;
      if (merge || out->parts.size() == 1) out->startup += p->startup;
    }
    if (merge) {
      const double row = merge_cost(parts_.size());
      out->startup += static_cast<double>(parts_.size()) * row;
      out->total += static_cast<double>(parts_.size()) * row + out->rows * row;
    }
    expect_share(*out);
    add_path(level_, rel_, out);
  }

  void expect_share(Path& out) const {
    out.rows = std::max(out.rows * share_, std::min(out.rows, 1.0));
    if (!out.sort.empty()) out.startup *= share_;  // of a merge: all parts' together
    out.total = std::max(out.total * share_, out.startup);
  }

  Level& level_;
  Rel& rel_;
  std::vector<Rel*> parts_;
  double share_;
};

// Of a table's partitions, that a run with some values will read: one, where they are values of the whole key.
double share_read(const Rel& rel, const RelationInfo& table) {
  for (const KeyPruning& pruning : rel.prunings) {
    if (pruning.relation->oid != table.oid) continue;
    const KeyBounds& bounds = pruning.bounds;
    if (!bounds.plain() || bounds.equal.size() != table.partition_key->columns.size()) return 1;
    const auto partitions = std::count_if(pruning.leaves.begin(), pruning.leaves.end(),
                                          [](const std::vector<size_t>& leaves) { return !leaves.empty(); });
    return 1 / std::max(1.0, static_cast<double>(partitions));
  }
  return 1;
}

}  // namespace

bool merges_by_key(const TypeRef& type) {
  return type.oid < oid::kFirstUserOid && types::KeyLayout::encodable(type.oid);
}

double merge_cost(size_t inputs) {
  return kRowCost / 2 + 2 * kOperatorCost * std::log2(std::max(2.0, static_cast<double>(inputs)));
}

ScannedTable mapped_table(const RelationInfo& upper, std::shared_ptr<const RelationInfo> lower) {
  ScannedTable out;
  out.column_of.assign(upper.columns.size(), -1);
  out.upper_of.assign(lower->columns.size(), -1);
  out.identical = upper.columns.size() == lower->columns.size();
  for (size_t i = 0; i < upper.columns.size(); i++) {
    const types::ColumnInfo& column = upper.columns[i];
    if (column.dropped) {
      out.identical &= i < lower->columns.size() && lower->columns[i].dropped;
      continue;
    }
    const auto same = [&](size_t at) {
      return at < lower->columns.size() && !lower->columns[at].dropped && lower->columns[at].name == column.name;
    };
    size_t at = i;
    if (!same(at)) {
      out.identical = false;
      for (at = 0; at < lower->columns.size() && !same(at);) at++;
      if (at == lower->columns.size()) continue;
    }
    out.column_of[i] = static_cast<int>(at);
    out.upper_of[at] = static_cast<int>(i);
  }
  out.relation = std::move(lower);
  return out;
}

bool has_leaves(const Entry& entry) {
  if (entry.kind != EntryKind::kTable || entry.relation == nullptr) return false;
  return entry.relation->is_partitioned() || (!entry.only && !entry.relation->children.empty());
}

Status leaf_paths(Level& level, Rel& rel) {
  const Entry& entry = level.entry(rel.entry);
  const bool target = rel.entry == level.work.target;
  rel.has_leaves = true;
  if (entry.relation->is_partitioned() && entry.only) {
    level.s.depend(entry.relation, storage::TableLockMode::kAccessShare);
  } else {
    INDIGO_TRY(Leaves(level, rel, target ? storage::TableLockMode::kRowExclusive : storage::TableLockMode::kAccessShare)
                   .collect());
  }
  std::vector<Rel*> parts;
  double most = 0;
  for (const ScannedTable* table : rel.leaves) {
    level.leaf_rels.emplace_back();
    Rel& leaf = level.leaf_rels.back();
    leaf.set = rel.set;
    leaf.entry = rel.entry;
    leaf.restrictions = rel.restrictions;
    leaf.table = table;
    const bool foreign = table->relation->is_foreign();
    if (foreign) {
      level.leaf = &leaf;
      Status status = foreign_paths(level, leaf);
      level.leaf = nullptr;
      INDIGO_TRY(std::move(status));
      rel.tuples += leaf.tuples;
      rel.rows += leaf.rows;
      parts.push_back(&leaf);
      continue;
    }
    leaf.tuples = std::max<double>(1, static_cast<double>(table->relation->table->rows()));
    level.s.size(*table->relation, leaf.tuples);
    rel.tuples += leaf.tuples;
    if (leaf.tuples > most) rel.largest_leaf = table;
    most = std::max(most, leaf.tuples);
    level.leaf = &leaf;
    leaf.rows = std::max(1.0, leaf.tuples * clauses_selectivity(level, rel.restrictions));
    Status status = table_paths(level, leaf);
    level.leaf = nullptr;
    INDIGO_TRY(std::move(status));
    rel.rows += leaf.rows;
    parts.push_back(&leaf);
  }
  rel.tuples = std::max(1.0, rel.tuples);
  const double share = share_read(rel, *entry.relation);
  rel.rows = std::max(1.0, rel.rows * share);
  if (parts.size() == 1) {  // as if the query had named it
    rel.rows = parts[0]->rows;
    for (Path* p : parts[0]->paths) add_path(level, rel, p);
    return {};
  }
  Appender(level, rel, std::move(parts), share).add_all();
  return {};
}

}  // namespace indigo::sql::planning
