// The limits of what kernels compute: a statement that wants more memory fails, rather than the server, and one that takes long can
// be cancelled.
#include "base/fiber/interrupt_error.h"
#include "base/fiber/wait_point.h"
#include "base/memory/process_memory.h"
#include "base/sqlstate.h"
#include "types/function/kernel.h"
#include "types/function/limits.h"
#include "types/text/strings.h"

namespace indigo::types {

namespace {

constexpr size_t kComputedBytesMax = size_t{2} << 30;
constexpr size_t kSomeBytes = size_t{1} << 20;  // less is left alone while memory is short

}  // namespace

bool computed_too_much(FuncContext& context) {
  if (context.arena().allocated_bytes() > kComputedBytesMax) {
    context.fail(
        Error(sqlstate::kOutOfMemory, "out of memory").with_detail("The values of a thousand rows take too much."));
    return true;
  }
  if (context.arena().allocated_bytes() > kSomeBytes && process_memory_is_short()) {
    context.fail(Error(sqlstate::kOutOfMemory, "out of memory").with_detail("The machine's memory is used up."));
    return true;
  }
  return false;
}

bool interrupted(FuncContext& context) {
  Waiter& waiter = Waiter::current();
  waiter.yield_if_due();
  const InterruptReason reason = waiter.interrupted();
  if (reason != InterruptReason::kNone) context.fail(interrupt_error(reason));
  return context.failed();
}

bool check_text_bytes(FuncContext& context, size_t bytes) {
  if (bytes <= kMaxTextBytes) return true;
  context.fail(sqlstate::kProgramLimitExceeded, "out of memory");
  return false;
}

}  // namespace indigo::types
