// How pg_attribute marks a column that was added to rows that were there (types/value/row_codec.h): its attcacheoff, which
// no other code uses.
#pragma once

#include <cstdint>

namespace indigo::catalog {

inline constexpr int32_t kAddedColumn = -2;

}  // namespace indigo::catalog
