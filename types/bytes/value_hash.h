// PostgreSQL's hash of any value that its type's hash operator class has one for, with a seed.
// Thread safety: pure function.
#pragma once

#include <span>

#include "types/function/context.h"
#include "types/value/datum.h"

namespace indigo::types {

// `value` is not null. A type without such a hash: the context has the error.
uint64_t hash_value_seeded(FuncContext& context, const Datum& value, Oid type, uint64_t seed);

// The hash that a row has for a hash-partitioned table; nulls count nothing.
uint64_t hash_partition_key(FuncContext& context, std::span<const HashKeyPart> parts, std::span<const Datum> values);

}  // namespace indigo::types
