// The index access methods whose operator classes functions ask for, by pg_am's OIDs. What there is to know of a method is in
// catalog/access_method.h.
#pragma once

#include "base/ids.h"
#include "types/oids.h"

namespace indigo::oid {

// kBtreeMethod is in types/oids.h: its classes are the types' order.
inline constexpr Oid kHashMethod = 405;  // its classes are the types' equality and hash

}  // namespace indigo::oid
