// Whether bytes that were not made here can be read as a value of a type. Within arrays and records nothing is known of a user's
// type but its OID: bytes that look like a composite value may be a bytea under a domain, which a client chose. What is read as
// a composite value must be one in each part, or reading it would leave the bytes.
// Types whose values have structure and are not checked here (jsonb, ranges, tsvector, geometric ones) never are sound: who
// meets them compares bytes. Thread safety: pure.
#pragma once

#include "types/value/datum.h"

namespace indigo::types {

// `value`, not null, of a field or element that says to have this type. User-defined types' strings may be any bytes: who
// looks into them asks again (is_record_image).
bool is_sound(Oid type, const Datum& value);

}  // namespace indigo::types
