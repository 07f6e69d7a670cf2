// Which of a relation's paths are kept: those that no other one equals in cost, order and freedom.
// Thread safety: one planning, one thread.
#pragma once

#include <span>

#include "sql/plan/level.h"

namespace indigo::sql::planning {

// What a path is compared by, known before the path is made.
struct PathMerit {
  double startup = 0, total = 0, rows = 0;
  RelSet outer;
  std::span<const PathKey> keys;
};

// Keeps `path` unless another is at least as good in every respect; drops those that it beats.
// False: another is at least as good in everything; the path is dropped.
bool add_path(const Level& level, Rel& rel, Path* path);
// A path with this merit (or a worse one) would not be kept.
bool would_lose(const Level& level, const Rel& rel, const PathMerit& merit);

// Notes which orders the query asks for; called before paths are made.
void note_wanted_orders(Level& level);
// Whether the query asks for the order of one of the keys in its direction, so that the other one would not do.
bool wants_direction(const Level& level, std::span<const PathKey> keys);
// How many of the keys are of use above `rels`: for what the query asks, or for a merge join with another relation.
size_t useful_keys(const Level& level, std::span<const PathKey> keys, RelSet rels);

}  // namespace indigo::sql::planning
