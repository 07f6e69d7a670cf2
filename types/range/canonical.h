// Canonical forms of ranges whose elements are whole: [), so that equal ranges have equal images.
// Thread safety: as the context.
#pragma once

#include "types/range/range.h"

namespace indigo::types {

// int4range, int8range and daterange; false: the context has an error. Other ranges stay as they are.
bool make_canonical(FuncContext& context, RangeValue& range);
// By the canonical function of a range type of users' own; false: the context has an error.
bool call_canonical(FuncContext& context, Oid function, RangeValue& range);

}  // namespace indigo::types
