// Functions of modules by their kernels: a call of such a function runs nothing but C++ code, so it needs no session's programs for
// each row.
#pragma once

#include <memory>

#include "types/function/registry.h"

namespace indigo::types {

struct RoutineKernel {
  ScalarKernel kernel;
  CallInfo call;  // what the kernel is told
  Phys result;
  bool strict;  // not called with nulls
};

// A session that knows the kernels of functions that users, or extensions, have made. Implemented by engine, beside SessionContext.
// Thread safety: a session's.
class RoutineKernels {
 public:
  virtual ~RoutineKernels() = default;
  // Null: the function is to be called by SessionContext::call_routine. That is so if it is a program, if it acts as its owner or
  // has settings of its own, and if it does not exist.
  virtual std::shared_ptr<const RoutineKernel> kernel_of(const CallInfo& call) = 0;
};

}  // namespace indigo::types
