#include "sql/plan/path/join_legality.h"

namespace indigo::sql::planning {

LegalJoin legal_join(const Level& level, RelSet a, RelSet b) {
  const RelSet both = a | b;
  LegalJoin out;
  bool must_be_left = false;
  for (const SpecialJoin& j : level.special_joins) {
    if (j.type == JoinType::kFull) {
      // Nothing joins a part of it: its sides are complete, and only they, when they meet.
      const RelSet sides = j.syn_left | j.syn_right;
      if (!both.overlaps(sides) || a.contains(sides) || b.contains(sides)) continue;
      if (j.syn_left.contains(both) || j.syn_right.contains(both)) continue;
      const bool in_order = a == j.syn_left && b == j.syn_right;
      if (out.special || !(in_order || (a == j.syn_right && b == j.syn_left))) return {};
      out.special = &j;
      out.reversed = !in_order;
      continue;
    }
    if (!j.min_right.overlaps(both)) continue;
    if (j.min_right.contains(both)) continue;
    if ((a.contains(j.min_left) && a.contains(j.min_right)) || (b.contains(j.min_left) && b.contains(j.min_right)))
      continue;
    if (j.type == JoinType::kSemi) {
      // The right side has been joined to something else already: made distinct then.
      if (a.contains(j.syn_right) && a != j.syn_right) continue;
      if (b.contains(j.syn_right) && b != j.syn_right) continue;
    }
    if (a.contains(j.min_left) && b.contains(j.min_right)) {
      if (out.special) return {};
      out.special = &j;
      out.reversed = false;
    } else if (b.contains(j.min_left) && a.contains(j.min_right)) {
      if (out.special) return {};
      out.special = &j;
      out.reversed = true;
    } else {
      if (a.overlaps(j.min_right) && b.overlaps(j.min_right)) continue;
      if (j.type != JoinType::kLeft || both.overlaps(j.min_left)) return {};
      must_be_left = true;
    }
  }
  if (must_be_left && (!out.special || out.special->type != JoinType::kLeft || !out.special->left_strict)) {
    return {};
  }
  // A semi join's right side must be there as a whole.
  if (out.special && (out.special->type == JoinType::kSemi || out.special->type == JoinType::kAnti)) {
    const RelSet right = out.reversed ? a : b;
    if (!right.contains(out.special->syn_right)) return {};
  }
  out.ok = true;
  return out;
}

}  // namespace indigo::sql::planning
