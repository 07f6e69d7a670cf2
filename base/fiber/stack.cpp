#include "base/fiber/stack.h"

#include <pthread.h>
#include <sys/resource.h>

#include <algorithm>
#include <exception>
#include <utility>

#include "base/fiber/context.h"
#include "base/fiber/stack_memory.h"
#include "base/fiber/thread_owned.h"
#include "base/sqlstate.h"

namespace indigo {

namespace stack_detail {

thread_local constinit uintptr_t limit = 0;

namespace {

thread_local constinit StackBounds running{};

// The main thread's stack may grow without end: count on this much.
constexpr size_t kMaxThreadStackBytes = 64u << 20;

uintptr_t limit_of(StackBounds bounds) {
  // A small stack keeps a quarter as reserve.
  size_t size = bounds.high - bounds.low;
  return bounds.low + (size / 4 < kStackReserve ? size / 4 : kStackReserve);
}

// The thread's large stack, made at first use.
class LargeStack {
 public:
  bool running() const { return function_ != nullptr; }

  void run(void (*function)(void*), void* argument) {
    if (memory_.empty()) {
      memory_ = StackMemory(kLargeStackBytes);
      if (memory_.empty()) return function(argument);  // no address space: the running stack has to do
      mark();
    }
    function_ = function;
    argument_ = argument;
    context_.prepare(memory_.bounds(), &LargeStack::enter, this);
    switch_context(caller_, context_);
    function_ = nullptr;
    if (!has_mark()) {  // a system call less for what stays near the top
      memory_.trim(kKeptBytes);
      mark();
    }
    if (thrown_) std::rethrow_exception(std::exchange(thrown_, nullptr));
  }

 private:
  static constexpr size_t kKeptBytes = 256 * 1024;
  // Below what is kept lies a mark that deeper calls write over.
  static constexpr size_t kMarkWords = 256;
  static constexpr uint64_t kMark = 0x5eed'0f57'ac4d'eb7b;

  uint64_t* mark_at() const { return reinterpret_cast<uint64_t*>(memory_.bounds().high - kKeptBytes); }
  void mark() const { std::fill_n(mark_at(), kMarkWords, kMark); }
  bool has_mark() const {
    return std::all_of(mark_at(), mark_at() + kMarkWords, [](uint64_t word) { return word == kMark; });
  }

  static void enter(void* self) {
    auto* stack = static_cast<LargeStack*>(self);
    try {
      stack->function_(stack->argument_);
    } catch (...) {  // which cannot pass from one stack to the other by itself
      stack->thrown_ = std::current_exception();
    }
    switch_context(stack->context_, stack->caller_, true);
  }

  StackMemory memory_;
  ExecutionContext context_, caller_;
  void (*function_)(void*) = nullptr;
  void* argument_ = nullptr;
  std::exception_ptr thrown_;
};

}  // namespace

void learn_thread_bounds() {
  StackBounds bounds;
  pthread_attr_t attributes;
  void* low = nullptr;
  size_t bytes = 0;
  if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
    pthread_attr_getstack(&attributes, &low, &bytes);
    pthread_attr_destroy(&attributes);
  }
  auto here = reinterpret_cast<uintptr_t>(__builtin_frame_address(0));
  if (low == nullptr) {
    bounds = {here - 512 * 1024, here};
  } else {
    bounds = {reinterpret_cast<uintptr_t>(low), reinterpret_cast<uintptr_t>(low) + bytes};
    if (bytes > kMaxThreadStackBytes) bounds.low = bounds.high - kMaxThreadStackBytes;
  }
  set_current_stack(bounds);
}

void run_on_large_stack(void (*function)(void*), void* argument) {
  constinit thread_local ThreadOwned<LargeStack> own;
  LargeStack& stack = own.get();
  if (stack.running()) return function(argument);
  stack.run(function, argument);
}

}  // namespace stack_detail

StackBounds current_stack() {
  if (stack_detail::limit == 0) stack_detail::learn_thread_bounds();
  return stack_detail::running;
}

void set_current_stack(StackBounds bounds) {
  stack_detail::running = bounds;
  stack_detail::limit = stack_detail::limit_of(bounds);
}

Error stack_depth_error() {
  return Error(sqlstate::kStatementTooComplex, "stack depth limit exceeded")
      .with_hint(
          "Increase the configuration parameter \"max_stack_depth\" (currently 2048kB), after ensuring the "
          "platform's stack depth limit is adequate.");
}

}  // namespace indigo
