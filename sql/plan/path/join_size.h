// How many rows a join of two relations answers.
// Thread safety: one planning, one thread.
#pragma once

#include "sql/plan/level.h"

namespace indigo::sql::planning {

inline bool keeps_left_only(JoinType t) { return t == JoinType::kSemi || t == JoinType::kAnti; }

// Fraction of left rows that have a match.
double match_fraction(Level& level, const Rel& left, const Rel& right, const std::vector<const Clause*>& clauses);
// The part of all pairs of rows that meets the conditions.
double joined_part(Level& level, const Rel& left, const Rel& right, std::vector<const Clause*> clauses);
double join_rows(Level& level, const Rel& left, const Rel& right, JoinType type,
                 const std::vector<const Clause*>& clauses);

}  // namespace indigo::sql::planning
