#include "base/fiber/context.h"

#include <boost/context/detail/fcontext.hpp>

#if defined(__SANITIZE_ADDRESS__)
#define INDIGO_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define INDIGO_ASAN 1
#endif
#endif
#if defined(__SANITIZE_THREAD__)
#define INDIGO_TSAN 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define INDIGO_TSAN 1
#endif
#endif

#ifdef INDIGO_ASAN
#include <sanitizer/common_interface_defs.h>
#endif
#ifdef INDIGO_TSAN
#include <sanitizer/tsan_interface.h>
#endif

namespace indigo {

namespace ctx = boost::context::detail;

namespace {

void before_switch([[maybe_unused]] void** fake_stack, [[maybe_unused]] StackBounds to,
                   [[maybe_unused]] void* sanitizer_fiber) {
#ifdef INDIGO_ASAN
  __sanitizer_start_switch_fiber(fake_stack, reinterpret_cast<void*>(to.low), to.high - to.low);
#endif
#ifdef INDIGO_TSAN
  __tsan_switch_to_fiber(sanitizer_fiber, 0);
#endif
}

void after_switch([[maybe_unused]] void* fake_stack) {
#ifdef INDIGO_ASAN
  __sanitizer_finish_switch_fiber(fake_stack, nullptr, nullptr);
#endif
}

}  // namespace

struct ExecutionContext::Arrival {
  static void enter(ctx::transfer_t transfer) { begin(*static_cast<ExecutionContext*>(transfer.data), transfer.fctx); }
};

void ExecutionContext::begin(ExecutionContext& self, void* left_at) {
  self.came_from_->resume_point_ = left_at;
  after_switch(nullptr);
  self.entry_(self.argument_);
  __builtin_unreachable();
}

void ExecutionContext::prepare(StackBounds stack, void (*entry)(void*), void* argument) {
  stack_ = stack;
  entry_ = entry;
  argument_ = argument;
  resume_point_ = ctx::make_fcontext(reinterpret_cast<void*>(stack.high), stack.high - stack.low,
                                     &ExecutionContext::Arrival::enter);
#ifdef INDIGO_TSAN
  // A flow's last switch never returns from the calls above it: they stay on ThreadSanitizer's own stack of the fiber, which
  // has room for 65,536 and no end that it looks at. One fiber for each flow would be too many: it keeps them in its tables
  // for ever.
  constexpr int kFlowsOfOneFiber = 1000;
  if (flows_ == kFlowsOfOneFiber) {
    __tsan_destroy_fiber(sanitizer_fiber_);
    flows_ = 0;
  }
  if (flows_++ == 0) sanitizer_fiber_ = __tsan_create_fiber(0);
#endif
  owns_sanitizer_fiber_ = true;
}

ExecutionContext::~ExecutionContext() {
#ifdef INDIGO_TSAN
  if (owns_sanitizer_fiber_) __tsan_destroy_fiber(sanitizer_fiber_);
#endif
}

void switch_context(ExecutionContext& from, ExecutionContext& to, bool last) {
  from.stack_ = current_stack();
#ifdef INDIGO_TSAN
  if (!from.owns_sanitizer_fiber_) from.sanitizer_fiber_ = __tsan_get_current_fiber();
#endif
  set_current_stack(to.stack_);
  to.came_from_ = &from;  // not on this stack: an ended flow's may be gone on arrival
  before_switch(last ? nullptr : &from.fake_stack_, to.stack_, to.sanitizer_fiber_);
  ctx::transfer_t transfer = ctx::jump_fcontext(to.resume_point_, &to);
  from.came_from_->resume_point_ = transfer.fctx;
  after_switch(from.fake_stack_);
}

}  // namespace indigo
