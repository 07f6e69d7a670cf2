// OIDs of PostgreSQL's range and multirange types.
#pragma once

#include "base/ids.h"

namespace indigo::oid {

inline constexpr Oid kInt4Range = 3904, kNumRange = 3906, kTsRange = 3908, kTsTzRange = 3910, kDateRange = 3912,
                     kInt8Range = 3926, kInt4Multirange = 4451, kNumMultirange = 4532, kTsMultirange = 4533,
                     kTsTzMultirange = 4534, kDateMultirange = 4535, kInt8Multirange = 4536;

}  // namespace indigo::oid
