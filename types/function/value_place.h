// Where a value lies among the values of another type that the same btree operator family compares it with: what an index
// on a narrower (or wider) column must know to serve `int4_column < 5000000000` or `date_column >= some timestamp`.
//
// Invariant: for every value c of the column's type and every operator of the family, `c op value` holds exactly if it
// holds for the place; except for `near` places, which are wider than the value says (timestamps and dates against
// timestamptz: local times do not follow UTC where clocks are set back), so that the comparison must be checked again.
// Thread safety: pure functions.
#pragma once

#include <cstdint>

#include "base/ids.h"
#include "types/datetime/time_zone.h"
#include "types/value/datum.h"

namespace indigo::types {

enum class ValuePlacement : uint8_t {
  kNone,   // the types have no operators in common, or not in one family
  kSame,   // one type for all purposes of comparison: the value is its own place
  kExact,  // place_among finds it
  kNear,   // place_among finds it roughly: ranges only
};
// How values of type `from` are placed among those of type `to` (domains resolved to their base).
ValuePlacement value_placement(Oid from, Oid to);

struct ValuePlace {
  enum class Where : uint8_t { kBelow, kAt, kAfter, kAbove };
  Where where = Where::kAt;  // below all values, at `value`, between `value` and the next one, above all values
  Datum value;
};

// Which edge of a range the value is, for kNear.
enum class ValueEdge : uint8_t { kLow, kHigh };

// `value` is not null; the zone is the session's.
ValuePlace place_among(Oid from, const Datum& value, Oid to, ValueEdge edge, const TimeZone* zone);

}  // namespace indigo::types
