// How SQL values are held in memory: a handful of physical kinds under the many SQL types.
//
// Physical kind of each SQL type (pg_type decides; see physical_of):
//   kBool   bool
//   kI16    int2
//   kI32    int4, date (days since 2000-01-01; INT32_MIN/MAX are -/+infinity), oid and reg* (bits of uint32_t), xid, cid
//   kI64    int8, timestamp(tz) and time (microseconds; timestamps since 2000-01-01; INT64_MIN/MAX are infinities),
//           money, pg_lsn, "xid8"
//   kF32 kF64  float4, float8
//   kB16    interval (Interval below), uuid (16 bytes), timetz (TimeTz below): 16 bytes inline
//   kStr    everything else, as bytes: text family (UTF-8, no NUL), bpchar (blank-padded to its typmod), name, "char" (1 byte),
//           bytea, numeric (types/value/numeric_format.h), json text, jsonb (types/json/jsonb.h), arrays
//           (types/value/array_format.h), records (types/io/record.h), tid (big-endian block, offset), bit strings
//           (types/io/bit_string.h) ...
// A type's equality is not byte equality of its physical value in general (numeric 1.0 = 1, bpchar): use operators.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

#include "base/ids.h"

namespace indigo {

enum class Phys : uint8_t { kBool, kI16, kI32, kI64, kF32, kF64, kB16, kStr };

constexpr uint32_t phys_bytes(Phys p) {
  switch (p) {
    case Phys::kBool: return 1;
    case Phys::kI16: return 2;
    case Phys::kI32:
    case Phys::kF32: return 4;
    case Phys::kI64:
    case Phys::kF64: return 8;
    case Phys::kB16:
    case Phys::kStr: return 16;
  }
  return 16;
}

// A string of a vector: pointer and length. The bytes belong to an arena or a cursor that outlives the vector's use.
using Str = std::string_view;
static_assert(sizeof(Str) == 16);

struct Interval {  // kB16; comparison normalises 30-day months and 24-hour days as PostgreSQL does
  int64_t microseconds;
  int32_t days;
  int32_t months;
};
struct TimeTz {               // kB16
  int64_t microseconds;       // local time of day
  int32_t zone_seconds_west;  // as PostgreSQL's zone: seconds west of UTC
  int32_t unused;
};
struct Uuid {  // kB16
  uint8_t bytes[16];
};
struct Block16 {  // any kB16 value, uninterpreted
  uint64_t words[2];
};
static_assert(sizeof(Interval) == 16 && sizeof(TimeTz) == 16 && sizeof(Uuid) == 16 && sizeof(Block16) == 16);

}  // namespace indigo
