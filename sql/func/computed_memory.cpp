// The limit of what kernels compute for one chunk: a statement that wants more fails, rather than the server.
#include "base/process_memory.h"
#include "sql/func/kernel.h"

namespace indigo::sql {

namespace {

constexpr size_t kComputedBytesMax = size_t{2} << 30;
constexpr uint64_t kMachineMemoryPercentMax = 85;

}  // namespace

bool computed_too_much(FuncContext& context) {
  if (context.arena().allocated_bytes() > kComputedBytesMax) {
    context.fail(
        Error(sqlstate::kOutOfMemory, "out of memory").with_detail("The values of a thousand rows take too much."));
    return true;
  }
  if (process_memory_bytes() > machine_memory_bytes() / 100 * kMachineMemoryPercentMax) {
    context.fail(Error(sqlstate::kOutOfMemory, "out of memory").with_detail("The machine's memory is used up."));
    return true;
  }
  return false;
}

}  // namespace indigo::sql
