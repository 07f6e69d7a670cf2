// The trees that a table can be read through: its own, and the secondary indexes that hold all rows that are asked for.
// Thread safety: one planning, one thread.
#pragma once

#include <vector>

#include "sql/plan/condition/key_match.h"
#include "sql/plan/level.h"

namespace indigo::sql::planning {

// One tree: the table's own (index -1) or a secondary index.
struct IndexTree {
  int index = -1;
  std::vector<KeyPart> parts;
  bool unique = false;       // all parts fixed: at most one row
  bool appends_key = false;  // equal index keys are in primary key order
  bool ordered = true;       // else it finds whole keys only, one or several, in the keys' order
  double descent = 1;        // times kDescentCost
  ExprList predicate;        // of a partial index: what holds for each of its rows

  bool serves(const KeyMatch& match) const { return ordered || match.points; }
};

IndexTree primary_tree(Level& level, const Rel& rel);
// The index with this number, of whatever method; without parts where its columns cannot be spoken of here.
Result<IndexTree> secondary_tree(Level& level, const Rel& rel, int index);
// Those of the table whose predicate, if any, follows from `facts`.
Result<std::vector<IndexTree>> index_trees(Level& level, const Rel& rel, const ExprList& facts);

}  // namespace indigo::sql::planning
