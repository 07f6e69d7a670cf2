// Functions that users have made, as kernels: those of modules by their own kernels (routine_kernel.h), the others row by row
// through the session, which runs their programs.
// Thread safety: as all kernels.
#pragma once

#include "types/function/registry.h"

namespace indigo::types {

// Stand for all OIDs from oid::kFirstUserOid on: which function it is says CallInfo::function.
const ScalarFunction& routine_scalar();
const SetFunction& routine_set();
// Aggregates of users' own (types/function/routine_aggregate.cpp). The moving one runs the functions for moving frames.
const AggregateFunction& routine_aggregate();
const AggregateFunction& moving_routine_aggregate();

}  // namespace indigo::types
