// Which collation a function, an operator or a CASE works with: PostgreSQL's derivation (Collation Support, Concepts). An
// explicit COLLATE anywhere in the inputs wins, and two different ones are an error; else the one that is not the default;
// two different ones of those contradict each other, which is an error only where the collation matters.
#include "sql/analyze/expression/overloads.h"
#include "sql/analyze/make.h"
#include "types/oids.h"

namespace indigo::sql {
namespace {

// Whether e's collation comes from a COLLATE clause in it. Subqueries and columns hide theirs.
bool is_explicit(const Analysis& a, const ExprPtr& e) {
  if (!a.has_collate_clause || e == nullptr || e->type.collation == kInvalidOid) return false;
  switch (e->kind) {
    case ExprKind::kCollate: return true;
    case ExprKind::kVar:
    case ExprKind::kSubLink:
    case ExprKind::kAggregate: return false;
    default: break;
  }
  bool found = false;
  for_each_child(*e, [&](const ExprPtr& child) { found = found || is_explicit(a, child); });
  return found;
}

struct Found {
  Oid implicit = kInvalidOid, other_implicit = kInvalidOid;  // the second when they differ
  Oid chosen = kInvalidOid;                                  // by COLLATE
  int location = -1;                                         // of what contradicts
};

Result<Found> look(Analysis& a, std::span<const ExprPtr> inputs) {
  Found f;
  for (const ExprPtr& e : inputs) {
    const Oid collation = e->type.collation;
    if (collation == kInvalidOid) continue;
    if (is_explicit(a, e)) {
      if (f.chosen != kInvalidOid && f.chosen != collation) {
        return a.error(sqlstate::kCollationMismatch,
                       "collation mismatch between explicit collations \"" + a.catalog.collation_name(f.chosen) +
                           "\" and \"" + a.catalog.collation_name(collation) + "\"",
                       e->location);
      }
      f.chosen = collation;
    } else if (f.implicit == kInvalidOid || f.implicit == oid::kDefaultCollation) {
      f.implicit = collation;
    } else if (collation != f.implicit && collation != oid::kDefaultCollation && f.other_implicit == kInvalidOid) {
      f.other_implicit = collation;
      f.location = expr_location(e);
    }
  }
  return f;
}

}  // namespace

Result<Oid> input_collation(Analysis& a, std::span<const ExprPtr> inputs) {
  INDIGO_ASSIGN(const Found f, look(a, inputs));
  if (f.chosen != kInvalidOid) return f.chosen;
  return f.other_implicit == kInvalidOid ? f.implicit : oid::kConflictingCollations;
}

Result<Oid> common_collation(Analysis& a, std::span<const ExprPtr> inputs) {
  INDIGO_ASSIGN(const Found f, look(a, inputs));
  if (f.chosen != kInvalidOid) return f.chosen;
  if (f.other_implicit == kInvalidOid) return f.implicit;
  return a
      .error(sqlstate::kCollationMismatch,
             "collation mismatch between implicit collations \"" + a.catalog.collation_name(f.implicit) + "\" and \"" +
                 a.catalog.collation_name(f.other_implicit) + "\"",
             f.location)
      .with_hint("You can choose the collation by applying the COLLATE clause to one or both expressions.");
}

Status require_collation(Analysis& a, const ExprPtr& e) {
  if (e->type.collation != oid::kConflictingCollations) return {};
  ExprList inputs;
  for_each_child(*e, [&](const ExprPtr& child) {
    if (child) inputs.push_back(child);
  });
  for (const ExprPtr& input : inputs) INDIGO_TRY(require_collation(a, input));
  INDIGO_TRY(common_collation(a, inputs));
  return {};
}

}  // namespace indigo::sql
