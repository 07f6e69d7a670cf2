// What one prepared statement's executions were planned with.
// Thread safety: none; belongs to a session.
#pragma once

#include <cstdint>

namespace indigo::engine {

struct PlanCounts {
  int64_t generic = 0, custom = 0;
  double custom_cost = 0;  // of all custom ones together, planning included
};

}  // namespace indigo::engine
