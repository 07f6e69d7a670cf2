// How a table is made.
#pragma once

#include <cstdint>

#include "storage/thresholds.h"

namespace indigo::storage {

struct TableOptions {
  uint32_t leaf_bytes = kDefaultLeafBytes;
  LeafThresholds thresholds;
};

}  // namespace indigo::storage
